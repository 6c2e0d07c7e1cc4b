//! Transcripts in which every lossy rule has something to say.

use proptest::prelude::*;
use serde_json::{Value, json};

const NAMES: [&str; 14] = [
    "app.py",
    "webapp.py",
    "src/app.py",
    "/r/src/app.py",
    "/r/src/größe.ts",
    "a.py-b.py",
    "-b.py",
    "notes",
    "1}, {",
    "http://h/x",
    "http://h/x\",",
    "README.md",
    "/r/docs/",
    "x\"y.py",
];

const COMMANDS: [&str; 8] = [
    "git status",
    "git  diff && git log",
    "legit status",
    "pytest src/app.py",
    "cat notes",
    "ls",
    "x\n*** Update File: src/app.py \n+y\n*** Add File: notes",
    "",
];

const OUTPUTS: [&str; 8] = [
    "ok",
    " ok\n",
    "Chunk ID: 3\nok",
    "FAILED tests",
    "exit code 2",
    "see src/app.py and README.md",
    "\"http://h/x\",",
    "",
];

const TOOLS: [&str; 16] = [
    "Read",
    "Write",
    "Edit",
    "Grep",
    "Bash",
    "Bash",
    "exec_command",
    "write_stdin",
    "mcp__x__wait",
    "apply_patch",
    "TodoWrite",
    "ExitPlanMode",
    "AskUserQuestion",
    "mcp__b__snapshot",
    "Task",
    "LİST_it",
];

fn one_of<const N: usize>(texts: [&'static str; N]) -> impl Strategy<Value = String> {
    prop::sample::select(texts.to_vec()).prop_map(str::to_owned)
}

fn input() -> impl Strategy<Value = Value> {
    let field = (0..16_usize, one_of(NAMES), one_of(NAMES), one_of(COMMANDS)).prop_map(
        |(kind, name, other, command)| match kind {
            0..5 => ("file_path", json!(name)),
            5..9 => ("command", json!(command)),
            9 => ("path", json!(name)),
            10 => ("cmd", json!(command)),
            11 => ("limit", json!(3)),
            12 => ("offset", json!(null)),
            13 => ("workdir", json!(name)),
            14 => ("z", json!({"url": name, "a": [other, 1]})),
            _ => ("b", json!(name)),
        },
    );
    prop::collection::vec(field, 0..4).prop_map(|fields| {
        let mut input = json!({});
        for (key, value) in fields {
            input[key] = value;
        }
        input
    })
}

/// A call, its result (cut long where the number is high) and how they come.
type Step = (String, Value, String, bool, usize, usize, String);

fn step() -> impl Strategy<Value = Step> {
    let text = prop_oneof![5 => Just(String::new()), 1 => one_of(NAMES)];
    (
        one_of(TOOLS),
        input(),
        one_of(OUTPUTS),
        prop::bool::weighted(0.03),
        0..10_usize,
        0..60_usize,
        text,
    )
}

/// Messages of the hook shape, with more than forty of them most times.
pub fn messages() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(step(), 1..70).prop_map(|steps| build(&steps))
}

/// A goal that names some of what the transcript is about.
pub fn question() -> impl Strategy<Value = String> {
    prop::collection::vec(one_of(NAMES), 0..12)
        .prop_map(|names| format!("fix {}", names.join(" and ")))
}

fn build(steps: &[Step]) -> Vec<Value> {
    let mut messages = vec![json!({"role": "user", "text": "Fix notes."})];
    for (n, (tool, input, output, is_error, size, arrival, text)) in steps.iter().enumerate() {
        let id = format!("c{}", if *arrival == 0 { n / 2 } else { n });
        let call = json!({"id": id, "tool": tool, "input": input});
        let long = if *size > 5 { "é line of filler\n".repeat(300) } else { String::new() };
        let mut result = json!({"id": id, "text": format!("{output}{long}")});
        if *is_error {
            result["is_error"] = json!(true);
        }
        messages.push(json!({"role": "assistant", "text": text, "toolUses": [call]}));
        match arrival {
            1 => {}
            2..10 => messages[n / 2]["toolResults"] = json!([result]),
            _ => messages.push(json!({"role": "user", "text": "", "toolResults": [result]})),
        }
    }
    messages
}
