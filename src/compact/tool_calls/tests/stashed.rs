use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::Around;
use super::memory_stash::MemoryStash;
use crate::compact::tool_calls::{
    NoDisk, NoJudges, Output, Stash, StashNote, ToStore, Transcript, Turn, verify_stashed,
};
use crate::digest::sha256;

/// An old output that mode lossy would trim, and no other mode removes.
fn log() -> String {
    (0..600).map(|n| format!("compiling unit {n} ✓\n")).collect()
}

fn called(id: &str, command: &str, output: &str) -> Value {
    json!({"role": "assistant", "text": format!("step {id}"),
        "toolUses": [{"id": id, "tool": "Bash", "input": {"command": command}}],
        "toolResults": [{"id": id, "text": output}]})
}

/// A session that begins with these messages, and goes on for long without touching their calls.
fn long_session(early: Vec<Value>) -> Vec<Value> {
    let mut messages = vec![json!({"role": "user", "text": "mend the parser"})];
    messages.extend(early);
    messages.extend((0..44).map(|n| json!({"role": "user", "text": format!("go on {n}")})));
    messages.push(called("last", "ls", "done"));
    messages
}

fn stashed(messages: &[Value], stash: &MemoryStash) -> Value {
    let request = json!({"messages": messages, "question": "mend the parser", "provider": "rules",
        "rules_mode": "stashed", "preserve_recent": 1});
    let around = Around { disk: &NoDisk, stash, judges: &NoJudges };
    around.answer(&serde_json::to_vec(&request).unwrap()).unwrap()
}

fn decision<'a>(answer: &'a Value, id: &str) -> &'a Value {
    answer["decisions"].as_array().unwrap().iter().find(|it| it["id"] == id).unwrap()
}

#[test]
fn a_removed_output_is_stored_word_for_word_before_a_pointer_stands_for_it() {
    let (stash, log) = (MemoryStash::default(), log());
    let messages = long_session(vec![called("a", "make", &log)]);
    let answer = stashed(&messages, &stash);

    let digest = sha256(log.as_bytes());
    let decision = decision(&answer, "a");
    assert_eq!(decision["decision"], "replace");
    assert_eq!(decision["reason"], "stashed:large_old_output_trimmed");
    assert_eq!(decision["stash"]["sha256"], json!(digest));
    assert_eq!(decision["stash"]["bytes"], json!(log.len()));
    let tokens = decision["stash"]["tokens"].as_u64().unwrap();
    let note = format!("[removed: {tokens} tokens · lcc recall {}]", &digest[..12]);
    assert_eq!(decision["note"], json!(note));
    assert_eq!(stash.texts(), [(digest, log)].into());

    let mut want = messages;
    want[1]["toolUses"][0] =
        json!({"tool_use_id": "a", "tool": "Bash", "input": {"command": "make"}});
    want[1]["toolResults"] = json!([{"tool_use_id": "a", "text": note}]);
    assert_eq!(answer["messages"][1], want[1]);
    assert_eq!(answer["report"]["semantic_guarantee"], "stashed");
    assert_eq!(answer["report"]["stash_dir"], "memory");
    assert_eq!(answer["report"]["tool_calls_stashed"], 1);
}

#[test]
fn what_cannot_be_stored_stays_and_says_why() {
    let other = log().replace("unit", "part");
    let messages = long_session(vec![called("a", "make", &log()), called("b", "ninja", &other)]);
    let stash = MemoryStash::with_room_for(1);
    let answer = stashed(&messages, &stash);
    assert_eq!(decision(&answer, "a")["decision"], "replace");
    let kept = decision(&answer, "b");
    assert_eq!(kept["decision"], "keep");
    assert_eq!(kept["reason"], "stash_write_failed:OSError");
    assert_eq!(kept["chars"], kept["chars_after"]);
    assert_eq!(answer["messages"][2]["toolResults"][0]["text"], json!(other));
    assert_eq!(answer["report"]["degraded"], false);
    assert_eq!(answer["report"]["lossless_violations"], json!([]));
}

