//! The trim stage: a long text becomes a prefix of itself.

use super::features::Features;
use super::survivors::Survivors;
use super::{Cut, CutKind};

const CLOSERS: [char; 7] = ['"', '\'', '”', '’', '»', ')', ']'];
const TERMINATORS: [char; 4] = ['.', '!', '?', '…'];
const WIDE_CLOSERS: [char; 5] = ['」', '』', '”', '’', '）'];
const WIDE_TERMINATORS: [char; 3] = ['。', '！', '？'];

/// Cuts every unprotected survivor longer than `limit` characters, over budget or not.
///
/// Rule: step 6 of memory-compact.
pub(super) fn trim<'a>(
    features: &Features,
    survivors: &mut Survivors<'_>,
    limit: usize,
    content: impl Fn(usize) -> &'a str,
) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for unit in 0..features.len() {
        let original_chars = survivors.chars(unit);
        if original_chars <= limit || !survivors.may_be_cut(unit) {
            continue;
        }
        let Some(prefix) = prefix(content(unit), limit) else { continue };
        let Prefix { chars, bytes, kind } = prefix;
        survivors.cut(unit, chars);
        cuts.push(Cut { unit, original_chars, chars, bytes, kind });
    }
    cuts
}

/// What is kept of a text: its first `chars` characters, which are its first `bytes` bytes.
#[derive(Debug, PartialEq, Eq)]
struct Prefix {
    chars: usize,
    bytes: usize,
    kind: CutKind,
}

/// The text up to the last sentence end at or before `limit` characters when that lies in the
/// last 60 percent of them, else exactly `limit` characters. `None` when it is no longer than
/// that. Looks at no more than the limit and one character.
fn prefix(text: &str, limit: usize) -> Option<Prefix> {
    let mut after = text.chars();
    if let Some(last) = limit.checked_sub(1) {
        after.nth(last)?;
    }
    let bytes = text.len() - after.as_str().len();
    let next = after.next()?;
    let sentence = sentence_end(&text[..bytes], limit, next);
    Some(sentence.unwrap_or(Prefix { chars: limit, bytes, kind: CutKind::Hard }))
}

/// The last sentence end in or at the end of `head`, which is `limit` characters long and
/// followed by `next`, if it lies beyond the first 40 percent.
fn sentence_end(head: &str, limit: usize, mut next: char) -> Option<Prefix> {
    let mut before = head.chars();
    let mut chars = limit;
    while chars.saturating_mul(10) > limit.saturating_mul(4) {
        if ends_sentence(before.as_str(), next) {
            let bytes = before.as_str().len();
            return Some(Prefix { chars, bytes, kind: CutKind::Sentence });
        }
        next = before.next_back()?;
        chars -= 1;
    }
    None
}

/// Whether a sentence ends between `before` and the character that follows it. A run of closers
/// is walked once for a whole text, as only the position behind all of them asks for it.
fn ends_sentence(before: &str, next: char) -> bool {
    if next == '\n' {
        return true;
    }
    // Most positions are settled here: no closer or terminator is a letter or digit.
    if before.as_bytes().last().is_none_or(u8::is_ascii_alphanumeric) {
        return false;
    }
    let narrow = next.is_whitespace() && closed(before, &CLOSERS, &TERMINATORS);
    narrow || !WIDE_CLOSERS.contains(&next) && closed(before, &WIDE_CLOSERS, &WIDE_TERMINATORS)
}

