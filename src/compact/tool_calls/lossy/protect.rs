//! Which calls stay whole, whatever else is said of them.

use std::collections::HashMap;

use super::super::errors::Errors;
use super::super::index::{Index, IndexedCall};
use super::super::tools::TASKS;
use super::super::view::View;
use super::mentions::latest_mentions;
use super::names_of;
use super::turns::{Turns, paths_in_recent_inputs};

/// The calls that stay, and what was found on the way.
pub(super) struct Protections {
    /// The first reason to keep an id, under the first call with that id.
    reasons: Vec<Option<&'static str>>,
    /// For each path by number, whether the goal names it.
    in_goal: Vec<bool>,
    pub errors: Errors,
}

impl Protections {
    pub fn find(view: &View, turns: &Turns) -> Protections {
        let index = view.index;
        let mut found = Protections {
            reasons: vec![None; index.calls().len()],
            in_goal: vec![false; index.numbers.paths().len()],
            errors: Errors::of(index),
        };
        found.protect_state(view);
        found.protect_goal(view, turns);
        found.protect_recent(view, turns);
        found
    }

    /// The reason to keep the id whose first call has this number.
    pub fn reason(&self, first: usize) -> Option<&'static str> {
        self.reasons[first]
    }

    /// Whether the goal names the path with this number.
    pub fn goal_names(&self, path: u32) -> bool {
        self.in_goal[path as usize]
    }

    /// The latest call of each kind that a next step builds on.
    fn protect_state(&mut self, view: &View) {
        let index = view.index;
        let answered = |call: &IndexedCall| index.result_of(call);
        if let Some(error) = self.errors.latest(view) {
            self.protect(index, error, "latest_error_result");
            if error > 0 {
                self.protect(index, error - 1, "call_before_latest_error");
            }
        }
        for state in 0..3 {
            let git = latest(index, |call| call.facts().git[state]);
            self.protect_found(index, git, "latest_git_state");
        }
        for task in 0..TASKS.len() {
            let task = latest(index, |call| call.facts().tool.task == Some(task as u8));
            self.protect_found(index, task, "latest_task_state");
        }
        let edit = latest(index, |call| call.facts().tool.edits);
        self.protect_found(index, edit, "latest_artifact_edit");
        let question = latest(index, |call| call.facts().tool.asks);
        self.protect_found(index, question, "latest_user_question");
        let result = latest(index, |call| answered(call).is_some());
        self.protect_found(index, result, "latest_tool_result");
    }

    /// Of each reference of the goal, the latest view or edit of the file and the latest mention.
    fn protect_goal(&mut self, view: &View, turns: &Turns) {
        let index = view.index;
        let viewed =
            latest_by_path(index, |call| call.facts().tool.views_files || call.facts().tool.edits);
        let numbers: HashMap<&str, usize> =
            turns.goal.iter().enumerate().map(|(n, reference)| (*reference, n)).collect();
        let mut latest_view = vec![None; turns.goal.len()];
        for (path, name) in index.numbers.paths().iter().enumerate() {
            for reference in names_of(name).filter_map(|name| numbers.get(name)) {
                self.in_goal[path] = true;
                latest_view[*reference] = viewed[path].max(latest_view[*reference]);
            }
        }
        for call in latest_view.into_iter().chain(latest_mentions(view, &turns.goal)) {
            self.protect_found(index, call, "named_in_goal");
        }
    }

    /// The latest call on each file that the recent messages name.
    fn protect_recent(&mut self, view: &View, turns: &Turns) {
        let index = view.index;
        let in_texts = turns.recent.iter().filter_map(|path| index.numbers.number_of(path));
        let latest = latest_by_path(index, |_| true);
        for path in paths_in_recent_inputs(view).into_iter().chain(in_texts) {
            self.protect_found(index, latest[path as usize], "named_in_recent_turns");
        }
    }

    fn protect_found(&mut self, index: &Index, call: Option<usize>, reason: &'static str) {
        if let Some(call) = call {
            self.protect(index, call, reason);
        }
    }

    fn protect(&mut self, index: &Index, call: usize, reason: &'static str) {
        self.reasons[index.first_with_id_of(&index.calls()[call])].get_or_insert(reason);
    }
}

fn latest(index: &Index, is: impl Fn(&IndexedCall) -> bool) -> Option<usize> {
    index.calls().iter().rposition(is)
}

/// For each path by number, the latest call on it that counts.
fn latest_by_path(index: &Index, counts: impl Fn(&IndexedCall) -> bool) -> Vec<Option<usize>> {
    let mut latest = vec![None; index.numbers.paths().len()];
    for (number, call) in index.calls().iter().enumerate() {
        if let Some(path) = call.facts().path.filter(|_| counts(call)) {
            latest[path as usize] = Some(number);
        }
    }
    latest
}
