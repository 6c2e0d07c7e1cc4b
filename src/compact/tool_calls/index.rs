//! What the tool-call pass knows of a transcript before any setting is looked at.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::containment::Containment;
use super::facts::{Facts, Numbers};
use super::parsed_call::ParsedCall;
use super::pointer::Pointer;
use super::ranked::Ranking;
use super::recoverable::{Repeats, Shape, may_stand};
use super::scope::Scope;
use super::superseded::{Rival, Superseded};
use super::text_lines::TextLines;
use super::texts::Texts;
use super::transcript::{Position, Transcript, Turn};
use crate::compact::settings::{Provider, RulesMode};
use crate::tokens::Size;

/// Calls paired with their results, what each says of itself, which output lies in which other
/// one, which call makes which stale, and what may have been written after each. It borrows
/// nothing, so it can be kept beside a transcript that grows.
#[derive(Debug, Clone, Default)]
pub struct Index {
    messages: usize,
    ids: Vec<Id>,
    id_numbers: HashMap<Arc<str>, usize, RandomState>,
    calls: Vec<IndexedCall>,
    results: Vec<IndexedResult>,
    pub(super) texts: Texts,
    scope: Scope,
    pub(super) lines: TextLines,
    pub(super) containment: Containment,
    pub(super) numbers: Numbers,
    pub(super) superseded: Superseded,
    pub(super) repeats: Repeats,
    /// What the local ranker has read, once it was asked.
    pub(super) ranking: Ranking,
}

#[derive(Debug, Clone)]
struct Id {
    name: Arc<str>,
    chars: usize,
    /// The calls and the results that have it, in order.
    calls: Vec<usize>,
    results: Vec<usize>,
}

/// A call: where it stands, the characters of its input, and what is known from itself alone.
#[derive(Debug, Clone)]
pub(super) struct IndexedCall {
    pub at: Position,
    id: usize,
    input_chars: usize,
    facts: Option<Facts>,
}

impl IndexedCall {
    /// What it says of itself, in an index that has facts in its scope.
    pub fn facts(&self) -> &Facts {
        self.facts.as_ref().expect("who asks for facts has them in the index's scope")
    }
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

    /// The same with no more in it than one way of deciding looks at.
    pub(super) fn for_deciding(
        transcript: &Transcript,
        provider: Provider,
        mode: RulesMode,
    ) -> Index {
        let mut index = Index { scope: Scope::of(provider, mode), ..Index::default() };
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
            self.add_calls(transcript, message, turn);
            self.add_results(transcript, message, turn);
        }
        self.messages = transcript.turns.len();
        if self.scope.stale {
            self.find_superseded(transcript);
        }
        if self.scope.lines && self.results.len() > results_before {
            let shortest = self.shortest_worth_replacing();
            self.containment = Containment::find(&self.texts, &self.lines, shortest);
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
        self.ids[call.id].results.last().copied()
    }

    /// Unicode scalar values of a call's input and its result: what a decision can remove.
    pub(super) fn chars(&self, call: &IndexedCall) -> usize {
        call.input_chars + self.result_of(call).map_or(0, |result| self.result_chars(result))
    }

    /// The first call with the same id.
    pub(super) fn first_with_id_of(&self, call: &IndexedCall) -> usize {
        self.ids[call.id].calls[0]
    }

    /// Whether a result is flagged as an error.
    pub(super) fn is_flagged(&self, result: usize) -> bool {
        self.results[result].is_error
    }

    /// Whether a result's text tells of an error, flagged or not.
    pub(super) fn tells_of_an_error(&self, transcript: &Transcript, result: usize) -> bool {
        let result = &self.results[result];
        let Position { message, index } = result.at;
        let text = &transcript.turns[message].results[index].text;
        self.texts.tells_of_an_error(result.text, text)
    }

    /// The SHA-256 of the result at a place, whose text this is, as 64 hexadecimal digits; `None`
    /// when no result is there.
    pub fn sha256_at(&self, at: Position, text: &str) -> Option<&str> {
        let result = self.results.binary_search_by_key(&at, |result| result.at).ok()?;
        Some(self.sha256(result, text))
    }

    pub(super) fn sha256(&self, result: usize, text: &str) -> &str {
        self.texts.sha256(self.results[result].text, text)
    }

    /// What a result, whose text this is, is made of.
    pub(super) fn shape_of(&self, result: usize, text: &str) -> Shape {
        self.texts.shape(self.results[result].text, text)
    }

    pub(super) fn result_chars(&self, result: usize) -> usize {
        self.texts.chars(self.results[result].text)
    }

