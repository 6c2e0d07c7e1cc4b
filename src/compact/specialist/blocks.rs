//! Blocks: fenced code and paragraphs, cut at line ends where they are too long.

use std::ops::Range;

use super::lines::{Lines, is_blank, without_newline};

/// A block shorter than this is never judged, and none ends in a piece shorter than this.
pub(super) const SHORTEST: usize = 80;
/// A block longer than this is cut.
const LONGEST: usize = 6000;

/// A block of a text, in bytes, and its length in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub bytes: Range<usize>,
    pub chars: usize,
}

/// The blocks of `text` from byte `from` on, and where the last passage begins: what is appended
/// to the text can change the blocks from there on, and no others.
pub(super) fn split(text: &str, from: usize) -> (Vec<Span>, usize) {
    let mut blocks = Vec::new();
    let mut last = from;
    for passage in Passages::new(text, from) {
        last = passage.start;
        cut(text, passage, &mut blocks);
    }
    (blocks, last)
}

/// Fenced runs, whole, and paragraphs; blank lines between are left out.
struct Passages<'t> {
    text: &'t str,
    lines: Lines<'t>,
    /// A line that was read ahead.
    next: Option<Range<usize>>,
}

impl<'t> Passages<'t> {
    fn new(text: &'t str, from: usize) -> Passages<'t> {
        Passages { text, lines: Lines::new(text, from), next: None }
    }

    /// The end of the fence that was opened: a fence that nothing closes runs to the end.
    fn fenced(&mut self, opener: Fence) -> usize {
        self.lines.find(|line| opener.is_closed_by(&self.text[line.clone()]));
        self.lines.position()
    }

    fn paragraph(&mut self, first: Range<usize>) -> usize {
        let mut end = first.end;
        for line in self.lines.by_ref() {
            let content = &self.text[line.clone()];
            if is_blank(content) || Fence::opened_by(content).is_some() {
                self.next = Some(line);
                break;
            }
            end = line.end;
        }
        end
    }
}

impl Iterator for Passages<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let mut first = self.next.take().or_else(|| self.lines.next())?;
        while is_blank(&self.text[first.clone()]) {
            first = self.lines.next()?;
        }
        let start = first.start;
        let end = match Fence::opened_by(&self.text[first.clone()]) {
            Some(fence) => self.fenced(fence),
            None => self.paragraph(first),
        };
        Some(start..end)
    }
}

/// The mark of a fenced run: backticks or tildes.
#[derive(Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Fence> {
        let line = unindented(line).as_bytes();
        let mark = *line.first().filter(|mark| matches!(mark, b'`' | b'~'))?;
        let length = line.iter().take_while(|byte| **byte == mark).count();
        (length >= 3).then_some(Fence { mark, length })
    }

    fn is_closed_by(self, line: &str) -> bool {
        let line = unindented(without_newline(line)).as_bytes();
        let length = line.iter().take_while(|byte| **byte == self.mark).count();
        length >= self.length && line[length..].iter().all(|byte| matches!(byte, b' ' | b'\t'))
    }
}

fn unindented(line: &str) -> &str {
    line.trim_start_matches([' ', '\t'])
}

/// Cuts a passage that is too long after the last line end in the second half of what a block
/// may hold, or where a block is full. A rest too short to stand alone stays with what it follows.
fn cut(text: &str, passage: Range<usize>, blocks: &mut Vec<Span>) {
    let first = blocks.len();
    let mut rest = passage;
    while !rest.is_empty() {
        let piece = piece(&text[rest.clone()], rest.start);
        rest.start = piece.bytes.end;
        blocks.push(piece);
    }
    if blocks.len() - first >= 2 && blocks[blocks.len() - 1].chars < SHORTEST {
        let tail = blocks.pop().map_or(0..0, |tail| tail.bytes);
        if let Some(block) = blocks.last_mut() {
            block.chars += text[tail.clone()].chars().count();
            block.bytes.end = tail.end;
        }
    }
}

/// The first piece of a text that begins at byte `offset` of the whole.
fn piece(text: &str, offset: usize) -> Span {
    let whole =
        |end: usize| Span { bytes: offset..offset + end, chars: text[..end].chars().count() };
    if text.len() <= LONGEST {
        return whole(text.len());
    }
    let Some((full, _)) = text.char_indices().nth(LONGEST) else {
        return whole(text.len());
    };
    let half = text.char_indices().nth(LONGEST / 2).map_or(0, |(at, _)| at);
    match memchr::memrchr(b'\n', &text.as_bytes()[half..full]) {
        Some(newline) => whole(half + newline + 1),
        None => whole(full),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<&str> {
        split(text, 0).0.into_iter().map(|span| &text[span.bytes]).collect()
    }

    fn lengths(text: &str) -> Vec<usize> {
        split(text, 0).0.into_iter().map(|span| span.chars).collect()
    }

    #[test]
    fn blank_lines_separate_paragraphs_and_belong_to_none() {
        assert_eq!(blocks("\n a\nb\n \t\n\nc"), [" a\nb\n", "c"]);
        assert_eq!(blocks("a\u{2028}\u{2028}b"), ["a\u{2028}", "b"]);
        assert!(blocks("").is_empty());
        assert!(blocks(" \n\n").is_empty());
    }

    #[test]
    fn a_fence_runs_over_blank_lines_to_the_mark_that_closes_it() {
        assert_eq!(
            blocks("a\n ```rs\nx\n\n``\n```` \nb"),
            ["a\n", " ```rs\nx\n\n``\n```` \n", "b"]
        );
        assert_eq!(blocks("~~~~\nx\n\n~~~\n```\n"), ["~~~~\nx\n\n~~~\n```\n"]);
        assert_eq!(blocks("```\nx\n``` y\n\nz"), ["```\nx\n``` y\n\nz"]);
    }

    #[test]
    fn a_long_passage_is_cut_at_its_last_line_end_in_reach() {
        let text = format!("{}\n{}\n{}", "é".repeat(3500), "b".repeat(2000), "c".repeat(4000));
        assert_eq!(lengths(&text), [5502, 4000]);
        let text = format!("{}\n{}", "a".repeat(2000), "b".repeat(5000));
        assert_eq!(lengths(&text), [6000, 1001]);
    }

    #[test]
    fn a_short_rest_stays_with_the_piece_before_it() {
        assert_eq!(lengths(&"ü".repeat(6079)), [6079]);
        assert_eq!(lengths(&"ü".repeat(6080)), [6000, 80]);
        assert_eq!(lengths(&"ü".repeat(12_010)), [6000, 6010]);
    }

    #[test]
    fn what_follows_the_last_passage_changes_no_block_before_it() {
        for text in ["a\n\nb\n\nc\n\nd", "a\n\n```\nb\n\nc\n```\nd\n\ne", "a\n\n```\nb\n\nc"] {
            let whole = split(text, 0).0;
            for at in 1..text.len() {
                let (mut blocks, last) = split(&text[..at], 0);
                blocks.retain(|block| block.bytes.end <= last);
                blocks.extend(split(text, last).0);
                assert_eq!(blocks, whole, "{text:?} at {at}");
            }
        }
    }
}
