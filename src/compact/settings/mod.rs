//! Every knob of both passes, and the one table that flags, knobs, help and README read.

mod table;
mod value;

use std::path::PathBuf;

use crate::session::{Contract, Request, Role, Session};

pub use table::{SETTINGS, Setting, setting};
pub use value::{Kind, SettingError};

/// What both passes are told. Built by [`Settings::for_session`] or [`Settings::for_contract`].
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Whether the tool-call pass runs at all; off for a memory-compact request until asked for.
    pub tool_pass: bool,
    pub provider: Provider,
    pub rules_mode: RulesMode,
    pub question: String,
    /// The entry whose text the question was taken from; `None` once it was typed.
    pub question_from: Option<usize>,
    pub threshold: f64,
    pub preserve_recent: usize,
    pub trim_head_chars: usize,
    pub min_reduction: f64,
    pub workspace_root: Option<PathBuf>,
    pub disk_check: bool,
    pub allow_command_pointers: bool,
    pub max_state_tokens: usize,
    pub max_request_tokens: usize,
    pub max_workers: usize,
    pub jev_model: String,
    pub laya_model: Option<String>,
    pub budget_chars: Budget,
    pub keep_last_n: usize,
    pub keep_roles: Vec<Role>,
    pub duplicate_threshold: f64,
    pub max_message_chars: usize,
}

/// Who decides about tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    Auto,
    SpecialistV3,
    Rules,
    Jev,
    Laya,
}

/// What provider `rules` may do to a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RulesMode {
    Lossless,
    Recoverable,
    Stashed,
    Lossy,
}

/// The character budget of the message pass; `Off` leaves the pass out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    Off,
    /// Of the decided entries' original characters, rounded down; follows a growing session.
    Percent(u32),
    Chars(usize),
}

/// The longest question taken from a session, in characters.
pub const QUESTION_CHARS: usize = 500;

impl Settings {
    /// The session column's defaults, with what depends on the session filled in from it.
    pub fn for_session(session: &Session) -> Settings {
        let mut settings = Settings::from_column(|setting| setting.session_default);
        settings.take_newest_question(session);
        settings.workspace_root = session.cwd.clone();
        settings
    }

    /// The contract column's defaults: those of a request that names nothing.
    pub fn for_contract() -> Settings {
        Settings::from_column(|setting| setting.contract_default)
    }

    /// What a request asks for, with its contract's defaults: its own pass runs alone. A
    /// compact_transcript request that names no provider asks for `auto`.
    ///
    /// # Errors
    /// The first of its settings that has no such value.
    pub fn for_request(request: &Request) -> Result<Settings, SettingError> {
        let mut settings = Settings::for_contract();
        for (name, value) in &request.settings {
            if let Some(setting) = setting(name) {
                setting.set(&mut settings, value)?;
            }
        }
        match request.contract {
            Contract::MemoryCompact => {
                settings.tool_pass = false;
                settings.provider = Provider::Rules;
            }
            Contract::CompactTranscript => settings.budget_chars = Budget::Off,
        }
        Ok(settings)
    }

    fn from_column(column: impl Fn(&Setting) -> &'static str) -> Settings {
        let mut settings = Settings::blank();
        for setting in SETTINGS {
            let default = column(setting);
            if !matches!(default, "required" | "none" | "session") {
                setting
                    .set(&mut settings, default)
                    .expect("a default in the table is a value of its setting");
            }
        }
        settings
    }

    fn blank() -> Settings {
        Settings {
            tool_pass: true,
            provider: Provider::Rules,
            rules_mode: RulesMode::Lossless,
            question: "continue".into(),
            question_from: None,
            threshold: 0.0,
            preserve_recent: 0,
            trim_head_chars: 0,
            min_reduction: 0.0,
            workspace_root: None,
            disk_check: false,
            allow_command_pointers: false,
            max_state_tokens: 1,
            max_request_tokens: 1,
            max_workers: 1,
            jev_model: String::new(),
            laya_model: None,
            budget_chars: Budget::Off,
            keep_last_n: 0,
            keep_roles: Vec::new(),
            duplicate_threshold: 1.0,
            max_message_chars: 80,
        }
    }

    /// Takes the question from the session's latest user text that is no notice, else from its
    /// first text; without any it is `continue`. At most [`QUESTION_CHARS`] characters.
    pub fn take_newest_question(&mut self, session: &Session) {
        let texts = || session.texts();
        let newest =
            texts().rev().find(|&entry| session.role_of(&session.entries[entry]) == Role::User);
        self.question_from = newest.or_else(|| texts().next());
        self.question = match self.question_from {
            Some(entry) => session.entries[entry].content.chars().take(QUESTION_CHARS).collect(),
            None => "continue".into(),
        };
    }
}

impl Budget {
    /// The budget in characters, of a session with that many; `None` when off.
    pub fn chars_of(self, session_chars: usize) -> Option<usize> {
        match self {
            Budget::Off => None,
            Budget::Percent(percent) => Some(percent_of(session_chars, percent)),
            Budget::Chars(chars) => Some(chars),
        }
    }
}

fn percent_of(chars: usize, percent: u32) -> usize {
    (chars as u128 * u128::from(percent) / 100) as usize
}

impl Provider {
    pub const ALL: [Provider; 5] =
        [Provider::Auto, Provider::SpecialistV3, Provider::Rules, Provider::Jev, Provider::Laya];

    pub fn name(self) -> &'static str {
        match self {
            Provider::Auto => "auto",
            Provider::SpecialistV3 => "specialist-v3",
            Provider::Rules => "rules",
            Provider::Jev => "jev",
            Provider::Laya => "laya",
        }
    }

    /// Whether it asks a model elsewhere, which the session's text is sent to.
    pub fn is_judge(self) -> bool {
        matches!(self, Provider::Jev | Provider::Laya)
    }

    /// Whether it ranks with the model that the program carries.
    pub fn is_ranker(self) -> bool {
        matches!(self, Provider::Auto | Provider::SpecialistV3)
    }
}

impl RulesMode {
    pub const ALL: [RulesMode; 4] =
        [RulesMode::Lossless, RulesMode::Recoverable, RulesMode::Stashed, RulesMode::Lossy];

    pub fn name(self) -> &'static str {
        match self {
            RulesMode::Lossless => "lossless",
            RulesMode::Recoverable => "recoverable",
            RulesMode::Stashed => "stashed",
            RulesMode::Lossy => "lossy",
        }
    }
}
