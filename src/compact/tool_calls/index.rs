//! What the tool-call pass knows of a transcript before any setting is looked at.

use std::collections::HashMap;
use std::sync::Arc;

use super::containment::Containment;
use super::pointer::Pointer;
use super::texts::Texts;
use super::transcript::{Position, Transcript, Turn};

/// Calls paired with their results, and which output lies in which other one. It borrows nothing,
/// so it can be kept beside a transcript that grows.
#[derive(Debug, Clone, Default)]
pub struct Index {
    messages: usize,
    ids: Vec<Id>,
    id_numbers: HashMap<Arc<str>, usize>,
    calls: Vec<IndexedCall>,
    results: Vec<IndexedResult>,
    pub(super) texts: Texts,
    pub(super) containment: Containment,
}

#[derive(Debug, Clone)]
struct Id {
    name: Arc<str>,
    chars: usize,
    calls: usize,
    results: usize,
    last_result: Option<usize>,
}

/// A call: where it stands, and the characters of its input.
#[derive(Debug, Clone)]
pub(super) struct IndexedCall {
    pub at: Position,
    id: usize,
    input_chars: usize,
}

#[derive(Debug, Clone)]
pub(super) struct IndexedResult {
    pub at: Position,
    id: usize,
    pub text: u32,
    pub is_error: bool,
}

impl Index {
    pub fn build(transcript: &Transcript) -> Index {
        let mut index = Index::default();
        index.extend(transcript);
        index
    }

    /// Takes in the messages that were appended since the last time. `transcript` must begin with
    /// those that are in already, unchanged. Texts and lines are read once; which text lies in
    /// which is found again over all of them, by number.
    pub fn extend(&mut self, transcript: &Transcript) {
        let results_before = self.results.len();
        for message in self.messages..transcript.turns.len() {
            let turn = &transcript.turns[message];
            self.add_calls(message, turn);
            self.add_results(transcript, message, turn);
        }
        self.messages = transcript.turns.len();
        if self.results.len() > results_before {
            self.containment = Containment::find(&self.texts, self.shortest_worth_replacing());
        }
    }

    /// How many messages are in.
    pub fn messages(&self) -> usize {
        self.messages
    }

    /// Every call in order.
    pub(super) fn calls(&self) -> &[IndexedCall] {
        &self.calls
    }

    /// Every result in order.
    pub(super) fn results(&self) -> &[IndexedResult] {
        &self.results
    }

    /// The result that answers a call: the last one with its id.
    pub(super) fn result_of(&self, call: &IndexedCall) -> Option<usize> {
        self.ids[call.id].last_result
    }

    /// Unicode scalar values of a call's input and its result: what a decision can remove.
    pub(super) fn chars(&self, call: &IndexedCall) -> usize {
        call.input_chars + self.result_of(call).map_or(0, |result| self.result_chars(result))
    }

    pub(super) fn result_chars(&self, result: usize) -> usize {
        self.texts.chars(self.results[result].text)
    }

    /// Whether another call or another result has the same id, or there is none: then nobody can
    /// say which call a result answers or which result a pointer means.
    pub(super) fn is_ambiguous_call(&self, call: &IndexedCall) -> bool {
        self.ids[call.id].is_ambiguous()
    }

    /// The last result with this id.
    pub fn result_named(&self, id: &str) -> Option<Position> {
        let number = *self.id_numbers.get(id)?;
        self.ids[number].last_result.map(|result| self.results[result].at)
    }

    /// Every call and every result that has the id of the call at `at`.
    pub fn sharing_id_of(&self, at: Position) -> (Vec<Position>, Vec<Position>) {
        let Ok(number) = self.calls.binary_search_by_key(&at, |call| call.at) else {
            return Default::default();
        };
        let call = &self.calls[number];
        if !self.is_ambiguous_call(call) {
            let result = self.result_of(call).map(|result| self.results[result].at);
            return (vec![at], result.into_iter().collect());
        }
        let calls = self.calls.iter().filter(|it| it.id == call.id).map(|it| it.at);
        let results = self.results.iter().filter(|it| it.id == call.id).map(|it| it.at);
        (calls.collect(), results.collect())
    }

    pub(super) fn is_ambiguous_result(&self, result: usize) -> bool {
        self.ids[self.results[result].id].is_ambiguous()
    }

    pub(super) fn id_of_result(&self, result: usize) -> &str {
        &self.ids[self.results[result].id].name
    }

    /// A text shorter than this is shorter than every pointer that could stand for it.
    fn shortest_worth_replacing(&self) -> usize {
        let ids = self.ids.iter().filter(|id| id.results > 0).map(|id| id.chars);
        Pointer::SHORTEST + ids.min().unwrap_or(0) + 1
    }

    fn add_calls(&mut self, message: usize, turn: &Turn) {
        for (index, call) in turn.calls.iter().enumerate() {
            let id = self.id_number(call.id);
            self.ids[id].calls += 1;
            let at = Position { message, index };
            self.calls.push(IndexedCall { at, id, input_chars: call.input.chars().count() });
        }
    }

    fn add_results(&mut self, transcript: &Transcript, message: usize, turn: &Turn) {
        for (index, result) in turn.results.iter().enumerate() {
            let id = self.id_number(result.id);
            self.ids[id].results += 1;
            self.ids[id].last_result = Some(self.results.len());
            let at = Position { message, index };
            let text = self.texts.add(transcript, at);
            self.results.push(IndexedResult { at, id, text, is_error: result.is_error });
        }
    }

    fn id_number(&mut self, name: &str) -> usize {
        if let Some(number) = self.id_numbers.get(name) {
            return *number;
        }
        let name: Arc<str> = name.into();
        let number = self.ids.len();
        self.id_numbers.insert(Arc::clone(&name), number);
        let chars = name.chars().count();
        self.ids.push(Id { name, chars, calls: 0, results: 0, last_result: None });
        number
    }
}

impl Id {
    fn is_ambiguous(&self) -> bool {
        self.calls > 1 || self.results > 1 || self.name.is_empty()
    }
}
