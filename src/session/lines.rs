//! One line of a session file: the values on it, and what to do with what is no value.
//!
//! A line holds one record, but programs that crash or race leave two, half of one, a half with
//! a whole one glued to it, or padding. Whatever can be read is read; the rest is counted.

use serde::de::{Deserialize, IgnoredAny};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::assembly::Assembly;
use super::formats::{Record, conversation, is_conversation};
use super::repair;

/// How often a line may be read over in search of a record after a broken one. Objects that are
/// open to the end of the line would make it the square of its length.
const SEARCH_EFFORT: usize = 16;

/// How the values of a line are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineFormat {
    /// Each is a record of a Claude Code session.
    ClaudeCode,
    /// Each is an object with `messages`; the session is all their messages in order.
    Conversations,
}

/// Where reading stands on a line. What was said of it is said once.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// 1-based.
    pub number: usize,
    values: usize,
    padded: bool,
    re_encoded: bool,
    surrogates: bool,
}

/// A value that was read, and how many bytes of text it took.
struct Taken<'a> {
    value: Value<'a>,
    length: usize,
}

#[expect(clippy::large_enum_variant, reason = "one at a time, and most are records")]
enum Value<'a> {
    Record(Record<'a>),
    Conversation(&'a RawValue),
}

impl Line {
    pub fn new(number: usize) -> Line {
        Line { number, ..Line::default() }
    }

    /// Takes the whole objects that text starts with, and says how many bytes they were. What
    /// needs a mend, or the rest of the line to be understood, is left.
    pub fn take_whole(&mut self, text: &str, format: LineFormat, out: &mut Assembly) -> usize {
        let mut at = 0;
        loop {
            let rest = &text[at..];
            let start = at + rest.len() - trim_start(rest).len();
            match format.first(&text[start..]) {
                Ok(taken) => {
                    let end = start + taken.length;
                    self.add(taken.value, &text[start..end], out);
                    at = end;
                }
                Err(_) => return at,
            }
        }
    }

    /// Reads all of a line, or what is left of it after [`Line::take_whole`]. `ended`: its line
    /// feed was seen.
    pub fn read(&mut self, bytes: &[u8], ended: bool, format: LineFormat, out: &mut Assembly) {
        let (text, valid) = match str::from_utf8(bytes) {
            Ok(text) => (text, true),
            Err(error) => {
                let valid = &bytes[..error.valid_up_to()];
                (str::from_utf8(valid).unwrap_or_default(), false)
            }
        };
        let taken = self.take_whole(text, format, out);
        if valid {
            self.mend(&text[taken..], ended, format, out);
        } else {
            if !self.re_encoded {
                self.re_encoded = true;
                out.repaired(self.number, "bytes that are no UTF-8 were replaced by U+FFFD");
            }
            self.mend(&String::from_utf8_lossy(&bytes[taken..]), ended, format, out);
        }
    }

    /// Reads text whose values may need a mend, and counts what cannot be read.
    fn mend(&mut self, text: &str, ended: bool, format: LineFormat, out: &mut Assembly) {
        if trim_start(text).is_empty() {
            return;
        }
        let mended = repair::surrogates(text);
        let mut at = 0;
        loop {
            at += self.pass_padding(&text[at..], out);
            if at == text.len() {
                return;
            }
            let rest = &mended[at..];
            match format.first(rest) {
                Ok(taken) => {
                    let end = at + taken.length;
                    self.note_surrogates(text[at..end] != mended[at..end], out);
                    self.add(taken.value, &mended[at..end], out);
                    at = end;
                }
                Err(error) => at += self.skip(rest, &error, ended, format, out),
            }
        }
    }

    /// Passes white space and the zero bytes that a crash leaves behind.
    fn pass_padding(&mut self, text: &str, out: &mut Assembly) -> usize {
        let rest = text.trim_start_matches(|c: char| is_space(c) || c == '\0');
        let passed = text.len() - rest.len();
        if !self.padded && text[..passed].contains('\0') {
            self.padded = true;
            out.repaired(self.number, "padding of zero bytes was left out");
        }
        passed
    }

    fn note_surrogates(&mut self, mended: bool, out: &mut Assembly) {
        if mended && !self.surrogates {
            self.surrogates = true;
            out.repaired(self.number, "half of a surrogate pair was replaced by U+FFFD");
        }
    }

    /// Skips what is no record, up to the next one on the line, and counts it.
    fn skip(
        &mut self,
        rest: &str,
        error: &serde_json::Error,
        ended: bool,
        format: LineFormat,
        out: &mut Assembly,
    ) -> usize {
        if let Some(length) = stray_value(rest) {
            out.skipped(self.number, "a value that is no object was left out");
            return length;
        }
        let length = format.next_record(rest).unwrap_or(rest.len());
        let reason = if !ended && length == rest.len() && error.is_eof() {
            "the last line is cut off"
        } else {
            repair::reason(error)
        };
        out.skipped(self.number, format!("{length} bytes were left out: {reason}"));
        length
    }

    fn add(&mut self, value: Value<'_>, raw: &str, out: &mut Assembly) {
        self.values += 1;
        if self.values == 2 {
            out.repaired(self.number, "two values on one line were read one after the other");
        }
        match value {
            Value::Record(record) => record.add(raw, self.number, out),
            Value::Conversation(raw) => conversation(raw.get(), self.number, out),
        }
    }
}

impl LineFormat {
    /// Reads the object that text starts with.
    fn first(self, text: &str) -> serde_json::Result<Taken<'_>> {
        match self {
            LineFormat::ClaudeCode => {
                let (record, length) = first_value(text)?;
                Ok(Taken { value: Value::Record(record), length })
            }
            LineFormat::Conversations => {
                let (raw, length): (&RawValue, usize) = first_value(text)?;
                if !raw.get().starts_with('{') {
                    return Err(serde::de::Error::custom("no object"));
                }
                Ok(Taken { value: Value::Conversation(raw), length })
            }
        }
    }

    /// Where the next record starts in text that does not start with one: an object that is a
    /// record beyond doubt, with nothing but further objects after it. An object inside a broken
    /// record is followed by the rest of that.
    fn next_record(self, text: &str) -> Option<usize> {
        let mut effort = text.len().saturating_mul(SEARCH_EFFORT);
        for at in memchr::memchr_iter(b'{', text.as_bytes()).skip_while(|at| *at == 0) {
            let read = match self.first(&text[at..]) {
                Ok(taken) if taken.is_record_before(&text[at + taken.length..]) => return Some(at),
                Ok(taken) => taken.length,
                Err(error) => error.column(),
            };
            effort = effort.checked_sub(read)?;
        }
        None
    }
}

impl Taken<'_> {
    fn is_record_before(&self, rest: &str) -> bool {
        let rest = rest.trim_start_matches(|c: char| is_space(c) || c == '\0');
        (rest.is_empty() || rest.starts_with('{')) && self.value.is_certain()
    }
}

impl Value<'_> {
    fn is_certain(&self) -> bool {
        match self {
            Value::Record(record) => record.is_certain(),
            Value::Conversation(raw) => is_conversation(raw.get()),
        }
    }
}

/// Reads the first value of text, and says how many bytes it took.
fn first_value<'a, T: Deserialize<'a>>(text: &'a str) -> serde_json::Result<(T, usize)> {
    let mut values = Deserializer::from_str(text).into_iter::<T>();
    match values.next() {
        Some(value) => value.map(|value| (value, values.byte_offset())),
        None => Err(serde::de::Error::custom("nothing")),
    }
}

/// The length of a whole JSON value that is no object.
fn stray_value(text: &str) -> Option<usize> {
    if text.starts_with('{') {
        return None;
    }
    first_value::<IgnoredAny>(text).ok().map(|(_, length)| length)
}

fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// White space of JSON.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}
