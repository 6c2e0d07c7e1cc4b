//! A transcript as the contract writes it.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::apply::{Compacted, Kept};
use super::parse::Parsed;
use super::transcript::{Call, Output, Transcript, Turn};
use crate::python::python_json;

/// A message in the hook shape. It borrows from the request what it can.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Message<'v> {
    role: &'v str,
    text: Cow<'v, str>,
    #[serde(rename = "toolUses", skip_serializing_if = "Vec::is_empty")]
    calls: Vec<ToolUse<'v>>,
    #[serde(rename = "toolResults", skip_serializing_if = "Vec::is_empty")]
    results: Vec<ToolResult<'v>>,
}

#[derive(Debug, Clone, Serialize)]
struct ToolUse<'v> {
    tool_use_id: &'v str,
    tool: &'v str,
    /// `None` stands for an empty object.
    #[serde(serialize_with = "input")]
    input: Option<&'v Value>,
}

#[derive(Debug, Clone, Serialize)]
struct ToolResult<'v> {
    tool_use_id: &'v str,
    text: Cow<'v, str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
}

/// The messages that are left of a request.
pub(super) fn messages<'v>(parsed: &Parsed<'v>, compacted: &Compacted) -> Vec<Message<'v>> {
    let left = compacted.kept.iter().zip(&compacted.transcript.turns);
    left.map(|(kept, turn)| message(parsed, kept, turn)).collect()
}

/// The transcript that somebody reads who is given these messages.
pub(super) fn read_back<'m>(messages: &'m [Message]) -> Transcript<'m> {
    let call = |call: &'m ToolUse| Call {
        id: call.tool_use_id,
        tool: call.tool,
        input: call.input.map_or(Cow::Borrowed("{}"), |input| Cow::Owned(python_json(input))),
    };
    let result = |result: &'m ToolResult| Output {
        id: result.tool_use_id,
        text: Cow::Borrowed(&result.text),
        is_error: result.is_error,
    };
    let turn = |message: &'m Message| Turn {
        role: message.role,
        text: Cow::Borrowed(&message.text),
        calls: message.calls.iter().map(call).collect(),
        results: message.results.iter().map(result).collect(),
    };
    Transcript { turns: messages.iter().map(turn).collect() }
}

fn message<'v>(parsed: &Parsed<'v>, kept: &Kept, turn: &Turn) -> Message<'v> {
    let old = &parsed.transcript.turns[kept.message];
    let inputs = &parsed.inputs[kept.message];
    let call = |&index: &usize| ToolUse {
        tool_use_id: old.calls[index].id,
        tool: old.calls[index].tool,
        input: inputs[index],
    };
    let result = |(&index, new): (&usize, &Output)| {
        let Output { id, text, is_error } = &old.results[index];
        let is_same = std::ptr::eq(&**text, &*new.text);
        let text = if is_same { text.clone() } else { Cow::Owned(new.text.to_string()) };
        ToolResult { tool_use_id: id, text, is_error: *is_error }
    };
    Message {
        role: old.role,
        text: old.text.clone(),
        calls: kept.calls.iter().map(call).collect(),
        results: kept.results.iter().zip(&turn.results).map(result).collect(),
    }
}

fn input<S: Serializer>(input: &Option<&Value>, serializer: S) -> Result<S::Ok, S::Error> {
    match input {
        Some(input) => input.serialize(serializer),
        None => Map::new().serialize(serializer),
    }
}
