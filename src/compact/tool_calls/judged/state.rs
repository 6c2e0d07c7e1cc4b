//! The conversation as a judge is shown it, shortened as far as its window asks for. What is shown
//! to a judge and what stays in the session have nothing to do with each other.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::super::pins::Candidate;
use super::super::transcript::{Call, Turn};
use super::super::view::View;
use super::judge_tokens;
use crate::python::{is_space, python_json};

/// How far a conversation is shortened. No form shows a result's text: its length is enough to
/// judge by, and results are what fills a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Texts and inputs whole.
    Full,
    /// Long inputs cut, long texts cut in the middle.
    ShortInputs,
    /// Calls that are not asked about on one line each.
    OneLineCalls,
}

/// A conversation that fits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shown {
    /// `{"goal", "conversation"}`.
    pub state: Value,
    pub tokens: usize,
    pub form: Form,
}

/// Characters of an input that is cut.
const INPUT_CHARS: usize = 200;
/// Characters at the beginning and at the end of a text that is cut.
const TEXT_HEAD: usize = 400;
const TEXT_TAIL: usize = 200;

impl Form {
    const ALL: [Form; 3] = [Form::Full, Form::ShortInputs, Form::OneLineCalls];

    /// The reference's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Form::Full => "full",
            Form::ShortInputs => "inputs-200",
            Form::OneLineCalls => "calls-one-line",
        }
    }
}

/// The first form of the conversation that has at most `budget` tokens.
///
/// # Errors
/// The tokens of the shortest form, when that does not fit either.
pub(super) fn fit(view: &View, candidates: &[Candidate], budget: usize) -> Result<Shown, usize> {
    let conversation = Conversation::new(view, candidates);
    let mut tokens = 0;
    for form in Form::ALL {
        let turns = conversation.turns(form);
        let goal = json!({"goal": view.terms.question});
        let counted: Vec<Value> = [goal].into_iter().chain(turns).collect();
        let counted = Value::Array(counted);
        tokens = judge_tokens(&python_json(&counted));
        if tokens <= budget {
            return Ok(Shown { state: state(view.terms.question, counted), tokens, form });
        }
    }
    Err(tokens)
}

/// What is counted as a list that begins with the goal is sent as an object.
fn state(goal: &str, counted: Value) -> Value {
    let Value::Array(mut turns) = counted else { return Value::Null };
    turns.remove(0);
    json!({"goal": goal, "conversation": turns})
}

struct Conversation<'v> {
    view: &'v View<'v>,
    /// The message and the id of each call that is asked about.
    asked: HashSet<(usize, &'v str)>,
    /// The first number in the index of each message's calls and results.
    firsts: Vec<(usize, usize)>,
}

