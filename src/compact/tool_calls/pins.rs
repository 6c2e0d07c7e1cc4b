//! Which calls no rule may touch.

use std::collections::BTreeSet;

use super::decision::Decision;
use super::index::{Index, IndexedCall};
use super::transcript::Position;

/// What is protected: the first message, the newest ones, and what a user pinned.
#[derive(Debug, Clone, Default)]
pub struct Pins {
    /// How many of the newest messages are pinned.
    pub preserve_recent: usize,
    /// Messages that a user pinned: calls in them, and calls that are answered in them.
    pub messages: BTreeSet<usize>,
    /// Calls that a user pinned.
    pub calls: BTreeSet<Position>,
}

/// A call that a rule may decide over, by its numbers in the [`Index`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub call: usize,
    pub result: usize,
}

impl Pins {
    /// The decisions over pinned calls, and the calls left to decide over: those that are not
    /// pinned and have a result. Both in order.
    pub(super) fn split(&self, index: &Index) -> (Vec<Decision>, Vec<Candidate>) {
        let mut pinned = Vec::new();
        let mut candidates = Vec::new();
        for (number, call) in index.calls().iter().enumerate() {
            if let Some(reason) = self.reason(index, call) {
                pinned.push(Decision::keep(index, call, reason, "pin"));
            } else if let Some(result) = index.result_of(call) {
                candidates.push(Candidate { call: number, result });
            }
        }
        (pinned, candidates)
    }

    fn reason(&self, index: &Index, call: &IndexedCall) -> Option<&'static str> {
        let message = call.at.message;
        let answered_in = index.result_of(call).map(|result| index.results()[result].at.message);
        if message == 0 {
            Some("pinned_first_message")
        } else if index.messages() - message <= self.preserve_recent {
            Some("pinned_recent")
        } else if self.calls.contains(&call.at)
            || self.messages.contains(&message)
            || answered_in.is_some_and(|message| self.messages.contains(&message))
        {
            Some("pin")
        } else {
            None
        }
    }
}
