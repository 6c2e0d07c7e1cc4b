//! The lossy rules by their definition: every rule looks through all calls anew.

use std::collections::HashMap;

use crate::compact::tool_calls::errors::tells_of_an_error;
use crate::compact::tool_calls::naming::{mentions, names_file, refs};
use crate::compact::tool_calls::parsed_call::{ParsedCall, git_states};
use crate::compact::tool_calls::superseded::is_same_run;
use crate::compact::tool_calls::tools::{TASKS, Tool};
use crate::compact::tool_calls::{Call, Output, Transcript};

/// A call with its last result.
struct Pair<'t> {
    call: &'t Call<'t>,
    parsed: ParsedCall<'t>,
    tool: Tool,
    message: usize,
    result: Option<&'t Output<'t>>,
}

pub struct Session<'t> {
    transcript: &'t Transcript<'t>,
    question: &'t str,
    preserve_recent: usize,
    pairs: Vec<Pair<'t>>,
    has_flags: bool,
}

impl<'t> Session<'t> {
    pub fn new(
        transcript: &'t Transcript,
        question: &'t str,
        preserve_recent: usize,
    ) -> Session<'t> {
        let result_of =
            |id| transcript.results().filter(|(_, it)| it.id == id).last().map(|(_, it)| it);
        let pairs: Vec<Pair> = transcript
            .turns
            .iter()
            .enumerate()
            .flat_map(|(message, turn)| turn.calls.iter().map(move |call| (message, call)))
            .map(|(message, call)| Pair {
                call,
                parsed: ParsedCall::new(call),
                tool: Tool::of(call.tool),
                message,
                result: result_of(call.id),
            })
            .collect();
        let has_flags = pairs.iter().any(|pair| pair.result.is_some_and(|result| result.is_error));
        Session { transcript, question, preserve_recent, pairs, has_flags }
    }

    /// For each call that is not pinned and has a result, what becomes of it and why.
    pub fn decide(&self) -> Vec<(&'static str, String)> {
        let protected = self.protected();
        let decide_one = |(number, pair): (usize, &Pair)| {
            let result = pair.result.filter(|_| !self.is_pinned(pair.message))?;
            Some(self.outcome(number, pair, result, protected.get(pair.call.id)))
        };
        self.pairs.iter().enumerate().filter_map(decide_one).collect()
    }

    fn outcome(
        &self,
        number: usize,
        pair: &Pair,
        result: &Output,
        protected: Option<&&'static str>,
    ) -> (&'static str, String) {
        let old = self.transcript.turns.len() - 1 - pair.message > 40;
        let goal = refs(self.question);
        let names_goal = |path: &str| goal.iter().any(|name| is_named(path, name));
        let first = self.pairs.iter().position(|it| it.call.id == pair.call.id).unwrap();
        if let Some(reason) = protected {
            return ("keep", (*reason).to_owned());
        }
        if let Some(later) = self.superseder(pair.call.id) {
            return ("drop", format!("superseded_by_later_call:{later}"));
        }
        if pair.tool.reads
            && old
            && !result.is_error
            && !tells_of_an_error(&result.text)
            && !pair.parsed.path().is_some_and(names_goal)
        {
            return ("drop", "stale_read_far_from_recent_work".into());
        }
        if result.text.chars().count() <= 4000 {
            return ("keep", "kept_default".into());
        }
        let target = pair.parsed.target();
        let later = &self.pairs[first + 1..];
        let edited = later.iter().flat_map(|it| it.parsed.edited_paths(it.tool));
        let edited_later = edited.into_iter().any(|path| names_file(&target, path));
        let recent = self.recent().flat_map(|turn| refs(&turn.text));
        let named = goal.iter().copied().chain(recent).any(|name| mentions(&target, name));
        let guards = [
            (!old, "trim_guard_recent"),
            (pair.tool.waits, "trim_guard_interactive"),
            (self.is_error(&self.pairs[number]), "trim_guard_error"),
            (edited_later && !pair.tool.changes_files, "trim_guard_edited_later"),
            (named, "trim_guard_named"),
        ];
        match guards.iter().find(|(holds, _)| *holds) {
            Some((_, guard)) => ("keep", (*guard).to_owned()),
            None => ("trim", "large_old_output_trimmed".into()),
        }
    }

    /// The reason to keep an id.
    fn protected(&self) -> HashMap<&'t str, &'static str> {
        let mut found: Vec<(Option<usize>, &'static str)> = Vec::new();
        let latest = |is: &dyn Fn(&Pair) -> bool| self.pairs.iter().rposition(is);
        let error = latest(&|pair| self.is_error(pair));
        found.push((error, "latest_error_result"));
        found.push((error.and_then(|error| error.checked_sub(1)), "call_before_latest_error"));
        for state in 0..3 {
            let shows = |it: &Pair| it.tool.is_bash && git_states(it.parsed.command())[state];
            found.push((latest(&shows), "latest_git_state"));
        }
        for task in TASKS {
            found.push((latest(&|pair| pair.call.tool == task), "latest_task_state"));
        }
        found.push((latest(&|pair| pair.tool.edits), "latest_artifact_edit"));
        found.push((latest(&|pair| pair.tool.asks), "latest_user_question"));
        found.push((latest(&|pair| pair.result.is_some()), "latest_tool_result"));
        for name in refs(self.question) {
            let views = |pair: &Pair| {
                (pair.tool.views_files || pair.tool.edits)
                    && pair.parsed.path().is_some_and(|path| is_named(path, name))
            };
            let says = |pair: &Pair| {
                mentions(&pair.parsed.sorted_input(), name)
                    || pair.result.is_some_and(|result| mentions(&result.text, name))
            };
            found.extend([(latest(&views), "named_in_goal"), (latest(&says), "named_in_goal")]);
        }
        let texts = self.recent().map(|turn| turn.text.to_string());
        let inputs = self.recent().flat_map(|turn| &turn.calls);
        let inputs = inputs.map(|call| ParsedCall::new(call).sorted_input().into_owned());
        let recent = texts.chain(inputs).collect::<Vec<_>>().join("\n");
        for name in refs(&recent) {
            found.push((latest(&|it| it.parsed.path() == Some(name)), "named_in_recent_turns"));
        }
        let mut reasons = HashMap::new();
        for (call, reason) in found {
            if let Some(call) = call {
                reasons.entry(self.pairs[call].call.id).or_insert(reason);
            }
        }
        reasons
    }

    /// The id of the call that makes the first call with this id stale that is.
    fn superseder(&self, id: &str) -> Option<&str> {
        let calls = self.pairs.iter().enumerate().filter(|(_, pair)| pair.call.id == id);
        calls.map(|(number, pair)| self.supersedes(number, pair)).find(Option::is_some).flatten()
    }

    fn supersedes(&self, number: usize, pair: &Pair) -> Option<&str> {
        let mut later = self.pairs[number + 1..].iter();
        let file = |pair: &Pair| {
            let on_file = pair.tool.views_files || pair.tool.edits;
            pair.parsed.path().filter(|_| on_file).map(str::to_owned)
        };
        let later = if let Some(path) = file(pair) {
            later.find(|it| {
                file(it).as_ref() == Some(&path)
                    && it.tool.views_files
                    && !it.parsed.is_partial()
                    && it.result.is_some_and(|result| !result.is_error)
            })?
        } else {
            let rerun = pair.parsed.rerun();
            let text =
                |it: &Pair| it.result.map_or(String::new(), |result| result.text.to_string());
            let next = later.find(|it| file(it).is_none() && it.parsed.rerun() == rerun)?;
            is_same_run(&text(pair), &text(next)).then_some(next)?
        };
        Some(later.call.id)
    }

    fn is_error(&self, pair: &Pair) -> bool {
        pair.result.is_some_and(|result| {
            let by_text = !pair.parsed.command().is_empty() && tells_of_an_error(&result.text);
            if self.has_flags { result.is_error } else { by_text }
        })
    }

    fn is_pinned(&self, message: usize) -> bool {
        message == 0 || message + self.preserve_recent >= self.transcript.turns.len()
    }

    fn recent(&self) -> impl Iterator<Item = &crate::compact::tool_calls::Turn<'t>> {
        let turns = self.transcript.turns.iter().enumerate().skip(1);
        turns.filter(|(message, _)| self.is_pinned(*message)).map(|(_, turn)| turn)
    }
}

/// Whether `name` names the file at `path`.
fn is_named(path: &str, name: &str) -> bool {
    path == name || path.ends_with(&format!("/{name}"))
}
