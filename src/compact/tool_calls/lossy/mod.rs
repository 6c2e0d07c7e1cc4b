//! Rules, mode lossy: what a later call made stale goes, old reads go, and other large old
//! outputs keep their ends.
//!
//! What depends on the session alone is in the index. Here is what depends on the question and on
//! how many messages are recent.

mod guard;
mod mentions;
mod needles;
mod protect;
mod turns;

use std::cell::OnceCell;

use super::decision::{Action, Decision, Reason};
use super::index::IndexedCall;
use super::pins::Candidate;
use super::trim::trim;
use super::view::View;
use guard::Guards;
use protect::Protections;
use turns::Turns;

/// A read further than this many messages from the last one is stale, and an output no further
/// than this is never cut.
const CURRENT_MESSAGES: usize = 40;
/// Characters of the largest output that is never cut.
const SMALL_OUTPUT: usize = 4000;
/// Characters that a cut output keeps at either end.
pub(super) const KEPT_ENDS: usize = 1000;

/// One decision for every call that is pinned, then one for every call that is not and has a
/// result, each in order. An id that occurs twice is taken for one call, as in the reference: it
/// is [`decide`](super::decide) that keeps what cannot go whole.
pub(super) fn lossy(view: &View) -> Vec<Decision> {
    let (mut decisions, candidates) = view.pins.split(view.index);
    let verdicts = verdicts(view, &candidates).into_iter().zip(&candidates);
    decisions.extend(verdicts.map(|(verdict, candidate)| carry_out(view, verdict, candidate)));
    decisions
}

/// What becomes of a call and its result.
pub(super) enum Verdict {
    Keep(&'static str),
    Drop(Reason),
    /// The result keeps its ends.
    Trim,
}

/// Why a result keeps its ends alone.
pub(super) const TRIM_REASON: &str = "large_old_output_trimmed";

/// One verdict for every candidate, in order, without what would be left of a result.
pub(super) fn verdicts(view: &View, candidates: &[Candidate]) -> Vec<Verdict> {
    if candidates.is_empty() {
        return Vec::new();
    }
    let rules = Rules::new(view);
    candidates.iter().map(|candidate| rules.judge(candidate)).collect()
}

fn carry_out(view: &View, verdict: Verdict, candidate: &Candidate) -> Decision {
    let call = &view.index.calls()[candidate.call];
    let keep = |reason| Decision::keep(view.index, call, reason, "rules");
    let chars = view.index.result_chars(candidate.result);
    match verdict {
        Verdict::Keep(reason) => keep(reason),
        Verdict::Drop(reason) => keep("kept_default").act(Action::Drop, reason, chars),
        Verdict::Trim => {
            let (text, tool) = (view.output(candidate), view.call(call.at).tool);
            let ends = trim(text, KEPT_ENDS, KEPT_ENDS, tool, view.terms.note_name);
            keep("kept_default").act(Action::Trim(ends), TRIM_REASON, chars)
        }
    }
}

struct Rules<'v> {
    view: &'v View<'v>,
    turns: Turns<'v>,
    protections: Protections,
    /// The call that makes an id stale, under the first call with that id.
    superseded: Vec<Option<usize>>,
    /// Needed only where something large is left.
    guards: OnceCell<Guards>,
}

impl<'v> Rules<'v> {
    fn new(view: &'v View<'v>) -> Rules<'v> {
        let turns = Turns::read(view);
        let protections = Protections::find(view, &turns);
        let index = view.index;
        let mut superseded = vec![None; index.calls().len()];
        for (number, call) in index.calls().iter().enumerate().rev() {
            if let Some(later) = index.superseded.by(number) {
                superseded[index.first_with_id_of(call)] = Some(later);
            }
        }
        Rules { view, turns, protections, superseded, guards: OnceCell::new() }
    }

    fn judge(&self, candidate: &Candidate) -> Verdict {
        let index = self.view.index;
        let call = &index.calls()[candidate.call];
        let first = index.first_with_id_of(call);
        if let Some(reason) = self.protections.reason(first) {
            Verdict::Keep(reason)
        } else if let Some(later) = self.superseded[first] {
            let later = self.view.call(index.calls()[later].at);
            Verdict::Drop(format!("superseded_by_later_call:{}", later.id).into())
        } else if self.is_stale_read(call, candidate.result) {
            Verdict::Drop("stale_read_far_from_recent_work".into())
        } else if index.result_chars(candidate.result) <= SMALL_OUTPUT {
            Verdict::Keep("kept_default")
        } else {
            self.guard(call, candidate.result, first).map_or(Verdict::Trim, Verdict::Keep)
        }
    }

    /// A read that may have failed, or of a file that the goal names, is never stale.
    fn is_stale_read(&self, call: &IndexedCall, result: usize) -> bool {
        let index = self.view.index;
        call.facts().tool.reads
            && self.age(call) > CURRENT_MESSAGES
            && !index.is_flagged(result)
            && !index.tells_of_an_error(self.view.transcript, result)
            && !call.facts().path.is_some_and(|path| self.protections.goal_names(path))
    }

    /// Why a large output stays whole all the same.
    fn guard(&self, call: &IndexedCall, result: usize, first: usize) -> Option<&'static str> {
        if self.age(call) <= CURRENT_MESSAGES {
            return Some("trim_guard_recent");
        }
        if call.facts().tool.waits {
            return Some("trim_guard_interactive");
        }
        if self.protections.errors.is_one(self.view, call, result) {
            return Some("trim_guard_error");
        }
        let guards = self.guards.get_or_init(|| Guards::new(self.view, &self.turns));
        guards.guard(self.view.call(call.at), call.facts().tool, first)
    }

    /// Messages between a call and the last message.
    fn age(&self, call: &IndexedCall) -> usize {
        self.view.index.messages() - 1 - call.at.message
    }
}

/// What may name a path: itself, and what follows one of its `/`.
fn names_of(path: &str) -> impl Iterator<Item = &str> {
    let parts = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    std::iter::once(path).chain(parts)
}
