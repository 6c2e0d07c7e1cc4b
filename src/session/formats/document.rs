//! Sessions that are one JSON document, and lines that each are one.

use std::borrow::Cow;

use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::detect::{self, Fields, elements};
use super::message::{fields, string};
use super::{anthropic, compact_transcript, hook, memory_compact, openai};
use crate::session::assembly::Assembly;
use crate::session::{Format, ReadError, Session, Source, repair};

/// A document's outermost value.
pub(super) enum Top<'a> {
    Object(Fields<'a>),
    List(Vec<&'a RawValue>),
}

/// What stands around the messages and holds for them.
#[derive(Default)]
pub(super) struct Around {
    pub model: Option<String>,
    pub context_tokens: Option<u64>,
}

/// Finds the line on which a part of a text starts; quick when asked in ascending order.
pub(super) struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    first: usize,
}

impl<'a> Lines<'a> {
    /// `first`: the number of the text's first line.
    pub fn new(text: &'a str, first: usize) -> Lines<'a> {
        Lines { text, at: 0, line: first, first }
    }

    pub fn of(&mut self, part: &RawValue) -> usize {
        // The part is a piece of the text, so the distance of their addresses is its offset.
        let offset = (part.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let offset = offset.min(self.text.len());
        if offset < self.at {
            (self.at, self.line) = (0, self.first);
        }
        self.line += memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.at..offset]).count();
        self.at = offset;
        self.line
    }
}

