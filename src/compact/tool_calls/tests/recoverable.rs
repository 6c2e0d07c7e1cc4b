//! Rules, mode recoverable, through the contract.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Around;
use super::memory_disk::{ChangingDisk, MemoryDisk};
use super::memory_stash::MemoryStash;
use crate::compact::tool_calls::{Call, Disk, NoJudges, Recoverability, recoverability};

const TEXT: &str = "a line that is long enough\nfor a pointer to be shorter than it\nwhatever \
                    the pointer says of the file and of its lines and of where it lies\n";

fn answer(disk: &dyn Disk, messages: &Value, settings: Value) -> Value {
    let mut request = json!({"messages": messages, "question": "q", "provider": "rules",
        "rules_mode": "recoverable", "preserve_recent": 0, "workspace_root": "/w"});
    for (name, value) in settings.as_object().unwrap() {
        request[name] = value.clone();
    }
    let around = Around { disk, stash: &MemoryStash::default(), judges: &NoJudges };
    around.answer(&serde_json::to_vec(&request).unwrap()).unwrap()
}

/// A first message, then a message for every call.
fn messages(calls: &[(&str, Value, &str)]) -> Value {
    let call = |(n, (tool, input, text)): (usize, &(&str, Value, &str))| {
        let id = n.to_string();
        json!({"role": "assistant", "toolUses": [{"id": id, "tool": tool, "input": input}],
            "toolResults": [{"id": id, "text": text}]})
    };
    let first = json!({"role": "user", "text": "x"});
    std::iter::once(first).chain(calls.iter().enumerate().map(call)).collect()
}

fn reasons(answer: &Value) -> Vec<&str> {
    let decisions = answer["decisions"].as_array().unwrap();
    decisions.iter().map(|decision| decision["reason"].as_str().unwrap()).collect()
}

fn disk_with(path: &str, text: &str) -> MemoryDisk {
    let mut disk = MemoryDisk::default();
    disk.write("/w/other", "");
    disk.write(path, text);
    disk
}

/// Reads `/w/a` where the disk is this one.
fn reason_on(disk: &MemoryDisk) -> String {
    let messages = messages(&[("Read", json!({"path": "/w/a"}), TEXT)]);
    reasons(&answer(disk, &messages, json!({})))[0].to_owned()
}

#[test]
fn the_disk_decides_whatever_was_written_since() {
    let calls = [
        ("Read", json!({"path": "/w/a"}), TEXT),
        ("Bash", json!({"command": "sed -n 2,3p a", "cwd": "/w"}), TEXT),
        ("Bash", json!({"command": "make && rm -r /w"}), ""),
    ];
    let answer = answer(&disk_with("/w/a", TEXT), &messages(&calls), json!({}));
    assert_eq!(
        reasons(&answer),
        ["replace_disk_verified", "file_written_later", "not_recoverable"]
    );
    let decision = &answer["decisions"][0];
    assert_eq!(decision["disk"]["real"], "/w/a");
    let note = "[removed: re-read /w/a to recover; content verified on disk at compaction time]";
    assert_eq!(decision["note"], note);
    assert_eq!(answer["messages"][1]["toolResults"][0]["text"], note);
}

#[test]
fn a_disk_that_cannot_vouch_keeps_the_output() {
    let mut linked = disk_with("/w/b", TEXT);
    linked.link("/w/a", "b");
    assert_eq!(reason_on(&linked), "replace_disk_verified");
    linked.link("/w/a", "a");
    assert_eq!(reason_on(&linked), "keep_disk_unreadable");
    let mut outside = disk_with("/other/a", TEXT);
    outside.link("/w/a", "../other/a");
    assert_eq!(reason_on(&outside), "keep_disk_outside_root");
    assert_eq!(reason_on(&disk_with("/w/b", TEXT)), "keep_disk_missing");
    assert_eq!(reason_on(&disk_with("/w/a/b", TEXT)), "keep_disk_not_regular");
    assert_eq!(reason_on(&disk_with("/w/a", &TEXT.replace('\n', "\r\n"))), "keep_disk_mismatch");
    let large = "x".repeat(4 * 1024 * 1024 + 1);
    assert_eq!(reason_on(&disk_with("/w/a", &large)), "keep_disk_too_large");
    let no_text = MemoryDisk::of_case(&json!({"files": {"a": {"hex": "ff"}}}));
    let read = messages(&[("Read", json!({"path": "/srv/proj/a"}), TEXT)]);
    assert_eq!(reasons(&answer(&no_text, &read, json!({}))), ["keep_disk_unreadable"]);
    let up = messages(&[("Read", json!({"path": "/w/b/../a"}), TEXT)]);
    assert_eq!(reasons(&answer(&disk_with("/w/a", TEXT), &up, json!({}))), ["keep_disk_dotdot"]);
}

