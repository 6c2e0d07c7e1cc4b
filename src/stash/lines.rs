//! A range of lines of a stashed text.

use std::str::FromStr;

use thiserror::Error;

use crate::python::lines_with_ends;

/// Lines from the first to the last, counting from 1, both included. A line ends where Python's
/// `str.splitlines` ends one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    first: usize,
    last: usize,
}

/// Why there are no such lines.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RangeError {
    #[error("lines must look like A-B or A, not {0:?}")]
    Malformed(String),
    #[error(
        "there are no lines {first}-{last}: lines count from 1, and the first must not be after the last"
    )]
    Empty { first: usize, last: usize },
    #[error("there are no lines {first}-{last}: the text has {lines}")]
    Outside { first: usize, last: usize, lines: usize },
}

impl FromStr for LineRange {
    type Err = RangeError;

    fn from_str(range: &str) -> Result<LineRange, RangeError> {
        let number = |digits: &str| {
            // `usize` would also read a sign.
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.parse().ok()).flatten()
        };
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (Some(first), Some(last)) = (number(first), number(last)) else {
            return Err(RangeError::Malformed(range.to_owned()));
        };
        if first < 1 || last < first {
            return Err(RangeError::Empty { first, last });
        }
        Ok(LineRange { first, last })
    }
}

impl LineRange {
    /// These lines with their ends, as they stand. A text that ends before the last line gives
    /// what it has.
    ///
    /// # Errors
    /// [`RangeError::Outside`] when it ends before the first line.
    pub fn of(self, text: &str) -> Result<&str, RangeError> {
        let LineRange { first, last } = self;
        let (mut lines, mut start, mut end) = (0, 0, 0);
        for line in lines_with_ends(text).take(last) {
            lines += 1;
            if lines == first {
                start = end;
            }
            end += line.len();
        }
        if lines < first {
            return Err(RangeError::Outside { first, last, lines });
        }
        Ok(&text[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(range: &str, text: &str) -> Result<String, String> {
        let range: LineRange = range.parse().map_err(|error: RangeError| error.to_string())?;
        range.of(text).map(str::to_owned).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_count_from_one_and_keep_their_ends() {
        let text = "a\nb\r\nc\u{2028}d";
        for (range, want) in [
            ("1-1", "a\n"),
            ("2", "b\r\n"),
            ("2-3", "b\r\nc\u{2028}"),
            ("4-99", "d"),
            ("1-4", text),
        ] {
            assert_eq!(lines(range, text).as_deref(), Ok(want), "{range}");
        }
    }

    #[test]
    fn a_range_outside_of_the_text_is_refused_with_how_many_lines_there_are() {
        let outside = |range, text| lines(range, text).unwrap_err();
        assert_eq!(outside("3-4", "a\nb\n"), "there are no lines 3-4: the text has 2");
        assert_eq!(outside("1", ""), "there are no lines 1-1: the text has 0");
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for range in ["", "-", "5-", "-5", "a", "1-b", "+1-2", "1-2-3", "1 - 2", "1:2", "٣"] {
            let error = format!("lines must look like A-B or A, not {range:?}");
            assert_eq!(lines(range, "x"), Err(error), "{range}");
        }
        for range in ["0-1", "0", "3-2"] {
            let error = lines(range, "x\ny\nz").unwrap_err();
            assert!(error.contains("lines count from 1"), "{range}: {error}");
        }
        let huge = "1-99999999999999999999999999";
        assert!(lines(huge, "x").is_err_and(|error| error.contains("must look like")));
    }
}
