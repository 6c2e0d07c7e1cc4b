//! Rules, mode stashed: what another mode would remove goes to the stash first, byte for byte.

use super::decision::{Action, Decision, Reason, Recovery, Replacement};
use super::lossless::lossless_beside;
use super::lossy::lossy;
use super::outside::{StashFault, ToStore};
use super::pins::Candidate;
use super::recoverable::recoverable;
use super::stash_note::StashNote;
use super::view::{Outside, Terms, View};

/// One decision for every call that is pinned, then one for every call that is not and has a
/// result, each in order. A result goes when `recoverable` would replace it or `lossy` would drop
/// or trim it; a pointer replaces it whole, and exists only once the stash has its text. What a
/// later result that stays holds is a lossless pointer to that one instead.
pub(super) fn stashed(view: &View, outside: &Outside) -> Vec<Decision> {
    let (mut decisions, candidates) = view.pins.split(view.index);
    let removable = removable(view, outside, decisions.len());
    let mut goes = vec![false; view.index.results().len()];
    for (candidate, reason) in candidates.iter().zip(&removable) {
        goes[candidate.result] = reason.is_some();
    }
    let beside = lossless_beside(view.index, &candidates, |result| goes[result]);
    let decided = candidates.iter().zip(removable).zip(beside);
    let fates: Vec<Fate> = decided
        .map(|((candidate, reason), beside)| fate(view, outside, candidate, reason, beside))
        .collect();
    decisions.extend(store(outside, fates));
    decisions
}

/// For each candidate, why another mode would remove its result, if it would. So many decisions
/// before theirs are over pins.
fn removable(view: &View, outside: &Outside, pins: usize) -> Vec<Option<Reason>> {
    // Running a command again is offered by mode recoverable alone, as in the reference.
    let terms = Terms { allow_command_pointers: false, ..*view.terms };
    let view = View { terms: &terms, ..*view };
    let both = lossy(&view).into_iter().zip(recoverable(&view, outside.disk)).skip(pins);
    both.map(|(lossy, recoverable)| match (recoverable.action, lossy.action) {
        (Action::Replace(_), _) => Some(recoverable.reason),
        (_, Action::Drop | Action::Trim(_)) => Some(lossy.reason),
        _ => None,
    })
    .collect()
}

/// What becomes of a candidate, as far as it is known before anything is stored.
enum Fate<'v> {
    Settled(Decision),
    Goes(Removal<'v>),
}

impl<'v> Fate<'v> {
    fn text(&self) -> Option<ToStore<'v>> {
        match self {
            Fate::Settled(_) => None,
            Fate::Goes(removal) => Some(removal.text),
        }
    }
}

/// A result that goes when the stash takes its text.
struct Removal<'v> {
    text: ToStore<'v>,
    reason: Reason,
    replacement: Replacement,
    chars: usize,
    /// The decision where the stash does not take it.
    stays: Decision,
}

fn fate<'v>(
    view: &View<'v>,
    outside: &Outside,
    candidate: &Candidate,
    reason: Option<Reason>,
    beside: Decision,
) -> Fate<'v> {
    let index = view.index;
    let is_dedupe = matches!(beside.action, Action::Dedupe(_));
    if is_dedupe || index.is_ambiguous_call(&index.calls()[candidate.call]) {
        return Fate::Settled(beside);
    }
    let stays = |reason: &'static str| Decision { reason: reason.into(), ..beside.clone() };
    let Some(reason) = reason else { return Fate::Settled(stays("not_stash_eligible")) };
    let text = view.output(candidate);
    let sha256 = index.sha256(candidate.result, text);
    let tokens = (outside.tokens)(index.results()[candidate.result].at, text);
    let note = StashNote::to(sha256, tokens, view.terms.note_name).to_string();
    let chars = index.result_chars(candidate.result);
    if note.chars().count() >= chars {
        return Fate::Settled(stays("short_result_kept_whole"));
    }
    let recovery = Recovery::Stash { sha256: sha256.to_owned(), tokens, bytes: text.len() };
    let replacement = Replacement { note, recovery };
    let text = ToStore { sha256, text };
    Fate::Goes(Removal { text, reason, replacement, chars, stays: beside })
}

/// Stores what goes, all together, and settles what it depended on.
fn store(outside: &Outside, fates: Vec<Fate>) -> Vec<Decision> {
    let texts: Vec<ToStore> = fates.iter().filter_map(Fate::text).collect();
    let mut stored = outside.stash.store(&texts).into_iter();
    let settle = |fate| match fate {
        Fate::Settled(decision) => decision,
        Fate::Goes(removal) => removal.settle(stored.next()),
    };
    fates.into_iter().map(settle).collect()
}

impl Removal<'_> {
    /// `stored` is what the stash said of it; nothing said is nothing stored.
    fn settle(self, stored: Option<Result<(), StashFault>>) -> Decision {
        let fault = match stored {
            Some(Ok(())) => {
                let reason = format!("stashed:{}", self.reason);
                return self.stays.act(Action::Replace(self.replacement), reason, self.chars);
            }
            Some(Err(fault)) => fault.kind,
            None => "OSError",
        };
        Decision { reason: format!("stash_write_failed:{fault}").into(), ..self.stays }
    }
}