#[test]
fn a_file_that_changes_before_the_answer_is_given_is_kept_after_all() {
    let before = disk_with("/w/a", TEXT);
    let mut after = before.clone();
    let calls = messages(&[("Read", json!({"path": "/w/a"}), TEXT)]);
    for is_removed in [false, true] {
        match is_removed {
            false => after.write("/w/a", "else"),
            true => after.remove("/w/a"),
        }
        let disk = ChangingDisk { before: before.clone(), after: after.clone() };
        let answer = answer(&disk, &calls, json!({}));
        let decision = &answer["decisions"][0];
        assert_eq!(decision["reason"], "keep_disk_changed_before_emit");
        assert_eq!(decision["decision"], "keep");
        assert_eq!(decision["chars_after"], decision["chars"]);
        for field in ["note", "recover", "recoverability_check", "disk"] {
            assert!(decision.get(field).is_none(), "{field}");
        }
        assert_eq!(answer["messages"][1]["toolResults"][0]["text"], TEXT);
        assert_eq!(answer["report"]["semantic_guarantee"], "recoverable");
    }
}

#[test]
fn without_a_disk_a_later_write_keeps_the_output() {
    let read = ("Read", json!({"path": "/w/src/a.py"}), TEXT);
    let reason_before = |tool, input: Value| {
        let messages = messages(&[read.clone(), (tool, input, "")]);
        let answer = answer(&MemoryDisk::default(), &messages, json!({"disk_check": false}));
        reasons(&answer)[0].to_owned()
    };
    let bash = |command: &str| json!({"command": command, "cwd": "/v"});
    for (tool, input) in [
        ("Edit", json!({"file_path": "a.py"})),
        ("Edit", json!({"cwd": "/w", "text": "rm /w/src"})),
        ("Bash", bash("git stash")),
        ("Bash", json!({"command": "make", "cwd": "/w"})),
        ("Bash", bash("cd /w && make")),
        ("mcp__x", json!({})),
    ] {
        assert_eq!(reason_before(tool, input.clone()), "file_written_later", "{tool} {input}");
    }
    for (tool, input) in [
        ("Edit", json!({"file_path": "/w/src/b.py"})),
        ("Edit", json!({"text": "src"})),
        ("Bash", bash("make")),
        ("Bash", json!({"command": "cat /w/src/a.py"})),
        ("Grep", json!({"path": "/w/src/a.py"})),
    ] {
        assert_eq!(reason_before(tool, input.clone()), "recoverable_file_read", "{tool} {input}");
    }
}

#[test]
fn a_command_pointer_is_given_where_it_is_allowed() {
    let calls = messages(&[
        ("Bash", json!({"command": "git log", "cwd": "/w"}), TEXT),
        ("Bash", json!({"command": "tail -n 9 a", "cwd": "/w"}), TEXT),
    ]);
    let disk = disk_with("/w/a", TEXT);
    let allowed = answer(&disk, &calls, json!({"allow_command_pointers": true}));
    let of = |n: usize, field: &str| &allowed["decisions"][n][field];
    assert_eq!(of(0, "note"), "[removed: re-run `git log` in /w to recover]");
    assert_eq!(of(0, "recoverability_check"), "read_only_allowlist");
    assert_eq!(of(1, "reason"), "recoverable_file_read");
    assert_eq!(of(1, "recoverability_check"), "disk");
    assert!(of(1, "disk").is_null());
    assert_eq!(allowed["report"]["lossless_violations"], json!([]));
    let refused = answer(&disk, &calls, json!({}));
    assert_eq!(reasons(&refused), ["identical_output_kept_later", "command_pointers_disabled"]);
}

#[test]
fn a_named_pointer_leads_to_no_replaced_result() {
    let calls = [("mcp", json!({"cwd": "/v"}), TEXT), ("Read", json!({"path": "/w/a"}), TEXT)];
    let answer = answer(&disk_with("/w/a", TEXT), &messages(&calls), json!({}));
    assert_eq!(reasons(&answer), ["not_recoverable", "replace_disk_verified"]);
}

