//! Where a line breaks, in columns.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The rows of a sanitised line at a width in columns, as byte ranges; never none. A word that
/// fits on a row is not broken; a grapheme never is.
pub fn rows(line: &str, width: usize) -> Vec<Range<usize>> {
    let width = width.max(1);
    let mut rows = Vec::new();
    let (mut start, mut columns) = (0, 0);
    // Where the row may end if the next word does not fit: just after a blank.
    let mut blank: Option<(usize, usize)> = None;
    for (at, grapheme) in line.grapheme_indices(true) {
        let wide = grapheme.width();
        if columns + wide > width && columns > 0 {
            let (end, kept) = blank.take().filter(|(end, _)| *end > start).unwrap_or((at, columns));
            rows.push(start..end);
            start = end;
            columns -= kept;
        }
        columns += wide;
        if grapheme == " " {
            blank = Some((at + 1, columns));
        }
    }
    rows.push(start..line.len());
    rows
}

/// The part of a line that a window of `width` columns shows which starts at column `left`.
pub fn window(line: &str, left: usize, width: usize) -> Range<usize> {
    let mut column = 0;
    let mut start = None;
    for (at, grapheme) in line.grapheme_indices(true) {
        if start.is_none() && column >= left {
            start = Some((at, column));
        }
        column += grapheme.width();
        if let Some((start, from)) = start
            && column - from > width
        {
            return start..at;
        }
    }
    start.map_or(line.len()..line.len(), |(start, _)| start..line.len())
}

/// A text cut to so many columns, with `…` where something was left out.
pub fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.into();
    }
    let mut kept = text[window(text, 0, width.saturating_sub(1))].to_string();
    if width > 0 {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(line: &str, width: usize) -> Vec<&str> {
        rows(line, width).into_iter().map(|row| &line[row]).collect()
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(wrapped("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("a bcdefghij", 4), ["a ", "bcde", "fghi", "j"]);
        assert_eq!(wrapped("", 4), [""]);
    }

    #[test]
    fn wide_characters_count_two_columns_and_are_not_split() {
        assert_eq!(wrapped("会話テスト", 5), ["会話", "テス", "ト"]);
        assert_eq!(wrapped("会", 1), ["会"]);
    }

    #[test]
    fn rows_cover_the_line_without_gap() {
        for width in 0..12 {
            let line = "the 数据 of a 🚚 long-word-that-does-not-fit e\u{301}nd ";
            assert_eq!(wrapped(line, width).concat(), line);
        }
    }

    #[test]
    fn a_window_scrolls_by_columns() {
        let line = "ab会話cd";
        assert_eq!(&line[window(line, 0, 4)], "ab会");
        assert_eq!(&line[window(line, 4, 3)], "話c");
        assert_eq!(&line[window(line, 99, 3)], "");
    }

    #[test]
    fn a_text_that_is_cut_says_so() {
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("会話テスト", 5), "会話…");
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abc", 0), "");
    }
}
