//! The published contract: a request in, an answer out.

use serde::Serialize;
use serde_json::Value;

use super::apply::{Blanks, Compacted, apply, keep_all};
use super::counted::counted;
use super::index::Index;
use super::judged::{Asking, Heard, Judges, LAYA_MODEL, Limits};
use super::outside::{Disk, Stash};
use super::parse::Parsed;
use super::pins::Pins;
use super::ranked;
use super::recoverable::recheck;
use super::refs::{ref_blocks, ref_unchanged};
use super::render::{self, Message, read_back};
use super::report::{self, Pass, Told};
use super::request::{Request, RequestError, Settings, malformed};
use super::ruling::{Ruling, decide};
use super::transcript::Transcript;
use super::verify::{verify_lossless, verify_recoverable};
use super::verify_stashed::verify_stashed;
use super::view::{Outside, Terms, View};
use crate::compact::settings::{Provider, RulesMode};
use crate::tokens::{Method, count};

/// What an answer may draw on besides the request.
#[derive(Clone, Copy)]
pub struct World<'w> {
    /// How tokens are counted.
    pub tokens: Method,
    pub disk: &'w dyn Disk,
    pub stash: &'w dyn Stash,
    pub judges: &'w dyn Judges,
    /// The program that trim notes and stash pointers name.
    pub note_name: &'w str,
}

/// The answer to a request, to be written as JSON. It borrows from the request what it can.
#[derive(Debug, Clone, Serialize)]
pub struct Response<'v> {
    messages: Messages<'v>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<Vec<Told<'v>>>,
    report: Value,
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Messages<'v> {
    Whole(Vec<Message<'v>>),
    /// References to those of the request, where they are asked for.
    References(Vec<Value>),
}

/// Answers a compact_transcript request (JSON text) as `{messages, decisions, report}`, or
/// without `decisions` when it asks for references.
///
/// # Errors
/// [`RequestError`] when the request is malformed. Nothing else
/// fails: what cannot be verified is kept, and the report says so.
pub fn compact_transcript(request: &[u8], world: &World) -> Result<Value, RequestError> {
    let request: Value = serde_json::from_slice(request)
        .map_err(|error| malformed("request", format!("cannot be read as JSON: {error}")))?;
    Ok(value(&answer(&request, world)?))
}

/// The same for a request that has been read as JSON.
///
/// # Errors
/// As [`compact_transcript`].
pub fn answer<'v>(request: &'v Value, world: &World) -> Result<Response<'v>, RequestError> {
    let Request { settings, parsed } = Request::read(request)?;
    let before = &parsed.transcript;
    let index = Index::for_deciding(before, settings.provider, settings.rules_mode);
    let pins = Pins { preserve_recent: settings.preserve_recent, ..Pins::default() };
    let terms = terms(&settings, world);
    let view = View { transcript: before, index: &index, pins: &pins, terms: &terms };
    let mut ruling = rule(&view, &settings, world)?;
    let violations = check(&parsed, &settings, world, &mut ruling);
    if let Some(root) = settings.disk_root() {
        recheck(&mut ruling.decisions, root, world.disk);
    }
    let compacted = if violations.is_empty() {
        carry_out(&parsed, &settings, &ruling)
    } else {
        keep_all(before)
    };

    let counted = counted(before, &index, &compacted, world.tokens);
    let report = report::report(&Pass {
        settings: &settings,
        before,
        after: &compacted.transcript,
        ruling: &ruling,
        violations: &violations,
        stash_dir: settings.uses_the_stash().then(|| world.stash.place()).flatten(),
        counted,
        token_count_method: match world.tokens {
            Method::O200kBase => "exact",
            Method::Heuristic => "approximate",
        },
    });
    if settings.ref_blocks {
        let messages = Messages::References(ref_blocks(before, &compacted));
        return Ok(Response { messages, decisions: None, report });
    }
    let messages = render::messages(&parsed, &compacted);
    if settings.ref_unchanged {
        let source = render::messages(&parsed, &keep_all(before));
        let messages = ref_unchanged(&values(&source), values(&messages));
        return Ok(Response { messages: Messages::References(messages), decisions: None, report });
    }
    let decisions = ruling.decisions;
    let decisions = decisions.into_iter().map(|it| Told::of(it, &settings, before)).collect();
    Ok(Response { messages: Messages::Whole(messages), decisions: Some(decisions), report })
}

