//! A request that is opened as a session is decided as its contract answers it.

#![allow(clippy::unwrap_used)]

// The disk in memory is that of the tool-call pass's own tests.
#[path = "../src/compact/tool_calls/tests/memory_disk.rs"]
#[allow(dead_code)]
mod memory_disk;

use std::io::Read;

use compactscope::compact::plan::{Known, Plan, plan};
use compactscope::compact::settings::{Provider, Settings};
use compactscope::compact::tool_calls::{
    Disk, NoDisk, NoJudges, PROGRAM, Preview, World, compact_transcript,
};
use compactscope::compact::{self, Features, Pins, messages};
use compactscope::session::{Kind, Session, Source, read};
use compactscope::tokens::Method;
use flate2::read::GzDecoder;
use memory_disk::MemoryDisk;
use serde_json::Value;

const MEMORY: &[u8] = include_bytes!("conformance/memory_compact.jsonl.gz");
const TRANSCRIPT: &[u8] = include_bytes!("conformance/compact_transcript.jsonl.gz");

fn cases(recorded: &[u8]) -> Vec<Value> {
    let mut lines = String::new();
    GzDecoder::new(recorded).read_to_string(&mut lines).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn decide(request: &Value, disk: &dyn Disk) -> (Session, Plan) {
    let source = Source { label: "request".into(), path: None };
    let session = read(request.to_string().as_bytes(), source, None).unwrap();
    let settings = Settings::for_request(session.request.as_ref().unwrap()).unwrap();
    let known = Known { disk, ..Known::NOTHING };
    let plan = plan(&session, &Features::new(&session), &settings, &Pins::new(), &known);
    (session, plan)
}

#[test]
fn a_memory_compact_request_keeps_what_its_answer_keeps() {
    let mut compared = 0;
    for case in cases(MEMORY) {
        let (name, request) = (&case["name"], &case["request"]);
        let Ok(answer) = messages::contract::memory_compact(request.to_string().as_bytes()) else {
            continue;
        };
        let answer = serde_json::to_value(&answer).unwrap();
        let (session, plan) = decide(request, &NoDisk);
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

/// The results that an answer or a plan leaves, in order.
fn results_of_answer(answer: &Value) -> Vec<&str> {
    let messages = answer["messages"].as_array().unwrap().iter();
    let results = messages.filter_map(|message| message["toolResults"].as_array()).flatten();
    results.map(|result| result["text"].as_str().unwrap()).collect()
}

fn results_of_plan<'p>(session: &'p Session, plan: &'p Plan) -> Vec<&'p str> {
    let entries = session.entries.iter().zip(&plan.decisions);
    let results = entries.filter(|(entry, _)| matches!(entry.kind, Kind::Result { .. }));
    results.filter_map(|(entry, decision)| decision.output_of(&entry.content)).collect()
}

/// Whether a judge is asked, which a plan alone never does.
fn asks_a_judge(request: &Value) -> bool {
    let asks = |provider: &Provider| provider.is_judge() && request["provider"] == provider.name();
    Provider::ALL.iter().any(asks)
}

#[test]
fn a_compact_transcript_request_keeps_what_its_answer_keeps() {
    let mut compared = 0;
    for case in cases(TRANSCRIPT) {
        let (name, mut request) = (&case["name"], case["request"].clone());
        if asks_a_judge(&request) {
            continue;
        }
        for form in ["ref_unchanged", "ref_blocks"] {
            request[form] = false.into();
        }
        let disk = MemoryDisk::of_case(&case);
        let world = World {
            tokens: Method::Heuristic,
            disk: &disk,
            stash: &Preview,
            judges: &NoJudges,
            note_name: PROGRAM,
        };
        let Ok(answer) = compact_transcript(request.to_string().as_bytes(), &world) else {
            continue;
        };
        let (session, plan) = decide(&request, &disk);
        assert!(plan.is_verified(), "{name}: {:?}", plan.violations);
        assert_eq!(results_of_plan(&session, &plan), results_of_answer(&answer), "{name}");
        compared += 1;
    }
    assert!(compared > 170, "{compared} requests were compared");
}
