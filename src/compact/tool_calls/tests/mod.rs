mod conformance;
mod contract;
mod generate;
mod memory_stash;
mod naive;
mod properties;
mod stashed;

use serde_json::Value;

use self::memory_stash::MemoryStash;
use super::{NoDisk, RequestError, Stash, Tokens, World, compact_transcript};
use crate::tokens::{Method, count};

/// Answers as the recorded answers were made, with no disk and a stash of its own.
fn answer(request: &[u8]) -> Result<Value, RequestError> {
    answer_with(request, &MemoryStash::default())
}

fn answer_with(request: &[u8], stash: &dyn Stash) -> Result<Value, RequestError> {
    let tokens = |text: &str| count(text, Method::Heuristic);
    let world = World {
        tokens: Tokens { count: &tokens, method: "approximate" },
        disk: &NoDisk,
        stash,
        note_name: "lcc",
    };
    compact_transcript(request, &world)
}
