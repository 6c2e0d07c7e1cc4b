//! Why bytes could not become a session.

use super::Format;

/// Bytes that are no session. Each says what is wrong and the way out; none repeats session text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("the file is empty: there is no session in it yet")]
    Empty,
    #[error(
        "no session format was recognised; looked for Claude Code records, Anthropic Messages, \
         OpenAI chat, the hook shape and compaction requests: if it is one of these, name it \
         with --format ({})",
        format_names()
    )]
    UnknownFormat,
    /// A document that stops being JSON on this line.
    #[error("no JSON document: {reason}; mend the file, or name its format with --format")]
    NotJson { line: usize, reason: &'static str },
    /// JSON, but not of the named format; `place` is a path such as `messages[3].content`.
    #[error("{place}: {problem} (read as {}); mend it, or name another --format", format.title())]
    Shape { format: Format, line: Option<usize>, place: String, problem: String },
}

impl ReadError {
    /// The 1-based line of the file to point at, where there is one.
    pub fn line(&self) -> Option<usize> {
        match self {
            ReadError::Empty | ReadError::UnknownFormat => None,
            ReadError::NotJson { line, .. } => Some(*line),
            ReadError::Shape { line, .. } => *line,
        }
    }
}

fn format_names() -> String {
    Format::ALL.map(Format::name).join(", ")
}
