mod generate;
mod naive;

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use crate::compact::tool_calls::lossy::lossy;
use crate::compact::tool_calls::parse::parse_messages;
use crate::compact::tool_calls::{
    Action, Call, Decision, Index, Output, Pins, Terms, Transcript, Turn, View,
};
use generate::{messages, question};

fn decide(
    transcript: &Transcript,
    index: &Index,
    question: &str,
    preserve_recent: usize,
) -> Vec<Decision> {
    let terms = Terms {
        question,
        threshold: 0.5,
        trim_head_chars: 300,
        workspace_root: None,
        disk_check: false,
        allow_command_pointers: false,
        note_name: "lcc",
    };
    let pins = Pins { preserve_recent, ..Pins::default() };
    lossy(&View { transcript, index, pins: &pins, terms: &terms })
}

fn transcript<'a>(calls: &[(&'a str, &'a str, &'a str)]) -> Transcript<'a> {
    let blank = |calls, results| Turn { role: "user", text: "".into(), calls, results };
    let turn = |(id, tool, text): &(&'a str, &'a str, &'a str)| {
        let call = Call { id, tool, input: "{}".into() };
        blank(vec![call], vec![Output { id, text: (*text).into(), is_error: false }])
    };
    let filler = (0..50).map(|_| blank(vec![], vec![]));
    let turns = [blank(vec![], vec![])].into_iter().chain(calls.iter().map(turn)).chain(filler);
    Transcript { turns: turns.collect() }
}

/// What becomes of the candidates, and why.
fn outcomes(decisions: &[Decision]) -> Vec<(&'static str, String)> {
    let name = |action: &Action| match action {
        Action::Keep => "keep",
        Action::Drop => "drop",
        Action::Trim(_) => "trim",
        Action::Dedupe(_) | Action::Replace(_) => "other",
    };
    let decided = decisions.iter().filter(|decision| decision.source != "pin");
    decided.map(|it| (name(&it.action), it.reason.to_string())).collect()
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn shortcuts_decide_as_the_definition_does(
        messages in messages(), question in question(), recent in 0..30_usize
    ) {
        let parsed = parse_messages(&messages).unwrap();
        let transcript = &parsed.transcript;
        let decisions = decide(transcript, &Index::build(transcript), &question, recent);
        let by_definition = naive::Session::new(transcript, &question, recent).decide();
        prop_assert_eq!(outcomes(&decisions), by_definition);
    }

    #[test]
    fn an_index_that_grew_decides_as_one_built_at_once(
        messages in messages(), question in question(), recent in 0..30_usize, cut in 0..80_usize
    ) {
        let parsed = parse_messages(&messages).unwrap();
        let transcript = &parsed.transcript;
        let mut grown = Index::default();
        let begin = transcript.turns[..cut.min(messages.len())].to_vec();
        grown.extend(&Transcript { turns: begin });
        grown.extend(transcript);
        prop_assert_eq!(
            decide(transcript, &grown, &question, recent),
            decide(transcript, &Index::build(transcript), &question, recent)
        );
    }
}

#[test]
fn a_large_old_output_keeps_its_ends_and_names_the_program() {
    let large = format!("{}{}", "ä".repeat(2500), "z".repeat(2500));
    let transcript = transcript(&[("a", "Task", &large), ("b", "Task", "last")]);
    let decisions = decide(&transcript, &Index::build(&transcript), "go on", 0);
    let Action::Trim(ends) = &decisions[0].action else { panic!("{decisions:?}") };
    let note = "[... lcc: 3000 chars of this tool result dropped; re-run Task for the rest ...]";
    assert_eq!(ends.text, format!("{}\n{note}\n{}", "ä".repeat(1000), "z".repeat(1000)));
    assert_eq!(decisions[0].reason, "large_old_output_trimmed");
    assert_eq!(decisions[0].chars_after, ends.text.chars().count() + "{}".len());
    assert_eq!(decisions[1].reason, "latest_tool_result");
}

#[test]
fn an_output_of_four_thousand_characters_is_not_large() {
    let text = "ä".repeat(4000);
    let transcript = transcript(&[("a", "Task", &text), ("b", "Task", "last")]);
    let decisions = decide(&transcript, &Index::build(&transcript), "go on", 0);
    assert_eq!(decisions[0].reason, "kept_default");
}

#[test]
fn a_read_goes_stale_more_than_forty_messages_before_the_last() {
    let reasons = |fillers: usize| {
        let mut transcript = transcript(&[("a", "Grep", "one"), ("b", "Task", "last")]);
        transcript.turns.truncate(3 + fillers);
        let decisions = decide(&transcript, &Index::build(&transcript), "go on", 0);
        decisions[0].reason.to_string()
    };
    assert_eq!(reasons(39), "kept_default");
    assert_eq!(reasons(40), "stale_read_far_from_recent_work");
}

#[test]
fn the_generator_reaches_every_rule() {
    let mut runner = TestRunner::deterministic();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for _ in 0..300 {
        let inputs = (messages(), question(), 0..30_usize).new_tree(&mut runner).unwrap();
        let (messages, question, recent): (Vec<Value>, String, usize) = inputs.current();
        let parsed = parse_messages(&messages).unwrap();
        let index = Index::build(&parsed.transcript);
        for (_, reason) in outcomes(&decide(&parsed.transcript, &index, &question, recent)) {
            *seen.entry(reason.split(':').next().unwrap().to_owned()).or_default() += 1;
        }
    }
    for reason in [
        "latest_error_result",
        "call_before_latest_error",
        "latest_git_state",
        "latest_task_state",
        "latest_artifact_edit",
        "latest_user_question",
        "latest_tool_result",
        "named_in_goal",
        "named_in_recent_turns",
        "superseded_by_later_call",
        "stale_read_far_from_recent_work",
        "kept_default",
        "trim_guard_recent",
        "trim_guard_interactive",
        "trim_guard_error",
        "trim_guard_edited_later",
        "trim_guard_named",
        "large_old_output_trimmed",
    ] {
        assert!(seen.get(reason).is_some_and(|count| *count > 10), "{reason}: {seen:?}");
    }
}
