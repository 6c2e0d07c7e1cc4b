//! Transcripts rich in repeats.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index as Pick;
use serde_json::{Value, json};

use crate::compact::tool_calls::{Pins, Position};

const LINES: [&str; 10] = [
    "",
    "ok",
    "ok",
    "one line that is long enough to be worth a pointer to it",
    "another, with größe 会話 🚚 in it, that is about as long as that",
    "Output:",
    "Chunk ID: 1",
    "Chunk ID: 2",
    "Wall time: 3 seconds, which was rather more than was hoped for",
    "Process exited with code 0",
];

/// How a result's text comes about.
#[derive(Debug, Clone)]
enum Recipe {
    Lines(Vec<Pick>),
    /// One line over and over.
    Run(Pick, usize),
    /// Some lines of an earlier result, or all of them.
    Part(Pick, Pick, Pick),
    Copy(Pick),
    /// An earlier result between other lines.
    Around(Pick, Vec<Pick>),
    /// An earlier result behind a header that changes on every run.
    Headed(Pick, usize),
}

#[derive(Debug, Clone)]
struct Step {
    recipe: Recipe,
    is_error: bool,
    /// Whether the call starts a message of its own, and how the result comes.
    new_message: bool,
    arrival: usize,
    id: usize,
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let pick = || any::<Pick>();
    let picks = |most| prop::collection::vec(any::<Pick>(), 0..most);
    prop_oneof![
        3 => picks(7).prop_map(Recipe::Lines),
        2 => (pick(), 1..30_usize).prop_map(|(line, count)| Recipe::Run(line, count)),
        3 => (pick(), pick(), pick()).prop_map(|(of, from, to)| Recipe::Part(of, from, to)),
        2 => pick().prop_map(Recipe::Copy),
        2 => (pick(), picks(3)).prop_map(|(of, lines)| Recipe::Around(of, lines)),
        2 => (pick(), 0..5_usize).prop_map(|(of, run)| Recipe::Headed(of, run)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    (recipe(), prop::bool::weighted(0.15), any::<bool>(), 0..20_usize, 0..40_usize).prop_map(
        |(recipe, is_error, new_message, arrival, id)| Step {
            recipe,
            is_error,
            new_message,
            arrival,
            id,
        },
    )
}

/// Messages of the hook shape.
pub fn messages() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(step(), 1..24).prop_map(|steps| build(&steps))
}

pub fn pins() -> impl Strategy<Value = Pins> {
    let by_user = || prop::collection::btree_set(0..40_usize, 0..3);
    let calls = prop::collection::btree_set((0..40_usize, 0..3_usize), 0..3);
    (0..8_usize, by_user(), calls).prop_map(|(preserve_recent, messages, calls)| Pins {
        preserve_recent,
        messages,
        calls: calls
            .into_iter()
            .map(|(message, index)| Position { message, index })
            .collect::<BTreeSet<_>>(),
    })
}

fn build(steps: &[Step]) -> Vec<Value> {
    let mut messages = vec![json!({"role": "user", "text": "Fix it."})];
    // Some sessions open with a call.
    if steps[0].id.is_multiple_of(3) {
        messages[0]["toolUses"] = json!([{"tool_use_id": "first", "tool": "Read", "input": {}}]);
        messages[0]["toolResults"] = json!([{"tool_use_id": "first", "text": LINES[3]}]);
    }
    let mut texts: Vec<String> = vec![LINES[3].to_owned()];
    for (n, step) in steps.iter().enumerate() {
        let text = cook(&step.recipe, &texts);
        // Now and then an id comes again.
        let id = format!("c{}", if step.id == 0 { n / 2 } else { n });
        let call = json!({"tool_use_id": id, "tool": "Bash", "input": {"é": n}});
        let mut result = json!({"tool_use_id": id, "text": text});
        if step.is_error {
            result["is_error"] = json!(true);
        }
        texts.push(text);
        let text = ["", "", " ", "Next."][step.id % 4];
        let last = messages.last_mut().unwrap();
        if step.new_message || last.get("toolUses").is_none() {
            messages.push(json!({"role": "assistant", "text": text, "toolUses": [call]}));
        } else {
            last["toolUses"].as_array_mut().unwrap().push(call);
        }
        deliver(&mut messages, result, step.arrival);
    }
    messages
}

fn deliver(messages: &mut Vec<Value>, result: Value, arrival: usize) {
    let user = |results: Vec<Value>| json!({"role": "user", "text": "", "toolResults": results});
    match arrival {
        0 => {}
        1 => messages.insert(1, user(vec![result])),
        2 => messages.extend([user(vec![]), user(vec![result.clone(), result])]),
        3..8 => {
            let last = messages.last_mut().unwrap();
            if last.get("toolResults").is_none() {
                last["toolResults"] = json!([]);
            }
            last["toolResults"].as_array_mut().unwrap().push(result);
        }
        _ => messages.push(user(vec![result])),
    }
}

fn cook(recipe: &Recipe, texts: &[String]) -> String {
    let line = |pick: &Pick| *pick.get(&LINES);
    match recipe {
        Recipe::Lines(lines) => lines.iter().map(line).collect::<Vec<_>>().join("\n"),
        Recipe::Run(pick, count) => vec![line(pick); *count].join("\n"),
        Recipe::Part(of, from, to) => {
            let lines: Vec<&str> = of.get(texts).split('\n').collect();
            let from = from.index(lines.len());
            let to = from + to.index(lines.len() - from) + 1;
            lines[from..to].join("\n")
        }
        Recipe::Copy(of) => of.get(texts).clone(),
        Recipe::Around(of, lines) => {
            let mut all: Vec<&str> = lines.iter().map(line).collect();
            all.insert(all.len() / 2, of.get::<String>(texts));
            all.join("\n")
        }
        Recipe::Headed(of, run) => {
            format!("Chunk ID: {run}\nProcess exited with code 0\nOutput:\n{}", of.get(texts))
        }
    }
}
