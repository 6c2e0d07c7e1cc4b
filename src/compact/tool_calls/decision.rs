//! What becomes of a call and its result.

use super::index::{Index, IndexedCall};
use super::transcript::Position;

/// The fate of one call and its result, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub call: Position,
    /// The result that answers it; `None` when the transcript has none.
    pub result: Option<Position>,
    pub action: Action,
    /// A reason code of the reference, or [`pin`](super::Pins) for a user's pin.
    pub reason: &'static str,
    /// Who decided: `pin` or `rules`.
    pub source: &'static str,
    /// Unicode scalar values of the call's input and its result, before.
    pub chars: usize,
    /// The same, after.
    pub chars_after: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Call and result stay as they are.
    Keep,
    /// The result's text is replaced by a note that names where it is still held.
    Dedupe(Dedupe),
}

/// A result that a later one holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dedupe {
    pub kept_at: Position,
    pub kept_at_id: String,
    /// What stands in the result's place.
    pub note: String,
    /// The first and last line of the later result that hold it, counting from 1; `None` when
    /// both results are the same.
    pub lines: Option<(usize, usize)>,
}

impl Decision {
    /// Leaves a call and its result as they are.
    pub(super) fn keep(
        index: &Index,
        call: &IndexedCall,
        reason: &'static str,
        source: &'static str,
    ) -> Decision {
        let chars = index.chars(call);
        let result = index.result_of(call).map(|result| index.results()[result].at);
        Decision {
            call: call.at,
            result,
            action: Action::Keep,
            reason,
            source,
            chars,
            chars_after: chars,
        }
    }

    /// The text that replaces the result's, if it is replaced.
    pub fn note(&self) -> Option<&str> {
        match &self.action {
            Action::Keep => None,
            Action::Dedupe(dedupe) => Some(&dedupe.note),
        }
    }
}
