//! The entry that the detail pane shows, as lines, and how far it is scrolled.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr_iter;
use unicode_width::UnicodeWidthStr;

use super::wrap;
use crate::compact::plan::{Decision, Output};
use crate::sanitise;
use crate::session::{Entry, Kind};

/// Colours of a text, one list of spans a line; a span's length counts bytes of the sanitised line.
pub type Highlighting = Vec<Vec<(usize, Token)>>;

/// What a piece of highlighted text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    Plain,
    Comment,
    Keyword,
    String,
    Number,
    Name,
    Added,
    Removed,
    Hunk,
}

/// What a part of the shown text is in the compacted session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// It stays as it is.
    Kept,
    /// The pointer that stands in its place.
    Note,
    /// It is taken out.
    Cut,
    /// Said by the screen, not by the session.
    Marker,
}

/// One line to show. A line of the session that is very long is shown as several.
#[derive(Debug, Clone)]
pub struct Line {
    pub tone: Tone,
    text: Arc<str>,
    range: Range<usize>,
    /// Its place in the highlighting of the text.
    pub source: usize,
}

/// What the pane shows and where it stands.
#[derive(Debug, Clone)]
pub struct Detail {
    /// The entry shown; `None` while the list is empty.
    pub entry: Option<usize>,
    pub lines: Vec<Line>,
    /// First line shown, and of that line the first row.
    pub top: (usize, usize),
    /// First column shown when lines are not wrapped.
    pub left: usize,
    pub wrap: bool,
    pub highlighting: Option<Highlighting>,
}

/// Bytes of one shown line: bounds what one line costs to lay out.
const LINE_BYTES: usize = 4096;

impl Default for Detail {
    fn default() -> Detail {
        Detail {
            entry: None,
            lines: Vec::new(),
            top: (0, 0),
            left: 0,
            wrap: true,
            highlighting: None,
        }
    }
}

/// The text that stands for an entry in the pane: a call's input is indented JSON, anything else
/// its content.
pub fn shown_text(entry: &Entry) -> Arc<str> {
    if matches!(entry.kind, Kind::Call { .. })
        && let Ok(input) = serde_json::from_str::<serde_json::Value>(&entry.content)
        && let Ok(pretty) = serde_json::to_string_pretty(&input)
    {
        return pretty.into();
    }
    entry.content.clone()
}

impl Detail {
    /// Shows an entry as its decision leaves it: what is kept, the pointer, what is cut.
    /// Stays where it is scrolled to when it is the entry shown already.
    pub fn show(&mut self, index: usize, entry: &Entry, decision: Option<&Decision>) {
        if self.entry != Some(index) {
            self.entry = Some(index);
            self.top = (0, 0);
            self.left = 0;
            self.highlighting = None;
        }
        self.lines = lines_of(&shown_text(entry), decision);
        self.top.0 = self.top.0.min(self.lines.len().saturating_sub(1));
    }

    pub fn clear(&mut self) {
        *self = Detail { wrap: self.wrap, ..Detail::default() };
    }

    /// Scrolls by rows of a pane of that size, as far as the last row.
    pub fn scroll(&mut self, by: isize, width: usize, height: usize) {
        for _ in 0..by.unsigned_abs() {
            let moved = if by > 0 { self.row_down(width, height) } else { self.row_up(width) };
            if !moved {
                break;
            }
        }
    }

    fn row_down(&mut self, width: usize, height: usize) -> bool {
        if !self.reaches_below(width, height) {
            return false;
        }
        let (line, row) = self.top;
        self.top = if row + 1 < self.rows(line, width) { (line, row + 1) } else { (line + 1, 0) };
        true
    }

    fn row_up(&mut self, width: usize) -> bool {
        let (line, row) = self.top;
        self.top = match (line, row) {
            (0, 0) => return false,
            (_, 0) => (line - 1, self.rows(line - 1, width) - 1),
            _ => (line, row - 1),
        };
        true
    }

    /// Whether rows are left below a pane of that height.
    fn reaches_below(&self, width: usize, height: usize) -> bool {
        let (first, skipped) = self.top;
        let mut rows = 0;
        for line in first..self.lines.len() {
            rows += self.rows(line, width);
            if rows > height + skipped {
                return true;
            }
        }
        false
    }

    /// Scrolls to the first place that is found, given as a byte of a drawn line, a little above
    /// it in a pane of that width.
    pub fn reveal(&mut self, find: impl Fn(&str) -> Option<usize>, width: usize) {
        const CONTEXT: usize = 2;
        let found = self.lines.iter().enumerate().find_map(|(at, line)| {
            let text = line.text();
            find(&text).map(|byte| (at, byte, text.into_owned()))
        });
        let Some((line, byte, text)) = found else { return };
        if self.wrap {
            let row = wrap::rows(&text, width).iter().take_while(|row| row.end <= byte).count();
            self.top = (line, row);
        } else {
            self.top = (line, 0);
            let column = text[..byte].width();
            self.left = if column < width { 0 } else { column - width / 2 };
        }
        for _ in 0..CONTEXT {
            self.row_up(width);
        }
    }

    /// Columns of the widest of so many lines from the first shown one on.
    pub fn widest(&self, height: usize) -> usize {
        let shown = self.lines.iter().skip(self.top.0).take(height);
        shown.map(|line| line.text().width()).max().unwrap_or(0)
    }

    pub fn to_start(&mut self) {
        self.top = (0, 0);
        self.left = 0;
    }

    pub fn to_end(&mut self, width: usize, height: usize) {
        self.top = (self.lines.len(), 0);
        for _ in 0..height.max(1) {
            if !self.row_up(width) {
                break;
            }
        }
    }

