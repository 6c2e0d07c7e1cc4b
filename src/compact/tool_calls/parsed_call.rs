//! A call with its input parsed, and what it says of itself.

use std::borrow::Cow;

use memchr::memmem;
use serde_json::{Map, Value};

use super::fields::field;
use super::tools::Tool;
use super::transcript::Call;
use crate::python::{is_space, is_word, python_object_sorted};

/// Where a command runs, not what it names: every call of a session shares it.
const CONTEXT: [&str; 2] = ["workdir", "cwd"];

/// The subcommands of git whose latest output counts as the state of the work.
const GIT_STATES: [&str; 3] = ["status", "diff", "log"];

/// A call with its input parsed.
pub(super) struct ParsedCall<'c> {
    pub tool: &'c str,
    /// The input in the reference's JSON form.
    json: &'c str,
    /// Empty when the input is no object.
    pub input: Map<String, Value>,
}

/// What makes two calls the same call.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Rerun<'c> {
    Command(&'c str),
    /// The tool and its input.
    Call(String),
}

impl<'c> ParsedCall<'c> {
    pub fn new(call: &'c Call) -> ParsedCall<'c> {
        ParsedCall { tool: call.tool, json: &call.input, input: parse(&call.input) }
    }

    /// The file that it is about.
    pub fn path(&self) -> Option<&str> {
        ["file_path", "notebook_path", "path"]
            .iter()
            .filter_map(|key| field(&self.input, key)?.as_str())
            .find(|path| !path.is_empty())
    }

    /// The command that it runs (Claude's `command`, Codex's `cmd`); empty where it runs none.
    pub fn command(&self) -> &str {
        ["command", "cmd"]
            .iter()
            .filter_map(|key| field(&self.input, key))
            .find(|value| is_true(value))
            .and_then(Value::as_str)
            .unwrap_or("")
    }

    /// The input with the keys of every object sorted. An input that is no object stays as it is.
    pub fn sorted_input(&self) -> Cow<'c, str> {
        if self.input.len() < 2
            && !self.input.values().any(|value| value.is_array() || value.is_object())
        {
            return Cow::Borrowed(self.json);
        }
        Cow::Owned(python_object_sorted(self.input.iter()))
    }

    /// The same without the working directory: what the call is about.
    pub fn target(&self) -> Cow<'c, str> {
        if !CONTEXT.iter().any(|key| field(&self.input, key).is_some()) {
            return self.sorted_input();
        }
        let kept = self.input.iter().filter(|(key, _)| !CONTEXT.contains(&key.as_str()));
        Cow::Owned(python_object_sorted(kept))
    }

    /// The files that it edits: an editing tool's path, or the file headers of a patch in any
    /// text of the input (Codex also patches through a shell).
    pub fn edited_paths(&self, tool: Tool) -> Vec<&str> {
        if tool.edits {
            return self.path().into_iter().collect();
        }
        // A header begins a line. Only a text has lines: a list or an object is written in one.
        self.input.values().filter_map(Value::as_str).flat_map(patched_files).collect()
    }

    /// What makes a later call a rerun of this one.
    pub fn rerun(&self) -> Rerun<'_> {
        match self.command() {
            command if self.tool == "Bash" && !command.is_empty() => Rerun::Command(command),
            _ => Rerun::Call(format!("{} {}", self.tool, self.sorted_input())),
        }
    }

    /// Whether it asks for a part of a file.
    pub fn is_partial(&self) -> bool {
        let is_given = |key| field(&self.input, key).is_some_and(|value| !value.is_null());
        ["offset", "limit", "pages"].into_iter().any(is_given)
    }
}

/// Which of [`GIT_STATES`] a command shows.
pub(super) fn git_states(command: &str) -> [bool; 3] {
    let mut shown = [false; 3];
    for at in memmem::find_iter(command.as_bytes(), "git") {
        let rest = &command[at + "git".len()..];
        let subcommand = rest.trim_start_matches(is_space);
        if subcommand.len() == rest.len() || command[..at].ends_with(is_word) {
            continue;
        }
        for (state, shown) in GIT_STATES.iter().zip(&mut shown) {
            let after = subcommand.strip_prefix(state);
            *shown |= after.is_some_and(|after| !after.starts_with(is_word));
        }
    }
    shown
}

fn parse(json: &str) -> Map<String, Value> {
    let parsed = serde_json::from_str(json).or_else(|_| serde_json::from_str(&finite(json)));
    match parsed {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// JSON with a literal that is too great for a double in place of the name that the reference's
/// form has for it.
fn finite(json: &str) -> String {
    let mut in_string = false;
    let mut out = String::with_capacity(json.len());
    for (n, piece) in json.split('"').enumerate() {
        if n > 0 {
            out.push('"');
        }
        if in_string {
            out.push_str(piece);
        } else {
            out.push_str(&piece.replace("Infinity", "1e999"));
        }
        // A quote behind an odd run of backslashes is one of the text.
        let backslashes = piece.len() - piece.trim_end_matches('\\').len();
        if !in_string || backslashes.is_multiple_of(2) {
            in_string = !in_string;
        }
    }
    out
}

/// The files that the headers of a patch name.
fn patched_files(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').filter_map(|line| {
        let header = line.strip_prefix("*** ")?;
        let name = ["Update", "Add", "Delete"]
            .iter()
            .find_map(|what| header.strip_prefix(what)?.strip_prefix(" File: "))?;
        // A name has at least one character, even where all are white space.
        let first = name.chars().next()?.len_utf8();
        Some(&name[..name.trim_end_matches(is_space).len().max(first)])
    })
}