    /// The size of the result with this number.
    pub(super) fn result_size(&self, result: usize) -> Size {
        self.texts.size(self.results[result].text)
    }

    /// Whether another call or another result has the same id, or there is none: then nobody can
    /// say which call a result answers or which result a pointer means.
    pub(super) fn is_ambiguous_call(&self, call: &IndexedCall) -> bool {
        self.ids[call.id].is_ambiguous()
    }

    /// The last result with this id.
    pub fn result_named(&self, id: &str) -> Option<Position> {
        let number = *self.id_numbers.get(id)?;
        self.ids[number].results.last().map(|&result| self.results[result].at)
    }

    pub(super) fn call_at(&self, at: Position) -> Option<&IndexedCall> {
        let number = self.calls.binary_search_by_key(&at, |call| call.at).ok()?;
        Some(&self.calls[number])
    }

    pub(super) fn id_of(&self, call: &IndexedCall) -> &str {
        &self.ids[call.id].name
    }

    /// Whether a note may stand in place of the result at `at`, whose text this is: it names what
    /// the result's own call read or ran.
    pub fn is_own_pointer(
        &self,
        at: Position,
        output: &str,
        note: &str,
        allow_command_pointers: bool,
    ) -> bool {
        let Ok(result) = self.results.binary_search_by_key(&at, |result| result.at) else {
            return false;
        };
        let call = self.ids[self.results[result].id].calls.first().copied();
        call.filter(|_| !self.is_ambiguous_result(result)).is_some_and(|call| {
            let output = self.shape_of(result, output).of_text(output);
            may_stand(note, &self.repeats.call(call).repeat, &output, allow_command_pointers)
        })
    }

    /// Every call and every result that has the id of the call at `at`.
    pub fn sharing_id_of(&self, at: Position) -> (Vec<Position>, Vec<Position>) {
        let Some(call) = self.call_at(at) else { return Default::default() };
        let id = &self.ids[call.id];
        let calls = id.calls.iter().map(|&call| self.calls[call].at);
        let results = id.results.iter().map(|&result| self.results[result].at);
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
        let ids = self.ids.iter().filter(|id| !id.results.is_empty()).map(|id| id.chars);
        Pointer::SHORTEST + ids.min().unwrap_or(0) + 1
    }

    fn add_calls(&mut self, transcript: &Transcript, message: usize, turn: &Turn) {
        for (index, call) in turn.calls.iter().enumerate() {
            let id = self.id_number(call.id);
            self.ids[id].calls.push(self.calls.len());
            let at = Position { message, index };
            let input_chars = call.input.chars().count();
            let mut facts = None;
            if self.scope.facts || self.scope.repeats {
                let parsed = ParsedCall::new(call);
                if self.scope.facts {
                    facts = Some(self.numbers.facts(transcript, at, &parsed));
                }
                if self.scope.repeats {
                    self.repeats.add(&parsed);
                }
            }
            self.calls.push(IndexedCall { at, id, input_chars, facts });
        }
    }

    fn add_results(&mut self, transcript: &Transcript, message: usize, turn: &Turn) {
        for (index, result) in turn.results.iter().enumerate() {
            let id = self.id_number(result.id);
            self.ids[id].results.push(self.results.len());
            let at = Position { message, index };
            let (text, is_new) = self.texts.add(transcript, at);
            if is_new && self.scope.lines {
                self.lines.add(transcript, &self.texts);
            }
            self.results.push(IndexedResult { at, id, text, is_error: result.is_error });
        }
    }

    fn find_superseded(&mut self, transcript: &Transcript) {
        let rival = |call: &IndexedCall| {
            let result = self.result_of(call).map(|result| &self.results[result]);
            let facts = call.facts();
            Rival {
                key: facts.key,
                text: result.map(|result| result.text),
                is_whole_view: facts.tool.views_files
                    && !facts.is_partial
                    && result.is_some_and(|result| !result.is_error),
            }
        };
        let rivals: Vec<Rival> = self.calls.iter().map(rival).collect();
        self.superseded.find(&rivals, |text| self.texts.read(transcript, text));
    }

    fn id_number(&mut self, name: &str) -> usize {
        if let Some(number) = self.id_numbers.get(name) {
            return *number;
        }
        let name: Arc<str> = name.into();
        let number = self.ids.len();
        self.id_numbers.insert(Arc::clone(&name), number);
        let chars = name.chars().count();
        self.ids.push(Id { name, chars, calls: Vec::new(), results: Vec::new() });
        number
    }
}

impl Id {
    fn is_ambiguous(&self) -> bool {
        self.calls.len() > 1 || self.results.len() > 1 || self.name.is_empty()
    }
}
