//! What must hold of every plan, found out anew from the session, the settings and the plan.

use std::collections::BTreeMap;

use compactscope::compact::plan::{Decision, Outcome, Output, Plan, Step};
use compactscope::compact::tool_calls::{Disk, Recovery};
use compactscope::digest::sha256;
use compactscope::session::{Entry, Kind, Session};
use compactscope::tokens::{Method, count};

use super::agent::{Machine, ROOT, absolute};
use super::knobs::{Knobs, decide};
use super::sessions::Sample;
use super::shown::{Place, are_same_lines, between, body, without_run};

pub fn is_gone(decision: &Decision) -> bool {
    decision.output == Output::Gone
}

/// Every decided entry comes out whole, as a beginning of itself, as a pointer to what holds it,
/// or not at all; its steps account for every character.
fn check_texts(session: &Session, plan: &Plan) {
    for (entry, decision) in session.entries.iter().zip(&plan.decisions) {
        let out = decision.output_of(&entry.content);
        match &decision.output {
            Output::Whole => assert_eq!(out, Some(&*entry.content)),
            Output::Prefix(_) => {
                assert!(out.unwrap().len() < entry.content.len());
                assert!(entry.content.starts_with(out.unwrap()));
                assert!(matches!(entry.kind, Kind::Text | Kind::Result { .. }));
            }
            Output::Note(note) => {
                assert!(note.chars().count() < entry.chars);
                assert!(matches!(entry.kind, Kind::Result { .. }));
            }
            Output::Ends { text, head, tail } => {
                assert!(text.chars().count() < entry.chars);
                assert!(entry.content.starts_with(&text[..*head]));
                assert!(entry.content.ends_with(&text[text.len() - tail..]));
                assert!(matches!(entry.kind, Kind::Result { .. }));
            }
            Output::Gone => assert_eq!(out, None),
        }
        if entry.kind.is_decided() {
            let removed: usize = decision.steps.iter().map(|step| step.removed).sum();
            let after = out.map_or(0, |out| out.chars().count());
            assert_eq!((after, entry.chars), (decision.chars, after + removed));
        }
    }
    let decided =
        || session.entries.iter().zip(&plan.decisions).filter(|(e, _)| e.kind.is_decided());
    let before: usize = decided().map(|(entry, _)| entry.chars).sum();
    let after: usize = decided().map(|(_, decision)| decision.chars).sum();
    let removed: usize = plan.stages.iter().map(|stage| stage.chars).sum();
    assert_eq!((plan.chars, before), ([before, after], after + removed));
}

fn check_outcomes(plan: &Plan) {
    for decision in &plan.decisions {
        let latest = decision.steps.iter().map(|step| step.stage.outcome()).max();
        assert_eq!(decision.outcome, latest.unwrap_or(Outcome::Kept));
        assert!(decision.steps.is_sorted_by_key(|step| step.stage));
    }
    let counted: usize = plan.outcomes.iter().sum();
    assert_eq!(counted, plan.decisions.len());
}

/// What the settings and pins protect, found out anew from the session, comes out whole. The
/// tool-call pass may still take the result of a call that it has not pinned.
fn check_protection(session: &Session, knobs: &Knobs, plan: &Plan) {
    let settings = knobs.settings(session);
    let pins = knobs.pins(session);
    for (index, entry) in session.entries.iter().enumerate() {
        if !entry.kind.is_decided() {
            continue;
        }
        let decision = &plan.decisions[index];
        if pins.contains(&index) {
            assert_eq!(decision.output, Output::Whole, "entry {index} is pinned");
        }
        let message = entry.message.unwrap();
        let from_end = session.messages.len() - message;
        let is_pinned = message == 0 || from_end <= settings.preserve_recent;
        let is_spared = is_pinned
            || plan.budget.is_some()
                && (from_end <= settings.keep_last_n
                    || settings.keep_roles.contains(&session.role_of(entry))
                    || settings.question_from == Some(index));
        for half in [Some(index), entry.kind.partner()].into_iter().flatten() {
            let decision = &plan.decisions[half];
            let is_whole = decision.output == Output::Whole;
            let is_call = matches!(entry.kind, Kind::Call { .. });
            assert!(!is_pinned || !is_call || is_whole, "entry {half} is of a pinned call");
            let touched = decision.steps.iter().find(|step| is_of_message_pass(step));
            assert!(!is_spared || touched.is_none(), "entry {half}: {touched:?}");
        }
        let is_text = entry.kind == Kind::Text;
        let is_whole = decision.output == Output::Whole;
        assert!(!is_spared || !is_text || is_whole || entry.is_blank_text(), "text {index}");
    }
}

fn is_of_message_pass(step: &Step) -> bool {
    ["near_duplicate", "cut_sentence", "cut_hard", "over_budget"].contains(&&*step.reason)
}

fn check_pairs(session: &Session, plan: &Plan) {
    for (index, entry) in session.entries.iter().enumerate() {
        if let Some(partner) = entry.kind.partner() {
            let gone = [index, partner].map(|half| is_gone(&plan.decisions[half]));
            assert_eq!(gone[0], gone[1], "entries {index} and {partner}");
        }
    }
}

