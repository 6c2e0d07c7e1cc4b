//! The two kinds of words that the reference reads: `\w+`, and Latin words with one hyphen or
//! apostrophe.

use std::ops::Range;

use super::characters::{has_lower_case, is_ascii_word, is_word};

/// Maximal runs of word characters from byte `from` on.
pub(super) fn words(text: &str, from: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = from;
    std::iter::from_fn(move || {
        let start = skip(text, at, |c| !is_word(c), |byte| !is_ascii_word(byte));
        at = skip(text, start, is_word, is_ascii_word);
        (start < at).then_some(start..at)
    })
}

/// Runs of ASCII letters and digits, two of them joined by a hyphen or an apostrophe taken as one.
pub(super) fn terms(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let run = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_alphanumeric) {
            at += 1;
        }
        at
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(|byte| !byte.is_ascii_alphanumeric()) {
            at += 1;
        }
        let start = at;
        at = run(start);
        if matches!(bytes.get(at), Some(b'-' | b'\'')) {
            let second = run(at + 1);
            if second > at + 1 {
                at = second;
            }
        }
        (start < at).then(|| &text[start..at])
    })
}

/// Words of fewer letters say nothing of what a text is about.
const SHORTEST_TERM: usize = 3;

/// Words that say nothing of what a text is about.
pub(super) fn is_common(term: &str) -> bool {
    term.len() < SHORTEST_TERM
        || matches!(
            term,
            "about"
                | "after"
                | "also"
                | "and"
                | "are"
                | "can"
                | "for"
                | "from"
                | "has"
                | "have"
                | "how"
                | "into"
                | "its"
                | "our"
                | "should"
                | "that"
                | "the"
                | "their"
                | "this"
                | "was"
                | "what"
                | "when"
                | "where"
                | "which"
                | "who"
                | "why"
                | "with"
        )
}

/// Full Unicode lower case into a buffer that is used again.
pub(super) fn lower_case(text: &str, lowered: &mut String) {
    lowered.clear();
    if text.contains(SIGMA) {
        lowered.push_str(&text.to_lowercase());
        return;
    }
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !byte.is_ascii()) {
        push_ascii(&rest[..at], lowered);
        let end = rest[at..].find(|c: char| c.is_ascii()).map_or(rest.len(), |length| at + length);
        for c in rest[at..end].chars() {
            if has_lower_case(c) {
                lowered.extend(c.to_lowercase());
            } else {
                lowered.push(c);
            }
        }
        rest = &rest[end..];
    }
    push_ascii(rest, lowered);
}

/// The one letter whose lower case depends on its neighbours.
const SIGMA: char = '\u{3a3}';

fn push_ascii(text: &str, lowered: &mut String) {
    let from = lowered.len();
    lowered.push_str(text);
    lowered[from..].make_ascii_lowercase();
}

/// The end of a run that begins at byte `at`.
#[inline]
pub(super) fn skip(
    text: &str,
    mut at: usize,
    is_in: impl Fn(char) -> bool,
    is_ascii_in: impl Fn(u8) -> bool,
) -> usize {
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii() {
            if !is_ascii_in(*byte) {
                break;
            }
            at += 1;
        } else {
            match text[at..].chars().next() {
                Some(c) if is_in(c) => at += c.len_utf8(),
                _ => break,
            }
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_numbers_and_underscores() {
        let text = "Größe_2 x-y, 会話テスト e\u{301}t ¾";
        let found: Vec<_> = words(text, 0).map(|word| &text[word]).collect();
        assert_eq!(found, ["Größe_2", "x", "y", "会話テスト", "e", "t", "¾"]);
    }

    #[test]
    fn terms_are_latin_and_join_two_runs_at_most() {
        let found: Vec<_> = terms("don't snake_case well-known-fact étude x- 'y' a'b-c").collect();
        assert_eq!(
            found,
            ["don't", "snake", "case", "well-known", "fact", "tude", "x", "y", "a'b", "c"]
        );
    }

    #[test]
    fn lower_case_is_that_of_the_standard_library() {
        let mut lowered = String::new();
        for text in
            ["ΟΔΟΣ ΣΑΣ", "Größe ÉTUDE \u{130}x ẞ 会話 🚚 Ⱥ", "PLAIN", "", "É", "𝔸\u{10400}Z"]
        {
            lower_case(text, &mut lowered);
            assert_eq!(lowered, text.to_lowercase());
        }
    }
}
