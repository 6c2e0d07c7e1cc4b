//! Provider `auto`, which is `specialist-v3`: the local ranker says which parts of the transcript
//! matter least to the question, and a call goes with its result where both are among them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use super::decision::{Action, Decision, Scores};
use super::parsed_call::ParsedCall;
use super::pins::Candidate;
use super::ruling::Ruling;
use super::transcript::Transcript;
use super::trim::trim;
use super::view::View;
use crate::compact::settings::Provider;
use crate::compact::specialist::{Part, PartKind, Prepared, RankError, Verdict, rank};

/// Who decides, under either name of the provider.
const RANKER: Provider = Provider::SpecialistV3;

/// One decision for every call that is pinned, then one for every call that is not and has a
/// result. Where nothing can be ranked every call is kept.
pub(super) fn decide(view: &View) -> Vec<Decision> {
    let (mut decisions, candidates) = view.pins.split(view.index);
    if candidates.is_empty() {
        return decisions;
    }
    match view.index.ranking.verdicts(view.transcript, view.terms.question) {
        Ok(verdicts) => {
            let ranked = Verdicts::new(view.transcript, &verdicts);
            decisions.extend(candidates.iter().map(|it| decide_one(view, it, &ranked)));
        }
        Err(_) => decisions.extend(candidates.iter().map(|it| not_ranked(view, it))),
    }
    decisions
}

/// What decisions that [`decide`] made amount to.
pub(super) fn ruling(view: &View, decisions: Vec<Decision>) -> Ruling {
    let mut ruling = Ruling::by(RANKER, decisions);
    if ruling.decided().next().is_none() {
        return ruling;
    }
    if let Err(error) = view.index.ranking.verdicts(view.transcript, view.terms.question) {
        ruling.provider_used = "degraded".to_owned();
        ruling.degradation = Some("specialist_v3_failed_fail_safe".to_owned());
        let warning = format!("specialist_v3_failed: {error}; kept every tool call (fail-safe)");
        ruling.warnings.push(warning);
    }
    ruling
}

fn not_ranked(view: &View, candidate: &Candidate) -> Decision {
    let call = &view.index.calls()[candidate.call];
    Decision::keep(view.index, call, "not_judged_fail_safe", "fail_safe")
}

fn decide_one(view: &View, candidate: &Candidate, verdicts: &Verdicts) -> Decision {
    let call = &view.index.calls()[candidate.call];
    let id = view.call(call.at).id;
    let (of_call, of_result) = (verdicts.of_call(id), verdicts.of_result(id));
    let kept = Decision::keep(view.index, call, "specialist_rank_kept", RANKER.name());
    let result = view.index.result_chars(candidate.result);
    let mut decision = match (of_result.gone, of_call.gone) {
        (false, _) => kept,
        (true, true) => kept.act(Action::Drop, "specialist_rank_below_budget", result),
        (true, false) => {
            let (terms, tool) = (view.terms, view.call(call.at).tool);
            let text = view.output(candidate);
            let trimmed = trim(text, terms.trim_head_chars, 0, tool, terms.note_name);
            kept.act(Action::Trim(trimmed), "specialist_result_below_budget_call_kept", result)
        }
    };
    decision.scores = Scores { score: of_result.score, ..Scores::default() };
    decision
}

/// The verdicts over calls and results, by id. Where several have one id the last one counts.
struct Verdicts<'v> {
    calls: HashMap<&'v str, Verdict>,
    results: HashMap<&'v str, Verdict>,
}

