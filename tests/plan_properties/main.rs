//! What must hold of every plan, whatever session, settings and pins it is made of.

#![allow(clippy::unwrap_used)]

mod checks;
#[path = "../common/mod.rs"]
mod common;
mod knobs;
mod sessions;

// The agent, its machine and the disk are those of the tool-call pass's own tests.
#[path = "../../src/compact/tool_calls/tests/promises/agent.rs"]
#[allow(dead_code)]
mod agent;
#[path = "../../src/compact/tool_calls/tests/memory_disk.rs"]
#[allow(dead_code)]
mod memory_disk;
#[path = "../../src/compact/tool_calls/tests/promises/shown.rs"]
#[allow(dead_code)]
mod shown;

use std::collections::BTreeSet;

use checks::{check, is_gone};
use common::read;
use compactscope::compact::plan::{Plan, Stage};
use compactscope::compact::{self, Features};
use compactscope::session::{Kind, Session};
use knobs::{decide, decide_with, knobs};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sessions::cases;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn every_plan_keeps_the_rules(case in cases(), knobs in prop::collection::vec(knobs(), 1..4)) {
        let sample = case.sample();
        for knobs in &knobs {
            let plan = check(&sample, knobs);
            prop_assert_eq!(&decide(&sample, knobs), &plan, "the same again");
        }
    }

    #[test]
    fn a_session_that_grew_is_decided_as_if_it_had_been_there_at_once(
        case in cases(),
        knobs in knobs(),
        at in any::<Index>(),
    ) {
        let case = case.into_file();
        let (bytes, whole) = (case.bytes(), case.sample());
        let lines: Vec<&str> = bytes.split_inclusive('\n').collect();
        let part = read(lines[..1 + at.index(lines.len())].concat().as_bytes());
        let mut features = Features::new(&part);
        decide_with(&part, &features, &knobs, &whole.machine);
        features.extend(&whole.session);
        let grown = decide_with(&whole.session, &features, &knobs, &whole.machine);
        prop_assert_eq!(grown, decide(&whole, &knobs));
    }
}

// ---- what the cases reach ----

/// The most cases that are looked at for something that is not reached yet.
const MOST: usize = 1500;

/// What no session here is long enough for is left out: what the ranker lets go, and the rarest
/// guards of mode lossy. The tests of the tool-call pass reach them.
const REACHED: [&str; 70] = [
    "a budget met",
    "a budget not met",
    "a dropped pair",
    "a pinned result that is a pointer",
    "a pointer whose target would have gone",
    "an input fault",
    "dedupe identical_output_kept_later",
    "dedupe near_duplicate",
    "dedupe output_lines_of_later",
    "drop call_and_result_not_needed",
    "drop message_gone",
    "drop over_budget",
    "drop stale_read_far_from_recent_work",
    "drop superseded_by_later_call",
    "dropped after it was a pointer",
    "dropped after it was trimmed",
    "kept call_before_latest_error",
    "kept command_output_changed_later",
    "kept command_pointers_disabled",
    "kept duplicate_tool_use_id",
    "kept failed_result",
    "kept file_written_later",
    "kept keep_disk_dotdot",
    "kept keep_disk_mismatch",
    "kept keep_disk_missing",
    "kept kept_default",
    "kept latest_artifact_edit",
    "kept latest_error_result",
    "kept latest_git_state",
    "kept latest_task_state",
    "kept latest_tool_result",
    "kept latest_user_question",
    "kept named_in_goal",
    "kept named_in_goal_or_recent_turns",
    "kept no_lossless_superseder",
    "kept not_recoverable",
    "kept not_stash_eligible",
    "kept pinned_recent_result",
    "kept relative_path_without_cwd",
    "kept result_still_needed",
    "kept short_result_kept_whole",
    "kept specialist_rank_kept",
    "kept target",
    "kept temp_path",
    "kept trim_guard_recent",
    "outcome deduped",
    "outcome dropped",
    "outcome kept",
    "outcome pinned",
    "outcome pointer",
    "outcome trimmed",
    "pin pair",
    "pin pin",
    "pin pinned_first_message",
    "pin pinned_recent",
    "pin recent",
    "pin role",
    "pin task",
    "pointer recoverable_file_read",
    "pointer recoverable_read_only_command",
    "pointer replace_disk_verified",
    "pointer stashed:large_old_output_trimmed",
    "pointer stashed:recoverable_file_read",
    "pointer stashed:replace_disk_verified",
    "pointer stashed:stale_read_far_from_recent_work",
    "pointer stashed:superseded_by_later_call",
    "trim call_kept_result_trimmed",
    "trim cut_hard",
    "trim cut_sentence",
    "trim large_old_output_trimmed",
];

#[test]
fn the_generated_cases_reach_every_outcome_stage_and_reason() {
    let mut runner = TestRunner::deterministic();
    let expected = BTreeSet::from(REACHED.map(str::to_owned));
    let mut seen = BTreeSet::new();
    for _ in 0..MOST {
        if seen.is_superset(&expected) {
            break;
        }
        let sample = cases().new_tree(&mut runner).unwrap().current().sample();
        let knobs = knobs().new_tree(&mut runner).unwrap().current();
        note_reached(&sample.session, &decide(&sample, &knobs), &mut seen);
    }
    assert_eq!(seen, expected);
}

/// A reason code without what it is about.
fn code(reason: &str) -> String {
    let parts = if reason.starts_with("stash") { 2 } else { 1 };
    reason.split(':').take(parts).collect::<Vec<_>>().join(":")
}

fn note_reached(session: &Session, plan: &Plan, seen: &mut BTreeSet<String>) {
    for (entry, decision) in session.entries.iter().zip(&plan.decisions) {
        if !entry.kind.is_decided() && decision.steps.is_empty() {
            continue;
        }
        seen.insert(format!("outcome {}", decision.outcome.name()));
        for step in &decision.steps {
            seen.insert(format!("{} {}", step.stage.name(), code(&step.reason)));
        }
        if decision.steps.is_empty() {
            seen.insert(format!("kept {}", code(&decision.kept_reason)));
        }
        let dropped = is_gone(decision) && entry.kind.is_decided();
        let was = |stage| decision.steps.iter().any(|step| step.stage == stage);
        let is_result = matches!(entry.kind, Kind::Result { .. });
        let combined = [
            (dropped && entry.kind.partner().is_some(), "a dropped pair"),
            (dropped && was(Stage::Trim), "dropped after it was trimmed"),
            (dropped && is_result && was(Stage::Dedupe), "dropped after it was a pointer"),
            (
                is_result && was(Stage::Pin) && was(Stage::Dedupe),
                "a pinned result that is a pointer",
            ),
            (
                decision.kept_reason == "target"
                    && plan.budget.is_some_and(|it| it < plan.chars[1]),
                "a pointer whose target would have gone",
            ),
        ];
        seen.extend(combined.iter().filter(|(holds, _)| *holds).map(|(_, what)| what.to_string()));
    }
    if !plan.input_faults.is_empty() {
        seen.insert("an input fault".into());
    }
    if let Some(budget) = plan.budget {
        let met = if plan.chars[1] <= budget { "a budget met" } else { "a budget not met" };
        seen.insert(met.into());
    }
}
