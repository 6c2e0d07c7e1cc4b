//! From probabilities to what becomes of a call and its result.

use super::super::decision::{Action, Decision, Scores};
use super::super::pins::Candidate;
use super::super::trim::trim;
use super::super::view::View;
use super::answers::{Answer, Answers};

/// One decision for every call, as the threshold of the view has it. `judge` is the source of
/// those that were judged; the others are kept.
pub(in super::super) fn decide(
    view: &View,
    judge: &'static str,
    answers: Option<&Answers>,
) -> Vec<Decision> {
    let (mut decisions, candidates) = view.pins.split(view.index);
    decisions.extend(candidates.iter().map(|it| decide_one(view, it, judge, answers)));
    decisions
}

fn decide_one(
    view: &View,
    candidate: &Candidate,
    judge: &'static str,
    answers: Option<&Answers>,
) -> Decision {
    let call = &view.index.calls()[candidate.call];
    let keep = |reason, source| Decision::keep(view.index, call, reason, source);
    let said = answers.and_then(|answers| answers.of(view.call(call.at).id)).unwrap_or_default();
    let Answer { keep_call, keep_result } = said;
    // A judge that said nothing of the result has said something of the call.
    let Some(score) = keep_result.or(keep_call) else {
        return keep("not_judged_fail_safe", "fail_safe");
    };
    let threshold = view.terms.threshold;
    let kept = keep("result_still_needed", judge);
    let result = view.index.result_chars(candidate.result);
    let mut decision = if score >= threshold {
        kept
    } else if keep_call.is_some_and(|probability| probability >= threshold) {
        let terms = view.terms;
        let (text, tool) = (view.output(candidate), view.call(call.at).tool);
        let trimmed = trim(text, terms.trim_head_chars, 0, tool, terms.note_name);
        kept.act(Action::Trim(trimmed), "call_kept_result_trimmed", result)
    } else {
        kept.act(Action::Drop, "call_and_result_not_needed", result)
    };
    decision.scores = Scores { score: Some(score), keep_call, keep_result };
    decision
}
