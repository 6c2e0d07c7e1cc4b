//! Providers that ask a judge.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::Around;
use super::generate::messages;
use super::judge::{Recorded, Scripted, probability};
use super::memory_stash::MemoryStash;
use crate::compact::settings::Provider;
use crate::compact::tool_calls::judged::decide;
use crate::compact::tool_calls::parse::parse_messages;
use crate::compact::tool_calls::{
    Action, Course, Decision, DoesNotFit, Index, Inquiry, Judge, JudgeError, JudgeRequest,
    Judgement, Judges, Limits, NoDisk, NoJudge, Pins, Reply, RequestError, Terms, View,
};

const LIMITS: Limits = Limits { max_state_tokens: 25_000, max_request_tokens: 30_000 };

fn terms(threshold: f64) -> Terms<'static> {
    Terms {
        question: "q",
        threshold,
        trim_head_chars: 10,
        workspace_root: None,
        disk_check: false,
        allow_command_pointers: false,
        note_name: "compactscope",
    }
}

/// Looks at messages as the pass does, with nothing pinned but the first.
fn seen<T>(messages: &[Value], threshold: f64, look: impl FnOnce(&View) -> T) -> T {
    let parsed = parse_messages(messages).unwrap();
    let index = Index::build(&parsed.transcript);
    let (pins, terms) = (Pins::default(), terms(threshold));
    look(&View { transcript: &parsed.transcript, index: &index, pins: &pins, terms: &terms })
}

fn prepared(messages: &[Value], limits: Limits) -> Result<Inquiry, DoesNotFit> {
    seen(messages, 0.5, |view| Inquiry::prepare(view, Provider::Jev, "m", limits))
}

/// So many calls, each with a result of 300 characters.
fn calls(count: usize) -> Vec<Value> {
    let pair = |n: usize| {
        json!({"role": "assistant", "toolUses": [{"id": format!("c{n}"), "tool": "Read"}],
            "toolResults": [{"id": format!("c{n}"), "text": format!("{n:02} ").repeat(100)}]})
    };
    [json!({"role": "user", "text": "go"})].into_iter().chain((0..count).map(pair)).collect()
}

fn answered_by(request: &Value, judges: &dyn Judges) -> Result<Value, RequestError> {
    let around = Around { disk: &NoDisk, stash: &MemoryStash::default(), judges };
    around.answer(request.to_string().as_bytes())
}

fn all_answered(asked: &Map<String, Value>) -> Result<Value, JudgeError> {
    let answer = |id: &String| (id.clone(), json!({"noul": probability(id)}));
    Ok(json!({"answers": asked.keys().map(answer).collect::<Map<_, _>>()}))
}

fn asked(inquiry: &Inquiry, judge: &dyn Judge, workers: usize) -> Judgement {
    let course = Course { told: &|_, _| {}, stop: &AtomicBool::new(false) };
    inquiry.ask(judge, workers, &course)
}

fn decided(messages: &[Value], threshold: f64, judgement: &Judgement) -> Vec<Decision> {
    seen(messages, threshold, |view| decide(view, "jev", Some(&judgement.answers)))
}

#[test]
fn another_threshold_decides_again_and_asks_nobody() {
    let messages = calls(40);
    let judge = Scripted::new(all_answered);
    let judgement = asked(&prepared(&messages, LIMITS).unwrap(), &judge, 2);
    let of = |threshold| {
        let decisions = decided(&messages, threshold, &judgement);
        let count = |action: fn(&Action) -> bool| {
            decisions.iter().filter(|decision| action(&decision.action)).count()
        };
        [
            count(|it| *it == Action::Keep),
            count(|it| matches!(it, Action::Trim(_))),
            count(|it| *it == Action::Drop),
        ]
    };
    let want = |threshold: f64| {
        let mut counts = [0; 3];
        for n in 0..40 {
            let p = |kind: &str| probability(&format!("{kind}_c{n}"));
            let outcome = match (p("keep_call"), p("keep_result")) {
                (_, result) if result >= threshold => 0,
                (call, _) if call >= threshold => 1,
                _ => 2,
            };
            counts[outcome] += 1;
        }
        counts
    };
    for threshold in [0.0, 0.2, 0.5, 0.8, 1.0] {
        assert_eq!(of(threshold), want(threshold), "{threshold}");
    }
    assert_eq!((of(0.0), of(1.0)), ([40, 0, 0], [0, 0, 40]));
    assert_eq!(judge.asked.lock().unwrap().len(), 5);
}

