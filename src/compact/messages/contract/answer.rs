//! The answer: its keys and their order are the contract card's.

use serde::{Serialize, Serializer};
use serde_json::Number;

use crate::session::Role;

/// What a memory-compact request is answered with; serialises to the contract's JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    pub messages: Vec<KeptMessage>,
    pub stages: Stages,
    pub loss: Loss,
    pub budget: Budget,
    pub scoring: Scoring,
    pub limits: &'static str,
}

/// A message that is still there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeptMessage {
    /// Its place in the request, from 0.
    pub index: usize,
    #[serde(serialize_with = "role_name")]
    pub role: Role,
    /// The content or a prefix of it.
    pub content: String,
    pub kept: Kept,
    pub protected: bool,
    /// For unprotected messages only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<Number>,
    /// For protected messages only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub protected_because: Vec<Protection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub original_chars: usize,
    pub chars: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    Verbatim,
    Trimmed,
}

/// Why a message is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Protection {
    /// The request pins it.
    Pin,
    /// Its role is one of `keep_roles`.
    Role,
    /// It is one of the last `keep_last_n`.
    Recent,
}

/// The reports of the four stages; an array in JSON.
pub type Stages = (
    Stage<PinReport, PinRule>,
    Stage<DedupeReport, DedupeRule>,
    Stage<TrimReport, TrimRule>,
    Stage<DropReport, DropRule>,
);

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stage<Report, Rule> {
    pub stage: &'static str,
    pub order: usize,
    #[serde(flatten)]
    pub report: Report,
    pub rule: Rule,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PinReport {
    pub protected_messages: usize,
    pub protected_indices: Vec<usize>,
}

/// The settings as given, neither clamped nor freed of repetitions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PinRule {
    #[serde(serialize_with = "role_names")]
    pub keep_roles: Vec<Role>,
    pub keep_last_n: usize,
    pub explicit_pins: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DedupeReport {
    pub removed_messages: usize,
    pub removed: Vec<Removed>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Removed {
    pub index: usize,
    pub duplicate_of: usize,
    pub similarity: Number,
    pub chars: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DedupeRule {
    pub duplicate_threshold: Number,
    pub method: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrimReport {
    pub trimmed_messages: usize,
    pub trimmed: Vec<Trimmed>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trimmed {
    pub index: usize,
    pub original_chars: usize,
    pub chars: usize,
    pub cut: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrimRule {
    pub max_message_chars: usize,
    pub cut_at: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DropReport {
    pub dropped_messages: usize,
    pub dropped: Vec<DroppedMessage>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DroppedMessage {
    pub index: usize,
    pub score: Number,
    pub chars: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DropRule {
    pub weights: Weights,
    pub order: &'static str,
    pub protected_never_dropped: bool,
}

/// What went; input = output + dropped + truncated characters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loss {
    pub input_messages: usize,
    pub output_messages: usize,
    pub input_chars: usize,
    pub output_chars: usize,
    /// Duplicates included.
    pub dropped_messages: usize,
    /// By original length.
    pub dropped_chars: usize,
    /// Survivors only.
    pub trimmed_messages: usize,
    /// What surviving trimmed messages lost.
    pub truncated_chars: usize,
    pub verbatim_messages: usize,
    pub retained_char_ratio: Number,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Budget {
    pub budget_chars: usize,
    pub output_chars: usize,
    pub budget_met: bool,
    pub shortfall_chars: usize,
    pub protected_chars: usize,
    pub protected_exceeds_budget: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scoring {
    pub weights: Weights,
    pub role_weights: RoleWeights,
    pub topic_terms_used: Vec<String>,
    pub note: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Weights {
    pub recency: Number,
    pub role: Number,
    pub topic_overlap: Number,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoleWeights {
    pub system: Number,
    pub user: Number,
    pub assistant: Number,
    pub tool: Number,
}

fn role_name<S: Serializer>(role: &Role, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(role.name())
}

fn role_names<S: Serializer>(roles: &[Role], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(roles.iter().map(|role| role.name()))
}
