//! The tool-call pass over a session's entries.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

use super::super::settings::Settings;
use super::super::tool_calls::{
    self, Action, DoesNotFit, Inquiry, Outside, Pins as CallPins, Position, Preview, Terms, View,
};
use super::super::{Features, Pins};
use super::{Decision, Known, Output, Stage, Step};
use crate::session::{Kind, Session};

/// Decides every call that has a result, and marks what the pass pins: the first message and the
/// newest `preserve_recent`, whole. Gives whether a pointer names an estimated number of tokens.
pub(super) fn run(
    session: &Session,
    features: &Features,
    settings: &Settings,
    pins: &Pins,
    known: &Known,
    decisions: &mut [Decision],
) -> bool {
    let has_estimates = Cell::new(false);
    let tokens = |at: Position, text: &str| {
        let entry = features.result_at(at);
        let exact = known.tokens.get(entry).copied().flatten();
        has_estimates.set(has_estimates.get() || exact.is_none());
        exact.map_or_else(|| features.estimated_tokens(entry, text), |exact| exact as usize)
    };
    let outside =
        Outside { disk: known.disk, stash: &Preview, tokens: &tokens, answers: known.answers };
    let calls = seen(session, features, settings, pins, |view| {
        tool_calls::decide(view, settings.provider, settings.rules_mode, &outside)
    });
    for call in calls {
        apply(features, call, decisions);
    }
    for (index, message) in session.messages.iter().enumerate() {
        let Some(reason) = pin_reason(index, session.messages.len(), settings) else { continue };
        for entry in message.entries.clone() {
            if session.entries[entry].kind.is_decided() {
                let step = Step { stage: Stage::Pin, reason: reason.into(), removed: 0 };
                decisions[entry].step(step);
            }
        }
    }
    has_estimates.get()
}

/// The requests that a judge would be asked over the session's calls.
///
/// # Errors
/// [`DoesNotFit`] names the setting that would have to be larger.
pub fn inquiry(
    session: &Session,
    features: &Features,
    settings: &Settings,
    pins: &Pins,
) -> Result<Inquiry, DoesNotFit> {
    seen(session, features, settings, pins, |view| Inquiry::of_settings(view, settings))
}

/// Looks at the session as the pass does.
fn seen<T>(
    session: &Session,
    features: &Features,
    settings: &Settings,
    pins: &Pins,
    look: impl FnOnce(&View) -> T,
) -> T {
    let pinned = CallPins {
        preserve_recent: settings.preserve_recent,
        calls: pinned_calls(session, features, pins),
        ..CallPins::default()
    };
    let root = settings.workspace_root.as_ref().map(|root| root.to_string_lossy());
    let terms = Terms {
        question: &settings.question,
        threshold: settings.threshold,
        trim_head_chars: settings.trim_head_chars,
        workspace_root: root.as_deref(),
        disk_check: settings.disk_check,
        allow_command_pointers: settings.allow_command_pointers,
        note_name: tool_calls::PROGRAM,
    };
    look(&View {
        transcript: &features.transcript(session),
        index: &features.tool_calls,
        pins: &pinned,
        terms: &terms,
    })
}

/// Why the pass pins a message, in the reference's words.
pub(super) fn pin_reason(
    message: usize,
    messages: usize,
    settings: &Settings,
) -> Option<&'static str> {
    if message == 0 {
        Some("pinned_first_message")
    } else {
        (messages - message <= settings.preserve_recent).then_some("pinned_recent")
    }
}

fn pinned_calls(session: &Session, features: &Features, pins: &Pins) -> BTreeSet<Position> {
    let call_of = |entry: usize| match session.entries[entry].kind {
        Kind::Call { .. } => Some(entry),
        Kind::Result { call, .. } => call,
        _ => None,
    };
    let position = |call: usize| features.position_of_call(session.entries[call].message?, call);
    let pins = pins.iter().flat_map(|&pin| with_what_stands_beside(session, pin));
    pins.filter_map(call_of).filter_map(position).collect()
}

/// A blank text cannot stay alone in its message: who pins it pins all of that.
fn with_what_stands_beside(session: &Session, pin: usize) -> Range<usize> {
    match session.entries.get(pin) {
        None => 0..0,
        Some(entry) => match entry.message.filter(|_| entry.is_blank_text()) {
            Some(message) => session.messages[message].entries.clone(),
            None => pin..pin + 1,
        },
    }
}

fn apply(features: &Features, call: tool_calls::Decision, decisions: &mut [Decision]) {
    let Some(result) = call.result.map(|result| features.result_at(result)) else { return };
    let at = features.call_at(call.call);
    let removed = call.chars - call.chars_after;
    let decision = &mut decisions[result];
    if matches!(call.action, Action::Trim(_)) {
        take_back_trim(decision);
    }
    let mut step = |stage, removed| {
        decision.chars -= removed;
        decision.step(Step { stage, reason: call.reason.clone(), removed });
    };
    match call.action {
        Action::Keep if call.source == "pin" => {}
        Action::Keep => {
            decision.kept_reason = call.reason.clone();
            decisions[at].kept_reason = call.reason;
        }
        Action::Dedupe(dedupe) => {
            step(Stage::Dedupe, removed);
            decision.output = Output::Note(dedupe.note.into());
            decision.target = Some(features.result_at(dedupe.kept_at));
            decision.target_lines = dedupe.lines;
        }
        Action::Replace(replacement) => {
            step(Stage::Pointer, removed);
            decision.output = Output::Note(replacement.note.into());
            decision.recovery = Some(replacement.recovery);
        }
        Action::Trim(trimmed) => {
            step(Stage::Trim, removed);
            let tool_calls::Trimmed { text, head, tail } = trimmed;
            decision.output = Output::Ends { text: text.into(), head, tail };
        }
        Action::Drop => {
            let later = call.reason.strip_prefix("superseded_by_later_call:");
            let later = later.and_then(|id| features.tool_calls.result_named(id));
            decision.target = later.map(|result| features.result_at(result));
            // Another call with its id has taken it away already.
            if decisions[at].output == Output::Gone {
                return;
            }
            let (calls, results) = features.tool_calls.sharing_id_of(call.call);
            let calls = calls.into_iter().map(|call| features.call_at(call));
            let results = results.into_iter().map(|result| features.result_at(result));
            for entry in calls.chain(results) {
                if decisions[entry].output == Output::Gone {
                    continue;
                }
                let removed = decisions[entry].chars;
                decisions[entry].remove(Step {
                    stage: Stage::Drop,
                    reason: call.reason.clone(),
                    removed,
                });
            }
        }
    }
}

/// Undoes a cut that another call with the same id led to: the last one stands, as in an answer.
fn take_back_trim(decision: &mut Decision) {
    if matches!(decision.output, Output::Ends { .. }) {
        let cut = decision.steps.pop_if(|step| step.stage == Stage::Trim);
        decision.chars += cut.map_or(0, |step| step.removed);
        decision.output = Output::Whole;
    }
}