impl<'v> Verdicts<'v> {
    fn new(transcript: &'v Transcript, verdicts: &[Verdict]) -> Verdicts<'v> {
        let mut by_id = Verdicts { calls: HashMap::new(), results: HashMap::new() };
        let mut verdicts = verdicts.iter().copied();
        for turn in &transcript.turns {
            if !turn.text.is_empty() {
                verdicts.next();
            }
            by_id.calls.extend(turn.calls.iter().map(|call| call.id).zip(verdicts.by_ref()));
            let results = turn.results.iter().map(|result| result.id);
            by_id.results.extend(results.zip(verdicts.by_ref()));
        }
        by_id
    }

    fn of_call(&self, id: &str) -> Verdict {
        self.calls.get(id).copied().unwrap_or(KEPT)
    }

    fn of_result(&self, id: &str) -> Verdict {
        self.results.get(id).copied().unwrap_or(KEPT)
    }
}

/// What no verdict is about stays.
const KEPT: Verdict = Verdict { gone: false, score: None };

/// A transcript prepared for ranking: when it is first asked about, and further when it has grown
/// since.
#[derive(Debug, Default)]
pub(super) struct Ranking(Mutex<Read>);

/// What was read so far.
#[derive(Debug, Clone, Default)]
struct Read {
    session: Prepared,
    messages: usize,
}

impl Ranking {
    /// The verdict over every part of a transcript, which begins with what was asked about before.
    fn verdicts(&self, transcript: &Transcript, question: &str) -> Result<Vec<Verdict>, RankError> {
        let mut read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        read.up_to_date(transcript);
        rank(&read.session, question)
    }
}

impl Clone for Ranking {
    fn clone(&self) -> Ranking {
        let read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ranking(Mutex::new(read.clone()))
    }
}

impl Read {
    fn up_to_date(&mut self, transcript: &Transcript) {
        if self.messages == transcript.turns.len() {
            return;
        }
        if names_anew(transcript, self.messages) {
            *self = Read::default();
        }
        self.session.extend(parts(transcript, self.messages));
        self.messages = transcript.turns.len();
    }
}

/// Whether a message from number `from` on makes a call under an id that came before: then a
/// result that was read may be another tool's now.
fn names_anew(transcript: &Transcript, from: usize) -> bool {
    let (before, after) = transcript.turns.split_at(from);
    let called = before.iter().flat_map(|turn| &turn.calls).map(|call| call.id);
    let answered = before.iter().flat_map(|turn| &turn.results).map(|result| result.id);
    let known: HashSet<&str> = called.chain(answered).collect();
    after.iter().flat_map(|turn| &turn.calls).any(|call| known.contains(call.id))
}

/// The parts of the messages from number `from` on.
fn parts<'t>(transcript: &'t Transcript, from: usize) -> impl Iterator<Item = Part<'t>> {
    let tools: HashMap<&str, &str> = transcript
        .turns
        .iter()
        .flat_map(|turn| &turn.calls)
        .map(|call| (call.id, call.tool))
        .collect();
    transcript.turns.iter().enumerate().skip(from).flat_map(move |(message, turn)| {
        let part = |kind, tool, body| Part { message, role: turn.role, kind, tool, body };
        let text =
            (!turn.text.is_empty()).then(|| part(PartKind::Text, None, Cow::Borrowed(&*turn.text)));
        let calls = turn.calls.iter().map(|call| {
            part(PartKind::ToolUse, Some(call.tool), ParsedCall::new(call).sorted_input())
        });
        let results = turn.results.iter().map(|result| {
            let tool = tools.get(result.id).copied();
            part(PartKind::ToolResult, tool, Cow::Borrowed(&*result.text))
        });
        text.into_iter().chain(calls).chain(results).collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::super::transcript::{Call, Output, Turn};
    use super::*;

    fn turn<'a>(calls: &[(&'a str, &'a str)], results: &[&'a str]) -> Turn<'a> {
        let call = |(id, tool): &(&'a str, &'a str)| Call { id, tool, input: "{}".into() };
        let result = |id: &&'a str| Output { id, text: "x".into(), is_error: false };
        Turn {
            role: "assistant",
            text: "".into(),
            calls: calls.iter().map(call).collect(),
            results: results.iter().map(result).collect(),
        }
    }

    #[test]
    fn a_result_is_read_under_the_last_call_of_its_id() {
        let turns = vec![turn(&[("a", "Read")], &["a", "b"]), turn(&[("a", "Bash")], &[])];
        let transcript = Transcript { turns };
        let tools: Vec<_> = parts(&transcript, 0).map(|part| part.tool).collect();
        assert_eq!(tools, [Some("Read"), Some("Bash"), None, Some("Bash")]);
    }

    #[test]
    fn an_id_that_came_before_names_anew() {
        let known = || turn(&[("a", "Read")], &["b"]);
        for (id, anew) in [("a", true), ("b", true), ("c", false)] {
            let transcript = Transcript { turns: vec![known(), turn(&[(id, "Bash")], &[])] };
            assert_eq!(names_anew(&transcript, 1), anew, "{id}");
            assert!(!names_anew(&transcript, 0), "{id}");
        }
    }

    #[test]
    fn where_several_share_an_id_the_last_one_counts() {
        let transcript = Transcript {
            turns: vec![Turn { text: "t".into(), ..turn(&[("a", "x"), ("a", "x")], &["a"]) }],
        };
        let verdicts: Vec<Verdict> =
            [false, true, false, true].map(|gone| Verdict { gone, score: None }).into();
        let by_id = Verdicts::new(&transcript, &verdicts);
        assert!(!by_id.of_call("a").gone);
        assert!(by_id.of_result("a").gone);
    }
}
