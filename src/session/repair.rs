//! Mends for bytes that are almost JSON.

use std::borrow::Cow;

/// The mark that some programs write before UTF-8 text.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// What a lone surrogate becomes. As long as what it replaces, so that no offset moves.
const REPLACEMENT: &[u8; 6] = b"\\ufffd";

/// Bytes as text; what is no UTF-8 becomes U+FFFD. Valid text is checked at full speed, which the
/// standard library's lossy reading is not.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// Replaces every escape of half a surrogate pair by that of U+FFFD. JSON allows them, a Rust
/// string cannot hold them. The text keeps its length; `Borrowed` when there was none.
pub(super) fn surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut mended: Option<Vec<u8>> = None;
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[from..]) {
        let at = from + found;
        let Some(unit) = escaped_unit(&bytes[at..]) else {
            // An escaped backslash is two bytes: the second one starts nothing.
            from = (at + 2).min(bytes.len());
            continue;
        };
        let paired = is_high(unit) && escaped_unit(&bytes[at + 6..]).is_some_and(is_low);
        if paired {
            from = at + 12;
            continue;
        }
        if is_high(unit) || is_low(unit) {
            let copy = mended.get_or_insert_with(|| bytes.to_vec());
            copy[at..at + 6].copy_from_slice(REPLACEMENT);
        }
        from = at + 6;
    }
    match mended.map(String::from_utf8) {
        Some(Ok(mended)) => Cow::Owned(mended),
        _ => Cow::Borrowed(text),
    }
}

/// The UTF-16 unit of a `\uXXXX` escape at the start of `bytes`.
fn escaped_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.get(..6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some((unit << 4) | u16::try_from(value).ok()?)
    })
}

fn is_high(unit: u16) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

/// Why the parser stopped, in words that hold nothing of the text.
pub(super) fn reason(error: &serde_json::Error) -> &'static str {
    if error.is_eof() {
        "it is cut off"
    } else if error.to_string().starts_with("recursion limit") {
        "it is nested too deeply"
    } else if error.is_data() {
        "it is not of the shape it should be"
    } else {
        "it is not JSON"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_are_left() {
        assert_eq!(surrogates(r#""x\ud83d""#), r#""x\ufffd""#);
        assert_eq!(surrogates(r#""\udc88y""#), r#""\ufffdy""#);
        assert_eq!(surrogates(r#""\uD83D\uD83D\uDE9A""#), r#""\ufffd\uD83D\uDE9A""#);
        assert!(matches!(surrogates(r#""\ud83d\ude9a \n é""#), Cow::Borrowed(_)));
    }

    #[test]
    fn an_escaped_backslash_before_u_is_no_escape() {
        assert!(matches!(surrogates(r#""C:\\ud83d""#), Cow::Borrowed(_)));
        assert_eq!(surrogates(r#""\\\ud83d""#), r#""\\\ufffd""#);
    }

    #[test]
    fn an_escape_cut_off_at_the_end_is_left() {
        assert!(matches!(surrogates(r"\ud8"), Cow::Borrowed(_)));
        assert!(matches!(surrogates("\\"), Cow::Borrowed(_)));
    }
}
