//! The memory-compact contract against recorded answers.

#![allow(clippy::unwrap_used)]

use std::io::Read;

use compactscope::compact::messages::contract::memory_compact;
use flate2::read::GzDecoder;
use serde_json::Value;

const RECORDED: &[u8] = include_bytes!("conformance/memory_compact.jsonl.gz");

fn recorded_cases() -> Vec<Value> {
    let mut lines = String::new();
    GzDecoder::new(RECORDED).read_to_string(&mut lines).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn named(name: &str) -> Value {
    recorded_cases().into_iter().find(|case| case["name"] == name).unwrap()
}

/// Answers as JSON values; numbers are equal when their digits are.
fn answer(request: &Value) -> Value {
    let answer = memory_compact(request.to_string().as_bytes()).unwrap();
    serde_json::from_str(&serde_json::to_string(&answer).unwrap()).unwrap()
}

#[test]
fn every_recorded_answer_is_given() {
    let cases = recorded_cases();
    let answered: Vec<&Value> = cases.iter().filter(|case| case.get("expect").is_some()).collect();
    assert_eq!(answered.len(), 148);
    for case in answered {
        let got = answer(&case["request"]);
        for (key, want) in case["expect"].as_object().unwrap() {
            assert_eq!(&got[key], want, "{} {key}", case["name"]);
        }
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&got), keys(&case["expect"]), "{}", case["name"]);
    }
}

#[test]
fn the_cards_example_is_answered_byte_for_byte() {
    let card = named("card");
    let answer = memory_compact(card["request"].to_string().as_bytes()).unwrap();
    assert_eq!(serde_json::to_string(&answer).unwrap(), card["expect"].to_string());
}

#[test]
fn every_recorded_refusal_names_the_place() {
    let cases = recorded_cases();
    let refused: Vec<&Value> =
        cases.iter().filter(|case| case.get("expect_error_at").is_some()).collect();
    assert_eq!(refused.len(), 25);
    for case in refused {
        let error = memory_compact(case["request"].to_string().as_bytes()).unwrap_err();
        assert_eq!(error.place, case["expect_error_at"].as_str().unwrap(), "{}", case["name"]);
        assert!(error.to_string().starts_with(&error.place), "{error}");
    }
}
