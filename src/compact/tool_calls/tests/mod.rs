mod conformance;
mod contract;
mod generate;
mod judge;
mod judged;
mod lossy;
mod memory_disk;
mod memory_stash;
mod naive;
mod promises;
mod properties;
mod recoverable;
mod stashed;

use serde_json::Value;

use self::memory_stash::MemoryStash;
use super::{Disk, Judges, NoDisk, NoJudges, RequestError, Stash, World, compact_transcript};
use crate::tokens::Method;

/// What an answer draws on; by default nobody to ask, no disk and a stash of its own.
struct Around<'a> {
    disk: &'a dyn Disk,
    stash: &'a dyn Stash,
    judges: &'a dyn Judges,
}

impl Around<'_> {
    /// Answers as the recorded answers were made.
    fn answer(&self, request: &[u8]) -> Result<Value, RequestError> {
        let world = World {
            tokens: Method::Heuristic,
            disk: self.disk,
            stash: self.stash,
            judges: self.judges,
            note_name: "lcc",
        };
        compact_transcript(request, &world)
    }
}

fn answer(request: &[u8]) -> Result<Value, RequestError> {
    Around { disk: &NoDisk, stash: &MemoryStash::default(), judges: &NoJudges }.answer(request)
}