    fn rows(&self, line: usize, width: usize) -> usize {
        if self.wrap { wrap::rows(&self.lines[line].text(), width).len() } else { 1 }
    }
}

impl Line {
    /// The line as it may be drawn.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        sanitise::line(&self.text[self.range.clone()])
    }
}

fn lines_of(text: &Arc<str>, decision: Option<&Decision>) -> Vec<Line> {
    let mut lines = Vec::new();
    let whole = 0..text.len();
    match decision.map(|decision| &decision.output) {
        None | Some(Output::Whole) => push_lines(&mut lines, Tone::Kept, text, whole),
        Some(Output::Prefix(bytes)) => {
            push_lines(&mut lines, Tone::Kept, text, 0..*bytes);
            push_marker(&mut lines, "╌╌ cut ╌╌");
            push_lines(&mut lines, Tone::Cut, text, *bytes..text.len());
        }
        Some(Output::Note(note)) => {
            push_lines(&mut lines, Tone::Note, note, 0..note.len());
            push_marker(&mut lines, "╌╌ removed ╌╌");
            push_lines(&mut lines, Tone::Cut, text, whole);
        }
        Some(Output::Ends { text: trimmed, head, tail }) => {
            push_lines(&mut lines, Tone::Kept, text, 0..*head);
            push_lines(&mut lines, Tone::Note, trimmed, *head..trimmed.len() - tail);
            push_marker(&mut lines, "╌╌ cut ╌╌");
            push_lines(&mut lines, Tone::Cut, text, *head..text.len() - tail);
            push_marker(&mut lines, "╌╌ kept ╌╌");
            push_lines(&mut lines, Tone::Kept, text, text.len() - tail..text.len());
        }
        Some(Output::Gone) => {
            push_marker(&mut lines, "╌╌ removed ╌╌");
            push_lines(&mut lines, Tone::Cut, text, whole);
        }
    }
    lines
}

fn push_marker(lines: &mut Vec<Line>, marker: &str) {
    let text: Arc<str> = marker.into();
    lines.push(Line { tone: Tone::Marker, range: 0..text.len(), text, source: 0 });
}

fn push_lines(lines: &mut Vec<Line>, tone: Tone, text: &Arc<str>, range: Range<usize>) {
    let mut start = range.start;
    let ends = memchr_iter(b'\n', &text.as_bytes()[range.clone()]).map(|at| range.start + at);
    for (source, end) in ends.chain([range.end]).enumerate() {
        push_line(lines, tone, text, start..end, source);
        start = end + 1;
    }
}

fn push_line(
    lines: &mut Vec<Line>,
    tone: Tone,
    text: &Arc<str>,
    range: Range<usize>,
    source: usize,
) {
    let mut start = range.start;
    loop {
        let mut end = range.end.min(start + LINE_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // Only a line that is whole has its own colours; the parts of a split one have none.
        let whole = start == range.start && end == range.end;
        let source = if whole { source } else { usize::MAX };
        lines.push(Line { tone, text: text.clone(), range: start..end, source });
        start = end;
        if start >= range.end {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(content: &str) -> Entry {
        Entry {
            message: None,
            line: 1,
            kind: Kind::Text,
            content: content.into(),
            chars: content.chars().count(),
        }
    }

    fn shown(content: &str, output: Output) -> Vec<(Tone, String)> {
        let decision = Decision { output, ..Decision::kept(0) };
        let mut detail = Detail::default();
        detail.show(0, &entry(content), Some(&decision));
        detail.lines.iter().map(|line| (line.tone, line.text().into_owned())).collect()
    }

    #[test]
    fn a_trimmed_text_shows_what_is_kept_then_what_is_cut() {
        assert_eq!(
            shown("one\ntwo", Output::Prefix(5)),
            [
                (Tone::Kept, "one".into()),
                (Tone::Kept, "t".into()),
                (Tone::Marker, "╌╌ cut ╌╌".into()),
                (Tone::Cut, "wo".into())
            ]
        );
    }

    #[test]
    fn a_pointer_stands_before_what_it_replaces() {
        assert_eq!(
            shown("gone", Output::Note("[identical output kept at a]".into())),
            [
                (Tone::Note, "[identical output kept at a]".into()),
                (Tone::Marker, "╌╌ removed ╌╌".into()),
                (Tone::Cut, "gone".into())
            ]
        );
    }

    #[test]
    fn scrolling_stops_at_the_last_row_and_counts_wrapped_rows() {
        let mut detail = Detail::default();
        detail.show(0, &entry(&format!("{}\nlast", "x".repeat(25))), None);
        // Ten columns: three rows for the first line, one for the last.
        detail.scroll(99, 10, 2);
        assert_eq!(detail.top, (0, 2));
        detail.scroll(-1, 10, 2);
        assert_eq!(detail.top, (0, 1));
        detail.to_end(10, 1);
        assert_eq!(detail.top, (1, 0));
    }

    #[test]
    fn a_very_long_line_is_shown_in_bounded_parts_and_loses_nothing() {
        let long = "é".repeat(5000);
        let parts = shown(&long, Output::Whole);
        assert!(parts.len() > 1 && parts.iter().all(|(_, part)| part.len() <= LINE_BYTES));
        assert_eq!(parts.into_iter().map(|(_, part)| part).collect::<String>(), long);
    }

    #[test]
    fn a_call_is_shown_as_indented_json() {
        let call = Entry {
            kind: Kind::Call { id: "a".into(), tool: "Bash".into(), result: None },
            ..entry(r#"{"command": "ls"}"#)
        };
        assert_eq!(&*shown_text(&call), "{\n  \"command\": \"ls\"\n}");
    }
}
