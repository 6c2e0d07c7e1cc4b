//! The tool-call pass: a call and its result are decided together.
//!
//! A [`Transcript`] is indexed once ([`Index`]); a change of a setting only decides again
//! ([`lossless`]). [`compact_transcript`] answers a request of the published contract.

mod apply;
mod containment;
mod contract;
mod counted;
mod decision;
mod errors;
mod facts;
mod fields;
mod index;
mod interner;
mod judged;
mod lines;
mod lossless;
mod lossy;
mod naming;
mod outside;
mod parse;
mod parsed_call;
mod paths;
mod pins;
mod pointer;
mod ranked;
mod real_path;
mod recoverable;
mod refs;
mod render;
mod report;
mod request;
mod ruling;
mod scope;
mod stash_note;
mod stashed;
mod superseded;
mod text_lines;
mod texts;
mod tools;
mod transcript;
mod trim;
mod verify;
mod verify_stashed;
mod view;

#[cfg(test)]
mod tests;

/// The program that our notes name: its `recall` reads the stash.
pub const PROGRAM: &str = "compactscope";

pub use apply::{Blanks, Compacted, Kept, apply, keep_all};
pub use contract::{Response, World, answer, compact_transcript};
pub use decision::{
    Action, Decision, Dedupe, DiskProof, Reason, Recoverability, Recovery, Replacement, Scores,
};
pub use index::Index;
pub use judged::{
    Answer, Answers, Course, DoesNotFit, Inquiry, Judge, JudgeError, Judgement, Judges, Limits,
    NoJudge, NoJudges, Reply, Request as JudgeRequest,
};
pub use lines::is_same_output;
pub use lossless::lossless;
pub use outside::{
    Disk, DiskFault, FileContents, FileLines, NoDisk, Preview, Stash, StashFault, ToStore,
};
pub use pins::Pins;
pub use real_path::real_path;
pub(super) use recoverable::note_for;
pub use recoverable::{recheck, recoverability};
pub use request::RequestError;
pub use ruling::{Asked, Ruling, decide};
pub use stash_note::StashNote;
pub use transcript::{Call, Output, Position, Transcript, Turn};
pub use trim::Trimmed;
pub use verify::{verify_lossless, verify_recoverable};
pub use verify_stashed::verify_stashed;
pub use view::{Outside, Terms, View};
