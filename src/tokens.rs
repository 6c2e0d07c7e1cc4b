//! How many tokens a text is: exactly, in OpenAI's o200k_base, or by a rule of thumb.
//!
//! `docs/tokens.md` tells why this tokenizer was taken and how it was measured.

use std::ops::{AddAssign, Range};
use std::sync::LazyLock;

use crate::python::is_space;
use splintr::pretrained::O200K_BASE_VOCAB_PACKED;
use splintr::{FxHashMap, O200K_BASE_PATTERN, Tokenizer};

/// How token numbers are made. Their names are what reports call `token_count_method`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Method {
    /// Exact counts in OpenAI's o200k_base.
    #[default]
    O200kBase,
    /// The mean of a quarter of the characters and of four thirds of the words.
    Heuristic,
}

impl Method {
    /// The name in reports: `o200k_base` or `approximate`.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Heuristic => "approximate",
        }
    }
}

/// Counts the tokens of `text`; time and memory grow in proportion to its length.
///
/// An exact count equals the length of tiktoken's `encode(text, disallowed_special=())`: the names of
/// special tokens, such as `<|endoftext|>`, are content like any other. The first exact count of a
/// process builds the shared table (under 0.1 s), so the screen leaves it to a background thread.
pub fn count(text: &str, method: Method) -> usize {
    match method {
        Method::O200kBase => TOKENIZER.encode_ordinary(text).len(),
        Method::Heuristic => Size::of(text).tokens(),
    }
}

/// A guess at the exact count from the number of characters alone, four to a token, rounded up. The
/// screen shows it with `≈` until the exact count is there.
pub fn estimate(chars: usize) -> usize {
    chars.div_ceil(4)
}

static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(|| {
    // No special token is given to the tokenizer, so it can find none in a text.
    let special_tokens = FxHashMap::<String, u32>::default();
    Tokenizer::from_packed_chain(O200K_BASE_VOCAB_PACKED, &[O200K_BASE_PATTERN], special_tokens)
        .expect("the vocabulary is part of the program and its loading has no other input")
});

/// What the estimate of a text is made from. Of texts with white space between them it is the sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Unicode scalar values.
    pub chars: usize,
    /// What Python's `str.split()` makes of it.
    pub words: usize,
}

/// Bytes that are looked at together; so many fit into a count of one byte.
const BLOCK: usize = 128;

impl Size {
    /// The size of a text. It is counted as if all white space were ASCII, many bytes at a time;
    /// where it is not, which is rare, the words are put right.
    pub fn of(text: &str) -> Size {
        let bytes = text.as_bytes();
        let Some(first) = bytes.first() else { return Size::default() };
        let mut size = Size { chars: 1, words: usize::from(!is_ascii_space(*first)) };
        for start in (1..bytes.len()).step_by(BLOCK) {
            let end = bytes.len().min(start + BLOCK);
            let (before, block) = (&bytes[start - 1..end - 1], &bytes[start..end]);
            let pairs = match (before.first_chunk::<BLOCK>(), block.first_chunk::<BLOCK>()) {
                // A length that a compiler knows makes it quick.
                (Some(before), Some(block)) => Pairs::count(before, block),
                _ => Pairs::count(before, block),
            };
            size.chars += block.len() - usize::from(pairs.continued);
            size.words += usize::from(pairs.begun);
            if pairs.may_be_wide {
                size.words = with_wide_spaces(size.words, text, start - 1..end - 1);
            }
        }
        size
    }

    /// The estimate of the tool-call contract's reference: half of characters / 4 + words / 0.75,
    /// rounded half to even, at least 1; 0 for a blank text.
    pub fn tokens(self) -> usize {
        if self.words == 0 {
            return 0;
        }
        // (chars / 4 + words / 0.75) / 2 = (3 chars + 16 words) / 24, which needs no floating point.
        // One word of one character is 19 / 24, so the result is never below the reference's least, 1.
        round_half_even(3 * self.chars + 16 * self.words, 24)
    }
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Size) {
        self.chars += other.chars;
        self.words += other.words;
    }
}

