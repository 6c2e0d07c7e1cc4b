//! What a pass says about itself. Names and values are the contract's.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use super::counted::Counted;
use super::decision::{Action, Decision, Recovery, Replacement};
use super::lossy::KEPT_ENDS;
use super::request::Settings;
use super::ruling::{Asked, Ruling};
use super::transcript::{Transcript, Turn};
use crate::compact::settings::{Provider, RulesMode};

/// A pass that is over, for [`report`].
pub(super) struct Pass<'p> {
    pub settings: &'p Settings<'p>,
    pub before: &'p Transcript<'p>,
    pub after: &'p Transcript<'p>,
    pub ruling: &'p Ruling,
    pub violations: &'p [String],
    pub stash_dir: Option<String>,
    pub counted: Counted,
    pub token_count_method: &'p str,
}

/// The report without its decisions.
pub(super) fn report(pass: &Pass) -> Value {
    let mut report = Map::new();
    for part in [outcome(pass), asked(pass), settings(pass), sizes(pass), counts(pass)] {
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

/// A decision as a report tells it, named by the call that it is about.
#[derive(Debug, Clone)]
pub(super) struct Told<'v> {
    id: &'v str,
    tool: &'v str,
    decision: Decision,
    /// Mode lossy tells with every decision what a trim would keep.
    by_lossy: bool,
}

impl<'v> Told<'v> {
    pub fn of(decision: Decision, settings: &Settings, before: &Transcript<'v>) -> Told<'v> {
        let call = &before.turns[decision.call.message].calls[decision.call.index];
        let is_lossy =
            settings.provider == Provider::Rules && settings.rules_mode == RulesMode::Lossy;
        let by_lossy = is_lossy && decision.source == "rules";
        Told { id: call.id, tool: call.tool, decision, by_lossy }
    }
}

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Told { id, tool, decision, by_lossy } = self;
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("id", id)?;
        fields.serialize_entry("decision", name(&decision.action))?;
        fields.serialize_entry("score", &decision.scores.score)?;
        fields.serialize_entry("keep_call", &decision.scores.keep_call)?;
        fields.serialize_entry("keep_result", &decision.scores.keep_result)?;
        fields.serialize_entry("chars", &decision.chars)?;
        fields.serialize_entry("chars_after", &decision.chars_after)?;
        fields.serialize_entry("source", decision.source)?;
        fields.serialize_entry("reason", &decision.reason)?;
        fields.serialize_entry("message_index", &decision.call.message)?;
        fields.serialize_entry("tool", tool)?;
        match decision.withdrawn.as_deref().unwrap_or(&decision.action) {
            Action::Dedupe(dedupe) => {
                fields.serialize_entry("kept_at", &dedupe.kept_at_id)?;
                fields.serialize_entry("note", &dedupe.note)?;
            }
            Action::Replace(replacement) => add_recovery(&mut fields, replacement)?,
            Action::Keep | Action::Trim(_) | Action::Drop => {}
        }
        if *by_lossy {
            let is_trim = matches!(decision.action, Action::Trim(_))
                || decision.reason == "short_result_kept_whole";
            fields.serialize_entry("trim_tail_chars", &if is_trim { KEPT_ENDS } else { 0 })?;
            fields.serialize_entry("trim_head_chars", &is_trim.then_some(KEPT_ENDS))?;
        }
        fields.end()
    }
}

fn name(action: &Action) -> &'static str {
    match action {
        Action::Keep => "keep",
        Action::Dedupe(_) => "dedupe",
        Action::Replace(_) => "replace",
        Action::Trim(_) => "trim",
        Action::Drop => "drop",
    }
}

fn add_recovery<M: SerializeMap>(
    fields: &mut M,
    Replacement { note, recovery }: &Replacement,
) -> Result<(), M::Error> {
    fields.serialize_entry("note", note)?;
    match recovery {
        Recovery::File { path, cwd, lines, disk } => {
            let recover = json!({"kind": "file", "path": path, "cwd": cwd, "lines": lines});
            fields.serialize_entry("recover", &recover)?;
            let check = if disk.is_some() { "disk" } else { "transcript_proxy" };
            fields.serialize_entry("recoverability_check", check)?;
            if let Some(proof) = disk {
                let proof = json!({"path": proof.path, "real": proof.real, "sha256": proof.sha256});
                fields.serialize_entry("disk", &proof)?;
            }
            Ok(())
        }
        Recovery::Command { command, cwd, check } => {
            let recover = json!({"kind": "command", "command": command, "cwd": cwd});
            fields.serialize_entry("recover", &recover)?;
            fields.serialize_entry("recoverability_check", check)
        }
        Recovery::Stash { sha256, tokens, bytes } => {
            let stash = json!({"sha256": sha256, "tokens": tokens, "bytes": bytes});
            fields.serialize_entry("stash", &stash)
        }
    }
}

