//! The transcript that decisions leave.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::decision::{Action, Decision};
use super::transcript::{Call, Output, Position, Transcript, Turn};

/// A transcript after the pass.
pub struct Compacted<'a> {
    pub transcript: Transcript<'a>,
    /// For each of its messages, which message of the input it was and what of it is left.
    pub kept: Vec<Kept>,
}

/// What is left of a message: its number, and those of its calls and results that stayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub message: usize,
    pub calls: Vec<usize>,
    pub results: Vec<usize>,
}

/// What becomes of a message that holds nothing but white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blanks {
    /// It stays: nothing may be missing where the answer is verified.
    Stay,
    /// It goes, as in the reference.
    Go,
}

/// Carries out decisions. Messages that hold nothing at all are left out; a transcript without
/// candidates is not for this function: nothing was decided over it, so nothing may go.
pub fn apply<'a>(
    before: &'a Transcript<'_>,
    decisions: &'a [Decision],
    blanks: Blanks,
) -> Compacted<'a> {
    let fate = Fate::of(before, decisions);
    let stays = |turn: &Turn| match blanks {
        Blanks::Stay => !turn.is_empty(),
        Blanks::Go => !turn.is_blank(),
    };
    let (kept, turns) = before
        .turns
        .iter()
        .enumerate()
        .map(|(message, turn)| fate.carry_out(message, turn))
        .filter(|(_, turn)| stays(turn))
        .unzip();
    Compacted { transcript: Transcript { turns }, kept }
}

/// Every message as it was.
pub fn keep_all<'a>(before: &'a Transcript<'_>) -> Compacted<'a> {
    let nothing = Fate { gone: HashSet::default(), texts: HashMap::default() };
    let numbered = before.turns.iter().enumerate();
    let (kept, turns) = numbered.map(|(message, turn)| nothing.carry_out(message, turn)).unzip();
    Compacted { transcript: Transcript { turns }, kept }
}

/// What decisions do to a transcript.
struct Fate<'a> {
    /// The ids of calls that go; every call and result with such an id goes.
    gone: HashSet<&'a str, RandomState>,
    /// Results that get another text.
    texts: HashMap<Position, &'a str, RandomState>,
}

impl<'a> Fate<'a> {
    fn of(before: &'a Transcript<'_>, decisions: &'a [Decision]) -> Fate<'a> {
        let dropped = decisions.iter().filter(|decision| decision.action == Action::Drop);
        let id_of =
            |decision: &Decision| before.turns[decision.call.message].calls[decision.call.index].id;
        let text = |decision: &'a Decision| Some((decision.result?, decision.text_instead()?));
        Fate {
            gone: dropped.map(id_of).collect(),
            texts: decisions.iter().filter_map(text).collect(),
        }
    }

    fn carry_out(&self, message: usize, turn: &'a Turn<'_>) -> (Kept, Turn<'a>) {
        let calls = stay(&turn.calls, |call| !self.gone.contains(call.id));
        let results = stay(&turn.results, |result| !self.gone.contains(result.id));
        let left = Turn {
            role: turn.role,
            text: Cow::Borrowed(&turn.text),
            calls: calls.iter().map(|&call| borrowed(&turn.calls[call])).collect(),
            results: results.iter().map(|&index| self.result(message, turn, index)).collect(),
        };
        (Kept { message, calls, results }, left)
    }

    fn result(&self, message: usize, turn: &'a Turn<'_>, index: usize) -> Output<'a> {
        let result = &turn.results[index];
        let instead = self.texts.get(&Position { message, index });
        Output {
            id: result.id,
            text: Cow::Borrowed(instead.unwrap_or(&&*result.text)),
            is_error: result.is_error,
        }
    }
}

fn stay<T>(blocks: &[T], stays: impl Fn(&T) -> bool) -> Vec<usize> {
    let numbered = blocks.iter().enumerate();
    numbered.filter(|(_, block)| stays(block)).map(|(index, _)| index).collect()
}

fn borrowed<'a>(call: &'a Call<'_>) -> Call<'a> {
    Call { id: call.id, tool: call.tool, input: Cow::Borrowed(&call.input) }
}
