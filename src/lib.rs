//! compactscope: see what compaction does to every message of an AI agent's session, and why.
//!
//! Data walks one way: bytes → [`session`] → [`compact`] (a plan) → screen or file.

pub mod compact;
pub mod session;
