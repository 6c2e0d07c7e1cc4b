//! What a session is once it has been read, whatever agent wrote it.
//!
//! Text is shared (`Arc<str>`), so a session that grows while it is watched is copied by pointer.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Where a session was read from, as its user named it (`-` for standard input).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub label: String,
    pub path: Option<PathBuf>,
}

/// The kinds of file that open as a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    ClaudeCode,
    AnthropicMessages,
    OpenAiChat,
    /// The hook shape: `{role, text, toolUses, toolResults}` messages without a question.
    Hook,
    /// A compact_transcript request: the hook shape with its `question` and settings.
    CompactTranscript,
    /// A memory-compact request: `{role, content}` messages with their `budget_chars`.
    MemoryCompact,
}

/// Who speaks. `developer` reads as `System`, `function` as `Tool`, an unknown role as `User`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    System,
    User,
    Assistant,
    Tool,
}

/// An ordered list of messages, and how they were read.
#[derive(Debug, Clone)]
pub struct Session {
    pub source: Source,
    pub format: Format,
    pub messages: Vec<Message>,
    /// Every row of the session in file order; those of one message are adjacent.
    pub entries: Vec<Entry>,
    /// How many records of each type the file held, messages included (`user` 12, `progress` 40).
    pub records: BTreeMap<String, usize>,
    /// What was mended or left out on the way in, in file order.
    pub faults: Vec<Fault>,
    /// The working directory that the session names first.
    pub cwd: Option<PathBuf>,
    /// What a request file brings beside its messages; `None` for a session.
    pub request: Option<Request>,
}

/// One record of the file that carries a conversation turn.
#[derive(Debug, Clone)]
pub struct Message {
    pub role: Role,
    /// Its rows in [`Session::entries`]; may be empty.
    pub entries: Range<usize>,
    /// 1-based line on which the record starts (of its element, in a document).
    pub line: usize,
    /// The record's own identifier, as the format has it.
    pub id: Option<Arc<str>>,
    /// Records of one API message (same `message.id` and `requestId`) share this number.
    pub turn: usize,
    pub time: Option<Arc<str>>,
    pub model: Option<Arc<str>>,
    /// Tokens of context that the model was given for this message, where the format says.
    pub context_tokens: Option<u64>,
    pub side_chain: bool,
    /// The request asked for this message to be protected (`pin: true`).
    pub pinned: bool,
}

/// One row on the screen, one unit of a decision.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its message in [`Session::messages`]; `None` for a notice that is a record of its own.
    pub message: Option<usize>,
    /// 1-based line of the file.
    pub line: usize,
    pub kind: Kind,
    /// Text of a text, thinking or result; a call's input in the reference's JSON form
    /// (`json.dumps`, not ASCII-escaped); a description of an image or a notice.
    pub content: Arc<str>,
    /// Unicode scalar values of `content`.
    pub chars: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Text,
    Thinking,
    /// `id` is empty where the format has none. `result`: the entry that answers it.
    Call {
        id: Arc<str>,
        tool: Arc<str>,
        result: Option<usize>,
    },
    /// `call`: the entry that it answers, `None` when that call is not in the file.
    Result {
        id: Arc<str>,
        is_error: bool,
        call: Option<usize>,
    },
    Image,
    /// Said by the harness, not by a person: an envelope, a divider, an unknown record.
    Notice {
        title: Arc<str>,
    },
}

impl Entry {
    /// Whether it is a text of nothing but white space.
    pub fn is_blank_text(&self) -> bool {
        self.kind == Kind::Text && self.content.trim().is_empty()
    }
}

impl Kind {
    /// The name used in `plan --json` and on the screen.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Thinking => "thinking",
            Kind::Call { .. } => "call",
            Kind::Result { .. } => "result",
            Kind::Image => "image",
            Kind::Notice { .. } => "notice",
        }
    }

    /// Whether the engine decides over it: texts, calls and results are, the rest is shown only.
    pub fn is_decided(&self) -> bool {
        matches!(self, Kind::Text | Kind::Call { .. } | Kind::Result { .. })
    }

    /// The other half of a call and its result, as an entry.
    pub fn partner(&self) -> Option<usize> {
        match self {
            Kind::Call { result, .. } => *result,
            Kind::Result { call, .. } => *call,
            _ => None,
        }
    }
}

