//! Which format bytes are in: votes over the keys of what they hold, never over their order and
//! never over one line alone. A file's name says nothing.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::claude_code;
use super::message::{fields, string};
use crate::session::{Format, repair};

/// Lines that are looked at before a format is settled.
pub(in crate::session) const SURVEYED_LINES: usize = 64;

/// Messages of a document that are looked at.
const SURVEYED_MESSAGES: usize = 20;

/// Values of one line that are looked at.
const SURVEYED_VALUES: usize = 8;

pub(super) type Fields<'a> = BTreeMap<String, &'a RawValue>;

/// What the first lines of a file say about all of it.
#[derive(Debug, Clone, Default)]
pub(in crate::session) struct Survey {
    lines: usize,
    first: Option<u8>,
    records: usize,
    conversations: usize,
    requests: usize,
    ballot: Ballot,
}

/// How a file is to be read, as far as its first lines tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Verdict {
    Undecided,
    /// Line by line, as records of that format.
    Lines(Format),
    /// As one document. `settled`: no further line can make it otherwise.
    Document {
        settled: bool,
    },
}

/// Messages that look like those of each format.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ballot {
    anthropic: usize,
    openai: usize,
    hook: usize,
    /// A role and a text: any format could have written it.
    plain: usize,
    /// What no format would call a message.
    strange: usize,
}

impl Survey {
    /// Looks at one line, without its line feed.
    pub fn line(&mut self, line: &[u8]) {
        self.lines += 1;
        self.start(line);
        let text = repair::text(line);
        let text = text.trim_start_matches(['\u{feff}', '\0', ' ', '\t', '\r']);
        let values = Deserializer::from_str(text).into_iter::<Fields>();
        for value in values.take(SURVEYED_VALUES).map_while(Result::ok) {
            self.value(&value);
        }
    }

    /// Looks at the start of a line that has not ended yet.
    pub fn start(&mut self, line: &[u8]) {
        let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
        let line = line.strip_prefix(repair::BOM).unwrap_or(line);
        self.first = self.first.or(line.iter().copied().find(|byte| !blank(byte)));
    }

    fn value(&mut self, value: &Fields<'_>) {
        if is_claude_code(value) {
            self.records += 1;
        } else if let Some(messages) = value.get("messages") {
            self.conversations += 1;
            self.requests += usize::from(request(value).is_some());
            self.ballot.count(&first_elements(messages));
        }
    }

    pub fn is_over(&self) -> bool {
        self.lines >= SURVEYED_LINES
    }

    /// How to read the file, where it is in the format named, or in any.
    pub fn verdict(&self, named: Option<Format>) -> Verdict {
        match named {
            Some(Format::ClaudeCode) => return Verdict::Lines(Format::ClaudeCode),
            Some(Format::CompactTranscript | Format::MemoryCompact) => {
                return Verdict::Document { settled: true };
            }
            _ => {}
        }
        if self.first == Some(b'[') {
            return Verdict::Document { settled: true };
        }
        if named.is_none() && self.records > 0 && self.records >= self.conversations {
            return Verdict::Lines(Format::ClaudeCode);
        }
        match self.conversations {
            0 if self.first.is_none() => Verdict::Undecided,
            0 | 1 if self.is_over() => Verdict::Document { settled: true },
            0 => Verdict::Undecided,
            1 => Verdict::Document { settled: false },
            _ if self.requests > 0 => Verdict::Document { settled: true },
            _ => Verdict::Lines(named.unwrap_or_else(|| self.ballot.winner())),
        }
    }
}

/// A record of Claude Code: by its type, and the keys around it.
fn is_claude_code(value: &Fields<'_>) -> bool {
    let Some(kind) = value.get("type").and_then(|kind| string(kind)) else { return false };
    let keys = ["sessionId", "session_id", "parentUuid", "leafUuid", "messageId"];
    let has_envelope = keys.iter().any(|key| value.contains_key(*key));
    let carries_message = matches!(kind.as_str(), "user" | "assistant")
        && value.get("message").is_some_and(|message| message.get().starts_with('{'));
    carries_message || claude_code::is_known(&kind, has_envelope)
}

/// The format of a document with these members.
pub(super) fn of_object(document: &Fields<'_>) -> Option<Format> {
    if document.contains_key("messages")
        && let Some(request) = request(document)
    {
        return Some(request);
    }
    if document.contains_key("choices") {
        return Some(Format::OpenAiChat);
    }
    let typed =
        |name: &str| document.get("type").and_then(|kind| string(kind)).as_deref() == Some(name);
    if typed("message") && document.contains_key("role") {
        return Some(Format::AnthropicMessages);
    }
    let messages = first_elements(document.get("messages")?);
    let mut ballot = Ballot::default();
    ballot.count(&messages);
    if ballot.decided() == 0 && (ballot.plain > 0 || messages.is_empty()) {
        let anthropic = ["system", "anthropic_version", "stop_sequences"];
        if anthropic.iter().any(|key| document.contains_key(*key)) {
            return Some(Format::AnthropicMessages);
        }
    }
    if messages.is_empty() { Some(Format::OpenAiChat) } else { ballot.format() }
}

