//! Calls that share a request.

use serde_json::Value;

use super::questions::questions;
use super::{inquiry::DoesNotFit, judge_tokens};
use crate::python::python_json;

/// The most calls that one request asks about.
const CALLS: usize = 8;
/// Tokens of a request beyond its conversation and its questions.
const ENVELOPE_TOKENS: usize = 64;

/// A call that is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub id: String,
    pub tool: String,
}

/// Splits calls into requests, in order. Each request carries the whole conversation, of
/// `state_tokens`, and has at most `request_tokens`.
///
/// # Errors
/// [`DoesNotFit`] when not even one call fits beside the conversation.
pub(super) fn batches(
    calls: Vec<Named>,
    state_tokens: usize,
    request_tokens: usize,
) -> Result<Vec<Vec<Named>>, DoesNotFit> {
    let room = request_tokens.saturating_sub(state_tokens + ENVELOPE_TOKENS);
    let mut batches: Vec<Vec<Named>> = Vec::new();
    let mut taken = 0;
    for call in calls {
        let asked = Value::Object(questions(&call.id, &call.tool));
        // One more for the comma between questions.
        let tokens = judge_tokens(&python_json(&asked)) + 1;
        if tokens > room {
            return Err(DoesNotFit::Request { state: state_tokens, budget: request_tokens });
        }
        match batches.last_mut() {
            Some(batch) if batch.len() < CALLS && taken + tokens <= room => {
                batch.push(call);
                taken += tokens;
            }
            _ => {
                batches.push(vec![call]);
                taken = tokens;
            }
        }
    }
    Ok(batches)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(ids: &[&str]) -> Vec<Named> {
        ids.iter().map(|id| Named { id: (*id).to_owned(), tool: "Read".to_owned() }).collect()
    }

    fn sizes(count: usize, state: usize, request: usize) -> Vec<usize> {
        let batches = batches(calls(&vec!["call"; count]), state, request).unwrap();
        batches.iter().map(Vec::len).collect()
    }

    /// The tokens that one call of [`calls`] takes: (939 + 4 × 4 + 2 × 4) / 2.2, and one.
    const ONE: usize = 439;

    #[test]
    fn a_request_asks_about_eight_calls_at_most() {
        assert_eq!(sizes(17, 100, 30_000), [8, 8, 1]);
        assert!(sizes(0, 100, 30_000).is_empty());
    }

    #[test]
    fn a_request_has_no_more_calls_than_fit_beside_the_conversation() {
        let budget = |calls| 100 + ENVELOPE_TOKENS + calls * ONE;
        assert_eq!(sizes(5, 100, budget(2)), [2, 2, 1]);
        assert_eq!(sizes(5, 100, budget(3) - 1), [2, 2, 1]);
        assert_eq!(sizes(3, 100, budget(1)), [1, 1, 1]);
    }

    #[test]
    fn a_call_that_fits_nowhere_is_refused() {
        let too_small = 100 + ENVELOPE_TOKENS + ONE - 1;
        for budget in [1, 100, too_small] {
            let error = batches(calls(&["call"]), 100, budget).unwrap_err();
            assert_eq!(error.setting(), "max_request_tokens");
            assert!(error.to_string().contains(&budget.to_string()), "{error}");
        }
    }
}
