//! The content blocks of the Anthropic API, which Claude Code's records hold too.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::image::ImageSource;
use super::loose::{Count, Flag, Text, absent};
use crate::python::python_json;

/// One block of a message.
#[derive(Debug, Default)]
pub(super) enum Block<'a> {
    Text(Arc<str>),
    /// Empty where the text is withheld.
    Thinking(Arc<str>),
    Call {
        id: Cow<'a, str>,
        tool: Cow<'a, str>,
        input: Arc<str>,
    },
    Result {
        id: Cow<'a, str>,
        is_error: bool,
        content: Arc<str>,
    },
    /// What the image is, in words.
    Image(Arc<str>),
    /// `null`: nothing was said.
    Null,
    /// Of a type that has no row of its own.
    #[default]
    Other,
}

/// The content of a message: a string is one text block, a lone object one block.
#[derive(Debug, Default)]
pub(super) struct Content<'a>(pub Vec<Block<'a>>);

/// Tokens of context that the model was given, where the usage says.
#[derive(Debug, Default)]
pub(super) struct Usage(pub Option<u64>);

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;
    absent!('de: null);

    fn visit_bool<E>(self, _: bool) -> Result<Content<'de>, E> {
        Ok(Content(vec![Block::Other]))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Content<'de>, E> {
        Ok(Content(vec![Block::Other]))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Content<'de>, E> {
        Ok(Content(vec![Block::Other]))
    }

    fn visit_str<E>(self, text: &str) -> Result<Content<'de>, E> {
        Ok(Content(vec![Block::Text(Arc::from(text))]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Content<'de>, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = items.next_element()? {
            blocks.push(block);
        }
        Ok(Content(blocks))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Content<'de>, A::Error> {
        Ok(Content(vec![BlockVisitor.visit_map(members)?]))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Block<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BlockVisitor)
    }
}

struct BlockVisitor;

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Key {
    Type,
    Text,
    Thinking,
    Id,
    Name,
    Input,
    ToolUseId,
    Content,
    IsError,
    Source,
    /// The key of a number that is handed over as a map (see `loose`).
    #[serde(rename = "$serde_json::private::Number")]
    Number,
    #[serde(other)]
    Other,
}

/// The members of a block, in whatever order they come.
#[derive(Default)]
struct Members<'a> {
    kind: Text<'a>,
    text: Shared,
    thinking: Shared,
    id: Text<'a>,
    name: Text<'a>,
    input: Option<Arc<str>>,
    tool_use_id: Text<'a>,
    content: Option<Arc<str>>,
    is_error: Flag,
    source: ImageSource<'a>,
}

impl<'de> Visitor<'de> for BlockVisitor {
    type Value = Block<'de>;
    absent!('de: bool number list);

    fn visit_unit<E>(self) -> Result<Block<'de>, E> {
        Ok(Block::Null)
    }