/// The format of a document that is a list of these elements.
pub(super) fn of_list(list: &[&RawValue]) -> Option<Format> {
    let mut ballot = Ballot::default();
    match trajectory(list.first().copied()?) {
        Some(messages) => ballot.count(&first_elements(messages)),
        None => ballot.count(list),
    }
    ballot.format()
}

/// The contract of which an object is a request.
fn request(object: &Fields<'_>) -> Option<Format> {
    if object.contains_key("question") {
        Some(Format::CompactTranscript)
    } else if object.contains_key("budget_chars") {
        Some(Format::MemoryCompact)
    } else {
        None
    }
}

/// The list of messages that one result of a benchmark run holds.
pub(super) fn trajectory(result: &RawValue) -> Option<&RawValue> {
    let result = fields(result.get())?;
    if result.contains_key("role") {
        return None;
    }
    let lists = ["traj", "messages", "trajectory"].into_iter().filter_map(|key| result.get(key));
    lists.copied().find(|list| list.get().starts_with('['))
}

/// The elements of a list; none of anything else.
pub(super) fn elements(list: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(list.get()).unwrap_or_default()
}

/// The elements of a list that are looked at.
fn first_elements(list: &RawValue) -> Vec<&RawValue> {
    let mut elements = Vec::new();
    let mut parser = Deserializer::from_str(list.get());
    // Leaving a list early is an error to the parser, and none here.
    let _ = parser.deserialize_seq(FirstElements(&mut elements));
    elements
}

struct FirstElements<'s, 'a>(&'s mut Vec<&'a RawValue>);

impl<'de> Visitor<'de> for FirstElements<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while self.0.len() < SURVEYED_MESSAGES
            && let Some(item) = items.next_element()?
        {
            self.0.push(item);
        }
        Ok(())
    }
}

impl Ballot {
    fn count(&mut self, messages: &[&RawValue]) {
        for message in messages.iter().take(SURVEYED_MESSAGES) {
            match fields(message.get()) {
                Some(message) => self.message(&message),
                None => self.strange += 1,
            }
        }
    }

    fn message(&mut self, message: &Fields<'_>) {
        let Some(role) = message.get("role").and_then(|role| string(role)) else {
            self.strange += 1;
            return;
        };
        let has = |key: &str| message.contains_key(key);
        let content = message.get("content").map_or("", |content| content.get());
        if is_hook(message) {
            self.hook += 1;
        } else if ["tool_calls", "tool_call_id", "function_call", "reasoning_content"]
            .iter()
            .any(|key| has(key))
            || (matches!(role.as_str(), "tool" | "system" | "developer" | "function")
                && !content.is_empty())
        {
            self.openai += 1;
        } else if content.starts_with('[') {
            self.parts(content);
        } else if has("content") {
            self.plain += 1;
        }
    }

    fn parts(&mut self, content: &str) {
        let parts: Vec<&RawValue> = serde_json::from_str(content).unwrap_or_default();
        let kinds = parts.iter().filter_map(|part| string(fields(part.get())?.get("type")?));
        for kind in kinds {
            match kind.as_str() {
                "image_url" | "input_audio" | "refusal" => self.openai += 1,
                "tool_use" | "tool_result" | "thinking" | "redacted_thinking"
                | "server_tool_use" | "image" | "document" => self.anthropic += 1,
                _ => self.plain += 1,
            }
        }
    }

    fn decided(&self) -> usize {
        self.anthropic + self.openai + self.hook
    }

    /// The format with most votes. Plain messages read the same either way.
    fn winner(&self) -> Format {
        let most = self.anthropic.max(self.openai).max(self.hook);
        if most > 0 && self.hook == most {
            Format::Hook
        } else if most > 0 && self.anthropic == most {
            Format::AnthropicMessages
        } else {
            Format::OpenAiChat
        }
    }

    fn format(&self) -> Option<Format> {
        (self.decided() + self.plain > self.strange).then(|| self.winner())
    }
}

/// A message of the hook shape: its calls and results stand beside a `text`, not in a `content`.
fn is_hook(message: &Fields<'_>) -> bool {
    let own = ["toolUses", "toolResults", "tool_results"];
    if own.iter().any(|key| message.contains_key(*key)) {
        return true;
    }
    if message.contains_key("text") && !message.contains_key("content") {
        return true;
    }
    let call = message.get("tool_calls").and_then(|calls| elements(calls).into_iter().next());
    call.and_then(|call| fields(call.get())).is_some_and(|call| {
        !call.contains_key("function")
            && ["tool_use_id", "input"].iter().any(|key| call.contains_key(*key))
    })
}