fn outcome(pass: &Pass) -> Value {
    let Pass { settings, ruling, .. } = pass;
    let failed = !pass.violations.is_empty();
    let idle = ruling.decided().next().is_none();
    let mode = settings.rules_mode.name();
    let mut warnings = ruling.warnings.clone();
    if idle {
        warnings
            .push("no_scorable_tool_calls: every call is pinned or has no result yet".to_owned());
    }
    if failed {
        warnings.push(format!("{mode}_verification_failed: kept every tool call (fail-safe)"));
    }
    let reason = if failed {
        Some(format!("{mode}_verification_failed_fail_safe"))
    } else if idle {
        Some("no_candidates".to_owned())
    } else {
        ruling.degradation.clone()
    };
    json!({
        "schema_version": "transcript-compaction-1.0",
        "mode": "tool-calls",
        "lossless_violations": pass.violations,
        "recoverability_check": recoverability_check(settings),
        "stash_dir": pass.stash_dir,
        "degraded": failed || ruling.degradation.is_some(),
        "degradation_reason": reason,
        "semantic_guarantee": semantic_guarantee(pass, idle, failed),
        "warnings": warnings,
    })
}

fn recoverability_check(settings: &Settings) -> Option<&'static str> {
    let recoverable =
        settings.provider == Provider::Rules && settings.rules_mode == RulesMode::Recoverable;
    let checked = if settings.disk_root().is_some() { "disk" } else { "transcript_proxy" };
    recoverable.then_some(checked)
}

/// What the answer vouches for: a verified mode for its own promise, a judge for what it judged.
fn semantic_guarantee(pass: &Pass, idle: bool, failed: bool) -> &'static str {
    let scored = scored(pass);
    if pass.settings.is_verified() && !idle && !failed {
        pass.settings.rules_mode.name()
    } else if pass.ruling.asked.is_none() || scored == 0 {
        "none"
    } else if scored == pass.ruling.decided().count() {
        "judged"
    } else {
        "partial"
    }
}

fn asked(pass: &Pass) -> Value {
    let none = Asked { fit_stage: "none", ..Asked::default() };
    let asked = pass.ruling.asked.as_ref().unwrap_or(&none);
    json!({
        "calls": asked.calls,
        "requests": asked.requests,
        "latency_ms": asked.latency_ms,
        "state_tokens": asked.state_tokens,
        "state_fit_stage": asked.fit_stage,
        "jev_model_resolved": asked.model,
    })
}

fn settings(pass: &Pass) -> Value {
    let settings = pass.settings;
    let by_rules = settings.provider == Provider::Rules;
    json!({
        "objective": settings.question,
        "provider_requested": settings.provider.name(),
        "provider_used": pass.ruling.provider_used,
        "rules_mode": by_rules.then(|| settings.rules_mode.name()),
        "jev_model_requested": settings.jev_model,
        "threshold": settings.threshold,
        "trim_threshold": null,
        "trim_head_chars": settings.trim_head_chars,
        "preserve_recent": settings.preserve_recent,
        "min_reduction": settings.min_reduction,
    })
}

fn sizes(pass: &Pass) -> Value {
    let reduction = reduction(pass.counted.chars);
    let before = pass.ruling.decided().map(|decision| decision.chars).sum();
    let after = pass.ruling.decided().map(|decision| decision.chars_after).sum();
    json!({
        "chars_before": pass.counted.chars[0],
        "chars_after": pass.counted.chars[1],
        "reduction_ratio": reduction,
        "worth_it": reduction >= pass.settings.min_reduction,
        "tool_chars_before": before,
        "tool_chars_after": after,
        "tool_reduction_ratio": self::reduction([before, after]),
        "tokens_before": pass.counted.tokens[0],
        "tokens_after": pass.counted.tokens[1],
        "token_count_method": pass.token_count_method,
    })
}

fn counts(pass: &Pass) -> Value {
    let decided = pass.ruling.decided().count();
    let all = pass.ruling.decisions.len();
    let count = |is: fn(&Action) -> bool| pass.ruling.decided().filter(|d| is(&d.action)).count();
    let stashed = |action: &Action| matches!(action, Action::Replace(it) if matches!(it.recovery, Recovery::Stash { .. }));
    let calls = |turn: &Turn| turn.calls.len();
    json!({
        "blocks_total": all,
        "blocks_scored": scored(pass),
        "blocks_protected": all - decided,
        "messages_before": pass.before.turns.len(),
        "messages_after": pass.after.turns.len(),
        "tool_calls_total": pass.before.turns.iter().map(calls).sum::<usize>(),
        "tool_calls_kept": count(|action| matches!(action, Action::Keep)),
        "tool_calls_trimmed": count(|action| matches!(action, Action::Trim(_))),
        "tool_calls_dropped": count(|action| matches!(action, Action::Drop)),
        "tool_calls_deduped": count(|action| matches!(action, Action::Dedupe(_))),
        "tool_calls_replaced": count(|action| matches!(action, Action::Replace(_))),
        "tool_calls_stashed": count(stashed),
    })
}

/// The decisions that somebody stands for.
fn scored(pass: &Pass) -> usize {
    pass.ruling.decided().filter(|decision| decision.source == pass.ruling.judge).count()
}

/// The share that is gone, 0 to 1.
fn reduction([before, after]: [usize; 2]) -> f64 {
    if before == 0 { 0.0 } else { (1.0 - after as f64 / before as f64).max(0.0) }
}
