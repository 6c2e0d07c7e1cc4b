//! The tool-call pass: a call and its result are decided together.
//!
//! A [`Transcript`] is indexed once ([`Index`]); a change of a setting only decides again
//! ([`lossless`]). [`compact_transcript`] answers a request of the published contract.

mod apply;
mod containment;
mod contract;
mod decision;
mod index;
mod interner;
mod lines;
mod lossless;
mod parse;
mod pins;
mod pointer;
mod refs;
mod render;
mod report;
mod request;
mod texts;
mod transcript;
mod verify;

#[cfg(test)]
mod tests;

pub use apply::{Compacted, apply, keep_all};
pub use contract::{Tokens, compact_transcript};
pub use decision::{Action, Decision, Dedupe};
pub use index::Index;
pub use lines::is_same_output;
pub use lossless::lossless;
pub use pins::Pins;
pub use request::RequestError;
pub use transcript::{Call, Output, Position, Transcript, Turn};
pub use verify::verify_lossless;
