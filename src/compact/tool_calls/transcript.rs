//! A transcript: what the tool-call pass reads, whatever it was read from.

use std::borrow::Cow;

use crate::python::is_space;

/// Messages in order. Everything is borrowed where it can be.
#[derive(Debug, Clone, Default)]
pub struct Transcript<'a> {
    pub turns: Vec<Turn<'a>>,
}

/// One message: its text, the calls it makes and the results it brings.
#[derive(Debug, Clone)]
pub struct Turn<'a> {
    pub role: &'a str,
    pub text: Cow<'a, str>,
    pub calls: Vec<Call<'a>>,
    pub results: Vec<Output<'a>>,
}

/// A tool call.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    pub id: &'a str,
    pub tool: &'a str,
    /// The input in the reference's JSON form (`json.dumps`, not ASCII-escaped).
    pub input: Cow<'a, str>,
}

/// What a tool answered.
#[derive(Debug, Clone)]
pub struct Output<'a> {
    /// The id of the call that it answers.
    pub id: &'a str,
    pub text: Cow<'a, str>,
    pub is_error: bool,
}

/// Where a call stands among all calls of its message, or a result among its results.
/// Both count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub message: usize,
    pub index: usize,
}

impl<'a> Transcript<'a> {
    /// Every result in order, with where it stands.
    pub fn results(&self) -> impl Iterator<Item = (Position, &Output<'a>)> {
        self.turns.iter().enumerate().flat_map(|(message, turn)| {
            let at = move |index| Position { message, index };
            turn.results.iter().enumerate().map(move |(index, result)| (at(index), result))
        })
    }
}

impl Turn<'_> {
    /// Whether it carries nothing at all. White space is something.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty() && self.results.is_empty()
    }

    /// Whether it carries nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.text.chars().all(is_space) && self.calls.is_empty() && self.results.is_empty()
    }
}
