//! Rules, mode lossless: an output goes when a later one still holds it, word for word.

use super::decision::{Action, Decision, Dedupe};
use super::index::Index;
use super::pins::{Candidate, Pins};
use super::pointer::Pointer;

/// One decision for every call that is pinned, then one for every call that is not and has a
/// result, each in order. Takes time in proportion to the results, not to their characters.
///
/// A candidate's result is replaced when a later result that stays, with the same error flag,
/// has the same comparable lines or holds it as a run of whole lines, and the note is shorter
/// than it. Only the nearest such result is looked at. Ids that occur twice are left alone.
pub fn lossless(index: &Index, pins: &Pins) -> Vec<Decision> {
    let (mut decisions, candidates) = pins.split(index);
    decisions.extend(lossless_beside(index, &candidates, |_| false));
    decisions
}

/// One decision for every candidate, in order, where another policy replaces some results:
/// `replaced` says of a result whether it does. Such a result is neither replaced here nor named.
pub(super) fn lossless_beside(
    index: &Index,
    candidates: &[Candidate],
    replaced: impl Fn(usize) -> bool,
) -> Vec<Decision> {
    let found = find_pointers(index, candidates, replaced);
    let decide_one = |candidate: &Candidate| {
        let call = &index.calls()[candidate.call];
        let dedupe = &found[candidate.result];
        if index.is_ambiguous_call(call) {
            return Decision::keep(index, call, "duplicate_tool_use_id", "rules");
        }
        let decision = Decision::keep(index, call, "no_lossless_superseder", "rules");
        let Some(dedupe) = dedupe else { return decision };
        let reason = match dedupe.lines {
            None => "identical_output_kept_later",
            Some(_) => "output_lines_of_later",
        };
        let chars = index.result_chars(candidate.result);
        decision.act(Action::Dedupe(dedupe.clone()), reason, chars)
    };
    candidates.iter().map(decide_one).collect()
}

/// For each result, the pointer that replaces it. From the last result to the first, so that
/// whether a later result stays is known when an earlier one looks for it.
fn find_pointers(
    index: &Index,
    candidates: &[Candidate],
    replaced: impl Fn(usize) -> bool,
) -> Vec<Option<Dedupe>> {
    let mut found = vec![None; index.results().len()];
    let mut may_go = vec![false; index.results().len()];
    for candidate in candidates {
        may_go[candidate.result] = true;
    }
    let mut kept = KeptLater::new(index);
    for result in (0..index.results().len()).rev() {
        if index.is_ambiguous_result(result) || replaced(result) {
            continue;
        }
        if may_go[result] {
            found[result] = kept.pointer_for(result);
        }
        if found[result].is_none() {
            kept.add(result);
        }
    }
    found
}

/// The nearest of the results seen so far (all of them later, all of them kept) for whatever an
/// earlier result may ask. Each has one slot for results that are errors and one for others.
struct KeptLater<'i> {
    index: &'i Index,
    by_comparable: Vec<[Option<usize>; 2]>,
    by_pattern: Vec<[Option<Holder>; 2]>,
}

/// A result that has a pattern among its lines.
#[derive(Clone, Copy)]
struct Holder {
    result: usize,
    /// The last line of the pattern's first place in it, counting from 1.
    last_line: u32,
}

impl<'i> KeptLater<'i> {
    fn new(index: &'i Index) -> KeptLater<'i> {
        KeptLater {
            index,
            by_comparable: vec![[None; 2]; index.lines.comparables()],
            by_pattern: vec![[None; 2]; index.containment.patterns()],
        }
    }

    /// Notes a kept result that is nearer than all before.
    fn add(&mut self, result: usize) {
        let known = &self.index.results()[result];
        let slot = usize::from(known.is_error);
        let comparable = self.index.lines.comparable(known.text);
        self.by_comparable[comparable as usize][slot] = Some(result);
        for hit in self.index.containment.hits(known.text) {
            let mut pattern = Some(hit.pattern);
            while let Some(at) = pattern {
                let nearest = &mut self.by_pattern[at as usize][slot];
                // An earlier line led here already, and to all shorter ones.
                if nearest.is_some_and(|nearest| nearest.result == result) {
                    break;
                }
                *nearest = Some(Holder { result, last_line: hit.last_line });
                pattern = self.index.containment.shorter(at);
            }
        }
    }

    fn pointer_for(&self, result: usize) -> Option<Dedupe> {
        let chars = self.index.result_chars(result);
        let known = &self.index.results()[result];
        let slot = usize::from(known.is_error);
        let comparable = self.index.lines.comparable(known.text);
        let twin = self.by_comparable[comparable as usize][slot];
        let pattern = self.index.containment.pattern_of(known.text);
        let holder = pattern.and_then(|at| self.by_pattern[at as usize][slot].map(|h| (h, at)));
        let (kept, lines) = match (twin, holder) {
            (Some(twin), Some((holder, _))) if twin <= holder.result => (twin, None),
            (Some(twin), None) => (twin, None),
            (_, Some((holder, pattern))) => {
                let last = holder.last_line as usize;
                let first = last + 1 - self.index.containment.length(pattern) as usize;
                (holder.result, Some((first, last)))
            }
            (None, None) => return None,
        };
        let id = self.index.id_of_result(kept);
        let pointer = match lines {
            None => Pointer::Identical { id },
            Some((first, last)) => Pointer::Lines { id, first, last },
        };
        let note = pointer.to_string();
        let kept_at = self.index.results()[kept].at;
        // An empty output is shorter than any note.
        (note.chars().count() < chars).then(|| Dedupe {
            kept_at,
            kept_at_id: id.to_owned(),
            note,
            lines,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::compact::tool_calls::{Call, Output, Reason, Transcript, Turn};

    fn repeated<'a>(ids: &[&'a str]) -> Transcript<'a> {
        let turn = |id: &&'a str| Turn {
            role: "user",
            text: Cow::Borrowed(""),
            calls: vec![Call { id, tool: "Bash", input: Cow::Borrowed("{}") }],
            results: vec![Output { id, text: "output ".repeat(9).into(), is_error: false }],
        };
        Transcript { turns: ids.iter().map(turn).collect() }
    }

    fn reasons(ids: &[&str]) -> Vec<Reason> {
        let decisions = lossless(&Index::build(&repeated(ids)), &Pins::default());
        decisions.into_iter().map(|decision| decision.reason).collect()
    }

    #[test]
    fn a_result_without_an_id_is_neither_replaced_nor_named() {
        let (first, kept) = ("pinned_first_message", "no_lossless_superseder");
        assert_eq!(reasons(&["a", "b", ""]), [first, kept, "duplicate_tool_use_id"]);
        assert_eq!(
            reasons(&["a", "", "b", "c"]),
            [first, "duplicate_tool_use_id", "identical_output_kept_later", kept]
        );
    }
}
