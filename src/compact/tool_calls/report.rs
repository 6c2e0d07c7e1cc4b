//! What a pass says about itself. Names and values are the contract's.

use serde_json::{Map, Value, json};

use super::decision::{Action, Decision};
use super::request::Settings;
use super::transcript::{Transcript, Turn};

/// A pass that is over, for [`report`].
pub(super) struct Pass<'p> {
    pub settings: &'p Settings<'p>,
    pub before: &'p Transcript<'p>,
    pub after: &'p Transcript<'p>,
    pub decisions: &'p [Decision],
    pub violations: &'p [String],
    pub chars: [usize; 2],
    pub tokens: [usize; 2],
    pub token_count_method: &'p str,
}

/// The report without its decisions.
pub(super) fn report(pass: &Pass) -> Value {
    let mut report = Map::new();
    for part in [outcome(pass), settings(pass.settings), sizes(pass), counts(pass)] {
        if let Value::Object(fields) = part {
            report.extend(fields);
        }
    }
    for (name, label) in
        [("trigger", pass.settings.trigger), ("idle_gap_bucket", pass.settings.idle_gap_bucket)]
    {
        if let Some(label) = label {
            report.insert(name.to_owned(), json!(label));
        }
    }
    Value::Object(report)
}

/// A decision, named by the call it is about.
pub(super) fn decision(decision: &Decision, before: &Transcript) -> Value {
    let call = &before.turns[decision.call.message].calls[decision.call.index];
    let mut fields = json!({
        "id": call.id,
        "decision": match decision.action {
            Action::Keep => "keep",
            Action::Dedupe(_) => "dedupe",
        },
        "score": null,
        "keep_call": null,
        "keep_result": null,
        "chars": decision.chars,
        "chars_after": decision.chars_after,
        "source": decision.source,
        "reason": decision.reason,
        "message_index": decision.call.message,
        "tool": call.tool,
    });
    if let Action::Dedupe(dedupe) = &decision.action {
        fields["kept_at"] = json!(dedupe.kept_at_id);
        fields["note"] = json!(dedupe.note);
    }
    fields
}

impl Pass<'_> {
    /// The decisions over candidates: those that no pin settled.
    fn decided(&self) -> impl Iterator<Item = &Decision> {
        self.decisions.iter().filter(|decision| decision.source != "pin")
    }
}

fn outcome(pass: &Pass) -> Value {
    let failed = !pass.violations.is_empty();
    let idle = pass.decided().next().is_none();
    let mut warnings = Vec::new();
    if idle {
        warnings.push("no_scorable_tool_calls: every call is pinned or has no result yet");
    }
    if failed {
        warnings.push("lossless_verification_failed: kept every tool call (fail-safe)");
    }
    json!({
        "schema_version": "transcript-compaction-1.0",
        "mode": "tool-calls",
        "lossless_violations": pass.violations,
        "recoverability_check": null,
        "stash_dir": null,
        "degraded": failed,
        "degradation_reason": if failed {
            Some("lossless_verification_failed_fail_safe")
        } else {
            idle.then_some("no_candidates")
        },
        "semantic_guarantee": if idle || failed { "none" } else { "lossless" },
        "calls": 0,
        "latency_ms": 0,
        "state_tokens": 0,
        "state_fit_stage": "none",
        "requests": 0,
        "warnings": warnings,
    })
}

fn settings(settings: &Settings) -> Value {
    json!({
        "objective": settings.question,
        "provider_requested": settings.provider,
        "provider_used": settings.provider,
        "rules_mode": settings.rules_mode,
        "jev_model_requested": settings.jev_model,
        "jev_model_resolved": null,
        "threshold": settings.threshold,
        "trim_threshold": null,
        "trim_head_chars": settings.trim_head_chars,
        "preserve_recent": settings.preserve_recent,
        "min_reduction": settings.min_reduction,
    })
}

fn sizes(pass: &Pass) -> Value {
    let reduction = reduction(pass.chars);
    let before = pass.decided().map(|decision| decision.chars).sum();
    let after = pass.decided().map(|decision| decision.chars_after).sum();
    json!({
        "chars_before": pass.chars[0],
        "chars_after": pass.chars[1],
        "reduction_ratio": reduction,
        "worth_it": reduction >= pass.settings.min_reduction,
        "tool_chars_before": before,
        "tool_chars_after": after,
        "tool_reduction_ratio": self::reduction([before, after]),
        "tokens_before": pass.tokens[0],
        "tokens_after": pass.tokens[1],
        "token_count_method": pass.token_count_method,
    })
}

fn counts(pass: &Pass) -> Value {
    let scored = pass.decided().count();
    let deduped = pass.decided().filter(|d| matches!(d.action, Action::Dedupe(_))).count();
    let calls = |turn: &Turn| turn.calls.len();
    json!({
        "blocks_total": pass.decisions.len(),
        "blocks_scored": scored,
        "blocks_protected": pass.decisions.len() - scored,
        "messages_before": pass.before.turns.len(),
        "messages_after": pass.after.turns.len(),
        "tool_calls_total": pass.before.turns.iter().map(calls).sum::<usize>(),
        "tool_calls_kept": scored - deduped,
        "tool_calls_trimmed": 0,
        "tool_calls_dropped": 0,
        "tool_calls_deduped": deduped,
        "tool_calls_replaced": 0,
        "tool_calls_stashed": 0,
    })
}

/// The share that is gone, 0 to 1.
fn reduction([before, after]: [usize; 2]) -> f64 {
    if before == 0 { 0.0 } else { (1.0 - after as f64 / before as f64).max(0.0) }
}
