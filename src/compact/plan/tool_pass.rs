//! The tool-call pass over a session's entries.

use super::super::settings::Settings;
use super::super::tool_calls::{self, Action, Pins as CallPins};
use super::super::{Features, Pins};
use super::{Decision, Output, Stage, Step};
use crate::session::{Kind, Session};

/// Decides every call that has a result, and marks what the pass pins: the first message and the
/// newest `preserve_recent`, whole.
pub(super) fn run(
    session: &Session,
    features: &Features,
    settings: &Settings,
    pins: &Pins,
    decisions: &mut [Decision],
) {
    let pinned = CallPins {
        preserve_recent: settings.preserve_recent,
        calls: pinned_calls(session, features, pins),
        ..CallPins::default()
    };
    for call in tool_calls::lossless(&features.tool_calls, &pinned) {
        apply(features, call, decisions);
    }
    for (index, message) in session.messages.iter().enumerate() {
        let Some(reason) = pin_reason(index, session.messages.len(), settings) else { continue };
        for entry in message.entries.clone() {
            if session.entries[entry].kind.is_decided() {
                decisions[entry].step(Step { stage: Stage::Pin, reason, removed: 0 });
            }
        }
    }
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

fn pinned_calls(
    session: &Session,
    features: &Features,
    pins: &Pins,
) -> std::collections::BTreeSet<tool_calls::Position> {
    let call_of = |&pin: &usize| match session.entries.get(pin)?.kind {
        Kind::Call { .. } => Some(pin),
        Kind::Result { call, .. } => call,
        _ => None,
    };
    let position = |call: usize| features.position_of_call(session.entries[call].message?, call);
    pins.iter().filter_map(call_of).filter_map(position).collect()
}

fn apply(features: &Features, call: tool_calls::Decision, decisions: &mut [Decision]) {
    let Some(result) = call.result.map(|result| features.result_at(result)) else { return };
    match call.action {
        Action::Keep if call.source == "pin" => {}
        Action::Keep => {
            decisions[features.call_at(call.call)].kept_reason = call.reason;
            decisions[result].kept_reason = call.reason;
        }
        Action::Dedupe(dedupe) => {
            let decision = &mut decisions[result];
            let removed = call.chars - call.chars_after;
            decision.output = Output::Note(dedupe.note.into());
            decision.chars -= removed;
            decision.target = Some(features.result_at(dedupe.kept_at));
            decision.target_lines = dedupe.lines;
            decision.step(Step { stage: Stage::Dedupe, reason: call.reason, removed });
        }
    }
}