#[test]
fn a_trim_that_would_not_be_shorter_keeps_the_result() {
    let mut messages = calls(1);
    messages[1]["toolResults"][0]["text"] = json!("a result of some thirty letters");
    let judge = Scripted::new(|_: &_| {
        Ok(json!({"answers": {"keep_call_c0": {"noul": 0.9}, "keep_result_c0": {"noul": 0.1}}}))
    });
    let judgement = asked(&prepared(&messages, LIMITS).unwrap(), &judge, 1);
    let decision = &decided(&messages, 0.5, &judgement)[0];
    assert_eq!((&decision.action, &*decision.reason), (&Action::Keep, "short_result_kept_whole"));
    assert_eq!(decision.source, "jev");
}

#[test]
fn one_probability_is_enough_to_judge_by() {
    for (answers, action, score) in [
        (json!({"keep_result_c0": {"noul": 0.1}}), Action::Drop, Some(0.1)),
        (json!({"keep_call_c0": {"noul": 0.9}}), Action::Keep, Some(0.9)),
        (json!({"keep_call_c0": {"noul": 0.1}}), Action::Drop, Some(0.1)),
        (json!({}), Action::Keep, None),
    ] {
        let messages = calls(1);
        let judge = Scripted::new(move |_: &_| Ok(json!({"answers": answers})));
        let judgement = asked(&prepared(&messages, LIMITS).unwrap(), &judge, 1);
        let decision = &decided(&messages, 0.5, &judgement)[0];
        assert_eq!((&decision.action, decision.scores.score), (&action, score));
    }
}

/// A judge that counts its questions, and stops at the one with this number.
struct Stopping<'s>(usize, &'s AtomicBool, Mutex<usize>);

impl Judge for Stopping<'_> {
    fn ask(&self, request: &JudgeRequest) -> Reply {
        let mut count = self.2.lock().unwrap();
        *count += 1;
        if *count == self.0 {
            self.1.store(true, Ordering::Relaxed);
        }
        Reply { answer: all_answered(request.questions), took: Default::default() }
    }
}

#[test]
fn what_was_not_sent_when_asking_was_stopped_is_kept() {
    let messages = calls(40);
    let stop = AtomicBool::new(false);
    let judge = Stopping(2, &stop, Mutex::new(0));
    let inquiry = prepared(&messages, LIMITS).unwrap();
    let judgement = inquiry.ask(&judge, 1, &Course { told: &|_, _| {}, stop: &stop });
    assert_eq!(judgement.answers.len(), 16);
    assert_eq!((judgement.asked.calls, judgement.asked.requests), (2, 5));
    assert!(judgement.warnings[0].starts_with("jev_stopped: 3 of 5 requests were not sent"));
    let decisions = decided(&messages, 1.0, &judgement);
    let kept = decisions.iter().filter(|it| it.reason == "not_judged_fail_safe").count();
    let dropped = decisions.iter().filter(|it| it.action == Action::Drop).count();
    assert_eq!((kept, dropped), (24, 16));
}

#[test]
fn progress_is_told_after_every_request() {
    let (sender, told) = mpsc::channel();
    let sender = Mutex::new(sender);
    let tell = |done, of| sender.lock().unwrap().send((done, of)).unwrap();
    let inquiry = prepared(&calls(40), LIMITS).unwrap();
    let course = Course { told: &tell, stop: &AtomicBool::new(false) };
    inquiry.ask(&Scripted::new(all_answered), 3, &course);
    let mut told: Vec<_> = told.try_iter().collect();
    told.sort_unstable();
    assert_eq!(told, [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]);
}

