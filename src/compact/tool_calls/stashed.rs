//! Rules, mode stashed: what another mode would remove goes to the stash first, byte for byte.

use super::decision::{Action, Decision, Reason, Recovery, Replacement};
use super::lossless::lossless_beside;
use super::lossy::{TRIM_REASON, Verdict, verdicts};
use super::outside::{StashFault, ToStore};
use super::pins::Candidate;
use super::recoverable::replaceable;
use super::stash_note::StashNote;
use super::view::{Outside, Terms, View};

/// One decision for every call that is pinned, then one for every call that is not and has a
/// result, each in order. A result goes when `recoverable` would replace it or `lossy` would drop
/// or trim it; a pointer replaces it whole, and exists only once the stash has its text. What a
/// later result that stays holds is a lossless pointer to that one instead.
pub(super) fn stashed(view: &View, outside: &Outside) -> Vec<Decision> {
    let (mut decisions, candidates) = view.pins.split(view.index);
    let removable = removable(view, outside, &candidates);
    let mut goes = vec![false; view.index.results().len()];
    for (candidate, reason) in candidates.iter().zip(&removable) {
        goes[candidate.result] = reason.is_some();
    }
    let beside = lossless_beside(view.index, &candidates, |result| goes[result]);
    let each = candidates.iter().zip(removable).zip(beside);
    let fates: Vec<Fate> = each
        .map(|((candidate, reason), beside)| fate(view, outside, candidate, reason, beside))
        .collect();
    decisions.extend(settle(outside, fates));
    decisions
}

/// For each candidate, why another mode would remove its result, if it would.
fn removable(view: &View, outside: &Outside, candidates: &[Candidate]) -> Vec<Option<Reason>> {
    // Running a command again is offered by mode recoverable alone, as in the reference.
    let terms = Terms { allow_command_pointers: false, ..*view.terms };
    let view = View { terms: &terms, ..*view };
    let replaceable = replaceable(&view, outside.disk, candidates);
    let both = replaceable.into_iter().zip(verdicts(&view, candidates));
    both.map(|(replaceable, verdict)| match (replaceable, verdict) {
        (Some(reason), _) => Some(reason.into()),
        (None, Verdict::Drop(reason)) => Some(reason),
        (None, Verdict::Trim) => Some(TRIM_REASON.into()),
        (None, Verdict::Keep(_)) => None,
    })
    .collect()
}

/// What stands when nothing is stored, and what goes when the stash takes it.
type Fate<'v> = (Decision, Option<Removal<'v>>);

/// A result that goes once the stash has its text.
struct Removal<'v> {
    text: ToStore<'v>,
    reason: Reason,
    replacement: Replacement,
    chars: usize,
}

/// The fate of a candidate. `reason` is why another mode would remove its result, and `beside`
/// what lossless decides on those that none removes.
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
        return (beside, None);
    }
    let Some(reason) = reason else {
        return (Decision { reason: "not_stash_eligible".into(), ..beside }, None);
    };
    let text = view.output(candidate);
    let sha256 = index.sha256(candidate.result, text);
    let tokens = (outside.tokens)(index.results()[candidate.result].at, text);
    let note = StashNote::to(sha256, tokens, view.terms.note_name).to_string();
    let chars = index.result_chars(candidate.result);
    if note.chars().count() >= chars {
        return (Decision { reason: "short_result_kept_whole".into(), ..beside }, None);
    }
    let recovery = Recovery::Stash { sha256: sha256.to_owned(), tokens, bytes: text.len() };
    let replacement = Replacement { note, recovery };
    (beside, Some(Removal { text: ToStore { sha256, text }, reason, replacement, chars }))
}

/// Stores what goes, all together, and decides by what was stored.
fn settle(outside: &Outside, fates: Vec<Fate>) -> Vec<Decision> {
    let texts: Vec<ToStore> =
        fates.iter().filter_map(|(_, removal)| Some(removal.as_ref()?.text)).collect();
    let mut stored = outside.stash.store(&texts).into_iter();
    let settle = |(stays, removal): Fate| match removal {
        None => stays,
        Some(removal) => removal.settle(stays, stored.next()),
    };
    fates.into_iter().map(settle).collect()
}

impl Removal<'_> {
    /// `stored` is what the stash said; nothing said is nothing stored.
    fn settle(self, stays: Decision, stored: Option<Result<(), StashFault>>) -> Decision {
        let fault = match stored {
            Some(Ok(())) => {
                let reason = format!("stashed:{}", self.reason);
                return stays.act(Action::Replace(self.replacement), reason, self.chars);
            }
            Some(Err(fault)) => fault.kind,
            None => "OSError",
        };
        Decision { reason: format!("stash_write_failed:{fault}").into(), ..stays }
    }
}