#[test]
fn a_stash_that_loses_a_text_keeps_every_call() {
    let messages = long_session(vec![called("a", "make", &log())]);
    let stash = MemoryStash::that_forgets();
    let answer = stashed(&messages, &stash);
    let report = &answer["report"];
    assert_eq!(report["degradation_reason"], "stashed_verification_failed_fail_safe");
    assert_eq!(report["semantic_guarantee"], "none");
    assert_eq!(report["chars_before"], report["chars_after"]);
    assert_eq!(decision(&answer, "a")["reason"], "stashed_verification_failed");
    assert_eq!(answer["messages"][1]["toolResults"][0]["text"], json!(log()));
}

#[test]
fn what_no_mode_removes_stays_and_what_a_later_result_holds_is_named_by_it() {
    let output = "an output of a few words that comes twice, and is long enough for a pointer";
    let messages = long_session(vec![
        called("a", "x", output),
        called("b", "y", output),
        called("c", "z", ""),
    ]);
    let stash = MemoryStash::default();
    let answer = stashed(&messages, &stash);
    assert_eq!(decision(&answer, "a")["note"], "[identical output kept at b]");
    for id in ["b", "c"] {
        assert_eq!(decision(&answer, id)["reason"], "not_stash_eligible", "{id}");
    }
    assert!(stash.texts().is_empty());
}

#[test]
fn an_output_that_goes_is_never_named_by_a_lossless_pointer() {
    let log = log();
    let messages = long_session(vec![called("a", "make", &log), called("b", "ninja", &log)]);
    let stash = MemoryStash::default();
    let answer = stashed(&messages, &stash);
    let notes = ["a", "b"].map(|id| decision(&answer, id)["note"].clone());
    assert_eq!(notes[0], notes[1]);
    assert_eq!(stash.texts().len(), 1);
}

#[test]
fn results_whose_id_comes_twice_stay() {
    let (stash, log) = (MemoryStash::default(), log());
    let messages = long_session(vec![called("a", "make", &log), called("a", "ninja", &log)]);
    let answer = stashed(&messages, &stash);
    assert_eq!(decision(&answer, "a")["reason"], "duplicate_tool_use_id");
    assert!(stash.texts().is_empty());
}

#[test]
fn an_output_that_is_no_longer_than_its_pointer_stays() {
    let read = json!({"role": "assistant", "toolUses": [
        {"id": "a", "tool": "Read", "input": {"file_path": "/repo/src/old.py"}}],
        "toolResults": [{"id": "a", "text": "forty characters are shorter than a note"}]});
    let stash = MemoryStash::default();
    let answer = stashed(&long_session(vec![read]), &stash);
    assert_eq!(decision(&answer, "a")["reason"], "short_result_kept_whole");
    assert!(stash.texts().is_empty());
}

