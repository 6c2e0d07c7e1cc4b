//! compactscope: see what compaction does to every message of an AI agent's session, and why.
//!
//! Data walks one way: bytes → [`session`] → [`compact`] (a plan) → screen or file. [`app`] is
//! the screen's state, [`ui`] draws it, [`shell`] is the terminal and the threads around it, and
//! [`cli`] the commands. What a compaction removes is in the [`stash`]. Session text passes [`sanitise`] before it is drawn or printed.

pub mod app;
pub mod cli;
pub mod compact;
pub mod digest;
pub mod directories;
pub mod disk;
pub mod find;
pub mod judge;
pub mod python;
pub mod sanitise;
pub mod session;
pub mod shell;
pub mod stash;
pub mod tokens;
pub mod ui;