#[test]
fn what_a_pointer_stands_for_is_looked_up_again() {
    let call = Call { id: "a", tool: "Read", input: r#"{"path": "/w/a"}"#.into() };
    let now = |disk: &MemoryDisk| recoverability(&call, TEXT, Some("/w"), disk);
    assert_eq!(now(&disk_with("/w/a", TEXT)), Recoverability::Same);
    assert_eq!(now(&disk_with("/w/a", "else")), Recoverability::Changed);
    assert_eq!(now(&disk_with("/w/b", TEXT)), Recoverability::Missing);
}

/// The lines that one gets who does what a file pointer says, from the note and the disk alone.
fn followed(note: &str, disk: &MemoryDisk) -> Vec<String> {
    let rest = note.strip_prefix("[removed: re-read ").unwrap();
    let (said, _) = rest.rsplit_once(" to recover; content verified on disk").unwrap();
    let (said, cwd) = match said.split_once(" (cwd ") {
        Some((said, cwd)) => (said, cwd.strip_suffix(')')),
        None => (said, None),
    };
    let (path, lines) = match said.split_once(" (lines ") {
        Some((path, lines)) => (path, lines.strip_suffix(')')),
        None => (said, None),
    };
    let path = match cwd {
        Some(cwd) if !path.starts_with('/') => format!("{cwd}/{path}"),
        _ => path.to_owned(),
    };
    let file = disk.read(&disk.real_path(&path), u64::MAX).unwrap();
    let text = std::str::from_utf8(file.bytes()).unwrap();
    let lines = lines.map(|lines| lines.split_once('-').unwrap());
    let (first, last) = lines.map_or((1, usize::MAX), |(first, last)| {
        (first.parse::<usize>().unwrap(), last.parse().unwrap())
    });
    lines_of(text).into_iter().take(last).skip(first - 1).map(str::to_owned).collect()
}

/// The lines of a file that hold this text.
fn lines_of(text: &str) -> Vec<&str> {
    match text.strip_suffix('\n').unwrap_or(text) {
        _ if text.is_empty() => Vec::new(),
        unended => unended.split('\n').collect(),
    }
}

/// The lines of a file that an output shows, without the numbers of a reader before them.
fn lines_shown(output: &str) -> Vec<&str> {
    let rows = output.trim_end_matches('\n').split('\n');
    let numbered: Option<Vec<&str>> = rows.map(|row| Some(row.split_once('\t')?.1)).collect();
    numbered.unwrap_or_else(|| lines_of(output))
}

/// A way to read the file `a`, and what it would show of a text.
fn shown(way: usize, first: usize, count: usize, text: &str) -> (&'static str, Value, String) {
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
    let part = |first: usize| lines.iter().enumerate().skip(first - 1).take(count);
    let numbered = |(n, line): (usize, &&str)| format!("{}\t{line}", n + 1);
    let joined = |lines: Vec<String>| lines.join("\n");
    match way {
        0 => ("Read", json!({"path": "/w/a"}), text.to_owned()),
        1 => (
            "Read",
            json!({"path": "a", "cwd": "/w"}),
            joined(lines.iter().enumerate().map(numbered).collect()),
        ),
        2 => (
            "Read",
            json!({"path": "/w/a", "offset": first, "limit": count}),
            joined(part(first).map(numbered).collect()),
        ),
        3 => ("Bash", json!({"command": "cat a", "cwd": "/w"}), text.to_owned()),
        _ => (
            "Bash",
            json!({"command": format!("sed -n {first},{}p /w/a", first + count - 1)}),
            joined(part(first).map(|(_, line)| (*line).to_owned()).collect()),
        ),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_verified_pointer_leads_to_the_exact_output(
        lines in prop::collection::vec("[a-z]{0,3}", 1..6), end in "\n{0,2}",
        reads in prop::collection::vec((0..5_usize, 1..5_usize, 1..4_usize, 0..4_usize), 1..6)
    ) {
        let widened: Vec<String> = lines.iter().map(|line| format!("{line:_<90}")).collect();
        let text = widened.join("\n") + &end;
        let disk = disk_with("/w/a", &text);
        let calls: Vec<_> = reads.iter().map(|&(way, first, count, change)| {
            let (tool, input, output) = shown(way, first, count, &text);
            // Some outputs are not what the file holds.
            let output = match change {
                0 => output + "\n",
                1 => output.replacen('_', "-", 1),
                _ => output,
            };
            (tool, input, output)
        }).collect();
        let calls: Vec<_> =
            calls.iter().map(|(tool, input, text)| (*tool, input.clone(), &**text)).collect();
        let answer = answer(&disk, &messages(&calls), json!({}));
        for (decision, (_, _, output)) in answer["decisions"].as_array().unwrap().iter().zip(&calls) {
            if decision["reason"] == "replace_disk_verified" {
                let recovered = followed(decision["note"].as_str().unwrap(), &disk);
                prop_assert_eq!(recovered, lines_shown(output));
            }
        }
    }
}
