//! Reason codes of the tool-call pass in words. The codes are the reference's.

use crate::compact::settings::Settings;

/// What a reason code means. A code may carry what it is about after a colon.
pub(super) fn words(reason: &str, settings: &Settings) -> String {
    match reason.split_once(':') {
        Some(("stashed", "large_old_output_trimmed")) => {
            "Its exact text would be stored in the stash when exported. Over 4,000 characters and old."
                .into()
        }
        Some(("stashed", why)) => {
            format!(
                "Its exact text would be stored in the stash when exported. {}",
                plain(why, settings)
            )
        }
        Some(("stash_write_failed", error)) => {
            format!("It stays: its text could not be stored in the stash ({error}).")
        }
        _ => plain(reason, settings),
    }
}

fn plain(reason: &str, settings: &Settings) -> String {
    if let Some(call) = reason.strip_prefix("superseded_by_later_call:") {
        return format!("The later call {call} gives what this one gave, or newer.");
    }
    if let Some(words) = lossless(reason).or_else(|| kept_by_rules(reason)) {
        return words.into();
    }
    if let Some(words) = removed_by_rules(reason).or_else(|| not_recoverable(reason)) {
        return words.into();
    }
    disk(reason)
        .map(str::to_owned)
        .or_else(|| judged(reason, settings))
        .unwrap_or_else(|| reason.replace('_', " "))
}

fn lossless(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "identical_output_kept_later" => {
            "A later result that stays has the same lines; the pointer names it."
        }
        "output_lines_of_later" => {
            "A later result that stays holds it as a run of whole lines; the pointer names them."
        }
        "no_lossless_superseder" => "No later result holds it.",
        "duplicate_tool_use_id" => "Its id occurs twice, so nobody could tell which one is meant.",
        _ => return None,
    })
}

fn kept_by_rules(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "latest_error_result" => "The latest error: what failed may still have to be mended.",
        "call_before_latest_error" => "The call before the latest error: what led to it.",
        "latest_git_state" => "The latest git status, diff or log.",
        "latest_task_state" => "The latest plan or list of tasks.",
        "latest_artifact_edit" => "The latest edit.",
        "latest_user_question" => "The latest question that was put to the user.",
        "latest_tool_result" => "The newest result of all.",
        "named_in_goal" => "The question names it.",
        "named_in_recent_turns" => "The newest messages name its file.",
        "named_in_goal_or_recent_turns" => "The question or a newest user text names it.",
        "trim_guard_recent" => "Large, but within 40 messages of the end.",
        "trim_guard_interactive" => "Large, but the state of something that still runs.",
        "trim_guard_error" => "Large, but an error.",
        "trim_guard_edited_later" => "Large, but a later edit changes the file it is of.",
        "trim_guard_named" => "Large, but the question or the newest messages name it.",
        _ => return None,
    })
}

fn removed_by_rules(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "stale_read_far_from_recent_work" => {
            "A read or search more than 40 messages before the end."
        }
        "large_old_output_trimmed" => "Over 4,000 characters and old: its two ends stay.",
        "recoverable_file_read" => {
            "Nothing later can have written the file: reading it again gives this back."
        }
        "recoverable_read_only_command" => {
            "A read-only command that nothing later can have changed: running it again gives this back."
        }
        "replace_disk_verified" => {
            "The file on disk held exactly this output when this was decided."
        }
        "short_result_kept_whole" => "What would stand in its place is no shorter.",
        _ => return None,
    })
}

fn not_recoverable(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "not_stash_eligible" => {
            "Neither old nor superseded nor recoverable: nothing asks to store it away."
        }
        "not_recoverable" => "Neither a file that was read nor a read-only command.",
        "pinned_recent_result" => "Its result stands in a pinned message.",
        "failed_result" => "The call failed.",
        "temp_path" => "It is of a directory for temporary files, which may be gone.",
        "file_written_later" => "A later call may have written the file.",
        "read_range_empty" => "Nothing was read.",
        "read_range_unknown" => "Which lines were read cannot be told.",
        "command_output_changed_later" => "A later call may have changed what the command gives.",
        "command_pointers_disabled" => {
            "Running the command again would give it back, but allow_command_pointers is off."
        }
        "relative_path_without_cwd" => "Its path is relative, and to what is not known.",
        _ => return None,
    })
}

fn disk(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "keep_disk_mismatch" => "The file on disk holds something else now.",
        "keep_disk_missing" => "The file is not on disk.",
        "keep_disk_not_regular" => "What is on disk under its path is no regular file.",
        "keep_disk_outside_root" => {
            "Its path leads by a link out of workspace_root and its own directory."
        }
        "keep_disk_too_large" => "The file on disk is larger than 4 MiB.",
        "keep_disk_unreadable" => "The file on disk cannot be read as text.",
        "keep_disk_dotdot" => "Its path goes through .., so which file it is depends on links.",
        "keep_disk_changed_before_emit" => "The file changed while this was decided.",
        _ => return None,
    })
}

fn judged(reason: &str, settings: &Settings) -> Option<String> {
    let threshold = settings.threshold;
    Some(match reason {
        "result_still_needed" => {
            format!("The judge scores its result {threshold} or more (threshold).")
        }
        "call_kept_result_trimmed" => format!(
            "The judge scores the call {threshold} or more and its result less (threshold): its first {} characters stay.",
            settings.trim_head_chars
        ),
        "call_and_result_not_needed" => {
            format!("The judge scores both the call and its result under {threshold} (threshold).")
        }
        "not_judged_fail_safe" => "Nobody judged it, so it stays.".into(),
        "specialist_rank_kept" => "The ranker keeps its result, or a part of it.".into(),
        "specialist_rank_below_budget" => {
            "The ranker places the call and its result below what fits.".into()
        }
        "specialist_result_below_budget_call_kept" => format!(
            "The ranker places its result below what fits, the call not: its first {} characters stay.",
            settings.trim_head_chars
        ),
        _ => return None,
    })
}
