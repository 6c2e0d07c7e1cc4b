//! The published contract: a request in, an answer out.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::apply::{Compacted, apply, keep_all};
use super::decision::{Action, Decision};
use super::index::Index;
use super::lossless::lossless;
use super::parse::{Parsed, parse_messages};
use super::pins::Pins;
use super::refs::{ref_blocks, ref_unchanged};
use super::render::{self, Inputs};
use super::report::{self, Pass};
use super::request::{Request, RequestError, malformed};
use super::verify::verify_lossless;

/// A way to count tokens, and the name that the report gives it.
pub struct Tokens<'t> {
    pub count: &'t dyn Fn(&str) -> usize,
    /// `o200k_base` for an exact count, `approximate` for an estimate.
    pub method: &'t str,
}

/// Answers a compact_transcript request (JSON text) as `{messages, decisions, report}`, or
/// without `decisions` when it asks for references.
///
/// # Errors
/// [`RequestError`] when the request is malformed or asks for what is not built. Nothing else
/// fails: what cannot be verified is kept, and the report says so.
pub fn compact_transcript(request: &[u8], tokens: &Tokens) -> Result<Value, RequestError> {
    let request: Value = serde_json::from_slice(request)
        .map_err(|error| malformed("request", format!("cannot be read as JSON: {error}")))?;
    let Request { settings, parsed } = Request::read(&request)?;
    let before = &parsed.transcript;
    let pins = Pins { preserve_recent: settings.preserve_recent, ..Pins::default() };
    let decided = lossless(&Index::build(before), &pins);
    let Checked { decisions, compacted, messages, violations } = carry_out(&parsed, &decided);

    let texts = [before, &compacted.transcript].map(render::counted_text);
    let report = report::report(&Pass {
        settings: &settings,
        before,
        after: &compacted.transcript,
        decisions: &decisions,
        violations: &violations,
        chars: texts.each_ref().map(|text| text.chars().count()),
        tokens: texts.each_ref().map(|text| (tokens.count)(text)),
        token_count_method: tokens.method,
    });
    if settings.ref_blocks {
        return Ok(json!({"messages": ref_blocks(before, &compacted), "report": report}));
    }
    if settings.ref_unchanged {
        let source = rendered(&keep_all(before), &parsed.inputs);
        return Ok(json!({"messages": ref_unchanged(&source, messages), "report": report}));
    }
    let decisions: Vec<Value> = decisions.iter().map(|d| report::decision(d, before)).collect();
    Ok(json!({"messages": messages, "decisions": decisions, "report": report}))
}

/// What decisions left, and whether it kept the promise.
struct Checked<'a> {
    decisions: Cow<'a, [Decision]>,
    compacted: Compacted<'a>,
    messages: Vec<Value>,
    violations: Vec<String>,
}

/// Carries decisions out, reads the answer back and verifies it. When it does not hold, every
/// call is kept instead: the fault would be this program's, and nobody should lose text by it.
fn carry_out<'a>(parsed: &'a Parsed<'_>, decided: &'a [Decision]) -> Checked<'a> {
    let before = &parsed.transcript;
    let idle = decided.iter().all(|decision| decision.source == "pin");
    let compacted = if idle { keep_all(before) } else { apply(before, decided) };
    let messages = rendered(&compacted, &parsed.inputs);
    let violations = match parse_messages(&messages) {
        Ok(after) => verify_lossless(before, &after.transcript),
        Err(error) => vec![error.to_string()],
    };
    if violations.is_empty() {
        return Checked { decisions: Cow::Borrowed(decided), compacted, messages, violations };
    }
    let compacted = keep_all(before);
    let messages = rendered(&compacted, &parsed.inputs);
    let decisions = decided.iter().map(kept_after_all).collect();
    Checked { decisions, compacted, messages, violations }
}

fn kept_after_all(decision: &Decision) -> Decision {
    let mut kept = decision.clone();
    if kept.source != "pin" {
        kept.action = Action::Keep;
        kept.reason = "lossless_verification_failed";
        kept.chars_after = kept.chars;
    }
    kept
}

fn rendered(compacted: &Compacted, inputs: &Inputs) -> Vec<Value> {
    let turns = compacted.kept.iter().zip(&compacted.transcript.turns);
    turns.map(|(message, turn)| render::message(turn, &inputs[*message])).collect()
}
