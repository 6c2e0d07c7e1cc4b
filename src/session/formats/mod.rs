//! What each format looks like, one file each. Nothing here reads a file or knows the screen.

mod anthropic;
mod block;
mod claude_code;
mod compact_transcript;
mod detect;
mod document;
mod hook;
mod image;
mod loose;
mod memory_compact;
mod message;
mod openai;
mod request;

pub(super) use claude_code::Record;
pub(super) use detect::{Survey, Verdict};
pub(super) use document::{conversation, is_conversation, read_document};

/// Tags with which the harness starts what it says in a user's place (Claude Code, without
/// `isMeta`).
const ENVELOPES: [&str; 9] = [
    "command-name",
    "command-message",
    "local-command-stdout",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "task-notification",
    "ide_opened_file",
    "ide_selection",
];

/// The name of the harness envelope that a text is, `None` for what a person wrote.
pub fn envelope(text: &str) -> Option<&'static str> {
    let opened = text.trim_start().strip_prefix('<')?;
    ENVELOPES
        .into_iter()
        .find(|name| opened.strip_prefix(name).is_some_and(|rest| rest.starts_with('>')))
}