fn values(messages: &[Message]) -> Vec<Value> {
    messages.iter().map(value).collect()
}

fn value(answer: &impl Serialize) -> Value {
    serde_json::to_value(answer).expect("texts and numbers under names that are texts are JSON")
}

fn terms<'t>(settings: &Settings<'t>, world: &World<'t>) -> Terms<'t> {
    Terms {
        question: settings.question,
        threshold: settings.threshold,
        trim_head_chars: settings.trim_head_chars,
        workspace_root: settings.workspace_root,
        disk_check: settings.disk_check,
        allow_command_pointers: settings.allow_command_pointers,
        note_name: world.note_name,
    }
}

fn rule(view: &View, settings: &Settings, world: &World) -> Result<Ruling, RequestError> {
    let heard = hear(view, settings, world)?;
    let tokens = |_, text: &str| count(text, world.tokens);
    let outside = Outside {
        disk: world.disk,
        stash: world.stash,
        tokens: &tokens,
        answers: heard.as_ref().and_then(Heard::answers),
    };
    let decisions = decide(view, settings.provider, settings.rules_mode, &outside);
    Ok(match heard {
        Some(heard) => heard.ruling(settings.provider, decisions),
        None if settings.provider.is_ranker() => ranked::ruling(view, decisions),
        None => Ruling::by(settings.provider, decisions),
    })
}

/// What a judge says, where the provider is one. Without candidates none is looked for.
fn hear(view: &View, settings: &Settings, world: &World) -> Result<Option<Heard>, RequestError> {
    if !settings.provider.is_judge() || view.candidates().is_empty() {
        return Ok(None);
    }
    let asking = Asking {
        provider: settings.provider,
        model: match settings.provider {
            Provider::Laya => settings.laya_model.unwrap_or(LAYA_MODEL),
            _ => settings.jev_model,
        },
        limits: Limits {
            max_state_tokens: settings.max_state_tokens,
            max_request_tokens: settings.max_request_tokens,
        },
        workers: settings.max_workers,
    };
    let heard = asking.hear(view, world.judges);
    heard.map(Some).map_err(|error| malformed(error.setting(), error.to_string()))
}

/// Carries decisions out, reads the answer back and verifies it, where the mode promises
/// something that can be verified. When it does not hold, every call is kept instead: the fault
/// would be this program's, and nobody should lose text by it.
fn check(parsed: &Parsed, settings: &Settings, world: &World, ruling: &mut Ruling) -> Vec<String> {
    if !settings.is_verified() || ruling.decided().next().is_none() {
        return Vec::new();
    }
    let messages = render::messages(parsed, &carry_out(parsed, settings, ruling));
    let violations = violations(settings, world, &parsed.transcript, &read_back(&messages));
    if !violations.is_empty() {
        let reason = format!("{}_verification_failed", settings.rules_mode.name());
        for decision in ruling.decisions.iter_mut().filter(|it| it.source != "pin") {
            decision.withdraw(reason.clone());
        }
    }
    violations
}

/// What breaks the promise of the mode.
fn violations(
    settings: &Settings,
    world: &World,
    before: &Transcript,
    after: &Transcript,
) -> Vec<String> {
    match settings.rules_mode {
        RulesMode::Recoverable => {
            verify_recoverable(before, after, settings.allow_command_pointers)
        }
        RulesMode::Stashed => verify_stashed(before, after, world.stash, world.note_name),
        _ => verify_lossless(before, after),
    }
}

fn carry_out<'a>(parsed: &'a Parsed<'_>, settings: &Settings, ruling: &'a Ruling) -> Compacted<'a> {
    if ruling.decided().next().is_none() {
        return keep_all(&parsed.transcript);
    }
    let blanks = if settings.is_verified() { Blanks::Stay } else { Blanks::Go };
    apply(&parsed.transcript, &ruling.decisions, blanks)
}
