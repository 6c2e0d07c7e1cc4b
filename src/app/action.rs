//! What the screen can be asked, what can happen to it, and what it asks of the world.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::counts::Piece;
use super::detail::Highlighting;
use super::key::Key;
use crate::compact::Pins;
use crate::compact::plan::Plan;
use crate::compact::settings::Settings;
use crate::compact::tool_calls::{Judgement, Recoverability, Recovery};
use crate::session::Session;
use crate::tokens::Method;

/// What a key can be bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Down,
    Up,
    Left,
    Right,
    HalfPageDown,
    HalfPageUp,
    PageDown,
    PageUp,
    First,
    Last,
    NextPane,
    PreviousPane,
    Zoom,
    Into,
    Out,
    NextChanged,
    PreviousChanged,
    FilterByOutcome,
    FilterBySpeaker,
    NoFilter,
    Search,
    NextMatch,
    PreviousMatch,
    ToTarget,
    Back,
    NextRulesMode,
    NextProvider,
    NextBudget,
    PreviousKnob,
    NextKnob,
    NudgeDown,
    NudgeUp,
    NudgeTenDown,
    NudgeTenUp,
    TypeValue,
    Knobs,
    NewestQuestion,
    Undo,
    Redo,
    ResetKnob,
    ResetAll,
    Pin,
    RunAgain,
    Follow,
    Mouse,
    Wrap,
    Copy,
    Faults,
    Help,
    Suspend,
    Quit,
}

/// What can happen.
#[derive(Debug)]
pub enum Msg {
    Key(Key),
    Paste(String),
    /// Wheel notches over a cell: positive is down.
    Wheel {
        column: u16,
        row: u16,
        notches: i32,
    },
    Click {
        column: u16,
        row: u16,
    },
    Resized {
        width: u16,
        height: u16,
    },
    Planned {
        generation: u64,
        plan: Arc<Plan>,
        took: Option<Duration>,
    },
    Found {
        generation: u64,
        entries: Vec<usize>,
    },
    Highlighted {
        epoch: u64,
        entry: usize,
        lines: Highlighting,
    },
    /// These pieces of the session of that epoch have been counted.
    Counted {
        epoch: u64,
        counts: Vec<(Piece, u32)>,
    },
    /// Whether what the pointer of this entry stands for can be had again right now.
    Recoverable {
        epoch: u64,
        entry: usize,
        now: Recoverability,
    },
    /// The address of the judge that these settings name, or why it cannot be asked.
    JudgeFound {
        settings: Box<Settings>,
        address: Result<String, String>,
    },
    /// So many requests to a judge are done.
    Judging {
        inquiry: u64,
        done: usize,
        of: usize,
    },
    /// What a judge said of the session's calls over that question, or why it was not asked.
    Judged {
        inquiry: u64,
        question: String,
        answer: Result<Arc<Judgement>, String>,
    },
    /// The watched file has grown or was read anew.
    Grown {
        session: Arc<Session>,
        how: Growth,
    },
    /// Something to tell about the watched file; the session stays as it was.
    Watching(Watching),
    /// The plan that was asked for is not there yet after a while.
    Slow,
    /// The terminal asks to end (SIGTERM, SIGINT, SIGHUP).
    Terminated,
}

/// How a watched session came to its new state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    Appended,
    /// Truncated, replaced or reappeared: read from the start.
    Reread(&'static str),
}

/// How the file stands that is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    Off,
    Live,
    Removed,
    /// It changed and cannot be read as the format it was.
    Unreadable,
}

/// What the screen asks to be done; answers come back as [`Msg`].
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Plan {
        generation: u64,
        session: Shared,
        settings: Box<Settings>,
        pins: Pins,
        /// Exact tokens of entries, by number, as far as they are counted.
        tokens: Arc<[Option<u32>]>,
        /// What a judge said, where one decides.
        judgement: Option<Arc<Judgement>>,
    },
    /// Look whether the judge that the settings name can be asked, and where it is.
    FindJudge(Box<Settings>),
    /// Ask the judge that the settings name about the session's calls.
    Judge {
        inquiry: u64,
        session: Shared,
        settings: Box<Settings>,
        pins: Pins,
    },
    /// Ask it nothing more.
    StopJudging,
    Find {
        generation: u64,
        session: Shared,
        pattern: String,
    },
    Highlight {
        entry: usize,
        session: Shared,
    },
    /// Look whether what a pointer stands for can be had again.
    Recover {
        entry: usize,
        session: Shared,
        recovery: Recovery,
        workspace_root: Option<PathBuf>,
    },
    Count {
        session: Shared,
        plan: Arc<Plan>,
        method: Method,
    },
    Copy(String),
    /// Begin to watch the file.
    Watch,
    /// Take the mouse, or leave it to the terminal.
    Mouse(bool),
    Suspend,
    Quit,
}

/// A session in one of its states. Two are equal when they are the same state of it.
#[derive(Debug, Clone)]
pub struct Shared {
    pub session: Arc<Session>,
    /// Goes up when the file was read anew; within one epoch a session only grows at its end.
    pub epoch: u64,
}

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        Arc::ptr_eq(&self.session, &other.session)
    }
}
