use serde_json::{Value, json};

use super::answer as try_answer;

const TEXT: &str = "an output that is long enough for a pointer to be shorter";

fn answer(messages: Value, settings: Value) -> Value {
    let mut request =
        json!({"messages": messages, "question": "q", "provider": "rules", "preserve_recent": 0});
    for (name, value) in settings.as_object().unwrap() {
        request[name] = value.clone();
    }
    try_answer(&serde_json::to_vec(&request).unwrap()).unwrap()
}

fn call(id: &str) -> Value {
    json!({"role": "assistant", "toolUses": [{"id": id, "tool": "Bash", "input": {"n": 1e5, "é": -0}}],
        "toolResults": [{"id": id, "text": TEXT}]})
}

#[test]
fn a_message_of_white_space_is_kept_and_the_pass_goes_on() {
    let messages = json!([{"role": "user", "text": "x"}, {"role": "user", "text": " \n"},
        {"role": "user", "text": ""}, call("a"), call("b")]);
    let answer = answer(messages, json!({}));
    assert_eq!(answer["messages"][1], json!({"role": "user", "text": " \n"}));
    assert_eq!(answer["report"]["messages_after"], 4);
    assert_eq!(answer["report"]["tool_calls_deduped"], 1);
    assert_eq!(answer["report"]["semantic_guarantee"], "lossless");
}

#[test]
fn a_pointer_that_cannot_be_read_back_keeps_every_call() {
    let messages = json!([{"role": "user", "text": ""}, call("a"), call("b\nc")]);
    let answer = answer(messages, json!({"preserve_recent": 1}));
    let report = &answer["report"];
    assert_eq!(report["degraded"], true);
    assert_eq!(report["degradation_reason"], "lossless_verification_failed_fail_safe");
    assert_eq!(report["semantic_guarantee"], "none");
    assert_eq!(report["lossless_violations"].as_array().unwrap().len(), 1);
    assert_eq!(report["chars_before"], report["chars_after"]);
    assert_eq!(answer["messages"].as_array().unwrap().len(), 3);
    assert_eq!(answer["messages"][1]["toolResults"][0]["text"], TEXT);
    let reasons: Vec<&Value> =
        answer["decisions"].as_array().unwrap().iter().map(|d| &d["reason"]).collect();
    assert_eq!(reasons, ["pinned_recent", "lossless_verification_failed"]);
}

#[test]
fn without_a_candidate_even_empty_messages_stay() {
    let messages = json!([{"role": "user", "text": ""}, {"role": "user"}]);
    let answer = answer(messages, json!({}));
    assert_eq!(answer["messages"].as_array().unwrap().len(), 2);
    assert_eq!(answer["report"]["degradation_reason"], "no_candidates");
    assert_eq!(answer["report"]["degraded"], false);
}

#[test]
fn an_input_comes_back_with_its_order_and_its_digits() {
    let request = r#"{"question":"q","provider":"rules","messages":[{"role":"u","toolUses":[
        {"id":"a","input":{"z":1.50,"a":-0,"big":123456789012345678901234567890}}]}]}"#;
    let answer = try_answer(request.as_bytes()).unwrap().to_string();
    assert!(
        answer.contains(r#"{"z":1.50,"a":-0,"big":123456789012345678901234567890}"#),
        "{answer}"
    );
}

#[test]
fn labels_are_reported_when_they_are_given() {
    let messages = json!([{"role": "user", "text": "x"}]);
    let report = |settings| answer(messages.clone(), settings)["report"].clone();
    assert_eq!(report(json!({"trigger": "idle", "idle_gap_bucket": null}))["trigger"], "idle");
    assert!(report(json!({})).get("trigger").is_none());
}

#[test]
fn what_is_no_json_is_refused_as_the_request() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for request in ["", "{", "[]", "\u{feff}{}", r#"{"a":NaN}"#, r#"{"a":"\ud83d"}"#, &deep] {
        let error = try_answer(request.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("request: "), "{request}: {error}");
    }
}

#[test]
fn runs_of_one_line_find_the_nearest_longer_run() {
    let lengths = [90, 80, 200, 150, 100];
    let mut messages = vec![json!({"role": "user", "text": "x"})];
    for (n, length) in lengths.iter().enumerate() {
        let text = vec!["ok"; *length].join("\n");
        messages.push(json!({"role": "user", "toolUses": [{"id": n.to_string()}],
            "toolResults": [{"id": n.to_string(), "text": text}]}));
    }
    let answer = answer(json!(messages), json!({}));
    let notes: Vec<&Value> =
        answer["decisions"].as_array().unwrap().iter().map(|d| &d["note"]).collect();
    let want = [
        json!("[output = lines 1-90 of 2]"),
        json!("[output = lines 1-80 of 2]"),
        Value::Null,
        Value::Null,
        Value::Null,
    ];
    assert_eq!(notes, want.iter().collect::<Vec<_>>());
}
