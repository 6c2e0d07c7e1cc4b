//! Why a request is refused.

use thiserror::Error;

/// How much of a request's own text a message repeats, in characters.
const QUOTED: usize = 80;

/// A request outside the contract's schema: where, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{place}: {fault}")]
pub struct RequestError {
    /// `messages[3].content`, `keep_roles[0]`, a key's own path, or `request` for the whole.
    pub place: String,
    pub fault: Fault,
}

/// What is wrong at a place.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Fault {
    #[error("not UTF-8 from byte {0} on")]
    NotUtf8(usize),
    #[error("not JSON: {0}")]
    NotJson(String),
    /// A string whose escapes make no Unicode text, such as half a surrogate pair.
    #[error("no Unicode text: {0}")]
    NotText(String),
    #[error("missing, but required")]
    Missing,
    #[error("unknown key")]
    Unknown,
    #[error("{found}, expected {expected}")]
    Type { expected: &'static str, found: &'static str },
    #[error("{} {things}, the limit is {}", grouped(*.count), grouped(*.limit))]
    TooMany { count: usize, things: &'static str, limit: usize },
    #[error("{} {things}, the least is {}", grouped(*.count), grouped(*.least))]
    TooFew { count: usize, things: &'static str, least: usize },
    #[error("{0} is not an integer")]
    NotAnInteger(String),
    #[error("{value} is outside the range {low} to {high}")]
    OutOfRange { value: String, low: String, high: String },
    #[error("\"{0}\" is none of system, user, assistant, tool")]
    NotARole(String),
}

impl Fault {
    pub(super) fn at(self, place: impl Into<String>) -> RequestError {
        RequestError { place: place.into(), fault: self }
    }
}

/// The beginning of a text of the request, safe to print: what steers a terminal or the
/// direction of writing is spelled out.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    let mut characters = text.chars();
    for character in characters.by_ref().take(QUOTED) {
        if character.is_control() || is_direction(character) {
            quoted.extend(character.escape_unicode());
        } else {
            quoted.push(character);
        }
    }
    if characters.next().is_some() {
        quoted.push('…');
    }
    quoted
}

/// Whether it is one of the Unicode Bidi_Control characters.
fn is_direction(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A number with its thousands set apart: `8,000`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let shown: Vec<String> = [0, 999, 1_000, 123_456, 1_234_567].map(grouped).into();
        assert_eq!(shown, ["0", "999", "1,000", "123,456", "1,234,567"]);
    }

    #[test]
    fn quoted_text_is_short_and_carries_no_control_characters() {
        assert_eq!(quoted("a\u{1b}[2J"), "a\\u{1b}[2J");
        assert_eq!(quoted("\u{202e}it's \"é\""), "\\u{202e}it's \"é\"");
        assert_eq!(quoted(&"x".repeat(81)), "x".repeat(80) + "…");
    }
}
