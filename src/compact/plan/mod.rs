//! What the engine answers: the fate of every entry, and the sums.

mod decide;
mod message_pass;
mod tool_pass;

use std::sync::Arc;

pub use decide::plan;
pub use tool_pass::inquiry;

use super::tool_calls::{Answers, Disk, NoDisk, Reason, Recovery};

/// What becomes of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    Kept,
    Pinned,
    Deduped,
    Pointer,
    Trimmed,
    Dropped,
}

/// Where an outcome is decided; always shown in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Pin,
    Dedupe,
    Pointer,
    Trim,
    Drop,
}

/// One thing that a stage did to an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub stage: Stage,
    /// Machine-readable; the message pass's codes, or the reference's for the tool-call pass.
    pub reason: Reason,
    /// Characters that this step took out of the session.
    pub removed: usize,
}

/// What an entry is in the compacted session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    Whole,
    /// The first so many bytes of its content.
    Prefix(usize),
    /// A pointer in its place.
    Note(Arc<str>),
    /// Its beginning and its end with a note between them: so many bytes of `text` at either end
    /// are the original's.
    Ends {
        text: Arc<str>,
        head: usize,
        tail: usize,
    },
    Gone,
}

/// An entry's fate and what led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub outcome: Outcome,
    /// What was done to it, in stage order; empty when it is kept.
    pub steps: Vec<Step>,
    /// Why an entry without steps is kept.
    pub kept_reason: Reason,
    pub output: Output,
    /// Characters of the output.
    pub chars: usize,
    /// How the message pass ranks it; `None` for what is protected or not decided there.
    pub score: Option<Score>,
    /// Word overlap with the entry that it duplicates.
    pub similarity: Option<f64>,
    /// The entry that it duplicates or whose content its pointer names.
    pub target: Option<usize>,
    /// The first and last line, 1-based, of the target's content that its pointer names.
    pub target_lines: Option<(usize, usize)>,
    /// Where what its pointer replaced can be had again, outside the session.
    pub recovery: Option<Recovery>,
}

/// The numbers behind an entry's place in the order of dropping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// What it is dropped by: the higher of a call's and its result's own scores; 0 to 1.
    pub candidate: f64,
    /// 0.5 × recency + 0.3 × the role's weight + 0.2 × overlap.
    pub own: f64,
    /// Position in the session, from 0 to 1.
    pub recency: f64,
    /// Share of its words that are topic terms, from 0 to 1.
    pub overlap: f64,
}

/// What one stage did in both passes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageReport {
    pub entries: usize,
    /// Characters taken out.
    pub chars: usize,
}

/// A rule of the output that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub entry: Option<usize>,
    /// What is broken, in plain words.
    pub what: &'static str,
}

/// What a plan draws on besides the session, the settings and the pins.
#[derive(Clone, Copy)]
pub struct Known<'k> {
    pub disk: &'k dyn Disk,
    /// Exact tokens of entries by their number, as far as they are counted: a stash pointer names
    /// them. What is not counted is estimated.
    pub tokens: &'k [Option<u32>],
    /// What a judge said of the calls; without it a judged provider keeps them all.
    pub answers: Option<&'k Answers>,
}

impl Known<'_> {
    /// No disk, and nothing is counted.
    pub const NOTHING: Known<'static> = Known { disk: &NoDisk, tokens: &[], answers: None };
}

/// One decision an entry, the stage reports, the totals, the checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub decisions: Vec<Decision>,
    /// Whether a pointer names a number of tokens that is an estimate.
    pub has_estimates: bool,
    /// One for each of [`Stage::ALL`].
    pub stages: [StageReport; 5],
    /// Characters of the decided entries, before and after.
    pub chars: [usize; 2],
    /// Entries of each of [`Outcome::ALL`].
    pub outcomes: [usize; 6],
    /// The budget that held, in characters.
    pub budget: Option<usize>,
    /// Characters that no setting of the message pass removes as long as the pins stand.
    pub protected_chars: usize,
    /// What the plan broke; a plan with any is never exported.
    pub violations: Vec<Violation>,
    /// What was broken in the session already.
    pub input_faults: Vec<Violation>,
}

