//! The engine: decides what becomes of every entry. Pure: no terminal, no clock, no network.
//!
//! [`Features`] holds what depends on the session alone, [`plan`](plan::plan) runs both passes
//! over it as [`settings`] say, and [`verify`] checks every plan before anyone sees it.

mod features;
pub mod messages;
pub mod plan;
pub mod settings;
pub mod specialist;
pub mod tool_calls;
pub mod verify;

use std::collections::BTreeSet;

pub use features::Features;

/// The entries that a user protects from both passes.
pub type Pins = BTreeSet<usize>;
