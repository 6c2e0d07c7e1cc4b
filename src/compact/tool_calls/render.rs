//! A transcript as the contract writes it.

use serde_json::{Map, Value, json};

use super::transcript::{Call, Output, Transcript, Turn};
use crate::python::ascii_json;

/// The inputs of a transcript's calls, by message and call. `None` stands for an empty object.
pub(super) type Inputs<'v> = [Vec<Option<&'v Value>>];

/// A message in the hook shape. `inputs` are those of its calls.
pub(super) fn message(turn: &Turn, inputs: &[Option<&Value>]) -> Value {
    let mut message = json!({"role": turn.role, "text": turn.text});
    if !turn.calls.is_empty() {
        message["toolUses"] = turn.calls.iter().zip(inputs).map(tool_use).collect();
    }
    if !turn.results.is_empty() {
        message["toolResults"] = turn.results.iter().map(tool_result).collect();
    }
    message
}

/// Everything that the report's characters and tokens count, as one text: texts, then calls with
/// their inputs ASCII-escaped, then results, message by message.
pub(super) fn counted_text(transcript: &Transcript) -> String {
    let mut parts: Vec<String> = Vec::new();
    for turn in &transcript.turns {
        parts.push(turn.text.to_string());
        for Call { id, tool, input } in &turn.calls {
            parts.push(format!("{id} {tool} {}", ascii_json(input)));
        }
        parts.extend(turn.results.iter().map(|result| result.text.to_string()));
    }
    parts.join("\n")
}

fn tool_use((call, input): (&Call, &Option<&Value>)) -> Value {
    let input = input.cloned().unwrap_or_else(|| Value::Object(Map::new()));
    json!({"tool_use_id": call.id, "tool": call.tool, "input": input})
}

fn tool_result(result: &Output) -> Value {
    let mut block = json!({"tool_use_id": result.id, "text": result.text});
    if result.is_error {
        block["is_error"] = Value::Bool(true);
    }
    block
}
