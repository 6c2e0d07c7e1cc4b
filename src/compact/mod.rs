//! The engine: decides what becomes of every entry. Pure: no terminal, no clock, no network.

pub mod messages;
pub mod plan;
pub mod settings;
pub mod tool_calls;