impl Decision {
    /// An entry that nothing has touched yet.
    pub(crate) fn kept(chars: usize) -> Decision {
        Decision {
            outcome: Outcome::Kept,
            steps: Vec::new(),
            kept_reason: "kept_default".into(),
            output: Output::Whole,
            chars,
            score: None,
            similarity: None,
            target: None,
            target_lines: None,
            recovery: None,
        }
    }

    /// Adds a step; the outcome is the one that is latest in stage order.
    pub(crate) fn step(&mut self, step: Step) {
        let at = self.steps.partition_point(|earlier| earlier.stage <= step.stage);
        self.outcome = self.outcome.max(step.stage.outcome());
        self.steps.insert(at, step);
    }

    /// Adds a step that takes the entry out whole.
    pub(crate) fn remove(&mut self, step: Step) {
        self.output = Output::Gone;
        self.chars = 0;
        self.step(step);
    }

    /// The step that made the outcome; of several pins the first. `None` for what is kept.
    pub fn deciding_step(&self) -> Option<&Step> {
        self.steps.iter().find(|step| step.stage.outcome() == self.outcome)
    }

    /// The reason code of the outcome.
    pub fn reason(&self) -> &str {
        self.deciding_step().map_or(&self.kept_reason, |step| &step.reason)
    }

    /// Whether the entry comes out otherwise than it went in.
    pub fn is_changed(&self) -> bool {
        self.output != Output::Whole
    }

    /// Its content as it comes out; `None` when it is gone.
    pub fn output_of<'a>(&'a self, content: &'a str) -> Option<&'a str> {
        match &self.output {
            Output::Whole => Some(content),
            Output::Prefix(bytes) => content.get(..*bytes),
            Output::Note(text) | Output::Ends { text, .. } => Some(text),
            Output::Gone => None,
        }
    }
}

impl Plan {
    pub fn is_verified(&self) -> bool {
        self.violations.is_empty()
    }

    pub fn stage(&self, stage: Stage) -> StageReport {
        self.stages[stage as usize]
    }

    pub fn count(&self, outcome: Outcome) -> usize {
        self.outcomes[outcome as usize]
    }
}

impl Outcome {
    pub const ALL: [Outcome; 6] = [
        Outcome::Kept,
        Outcome::Pinned,
        Outcome::Deduped,
        Outcome::Pointer,
        Outcome::Trimmed,
        Outcome::Dropped,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Outcome::Kept => "kept",
            Outcome::Pinned => "pinned",
            Outcome::Deduped => "deduped",
            Outcome::Pointer => "pointer",
            Outcome::Trimmed => "trimmed",
            Outcome::Dropped => "dropped",
        }
    }
}

impl Stage {
    pub const ALL: [Stage; 5] =
        [Stage::Pin, Stage::Dedupe, Stage::Pointer, Stage::Trim, Stage::Drop];

    pub fn name(self) -> &'static str {
        match self {
            Stage::Pin => "pin",
            Stage::Dedupe => "dedupe",
            Stage::Pointer => "pointer",
            Stage::Trim => "trim",
            Stage::Drop => "drop",
        }
    }

    /// What an entry is called that this stage decided.
    pub fn outcome(self) -> Outcome {
        match self {
            Stage::Pin => Outcome::Pinned,
            Stage::Dedupe => Outcome::Deduped,
            Stage::Pointer => Outcome::Pointer,
            Stage::Trim => Outcome::Trimmed,
            Stage::Drop => Outcome::Dropped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_decided_twice_shows_the_latest_stage_and_keeps_both_steps() {
        let mut decision = Decision::kept(10);
        for (stage, reason) in
            [(Stage::Dedupe, "identical_output_kept_later"), (Stage::Pin, "role")]
        {
            decision.step(Step { stage, reason: reason.into(), removed: 0 });
        }
        let trail: Vec<_> = decision.steps.iter().map(|step| step.stage).collect();
        assert_eq!(trail, [Stage::Pin, Stage::Dedupe]);
        assert_eq!(decision.outcome, Outcome::Deduped);
        assert_eq!(decision.reason(), "identical_output_kept_later");
    }
}
