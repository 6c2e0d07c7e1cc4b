//! The lossless rule by its definition: every result against every later one, text by text.

use crate::compact::tool_calls::lines::comparable_lines;
use crate::compact::tool_calls::{
    Action, Decision, Dedupe, Output, Pins, Position, Scores, Transcript,
};

type Flat<'t> = Vec<(Position, &'t Output<'t>)>;

pub fn decide(transcript: &Transcript, pins: &Pins) -> Vec<Decision> {
    let results: Flat = transcript.results().collect();
    let mut decisions = Vec::new();
    let mut candidates = Vec::new();
    for (message, turn) in transcript.turns.iter().enumerate() {
        for (index, call) in turn.calls.iter().enumerate() {
            let at = Position { message, index };
            let result = results.iter().rposition(|(_, result)| result.id == call.id);
            let answered = result.map(|n| results[n].0.message);
            let chars = call.input.chars().count()
                + result.map_or(0, |n| results[n].1.text.chars().count());
            let mut decision = Decision {
                call: at,
                result: result.map(|n| results[n].0),
                action: Action::Keep,
                withdrawn: None,
                reason: "no_lossless_superseder".into(),
                source: "rules",
                scores: Scores::default(),
                chars,
                chars_after: chars,
            };
            if let Some(reason) = pin(pins, at, answered, transcript.turns.len()) {
                (decision.reason, decision.source) = (reason.into(), "pin");
                decisions.push(decision);
            } else if let Some(result) = result {
                candidates.push((decision, result));
            }
        }
    }
    let is_double = |id: &str| {
        let calls = transcript.turns.iter().flat_map(|turn| &turn.calls);
        calls.filter(|call| call.id == id).count() > 1
            || results.iter().filter(|(_, result)| result.id == id).count() > 1
    };
    let mut stays: Vec<bool> = results.iter().map(|(_, result)| !is_double(result.id)).collect();
    let mut found: Vec<Option<Dedupe>> = vec![None; results.len()];
    for n in (0..results.len()).rev() {
        if stays[n] && candidates.iter().any(|(_, result)| *result == n) {
            found[n] = nearest(&results, &stays, n);
            stays[n] = found[n].is_none();
        }
    }
    for (mut decision, result) in candidates {
        if is_double(results[result].1.id) {
            decision.reason = "duplicate_tool_use_id".into();
        } else if let Some(dedupe) = found[result].take() {
            decision.reason = match dedupe.lines {
                Some(_) => "output_lines_of_later".into(),
                None => "identical_output_kept_later".into(),
            };
            decision.chars_after = decision.chars - results[result].1.text.chars().count()
                + dedupe.note.chars().count();
            decision.action = Action::Dedupe(dedupe);
        }
        decisions.push(decision);
    }
    decisions
}

fn pin(
    pins: &Pins,
    call: Position,
    answered: Option<usize>,
    messages: usize,
) -> Option<&'static str> {
    let by_user = |message| pins.messages.contains(&message);
    if call.message == 0 {
        Some("pinned_first_message")
    } else if call.message + pins.preserve_recent >= messages {
        Some("pinned_recent")
    } else if pins.calls.contains(&call) || by_user(call.message) || answered.is_some_and(by_user) {
        Some("pin")
    } else {
        None
    }
}

fn nearest(results: &Flat, stays: &[bool], n: usize) -> Option<Dedupe> {
    let (_, old) = results[n];
    for (later, (kept_at, other)) in results.iter().enumerate().skip(n + 1) {
        if !stays[later] || other.is_error != old.is_error || old.text.is_empty() {
            continue;
        }
        let id = other.id;
        let (note, lines) = if comparable_lines(&old.text).eq(comparable_lines(&other.text)) {
            (format!("[identical output kept at {id}]"), None)
        } else {
            let framed = format!("\n{}\n", other.text);
            let Some(at) = framed.find(&format!("\n{}\n", old.text)) else { continue };
            let first = framed[..at].matches('\n').count() + 1;
            let last = first + old.text.matches('\n').count();
            (format!("[output = lines {first}-{last} of {id}]"), Some((first, last)))
        };
        let pays = note.chars().count() < old.text.chars().count();
        return pays.then(|| Dedupe { kept_at: *kept_at, kept_at_id: id.to_owned(), note, lines });
    }
    None
}
