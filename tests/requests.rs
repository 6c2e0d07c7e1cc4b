//! A request that is opened as a session is decided as its contract answers it.

#![allow(clippy::unwrap_used)]

use std::io::Read;

use compactscope::compact::plan::{Known, Plan, plan};
use compactscope::compact::settings::Settings;
use compactscope::compact::tool_calls::{
    NoDisk, NoJudges, PROGRAM, Preview, Tokens, World, compact_transcript,
};
use compactscope::compact::{Features, Pins, messages};
use compactscope::session::{Kind, Session, Source, read};
use compactscope::tokens::{Method, count};
use flate2::read::GzDecoder;
use serde_json::Value;

const MEMORY: &[u8] = include_bytes!("conformance/memory_compact.jsonl.gz");
const TRANSCRIPT: &[u8] = include_bytes!("conformance/compact_transcript.jsonl.gz");

fn requests(recorded: &[u8]) -> Vec<(String, Value)> {
    let mut lines = String::new();
    GzDecoder::new(recorded).read_to_string(&mut lines).unwrap();
    let cases = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    cases.map(|case| (case["name"].as_str().unwrap().into(), case["request"].clone())).collect()
}

fn decide(request: &Value) -> (Session, Plan) {
    let source = Source { label: "request".into(), path: None };
    let session = read(request.to_string().as_bytes(), source, None).unwrap();
    let settings = Settings::for_request(session.request.as_ref().unwrap()).unwrap();
    let plan = plan(&session, &Features::new(&session), &settings, &Pins::new(), &Known::NOTHING);
    (session, plan)
}

#[test]
fn a_memory_compact_request_keeps_what_its_answer_keeps() {
    let mut compared = 0;
    for (name, request) in requests(MEMORY) {
        let Ok(answer) = messages::contract::memory_compact(request.to_string().as_bytes()) else {
            continue;
        };
        let answer = serde_json::to_value(&answer).unwrap();
        let (session, plan) = decide(&request);
        assert!(plan.is_verified(), "{name}: {:?}", plan.violations);
        let kept: Vec<(usize, &str)> = (0..session.entries.len())
            .filter_map(|at| {
                Some((at, plan.decisions[at].output_of(&session.entries[at].content)?))
            })
            .collect();
        let wanted: Vec<(usize, &str)> = answer["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (it["index"].as_u64().unwrap() as usize, it["content"].as_str().unwrap()))
            .collect();
        assert_eq!(kept, wanted, "{name}");
        compared += 1;
    }
    assert!(compared > 100, "{compared} requests were compared");
}

#[test]
fn a_compact_transcript_request_keeps_what_its_answer_keeps() {
    let world = World {
        tokens: Tokens { count: &|text| count(text, Method::Heuristic), method: "approximate" },
        disk: &NoDisk,
        stash: &Preview,
        judges: &NoJudges,
        note_name: PROGRAM,
    };
    let mut compared = 0;
    for (name, request) in requests(TRANSCRIPT) {
        if request["ref_unchanged"] == true || request["ref_blocks"] == true {
            continue;
        }
        let Ok(answer) = compact_transcript(request.to_string().as_bytes(), &world) else {
            continue;
        };
        let (session, plan) = decide(&request);
        assert!(plan.is_verified(), "{name}: {:?}", plan.violations);
        let is_result = |at: &usize| matches!(session.entries[*at].kind, Kind::Result { .. });
        let kept: Vec<&str> = (0..session.entries.len())
            .filter(is_result)
            .filter_map(|at| plan.decisions[at].output_of(&session.entries[at].content))
            .collect();
        let results =
            |message: &Value| message["toolResults"].as_array().cloned().unwrap_or_default();
        let wanted: Vec<Value> =
            answer["messages"].as_array().unwrap().iter().flat_map(results).collect();
        let wanted: Vec<&str> = wanted.iter().map(|it| it["text"].as_str().unwrap()).collect();
        assert_eq!(kept, wanted, "{name}");
        compared += 1;
    }
    assert!(compared > 15, "{compared} requests were compared");
}
