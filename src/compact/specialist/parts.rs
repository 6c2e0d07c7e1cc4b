//! A transcript as the model was trained to read it: one header line a part, the parts joined by
//! a blank line.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// What a part of a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartKind {
    Text,
    ToolUse,
    ToolResult,
}

/// One part of a transcript. Parts come in order: of each message its text unless it is empty,
/// its calls, its results.
#[derive(Debug, Clone)]
pub struct Part<'t> {
    /// The message it belongs to, counting from 0.
    pub message: usize,
    pub role: &'t str,
    pub kind: PartKind,
    /// The tool that is called, or whose call is answered; `None` when nobody knows.
    pub tool: Option<&'t str>,
    /// The text, the call's input as JSON with sorted keys, or the result.
    pub body: Cow<'t, str>,
}

impl Part<'_> {
    /// The reference files what a tool says under the user.
    pub(super) fn role(&self) -> &str {
        if self.role == "tool" { "user" } else { self.role }
    }
}

impl PartKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            PartKind::Text => "text",
            PartKind::ToolUse => "tool_use",
            PartKind::ToolResult => "tool_result",
        }
    }
}

/// Appends a part to a rendered transcript and says where it stands there, in bytes.
pub(super) fn render(out: &mut String, part: &Part, is_first: bool) -> Range<usize> {
    if !is_first {
        out.push_str("\n\n");
    }
    let start = out.len();
    // Writing to a string does not fail.
    let _ = write!(out, "[m{:04} {} {}", part.message, part.role(), part.kind.name());
    if let Some(tool) = part.tool.filter(|tool| !tool.is_empty()) {
        out.push(' ');
        out.push_str(tool);
    }
    out.push_str("]\n");
    out.push_str(&part.body);
    start..out.len()
}
