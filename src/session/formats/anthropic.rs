//! Requests to and answers from the Anthropic Messages API.

use super::block::Content;
use super::document::Around;
use super::message::{ApiMessage, Voice, add_blocks, fields, no_role};
use crate::session::Role;
use crate::session::assembly::{Assembly, Head};

/// Adds one message.
pub(super) fn add(
    json: &str,
    line: usize,
    around: &Around,
    out: &mut Assembly,
) -> serde_json::Result<()> {
    let message: ApiMessage = serde_json::from_str(json)?;
    let name = message.role.as_deref().ok_or_else(no_role)?;
    let (role, voice) = match name {
        "assistant" => (Role::Assistant, Voice::Model),
        "system" | "developer" => (Role::System, Voice::Model),
        _ => (Role::User, Voice::Person),
    };
    out.count(name);
    let asked = around.model.as_deref().filter(|_| role == Role::Assistant);
    let head = Head {
        line,
        id: message.id.as_deref(),
        model: message.model.as_deref().or(asked),
        context_tokens: message.usage.0,
        ..Head::default()
    };
    out.message(role, head);
    let raw = || fields(json)?.get("content").copied();
    add_blocks(message.content.0, voice, raw, out);
    Ok(())
}

/// Adds what stands beside the messages for the system to say: a string, or a list of blocks.
pub(super) fn add_system(json: &str, line: usize, out: &mut Assembly) -> serde_json::Result<()> {
    let content: Content = serde_json::from_str(json)?;
    if content.0.is_empty() {
        return Ok(());
    }
    out.count("system");
    out.message(Role::System, Head { line, ..Head::default() });
    add_blocks(content.0, Voice::Model, || serde_json::from_str(json).ok(), out);
    Ok(())
}
