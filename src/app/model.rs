//! Everything that the screen shows, as plain data.

use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Rect;
use tui_input::Input;

use super::action::{Shared, Watching};
use super::counts::{Counts, TokenSums};
use super::detail::Detail;
use super::history::History;
use super::judging::Judging;
use super::list::{Filter, List};
use super::panes::{self, Pane, Panes};
use crate::compact::Pins;
use crate::compact::plan::{Outcome, Plan};
use crate::compact::settings::{Budget, Provider, RulesMode, SETTINGS, Setting, Settings};
use crate::compact::tool_calls::{Recoverability, Recovery};
use crate::session::{Entry, Session};
use crate::tokens::Method;

pub struct Model {
    pub session: Arc<Session>,
    /// Goes up when the file was read anew.
    pub epoch: u64,
    /// What each knob goes back to.
    pub defaults: Settings,
    pub settings: Settings,
    pub history: History,
    pub pins: Pins,
    /// The newest plan that has landed; an older one stays until then.
    pub plan: Option<Arc<Plan>>,
    pub counts: Counts,
    pub token_sums: TokenSums,
    /// The counts that plans are given, for what their pointers say.
    pub known_tokens: Arc<[Option<u32>]>,
    /// Number of the newest plan asked for.
    pub asked: u64,
    /// Number of the plan on the screen.
    pub landed: u64,
    /// Whether the newest plan is long in coming.
    pub is_slow: bool,
    /// The knob whose turning the newest plan was asked for, in [`SETTINGS`].
    pub turned: Option<usize>,
    pub took: Option<Duration>,
    /// Sums of the plan before.
    pub before: Option<Sums>,
    pub list: List,
    pub filter: Filter,
    pub search: Search,
    pub detail: Detail,
    pub judging: Judging,
    /// The pointer under the cursor that was looked after, and what was found, once it was.
    pub recovery: Option<Looked>,
    /// First line shown in the why pane.
    pub why_top: usize,
    pub focus: Pane,
    pub zoomed: bool,
    pub size: (u16, u16),
    /// The chosen knob, in [`SETTINGS`].
    pub knob: usize,
    /// Digits typed before a motion.
    pub count: Option<usize>,
    /// A key that waits for the next one.
    pub awaiting_outcome: bool,
    pub prompt: Option<Prompt>,
    pub overlay: Option<Overlay>,
    pub status: Option<String>,
    /// Entries that a jump came from, the newest last.
    pub jumps: Vec<usize>,
    pub watching: Watching,
    pub follow: bool,
    /// How tokens are counted.
    pub method: Method,
    /// Whether the mouse is the program's or the terminal's.
    pub mouse: bool,
}

/// The sums that one plan is compared by with the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sums {
    pub chars_after: usize,
    pub outcomes: [usize; 6],
}

/// A pointer, and whether what it stands for can be had again.
#[derive(Debug, Clone, PartialEq)]
pub struct Looked {
    pub entry: usize,
    pub recovery: Recovery,
    /// `None` while it is looked after.
    pub now: Option<Recoverability>,
}

/// What is searched for, and where it was found.
#[derive(Debug, Clone, Default)]
pub struct Search {
    pub pattern: String,
    /// Entries that hold it, in order.
    pub matches: Vec<usize>,
    pub generation: u64,
    /// Whether the matches of this pattern have come.
    pub done: bool,
    /// Where the cursor stood when the search began; it goes back there when given up.
    pub from: Option<usize>,
}

/// A line being typed.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub asks: Asks,
    pub input: Input,
    /// Why the text was refused.
    pub error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    Search,
    /// A value of that setting.
    Value(usize),
    /// A word to find in the help.
    HelpSearch,
}

/// A list over the panes.
#[derive(Debug, Clone, PartialEq)]
pub enum Overlay {
    Help {
        top: usize,
        word: String,
    },
    /// The knob list; its cursor is the chosen knob.
    Knobs,
    /// Roles and tools to filter by.
    Speakers {
        cursor: usize,
    },
    /// What was repaired or skipped while reading.
    Faults {
        top: usize,
    },
    /// Whether the session's text may be sent to the judge of these settings.
    Consent {
        settings: Box<Settings>,
        address: String,
    },
}

/// What a screen is opened with.
pub struct Opening {
    pub session: Arc<Session>,
    pub settings: Settings,
    /// What reset goes back to.
    pub defaults: Settings,
    /// How the file was taken, to be told at first.
    pub said: Option<String>,
    pub size: (u16, u16),
    pub follow: bool,
    pub method: Method,
}