/// What a pointer names is there, whole and later; what a near duplicate names was there when it
/// went.
fn check_targets(session: &Session, plan: &Plan) {
    for (index, decision) in plan.decisions.iter().enumerate() {
        let Some(target) = decision.target else { continue };
        let kept = &plan.decisions[target];
        match &decision.output {
            Output::Note(note) => {
                assert_eq!(decision.recovery, None);
                let Kind::Result { id, .. } = &session.entries[target].kind else {
                    panic!("entry {target} is no result")
                };
                assert!(target > index && kept.output == Output::Whole);
                assert!(note.contains(&**id));
                let whole = &*session.entries[target].content;
                let content = &*session.entries[index].content;
                match decision.target_lines {
                    None => assert_eq!(without_run(whole), without_run(content)),
                    Some((first, last)) => {
                        let lines: Vec<&str> = whole.split('\n').collect();
                        assert_eq!(lines[first - 1..last].join("\n"), content);
                        assert!(note.contains(&format!(" {first}-{last} ")));
                    }
                }
            }
            _ if decision.similarity.is_some() => {
                assert!(target < index && kept.similarity.is_none());
            }
            _ => assert!(is_gone(decision)),
        }
    }
}

/// A pointer out of the session leads to what it stands for: from the stash by its digest, from
/// the disk where that vouched for it, else from the machine that the call ran on.
fn check_pointers(sample: &Sample, knobs: &Knobs, plan: &Plan) {
    for (entry, decision) in sample.session.entries.iter().zip(&plan.decisions) {
        let Output::Note(note) = &decision.output else { continue };
        let content = &*entry.content;
        match &decision.recovery {
            None => assert!(decision.target.is_some()),
            Some(Recovery::Stash { sha256: digest, tokens, bytes }) => {
                assert_eq!((digest, *bytes), (&sha256(content.as_bytes()), content.len()));
                assert_eq!(*tokens, count(content, Method::Heuristic));
                let id = &digest[..12];
                let want = format!("[removed: {tokens} tokens · compactscope recall {id}]");
                assert_eq!(**note, *want);
            }
            Some(Recovery::File { disk, .. }) => {
                let place = Place::of(note).unwrap();
                assert_eq!(place.is_verified, disk.is_some());
                let text = match disk {
                    Some(_) => Some(on_disk(sample, knobs, &place.path)),
                    None if !is_true(sample, entry) => None,
                    None => Some(sample.machine.text(&place.path).unwrap().to_owned()),
                };
                let tool = sample.session.tool_of(entry).unwrap();
                let shown = text.map(|text| place.shown(&text, tool, content));
                assert!(shown.is_none_or(|shown| are_same_lines(&shown, content)), "{note}");
            }
            Some(Recovery::Command { command, cwd, check }) => {
                let place = between(note, "[removed: re-run `", " to recover]").unwrap();
                assert!(place.starts_with(&format!("{command}`")));
                let cwd = cwd.as_deref().unwrap_or(ROOT);
                if *check == "disk" {
                    let path = absolute(command.rsplit(' ').next().unwrap(), cwd);
                    let machine = Machine::with_file(path.clone(), on_disk(sample, knobs, &path));
                    assert!(are_same_lines(&machine.run(command, cwd), content), "{note}");
                } else if is_true(sample, entry) {
                    assert_eq!(sample.machine.run(command, cwd), body(content), "{note}");
                }
            }
        }
    }
}

/// Whether a result says what the machine said.
fn is_true(sample: &Sample, entry: &Entry) -> bool {
    matches!(&entry.kind, Kind::Result { id, .. } if sample.is_true.contains(&**id))
}

fn on_disk(sample: &Sample, knobs: &Knobs, path: &str) -> String {
    let disk = knobs.disk(&sample.machine);
    let file = disk.read(&disk.real_path(path), u64::MAX).unwrap();
    String::from_utf8(file.bytes().to_vec()).unwrap()
}

/// Thinking goes exactly when all that was decided of its API message is gone, so that it is
/// never left alone.
fn check_messages(session: &Session, plan: &Plan) {
    let mut turns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for message in &session.messages {
        turns.entry(message.turn).or_default().extend(message.entries.clone());
    }
    for entries in turns.values() {
        let thinks = |&&entry: &&usize| session.entries[entry].kind == Kind::Thinking;
        let words = entries.iter().filter(|&&entry| session.entries[entry].kind.is_decided());
        let all_gone = words.clone().all(|&entry| is_gone(&plan.decisions[entry]));
        for thinking in entries.iter().filter(thinks) {
            let gone = is_gone(&plan.decisions[*thinking]);
            if words.clone().next().is_some() {
                assert_eq!(gone, all_gone, "thinking {thinking}");
            }
            let others = || entries.iter().filter(|entry| !thinks(entry));
            let others_left = others().any(|&entry| !is_gone(&plan.decisions[entry]));
            assert!(gone || others_left || others().next().is_none(), "thinking {thinking} alone");
        }
    }
}

pub fn check(sample: &Sample, knobs: &Knobs) -> Plan {
    let (session, plan) = (&sample.session, decide(sample, knobs));
    assert_eq!(plan.violations, [], "{:?}", trail(session, &plan));
    assert_eq!(plan.decisions.len(), session.entries.len());
    check_texts(session, &plan);
    check_outcomes(&plan);
    check_protection(session, knobs, &plan);
    check_pairs(session, &plan);
    check_targets(session, &plan);
    check_pointers(sample, knobs, &plan);
    check_messages(session, &plan);
    plan
}

/// What became of each entry, for the message of a failure.
fn trail(session: &Session, plan: &Plan) -> Vec<String> {
    let rows = session.entries.iter().zip(&plan.decisions).enumerate();
    rows.map(|(index, (entry, decision))| {
        let steps: Vec<_> = decision.steps.iter().map(|step| &step.reason).collect();
        format!("{index} {:?} {} {steps:?}", entry.message, entry.kind.name())
    })
    .collect()
}
