//! The local ranker `specialist-v3`: which parts of a session matter least to a question.
//!
//! A session is rendered as the model was trained to read it and split into blocks. A small
//! ensemble ranks the blocks by fifty columns; the lowest ranks go until a budget is met, but for
//! guarded ones, and of those that go the ones that are linked most come back. Decisions are the
//! reference's (`lcc/relevance/specialist.py` and `compactor.py` of local-context-compiler
//! 1.2.0); how they are found is not: the reference compares every pair of blocks.
//!
//! [`Prepared`] holds what depends on the session alone. [`rank`] answers a question.

mod bits;
mod blocks;
mod bm25;
mod body;
mod budget;
mod characters;
mod columns;
mod cues;
mod keys;
mod kinds;
mod language;
mod lexicon;
mod lines;
mod links;
mod model;
mod parts;
mod prepared;
mod question;
mod quotes;
mod rank;
mod reading;
mod restore;
mod session;
mod words;

#[cfg(test)]
mod tests;

pub use model::ModelError;
pub use parts::{Part, PartKind};
pub use prepared::Prepared;
pub use rank::{RankError, Verdict, rank};
