//! Reason codes in words.

mod tool_calls;

use crate::compact::settings::Settings;

/// What a reason code of either pass means, with the setting that it came from.
pub fn words(reason: &str, settings: &Settings) -> String {
    match reason {
        "pin" => "You pinned it: no pass touches it.".into(),
        "role" => "Its role is one of keep_roles.".into(),
        "recent" => format!("Among the newest {} messages (keep_last_n).", settings.keep_last_n),
        "pair" => "What it cannot be parted from is protected: the other half of a call and its result, or a blank text beside it.".into(),
        "task" => {
            "It sets the task: what the user began with, or what the question came from.".into()
        }
        "target" => "A pointer names it, and that pointer stays.".into(),
        "pinned_first_message" => "The first message is always pinned.".into(),
        "pinned_recent" => {
            format!("Among the newest {} messages (preserve_recent).", settings.preserve_recent)
        }
        "near_duplicate" => format!(
            "Its words overlap with an earlier text of the same role by {} or more (duplicate_threshold).",
            settings.duplicate_threshold
        ),
        "cut_sentence" => format!(
            "Cut at the last sentence end within {} characters (max_message_chars).",
            settings.max_message_chars
        ),
        "cut_hard" => format!(
            "Cut at {} characters (max_message_chars): no sentence ends in the last 60 percent of them.",
            settings.max_message_chars
        ),
        "over_budget" => "The session was over budget and its score was the lowest left.".into(),
        "message_gone" => "All that its message said is gone, so this goes too.".into(),
        "kept_default" => "Nothing asks for a change.".into(),
        other => tool_calls::words(other, settings),
    }
}
