//! What the generated cases reach: all that each mode can decide, and every reason code.
//!
//! What no case can reach: a verification that fails, since every pointer is right; the code `pin`,
//! which is a user's and comes with no request; `short_result_kept_whole` in mode lossy, which cuts
//! nothing that is not longer than what is left of it; `no_lossless_superseder` in mode
//! recoverable, which has a reason of its own for all that it keeps.

use std::collections::BTreeSet;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::generate::{Case, cases_of};
use super::{array, each_change, text};
use crate::compact::settings::{Provider, RulesMode};

/// The most cases that are looked at for something that is not reached yet.
const MOST: usize = 600;

/// Looks at cases until all that is expected was reached; nothing else may be.
#[track_caller]
fn assert_reached(provider: Provider, mode: RulesMode, expected: &[&str]) {
    let mut runner = TestRunner::deterministic();
    let expected: BTreeSet<String> = expected.iter().map(|it| (*it).to_owned()).collect();
    let mut seen = BTreeSet::new();
    for _ in 0..MOST {
        if seen.is_superset(&expected) {
            break;
        }
        let case = cases_of(provider, mode).new_tree(&mut runner).unwrap().current();
        note_reached(&case, &mut seen);
    }
    assert_eq!(seen, expected);
}

/// Notes what becomes of calls and why, and by what kind of note their results were had again.
fn note_reached(case: &Case, seen: &mut BTreeSet<String>) {
    let answered = case.answer();
    for decision in array(&answered.answer, "decisions") {
        let reason = code(text(decision, "reason"));
        seen.insert(format!("{} {reason}", text(decision, "decision")));
    }
    each_change(case, &answered.answer, |change| {
        seen.insert(format!("led to {}", change.follow(case, &answered).name()));
    });
}

/// A reason code without what it is about.
fn code(reason: &str) -> String {
    let parts = if reason.starts_with("stash") { 2 } else { 1 };
    reason.split(':').take(parts).collect::<Vec<_>>().join(":")
}

#[test]
fn lossless_reaches_all_that_it_decides() {
    let expected = [
        "dedupe identical_output_kept_later",
        "dedupe output_lines_of_later",
        "keep duplicate_tool_use_id",
        "keep no_lossless_superseder",
        "keep pinned_first_message",
        "keep pinned_recent",
        "led to output",
        "led to run",
    ];
    assert_reached(Provider::Rules, RulesMode::Lossless, &expected);
}

#[test]
fn recoverable_reaches_all_that_it_decides() {
    let expected = [
        "dedupe identical_output_kept_later",
        "dedupe output_lines_of_later",
        "keep call_before_latest_error",
        "keep command_output_changed_later",
        "keep command_pointers_disabled",
        "keep duplicate_tool_use_id",
        "keep failed_result",
        "keep file_written_later",
        "keep keep_disk_changed_before_emit",
        "keep keep_disk_dotdot",
        "keep keep_disk_mismatch",
        "keep keep_disk_missing",
        "keep keep_disk_not_regular",
        "keep keep_disk_outside_root",
        "keep keep_disk_too_large",
        "keep keep_disk_unreadable",
        "keep latest_error_result",
        "keep named_in_goal_or_recent_turns",
        "keep not_recoverable",
        "keep pinned_first_message",
        "keep pinned_recent",
        "keep pinned_recent_result",
        "keep read_range_empty",
        "keep read_range_unknown",
        "keep relative_path_without_cwd",
        "keep temp_path",
        "led to lines",
        "led to output",
        "led to print",
        "led to run",
        "led to untold",
        "replace recoverable_file_read",
        "replace recoverable_read_only_command",
        "replace replace_disk_verified",
    ];
    assert_reached(Provider::Rules, RulesMode::Recoverable, &expected);
}

#[test]
fn stashed_reaches_all_that_it_decides() {
    let expected = [
        "dedupe identical_output_kept_later",
        "dedupe output_lines_of_later",
        "keep duplicate_tool_use_id",
        "keep not_stash_eligible",
        "keep pinned_first_message",
        "keep pinned_recent",
        "keep short_result_kept_whole",
        "keep stash_write_failed:OSError",
        "led to output",
        "led to run",
        "replace stashed:large_old_output_trimmed",
        "replace stashed:recoverable_file_read",
        "replace stashed:replace_disk_verified",
        "replace stashed:stale_read_far_from_recent_work",
        "replace stashed:superseded_by_later_call",
    ];
    assert_reached(Provider::Rules, RulesMode::Stashed, &expected);
}

#[test]
fn lossy_reaches_all_that_it_decides() {
    let expected = [
        "drop stale_read_far_from_recent_work",
        "drop superseded_by_later_call",
        "keep call_before_latest_error",
        "keep duplicate_tool_use_id",
        "keep kept_default",
        "keep latest_artifact_edit",
        "keep latest_error_result",
        "keep latest_git_state",
        "keep latest_task_state",
        "keep latest_tool_result",
        "keep latest_user_question",
        "keep named_in_goal",
        "keep named_in_recent_turns",
        "keep pinned_first_message",
        "keep pinned_recent",
        "keep trim_guard_edited_later",
        "keep trim_guard_error",
        "keep trim_guard_interactive",
        "keep trim_guard_named",
        "keep trim_guard_recent",
        "led to ends",
        "trim large_old_output_trimmed",
    ];
    assert_reached(Provider::Rules, RulesMode::Lossy, &expected);
}

#[test]
fn the_ranker_reaches_all_that_it_decides() {
    let expected = [
        "drop specialist_rank_below_budget",
        "keep not_judged_fail_safe",
        "keep pinned_first_message",
        "keep pinned_recent",
        "keep short_result_kept_whole",
        "keep specialist_rank_kept",
        "led to ends",
        "trim specialist_result_below_budget_call_kept",
    ];
    assert_reached(Provider::Auto, RulesMode::Lossless, &expected);
}

#[test]
fn judges_reach_all_that_they_decide() {
    let expected = [
        "drop call_and_result_not_needed",
        "keep duplicate_tool_use_id",
        "keep not_judged_fail_safe",
        "keep pinned_first_message",
        "keep pinned_recent",
        "keep result_still_needed",
        "keep short_result_kept_whole",
        "led to ends",
        "trim call_kept_result_trimmed",
    ];
    for provider in [Provider::Jev, Provider::Laya] {
        assert_reached(provider, RulesMode::Lossless, &expected);
    }
}
