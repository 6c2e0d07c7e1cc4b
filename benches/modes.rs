//! How long the tool-call contract takes in every mode, in process, reading of JSON excluded.
//!
//! `cargo bench --bench modes -- SESSION.json…` takes sessions of the hook shape
//! (`{"messages": […]}`) and prints one line of JSON for each and each mode: the median of some runs
//! in milliseconds. benches/against_reference.py puts them beside the reference's. Nothing is
//! asserted.

use std::hint::black_box;
use std::time::Instant;

use compactscope::compact::tool_calls::{NoDisk, NoJudges, Preview, World, answer};
use compactscope::tokens::Method;
use serde_json::{Value, json};

const QUESTION: &str = "finish the task in this session";
const MODES: [(&str, &str); 5] = [
    ("rules", "lossless"),
    ("rules", "recoverable"),
    ("rules", "stashed"),
    ("rules", "lossy"),
    ("auto", "lossless"),
];

/// Runs go on for about this long, so that a short one is run often.
const MILLISECONDS: f64 = 400.0;

fn main() {
    for path in std::env::args().skip(1).filter(|argument| !argument.starts_with('-')) {
        let text = std::fs::read(&path).expect("the session can be read");
        let mut request: Value = serde_json::from_slice(&text).expect("the session is JSON");
        request["question"] = json!(QUESTION);
        for (provider, mode) in MODES {
            request["provider"] = json!(provider);
            request["rules_mode"] = json!(mode);
            let name = if provider == "rules" { mode } else { provider };
            println!("{}", json!({"path": path, "mode": name, "ms": median(&request)}));
        }
    }
}

fn median(request: &Value) -> f64 {
    let world = World {
        tokens: Method::Heuristic,
        disk: &NoDisk,
        stash: &Preview,
        judges: &NoJudges,
        note_name: "lcc",
    };
    let mut times = Vec::new();
    while times.len() < 3 || (times.iter().sum::<f64>() < MILLISECONDS && times.len() < 50) {
        let begun = Instant::now();
        black_box(answer(request, &world).expect("the request is answered"));
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
