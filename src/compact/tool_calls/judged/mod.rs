//! Providers `jev` and `laya`: a judge elsewhere says of every call how likely it is that the call
//! is still worth knowing and that its result is still needed word for word.
//!
//! The transcript is fitted to the judge's window ([`Inquiry::prepare`]), asked about in batches
//! ([`Inquiry::ask`]), and what comes back is kept as [`Answers`]: turning the threshold decides
//! again ([`decide`]) and asks nobody. Nothing is dropped that was not judged.

mod answers;
mod batches;
mod decide;
mod inquiry;
mod judge;
mod questions;
mod ruling;
mod state;

pub use answers::{Answer, Answers};
pub(super) use decide::decide;
pub use inquiry::{Course, DoesNotFit, Inquiry, Judgement, Limits};
pub use judge::{Judge, JudgeError, Judges, NoJudge, NoJudges, Reply, Request};
pub(super) use ruling::{Asking, Heard, LAYA_MODEL};

/// The most tokens that System One takes in one request, questions included.
const WINDOW_TOKENS: usize = 32_768;

/// What a text costs a judge at most, in tokens: a token for every 2.2 characters. System One
/// counts fewer for every request that it accepted in the reference's measurements.
fn judge_tokens(text: &str) -> usize {
    (text.chars().count() * 5).div_ceil(11)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_charged_for_every_two_characters_and_a_fifth() {
        let charged =
            [0, 1, 2, 3, 11, 12, 22, 55_000].map(|chars| judge_tokens(&"é".repeat(chars)));
        assert_eq!(charged, [0, 1, 1, 2, 5, 6, 10, 25_000]);
    }
}
