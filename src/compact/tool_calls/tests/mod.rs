mod conformance;
mod contract;
mod generate;
mod judge;
mod judged;
mod lossy;
mod naive;
mod properties;

use serde_json::Value;

use super::{Judges, NoDisk, NoJudges, Preview, RequestError, Tokens, World, compact_transcript};
use crate::tokens::{Method, count};

/// Answers as the recorded answers were made, with nothing outside.
fn answer(request: &[u8]) -> Result<Value, RequestError> {
    answer_with(request, &NoJudges)
}

/// The same, with a judge to ask.
fn answer_with(request: &[u8], judges: &dyn Judges) -> Result<Value, RequestError> {
    let tokens = |text: &str| count(text, Method::Heuristic);
    let world = World {
        tokens: Tokens { count: &tokens, method: "approximate" },
        disk: &NoDisk,
        stash: &Preview,
        judges,
        note_name: "lcc",
    };
    compact_transcript(request, &world)
}