/// What is counted of at most [`BLOCK`] bytes, each with the one before it.
struct Pairs {
    /// Words that begin, where only ASCII white space ends one.
    begun: u8,
    /// Bytes that continue a character.
    continued: u8,
    /// Whether two bytes may be the first of white space beyond ASCII.
    may_be_wide: bool,
}

impl Pairs {
    #[inline(always)]
    fn count(before: &[u8], block: &[u8]) -> Pairs {
        let (mut begun, mut continued, mut wide) = (0, 0, 0);
        for (&a, &b) in before.iter().zip(block) {
            begun += u8::from(is_ascii_space(a) & !is_ascii_space(b));
            continued += u8::from(b & 0xc0 == 0x80);
            wide |= u8::from((a == 0xc2) & ((b == 0x85) | (b == 0xa0)))
                | u8::from((a == 0xe1) & (b == 0x9a))
                | u8::from((a == 0xe2) & (b & 0xfe == 0x80))
                | u8::from((a == 0xe3) & (b == 0x80));
        }
        Pairs { begun, continued, may_be_wide: wide != 0 }
    }
}

/// The words of a text up to some place, where the white space beyond ASCII that begins in `places`
/// was taken for a part of words: it begins none, and what follows it may.
fn with_wide_spaces(mut words: usize, text: &str, places: Range<usize>) -> usize {
    let char_at = |at: usize| text.get(at..).and_then(|rest| rest.chars().next());
    let wide = |at: &usize| char_at(*at).filter(|c| !c.is_ascii() && is_space(*c));
    for (at, space) in places.filter_map(|at| Some((at, wide(&at)?))) {
        let is_counted = at == 0 || is_ascii_space(text.as_bytes()[at - 1]);
        let begins = char_at(at + space.len_utf8()).is_some_and(|next| !is_space(next));
        words = words + usize::from(begins) - usize::from(is_counted);
    }
    words
}

/// What Python takes for white space among ASCII.
fn is_ascii_space(byte: u8) -> bool {
    // Without a branch, for the sake of those who count.
    (byte.wrapping_sub(b'\t') < 5) | (byte.wrapping_sub(0x1c) < 5)
}

