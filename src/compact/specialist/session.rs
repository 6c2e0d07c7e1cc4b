//! Where each block stands among the others: the columns that no question changes.

use std::collections::HashMap;
use std::hash::Hash;

use super::bm25;
use super::columns::{COLUMNS, Column, Row, mark, set};
use super::cues::Cues;
use super::prepared::Prepared;

/// What the other parts of the ranker ask of a session as a whole.
#[derive(Debug, Clone, Default)]
pub(super) struct Standing {
    /// Words of each block's body.
    pub lengths: Vec<u32>,
    /// For each block the first one with the same text.
    pub first_copies: Vec<usize>,
    /// Blocks in which something went wrong, ascending.
    pub errors: Vec<usize>,
}

/// The last blocks that say something are what the session is about right now.
const RECENT_SPEECHES: usize = 3;

pub(super) fn stand(session: &Prepared) -> (Standing, Vec<Row>) {
    let blocks = &session.blocks;
    let numbers = 0..blocks.len();
    let standing = Standing {
        lengths: blocks.iter().map(|block| block.words).collect(),
        first_copies: first_of(blocks.iter().map(|block| Some(block.text))),
        errors: numbers.filter(|block| blocks[*block].cues.has(Cues::ERROR)).collect(),
    };
    let mut rows = vec![[0.0; COLUMNS]; blocks.len()];
    set_positions(session, &mut rows);
    set_what_follows(session, &mut rows);
    set_contents(session, &mut rows);
    set_recent_matches(session, &standing.lengths, &mut rows);
    set_keys(session, &mut rows);
    set_copies(session, &mut rows);
    (standing, rows)
}

fn set_positions(session: &Prepared, rows: &mut [Row]) {
    let count = rows.len();
    let last_message = (0..count).map(|block| session.segment(block).message).max().unwrap_or(0);
    for (block, row) in rows.iter_mut().enumerate() {
        let message = session.segment(block).message;
        set(row, Column::Position, block as f64 / count.saturating_sub(1).max(1) as f64);
        set(row, Column::FromEnd, log1p(count - 1 - block));
        set(row, Column::MessagesFromEnd, log1p(last_message - message));
        set(row, Column::MessagePosition, message as f64 / last_message.max(1) as f64);
        set(row, Column::Blocks, log1p(count));
    }
}

/// Columns that count what comes after a block, from the end backwards.
fn set_what_follows(session: &Prepared, rows: &mut [Row]) {
    let chars = |block: usize| session.blocks[block].span.chars.max(1) as f64;
    let total: f64 = (0..rows.len()).map(chars).sum();
    let (mut chars_after, mut turns_after) = (0.0, 0);
    let mut of_kind = vec![0; session.kinds.len()];
    for (block, row) in rows.iter_mut().enumerate().rev() {
        let segment = session.segment(block);
        set(row, Column::CharsAfter, chars_after / total);
        set(row, Column::SameKindLater, log1p(of_kind[segment.kind]));
        set(row, Column::UserTurnsLater, log1p(turns_after));
        chars_after += chars(block);
        let is_part = session.places[block].starts_part
            || block == 0
            || session.segment(block - 1).message != segment.message;
        if is_part {
            of_kind[segment.kind] += 1;
            turns_after += usize::from(session.kind(block).is_user_turn);
        }
    }
}

fn set_contents(session: &Prepared, rows: &mut [Row]) {
    for (number, row) in rows.iter_mut().enumerate() {
        let (block, kind) = (&session.blocks[number], session.kind(number));
        let layout = block.layout;
        set(row, Column::Chars, (block.span.chars.max(1) as f64).ln());
        set(row, Column::Newlines, log1p(layout.newlines as usize));
        set(row, Column::CodeLines, f64::from(layout.code_lines) / f64::from(layout.lines));
        mark(row, kind.column, true);
        if let Some(column) = kind.tool_column {
            mark(row, column, true);
        }
        mark(row, Column::StartsPart, session.places[number].starts_part);
        mark(row, Column::Error, block.cues.has(Cues::ERROR));
        mark(row, Column::Git, block.git);
    }
}

fn recent_speeches(session: &Prepared) -> Vec<usize> {
    let speeches = (0..session.blocks.len()).rev().filter(|block| session.kind(*block).is_speech);
    speeches.take(RECENT_SPEECHES).collect()
}

