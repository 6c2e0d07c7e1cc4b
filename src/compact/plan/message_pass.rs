//! The message pass over a session's entries, after the tool-call pass.

use std::ops::Range;

use super::super::Features;
use super::super::messages::{self, CutKind, Decided, Limits, Standing};
use super::super::settings::Settings;
use super::{Decision, Outcome, Output, Score, Stage, Step};
use crate::session::{Contract, Kind, Role, Session};

/// Decides every entry that is decided at all, to so many characters; gives the characters of
/// what is protected.
pub(super) fn run(
    session: &Session,
    features: &Features,
    settings: &Settings,
    budget: usize,
    decisions: &mut [Decision],
) -> usize {
    let reasons = protections(session, features, settings, decisions);
    for (&entry, reasons) in features.units().iter().zip(&reasons) {
        for &reason in reasons {
            decisions[entry].step(Step { stage: Stage::Pin, reason: reason.into(), removed: 0 });
        }
    }
    let standing = standings(session, features, settings, decisions);
    let limits = Limits {
        budget_chars: Some(budget),
        duplicate_threshold: settings.duplicate_threshold,
        max_message_chars: settings.max_message_chars,
    };
    let content = |unit: usize| &*session.entries[features.units()[unit]].content;
    let decided = messages::decide(&features.messages, &standing, &limits, content);
    apply(features, &decided, decisions);
    mark_targets(decisions);
    score(session, features, &standing, decisions);
    standing.iter().filter(|unit| unit.protected).map(|unit| unit.chars).sum()
}

/// Why each unit is protected by this pass; none for most. What a user or the tool-call pass pins
/// carries its reason already.
fn protections(
    session: &Session,
    features: &Features,
    settings: &Settings,
    decisions: &[Decision],
) -> Vec<Vec<&'static str>> {
    let first_recent = session.messages.len().saturating_sub(settings.keep_last_n);
    let opening = opening(session);
    let task = |entry: usize| {
        session.contract() != Some(Contract::MemoryCompact)
            && (features.first_user_text() == Some(entry)
                || settings.question_from == Some(entry)
                || opening.contains(&entry))
    };
    let mut reasons: Vec<Vec<&'static str>> = Vec::with_capacity(features.units().len());
    for &entry in features.units() {
        let message = session.entries[entry].message;
        let rules = [
            (settings.keep_roles.contains(&session.role_of(&session.entries[entry])), "role"),
            (message.is_some_and(|it| it >= first_recent), "recent"),
            (task(entry), "task"),
        ];
        reasons.push(rules.into_iter().filter(|rule| rule.0).map(|rule| rule.1).collect());
    }
    protect_around_blanks(session, features, decisions, &mut reasons);
    protect_pairs(session, features, decisions, &mut reasons);
    reasons
}

/// The entries of the first message that is not the system's where that is a user's: the API
/// wants a user to begin, even with no text.
fn opening(session: &Session) -> Range<usize> {
    let mut messages = session.messages.iter();
    let first = messages.find(|it| it.role != Role::System && !it.entries.is_empty());
    first.filter(|it| it.role == Role::User).map_or(0..0, |it| it.entries.clone())
}