impl<'a> Top<'a> {
    fn parse(text: &'a str) -> serde_json::Result<Top<'a>> {
        if text.trim_start().starts_with('[') {
            serde_json::from_str(text).map(Top::List)
        } else {
            serde_json::from_str(text).map(Top::Object)
        }
    }

    fn format(&self) -> Option<Format> {
        match self {
            Top::Object(members) => detect::of_object(members),
            Top::List(list) => detect::of_list(list),
        }
    }
}

/// Reads a document, in the format named or in the one that its keys show.
pub(in crate::session) fn read_document(
    bytes: &[u8],
    source: Source,
    named: Option<Format>,
) -> Result<Session, ReadError> {
    let mut notes = Vec::new();
    let text = plain_text(bytes, &mut notes);
    if named.is_none() && !text.trim_start().starts_with(['{', '[']) {
        return Err(ReadError::UnknownFormat);
    }
    let mended;
    let (text, top) = match Top::parse(&text) {
        Ok(top) => (&*text, top),
        Err(error) => {
            // Half a surrogate pair in a key stops the parser here already; anywhere else it is
            // met when its message is read, and told with its line.
            mended = repair::surrogates(&text);
            let top = Top::parse(&mended).map_err(|_| refusal(&text, &error, named))?;
            notes.push((1, "halves of surrogate pairs were replaced by U+FFFD"));
            (&*mended, top)
        }
    };
    let format = named.or_else(|| top.format()).ok_or(ReadError::UnknownFormat)?;
    let mut out = Assembly::new(source, format);
    for (line, note) in notes {
        out.repaired(line, note);
    }
    let lines = Lines::new(text, 1);
    match format {
        Format::CompactTranscript => compact_transcript::read(&top, lines, &mut out)?,
        Format::MemoryCompact => memory_compact::read(&top, lines, &mut out)?,
        _ => add_conversation(&top, lines, &mut out)?,
    }
    Ok(out.into_session())
}

/// Text without the mark, the padding and the bytes that are none; each with its note.
fn plain_text<'a>(bytes: &'a [u8], notes: &mut Vec<(usize, &'static str)>) -> Cow<'a, str> {
    let marked = bytes.strip_prefix(repair::BOM);
    if marked.is_some() {
        notes.push((1, "a byte order mark was left out"));
    }
    let bytes = marked.unwrap_or(bytes);
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if end < bytes.len() {
        let line = 1 + memchr::memchr_iter(b'\n', &bytes[..end]).count();
        notes.push((line, "padding of zero bytes was left out"));
    }
    let text = repair::text(&bytes[..end]);
    if let Cow::Owned(_) = text {
        let valid = str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        let line = 1 + memchr::memchr_iter(b'\n', &bytes[..valid]).count();
        notes.push((line, "bytes that are no UTF-8 were replaced by U+FFFD"));
    }
    text
}

/// Why text is no document: it is not JSON, it is several, or it is lines of something unknown.
fn refusal(text: &str, error: &serde_json::Error, named: Option<Format>) -> ReadError {
    let mut values = Deserializer::from_str(text).into_iter::<&RawValue>();
    let first = values.next().and_then(Result::ok);
    let known = |json: &RawValue| Top::parse(json.get()).ok().and_then(|top| top.format());
    let reason = match first {
        Some(first) if named.is_some() || known(first).is_some() => {
            "another value follows the document"
        }
        Some(_) => return ReadError::UnknownFormat,
        None => repair::reason(error),
    };
    ReadError::NotJson { line: error.line().max(1), reason }
}

/// Whether JSON is an object with a list of messages.
pub(in crate::session) fn is_conversation(json: &str) -> bool {
    fields(json).is_some_and(|members| {
        members.get("messages").is_some_and(|messages| messages.get().starts_with('['))
    })
}

/// Adds the messages of an object that is one line of a file.
pub(in crate::session) fn conversation(json: &str, line: usize, out: &mut Assembly) {
    let added = Top::parse(json)
        .is_ok_and(|top| add_conversation(&top, Lines::new(json, line), out).is_ok());
    if !added {
        out.skipped(line, "an object without messages was left out");
    }
}

/// The messages of a document, and what comes with them.
struct Conversation<'a> {
    system: Option<&'a RawValue>,
    messages: Vec<&'a RawValue>,
    around: Around,
    /// Others of which the first was taken: their name, and where they start.
    left_out: Option<(&'static str, Vec<&'a RawValue>)>,
}

fn add_conversation(
    top: &Top<'_>,
    mut lines: Lines<'_>,
    out: &mut Assembly,
) -> Result<(), ReadError> {
    let found = find(top, lines.text).ok_or_else(|| ReadError::Shape {
        format: out.session().format,
        line: Some(lines.first),
        place: "messages".to_owned(),
        problem: "must be a list of messages".to_owned(),
    })?;
    if let Some(system) = found.system {
        let line = lines.of(system);
        add(system.get(), line, out, |json, out| anthropic::add_system(json, line, out));
    }
    for message in found.messages {
        let line = lines.of(message);
        add_message(message, line, &found.around, out);
    }
    if let Some((name, others)) = found.left_out
        && let Some(first) = others.first()
    {
        let note = format!("{} more {name} left out: the first one is read", others.len());
        out.skipped(lines.of(first), note);
    }
    Ok(())
}

/// `text` is the document itself: an answer of the Messages API is its own only message.
fn find<'a>(top: &Top<'a>, text: &'a str) -> Option<Conversation<'a>> {
    let plain = |messages| Conversation {
        system: None,
        messages,
        around: Around::default(),
        left_out: None,
    };
    match top {
        Top::List(list) => Some(match list.first().copied().and_then(detect::trajectory) {
            Some(messages) => Conversation {
                left_out: Some(("results", list[1..].to_vec())),
                ..plain(elements(messages))
            },
            None => plain(list.clone()),
        }),
        Top::Object(members) if is_message(members) => {
            Some(plain(vec![serde_json::from_str(text).ok()?]))
        }
        Top::Object(members) => in_object(members),
    }
}

fn is_message(members: &Fields<'_>) -> bool {
    members.contains_key("role") && members.contains_key("content")
}

fn in_object<'a>(members: &Fields<'a>) -> Option<Conversation<'a>> {
    let model = members.get("model").and_then(|model| string(model));
    let system = members.get("system").copied();
    if let Some(messages) = members.get("messages").filter(|list| list.get().starts_with('[')) {
        let around = Around { model, context_tokens: None };
        return Some(Conversation { system, messages: elements(messages), around, left_out: None });
    }
    let choices = elements(members.get("choices")?);
    let (first, others) = choices.split_first()?;
    let message = *fields(first.get())?.get("message")?;
    let around = Around { model, context_tokens: openai::prompt_tokens(members) };
    let left_out = Some(("choices", others.to_vec()));
    Some(Conversation { system: None, messages: vec![message], around, left_out })
}

/// Adds one message, with a mend where it needs one.
fn add_message(message: &RawValue, line: usize, around: &Around, out: &mut Assembly) {
    if !message.get().starts_with('{') {
        out.skipped(line, "an element that is no message was left out");
        return;
    }
    add(message.get(), line, out, |json, out| match out.session().format {
        Format::AnthropicMessages => anthropic::add(json, line, around, out),
        Format::Hook => hook::add(json, line, out),
        _ => openai::add(json, line, around, out),
    });
}

fn add(
    json: &str,
    line: usize,
    out: &mut Assembly,
    read: impl Fn(&str, &mut Assembly) -> serde_json::Result<()>,
) {
    let Err(error) = read(json, out) else { return };
    match repair::surrogates(json) {
        Cow::Owned(mended) if read(&mended, out).is_ok() => {
            out.repaired(line, "half of a surrogate pair was replaced by U+FFFD");
        }
        _ => out.skipped(line, format!("a message was left out: {}", repair::reason(&error))),
    }
}
