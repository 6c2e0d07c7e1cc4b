//! What both passes know of a session before any setting is looked at.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::messages::{self, Unit};
use super::tool_calls::{Call, Index, Output, Position, Transcript, Turn};
use crate::session::{Entry, Kind, Role, Session};
use crate::tokens::{self, Method};

/// Computed once for a session and extended as it grows; a knob turn only decides again.
pub struct Features {
    /// The decided entries in file order: the units of the message pass.
    units: Vec<usize>,
    /// For each entry, its unit.
    unit_of: Vec<Option<usize>>,
    /// For each message, the entries of what the tool-call pass sees of it.
    places: Vec<Place>,
    pub(super) messages: messages::Features,
    pub(super) tool_calls: Index,
    first_user_text: Option<usize>,
    decided_chars: usize,
    /// Estimated tokens of entries, for those that somebody asked about.
    estimates: Vec<OnceLock<usize>>,
}

/// The entries of a message's calls and results, in the order of its [`Turn`].
#[derive(Default)]
struct Place {
    calls: Vec<usize>,
    results: Vec<usize>,
}

impl Features {
    pub fn new(session: &Session) -> Features {
        let mut features = Features {
            units: Vec::new(),
            unit_of: Vec::new(),
            places: Vec::new(),
            messages: messages::Features::new(std::iter::empty()),
            tool_calls: Index::default(),
            first_user_text: None,
            decided_chars: 0,
            estimates: Vec::new(),
        };
        features.extend(session);
        features
    }

    /// Takes in what was appended to the session since the last time.
    pub fn extend(&mut self, session: &Session) {
        let known = self.units.len();
        for (index, entry) in session.entries.iter().enumerate().skip(self.unit_of.len()) {
            let unit = entry.kind.is_decided().then(|| {
                self.units.push(index);
                self.decided_chars += entry.chars;
                self.units.len() - 1
            });
            self.unit_of.push(unit);
            let is_user_text = entry.kind == Kind::Text && session.role_of(entry) == Role::User;
            if is_user_text && self.first_user_text.is_none() {
                self.first_user_text = Some(index);
            }
        }
        self.messages.extend(self.units[known..].iter().map(|&index| {
            let entry = &session.entries[index];
            Unit {
                role: session.role_of(entry),
                content: &entry.content,
                compared: entry.kind == Kind::Text,
            }
        }));
        for message in &session.messages[self.places.len()..] {
            self.places.push(Place::of(session, message.entries.clone()));
        }
        self.tool_calls.extend(&self.transcript(session));
        self.estimates.resize_with(session.entries.len(), OnceLock::new);
    }

    /// The session as the tool-call pass reads it. Calls without an id cannot be named by a
    /// pointer and results without a call answer nothing, so both are left out.
    pub(super) fn transcript<'s>(&self, session: &'s Session) -> Transcript<'s> {
        let turn = |(message, place): (&'s crate::session::Message, &Place)| Turn {
            role: message.role.name(),
            text: text_of(&session.entries[message.entries.clone()]),
            calls: place.calls.iter().filter_map(|&call| call_of(&session.entries[call])).collect(),
            results: place
                .results
                .iter()
                .filter_map(|&result| output_of(&session.entries[result]))
                .collect(),
        };
        Transcript { turns: session.messages.iter().zip(&self.places).map(turn).collect() }
    }

    pub(super) fn units(&self) -> &[usize] {
        &self.units
    }

    pub(super) fn unit_of(&self, entry: usize) -> Option<usize> {
        self.unit_of[entry]
    }

    pub(super) fn call_at(&self, at: Position) -> usize {
        self.places[at.message].calls[at.index]
    }

    pub(super) fn result_at(&self, at: Position) -> usize {
        self.places[at.message].results[at.index]
    }

    /// Where the tool-call pass finds a call; `None` for one that it does not see.
    pub(super) fn position_of_call(&self, message: usize, call: usize) -> Option<Position> {
        let index = self.places[message].calls.iter().position(|&other| other == call)?;
        Some(Position { message, index })
    }

    /// The SHA-256 of an entry that is a result which the tool-call pass sees.
    pub(super) fn sha256_of_result(&self, index: usize, entry: &Entry) -> Option<&str> {
        let message = entry.message?;
        let position = self.places[message].results.binary_search(&index).ok()?;
        self.tool_calls.sha256_at(Position { message, index: position }, &entry.content)
    }

    /// Whether a note may stand in place of an entry that is a result which the tool-call pass
    /// sees: it names what the result's own call read or ran.
    pub(super) fn is_own_pointer(
        &self,
        index: usize,
        entry: &Entry,
        note: &str,
        allow_command_pointers: bool,
    ) -> bool {
        let at = entry.message.and_then(|message| {
            let index = self.places[message].results.binary_search(&index).ok()?;
            Some(Position { message, index })
        });
        at.is_some_and(|at| {
            self.tool_calls.is_own_pointer(at, &entry.content, note, allow_command_pointers)
        })
    }

    /// The first user text that is no notice.
    pub(super) fn first_user_text(&self) -> Option<usize> {
        self.first_user_text
    }

    /// The estimated tokens of an entry, whose content this is.
    pub(super) fn estimated_tokens(&self, entry: usize, content: &str) -> usize {
        *self.estimates[entry].get_or_init(|| tokens::count(content, Method::Heuristic))
    }

    /// Characters of the decided entries.
    pub fn decided_chars(&self) -> usize {
        self.decided_chars
    }
}

impl Place {
    fn of(session: &Session, entries: std::ops::Range<usize>) -> Place {
        let mut place = Place::default();
        for index in entries {
            match &session.entries[index].kind {
                Kind::Call { id, .. } if !id.is_empty() => place.calls.push(index),
                Kind::Result { id, call: Some(_), .. } if !id.is_empty() => {
                    place.results.push(index);
                }
                _ => {}
            }
        }
        place
    }
}

/// The texts of a message as one: a line each, where there are several.
fn text_of(entries: &[Entry]) -> Cow<'_, str> {
    let mut texts = entries.iter().filter(|entry| entry.kind == Kind::Text);
    let Some(first) = texts.next() else { return Cow::Borrowed("") };
    let mut text = Cow::Borrowed(&*first.content);
    for more in texts {
        let text = text.to_mut();
        text.push('\n');
        text.push_str(&more.content);
    }
    text
}

fn call_of(entry: &Entry) -> Option<Call<'_>> {
    match &entry.kind {
        Kind::Call { id, tool, .. } => {
            Some(Call { id, tool, input: entry.content.as_ref().into() })
        }
        _ => None,
    }
}

fn output_of(entry: &Entry) -> Option<Output<'_>> {
    match &entry.kind {
        Kind::Result { id, is_error, .. } => {
            Some(Output { id, text: entry.content.as_ref().into(), is_error: *is_error })
        }
        _ => None,
    }
}
