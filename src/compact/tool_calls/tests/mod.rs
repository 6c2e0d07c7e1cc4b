mod conformance;
mod contract;
mod generate;
mod lossy;
mod naive;
mod properties;

use serde_json::Value;

use super::{NoDisk, Preview, RequestError, Tokens, World, compact_transcript};
use crate::tokens::{Method, count};

/// Answers as the recorded answers were made, with nothing outside.
fn answer(request: &[u8]) -> Result<Value, RequestError> {
    let tokens = |text: &str| count(text, Method::Heuristic);
    let world = World {
        tokens: Tokens { count: &tokens, method: "approximate" },
        disk: &NoDisk,
        stash: &Preview,
        note_name: "lcc",
    };
    compact_transcript(request, &world)
}
