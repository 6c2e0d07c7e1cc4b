//! The promise of mode stashed, checked from what went in, what came out, and the stash.

use std::collections::{HashMap, HashSet};

use super::outside::Stash;
use super::stash_note::StashNote;
use super::transcript::Transcript;
use super::verify::verify;

/// What breaks the promise; empty when it holds. It is that of [`verify_lossless`], where a result
/// may also be a pointer that names `program` and leads to exactly the old text in the stash.
/// Results with an id that occurs twice must be as they were.
///
/// [`verify_lossless`]: super::verify_lossless
pub fn verify_stashed(
    before: &Transcript,
    after: &Transcript,
    stash: &dyn Stash,
    program: &str,
) -> Vec<String> {
    let repeated = repeated_ids(before);
    verify(before, after, |old, text| {
        let note = StashNote::parse(text, program);
        note.is_some_and(|note| !repeated.contains(old.id) && stash.holds(note.id, &old.text))
    })
}

/// The ids that two calls or two results have.
fn repeated_ids<'t>(transcript: &'t Transcript) -> HashSet<&'t str> {
    let mut counts: HashMap<&str, [usize; 2]> = HashMap::new();
    for turn in &transcript.turns {
        turn.calls.iter().for_each(|call| counts.entry(call.id).or_default()[0] += 1);
        turn.results.iter().for_each(|result| counts.entry(result.id).or_default()[1] += 1);
    }
    counts.retain(|_, counts| counts.iter().any(|&count| count > 1));
    counts.into_keys().collect()
}
