//! A judge that answers well, badly, or not at all.

use std::collections::HashSet;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::server::{Got, Sent, Server, answered, holes, plain, probability, status};
use super::{KEY, answer, assert_safe, environment, environment_in, request, warnings};

/// Asks over 20 calls, which is three requests.
fn ask(server: &Server) -> Value {
    let request = request(20, json!({}));
    let answer = answer(&request, &environment(&server.url()));
    assert_safe(&request, &answer);
    answer
}

fn assert_nobody_judged(answer: &Value, warning: &str) {
    let report = &answer["report"];
    assert_eq!(report["degraded"], true);
    assert_eq!(report["degradation_reason"], "jev_no_answers_fail_safe");
    assert_eq!(report["provider_used"], "degraded");
    assert_eq!(report["semantic_guarantee"], "none");
    assert_eq!(report["blocks_scored"], 0);
    assert_eq!(report["calls"], 0);
    assert_eq!(report["requests"], 3);
    assert_eq!(report["tool_calls_kept"], 20);
    assert_eq!(report["chars_before"], report["chars_after"]);
    let failed = |n| format!("jev_batch_{n}_failed: {warning}: those calls were kept (fail-safe)");
    let nobody = "jev_no_answers: every call was kept unjudged (fail-safe)".to_owned();
    assert_eq!(warnings(answer), [failed(1), failed(2), failed(3), nobody]);
}

#[test]
fn a_judge_that_answers_decides_every_call() {
    let server = Server::start(|got| answered(&plain(got)));
    let request = request(60, json!({}));
    let answer = answer(&request, &environment(&server.url()));
    assert_eq!(assert_safe(&request, &answer), 60);
    let report = &answer["report"];
    assert_eq!(report["degraded"], false);
    assert_eq!(report["semantic_guarantee"], "judged");
    assert_eq!(report["provider_used"], "jev");
    assert_eq!(report["jev_model_resolved"], "mock-1");
    assert_eq!([&report["calls"], &report["requests"]], [8, 8]);
    assert_eq!(report["state_fit_stage"], "full");
    let mut outcomes = HashSet::new();
    for decision in answer["decisions"].as_array().unwrap() {
        let p = |kind: &str| probability(&format!("{kind}_{}", decision["id"].as_str().unwrap()));
        let want = match (p("keep_call"), p("keep_result")) {
            (_, result) if result >= 0.5 => "keep",
            (call, _) if call >= 0.5 => "trim",
            _ => "drop",
        };
        assert_eq!(decision["decision"], want, "{decision}");
        assert_eq!(decision["score"], json!(p("keep_result")));
        outcomes.insert(want);
    }
    assert_eq!(outcomes.len(), 3, "the calls reach every outcome");
}

#[test]
fn a_request_is_what_system_one_takes() {
    let server = Server::start(|got| answered(&plain(got)));
    answer(&request(3, json!({"jev_model": "jev-2"})), &environment(&server.url()));
    let got = &server.got()[0];
    assert_eq!(got.line, "POST /v1/systemone HTTP/1.1");
    assert_eq!(got.header("Content-Type"), Some("application/json"));
    assert_eq!(got.header("Authorization"), Some(format!("Bearer {KEY}").as_str()));
    let body = &got.body;
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["model", "state", "questions"]);
    assert_eq!(body["model"], "jev-2");
    assert_eq!(body["state"]["goal"], "fix the failing test");
    assert_eq!(
        body["state"]["conversation"][1]["tool_calls"][0],
        json!({"id": "call_0", "tool": "Read", "input": {"file_path": "/a/0.py"}})
    );
    assert_eq!(
        body["state"]["conversation"][2]["tool_results"][0],
        json!({"id": "call_0", "note": "ok, 1000 chars"})
    );
    let questions = body["questions"].as_object().unwrap();
    let ids: Vec<&String> = questions.keys().collect();
    assert_eq!(
        ids,
        [
            "keep_call_call_0",
            "keep_result_call_0",
            "keep_call_call_1",
            "keep_result_call_1",
            "keep_call_call_2",
            "keep_result_call_2"
        ]
    );
    assert!(questions.values().all(|question| question["type"] == "noul"));
}

#[test]
fn numbers_that_are_no_probabilities_keep_their_calls() {
    let server = Server::start(|got| answered(&holes(got)));
    let answer = ask(&server);
    assert_eq!(answer["report"]["provider_used"], "jev+partial_fail_safe");
    assert_eq!(answer["report"]["degradation_reason"], "jev_batch_failed");
    assert_eq!(answer["report"]["semantic_guarantee"], "partial");
    let ids = || (0..20).map(|n| format!("call_{n}"));
    let questions: Vec<String> =
        ids().flat_map(|id| [format!("keep_call_{id}"), format!("keep_result_{id}")]).collect();
    let want = questions.iter().filter_map(|question| match probability(question) {
        p if (0.15..0.25).contains(&p) => Some(format!("jev_out_of_range_answer:{question}")),
        p if p < 0.3 => Some(format!("jev_missing_answer:{question}")),
        _ => None,
    });
    assert_eq!(warnings(&answer), want.collect::<Vec<_>>());
}

