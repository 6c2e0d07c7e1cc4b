//! A result cut to its ends, with a note that says so.

/// What is left of a result's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trimmed {
    /// Head, note and tail.
    pub text: String,
    /// UTF-8 bytes at its beginning that are the original's beginning.
    pub head: usize,
    /// UTF-8 bytes at its end that are the original's end.
    pub tail: usize,
}

/// Keeps so many characters of `text` at its beginning and its end; no head keeps nothing at all,
/// and the end is kept only where it does not meet the head. `program` is the name in the note,
/// whose length decides whether a trim pays.
pub(super) fn trim(text: &str, head: usize, tail: usize, tool: &str, program: &str) -> Trimmed {
    if head == 0 {
        return Trimmed { text: String::new(), head: 0, tail: 0 };
    }
    let chars = text.chars().count();
    let kept_tail = if chars > head + tail { tail } else { 0 };
    let start = &text[..byte_of(text, head)];
    let end = &text[byte_of_last(text, kept_tail)..];
    // The reference's count is below zero where the head reaches beyond the text.
    let removed = chars as i128 - head as i128 - kept_tail as i128;
    let mut trimmed = format!(
        "{start}\n[... {program}: {removed} chars of this tool result dropped; \
         re-run {tool} for the rest ...]"
    );
    if !end.is_empty() {
        trimmed.push('\n');
        trimmed.push_str(end);
    }
    Trimmed { text: trimmed, head: start.len(), tail: end.len() }
}

/// The byte at which the character with this number starts, counting from 0.
fn byte_of(text: &str, char: usize) -> usize {
    text.char_indices().nth(char).map_or(text.len(), |(at, _)| at)
}

/// The byte at which the last so many characters start.
fn byte_of_last(text: &str, chars: usize) -> usize {
    let Some(before) = chars.checked_sub(1) else { return text.len() };
    text.char_indices().nth_back(before).map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_kept_word_for_word() {
        let trimmed = trim("äbcdefghß", 2, 3, "Read", "x");
        assert_eq!(
            trimmed.text,
            "äb\n[... x: 4 chars of this tool result dropped; re-run Read for the rest ...]\nghß"
        );
        assert_eq!((trimmed.head, trimmed.tail), (3, 4));
    }

    #[test]
    fn an_end_that_meets_the_head_is_left_out() {
        let trimmed = trim("abcde", 2, 3, "Read", "x");
        assert!(trimmed.text.starts_with("ab\n[... x: 3 chars"), "{}", trimmed.text);
        assert_eq!(trimmed.tail, 0);
        assert!(trim("abc", 5, 0, "Read", "x").text.starts_with("abc\n[... x: -2 chars"));
    }

    #[test]
    fn no_head_keeps_nothing() {
        assert_eq!(trim("abc", 0, 3, "Read", "x").text, "");
    }
}
