//! Both passes over a session, one after the other, and the sums of what they did.

use super::super::settings::Settings;
use super::super::{Features, Pins, verify};
use super::{
    Decision, Known, Outcome, Output, Plan, Stage, StageReport, Step, message_pass, tool_pass,
};
use crate::session::{Kind, Session};

/// Decides a session. The same session, settings, pins and files on disk give the same plan; a
/// plan is a preview and stores nothing.
///
/// `features` are those of this very session.
pub fn plan(
    session: &Session,
    features: &Features,
    settings: &Settings,
    pins: &Pins,
    known: &Known,
) -> Plan {
    let mut decisions: Vec<Decision> =
        session.entries.iter().map(|entry| Decision::kept(entry.chars)).collect();
    mark_pins(session, pins, &mut decisions);
    let mut has_estimates = false;
    if settings.tool_pass {
        has_estimates = tool_pass::run(session, features, settings, pins, known, &mut decisions);
    }
    let budget = settings.budget_chars.chars_of(features.decided_chars());
    let protected_chars = match budget {
        Some(budget) => message_pass::run(session, features, settings, budget, &mut decisions),
        None => 0,
    };
    drop_lone_blanks(session, &mut decisions);
    drop_lone_thinking(session, &mut decisions);
    let (violations, input_faults) = verify::check(session, features, settings, &decisions);
    Plan {
        has_estimates,
        stages: stage_reports(&decisions),
        chars: sums(session, &decisions),
        outcomes: Outcome::ALL.map(|outcome| count(&decisions, outcome)),
        budget,
        protected_chars,
        violations,
        input_faults,
        decisions,
    }
}

/// What a user pins, and what a request says is pinned, is so in both passes.
fn mark_pins(session: &Session, pins: &Pins, decisions: &mut [Decision]) {
    for (index, entry) in session.entries.iter().enumerate() {
        let by_request = entry.message.is_some_and(|message| session.messages[message].pinned);
        if entry.kind.is_decided() && (by_request || pins.contains(&index)) {
            decisions[index].step(Step { stage: Stage::Pin, reason: "pin".into(), removed: 0 });
        }
    }
}

/// A blank text goes once all else that was decided of its message is gone: the API takes no
/// message that is blank.
fn drop_lone_blanks(session: &Session, decisions: &mut [Decision]) {
    for message in &session.messages {
        let (blanks, others): (Vec<usize>, Vec<usize>) = message
            .entries
            .clone()
            .filter(|&index| session.entries[index].kind.is_decided())
            .partition(|&index| session.entries[index].is_blank_text());
        let stays = |&index: &usize| decisions[index].output != Output::Gone;
        if others.is_empty() || others.iter().any(stays) {
            continue;
        }
        for blank in blanks.into_iter().filter(stays).collect::<Vec<_>>() {
            let removed = decisions[blank].chars;
            decisions[blank].remove(Step {
                stage: Stage::Drop,
                reason: "message_gone".into(),
                removed,
            });
        }
    }
}

/// Thinking goes with its API message: once all that was decided of that is gone, it goes too.
fn drop_lone_thinking(session: &Session, decisions: &mut [Decision]) {
    let turns = session.messages.iter().map(|message| message.turn + 1).max().unwrap_or(0);
    let mut had_words = vec![false; turns];
    let mut has_words = vec![false; turns];
    for message in &session.messages {
        let decided = |&index: &usize| session.entries[index].kind.is_decided();
        for index in message.entries.clone().filter(decided) {
            had_words[message.turn] = true;
            has_words[message.turn] |= decisions[index].output != Output::Gone;
        }
    }
    for message in session.messages.iter().filter(|it| had_words[it.turn] && !has_words[it.turn]) {
        for index in message.entries.clone() {
            if session.entries[index].kind == Kind::Thinking {
                let step = Step { stage: Stage::Drop, reason: "message_gone".into(), removed: 0 };
                decisions[index].remove(step);
            }
        }
    }
}

fn stage_reports(decisions: &[Decision]) -> [StageReport; 5] {
    let mut reports = [StageReport::default(); 5];
    for decision in decisions {
        let mut last = None;
        for step in &decision.steps {
            let report = &mut reports[step.stage as usize];
            report.chars += step.removed;
            // An entry that both passes pin is one entry of the stage.
            if last != Some(step.stage) {
                report.entries += 1;
            }
            last = Some(step.stage);
        }
    }
    reports
}

/// Characters of the decided entries, before and after.
fn sums(session: &Session, decisions: &[Decision]) -> [usize; 2] {
    let decided =
        session.entries.iter().zip(decisions).filter(|(entry, _)| entry.kind.is_decided());
    decided.fold([0, 0], |[before, after], (entry, decision)| {
        [before + entry.chars, after + decision.chars]
    })
}

fn count(decisions: &[Decision], outcome: Outcome) -> usize {
    decisions.iter().filter(|decision| decision.outcome == outcome).count()
}
