//! The table of settings. A name is its contract's; its flag has `-` for `_`.

use super::value::{Field, Kind};
use super::{SettingError, Settings};

/// One knob: what it is called, what it may be, what it is when nobody says.
pub struct Setting {
    pub name: &'static str,
    pub range: &'static str,
    /// Default of a request; `required` and `none` are no values.
    pub contract_default: &'static str,
    /// Default over a session; `session` and `none` are filled in from the session.
    pub session_default: &'static str,
    pub step: &'static str,
    pub help: &'static str,
    pub kind: Kind,
}

macro_rules! field {
    ($name:ident) => {
        Field { get: |settings| &settings.$name, get_mut: |settings| &mut settings.$name }
    };
}

macro_rules! settings {
    ($($name:literal, $range:literal, $contract:literal, $session:literal, $step:literal, $kind:expr, $help:literal;)*) => {
        /// Every setting, in the order of the knob bar, the help and the README.
        pub const SETTINGS: &[Setting] = &[$(Setting {
            name: $name,
            range: $range,
            contract_default: $contract,
            session_default: $session,
            step: $step,
            help: $help,
            kind: $kind,
        }),*];
    };
}

// Name, range, contract default, default over a session, knob step, kind, help.
settings! {
    "rules_mode", "lossless, recoverable, stashed, lossy", "lossless", "stashed", "next",
        Kind::RulesMode(field!(rules_mode)), "what the rules may do to a tool result";
    "provider", "auto, specialist-v3, rules, jev, laya (deprecated)", "auto", "rules", "next",
        Kind::Provider(field!(provider)), "who decides about tool calls";
    "budget_chars", "off, 1% to 100% of the session, or 100 and more characters", "required", "50%", "1 % of the session",
        Kind::Budget(field!(budget_chars)), "drop the lowest scores until the session fits";
    "max_message_chars", "80 and more", "400", "4000", "100",
        Kind::Count { at: field!(max_message_chars), min: 80, step: 100 }, "cut longer texts and results to this length";
    "keep_last_n", "0 and more", "5", "5", "1",
        Kind::Count { at: field!(keep_last_n), min: 0, step: 1 }, "protect this many newest messages from the message pass";
    "duplicate_threshold", "0.5 to 1", "0.9", "0.9", "0.01",
        Kind::Share { at: field!(duplicate_threshold), min: 0.5, step: 0.01 }, "word overlap from which a later text is a duplicate";
    "keep_roles", "system, user, assistant, tool; or none", "system", "system", "next set",
        Kind::Roles(field!(keep_roles)), "roles that the message pass protects";
    "preserve_recent", "0 and more", "6", "6", "1",
        Kind::Count { at: field!(preserve_recent), min: 0, step: 1 }, "pin this many of the newest messages in both passes";
    "question", "text", "required", "session", "typed",
        Kind::Question, "what it is about; over a session its newest user text";
    "threshold", "0 to 1", "0.5", "0.5", "0.05",
        Kind::Share { at: field!(threshold), min: 0.0, step: 0.05 }, "a judge keeps what it scores at least this";
    "trim_head_chars", "0 and more", "300", "300", "50",
        Kind::Count { at: field!(trim_head_chars), min: 0, step: 50 }, "characters that a trimmed tool result keeps";
    "min_reduction", "0 to 1", "0.25", "0.25", "0.05",
        Kind::Share { at: field!(min_reduction), min: 0.0, step: 0.05 }, "share saved from which a report calls a pass worth it";
    "workspace_root", "directory", "none", "session", "typed",
        Kind::Directory(field!(workspace_root)), "where file pointers are checked on disk";
    "disk_check", "true, false", "true", "true", "toggle",
        Kind::Flag(field!(disk_check)), "let the disk decide file pointers";
    "allow_command_pointers", "true, false", "false", "false", "toggle",
        Kind::Flag(field!(allow_command_pointers)), "let a read-only command be pointed to by re-running it";
    "max_state_tokens", "1 and more", "25000", "25000", "1000",
        Kind::Count { at: field!(max_state_tokens), min: 1, step: 1000 }, "tokens of session that a judge is shown";
    "max_request_tokens", "1 and more", "30000", "30000", "1000",
        Kind::Count { at: field!(max_request_tokens), min: 1, step: 1000 }, "tokens of one request to a judge";
    "max_workers", "1 and more", "4", "4", "1",
        Kind::Count { at: field!(max_workers), min: 1, step: 1 }, "requests to a judge at once";
    "jev_model", "text", "jev-latest", "jev-latest", "typed",
        Kind::Text(field!(jev_model)), "model of the remote judge";
    "laya_model", "text", "none", "none", "typed",
        Kind::OptionalText(field!(laya_model)), "model of the local judge";
}

/// The setting of that name, spelt with `_` or `-`.
pub fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name.replace('-', "_"))
}

impl Setting {
    /// The flag of this setting, without its dashes.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Its value as it would be typed.
    pub fn value(&self, settings: &Settings) -> String {
        self.kind.value(settings)
    }

    /// Its value in JSON, as `plan --json` prints it.
    pub fn json(&self, settings: &Settings) -> serde_json::Value {
        self.kind.json(settings)
    }

    /// Sets it from text.
    ///
    /// # Errors
    /// When the text is no value of this setting; the settings are then as they were.
    pub fn set(&self, settings: &mut Settings, text: &str) -> Result<(), SettingError> {
        self.kind.set(settings, text.trim()).map_err(|why| SettingError {
            name: self.name,
            text: text.into(),
            why,
            range: self.range,
        })
    }

    /// Moves it by so many steps, held inside its range; `session_chars` is what one per cent of
    /// the budget is taken of. A setting that can only be typed stays.
    pub fn nudge(&self, settings: &mut Settings, steps: i64, session_chars: usize) {
        self.kind.nudge(settings, steps, session_chars);
    }

    /// Back to its default: the value that it has in `defaults`.
    pub fn reset(&self, settings: &mut Settings, defaults: &Settings) {
        if matches!(self.kind, Kind::Question) {
            settings.question_from = defaults.question_from;
            settings.question.clone_from(&defaults.question);
        } else if let Err(error) = self.set(settings, &self.value(defaults)) {
            unreachable!("a setting takes its own value back: {error}");
        }
    }
}
