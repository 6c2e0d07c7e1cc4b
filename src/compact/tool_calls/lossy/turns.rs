//! What the goal and the recent messages refer to.

use std::borrow::Cow;
use std::collections::HashSet;

use super::super::naming::refs;
use super::super::parsed_call::ParsedCall;
use super::super::transcript::Turn;
use super::super::view::View;

/// References, each once.
pub(super) struct Turns<'v> {
    /// Those of the goal.
    pub goal: Vec<&'v str>,
    /// Those of the recent messages' texts.
    pub recent: HashSet<&'v str>,
}

impl<'v> Turns<'v> {
    pub fn read(view: &'v View<'v>) -> Turns<'v> {
        let recent = recent_turns(view).flat_map(|turn| refs(&turn.text)).collect();
        Turns { goal: refs(view.terms.question), recent }
    }
}

/// The numbers of the paths that the inputs of the recent messages' calls refer to.
pub(super) fn paths_in_recent_inputs(view: &View) -> HashSet<u32> {
    let numbers = &view.index.numbers;
    // A reference that runs across a quote may depend on the order of the members.
    let sorted = numbers.paths().iter().any(|path| path.contains('"'));
    let mut found = HashSet::new();
    for call in recent_turns(view).flat_map(|turn| &turn.calls) {
        let text = match sorted {
            true => ParsedCall::new(call).sorted_input(),
            false => Cow::Borrowed(&*call.input),
        };
        found.extend(refs(&text).into_iter().filter_map(|path| numbers.number_of(path)));
    }
    found
}

/// The newest messages that are pinned, without the first one.
fn recent_turns<'v>(view: &View<'v>) -> impl Iterator<Item = &'v Turn<'v>> {
    let turns = &view.transcript.turns;
    let first = turns.len().saturating_sub(view.pins.preserve_recent).max(1);
    turns.iter().skip(first)
}
