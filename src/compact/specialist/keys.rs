//! Keys: what reads like a path, an identifier or an id.

use super::characters::{is_digit, is_letter, is_word};
use super::words::skip;

/// The least characters of a key.
const SHORTEST: usize = 6;

/// Calls `each` with every key of a text, as often as it comes. A path gives its last segment too.
pub(super) fn each_key<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let mut at = 0;
    loop {
        let start = skip(text, at, |c| !is_word(c), |byte| !is_key_byte(byte));
        at = skip(text, start, is_word, is_key_byte);
        if start == at {
            return;
        }
        if at - start >= SHORTEST {
            keys_of_run(&text[start..at], &mut each);
        }
    }
}

#[inline]
fn is_key_byte(byte: u8) -> bool {
    KINDS[byte as usize] != 0
}

fn keys_of_run<'t>(run: &'t str, each: &mut impl FnMut(&'t str)) {
    let key = run.trim_matches(['.', ',', '-', '~']);
    if !has_chars(run, SHORTEST) || !has_chars(key, SHORTEST) {
        return;
    }
    let kinds = key.bytes().fold(0, |kinds, byte| kinds | KINDS[byte as usize]);
    if kinds & SLASH != 0 {
        each(key);
        let last = key.rsplit('/').next().unwrap_or(key);
        if has_chars(last, SHORTEST) {
            each(last);
        }
    } else if is_identifier(key, kinds) {
        each(key);
    }
}

/// Whether it is joined by underscores or dots, has a hump, or has digits among letters.
fn is_identifier(key: &str, kinds: u8) -> bool {
    let has = |wanted: u8| kinds & wanted == wanted;
    let hump = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    kinds & JOINT != 0
        || (has(LOWER | UPPER) && key.as_bytes().windows(2).any(hump))
        || (kinds & DIGIT != 0 && kinds & (LOWER | UPPER) != 0)
        || (kinds & BEYOND != 0 && key.chars().any(is_digit) && key.chars().any(is_letter))
}

const SLASH: u8 = 1;
const JOINT: u8 = 1 << 1;
const DIGIT: u8 = 1 << 2;
const LOWER: u8 = 1 << 3;
const UPPER: u8 = 1 << 4;
const MARK: u8 = 1 << 5;
/// Part of a character beyond ASCII.
const BEYOND: u8 = 1 << 6;

/// What each byte can be in a key; 0 for what ends one.
static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'/' => SLASH,
            b'_' | b'.' => JOINT,
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'~' | b'@' | b'-' => MARK,
            0x80.. => BEYOND,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// Whether a key names a place among files or modules.
pub(super) fn is_path(key: &str) -> bool {
    key.contains(['/', '.'])
}

fn has_chars(text: &str, least: usize) -> bool {
    text.len() >= least && text.chars().nth(least - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<&str> {
        let mut keys = Vec::new();
        each_key(text, |key| keys.push(key));
        keys
    }

    #[test]
    fn paths_count_whole_and_by_their_last_segment() {
        assert_eq!(keys("see ./src/parser.rs, a/b/c"), ["/src/parser.rs", "parser.rs"]);
        assert_eq!(keys("src/étude/größen"), ["src/étude/größen", "größen"]);
        assert_eq!(keys("folder/"), ["folder/"]);
    }

    #[test]
    fn identifiers_have_joints_humps_or_digits() {
        assert_eq!(
            keys("max_len camelCase DE-4471 abc123 ab²cde user@host.org"),
            ["max_len", "camelCase", "DE-4471", "abc123", "ab²cde", "user@host.org"]
        );
        assert!(keys("wordwordword UPPERCASE 1234567 well-known ab½cde --flag").is_empty());
    }

    #[test]
    fn dots_hyphens_and_tildes_at_the_ends_are_not_part_of_a_key() {
        assert_eq!(keys("...a_bcde--- ~~x.y.z~~ -.a.b.-"), ["a_bcde"]);
    }
}
