//! The hook shape: a message's calls and results stand beside its text.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::message::no_role;
use crate::python::python_json;
use crate::session::Role;
use crate::session::assembly::{Assembly, Head};

/// Names under which calls come, the first that holds something counts.
pub(super) const CALLS: [&str; 2] = ["toolUses", "tool_calls"];
/// Names under which results come.
pub(super) const RESULTS: [&str; 2] = ["toolResults", "tool_results"];
/// Names under which a call or a result carries its id.
const IDS: [&str; 3] = ["tool_use_id", "id", "tool_call_id"];

/// Adds one message.
pub(super) fn add(json: &str, line: usize, out: &mut Assembly) -> serde_json::Result<()> {
    let message: Map<String, Value> = serde_json::from_str(json)?;
    let name = message.get("role").and_then(Value::as_str).ok_or_else(no_role)?;
    out.count(name);
    let id = ["id", "handle"].into_iter().find_map(|key| message.get(key)?.as_str());
    out.message(role(name), Head { line, id, ..Head::default() });
    match message.get("text").or(message.get("content")) {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => out.text(text.as_str().into()),
        Some(other) => out.notice("text", other.to_string().into()),
    }
    for call in blocks(&message, &CALLS) {
        add_call(call, line, out);
    }
    for result in blocks(&message, &RESULTS) {
        add_result(result, line, out);
    }
    Ok(())
}

fn role(name: &str) -> Role {
    match name {
        "developer" => Role::System,
        "function" => Role::Tool,
        _ => Role::from_name(name).unwrap_or(Role::User),
    }
}

fn blocks<'a>(message: &'a Map<String, Value>, names: &[&str]) -> &'a [Value] {
    let list = names.iter().filter_map(|name| message.get(*name)).find(|list| !list.is_null());
    list.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn add_call(call: &Value, line: usize, out: &mut Assembly) {
    if !call.is_object() {
        out.skipped(line, "a call that is no object was left out");
        return;
    }
    let named = ["tool", "name"].into_iter().filter_map(|key| call[key].as_str());
    let tool = named.into_iter().find(|name| !name.is_empty()).unwrap_or("tool");
    let input = match &call["input"] {
        Value::Null => "{}".to_owned(),
        input => python_json(input),
    };
    out.call(id(call).unwrap_or_default(), tool, input.into());
}

fn add_result(result: &Value, line: usize, out: &mut Assembly) {
    if !result.is_object() {
        out.skipped(line, "a result that is no object was left out");
        return;
    }
    let content: Arc<str> = match result.get("text").or(result.get("content")) {
        None | Some(Value::Null) => Arc::default(),
        Some(Value::String(text)) => text.as_str().into(),
        Some(other) => python_json(other).into(),
    };
    let is_error = [&result["is_error"], &result["isError"]].contains(&&Value::Bool(true));
    out.result(id(result).unwrap_or_default(), is_error, content);
}

/// The id of a call or a result; `None` where it has none that is a text.
pub(super) fn id(block: &Value) -> Option<&str> {
    IDS.into_iter().filter_map(|key| block.get(key)?.as_str()).find(|id| !id.is_empty())
}