fn transcript(texts: &[(&'static str, String)]) -> Transcript<'static> {
    let output = |(id, text): &(&'static str, String)| Output {
        id,
        text: text.clone().into(),
        is_error: false,
    };
    let results = texts.iter().map(output).collect();
    let turn = Turn { role: "user", text: "".into(), calls: Vec::new(), results };
    Transcript { turns: vec![turn] }
}

#[test]
fn a_pointer_must_lead_to_the_very_text_in_the_stash() {
    let stash = MemoryStash::default();
    let (text, other) = ("what was there".to_owned(), "another".to_owned());
    for text in [&text, &other] {
        let stored = stash.store(&[ToStore { sha256: &sha256(text.as_bytes()), text }]);
        assert_eq!(stored, [Ok(())]);
    }
    let note = |text: &str| StashNote::to(&sha256(text.as_bytes()), 3, "lcc").to_string();
    let violations = |ids: [&'static str; 2], instead: String| {
        let before = transcript(&[(ids[0], text.clone()), (ids[1], text.clone())]);
        let after = transcript(&[(ids[0], instead), (ids[1], text.clone())]);
        verify_stashed(&before, &after, &stash, "lcc").len()
    };
    assert_eq!(violations(["a", "b"], note(&text)), 0);
    assert_eq!(violations(["a", "b"], "[identical output kept at b]".to_owned()), 0);
    assert_eq!(violations(["a", "a"], note(&text)), 1);
    assert_eq!(violations(["a", "b"], note(&other)), 1);
    assert_eq!(violations(["a", "b"], note("not stored")), 1);
    assert_eq!(violations(["a", "b"], note(&text).replace("lcc", "compactscope")), 1);
}

/// Calls of every kind that a mode tells apart, with outputs that repeat, lie in others, are
/// short, long or empty.
fn early_calls() -> impl Strategy<Value = Vec<Value>> {
    let output = (0..4_usize, prop::sample::select(vec![0, 1, 3, 90, 400]), any::<bool>());
    let call = (0..8_usize, 0..30_usize, output, prop::bool::weighted(0.1));
    prop::collection::vec(call, 1..25).prop_map(|calls| {
        let calls = calls.into_iter().enumerate();
        calls
            .map(|(n, (tool, id, (word, lines, ends), is_error))| {
                let (tool, input) = match tool {
                    0..=3 => ("Read", json!({"file_path": format!("/repo/src/{word}.py")})),
                    4 => (
                        "Write",
                        json!({"file_path": format!("/repo/src/{word}.py"), "content": "x"}),
                    ),
                    5 => ("Grep", json!({"pattern": "x"})),
                    6 => ("Bash", json!({"command": "ls src"})),
                    _ => ("Bash", json!({"command": format!("make {n}")})),
                };
                // Most ids are their own; a few come twice.
                let id = if id < 2 { format!("twice{id}") } else { format!("c{n}") };
                let line = ["alpha é", "beta \u{1b}[31m", "gamma\u{2028}", "delta"][word];
                let numbered = |n| if tool == "Read" { format!("{n}\t") } else { String::new() };
                let lines = (1..=lines).map(|n| format!("{}{line} of the old output", numbered(n)));
                let mut text = lines.collect::<Vec<_>>().join("\n");
                text.push_str(if ends { "\n" } else { "" });
                json!({"role": "assistant", "toolUses": [{"id": id, "tool": tool, "input": input}],
                "toolResults": [{"id": id, "text": text, "is_error": is_error}]})
            })
            .collect()
    })
}

fn result_text(message: &Value) -> &str {
    message["toolResults"][0]["text"].as_str().unwrap_or("")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn every_changed_output_is_held_by_the_stash_or_by_a_later_result(early in early_calls()) {
        let (before, stash) = (long_session(early), MemoryStash::default());
        let answer = stashed(&before, &stash);
        prop_assert_eq!(&answer["report"]["lossless_violations"], &json!([]));
        let after = answer["messages"].as_array().unwrap();
        prop_assert_eq!(after.len(), before.len());
        let mut stored = BTreeSet::new();
        for (n, (old, new)) in before.iter().zip(after).enumerate() {
            prop_assert_eq!(old["text"].as_str().unwrap_or(""), new["text"].as_str().unwrap());
            let (old, new) = (result_text(old), result_text(new));
            if let Some(note) = StashNote::parse(new, "lcc") {
                prop_assert!(stash.holds(note.id, old));
                stored.insert(sha256(old.as_bytes()));
            } else if new != old {
                let later = after[n + 1..].iter().map(result_text);
                prop_assert!(later.into_iter().any(|later| later.contains(old)), "{}", new);
            }
        }
        prop_assert_eq!(stash.texts().into_keys().collect::<BTreeSet<_>>(), stored);
    }
}

#[test]
fn the_calls_above_reach_every_reason_of_the_mode() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..200 {
        let early = early_calls().new_tree(&mut runner).unwrap().current();
        let answer = stashed(&long_session(early), &MemoryStash::with_room_for(9));
        for decision in answer["decisions"].as_array().unwrap() {
            let reason = decision["reason"].as_str().unwrap();
            seen.insert(reason.split_once(':').map_or(reason, |(code, _)| code).to_owned());
            if let Some(("stashed", why)) = reason.split_once(':') {
                seen.insert(why.split(':').next().unwrap().to_owned());
            }
        }
    }
    for reason in [
        "stashed",
        "superseded_by_later_call",
        "stale_read_far_from_recent_work",
        "large_old_output_trimmed",
        "recoverable_file_read",
        "stash_write_failed",
        "not_stash_eligible",
        "short_result_kept_whole",
        "identical_output_kept_later",
        "output_lines_of_later",
        "duplicate_tool_use_id",
    ] {
        assert!(seen.contains(reason), "{reason} is not among {seen:?}");
    }
}
