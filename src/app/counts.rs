//! Exact token counts, as far as they have come; an estimate until then.

use std::collections::HashMap;
use std::sync::Arc;

use crate::compact::plan::{Decision, Output, Plan};
use crate::session::{Entry, Session};
use crate::tokens;

/// What is counted: contents, the beginnings that trimmed ones keep, and pointers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Piece {
    /// The content of that entry.
    Whole(usize),
    /// The first so many bytes of that entry's content.
    Prefix(usize, usize),
    Note(Arc<str>),
}

/// Counts by piece.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    whole: Vec<Option<u32>>,
    parts: HashMap<Piece, u32>,
}

/// Tokens before and after, and whether every one of them was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenSums {
    pub tokens: [usize; 2],
    pub exact: bool,
}

impl Counts {
    pub fn get(&self, piece: &Piece) -> Option<u32> {
        match piece {
            Piece::Whole(entry) => self.whole.get(*entry).copied().flatten(),
            _ => self.parts.get(piece).copied(),
        }
    }

    pub fn insert(&mut self, piece: Piece, tokens: u32) {
        match piece {
            Piece::Whole(entry) => {
                if self.whole.len() <= entry {
                    self.whole.resize(entry + 1, None);
                }
                self.whole[entry] = Some(tokens);
            }
            _ => {
                self.parts.insert(piece, tokens);
            }
        }
    }

    /// The counts of contents by entry, `None` where one has not come.
    pub fn contents(&self) -> &[Option<u32>] {
        &self.whole
    }

    /// Tokens of an entry before and after, estimated where they are not counted yet.
    pub fn of(&self, index: usize, entry: &Entry, decision: &Decision) -> TokenSums {
        let known = |piece: &Piece, chars: usize| match self.get(piece) {
            Some(tokens) => (tokens as usize, true),
            None => (tokens::estimate(chars), false),
        };
        let (before, counted) = known(&Piece::Whole(index), entry.chars);
        let (after, exact) = match output_piece(index, decision) {
            None => (0, true),
            Some(Piece::Whole(_)) => (before, counted),
            Some(piece) => known(&piece, decision.chars),
        };
        TokenSums { tokens: [before, after], exact: counted && exact }
    }

    /// The sums over the decided entries.
    pub fn sums(&self, session: &Session, plan: &Plan) -> TokenSums {
        let mut sums = TokenSums { tokens: [0, 0], exact: true };
        for (index, (entry, decision)) in session.entries.iter().zip(&plan.decisions).enumerate() {
            if entry.kind.is_decided() {
                let of = self.of(index, entry, decision);
                sums.tokens[0] += of.tokens[0];
                sums.tokens[1] += of.tokens[1];
                sums.exact &= of.exact;
            }
        }
        sums
    }
}

/// The pieces of a plan that have to be counted for its sums: contents first.
pub fn pieces(session: &Session, plan: &Plan) -> Vec<Piece> {
    let entries = session.entries.iter().zip(&plan.decisions).enumerate();
    let outputs = entries
        .filter(|(_, (entry, _))| entry.kind.is_decided())
        .filter_map(|(index, (_, decision))| output_piece(index, decision))
        .filter(|piece| !matches!(piece, Piece::Whole(_)));
    contents(session).into_iter().chain(outputs).collect()
}

/// The contents of all decided entries.
pub fn contents(session: &Session) -> Vec<Piece> {
    let entries = session.entries.iter().enumerate();
    let decided = entries.filter(|(_, entry)| entry.kind.is_decided());
    decided.map(|(index, _)| Piece::Whole(index)).collect()
}

/// The text of a piece.
pub fn text<'a>(piece: &'a Piece, session: &'a Session) -> &'a str {
    match piece {
        Piece::Whole(entry) => &session.entries[*entry].content,
        Piece::Prefix(entry, bytes) => {
            session.entries[*entry].content.get(..*bytes).unwrap_or_default()
        }
        Piece::Note(note) => note,
    }
}

fn output_piece(index: usize, decision: &Decision) -> Option<Piece> {
    match &decision.output {
        Output::Whole => Some(Piece::Whole(index)),
        Output::Prefix(bytes) => Some(Piece::Prefix(index, *bytes)),
        Output::Note(text) | Output::Ends { text, .. } => Some(Piece::Note(text.clone())),
        Output::Gone => None,
    }
}
