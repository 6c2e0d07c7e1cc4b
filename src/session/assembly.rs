//! A session in the making: messages and entries are added in file order, calls and results are
//! paired as they come, so that adding costs in proportion to what is added.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use super::{Entry, Fault, FaultKind, Format, Kind, Message, Request, Role, Session, Source};

#[derive(Debug)]
pub(super) struct Assembly {
    session: Session,
    unanswered: Unanswered,
    /// The turn of each API message that was met.
    turns: HashMap<String, usize>,
    next_turn: usize,
    /// Names that come again and again (tools, models), each held once.
    names: HashSet<Arc<str>>,
}

/// What the format says of a message beside its blocks.
#[derive(Debug, Default)]
pub(super) struct Head<'a> {
    pub line: usize,
    pub id: Option<&'a str>,
    /// What records of one API message share; `None` for a turn of its own.
    pub turn: Option<String>,
    pub time: Option<&'a str>,
    pub model: Option<&'a str>,
    pub context_tokens: Option<u64>,
    pub side_chain: bool,
    pub pinned: bool,
}

/// Calls that wait for their result, by id. Ids may repeat: the nearest call answers first.
/// Calls without an id are answered in order.
#[derive(Debug, Default)]
struct Unanswered {
    /// The nearest call of each id.
    by_id: HashMap<Arc<str>, usize>,
    /// The call of the same id before a call, where that waits too.
    before: HashMap<usize, usize>,
    without_id: VecDeque<usize>,
}

impl Assembly {
    pub fn new(source: Source, format: Format) -> Assembly {
        Assembly {
            session: Session {
                source,
                format,
                messages: Vec::new(),
                entries: Vec::new(),
                records: BTreeMap::new(),
                faults: Vec::new(),
                cwd: None,
                request: None,
            },
            unanswered: Unanswered::default(),
            turns: HashMap::new(),
            next_turn: 0,
            names: HashSet::new(),
        }
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    pub fn into_session(self) -> Session {
        self.session
    }

    /// Counts a record under its type.
    pub fn count(&mut self, record: &str) {
        match self.session.records.get_mut(record) {
            Some(count) => *count += 1,
            None => drop(self.session.records.insert(record.to_owned(), 1)),
        }
    }

    pub fn repaired(&mut self, line: usize, note: impl Into<String>) {
        self.fault(line, FaultKind::Repaired, note.into());
    }

    pub fn skipped(&mut self, line: usize, note: impl Into<String>) {
        self.fault(line, FaultKind::Skipped, note.into());
    }

    fn fault(&mut self, line: usize, kind: FaultKind, note: String) {
        self.session.faults.push(Fault { line, kind, note });
    }

    /// The first directory named is the session's.
    pub fn work_in(&mut self, directory: &str) {
        if self.session.cwd.is_none() && !directory.is_empty() {
            self.session.cwd = Some(PathBuf::from(directory));
        }
    }

    pub fn request(&mut self, request: Request) {
        self.session.request = Some(request);
    }

    /// Starts a message; the entries that follow are its own.
    pub fn message(&mut self, role: Role, head: Head<'_>) {
        let turn = self.turn(head.turn);
        let model = head.model.map(|model| self.name(model));
        let start = self.session.entries.len();
        self.session.messages.push(Message {
            role,
            entries: start..start,
            line: head.line,
            id: head.id.map(Arc::from),
            turn,
            time: head.time.map(Arc::from),
            model,
            context_tokens: head.context_tokens,
            side_chain: head.side_chain,
            pinned: head.pinned,
        });
    }

    fn turn(&mut self, key: Option<String>) -> usize {
        let next = self.next_turn;
        let turn = match key {
            Some(key) => *self.turns.entry(key).or_insert(next),
            None => next,
        };
        if turn == next {
            self.next_turn += 1;
        }
        turn
    }

    /// Adds a text to the message that was started last; an empty one is no row.
    pub fn text(&mut self, content: Arc<str>) {
        if !content.is_empty() {
            self.entry(Kind::Text, content);
        }
    }

    pub fn call(&mut self, id: &str, tool: &str, input: Arc<str>) {
        let id: Arc<str> = Arc::from(id);
        self.unanswered.ask(&id, self.session.entries.len());
        let tool = self.name(tool);
        self.entry(Kind::Call { id, tool, result: None }, input);
    }

    pub fn result(&mut self, id: &str, is_error: bool, content: Arc<str>) {
        let call = self.unanswered.answer(id);
        let at = self.session.entries.len();
        let id = match call.map(|call| &mut self.session.entries[call].kind) {
            Some(Kind::Call { id, result, .. }) => {
                *result = Some(at);
                Arc::clone(id)
            }
            _ => Arc::from(id),
        };
        self.entry(Kind::Result { id, is_error, call }, content);
    }

    pub fn notice(&mut self, title: &str, content: Arc<str>) {
        let title = self.name(title);
        self.entry(Kind::Notice { title }, content);
    }

    /// Adds an entry to the message that was started last.
    pub fn entry(&mut self, kind: Kind, content: Arc<str>) {
        let last = self.session.messages.len().checked_sub(1);
        let line = last.map_or(1, |last| {
            let message = &mut self.session.messages[last];
            message.entries.end += 1;
            message.line
        });
        self.push(Entry { message: last, line, kind, chars: content.chars().count(), content });
    }

    /// Adds a notice that is a record of its own, between the messages.
    pub fn divider(&mut self, line: usize, title: &str, content: &str) {
        let kind = Kind::Notice { title: self.name(title) };
        let content: Arc<str> = Arc::from(content);
        self.push(Entry { message: None, line, kind, chars: content.chars().count(), content });
    }

    fn push(&mut self, entry: Entry) {
        self.session.entries.push(entry);
    }

    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(name) = self.names.get(name) {
            return Arc::clone(name);
        }
        let shared: Arc<str> = Arc::from(name);
        self.names.insert(Arc::clone(&shared));
        shared
    }
}

impl Unanswered {
    fn ask(&mut self, id: &Arc<str>, entry: usize) {
        if id.is_empty() {
            self.without_id.push_back(entry);
        } else if let Some(earlier) = self.by_id.insert(Arc::clone(id), entry) {
            self.before.insert(entry, earlier);
        }
    }

    fn answer(&mut self, id: &str) -> Option<usize> {
        if id.is_empty() {
            return self.without_id.pop_front();
        }
        let (id, nearest) = self.by_id.remove_entry(id)?;
        if let Some(earlier) = self.before.remove(&nearest) {
            self.by_id.insert(id, earlier);
        }
        Some(nearest)
    }
}
