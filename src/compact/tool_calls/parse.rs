//! Messages of the hook shape, as a transcript.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use super::fields::field;
use super::request::{RequestError, malformed};
use super::transcript::{Call, Output, Transcript, Turn};
use crate::python::{ascii_json, python_json};

/// A transcript, and the input of each call as it was given, by message and call. An input that
/// is no object counts as an empty one: `None`.
pub(super) struct Parsed<'v> {
    pub transcript: Transcript<'v>,
    pub inputs: Vec<Vec<Option<&'v Value>>>,
}

/// Reads messages of either spelling (`toolUses` / `tool_calls`, `toolResults` / `tool_results`).
/// Unknown fields are ignored, and so is an item of a block list that is no object.
pub(super) fn parse_messages(messages: &[Value]) -> Result<Parsed<'_>, RequestError> {
    let mut turns = Vec::with_capacity(messages.len());
    let mut inputs = Vec::with_capacity(messages.len());
    for (n, message) in messages.iter().enumerate() {
        let Value::Object(message) = message else {
            return Err(malformed(format!("messages[{n}]"), "must be an object"));
        };
        let results = parse_results(message, n)?;
        let (calls, call_inputs) = parse_calls(message, n)?;
        turns.push(Turn {
            role: parse_role(message, n)?,
            text: parse_text(message, n)?.into(),
            calls,
            results,
        });
        inputs.push(call_inputs);
    }
    Ok(Parsed { transcript: Transcript { turns }, inputs })
}

fn parse_role(message: &Map<String, Value>, n: usize) -> Result<&str, RequestError> {
    match field(message, "role") {
        Some(Value::String(role)) if !role.is_empty() => Ok(role),
        _ => Err(malformed(format!("messages[{n}].role"), "must be a text that is not empty")),
    }
}

fn parse_text(message: &Map<String, Value>, n: usize) -> Result<&str, RequestError> {
    match field(message, "text") {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(malformed(format!("messages[{n}].text"), "must be a text")),
    }
}

fn parse_results<'v>(
    message: &'v Map<String, Value>,
    n: usize,
) -> Result<Vec<Output<'v>>, RequestError> {
    let mut results = Vec::new();
    for (place, block) in blocks(message, n, ["toolResults", "tool_results"])? {
        let text = match field(block, "text") {
            None => Cow::Borrowed(""),
            Some(Value::String(text)) => Cow::Borrowed(text.as_str()),
            Some(other) => Cow::Owned(ascii_json(&python_json(other))),
        };
        let is_error = field(block, "is_error") == Some(&Value::Bool(true));
        results.push(Output { id: parse_id(block, place)?, text, is_error });
    }
    Ok(results)
}

type Calls<'v> = (Vec<Call<'v>>, Vec<Option<&'v Value>>);

fn parse_calls<'v>(message: &'v Map<String, Value>, n: usize) -> Result<Calls<'v>, RequestError> {
    let (mut calls, mut inputs) = Calls::default();
    for (place, block) in blocks(message, n, ["toolUses", "tool_calls"])? {
        let input = field(block, "input").filter(|input| input.is_object());
        let json = input.map_or(Cow::Borrowed("{}"), |input| Cow::Owned(python_json(input)));
        let tool = parse_tool(block, place)?;
        calls.push(Call { id: parse_id(block, place)?, tool, input: json });
        inputs.push(input);
    }
    Ok((calls, inputs))
}

fn parse_tool(block: &Map<String, Value>, place: Place) -> Result<&str, RequestError> {
    for name in ["tool", "name"] {
        match field(block, name) {
            None | Some(Value::Null) => {}
            Some(Value::String(tool)) if tool.is_empty() => {}
            Some(Value::String(tool)) => return Ok(tool),
            Some(_) => return Err(malformed(format!("{place}.{name}"), "must be a text")),
        }
    }
    Ok("tool")
}

fn parse_id(block: &Map<String, Value>, place: Place) -> Result<&str, RequestError> {
    ["tool_use_id", "id", "tool_call_id"]
        .iter()
        .filter_map(|name| field(block, name)?.as_str())
        .find(|id| !id.is_empty())
        .ok_or_else(|| malformed(place.to_string(), "has no id (tool_use_id, id or tool_call_id)"))
}

/// Where a block stands in a request: what an error names.
#[derive(Clone, Copy)]
struct Place {
    message: usize,
    list: &'static str,
    block: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "messages[{}].{}[{}]", self.message, self.list, self.block)
    }
}

type Block<'v> = (Place, &'v Map<String, Value>);

/// The blocks under the first of two names that is there, each with its place.
fn blocks<'v>(
    message: &'v Map<String, Value>,
    n: usize,
    names: [&'static str; 2],
) -> Result<impl Iterator<Item = Block<'v>> + use<'v>, RequestError> {
    let mut found: (&'static str, &[Value]) = ("", &[]);
    for name in names {
        match field(message, name) {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) => {
                found = (name, items);
                break;
            }
            Some(_) => return Err(malformed(format!("messages[{n}].{name}"), "must be a list")),
        }
    }
    let (list, items) = found;
    Ok(items.iter().enumerate().filter_map(move |(block, item)| {
        Some((Place { message: n, list, block }, item.as_object()?))
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn either_spelling_is_read() {
        let messages = json!([
            {"role": "assistant", "text": null, "toolUses": null, "tool_calls": [
                3,
                {"id": "a", "name": "Read", "input": {"é": 1.0}},
                {"tool_use_id": "", "tool_call_id": "b", "tool": "", "input": [1]}]},
            {"role": "user", "toolResults": [{"id": "a", "text": ["é", null], "is_error": true}],
                "tool_results": [{"id": "ignored"}]},
            {"role": "user", "tool_results": [{"id": "b", "is_error": 1}]}]);
        let parsed = parse_messages(messages.as_array().unwrap()).unwrap();
        let turns = &parsed.transcript.turns;
        let calls: Vec<_> = turns[0].calls.iter().map(|c| (c.id, c.tool, &*c.input)).collect();
        assert_eq!(calls, [("a", "Read", r#"{"é": 1.0}"#), ("b", "tool", "{}")]);
        assert_eq!(parsed.inputs[0], [Some(&json!({"é": 1.0})), None]);
        let results: Vec<_> =
            parsed.transcript.results().map(|(_, r)| (r.id, &*r.text, r.is_error)).collect();
        assert_eq!(results, [("a", r#"["\u00e9", null]"#, true), ("b", "", false)]);
    }

    #[test]
    fn the_place_counts_items_as_they_were_given() {
        for (message, place) in [
            (json!({"role": "u", "tool_calls": [1, {"id": 5}]}), "messages[1].tool_calls[1]"),
            (json!({"role": "u", "tool_results": [{}]}), "messages[1].tool_results[0]"),
            (
                json!({"role": "u", "toolUses": [{"id": "a", "tool": 5}]}),
                "messages[1].toolUses[0].tool",
            ),
            (json!({"role": "u", "toolResults": "x"}), "messages[1].toolResults"),
            (json!({"role": ""}), "messages[1].role"),
            (json!({"role": "u", "text": []}), "messages[1].text"),
            (json!([]), "messages[1]"),
        ] {
            let messages = [json!({"role": "u"}), message];
            let error = parse_messages(&messages).err().unwrap();
            assert!(matches!(&error, RequestError { place: at, .. } if at == place), "{error}");
        }
    }
}
