//! What a provider answered: its decisions, and what the report says of how it came to them.

use std::collections::HashSet;

use super::decision::{Action, Decision};
use super::index::Index;
use super::judged;
use super::lossless::lossless;
use super::lossy::lossy;
use super::ranked;
use super::recoverable::recoverable;
use super::stashed::stashed;
use super::transcript::Position;
use super::view::{Outside, View};
use crate::compact::settings::{Provider, RulesMode};

/// A provider's decisions over a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    /// Those over pinned calls first, then one for every candidate, each in order.
    pub decisions: Vec<Decision>,
    /// Who decided in the end: a provider's name, or `degraded` when nobody did.
    pub provider_used: String,
    /// The source of the decisions that somebody stands for; others are fail-safe.
    pub judge: &'static str,
    /// Why not everything was decided as it was asked, in the reference's code.
    pub degradation: Option<String>,
    pub warnings: Vec<String>,
    /// What asking a judge took; `None` where none was asked.
    pub asked: Option<Asked>,
}

/// What it took to ask a judge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// Requests that were answered.
    pub calls: usize,
    /// Requests that were sent.
    pub requests: usize,
    /// Milliseconds, all requests together.
    pub latency_ms: u64,
    /// Tokens of the transcript as the judge was shown it.
    pub state_tokens: usize,
    /// How the transcript was shortened for it: `full`, `inputs-200` or `calls-one-line`.
    pub fit_stage: &'static str,
    /// The model that the judge says it is.
    pub model: Option<String>,
}

impl Ruling {
    /// Decisions that a provider made by itself, all of them.
    pub(super) fn by(provider: Provider, decisions: Vec<Decision>) -> Ruling {
        Ruling {
            decisions,
            provider_used: provider.name().to_owned(),
            judge: provider.name(),
            degradation: None,
            warnings: Vec::new(),
            asked: None,
        }
    }

    /// The decisions over candidates: those that no pin settled.
    pub fn decided(&self) -> impl Iterator<Item = &Decision> {
        self.decisions.iter().filter(|decision| decision.source != "pin")
    }
}

/// One decision for every call that is pinned, then one for every call that is not and has a
/// result, each in order.
pub fn decide(
    view: &View,
    provider: Provider,
    mode: RulesMode,
    outside: &Outside,
) -> Vec<Decision> {
    let mut decisions = match (provider, mode) {
        (Provider::Rules, RulesMode::Lossless) => lossless(view.index, view.pins),
        (Provider::Rules, RulesMode::Lossy) => lossy(view),
        (Provider::Jev | Provider::Laya, _) => {
            judged::decide(view, provider.name(), outside.answers)
        }
        (Provider::Auto | Provider::SpecialistV3, _) => ranked::decide(view),
        (Provider::Rules, RulesMode::Recoverable) => recoverable(view, outside.disk),
        (Provider::Rules, RulesMode::Stashed) => stashed(view, outside),
    };
    keep_what_shares_an_id_with_what_stays(view.index, &mut decisions);
    decisions
}

/// A call goes with everything that has its id. Where some of that stays, pinned or by another
/// decision, all of it does: a pinned call must not go, nor a result whose call stays. And where a
/// pinned call has the id, no result of that id is cut: it may be that call's.
fn keep_what_shares_an_id_with_what_stays(index: &Index, decisions: &mut [Decision]) {
    let dropped: HashSet<Position> = decisions
        .iter()
        .filter(|decision| decision.action == Action::Drop)
        .map(|decision| decision.call)
        .collect();
    let id_of = |decision: &Decision| index.call_at(decision.call).map(|call| index.id_of(call));
    let shared = index.calls().iter().filter(|call| index.is_ambiguous_call(call));
    let staying: HashSet<&str> =
        shared.filter(|call| !dropped.contains(&call.at)).map(|call| index.id_of(call)).collect();
    let pinned = decisions.iter().filter(|decision| decision.source == "pin");
    let pinned: HashSet<&str> =
        pinned.filter_map(id_of).filter(|id| staying.contains(id)).collect();
    for decision in decisions {
        let holds = match decision.action {
            Action::Drop => &staying,
            Action::Trim(_) => &pinned,
            _ => continue,
        };
        if id_of(decision).is_some_and(|id| holds.contains(id)) {
            decision.keep_after_all("duplicate_tool_use_id");
        }
    }
}