/// Whether Python takes a value for true.
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call<'a>(tool: &'a str, input: &'a str) -> Call<'a> {
        Call { id: "a", tool, input: Cow::Borrowed(input) }
    }

    fn parsed(input: &str, look: impl Fn(&ParsedCall) -> String) -> String {
        look(&ParsedCall::new(&call("Bash", input)))
    }

    #[test]
    fn a_path_is_the_first_that_is_a_text() {
        let path = |input| parsed(input, |call| call.path().unwrap_or("none").to_owned());
        assert_eq!(path(r#"{"path": "c", "notebook_path": "b", "file_path": ""}"#), "b");
        assert_eq!(path(r#"{"file_path": ["a"], "path": "c"}"#), "c");
        assert_eq!(path(r#"{"file_path": null}"#), "none");
        assert_eq!(path("no object"), "none");
    }

    #[test]
    fn a_command_that_is_no_text_hides_the_other_spelling() {
        let command = |input| parsed(input, |call| call.command().to_owned());
        assert_eq!(command(r#"{"cmd": "ls", "command": ""}"#), "ls");
        assert_eq!(command(r#"{"cmd": "ls", "command": 0.0}"#), "ls");
        assert_eq!(command(r#"{"cmd": "ls", "command": ["a"]}"#), "");
        assert_eq!(command(r#"{"cmd": "ls", "command": 1e-400}"#), "ls");
    }

    #[test]
    fn a_number_beyond_a_double_does_not_hide_the_rest() {
        let input = r#"{"a\\\"": "\"Infinity", "path": "p", "b": [-Infinity, Infinity]}"#;
        let sorted = parsed(input, |call| call.sorted_input().into_owned());
        assert_eq!(sorted, r#"{"a\\\"": "\"Infinity", "b": [-Infinity, Infinity], "path": "p"}"#);
    }

    #[test]
    fn the_target_leaves_out_where_a_call_runs() {
        let target = |input| parsed(input, |call| call.target().into_owned());
        assert_eq!(
            target(r#"{"b": {"z": 1, "cwd": 2}, "a": 3, "cwd": "/x"}"#),
            r#"{"a": 3, "b": {"cwd": 2, "z": 1}}"#
        );
        assert_eq!(target(r#"{"workdir": "/x"}"#), "{}");
        assert_eq!(target(r#"{"b": 1, "a": 2}"#), r#"{"a": 2, "b": 1}"#);
    }

    #[test]
    fn a_patch_edits_what_its_headers_name() {
        let edited = |input| parsed(input, |call| call.edited_paths(Tool::of("Bash")).join("|"));
        let header = r#"{"cmd": "x\n*** Update File:  a b.py \u2028\r\n*** Add File: c"}"#;
        assert_eq!(edited(header), " a b.py|c");
        assert_eq!(edited(r#"{"a": "*** Delete File:    \n\n", "b": "*** Add File: \nx"}"#), " ");
        assert_eq!(edited(r#"{"a": ["*** Update File: a"], "b": " *** Update File: b"}"#), "");
    }

    #[test]
    fn an_editing_tool_edits_its_path_alone() {
        let call = call("Edit", r#"{"path": "p", "patch": "*** Add File: c"}"#);
        assert_eq!(ParsedCall::new(&call).edited_paths(Tool::of("Edit")), ["p"]);
    }

    #[test]
    fn calls_are_the_same_by_their_command_or_their_whole_input() {
        let bash = |input| call("Bash", input);
        let same = |a: &Call, b: &Call| ParsedCall::new(a).rerun() == ParsedCall::new(b).rerun();
        let run = bash(r#"{"command": "ls", "description": "a"}"#);
        assert!(same(&run, &bash(r#"{"description": "b", "command": "ls"}"#)));
        assert!(same(&call("A", r#"{"a": 1, "b": 2}"#), &call("A", r#"{"b": 2, "a": 1}"#)));
        assert!(!same(&call("A", "{}"), &call("B", "{}")));
        assert!(!same(&run, &call("exec", r#"{"command": "ls", "description": "a"}"#)));
    }

    #[test]
    fn a_command_shows_states_of_git() {
        assert_eq!(git_states("cd x && git  status; git\u{2003}log"), [true, false, true]);
        assert_eq!(git_states("legit status; git statuses; git -C x diff; gitdiff"), [false; 3]);
    }
}
