//! What keeps a large old output whole: a later edit of what its call names, or the goal or a
//! recent message that names it.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;

use super::super::naming::{file_name, stands_alone};
use super::super::parsed_call::ParsedCall;
use super::super::tools::Tool;
use super::super::transcript::Call;
use super::super::view::View;
use super::turns::Turns;

/// Names to look for in what a call is about, all at once.
pub(super) struct Guards {
    finder: AhoCorasick,
    /// For each name, what it stands for.
    names: Vec<Name>,
}

#[derive(Default, Clone, Copy)]
struct Name {
    /// The latest call that edits a file of this name.
    edited: Option<usize>,
    /// Whether the goal or a recent message refers to it.
    is_reference: bool,
}

impl Guards {
    pub fn new(view: &View, turns: &Turns) -> Guards {
        let index = view.index;
        let mut names: HashMap<&str, Name> = HashMap::new();
        for (number, call) in index.calls().iter().enumerate() {
            for path in &call.facts().edited {
                // A text that names a file by its path names it by its last part too.
                let name = file_name(&index.numbers.paths()[*path as usize]);
                names.entry(name).or_default().edited = Some(number);
            }
        }
        for reference in turns.goal.iter().chain(&turns.recent) {
            names.entry(reference).or_default().is_reference = true;
        }
        names.remove("");
        let (patterns, names): (Vec<&str>, Vec<Name>) = names.into_iter().unzip();
        let finder = AhoCorasick::new(&patterns)
            .expect("an automaton with too many states for a number does not fit in memory");
        Guards { finder, names }
    }

    /// The guard of a call, the first of whose id has the number `first`.
    pub fn guard(&self, call: &Call, tool: Tool, first: usize) -> Option<&'static str> {
        let parsed = ParsedCall::new(call);
        let target = parsed.target();
        let mut is_named = false;
        for found in self.finder.find_overlapping_iter(&*target) {
            let name = self.names[found.pattern().as_usize()];
            let is_edited = !tool.changes_files && name.edited.is_some_and(|edit| edit > first);
            if !(is_edited || name.is_reference)
                || !stands_alone(&target, found.start(), found.end())
            {
                continue;
            }
            if is_edited {
                return Some("trim_guard_edited_later");
            }
            is_named = true;
        }
        is_named.then_some("trim_guard_named")
    }
}