/// `numerator / denominator` rounded to the nearest whole number, a half to the even one.
fn round_half_even(numerator: usize, denominator: usize) -> usize {
    let (whole, rest) = (numerator / denominator, numerator % denominator);
    let up = match (2 * rest).cmp(&denominator) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => whole % 2 == 1,
        std::cmp::Ordering::Greater => true,
    };
    whole + usize::from(up)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> usize {
        count(text, Method::O200kBase)
    }

    #[test]
    fn every_character_is_a_word_or_none() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}b");
            let words = if is_space(c) { 2 } else { 1 };
            assert_eq!(Size::of(&text), Size { chars: 3, words }, "{c:?}");
        }
    }

    #[test]
    fn a_size_is_that_of_split_whatever_stands_where_blocks_meet() {
        let pieces = [
            "word",
            " ",
            "\u{1f}",
            "é",
            "\u{3000}",
            "🚚",
            "\n\n",
            "\u{85}x",
            "\u{7f}",
            "\u{1680}",
            "—✓\u{205f}",
        ];
        for seed in 0..400_usize {
            let (mut state, mut text) = (seed, String::new());
            for _ in 0..seed {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(pieces[(state >> 33) % pieces.len()]);
            }
            let words = text.split(is_space).filter(|word| !word.is_empty()).count();
            assert_eq!(Size::of(&text), Size { chars: text.chars().count(), words }, "{text:?}");
        }
    }

    fn approximate(text: &str) -> usize {
        count(text, Method::Heuristic)
    }

    // Every expected number below is what tiktoken 0.14.0 answers, except where a comment says otherwise.

    #[test]
    fn exact_counts_are_those_of_tiktoken() {
        let cases = [
            ("", 0),
            ("hello world", 2),
            ("I'll say we've DON'T can’t", 6),
            ("line one\r\nline two\r\n\r\n\tend", 7),
            ("   x    \n\n  y", 5),
            ("12345678 3.14159 0xdeadbeef", 14),
            ("def f(x):\n    return x ** 2  # square\n", 14),
            (r#"{"type":"tool_result","content":"a\nb"}"#, 12),
            ("camelCaseHTTPServer snake_case", 6),
            ("a/b//c///d\n/", 8),
        ];
        for (text, tokens) in cases {
            assert_eq!(exact(text), tokens, "{text:?}");
        }
    }

    #[test]
    fn exact_counts_hold_for_every_script() {
        let cases = [
            ("日本語のテキストと汉字、한국어", 12),
            ("👨‍👩‍👧‍👦 👍🏽 🇩🇪", 18),
            ("Größe ÄÖÜ naïve", 7),
            ("नमस्ते दुनिया", 5),
            ("│ ok │ ✓ ── → …", 9),
            ("e\u{301}\u{301} \u{200d}\u{feff}", 5),
            ("\u{1c}\u{1f}\u{85}\u{a0}\u{3000}a", 7),
        ];
        for (text, tokens) in cases {
            assert_eq!(exact(text), tokens, "{text:?}");
        }
    }

    #[test]
    fn names_of_special_tokens_are_content() {
        assert_eq!(exact("<|endoftext|>"), 7);
        assert_eq!(exact("a<|endofprompt|>b"), 9);
        assert_eq!(exact("<|fim_prefix|>"), 6);
    }

    #[test]
    fn a_million_characters_without_a_break_are_counted() {
        let cases = [
            ("a", 1_000_000, 125_000),
            ("-", 1_000_000, 15_625),
            ("\n", 1_000_000, 62_500),
            ("ab", 500_000, 250_000),
            ("中", 200_000, 200_000),
            ("😀", 200_000, 200_000),
            // tiktoken gives up on this one; its longest run of spaces in one token is 128.
            (" ", 1_000_000, 7_813),
        ];
        for (text, times, tokens) in cases {
            assert_eq!(exact(&text.repeat(times)), tokens, "{text:?} × {times}");
        }
    }

    #[test]
    fn threads_share_one_table_and_agree() {
        let texts: Vec<String> = (0..200).map(|n| format!("word{n} ")).collect();
        let alone: Vec<usize> = texts.iter().map(|text| exact(text)).collect();
        let together = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| texts.iter().map(|text| exact(text)).collect::<Vec<_>>()))
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(together.iter().all(|counts| *counts == alone));
    }

    // The expected numbers of the heuristic were worked out in Python.

    #[test]
    fn a_blank_text_is_no_token_by_heuristic() {
        for text in ["", " \n\t", "\u{1c}\u{1f}", "\u{2028}\u{3000}"] {
            assert_eq!(approximate(text), 0, "{text:?}");
        }
    }

    #[test]
    fn heuristic_counts_are_those_of_the_reference() {
        let cases = [
            ("a", 1),
            ("hello world", 3),
            ("I'm  here\r\n\r\nnow ", 4),
            ("a\u{1c}b\u{1f}c d", 4),
            ("a\u{85}b\u{3000}c", 3),
            ("a\u{200b}b c", 2),
            ("日本語 テスト", 2),
            ("e\u{301}\u{301} x", 2),
        ];
        for (text, tokens) in cases {
            assert_eq!(approximate(text), tokens, "{text:?}");
        }
        assert_eq!(approximate(&"x".repeat(4000)), 501);
        assert_eq!(approximate(&"word ".repeat(1000)), 1292);
    }

    #[test]
    fn heuristic_rounds_a_half_to_the_even_number() {
        // Three words of 12, 20, 28 and 36 characters give 3.5, 4.5, 5.5 and 6.5.
        let rounded =
            [12, 20, 28, 36].map(|chars| approximate(&format!("a a {}", "a".repeat(chars - 4))));
        assert_eq!(rounded, [4, 4, 6, 6]);
    }

    #[test]
    fn estimate_takes_four_characters_a_token_rounded_up() {
        assert_eq!([0, 1, 4, 5, 4000].map(estimate), [0, 1, 1, 2, 1000]);
    }

    #[test]
    fn methods_are_named_as_reports_name_them() {
        assert_eq!(Method::O200kBase.name(), "o200k_base");
        assert_eq!(Method::Heuristic.name(), "approximate");
        assert_eq!(Method::default(), Method::O200kBase);
    }
}
