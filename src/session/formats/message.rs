//! A message of the Anthropic API: its head, and its blocks as entries.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::block::{Block, Content, Usage};
use super::envelope;
use super::loose::{Text, absent};
use crate::session::Kind;
use crate::session::assembly::Assembly;

/// What a message holds, read in one pass whatever the order of its keys.
#[derive(Debug, Default)]
pub(super) struct ApiMessage<'a> {
    /// False where something else stands in its place.
    pub is_object: bool,
    pub role: Text<'a>,
    pub id: Text<'a>,
    pub model: Text<'a>,
    pub usage: Usage,
    pub content: Content<'a>,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Key {
    Role,
    Id,
    Model,
    Usage,
    Content,
    #[serde(other)]
    Other,
}

impl<'de: 'a, 'a> Deserialize<'de> for ApiMessage<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MessageVisitor)
    }
}

struct MessageVisitor;

impl<'de> Visitor<'de> for MessageVisitor {
    type Value = ApiMessage<'de>;
    absent!('de: bool number null text list);

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<ApiMessage<'de>, A::Error> {
        let mut message = ApiMessage { is_object: true, ..ApiMessage::default() };
        while let Some(key) = members.next_key()? {
            match key {
                Key::Role => message.role = members.next_value()?,
                Key::Id => message.id = members.next_value()?,
                Key::Model => message.model = members.next_value()?,
                Key::Usage => message.usage = members.next_value()?,
                Key::Content => message.content = members.next_value()?,
                Key::Other => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(message)
    }
}

/// Who the texts of a message come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// A person, among whose texts the harness puts its envelopes.
    Person,
    Model,
    /// The harness: every text is a notice of this title.
    Harness(&'static str),
}

/// Adds the blocks of a message to it, in order. Texts that somebody spoke are joined by line
/// feeds into one entry, where the first of them stood. `raw` is the JSON of the content, asked
/// for only when a block has to be shown as it is.
pub(super) fn add_blocks<'r>(
    blocks: Vec<Block<'_>>,
    voice: Voice,
    raw: impl FnOnce() -> Option<&'r RawValue>,
    out: &mut Assembly,
) {
    let mut spoken = Some(spoken(&blocks, voice));
    let mut raw = RawBlocks { read: Some(raw), blocks: Vec::new() };
    for (index, block) in blocks.into_iter().enumerate() {
        match block {
            Block::Text(text) => match notice_title(&text, voice) {
                Some(title) => out.notice(title, text.clone()),
                None => out.text(spoken.take().unwrap_or_default()),
            },
            Block::Thinking(text) => out.entry(Kind::Thinking, text),
            Block::Call { id, tool, input } => out.call(&id, &tool, input),
            Block::Result { id, is_error, content } => out.result(&id, is_error, content),
            Block::Image(description) => out.entry(Kind::Image, description),
            Block::Null => {}
            Block::Other => {
                let json = raw.at(index);
                out.notice(kind_of(json).as_deref().unwrap_or("content"), Arc::from(json));
            }
        }
    }
}

fn notice_title(text: &str, voice: Voice) -> Option<&'static str> {
    match voice {
        Voice::Person => envelope(text),
        Voice::Model => None,
        Voice::Harness(title) => Some(envelope(text).unwrap_or(title)),
    }
}

fn spoken(blocks: &[Block<'_>], voice: Voice) -> Arc<str> {
    let mut texts = blocks.iter().filter_map(|block| match block {
        Block::Text(text) if notice_title(text, voice).is_none() => Some(text),
        _ => None,
    });
    let Some(first) = texts.next() else { return Arc::default() };
    let mut joined = String::new();
    for text in texts {
        joined.push('\n');
        joined.push_str(text);
    }
    if joined.is_empty() { Arc::clone(first) } else { format!("{first}{joined}").into() }
}

/// The JSON of each block, read once and only when wanted.
struct RawBlocks<'r, F> {
    read: Option<F>,
    blocks: Vec<&'r RawValue>,
}

impl<'r, F: FnOnce() -> Option<&'r RawValue>> RawBlocks<'r, F> {
    fn at(&mut self, index: usize) -> &'r str {
        if let Some(read) = self.read.take() {
            let content = read();
            let list = content.and_then(|content| serde_json::from_str(content.get()).ok());
            self.blocks = list.unwrap_or_else(|| content.into_iter().collect());
        }
        self.blocks.get(index).map_or("", |block| block.get())
    }
}

/// The members of an object as they are written; `None` for anything else.
pub(super) fn fields(json: &str) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(json).ok()
}

/// The string that a value is.
pub(super) fn string(json: &RawValue) -> Option<String> {
    serde_json::from_str(json.get()).ok()
}

/// The `type` of an object.
fn kind_of(json: &str) -> Option<String> {
    fields(json)?.get("type").and_then(|kind| string(kind))
}

/// A message that nobody speaks is none: its content would have no place.
pub(super) fn no_role() -> serde_json::Error {
    serde::de::Error::missing_field("role")
}