fn set_recent_matches(session: &Prepared, lengths: &[u32], rows: &mut [Row]) {
    let library = &session.library;
    let recent = recent_speeches(session);
    let words = recent.iter().flat_map(|block| library.word_lists.get(*block));
    let mut words: Vec<u32> = words.map(|(word, _)| *word).collect();
    words.sort_unstable_by_key(|word| library.words.get(*word));
    words.dedup();
    let matches = bm25::matches(library, lengths, &words);
    let ranks = bm25::ranks(&matches);
    for ((row, value), rank) in rows.iter_mut().zip(&matches).zip(&ranks) {
        set(row, Column::RecentMatch, value.ln_1p());
        set(row, Column::RecentRank, *rank);
    }
}

/// Where each key comes last, and how many blocks hold it. Places count from 1; 0 is nowhere.
struct KeyPlaces {
    last: Vec<usize>,
    last_said: Vec<usize>,
    last_touched: Vec<usize>,
    holders: Vec<usize>,
    is_recent: Vec<bool>,
}

impl KeyPlaces {
    fn find(session: &Prepared) -> KeyPlaces {
        let library = &session.library;
        let none = || vec![0; library.keys.len()];
        let mut places = KeyPlaces {
            last: none(),
            last_said: none(),
            last_touched: none(),
            holders: none(),
            is_recent: vec![false; library.keys.len()],
        };
        for (block, keys) in library.key_lists.iter().enumerate() {
            let kind = session.kind(block);
            for key in keys.iter().map(|key| *key as usize) {
                places.last[key] = block + 1;
                places.holders[key] += 1;
                if kind.is_assistant_speech {
                    places.last_said[key] = block + 1;
                }
                if kind.touches_file && library.is_path[key] {
                    places.last_touched[key] = block + 1;
                }
            }
        }
        for block in recent_speeches(session) {
            library
                .key_lists
                .get(block)
                .iter()
                .for_each(|key| places.is_recent[*key as usize] = true);
        }
        places
    }
}

fn set_keys(session: &Prepared, rows: &mut [Row]) {
    let places = KeyPlaces::find(session);
    for (number, (row, keys)) in rows.iter_mut().zip(session.library.key_lists.iter()).enumerate() {
        set(row, Column::Keys, log1p(keys.len()));
        if keys.is_empty() {
            continue;
        }
        let here = number + 1;
        let count =
            |holds: &dyn Fn(usize) -> bool| keys.iter().filter(|key| holds(**key as usize)).count();
        let later = count(&|key| places.last[key] > here);
        let held_last = count(&|key| places.last[key] == here && places.holders[key] > 1);
        let touched_later = count(&|key| places.last_touched[key] > here) > 0;
        set(row, Column::RecentKeys, log1p(count(&|key| places.is_recent[key])));
        set(row, Column::KeysComeLater, log1p(later));
        set(row, Column::ShareOfKeysLater, later as f64 / keys.len() as f64);
        set(row, Column::KeysSaidLater, log1p(count(&|key| places.last_said[key] > here)));
        set(row, Column::KeysHeldLast, log1p(held_last));
        set(row, Column::KeysOnlyHere, log1p(count(&|key| places.holders[key] == 1)));
        mark(row, Column::PathUsedLater, touched_later);
    }
}

fn set_copies(session: &Prepared, rows: &mut [Row]) {
    let bodies = || session.blocks.iter().map(|block| block.body);
    let first = first_of(bodies());
    let mut last: HashMap<u128, usize> = HashMap::new();
    last.extend(bodies().enumerate().filter_map(|(block, body)| Some((body?, block))));
    for (block, (row, body)) in rows.iter_mut().zip(bodies()).enumerate() {
        mark(row, Column::CopyEarlier, first[block] < block);
        mark(row, Column::CopyLater, body.is_some_and(|body| last[&body] > block));
    }
}

/// For each value the place of the first equal one; that of a `None` is its own.
fn first_of<T: Hash + Eq>(values: impl Iterator<Item = Option<T>>) -> Vec<usize> {
    let mut first = HashMap::new();
    let place = |(at, value): (usize, Option<T>)| match value {
        Some(value) => *first.entry(value).or_insert(at),
        None => at,
    };
    values.enumerate().map(place).collect()
}

pub(super) fn log1p(count: usize) -> f64 {
    (count as f64).ln_1p()
}