/// Whether the text ends in a terminator and any number of closers.
fn closed(text: &str, closers: &[char], terminators: &[char]) -> bool {
    text.trim_end_matches(closers).ends_with(terminators)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(chars: usize, bytes: usize) -> Option<Prefix> {
        Some(Prefix { chars, bytes, kind: CutKind::Sentence })
    }

    fn hard(chars: usize, bytes: usize) -> Option<Prefix> {
        Some(Prefix { chars, bytes, kind: CutKind::Hard })
    }

    /// What is kept of a text at a limit of ten characters.
    fn at_ten(text: &str) -> &str {
        &text[..prefix(text, 10).unwrap().bytes]
    }

    #[test]
    fn a_text_within_the_limit_is_not_cut() {
        assert_eq!(prefix("0123456789", 10), None);
        assert_eq!(prefix("", 10), None);
        assert_eq!(prefix("", 0), None);
        assert_eq!(prefix("0123456789a", 10), hard(10, 10));
    }

    #[test]
    fn the_last_sentence_end_at_or_before_the_limit_is_taken() {
        assert_eq!(at_ten("a. bcd. ef. ghi"), "a. bcd.");
        assert_eq!(at_ten("abcd. efg. hij"), "abcd. efg.");
    }

    #[test]
    fn white_space_past_the_limit_ends_a_sentence_at_the_limit() {
        assert_eq!(prefix("012345678. x", 10), sentence(10, 10));
        assert_eq!(prefix("012345678.x", 10), hard(10, 10));
        assert_eq!(prefix("0123456789\nx", 10), sentence(10, 10));
    }

    #[test]
    fn a_sentence_end_in_the_first_forty_percent_does_not_count() {
        assert_eq!(prefix("abc. efghijkl", 10), hard(10, 10));
        assert_eq!(prefix("abcd. fghijkl", 10), sentence(5, 5));
    }

    #[test]
    fn a_run_of_terminators_ends_where_it_ends() {
        assert_eq!(at_ten("abcde?!… fghijk"), "abcde?!…");
        assert_eq!(prefix("abcde?!.fghijk", 10), hard(10, 10));
    }

    #[test]
    fn closers_belong_to_the_sentence_that_they_follow() {
        assert_eq!(at_ten("abcde.”’»)] klmno"), "abcde.”’»)");
        assert_eq!(at_ten("abcde.\"' ijklmn"), "abcde.\"'");
        // Not all of the closers lie before the limit, so no position before it ends a sentence.
        assert_eq!(prefix("abcdefgh.\"\" x", 10), hard(10, 10));
        assert_eq!(prefix("abcdef\" hijklm", 10), hard(10, 10));
    }

    #[test]
    fn wide_sentences_end_whatever_comes_next() {
        assert_eq!(at_ten("本本本本本。後後後後後後後"), "本本本本本。");
        assert_eq!(at_ten("本本本本本！」』後後後後後"), "本本本本本！」』");
        // Each of several ends its own.
        assert_eq!(at_ten("本本本本本本本本本。。後"), "本本本本本本本本本。");
        // A narrow closer does not belong to it.
        assert_eq!(at_ten("本本本本本？)後後後後後後"), "本本本本本？");
        // Closers go on past the limit.
        assert_eq!(prefix("本本本本本本本本。」』後", 10), hard(10, 30));
    }

    #[test]
    fn a_line_feed_ends_a_sentence_before_it_and_other_breaks_need_a_terminator() {
        assert_eq!(at_ten("abcdef\nghijklm"), "abcdef");
        assert_eq!(prefix("abcdef\rghijklm", 10), hard(10, 10));
        assert_eq!(at_ten("abcdef.\u{2003}ghijk"), "abcdef.");
        assert_eq!(at_ten("\n\n\n\n\n\n\n\n\n\n\n\n"), "\n".repeat(10));
    }

    #[test]
    fn lengths_are_characters_and_cuts_are_on_their_boundaries() {
        assert_eq!(prefix(&"é".repeat(12), 10), hard(10, 20));
        assert_eq!(prefix(&"🚚".repeat(12), 10), hard(10, 40));
    }

    #[test]
    fn a_limit_of_any_size_is_safe() {
        assert_eq!(prefix("abc", 0), hard(0, 0));
        assert_eq!(prefix("a. b", 1), hard(1, 1));
        assert_eq!(prefix("abc", usize::MAX), None);
    }
}
