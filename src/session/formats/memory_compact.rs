//! Requests of the memory-compact contract: role and content, and the budget beside them.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::document::{Lines, Top};
use super::request::{Reading, Type};
use crate::session::assembly::{Assembly, Head};
use crate::session::{Contract, Format, Kind, ReadError, Request, Role};

const SETTINGS: [(&str, Type); 5] = [
    ("budget_chars", Type::Whole),
    ("keep_last_n", Type::Whole),
    ("keep_roles", Type::Texts),
    ("duplicate_threshold", Type::Number),
    ("max_message_chars", Type::Whole),
];

/// Reads a request whole, or refuses it whole. Ranges and lengths are the contract's to check.
pub(super) fn read(top: &Top<'_>, lines: Lines<'_>, out: &mut Assembly) -> Result<(), ReadError> {
    let mut reading = Reading { format: Format::MemoryCompact, lines };
    let (members, messages) = reading.open(top)?;
    let budget = members.get("budget_chars").copied();
    if budget.is_none_or(|budget| budget.get() == "null") {
        return Err(reading.refuse(budget, "budget_chars", "must be given"));
    }
    let settings = reading.settings(members, &SETTINGS)?;
    for (index, message) in messages.iter().enumerate() {
        add(message, &format!("messages[{index}]"), &mut reading, out)?;
    }
    out.request(Request { contract: Contract::MemoryCompact, settings });
    Ok(())
}

/// Adds one message, which is one text, whatever its role.
fn add(
    json: &RawValue,
    place: &str,
    reading: &mut Reading<'_>,
    out: &mut Assembly,
) -> Result<(), ReadError> {
    let line = reading.lines.of(json);
    let mut refuse = |place: String, problem: &str| Err(reading.refuse(Some(json), place, problem));
    let Ok(message) = serde_json::from_str::<Value>(json.get()) else {
        return refuse(place.to_owned(), "cannot be read");
    };
    if !message.is_object() {
        return refuse(place.to_owned(), "must be an object");
    }
    let Some(role) = message["role"].as_str().and_then(Role::from_name) else {
        return refuse(format!("{place}.role"), "must be system, user, assistant or tool");
    };
    let Some(content) = message["content"].as_str() else {
        return refuse(format!("{place}.content"), "must be a text");
    };
    let id = message.get("id");
    if id.is_some_and(|id| !id.is_string()) {
        return refuse(format!("{place}.id"), "must be a text");
    }
    let pin = message.get("pin");
    if pin.is_some_and(|pin| !pin.is_boolean()) {
        return refuse(format!("{place}.pin"), "must be true or false");
    }
    out.count(role.name());
    let pinned = pin.and_then(Value::as_bool).unwrap_or(false);
    let id = id.and_then(Value::as_str);
    out.message(role, Head { line, id, pinned, ..Head::default() });
    out.entry(Kind::Text, Arc::from(content));
    Ok(())
}
