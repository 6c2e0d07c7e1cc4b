//! The commands without a screen, run as a user runs them.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions-sample/checkout-bug.jsonl");
const HOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions-sample/release-notes-hook.json");

/// Runs the program in a directory of its own, with nothing in its environment.
fn run(home: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_compactscope"));
    command.args(arguments).current_dir(home.path()).env_clear().env("HOME", home.path());
    command.output().unwrap()
}

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn write(home: &TempDir, name: &str, content: &str) -> PathBuf {
    let path = home.path().join(name);
    fs::write(&path, content).unwrap();
    path
}

/// Runs the program through a shell that sets its limits or where its output goes.
fn shell(home: &TempDir, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_compactscope")]);
    command.current_dir(home.path()).env("HOME", home.path()).output().unwrap()
}

// ---- output that nobody takes ----

#[test]
fn help_that_is_read_in_part_ends_well() {
    // The pipe is closed before the program begins.
    let script = r#"{ sleep 0.2; "$0" --help; echo "status $?" >&2; } | true"#;
    let output = shell(&home(), script);
    assert_eq!(said(&output), "status 0\n");
}

#[test]
#[cfg(target_os = "linux")]
fn what_standard_error_cannot_take_costs_nobody_the_answer() {
    let home = home();
    let output = shell(&home, &format!("\"$0\" measure gone '{SAMPLE}' 2>/dev/full"));
    assert_eq!(output.status.code(), Some(2));
    assert!(printed(&output).contains("rules stashed"), "{}", printed(&output));
    for arguments in ["plan gone", "--no-such-flag", "recall zz", ""] {
        let output = shell(&home, &format!("\"$0\" {arguments} 2>/dev/full"));
        assert_eq!(output.status.code(), Some(2), "{arguments}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_a_full_disk_refuses_is_an_error() {
    for arguments in ["--help", "--version", &format!("plan '{SAMPLE}'")] {
        let output = shell(&home(), &format!("\"$0\" {arguments} >/dev/full"));
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        assert!(said(&output).starts_with("compactscope: No space left"), "{}", said(&output));
    }
}

// ---- measure ----

#[test]
fn measure_reports_a_file_that_it_cannot_read_and_goes_on() {
    let output = run(&home(), &["measure", "gone.jsonl", SAMPLE, "--tokens", "heuristic"]);
    assert_eq!(output.status.code(), Some(2));
    let told = said(&output);
    assert!(told.contains("gone.jsonl: no such file"), "{told}");
    assert!(told.contains(&format!("session 1 is {SAMPLE}")), "{told}");
    assert!(printed(&output).contains("rules stashed"), "{}", printed(&output));
}

#[test]
fn measure_prints_nothing_where_no_file_can_be_read() {
    let output = run(&home(), &["measure", "gone.jsonl"]);
    assert_eq!((output.status.code(), printed(&output)), (Some(2), String::new()));
}

#[test]
fn measure_adds_several_sessions_up_and_names_them_apart() {
    let output = run(&home(), &["measure", SAMPLE, HOOK, "--json", "--tokens", "heuristic"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!printed(&output).contains("checkout-bug"), "counts alone are safe to paste");
    assert!(said(&output).contains(&format!("session 2 is {HOOK}")), "{}", said(&output));
    let measured: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sum = |of: &dyn Fn(&Value) -> u64| -> u64 {
        measured["sessions"].as_array().unwrap().iter().map(of).sum()
    };
    let total = &measured["total"];
    assert_eq!(total["calls"], sum(&|it| it["calls"].as_u64().unwrap()));
    for mode in 0..5 {
        let after = |it: &Value| it["modes"][mode]["tokens"][1].as_u64().unwrap();
        assert_eq!(after(total), sum(&after));
    }
    let table = printed(&run(&home(), &["measure", SAMPLE, HOOK, "--tokens", "heuristic"]));
    assert!(table.contains("Session 2: ") && table.contains("Total: "), "{table}");
    let table = printed(&run(&home(), &["measure", SAMPLE, "--tokens", "heuristic"]));
    assert!(!table.contains("Total"), "{table}");
}

#[test]
fn measure_refuses_settings_that_it_would_not_read() {
    for flag in ["--provider", "--rules-mode", "--budget-chars", "--threshold", "--color"] {
        let output = run(&home(), &["measure", SAMPLE, flag, "1"]);
        assert_eq!(output.status.code(), Some(2), "{flag}");
        assert!(said(&output).contains(flag), "{}", said(&output));
    }
    let output = run(&home(), &["measure", SAMPLE, HOOK, "--preserve-recent", "x"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(said(&output).matches("--preserve-recent").count(), 1, "{}", said(&output));
}

// ---- plan ----

#[test]
fn the_plan_says_why_no_judge_was_asked() {
    let plan = |arguments: &[&str]| -> Value {
        let arguments = [&["plan", SAMPLE, "--json", "--tokens", "heuristic"], arguments].concat();
        serde_json::from_slice(&run(&home(), &arguments).stdout).unwrap()
    };
    assert_eq!(plan(&[])["warnings"], json!([]));
    let warned = |budget| {
        let plan = plan(&["--provider", "jev", "--budget-chars", budget]);
        plan["warnings"][0].as_str().unwrap().to_owned()
    };
    assert!(warned("off").starts_with("jev: no API key"), "{}", warned("off"));
    assert!(warned("off").ends_with("; every call is kept"), "{}", warned("off"));
    let said = warned("25%");
    assert!(!said.contains("every call is kept"), "{said}");
    assert!(said.ends_with("only the budget still drops calls"), "{said}");
}

// ---- requests ----

fn refusal(arguments: &[&str]) -> String {
    let output = run(&home(), arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(printed(&output), "");
    said(&output)
}

#[test]
fn a_session_that_is_no_request_names_the_command_that_opens_it() {
    for command in ["compact-transcript", "memory-compact"] {
        let way_out = format!(
            "; as it stands it is a session (Claude Code) and no {command} request; \
             `compactscope {SAMPLE}` opens it, `compactscope plan {SAMPLE}` prints its plan\n"
        );
        let told = refusal(&[command, SAMPLE]);
        assert!(told.ends_with(&way_out), "{told}");
    }
    let told = refusal(&["compact-transcript", HOOK]);
    assert!(told.contains("question: "), "a hook session lacks a question alone: {told}");
    assert!(told.contains("`compactscope plan "), "{told}");
}

#[test]
fn a_request_of_the_other_contract_names_the_command_that_answers_it() {
    let home = home();
    let memory = r#"{"budget_chars": 200, "messages": [{"role": "user", "content": "a"}]}"#;
    let memory = write(&home, "memory.json", memory);
    let told = refusal(&["compact-transcript", memory.to_str().unwrap()]);
    assert!(told.contains("`compactscope memory-compact "), "{told}");
    let transcript = r#"{"question": "q", "messages": [{"role": "user", "text": "a"}]}"#;
    let transcript = write(&home, "transcript.json", transcript);
    let told = refusal(&["memory-compact", transcript.to_str().unwrap()]);
    assert!(told.contains("`compactscope compact-transcript "), "{told}");
}

#[test]
fn a_request_with_a_fault_of_its_own_is_told_that_fault_alone() {
    let home = home();
    for (request, fault) in [
        (
            r#"{"question": "q", "threshold": 9, "messages": [{"role": "user", "text": "a"}]}"#,
            "threshold: ",
        ),
        ("[1, 2]", "request: "),
        ("no JSON", "request: cannot be read as JSON"),
    ] {
        let file = write(&home, "request.json", request);
        let told = refusal(&["compact-transcript", file.to_str().unwrap()]);
        assert!(told.contains(fault) && !told.contains("a session"), "{told}");
    }
}

#[test]
fn the_request_in_the_docs_is_answered_when_it_is_pasted() {
    let docs = include_str!("../docs/tool-calls.md");
    let request = docs.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let home = home();
    let file = write(&home, "request.json", request);
    let output = run(&home, &["compact-transcript", file.to_str().unwrap()]);
    assert_eq!((output.status.code(), said(&output)), (Some(0), String::new()));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let first = &answer["messages"][2]["toolResults"][0]["text"];
    assert_eq!(first, "[identical output kept at call_2]");
}
