//! Providers that ask a judge, over real sockets on this machine.

#![allow(clippy::unwrap_used)]

mod faults;
mod modes;
mod program;
mod secrecy;
mod server;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use compactscope::compact::tool_calls::{NoDisk, Preview, World, compact_transcript};
use compactscope::judge::{Environment, Patience};
use compactscope::tokens::Method;
use serde_json::{Value, json};

pub const KEY: &str = "sk-live-7d0f3c9e";

/// Three attempts without a pause, each short.
pub fn patience() -> Patience {
    Patience { attempt: Duration::from_secs(5), pauses: vec![Duration::ZERO; 2] }
}

/// An environment of these variables, with this configuration directory.
pub fn environment_in(variables: &[(&str, &str)], directory: Option<PathBuf>) -> Environment {
    environment_with(variables, directory, patience())
}

pub fn environment_with(
    variables: &[(&str, &str)],
    directory: Option<PathBuf>,
    patience: Patience,
) -> Environment {
    let variables: HashMap<String, OsString> =
        variables.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect();
    Environment::new(move |name| variables.get(name).cloned(), directory, patience)
}

/// One in which System One is at `url`, and its key is [`KEY`].
pub fn environment(url: &str) -> Environment {
    environment_in(&[("TYPESAFE_ENDPOINT", url), ("TYPESAFE_API_KEY", KEY)], None)
}

/// A session of so many calls, each with a result of 1,000 characters, for `jev`.
pub fn request(calls: usize, settings: Value) -> Value {
    let mut messages = vec![json!({"role": "user", "text": "Fix the failing test."})];
    for n in 0..calls {
        let id = format!("call_{n}");
        messages.push(json!({"role": "assistant",
            "toolUses": [{"tool_use_id": id, "tool": "Read", "input": {"file_path": format!("/a/{n}.py")}}]}));
        messages.push(json!({"role": "user",
            "toolResults": [{"tool_use_id": id, "text": format!("{n:03} ").repeat(250)}]}));
    }
    let mut request = json!({"messages": messages, "question": "fix the failing test",
        "provider": "jev", "preserve_recent": 0});
    for (name, value) in settings.as_object().unwrap() {
        request[name] = value.clone();
    }
    request
}

/// The answer as the library gives it.
pub fn answer(request: &Value, judges: &Environment) -> Value {
    try_answer(request, judges).unwrap()
}

pub fn try_answer(request: &Value, judges: &Environment) -> Result<Value, String> {
    let world = World {
        tokens: Method::Heuristic,
        disk: &NoDisk,
        stash: &Preview,
        judges,
        note_name: "compactscope",
    };
    compact_transcript(request.to_string().as_bytes(), &world).map_err(|error| error.to_string())
}

/// Asserts that whatever nobody judged is in the answer as it was in the request, and that the
/// key is nowhere. Gives how many calls were judged.
pub fn assert_safe(request: &Value, answer: &Value) -> usize {
    let text = answer.to_string();
    assert!(!text.contains(KEY) && !text.contains("7d0f"), "the key is in {text}");
    let blocks = |of: &Value, kind: &str| -> Vec<Value> {
        let messages = of["messages"].as_array().unwrap().clone();
        messages.iter().filter_map(|it| it[kind].as_array().cloned()).flatten().collect()
    };
    let mut judged = 0;
    for decision in answer["decisions"].as_array().unwrap() {
        if decision["source"] == "jev" || decision["source"] == "laya" {
            judged += 1;
            continue;
        }
        assert_eq!(decision["source"], "fail_safe");
        assert_eq!(decision["reason"], "not_judged_fail_safe");
        assert_eq!(decision["decision"], "keep");
        for kind in ["toolUses", "toolResults"] {
            let of = |it: &Value| {
                blocks(it, kind).into_iter().find(|it| it["tool_use_id"] == decision["id"]).unwrap()
            };
            assert_eq!(of(answer), of(request));
        }
    }
    judged
}

pub fn warnings(answer: &Value) -> Vec<String> {
    let warnings = answer["report"]["warnings"].as_array().unwrap();
    warnings.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}