impl<'v> Conversation<'v> {
    fn new(view: &'v View<'v>, candidates: &[Candidate]) -> Conversation<'v> {
        let asked = candidates.iter().map(|candidate| {
            let at = view.index.calls()[candidate.call].at;
            (at.message, view.call(at).id)
        });
        let firsts = view.transcript.turns.iter().scan((0, 0), |next, turn| {
            let first = *next;
            *next = (first.0 + turn.calls.len(), first.1 + turn.results.len());
            Some(first)
        });
        Conversation { view, asked: asked.collect(), firsts: firsts.collect() }
    }

    fn turns(&self, form: Form) -> impl Iterator<Item = Value> {
        let turns = self.view.transcript.turns.iter().enumerate();
        turns.filter_map(move |(message, turn)| self.turn(message, turn, form))
    }

    /// A message, `None` when nothing of it is to be shown.
    fn turn(&self, message: usize, turn: &Turn, form: Form) -> Option<Value> {
        let pinned = self.view.is_pinned(message);
        let mut shown = Map::from_iter([("role".to_owned(), json!(turn.role))]);
        if form == Form::OneLineCalls && !pinned && self.is_background(message, turn) {
            let lines = turn.calls.iter().enumerate().map(|(n, call)| self.line(message, n, call));
            shown.insert("tool_calls".to_owned(), lines.collect());
            return Some(Value::Object(shown));
        }
        if !turn.text.chars().all(is_space) {
            let text = &*turn.text;
            let text = if form == Form::Full || pinned { text.into() } else { middle_cut(text) };
            shown.insert("text".to_owned(), Value::String(text));
        }
        if !turn.calls.is_empty() {
            let calls = turn.calls.iter().enumerate();
            let calls = calls.map(|(n, call)| {
                if form == Form::OneLineCalls
                    && !pinned
                    && !self.asked.contains(&(message, call.id))
                {
                    json!({"line": self.line(message, n, call)})
                } else {
                    json!({"id": call.id, "tool": call.tool, "input": input(call, form)})
                }
            });
            shown.insert("tool_calls".to_owned(), calls.collect());
        }
        if !turn.results.is_empty() {
            let results = (0..turn.results.len()).map(|n| self.result(message, turn, n));
            shown.insert("tool_results".to_owned(), results.collect());
        }
        (shown.len() > 1).then_some(Value::Object(shown))
    }

    /// Whether a message is calls and results alone, none of them asked about.
    fn is_background(&self, message: usize, turn: &Turn) -> bool {
        turn.text.chars().all(is_space)
            && !(turn.calls.is_empty() && turn.results.is_empty())
            && !turn.calls.iter().any(|call| self.asked.contains(&(message, call.id)))
    }

    /// A call on one line: its first two inputs, and how long its result is.
    fn line(&self, message: usize, n: usize, call: &Call) -> String {
        let members = match whole_input(call) {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let member = |(key, value): (&String, &Value)| match value {
            Value::String(text) => format!("{key}={text}"),
            // A double quote would be escaped once more where the line is sent.
            other => format!("{key}={}", python_json(other).replace('"', "'")),
        };
        let inputs: Vec<String> = members.iter().take(2).map(member).collect();
        let index = self.view.index;
        let outcome = match index.result_of(&index.calls()[self.firsts[message].0 + n]) {
            None => "pending".to_owned(),
            Some(result) => {
                let word = if index.results()[result].is_error { "error" } else { "ok" };
                format!("{word} {}ch", index.result_chars(result))
            }
        };
        let line = format!("{} {} {} -> {outcome}", call.id, call.tool, inputs.join(", "));
        line.trim_matches(is_space).to_owned()
    }

    /// A result without its text. A failure is told in as many characters as a success, which is
    /// all that the reference tells.
    fn result(&self, message: usize, turn: &Turn, n: usize) -> Value {
        let result = &turn.results[n];
        let chars = self.view.index.result_chars(self.firsts[message].1 + n);
        let size = if result.is_error {
            format!("error, {chars} ch")
        } else {
            format!("ok, {chars} chars")
        };
        let note = size + if chars == 0 { " (empty)" } else { "" };
        json!({"id": result.id, "note": note})
    }
}

fn input(call: &Call, form: Form) -> Value {
    if form != Form::Full && call.input.chars().count() > INPUT_CHARS {
        return Value::String(call.input.chars().take(INPUT_CHARS).chain(['…']).collect());
    }
    whole_input(call)
}

/// A call's input as it was given. A number beyond the range of a double has no JSON; then the
/// input is shown as text.
fn whole_input(call: &Call) -> Value {
    serde_json::from_str(&call.input).unwrap_or_else(|_| Value::String(call.input.to_string()))
}

fn middle_cut(text: &str) -> String {
    let chars = text.chars().count();
    if chars <= TEXT_HEAD + TEXT_TAIL {
        return text.to_owned();
    }
    let head: String = text.chars().take(TEXT_HEAD).collect();
    let tail: String = text.chars().skip(chars - TEXT_TAIL).collect();
    format!("{head}\n[... {} chars removed ...]\n{tail}", chars - TEXT_HEAD - TEXT_TAIL)
}