#[test]
fn a_judge_that_fails_once_is_asked_again() {
    let seen = Mutex::new(HashSet::new());
    let server = Server::start(move |got| {
        if seen.lock().unwrap().insert(got.first_question()) {
            status(503)
        } else {
            answered(&plain(got))
        }
    });
    let answer = ask(&server);
    assert_eq!(answer["report"]["degraded"], false);
    assert_eq!(answer["report"]["blocks_scored"], 20);
    assert_eq!(server.requests(), 6);
}

#[test]
fn a_judge_that_keeps_failing_is_asked_three_times() {
    for code in [408, 425, 429, 500, 502, 503, 504, 529, 599] {
        let server = Server::start(move |_| status(code));
        assert_nobody_judged(&ask(&server), &format!("the judge answers with status {code}"));
        assert_eq!(server.requests(), 9, "{code}");
    }
}

#[test]
fn a_judge_that_refuses_is_asked_once() {
    for code in [400, 401, 403, 404, 413, 422] {
        let server = Server::start(move |_| status(code));
        assert_nobody_judged(&ask(&server), &format!("the judge answers with status {code}"));
        assert_eq!(server.requests(), 3, "{code}");
    }
}

#[test]
fn an_answer_of_another_shape_is_none() {
    for body in
        [json!({"ok": true}), json!([]), json!({"answers": []}), json!({"answers": {"a": 1}})]
    {
        let server = Server::start(move |_| answered(&body));
        assert_nobody_judged(&ask(&server), "the judge's answer holds no answers");
        assert_eq!(server.requests(), 3);
    }
}

#[test]
fn what_one_request_lost_the_others_still_decide() {
    let lost = "keep_call_call_0";
    let server = Server::start(move |got: &Got| {
        if got.first_question() == lost { status(400) } else { answered(&plain(got)) }
    });
    let request = request(20, json!({}));
    let answer = answer(&request, &environment(&server.url()));
    assert_eq!(assert_safe(&request, &answer), 12);
    assert_eq!(answer["report"]["provider_used"], "jev+partial_fail_safe");
    assert_eq!(answer["report"]["calls"], 2);
    assert_eq!(answer["report"]["requests"], 3);
}

#[test]
fn no_more_requests_are_on_their_way_than_there_may_be() {
    for workers in [1, 3] {
        let server = Server::start(|got| {
            std::thread::sleep(std::time::Duration::from_millis(40));
            answered(&plain(got))
        });
        let request = request(60, json!({"max_workers": workers}));
        let answer = answer(&request, &environment(&server.url()));
        assert_eq!(answer["report"]["calls"], 8);
        let most = server.most_at_once();
        assert!(most <= workers && most >= workers.min(2), "{most} of {workers}");
    }
}

#[test]
fn a_local_judge_is_asked_without_a_key() {
    let server = Server::start(|got| answered(&plain(got)));
    let (url, key) = (server.url(), ("TYPESAFE_API_KEY", KEY));
    let judges = environment_in(&[("COMPACTSCOPE_LAYA_ENDPOINT", &url), key], None);
    let request = request(20, json!({"provider": "laya"}));
    let answer = answer(&request, &judges);
    assert_eq!(assert_safe(&request, &answer), 20);
    assert_eq!(answer["report"]["provider_used"], "laya");
    assert_eq!(answer["report"]["semantic_guarantee"], "judged");
    assert!(warnings(&answer)[0].starts_with("laya_deprecated: "));
    for got in server.got() {
        assert_eq!(got.header("Authorization"), None);
        assert_eq!(got.body["model"], "convaiinnovations/laya-multilingual");
    }
    assert_eq!(server.requests(), 3);
}

#[test]
fn without_a_local_judge_every_call_is_kept() {
    let request = request(2, json!({"provider": "laya"}));
    let answer = answer(&request, &environment_in(&[], None));
    assert_safe(&request, &answer);
    assert_eq!(answer["report"]["degradation_reason"], "laya_unavailable_fail_safe");
    assert_eq!(answer["report"]["provider_used"], "laya");
    let warnings = warnings(&answer);
    assert!(warnings[0].starts_with("laya_deprecated: "), "{warnings:?}");
    assert!(warnings[1].contains("COMPACTSCOPE_LAYA_ENDPOINT"), "{warnings:?}");
}

#[test]
fn nobody_is_asked_when_there_is_nothing_to_ask() {
    let server = Server::start(|_| Sent::Raw(Vec::new()));
    let answer = answer(&request(3, json!({"preserve_recent": 99})), &environment(&server.url()));
    assert_eq!(answer["report"]["degradation_reason"], "no_candidates");
    assert_eq!(server.requests(), 0);
}
