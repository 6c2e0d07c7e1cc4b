//! The screen's state: what it shows and how keys change it. No terminal, no I/O.

pub mod action;
pub mod counts;
pub mod detail;
mod history;
pub mod judging;
pub mod key;
pub mod keymap;
pub mod list;
pub mod model;
pub mod panes;
pub mod update;
pub mod wrap;

pub use update::{open, update};
