//! The recorded answers of the reference (tests/conformance/), in process.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Around;
use super::judge::Recorded;
use super::memory_disk::MemoryDisk;
use super::memory_stash::MemoryStash;
use crate::compact::tool_calls::RequestError;
use crate::python::{python_json, python_number};

/// Fields that hold a clock's reading or name this machine.
const VARYING: [&str; 2] = ["latency_ms", "stash_dir"];

fn cases() -> Vec<Value> {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/compact_transcript.jsonl.gz");
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn answer(case: &Value) -> Result<Value, RequestError> {
    let request = serde_json::to_vec(&case["request"]).unwrap();
    let around = Around {
        disk: &MemoryDisk::of_case(case),
        stash: &MemoryStash::default(),
        judges: &Recorded(case["judge"].as_str()),
    };
    around.answer(&request)
}

/// JSON with sorted keys and no spaces, numbers as the reference's language prints them.
fn canonical(value: &Value) -> String {
    let joined = |items: Vec<String>| items.join(",");
    match value {
        Value::Object(fields) => {
            let mut keys: Vec<_> = fields.keys().collect();
            keys.sort_unstable();
            let field = |key: &&String| {
                format!("{}:{}", python_json(&Value::from(key.as_str())), canonical(&fields[*key]))
            };
            format!("{{{}}}", joined(keys.iter().map(field).collect()))
        }
        Value::Array(items) => format!("[{}]", joined(items.iter().map(canonical).collect())),
        Value::Number(number) => python_number(number),
        other => python_json(other),
    }
}

fn assert_same(got: &Value, want: &Value, place: &str) {
    match (got, want) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{place}: {a}, want {b}");
        }
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys()).filter(|key| !VARYING.contains(&key.as_str())) {
                let there = a.contains_key(key) && b.contains_key(key);
                assert!(there, "{place}.{key} is in one answer only");
                assert_same(&a[key], &b[key], &format!("{place}.{key}"));
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{place}");
            for (n, (a, b)) in a.iter().zip(b).enumerate() {
                assert_same(a, b, &format!("{place}[{n}]"));
            }
        }
        _ => assert_eq!(got, want, "{place}"),
    }
}

/// Without the sentences in which each program says why a judge failed, and without the warning
/// that a provider is deprecated, which the recordings do not have.
fn said_in_our_words(mut answer: Value) -> Value {
    if let Some(Value::Array(warnings)) = answer.pointer_mut("/report/warnings") {
        warnings.retain(|it| !it.as_str().unwrap().starts_with("laya_deprecated: "));
        for warning in warnings {
            let text = warning.as_str().unwrap();
            if text.contains("_unavailable: ") || text.contains("_failed: ") {
                *warning = Value::from(text.split(": ").next().unwrap());
            }
        }
    }
    answer
}

#[test]
fn recorded_answers_are_given_again() {
    let mut count = 0;
    for case in cases().iter().filter(|case| case["expect"]["error"].is_null()) {
        let name = case["name"].as_str().unwrap();
        let got = said_in_our_words(answer(case).unwrap());
        let want = &said_in_our_words(case["expect"].clone());
        for part in ["decisions", "report", "messages"] {
            if let Some(want) = want.get(part) {
                assert_same(&got[part], want, &format!("{name} {part}"));
            }
        }
        assert_eq!(got.get("decisions").is_some(), want.get("decisions").is_some(), "{name}");
        if let Some(digest) = want["messages_sha256"].as_str() {
            let bytes = Sha256::digest(canonical(&got["messages"]));
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, digest, "{name}: decisions agree, messages differ");
        }
        count += 1;
    }
    assert_eq!(count, 272);
}

#[test]
fn recorded_refusals_name_their_place() {
    let mut count = 0;
    for case in cases().iter().filter(|case| !case["expect"]["error"].is_null()) {
        let place = case["expect_error_at"].as_str().unwrap();
        let error = answer(case).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{place}: ")), "{}: {error}", case["name"]);
        count += 1;
    }
    assert_eq!(count, 19);
}
