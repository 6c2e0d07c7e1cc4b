//! What an output is made of: a header that the shell of Codex puts before it, lines of a file,
//! numbers that a reader puts before those.

use memchr::memmem;

use super::super::lines::header_block;
use crate::python::{decimal_value, is_space};

/// What is known of an output from its text alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Where its body begins, in bytes: behind the header.
    body: usize,
    /// Whether it says that the call failed, or is still running.
    pub is_failure: bool,
    numbered: Option<Numbered>,
}

/// An output without its header.
#[derive(Debug, Clone, Copy)]
pub struct Output<'t> {
    pub body: &'t str,
    pub numbered: Option<Numbered>,
}

/// Lines of a file, each behind its number, in order and without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbered {
    /// The number of the first, from 1 on.
    pub first: usize,
    /// How many there are, at least 1.
    pub count: usize,
}

impl Shape {
    pub fn of(text: &str) -> Shape {
        let body = body_of(text);
        let header = &text[..text.len() - body.len()];
        Shape {
            body: text.len() - body.len(),
            is_failure: header.split('\n').any(tells_of_no_success)
                || memmem::find(text.as_bytes(), b"<tool_use_error>").is_some(),
            numbered: numbered(body),
        }
    }

    /// The output of this shape; `text` is the one that the shape was found of.
    pub fn of_text(self, text: &str) -> Output<'_> {
        Output { body: text.get(self.body..).unwrap_or(text), numbered: self.numbered }
    }
}

impl<'t> Output<'t> {
    /// Its body as the lines of a file.
    pub fn file_lines(&self) -> impl Iterator<Item = &'t str> {
        file_lines(self.body)
    }

    /// What stands behind the numbers; only for an output that has them.
    pub fn numbered_lines(&self) -> impl Iterator<Item = &'t str> {
        let rows = self.body.trim_end_matches('\n').split('\n');
        rows.filter_map(|row| numbered_line(row).map(|(_, line)| line))
    }
}

impl Numbered {
    pub fn last(self) -> usize {
        self.first + self.count - 1
    }
}

/// The lines of a file that holds this text: a line feed ends a line, and an empty file has none.
pub fn file_lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = (!text.is_empty()).then(|| text.strip_suffix('\n').unwrap_or(text).split('\n'));
    lines.into_iter().flatten()
}

/// An output behind its header, which ends in a line `Output:`.
fn body_of(text: &str) -> &str {
    let Some(header) = header_block(text) else { return text };
    text.splitn(header + 2, '\n').nth(header + 1).unwrap_or("")
}

fn tells_of_no_success(header: &str) -> bool {
    let Some(code) = header.strip_prefix("Process exited with code ") else {
        return header.starts_with("Process running");
    };
    let end = code.find(|c| decimal_value(c).is_none()).unwrap_or(code.len());
    !matches!(&code[..end], "" | "0")
}

fn numbered(body: &str) -> Option<Numbered> {
    let mut first = None;
    let mut count: usize = 0;
    for row in body.trim_end_matches('\n').split('\n') {
        let (number, _) = numbered_line(row)?;
        if number != first.get_or_insert(number).checked_add(count)? {
            return None;
        }
        count += 1;
    }
    Some(Numbered { first: first?, count })
}

/// A line of `cat -n`: white space, a number from 1 on, a tab or an arrow, and the line itself. A
/// number that does not fit is none: no file has so many lines.
fn numbered_line(row: &str) -> Option<(usize, &str)> {
    // Mostly the white space is spaces, and those are quick to pass.
    let row = row.trim_ascii_start().trim_start_matches(is_space);
    let digits = row.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = row.split_at(digits);
    let line = rest.strip_prefix('\t').or_else(|| rest.strip_prefix('→'))?;
    let number = number.parse().ok().filter(|_| !number.starts_with('0'))?;
    Some((number, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_no_part_of_the_output() {
        let body = |text| Shape::of(text).of_text(text).body;
        assert_eq!(
            body("Chunk ID: 1\nProcess exited with code 0\nOutput:\na\nOutput:\n"),
            "a\nOutput:\n"
        );
        assert_eq!(body("Output:\na"), "a");
        assert_eq!(body("Wall time: 1\nOutput:"), "");
        assert_eq!(body("Wall time: 1\na"), "Wall time: 1\na");
    }

    #[test]
    fn a_header_or_an_error_tag_says_that_a_call_failed() {
        let is_failure = |text| Shape::of(text).is_failure;
        for text in [
            "Process exited with code 1\nOutput:\n",
            "Process exited with code 00\nOutput:\n",
            "Process running with session ID 7\nOutput:\n",
            "a <tool_use_error>b",
        ] {
            assert!(is_failure(text), "{text}");
        }
        for text in [
            "Process exited with code 0\nOutput:\nProcess exited with code 1",
            "Process exited with code 0x\nOutput:\n",
            "Process exited with code x\nOutput:\n",
            "Process exited with code 1\n",
        ] {
            assert!(!is_failure(text), "{text}");
        }
    }

    #[test]
    fn lines_are_numbered_when_each_has_the_next_number() {
        let numbered = |text| Shape::of(text).numbered.map(|it| (it.first, it.last()));
        assert_eq!(numbered("\u{1f} 9\ta\n10→b\tc\n11\t\n\n\n"), Some((9, 11)));
        for text in ["", "a", "1\ta\n3\tb", "1\ta\n\n2\tb", "01\ta", "0\ta", "1 a", "1\ta\nb", "1"]
        {
            assert_eq!(numbered(text), None, "{text}");
        }
        assert_eq!(numbered("18446744073709551615\ta\n18446744073709551616\tb"), None);
    }

    #[test]
    fn an_empty_file_has_no_line() {
        let lines = |text| file_lines(text).collect::<Vec<_>>();
        assert!(lines("").is_empty());
        assert_eq!(lines("\n"), [""]);
        assert_eq!(lines("a\n\n"), ["a", ""]);
        assert_eq!(lines("a\r\nb"), ["a\r", "b"]);
    }
}