    fn visit_str<E>(self, text: &str) -> Result<Block<'de>, E> {
        Ok(Block::Text(Arc::from(text)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Block<'de>, A::Error> {
        let mut block = Members::default();
        while let Some(key) = members.next_key()? {
            match key {
                Key::Type => block.kind = members.next_value()?,
                Key::Text => block.text = members.next_value()?,
                Key::Thinking => block.thinking = members.next_value()?,
                Key::Id => block.id = members.next_value()?,
                Key::Name => block.name = members.next_value()?,
                Key::Input => {
                    block.input = Some(python_json(&members.next_value::<Value>()?).into());
                }
                Key::ToolUseId => block.tool_use_id = members.next_value()?,
                Key::Content => {
                    block.content = Some(members.next_value::<ResultContent>()?.0);
                }
                Key::IsError => block.is_error = members.next_value()?,
                Key::Source => block.source = members.next_value()?,
                Key::Number | Key::Other => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(block.into_block())
    }
}

impl<'a> Members<'a> {
    fn into_block(self) -> Block<'a> {
        match self.kind.as_deref() {
            Some("text") => self.text.0.map_or(Block::Other, Block::Text),
            Some("thinking" | "redacted_thinking") => {
                Block::Thinking(self.thinking.0.unwrap_or_default())
            }
            Some("tool_use") => Block::Call {
                id: self.id.0.unwrap_or_default(),
                tool: self.name.0.unwrap_or_default(),
                input: self.input.unwrap_or_else(|| "{}".into()),
            },
            Some("tool_result") => Block::Result {
                id: self.tool_use_id.0.unwrap_or_default(),
                is_error: self.is_error.0,
                content: self.content.unwrap_or_default(),
            },
            Some("image") => Block::Image(self.source.describe()),
            _ => Block::Other,
        }
    }
}

/// A string that is kept.
#[derive(Default)]
struct Shared(Option<Arc<str>>);

impl<'de> Deserialize<'de> for Shared {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SharedVisitor;
        impl<'de> Visitor<'de> for SharedVisitor {
            type Value = Shared;
            absent!('de: bool number null list map);
            fn visit_str<E>(self, text: &str) -> Result<Shared, E> {
                Ok(Shared(Some(Arc::from(text))))
            }
        }
        deserializer.deserialize_any(SharedVisitor)
    }
}

/// The text of a result: a string, or the texts of a list joined by line feeds, where an image is
/// `[image]` and any other part its type in brackets. Nothing at all is an empty text.
struct ResultContent(Arc<str>);

impl<'de> Deserialize<'de> for ResultContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ResultVisitor;
        impl<'de> Visitor<'de> for ResultVisitor {
            type Value = Arc<str>;
            absent!('de: null);
            fn visit_bool<E>(self, flag: bool) -> Result<Arc<str>, E> {
                Ok(if flag { "true" } else { "false" }.into())
            }
            fn visit_i64<E>(self, number: i64) -> Result<Arc<str>, E> {
                Ok(number.to_string().into())
            }
            fn visit_u64<E>(self, number: u64) -> Result<Arc<str>, E> {
                Ok(number.to_string().into())
            }
            fn visit_str<E>(self, text: &str) -> Result<Arc<str>, E> {
                Ok(Arc::from(text))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Arc<str>, A::Error> {
                let Some(Part(mut joined)) = items.next_element()? else {
                    return Ok(Arc::default());
                };
                while let Some(Part(part)) = items.next_element()? {
                    let joined = joined.to_mut();
                    joined.push('\n');
                    joined.push_str(&part);
                }
                Ok(Arc::from(joined))
            }
            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Arc<str>, A::Error> {
                Ok(Arc::from(PartVisitor.visit_map(members)?.0))
            }
        }
        deserializer.deserialize_any(ResultVisitor).map(ResultContent)
    }
}

/// One part of a result's list, as text.
#[derive(Default)]
struct Part<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Part<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartVisitor)
    }
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Part<'de>;
    absent!('de: bool number null list);

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Part<'de>, E> {
        Ok(Part(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Part<'de>, E> {
        Ok(Part(Cow::Owned(text.to_owned())))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Part<'de>, A::Error> {
        let (mut kind, mut text) = (Text::default(), Text::default());
        while let Some(key) = members.next_key()? {
            match key {
                Key::Type => kind = members.next_value()?,
                Key::Text | Key::Number => text = members.next_value()?,
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Part(match (kind.0, text.0) {
            (None, Some(text)) => text,
            (Some(kind), Some(text)) if kind == "text" => text,
            (kind, _) => Cow::Owned(format!("[{}]", kind.as_deref().unwrap_or("part"))),
        }))
    }
}

impl<'de> Deserialize<'de> for Usage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UsageVisitor)
    }
}

struct UsageVisitor;

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum UsageKey {
    InputTokens,
    CacheCreationInputTokens,
    CacheReadInputTokens,
    #[serde(other)]
    Other,
}

impl<'de> Visitor<'de> for UsageVisitor {
    type Value = Usage;
    absent!('de: bool number null text list);

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Usage, A::Error> {
        let (mut input, mut written, mut read) = (None, None, None);
        while let Some(key) = members.next_key()? {
            match key {
                UsageKey::InputTokens => input = members.next_value::<Count>()?.0,
                UsageKey::CacheCreationInputTokens => written = members.next_value::<Count>()?.0,
                UsageKey::CacheReadInputTokens => read = members.next_value::<Count>()?.0,
                UsageKey::Other => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        let known = [input, written, read].into_iter().flatten();
        Ok(Usage(known.reduce(u64::saturating_add)))
    }
}
