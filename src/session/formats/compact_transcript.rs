//! Requests of the compact_transcript contract: the hook shape with its question and settings.

use serde_json::Value;
use serde_json::value::RawValue;

use super::document::{Lines, Top};
use super::hook;
use super::message::string;
use super::request::{Reading, Type};
use crate::session::assembly::Assembly;
use crate::session::{Contract, Format, ReadError, Request};

/// The settings that a request may bring. Its other keys are labels, or shape the answer alone.
const SETTINGS: [(&str, Type); 15] = [
    ("question", Type::Text),
    ("provider", Type::Text),
    ("rules_mode", Type::Text),
    ("threshold", Type::Number),
    ("preserve_recent", Type::Whole),
    ("trim_head_chars", Type::Whole),
    ("max_state_tokens", Type::Whole),
    ("max_request_tokens", Type::Whole),
    ("max_workers", Type::Whole),
    ("min_reduction", Type::Number),
    ("workspace_root", Type::Text),
    ("disk_check", Type::Truth),
    ("allow_command_pointers", Type::Truth),
    ("jev_model", Type::Text),
    ("laya_model", Type::Text),
];

/// Reads a request whole, or refuses it whole: a decision over half a transcript cannot be
/// audited. Ranges are the engine's to check.
pub(super) fn read(top: &Top<'_>, lines: Lines<'_>, out: &mut Assembly) -> Result<(), ReadError> {
    let mut reading = Reading { format: Format::CompactTranscript, lines };
    let (members, messages) = reading.open(top)?;
    if messages.is_empty() {
        return Err(reading.refuse(None, "messages", "must not be empty"));
    }
    let question = members.get("question").copied();
    if question.and_then(string).is_none_or(|question| question.trim().is_empty()) {
        return Err(reading.refuse(question, "question", "must be a text that is not empty"));
    }
    let settings = reading.settings(members, &SETTINGS)?;
    for (index, message) in messages.iter().enumerate() {
        check(message, &format!("messages[{index}]"), &mut reading)?;
        let line = reading.lines.of(message);
        if hook::add(message.get(), line, out).is_err() {
            let place = format!("messages[{index}]");
            return Err(reading.refuse(Some(message), place, "cannot be read"));
        }
    }
    out.request(Request { contract: Contract::CompactTranscript, settings });
    Ok(())
}

/// Refuses a message whose shape is wrong, and names the place.
fn check(json: &RawValue, place: &str, reading: &mut Reading<'_>) -> Result<(), ReadError> {
    let mut refuse = |place: String, problem: &str| Err(reading.refuse(Some(json), place, problem));
    let Ok(message) = serde_json::from_str::<Value>(json.get()) else {
        return refuse(place.to_owned(), "cannot be read");
    };
    if !message.is_object() {
        return refuse(place.to_owned(), "must be an object");
    }
    if message["role"].as_str().is_none_or(str::is_empty) {
        return refuse(format!("{place}.role"), "must be a text that is not empty");
    }
    if !(message["text"].is_string() || message["text"].is_null()) {
        return refuse(format!("{place}.text"), "must be a text");
    }
    for names in [hook::CALLS, hook::RESULTS] {
        let Some(name) = names.into_iter().find(|name| !message[*name].is_null()) else { continue };
        let Some(blocks) = message[name].as_array() else {
            return refuse(format!("{place}.{name}"), "must be a list");
        };
        let nameless =
            blocks.iter().position(|block| block.is_object() && hook::id(block).is_none());
        if let Some(index) = nameless {
            return refuse(format!("{place}.{name}[{index}]"), "must have an id");
        }
    }
    Ok(())
}