/// A blank text cannot stay alone in its message: what protects it protects all of that.
fn protect_around_blanks(
    session: &Session,
    features: &Features,
    decisions: &[Decision],
    reasons: &mut [Vec<&'static str>],
) {
    for (unit, &entry) in features.units().iter().enumerate() {
        if !session.entries[entry].is_blank_text()
            || !is_protected(unit, features, decisions, reasons)
        {
            continue;
        }
        let Some(message) = session.entries[entry].message else { continue };
        for beside in session.messages[message].entries.clone() {
            let Some(beside) = features.unit_of(beside) else { continue };
            if !is_protected(beside, features, decisions, reasons) {
                reasons[beside].push("pair");
            }
        }
    }
}

fn is_protected(
    unit: usize,
    features: &Features,
    decisions: &[Decision],
    reasons: &[Vec<&'static str>],
) -> bool {
    !reasons[unit].is_empty() || is_pinned(&decisions[features.units()[unit]])
}

/// A call and its result are protected together.
fn protect_pairs(
    session: &Session,
    features: &Features,
    decisions: &[Decision],
    reasons: &mut [Vec<&'static str>],
) {
    for unit in 0..reasons.len() {
        let Some(partner) = partner_of(session, features, unit) else { continue };
        let guards = |unit| is_protected(unit, features, decisions, reasons);
        if guards(partner) && !guards(unit) {
            reasons[unit].push("pair");
        }
    }
}

fn partner_of(session: &Session, features: &Features, unit: usize) -> Option<usize> {
    features.unit_of(session.entries[features.units()[unit]].kind.partner()?)
}

fn is_pinned(decision: &Decision) -> bool {
    decision.steps.iter().any(|step| step.stage == Stage::Pin)
}

fn standings(
    session: &Session,
    features: &Features,
    settings: &Settings,
    decisions: &[Decision],
) -> Vec<Standing> {
    let units = features.units().iter().enumerate();
    units
        .map(|(unit, &entry)| {
            let decision = &decisions[entry];
            Standing {
                protected: is_pinned(decision),
                chars: decision.chars,
                gone: decision.output == Output::Gone,
                trim: decision.output == Output::Whole && may_be_cut(session, entry, settings),
                partner: partner_of(session, features, unit),
                points_to: decision
                    .target
                    .filter(|_| matches!(decision.output, Output::Note(_)))
                    .and_then(|target| features.unit_of(target)),
            }
        })
        .collect()
}

/// Calls are never cut, and no text is that begins with so many blanks that none of its words
/// might be left. A memory-compact request is cut as its contract says.
fn may_be_cut(session: &Session, entry: usize, settings: &Settings) -> bool {
    let entry = &session.entries[entry];
    match entry.kind {
        Kind::Call { .. } => false,
        Kind::Text if session.contract() != Some(Contract::MemoryCompact) => {
            // A cut at a sentence's end keeps more than two fifths of the limit.
            let least = settings.max_message_chars / 5 * 2 + 1;
            entry.content.chars().take(least).any(|c| !c.is_whitespace())
        }
        _ => true,
    }
}

fn apply(features: &Features, decided: &Decided, decisions: &mut [Decision]) {
    let units = features.units();
    for duplicate in &decided.duplicates {
        let decision = &mut decisions[units[duplicate.unit]];
        decision.target = Some(units[duplicate.of]);
        decision.similarity = Some(duplicate.similarity);
        let removed = decision.chars;
        decision.remove(Step { stage: Stage::Dedupe, reason: "near_duplicate".into(), removed });
    }
    for cut in &decided.cuts {
        let decision = &mut decisions[units[cut.unit]];
        decision.output = Output::Prefix(cut.bytes);
        decision.chars = cut.chars;
        let reason = match cut.kind {
            CutKind::Sentence => "cut_sentence".into(),
            CutKind::Hard => "cut_hard".into(),
        };
        let removed = cut.original_chars - cut.chars;
        decision.step(Step { stage: Stage::Trim, reason, removed });
    }
    for drop in &decided.drops {
        let decision = &mut decisions[units[drop.unit]];
        decision.remove(Step {
            stage: Stage::Drop,
            reason: "over_budget".into(),
            removed: drop.chars,
        });
    }
}

/// A result stays because a pointer that stays names it.
fn mark_targets(decisions: &mut [Decision]) {
    let named: Vec<usize> = decisions
        .iter()
        .filter(|decision| matches!(decision.output, Output::Note(_)))
        .filter_map(|decision| decision.target)
        .collect();
    for target in named {
        decisions[target].kept_reason = "target".into();
    }
}

/// Gives every unit that could have been dropped the numbers it was ranked by.
fn score(
    session: &Session,
    features: &Features,
    standing: &[Standing],
    decisions: &mut [Decision],
) {
    let ranked = &features.messages;
    for (unit, &entry) in features.units().iter().enumerate() {
        if standing[unit].protected || decisions[entry].outcome == Outcome::Pinned {
            continue;
        }
        let own = ranked.score(unit);
        let partner = partner_of(session, features, unit).map_or(own, |it| ranked.score(it));
        decisions[entry].score = Some(Score {
            candidate: own.max(partner),
            own,
            recency: ranked.recency(unit),
            overlap: ranked.overlap(unit),
        });
    }
}