#[test]
fn warnings_are_in_the_order_of_requests_however_many_ask() {
    for workers in [1, 4, 1_000_000] {
        let judge = Scripted::new(|_: &_| Err(JudgeError::Status(400)));
        let judgement = asked(&prepared(&calls(40), LIMITS).unwrap(), &judge, workers);
        let numbers = judgement.warnings.iter().map(|it| it.split('_').nth(2).unwrap());
        assert_eq!(numbers.collect::<Vec<_>>(), ["1", "2", "3", "4", "5"]);
    }
}

#[test]
fn a_judge_that_panics_has_judged_nothing() {
    let judge = Scripted::new(|_: &_| panic!("a fault of the judge"));
    let judgement = asked(&prepared(&calls(9), LIMITS).unwrap(), &judge, 1);
    assert!(judgement.answers.is_empty());
    assert_eq!(judgement.asked.calls, 0);
    assert!(!judgement.warnings.is_empty());
}

/// A session that every form shows differently: a long text, a long input, a call without a
/// result, and a message of calls and results alone that nobody is asked about.
fn long() -> Vec<Value> {
    json!([
        {"role": "user", "text": "p".repeat(700)},
        {"role": "assistant", "text": "t".repeat(700),
            "toolUses": [{"id": "a", "tool": "Bash", "input": {"command": "x".repeat(300)}}]},
        {"role": "user", "text": " \n", "toolResults": [{"id": "a", "text": "oh", "is_error": true}]},
        {"role": "assistant", "toolUses": [
            {"id": "b", "tool": "Read", "input": {"path": "/b", "lines": ["1", 2, null], "n": 3}}]},
        {"role": "user", "text": ""}
    ])
    .as_array()
    .unwrap()
    .clone()
}

/// What a judge is shown of [`long`] in so many tokens.
fn shown(max_state_tokens: usize) -> Result<(&'static str, Value), DoesNotFit> {
    let judge = Scripted::new(all_answered);
    let limits = Limits { max_state_tokens, ..LIMITS };
    let stage = asked(&prepared(&long(), limits)?, &judge, 1).asked.fit_stage;
    let asked = judge.asked.lock().unwrap();
    Ok((stage, asked[0].0["conversation"].clone()))
}

#[test]
fn a_conversation_is_shortened_as_far_as_it_must_be() {
    let (stage, full) = shown(25_000).unwrap();
    assert_eq!(stage, "full");
    let messages = full.as_array().unwrap();
    assert_eq!(messages.len(), 4, "an empty message is not shown");
    assert_eq!(messages[1]["text"], json!("t".repeat(700)));
    assert_eq!(messages[1]["tool_calls"][0]["input"]["command"], json!("x".repeat(300)));
    let failed = json!({"role": "user", "tool_results": [{"id": "a", "note": "error, 2 ch"}]});
    assert_eq!(messages[2], failed);
    assert_eq!(messages[3]["tool_calls"][0]["input"]["lines"], json!(["1", 2, null]));

    let (stage, short) = shown(930).unwrap();
    assert_eq!(stage, "inputs-200");
    assert_eq!(short[0]["text"], json!("p".repeat(700)), "what is pinned is shown whole");
    let text = format!("{}\n[... 100 chars removed ...]\n{}", "t".repeat(400), "t".repeat(200));
    assert_eq!(short[1]["text"], json!(text));
    let input = format!("{{\"command\": \"{}…", "x".repeat(187));
    assert_eq!(short[1]["tool_calls"][0]["input"], json!(input));
    assert_eq!(short[3], full[3]);

    let (stage, lines) = shown(850).unwrap();
    assert_eq!(stage, "calls-one-line");
    assert_eq!(lines[1], short[1], "what is asked about keeps its input");
    let line = "b Read path=/b, lines=['1', 2, null] -> pending";
    assert_eq!(lines[3], json!({"role": "assistant", "tool_calls": [line]}));
}

