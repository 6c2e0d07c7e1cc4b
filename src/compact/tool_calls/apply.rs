//! The transcript that decisions leave.

use std::borrow::Cow;
use std::collections::HashMap;

use super::decision::Decision;
use super::transcript::{Output, Position, Transcript, Turn};

/// A transcript after the pass.
pub struct Compacted<'a> {
    pub transcript: Transcript<'a>,
    /// For each of its messages, the message of the input that it was.
    pub kept: Vec<usize>,
}

/// Carries out decisions. Messages that hold nothing at all are left out; a transcript without
/// candidates is not for this function: nothing was decided over it, so nothing may go.
pub fn apply<'a>(before: &'a Transcript<'_>, decisions: &'a [Decision]) -> Compacted<'a> {
    let notes: HashMap<Position, &str> = decisions
        .iter()
        .filter_map(|decision| Some((decision.result?, decision.note()?)))
        .collect();
    let full = |(_, turn): &(usize, &'a Turn<'_>)| !turn.is_empty();
    let (kept, turns) = before
        .turns
        .iter()
        .enumerate()
        .filter(full)
        .map(|(message, turn)| (message, with_notes(turn, message, &notes)))
        .unzip();
    Compacted { transcript: Transcript { turns }, kept }
}

/// Every message as it was.
pub fn keep_all<'a>(before: &Transcript<'a>) -> Compacted<'a> {
    Compacted { transcript: before.clone(), kept: (0..before.turns.len()).collect() }
}

fn with_notes<'a>(
    turn: &'a Turn<'_>,
    message: usize,
    notes: &HashMap<Position, &'a str>,
) -> Turn<'a> {
    let result = |(index, result): (usize, &'a Output<'_>)| Output {
        id: result.id,
        text: Cow::Borrowed(notes.get(&Position { message, index }).unwrap_or(&&*result.text)),
        is_error: result.is_error,
    };
    Turn {
        role: turn.role,
        text: turn.text,
        calls: turn.calls.clone(),
        results: turn.results.iter().enumerate().map(result).collect(),
    }
}
