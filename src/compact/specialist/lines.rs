//! Lines as the reference's language has them.

use std::ops::Range;

use crate::python::is_space;

/// The lines of a text, each with what ends it (`str.splitlines(keepends=True)`).
pub(super) struct Lines<'t> {
    text: &'t [u8],
    at: usize,
    /// The end of the stretch up to the last newline that was looked for, found once for all the
    /// lines in it.
    stretch: usize,
    /// Whether something in that stretch may end a line other than its newline.
    is_odd: bool,
}

impl<'t> Lines<'t> {
    /// The lines from byte `from` on.
    pub fn new(text: &'t str, from: usize) -> Lines<'t> {
        Lines { text: text.as_bytes(), at: from, stretch: from, is_odd: false }
    }

    /// Where the next line begins.
    pub fn position(&self) -> usize {
        self.at
    }
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        if start >= self.text.len() {
            return None;
        }
        if start >= self.stretch {
            let rest = &self.text[start..];
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let until_newline = rest[..length].strip_suffix(b"\n").unwrap_or(&rest[..length]);
            self.is_odd =
                until_newline.iter().fold(false, |odd, byte| odd | can_begin_a_line_end(*byte));
            self.stretch = start + length;
        }
        let rest = &self.text[start..self.stretch];
        let length = if self.is_odd { first_line(rest) } else { rest.len() };
        self.at = start + length;
        Some(start..self.at)
    }
}

/// The length of the first line of a text, what ends it included.
fn first_line(text: &[u8]) -> usize {
    let ends = (0..text.len()).filter(|at| can_begin_a_line_end(text[*at]));
    let found = ends.map(|at| (at, line_end(&text[at..]))).find(|end| end.1 > 0);
    found.map_or(text.len(), |(at, length)| at + length)
}

#[inline]
fn can_begin_a_line_end(byte: u8) -> bool {
    byte.wrapping_sub(b'\n') <= 0x1e - b'\n' || byte == 0xc2 || byte == 0xe2
}

/// How many bytes of a line end `rest` begins with; 0 when it begins with none.
#[inline]
fn line_end(rest: &[u8]) -> usize {
    match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r' | 0x0b | 0x0c | 0x1c..=0x1e, ..] => 1,
        [0xc2, 0x85, ..] => 2,
        [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
        _ => 0,
    }
}

/// Whether `str.strip` leaves nothing.
#[inline]
pub(super) fn is_blank(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(byte) if (0x21..0x7f).contains(byte) => false,
        _ => line.chars().all(is_space),
    }
}

/// `str.rstrip("\r\n")`.
pub(super) fn without_newline(line: &str) -> &str {
    line.trim_end_matches(['\r', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_python_ends_them() {
        let text =
            "a\r\nb\rc\n\nd\u{b}e\u{c}f\u{1c}g\u{1d}h\u{1e}i\u{85}j\u{2028}k\u{2029}é\u{1f}…";
        let lines: Vec<_> = Lines::new(text, 0).map(|line| &text[line]).collect();
        assert_eq!(
            lines,
            [
                "a\r\n",
                "b\r",
                "c\n",
                "\n",
                "d\u{b}",
                "e\u{c}",
                "f\u{1c}",
                "g\u{1d}",
                "h\u{1e}",
                "i\u{85}",
                "j\u{2028}",
                "k\u{2029}",
                "é\u{1f}…"
            ]
        );
    }
}