#[test]
fn a_conversation_that_fits_no_form_is_refused_with_what_it_takes() {
    let error = shown(100).unwrap_err();
    assert_eq!(error.setting(), "max_state_tokens");
    let DoesNotFit::State { least, budget: 100 } = error else { panic!("{error:?}") };
    assert_eq!(shown(least).unwrap().0, "calls-one-line");
    assert!(shown(least - 1).is_err());
}

#[test]
fn a_request_to_system_one_never_exceeds_its_window() {
    let state = Limits { max_state_tokens: 40_000, max_request_tokens: 1_000_000 };
    let messages = [json!({"role": "user", "text": "p".repeat(72_000)}), calls(1)[1].clone()];
    let prepare =
        |provider| seen(&messages, 0.5, |view| Inquiry::prepare(view, provider, "m", state));
    assert!(matches!(prepare(Provider::Jev), Err(DoesNotFit::Request { budget: 32_768, .. })));
    assert!(prepare(Provider::Laya).is_ok());
}

/// Nothing is there to ask, which must not be found out before it is needed.
struct Untouchable;

impl Judges for Untouchable {
    fn judge(&self, _: Provider) -> Result<Box<dyn Judge + '_>, NoJudge> {
        panic!("nobody is to be asked")
    }
}

#[test]
fn a_judge_is_looked_for_only_when_one_decides() {
    for (provider, preserve_recent) in [("rules", 0), ("jev", 99), ("laya", 99)] {
        let request = json!({"messages": calls(3), "question": "q", "provider": provider,
            "preserve_recent": preserve_recent});
        answered_by(&request, &Untouchable).unwrap();
    }
}

#[test]
fn a_session_that_does_not_fit_is_refused_only_where_a_judge_would_see_it() {
    let request = json!({"messages": calls(3), "question": "q", "provider": "jev",
        "preserve_recent": 0, "max_state_tokens": 1});
    let answer = |mode| answered_by(&request, &Recorded(mode));
    assert!(answer(Some("plain")).unwrap_err().to_string().starts_with("max_state_tokens: "));
    let kept = answer(None).unwrap();
    assert_eq!(kept["report"]["degradation_reason"], "jev_unavailable_fail_safe");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever a judge says and leaves out, what it did not judge is as it was.
    #[test]
    fn nothing_is_dropped_that_was_not_judged(
        messages in messages(),
        mode in prop::sample::select(vec!["plain", "holes", "partial", "refuse", "shape"]),
        threshold in prop::sample::select(vec![0.0, 0.3, 0.7, 1.0]),
    ) {
        let request = json!({"messages": messages, "question": "q", "provider": "jev",
            "preserve_recent": 1, "threshold": threshold, "trim_head_chars": 5});
        let answer = answered_by(&request, &Recorded(Some(mode))).unwrap();
        for decision in answer["decisions"].as_array().unwrap() {
            let judged = decision["source"] == "jev";
            prop_assert_eq!(judged, !decision["score"].is_null());
            prop_assert!(judged || decision["decision"] == "keep", "{}", decision);
        }
        let decisions = answer["decisions"].as_array().unwrap();
        let stays = |id: &Value| {
            !decisions.iter().any(|it| it["id"] == *id && it["decision"] != "keep")
        };
        let blocks = |messages: &Value, name: &str| -> Vec<Value> {
            let messages = messages.as_array().unwrap().iter();
            messages.filter_map(|it| it[name].as_array()).flatten().cloned().collect()
        };
        let id = |block: &Value| {
            ["tool_use_id", "id"].iter().map(|it| block[it].clone()).find(|it| it.is_string()).unwrap()
        };
        for (name, field) in [("toolUses", "input"), ("toolResults", "text")] {
            let count = |messages: &Value, of: &Value, text: &Value| {
                let same = |it: &&Value| id(it) == id(of) && it[field] == *text;
                blocks(messages, name).iter().filter(same).count()
            };
            for block in blocks(&request["messages"], name) {
                if stays(&id(&block)) && block[field].is_string() {
                    let (before, after) = (&request["messages"], &answer["messages"]);
                    let text = &block[field];
                    prop_assert_eq!(count(before, &block, text), count(after, &block, text));
                }
            }
        }
    }
}
