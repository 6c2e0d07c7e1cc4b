//! What becomes of a call and its result.

use std::borrow::Cow;

use super::index::{Index, IndexedCall};
use super::transcript::Position;
use super::trim::Trimmed;

/// A reason code of the reference, or [`pin`](super::Pins) for a user's pin. Some codes carry what
/// they are about after a colon (`superseded_by_later_call:ID`).
pub type Reason = Cow<'static, str>;

/// The fate of one call and its result, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub call: Position,
    /// The result that answers it; `None` when the transcript has none.
    pub result: Option<Position>,
    pub action: Action,
    /// What was decided before the whole answer failed its check; a report still names it.
    pub withdrawn: Option<Box<Action>>,
    pub reason: Reason,
    /// Who decided: `pin`, `rules`, `specialist-v3`, `jev`, `laya`, or `fail_safe` for a call that
    /// nobody judged.
    pub source: &'static str,
    pub scores: Scores,
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
    /// The result's text is replaced by a note that says how to get it back.
    Replace(Replacement),
    /// The result's text is cut to its ends.
    Trim(Trimmed),
    /// Call and result go.
    Drop,
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

/// A result that can be had again from outside the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// What stands in the result's place.
    pub note: String,
    pub recovery: Recovery,
}

/// Where what was replaced can be had again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovery {
    /// By reading a file again.
    File {
        /// As the call named it.
        path: String,
        /// The call's own working directory.
        cwd: Option<String>,
        /// The first and last line that were read, counting from 1; `None` for the whole file.
        lines: Option<(usize, usize)>,
        /// What the disk held when it was asked; `None` when it was not.
        disk: Option<DiskProof>,
    },
    /// By running a read-only command again.
    Command {
        command: String,
        cwd: Option<String>,
        /// What vouches for it: `disk`, `transcript_proxy` or `read_only_allowlist`.
        check: &'static str,
    },
    /// From the stash.
    Stash {
        /// SHA-256 of the text, 64 lower-case hexadecimal digits.
        sha256: String,
        /// Tokens of the text.
        tokens: usize,
        /// UTF-8 bytes of the text.
        bytes: usize,
    },
}

/// Whether what a pointer stands for can be had again right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recoverability {
    /// What is there now is what was removed.
    Same,
    /// Something else is there now, or it is damaged.
    Changed,
    /// Nothing is there.
    Missing,
    /// Only running the command could tell, and this program runs none.
    Untried,
}

/// A file that held exactly the removed text when the disk was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskProof {
    /// The absolute path that was read.
    pub path: String,
    /// The same with every link followed.
    pub real: String,
    /// SHA-256 of the whole file, 64 lower-case hexadecimal digits.
    pub sha256: String,
}

/// What a judge or a ranker said, each from 0 to 1; all `None` where rules decide.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Scores {
    pub score: Option<f64>,
    /// Probability that the call still matters.
    pub keep_call: Option<f64>,
    /// Probability that its result is still needed word for word.
    pub keep_result: Option<f64>,
}

impl Decision {
    /// Leaves a call and its result as they are.
    pub(super) fn keep(
        index: &Index,
        call: &IndexedCall,
        reason: impl Into<Reason>,
        source: &'static str,
    ) -> Decision {
        let chars = index.chars(call);
        let result = index.result_of(call).map(|result| index.results()[result].at);
        Decision {
            call: call.at,
            result,
            action: Action::Keep,
            withdrawn: None,
            reason: reason.into(),
            source,
            scores: Scores::default(),
            chars,
            chars_after: chars,
        }
    }

    /// Gives the result, which has so many characters, another text, or takes both away. A trim
    /// that would not make it shorter leaves it whole.
    pub(super) fn act(mut self, action: Action, reason: impl Into<Reason>, result: usize) -> Self {
        let after = |text: &str| text.chars().count();
        let instead = match &action {
            Action::Keep => result,
            Action::Dedupe(Dedupe { note, .. }) | Action::Replace(Replacement { note, .. }) => {
                after(note)
            }
            Action::Trim(trimmed) => after(&trimmed.text),
            Action::Drop => result,
        };
        if matches!(action, Action::Trim(_)) && instead >= result {
            self.reason = "short_result_kept_whole".into();
            return self;
        }
        self.chars_after = match action {
            Action::Drop => 0,
            _ => self.chars - result + instead,
        };
        self.action = action;
        self.reason = reason.into();
        self
    }

    /// The text that replaces the result's, if it is replaced or cut.
    pub fn text_instead(&self) -> Option<&str> {
        match &self.action {
            Action::Keep | Action::Drop => None,
            Action::Dedupe(Dedupe { note, .. }) | Action::Replace(Replacement { note, .. }) => {
                Some(note)
            }
            Action::Trim(trimmed) => Some(&trimmed.text),
        }
    }

    /// Keeps what was decided otherwise, since the whole answer failed its check.
    pub(super) fn withdraw(&mut self, reason: impl Into<Reason>) {
        let action = std::mem::replace(&mut self.action, Action::Keep);
        self.withdrawn = Some(Box::new(action));
        self.keep_after_all(reason);
    }

    /// Keeps what was decided otherwise, for a reason that came up later.
    pub(super) fn keep_after_all(&mut self, reason: impl Into<Reason>) {
        self.action = Action::Keep;
        self.reason = reason.into();
        self.chars_after = self.chars;
    }
}
