//! The message pass: pin, dedupe, trim and drop to a character budget.
//!
//! [`Features`] holds what depends on the session alone; [`decide`] runs the stages over it.
//! [`contract`] is the published memory-compact request and answer.

mod classes;
pub mod contract;
mod dedupe;
mod drop;
mod features;
mod neighbours;
mod profiles;
mod survivors;
mod trim;
mod words;

pub use features::{Features, Unit, role_weight};

use survivors::Survivors;

/// The settings that [`decide`] obeys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Characters that may stand in the end; `None`: nothing is dropped.
    pub budget_chars: Option<usize>,
    /// Similarity, from 0 to 1, from which a text is a duplicate of an earlier one.
    pub duplicate_threshold: f64,
    /// Length in characters that longer units are cut to.
    pub max_message_chars: usize,
}

/// What stands of a unit when the pass begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// Never removed and never cut.
    pub protected: bool,
    /// Characters it occupies now; a pointer of the first pass is shorter than the original.
    pub chars: usize,
    /// Removed by the first pass already.
    pub gone: bool,
    /// May be cut: a text, or a result that the first pass left whole; never a call.
    pub trim: bool,
    /// The other half of a call and its result. Both must say so; they are protected together
    /// and dropped together.
    pub partner: Option<usize>,
    /// The unit whose content this one's pointer names. While this one stays, that one does;
    /// it is dropped whole or not at all.
    pub points_to: Option<usize>,
}

/// What the pass decided.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decided {
    /// In the order of the units.
    pub duplicates: Vec<Duplicate>,
    /// In the order of the units; some of them may be dropped afterwards.
    pub cuts: Vec<Cut>,
    /// In the order dropped; the two halves of a pair follow each other.
    pub drops: Vec<Dropped>,
    /// Characters of all that stands in the end.
    pub output_chars: usize,
}

/// A text removed because an earlier one says nearly the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duplicate {
    pub unit: usize,
    pub of: usize,
    /// Jaccard similarity of the two word sets, unrounded.
    pub similarity: f64,
}

/// A unit shortened to a prefix of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    pub unit: usize,
    pub original_chars: usize,
    pub chars: usize,
    /// Length of the prefix in bytes; a character boundary.
    pub bytes: usize,
    pub kind: CutKind,
}

/// Where a cut fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutKind {
    Sentence,
    Hard,
}

/// A unit removed to fit the budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropped {
    pub unit: usize,
    /// The score that decided, unrounded: of a pair, the higher of the two.
    pub score: f64,
    /// Characters that went, as they were after trimming.
    pub chars: usize,
}

/// Runs dedupe, trim and drop over the units of `features`, in that order.
///
/// `standing` has one item a unit; `content` gives a unit's original content and is asked only
/// for what is cut.
pub fn decide<'a>(
    features: &Features,
    standing: &[Standing],
    limits: &Limits,
    content: impl Fn(usize) -> &'a str,
) -> Decided {
    let mut survivors = Survivors::new(standing);
    let duplicates = dedupe::dedupe(features, &mut survivors, limits.duplicate_threshold);
    let cuts = trim::trim(features, &mut survivors, limits.max_message_chars, content);
    let drops = match limits.budget_chars {
        Some(budget) => drop::drop_to_budget(features, &mut survivors, budget),
        None => Vec::new(),
    };
    Decided { duplicates, cuts, drops, output_chars: survivors.total() }
}
