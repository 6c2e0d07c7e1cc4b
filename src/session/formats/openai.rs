//! OpenAI chat completions: requests, answers, fine-tuning lines, results of benchmark runs.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::detect::Fields;
use super::document::Around;
use super::image::{decoded_size, grouped};
use super::message::no_role;
use crate::python::python_json;
use crate::session::assembly::{Assembly, Head};
use crate::session::{Kind, Role};

/// Adds one message.
pub(super) fn add(
    json: &str,
    line: usize,
    around: &Around,
    out: &mut Assembly,
) -> serde_json::Result<()> {
    let message: Map<String, Value> = serde_json::from_str(json)?;
    let name = text(&message, "role").ok_or_else(no_role)?;
    let role = role(name);
    out.count(name);
    let answered = role == Role::Assistant;
    let head = Head {
        line,
        id: text(&message, "id"),
        model: text(&message, "model").or(around.model.as_deref().filter(|_| answered)),
        context_tokens: around.context_tokens.filter(|_| answered),
        ..Head::default()
    };
    out.message(role, head);
    if role == Role::Tool {
        let id = text(&message, "tool_call_id").unwrap_or_default();
        out.result(id, false, joined(message.get("content")));
    } else {
        add_reasoning(&message, out);
        add_content(&message, out);
        add_calls(&message, line, out);
    }
    Ok(())
}

fn role(name: &str) -> Role {
    match name {
        "system" | "developer" => Role::System,
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => Role::User,
    }
}

/// The tokens of the prompt that a response answers.
pub(super) fn prompt_tokens(response: &Fields<'_>) -> Option<u64> {
    let usage: Value = serde_json::from_str(response.get("usage")?.get()).ok()?;
    usage["prompt_tokens"].as_u64()
}

fn text<'a>(message: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    message.get(key)?.as_str()
}

/// Reasoning, under the name that the vendor gives it.
fn add_reasoning(message: &Map<String, Value>, out: &mut Assembly) {
    let reasoning = text(message, "reasoning_content").or(text(message, "reasoning"));
    if let Some(reasoning) = reasoning.filter(|reasoning| !reasoning.is_empty()) {
        out.entry(Kind::Thinking, reasoning.into());
    } else if let Some(details) = message.get("reasoning_details").and_then(Value::as_array) {
        for detail in details {
            let said = detail["text"].as_str().or(detail["summary"].as_str());
            out.entry(Kind::Thinking, said.unwrap_or_default().into());
        }
    }
}

/// A string, or parts: the texts joined by line feeds where the first of them stands.
fn add_content(message: &Map<String, Value>, out: &mut Assembly) {
    match message.get("content") {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => out.text(text.as_str().into()),
        Some(Value::Array(parts)) => add_parts(parts, out),
        Some(other) => out.notice("content", other.to_string().into()),
    }
    if let Some(refusal) = text(message, "refusal") {
        out.text(refusal.into());
    }
}

fn add_parts(parts: &[Value], out: &mut Assembly) {
    let mut texts = Some(parts.iter().filter_map(part_text).collect::<Vec<_>>().join("\n"));
    for part in parts {
        if part_text(part).is_some() {
            out.text(texts.take().unwrap_or_default().into());
        } else if part["type"] == "image_url" {
            let url = part["image_url"]["url"].as_str().or(part["image_url"].as_str());
            out.entry(Kind::Image, image(url.unwrap_or_default()));
        } else if !part.is_null() {
            let title = part["type"].as_str().unwrap_or("content");
            out.notice(title, part.to_string().into());
        }
    }
}

fn part_text(part: &Value) -> Option<&str> {
    match part["type"].as_str() {
        Some("text") => part["text"].as_str(),
        Some("refusal") => part["refusal"].as_str(),
        _ => part.as_str(),
    }
}

/// An image in words: what is inline is measured, what is elsewhere is named.
fn image(url: &str) -> Arc<str> {
    let inline = url.strip_prefix("data:").and_then(|data| data.split_once(";base64,"));
    match inline {
        Some((kind, data)) => format!("{kind}, {} bytes", grouped(decoded_size(data))).into(),
        None if url.is_empty() => "image".into(),
        None => format!("image at {url}").into(),
    }
}

/// A result's content as one text: other parts than texts are their type in brackets.
fn joined(content: Option<&Value>) -> Arc<str> {
    match content {
        None | Some(Value::Null) => Arc::default(),
        Some(Value::String(text)) => text.as_str().into(),
        Some(Value::Array(parts)) => {
            let parts: Vec<String> = parts.iter().map(bracketed).collect();
            parts.join("\n").into()
        }
        Some(other) => python_json(other).into(),
    }
}

fn bracketed(part: &Value) -> String {
    match part_text(part) {
        Some(text) => text.to_owned(),
        None if part["type"] == "image_url" => "[image]".to_owned(),
        None => format!("[{}]", part["type"].as_str().unwrap_or("part")),
    }
}

fn add_calls(message: &Map<String, Value>, line: usize, out: &mut Assembly) {
    let calls = message.get("tool_calls").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        let id = call["id"].as_str().unwrap_or_default();
        if call["type"] == "custom" {
            let input = call["custom"]["input"].as_str().unwrap_or_default();
            out.call(id, call["custom"]["name"].as_str().unwrap_or_default(), input.into());
        } else {
            add_function(id, &call["function"], line, out);
        }
    }
    // The legacy form has no id: its result follows in order.
    if let Some(function @ Value::Object(_)) = message.get("function_call") {
        add_function("", function, line, out);
    }
}

/// A call's arguments are JSON in a string, as the model wrote it: perhaps invalid, and then kept
/// as it stands.
fn add_function(id: &str, function: &Value, line: usize, out: &mut Assembly) {
    let input = match &function["arguments"] {
        Value::String(written) => match serde_json::from_str::<Value>(written) {
            Ok(input) => python_json(&input),
            Err(_) => {
                out.repaired(line, "a call's arguments are not JSON and are kept as they stand");
                written.clone()
            }
        },
        Value::Null => "{}".to_owned(),
        input => python_json(input),
    };
    out.call(id, function["name"].as_str().unwrap_or_default(), input.into());
}