impl Model {
    pub fn new(opening: Opening) -> Model {
        let mut model = Model {
            session: opening.session,
            epoch: 0,
            defaults: opening.defaults,
            settings: opening.settings,
            history: History::default(),
            pins: Pins::new(),
            plan: None,
            counts: Counts::default(),
            token_sums: TokenSums::default(),
            known_tokens: Arc::new([]),
            asked: 0,
            landed: 0,
            is_slow: false,
            turned: None,
            took: None,
            before: None,
            list: List::default(),
            filter: Filter::default(),
            search: Search::default(),
            detail: Detail::default(),
            judging: Judging::default(),
            recovery: None,
            why_top: 0,
            focus: Pane::List,
            zoomed: false,
            size: opening.size,
            knob: 0,
            count: None,
            awaiting_outcome: false,
            prompt: None,
            overlay: None,
            status: opening.said,
            jumps: Vec::new(),
            watching: Watching::Off,
            follow: opening.follow,
            mouse: true,
            method: opening.method,
        };
        model.knob = model.setting_index("budget_chars");
        model.refresh_list();
        if model.follow {
            model.list.move_to(usize::MAX, model.list_height());
            model.refresh_detail();
        }
        model
    }

    pub fn panes(&self) -> Panes {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        panes::panes(area, self.zoomed.then_some(self.focus))
    }

    /// Columns and rows of the text in the detail pane.
    pub fn detail_size(&self) -> (usize, usize) {
        let inside = panes::inside(self.panes().detail);
        (usize::from(inside.width), usize::from(inside.height))
    }

    /// Rows of the list.
    pub fn list_height(&self) -> usize {
        usize::from(panes::inside(self.panes().list).height)
    }

    /// The entry under the cursor.
    pub fn current(&self) -> Option<usize> {
        self.list.current()
    }

    pub fn entry(&self, index: usize) -> &Entry {
        &self.session.entries[index]
    }

    /// The session as it is handed to the threads.
    pub fn shared(&self) -> Shared {
        Shared { session: self.session.clone(), epoch: self.epoch }
    }

    pub fn outcome(&self, entry: usize) -> Option<Outcome> {
        let plan = self.plan.as_ref()?;
        plan.decisions.get(entry).map(|decision| decision.outcome)
    }

    pub fn chosen_knob(&self) -> &'static Setting {
        &SETTINGS[self.knob]
    }

    pub fn setting_index(&self, name: &str) -> usize {
        SETTINGS.iter().position(|setting| setting.name == name).unwrap_or(0)
    }

    /// Whether a newer plan than the one on the screen has been asked for.
    pub fn is_deciding(&self) -> bool {
        self.landed < self.asked
    }

    /// Lists what the filter lets through, the cursor on the entry it was on or the one nearest.
    pub fn refresh_list(&mut self) {
        let visible = self.filter.entries(&self.session, self.plan.as_deref());
        self.list.replace(visible, self.list_height());
        self.refresh_minimap();
        self.refresh_detail();
    }

    /// The outcomes of the whole list, one a row of the pane.
    pub fn refresh_minimap(&mut self) {
        let height = self.list_height();
        self.list.draw_minimap(height, self.plan.as_deref());
    }

    /// Adds the tokens up again.
    pub fn refresh_tokens(&mut self) {
        if let Some(plan) = &self.plan {
            self.token_sums = self.counts.sums(&self.session, plan);
        }
    }

    /// Shows the entry under the cursor.
    pub fn refresh_detail(&mut self) {
        match self.current() {
            Some(index) => {
                let decision = self.plan.as_ref().and_then(|plan| plan.decisions.get(index));
                if self.detail.entry != Some(index) {
                    self.why_top = 0;
                }
                self.detail.show(index, &self.session.entries[index], decision);
            }
            None => self.detail.clear(),
        }
    }

    /// Whether the chosen knob has no effect as the settings are, and why not.
    pub fn idle_knob(&self, setting: &Setting) -> Option<&'static str> {
        let message_pass = matches!(
            setting.name,
            "max_message_chars" | "keep_last_n" | "keep_roles" | "duplicate_threshold"
        );
        if message_pass && self.settings.budget_chars == Budget::Off {
            return Some("the message pass is off: b sets a budget");
        }
        let Settings { provider, rules_mode, .. } = self.settings;
        let by_rules = provider == Provider::Rules;
        let read = match setting.name {
            "rules_mode" => by_rules,
            "threshold" | "max_state_tokens" | "max_request_tokens" | "max_workers" => {
                provider.is_judge()
            }
            "jev_model" => provider == Provider::Jev,
            "laya_model" => provider == Provider::Laya,
            "trim_head_chars" => !by_rules,
            "workspace_root" | "disk_check" => {
                by_rules && matches!(rules_mode, RulesMode::Recoverable | RulesMode::Stashed)
            }
            "allow_command_pointers" => by_rules && rules_mode == RulesMode::Recoverable,
            "min_reduction" => return Some("only a report's worth_it reads it"),
            _ => true,
        };
        (!read).then_some("the provider and the rules_mode of now do not read it")
    }
}