/// A record that could not be taken as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// 1-based line of the file.
    pub line: usize,
    pub kind: FaultKind,
    /// What was wrong and what was done, in plain words, without session text.
    pub note: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// Read after a mend; its content is in the session.
    Repaired,
    /// Not read; its content is not in the session.
    Skipped,
}

/// Settings that a request file brings, as (setting name, value as its flag would be typed).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub contract: Contract,
    pub settings: Vec<(String, String)>,
}

/// The two published contracts; a request runs the pass of its own one alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contract {
    CompactTranscript,
    MemoryCompact,
}

impl Request {
    /// Whether it says what that setting is.
    pub fn names(&self, setting: &str) -> bool {
        self.settings.iter().any(|(name, _)| name == setting)
    }
}

impl Session {
    /// The contract of a request; `None` for a session.
    pub fn contract(&self) -> Option<Contract> {
        self.request.as_ref().map(|request| request.contract)
    }

    pub fn calls(&self) -> usize {
        self.entries.iter().filter(|entry| matches!(entry.kind, Kind::Call { .. })).count()
    }

    /// Whether it holds what an earlier state of the same file held, and perhaps more after it.
    pub fn continues(&self, earlier: &Session) -> bool {
        let same = |(now, then): (&Entry, &Entry)| {
            (now.message, now.line, now.kind.name()) == (then.message, then.line, then.kind.name())
                && (Arc::ptr_eq(&now.content, &then.content) || now.content == then.content)
        };
        self.format == earlier.format
            && self.messages.len() >= earlier.messages.len()
            && self.entries.len() >= earlier.entries.len()
            && self.entries.iter().zip(&earlier.entries).all(same)
    }

    /// The entries that are texts, in file order.
    pub fn texts(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.entries.len()).filter(|&entry| self.entries[entry].kind == Kind::Text)
    }

    /// Characters of the decided entries: what a budget is a share of.
    pub fn decided_chars(&self) -> usize {
        self.entries.iter().filter(|entry| entry.kind.is_decided()).map(|entry| entry.chars).sum()
    }

    pub fn faults_of(&self, kind: FaultKind) -> usize {
        self.faults.iter().filter(|fault| fault.kind == kind).count()
    }

    /// The role that an entry is decided and shown under: a call speaks as the assistant, a
    /// result as the tool, anything else as its message does; a notice of its own as the system.
    pub fn role_of(&self, entry: &Entry) -> Role {
        match entry.kind {
            Kind::Call { .. } => Role::Assistant,
            Kind::Result { .. } => Role::Tool,
            _ => entry.message.map_or(Role::System, |message| self.messages[message].role),
        }
    }

    /// The tool that a call runs or that a result came from.
    pub fn tool_of<'a>(&'a self, entry: &'a Entry) -> Option<&'a str> {
        match &entry.kind {
            Kind::Call { tool, .. } => Some(tool),
            Kind::Result { call: Some(call), .. } => match &self.entries[*call].kind {
                Kind::Call { tool, .. } => Some(tool),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Role {
    pub const ALL: [Role; 4] = [Role::System, Role::User, Role::Assistant, Role::Tool];

    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }

    /// The role of that exact contract name.
    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }
}

impl Format {
    pub const ALL: [Format; 6] = [
        Format::ClaudeCode,
        Format::AnthropicMessages,
        Format::OpenAiChat,
        Format::Hook,
        Format::CompactTranscript,
        Format::MemoryCompact,
    ];

    /// The value of `--format` and of `plan --json`.
    pub fn name(self) -> &'static str {
        match self {
            Format::ClaudeCode => "claude-code",
            Format::AnthropicMessages => "anthropic-messages",
            Format::OpenAiChat => "openai-chat",
            Format::Hook => "hook",
            Format::CompactTranscript => "compact-transcript",
            Format::MemoryCompact => "memory-compact",
        }
    }

    /// The name in the top bar.
    pub fn title(self) -> &'static str {
        match self {
            Format::ClaudeCode => "Claude Code",
            Format::AnthropicMessages => "Anthropic Messages",
            Format::OpenAiChat => "OpenAI chat",
            Format::Hook => "hook shape",
            Format::CompactTranscript => "compact_transcript request",
            Format::MemoryCompact => "memory-compact request",
        }
    }

    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
