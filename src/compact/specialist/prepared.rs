//! What depends on a session alone.

use super::blocks::{self, Span};
use super::columns::Row;
use super::kinds::Kind;
use super::links::Links;
use super::parts::{Part, PartKind, render};
use super::reading::{Block, Library};
use super::session::{self, Standing};

/// A session read and indexed, for any question. It owns all it needs.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    pub(super) segments: Vec<Segment>,
    pub(super) kinds: Vec<Kind>,
    kind_names: Vec<(String, PartKind, Option<String>)>,
    pub(super) library: Library,
    pub(super) blocks: Vec<Block>,
    pub(super) places: Vec<Place>,
    /// The rendered text from the last passage on, and where that begins in bytes.
    tail: String,
    tail_start: usize,
    pub(super) standing: Standing,
    /// The columns of each block; those that depend on a question are 0.
    pub(super) rows: Vec<Row>,
    pub(super) links: Links,
}

/// Where a part stands in the rendered transcript, in bytes, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub start: usize,
    pub end: usize,
    pub message: usize,
    /// A number into the kinds.
    pub kind: usize,
}

/// Which part a block belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub segment: usize,
    /// Whether it is the first block of that part.
    pub starts_part: bool,
}

impl Prepared {
    /// Reads the parts of a session.
    pub fn new<'t>(parts: impl IntoIterator<Item = Part<'t>>) -> Prepared {
        let mut prepared = Prepared::default();
        prepared.extend(parts);
        prepared
    }

    /// Reads the parts that were appended. Blocks that are complete are not read again.
    pub fn extend<'t>(&mut self, parts: impl IntoIterator<Item = Part<'t>>) {
        let mut text = std::mem::take(&mut self.tail);
        let start = self.tail_start;
        for part in parts {
            let bytes = render(&mut text, &part, self.segments.is_empty());
            let kind = self.kind_of(&part);
            self.segments.push(Segment {
                start: start + bytes.start,
                end: start + bytes.end,
                message: part.message,
                kind,
            });
        }
        let (spans, last) = blocks::split(&text, 0);
        self.forget_from(start);
        for span in spans {
            self.read(&text, span);
        }
        self.tail = text.split_off(last);
        self.tail_start = start + last;
        self.index();
    }

    fn kind_of(&mut self, part: &Part) -> usize {
        let is_same = |(role, kind, tool): &(String, PartKind, Option<String>)| {
            role == part.role() && *kind == part.kind && tool.as_deref() == part.tool
        };
        self.kind_names.iter().position(is_same).unwrap_or_else(|| {
            let tool = part.tool.map(str::to_owned);
            self.kind_names.push((part.role().to_owned(), part.kind, tool));
            self.kinds.push(Kind::of(part));
            self.kinds.len() - 1
        })
    }

    /// Forgets the blocks from byte `start` on.
    fn forget_from(&mut self, start: usize) {
        let kept = self.blocks.partition_point(|block| block.span.bytes.start < start);
        self.blocks.truncate(kept);
        self.places.truncate(kept);
        self.library.truncate(kept);
    }

    fn read(&mut self, text: &str, span: Span) {
        let content = &text[span.bytes.clone()];
        let bytes = self.tail_start + span.bytes.start..self.tail_start + span.bytes.end;
        self.places.push(self.place(bytes.start));
        self.blocks.push(self.library.read(content, Span { bytes, chars: span.chars }));
    }

    /// A block belongs to the part that its first character stands in; one that begins between
    /// two parts goes on with the part of the block before it.
    fn place(&self, start: usize) -> Place {
        let before = self.places.last();
        let at = self.segments.partition_point(|segment| segment.start <= start);
        match at.checked_sub(1) {
            Some(segment) if start < self.segments[segment].end => {
                let starts_part = before.is_none_or(|place| place.segment != segment);
                Place { segment, starts_part }
            }
            _ => Place { segment: before.map_or(0, |place| place.segment), starts_part: false },
        }
    }

    /// Finds again what depends on all blocks.
    fn index(&mut self) {
        self.links = Links::find(&self.library, &self.blocks);
        let (standing, rows) = session::stand(self);
        self.standing = standing;
        self.rows = rows;
    }

    pub(super) fn segment(&self, block: usize) -> &Segment {
        &self.segments[self.places[block].segment]
    }

    pub(super) fn kind(&self, block: usize) -> &Kind {
        &self.kinds[self.segment(block).kind]
    }
}
