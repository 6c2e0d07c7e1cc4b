//! Quotations: what somebody else said is evidence.

/// The least characters between two quotation marks.
const SHORTEST: usize = 12;

/// Whether a text has a passage of at least twelve characters between two quotation marks. An
/// apostrophe can open and close one and stand within; a double mark ends it.
pub(super) fn has_quotation(text: &str) -> bool {
    let mut opened = None;
    let mut at = 0;
    while let Some(found) = next_mark(text, at) {
        let Mark { start, end, kind } = found;
        at = end;
        if kind.closes && opened.is_some_and(|from: usize| is_long(&text[from..start])) {
            return true;
        }
        if kind.ends {
            opened = kind.opens.then_some(end);
        } else if opened.is_none() {
            opened = Some(end);
        }
    }
    false
}

#[derive(Clone, Copy)]
struct Kind {
    opens: bool,
    closes: bool,
    /// Nothing that was opened before goes on behind it.
    ends: bool,
}

struct Mark {
    start: usize,
    end: usize,
    kind: Kind,
}

/// The next `'`, `"`, `“` or `”`.
fn next_mark(text: &str, mut at: usize) -> Option<Mark> {
    let bytes = text.as_bytes();
    loop {
        let start = at + memchr::memchr3(b'\'', b'"', 0xe2, &bytes[at..])?;
        let kind = |opens, closes, ends| Kind { opens, closes, ends };
        let (length, kind) = match &bytes[start..] {
            [b'\'', ..] => (1, kind(true, true, false)),
            [b'"', ..] => (1, kind(true, true, true)),
            [0xe2, 0x80, 0x9c, ..] => (3, kind(true, false, true)),
            [0xe2, 0x80, 0x9d, ..] => (3, kind(false, true, true)),
            _ => {
                at = start + 1;
                continue;
            }
        };
        return Some(Mark { start, end: start + length, kind });
    }
}

fn is_long(passage: &str) -> bool {
    passage.len() >= SHORTEST && passage.chars().nth(SHORTEST - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_characters_between_marks_are_a_quotation() {
        for text in
            ["\"twelve chars\"", "“zwölf Zeiche”", "'a \u{e9}crit cela'", "x 'so it's long'"]
        {
            assert!(has_quotation(text), "{text}");
        }
        for text in [
            "\"eleven char\"",
            "“a long enough passage“",
            "”a long enough passage”",
            "'no end here",
        ] {
            assert!(!has_quotation(text), "{text}");
        }
    }

    #[test]
    fn the_farthest_apostrophes_count_and_double_marks_end_a_passage() {
        assert!(has_quotation("'a' b' c' d' e'"));
        assert!(!has_quotation("'a b c\" d e f' g\" h i"));
        assert!(has_quotation("\"\" \"quoted at last\""));
    }
}
