//! What several tests need: sessions written line by line, and a screen to try them on.

// Each test file is a crate of its own and uses its own part of this.
#![allow(dead_code, clippy::unwrap_used)]

use std::sync::Arc;

use compactscope::app::action::{Growth, Msg};
use compactscope::app::key::Key;
use compactscope::app::model::{Model, Opening};
use compactscope::compact::settings::{Settings, setting};
use compactscope::judge::{Environment, Patience};
use compactscope::session::{self, Session, Source};
use compactscope::shell::headless::Headless;
use compactscope::tokens::Method;
use compactscope::ui::glyph;
use serde_json::{Value, json};

/// A Claude Code session in the writing.
#[derive(Debug, Clone, Default)]
pub struct Log {
    records: Vec<Value>,
}

impl Log {
    /// A record of that type whose message holds these blocks.
    pub fn record(&mut self, kind: &str, content: Value) -> &mut Value {
        let number = self.records.len() + 1;
        self.records.push(json!({
            "type": kind,
            "uuid": format!("u{number:04}"),
            "sessionId": "s-1",
            "cwd": "/work/parcels",
            "timestamp": format!("2026-03-02T09:{:02}:{:02}Z", number / 60, number % 60),
            "message": {"role": kind, "content": content},
        }));
        self.records.last_mut().unwrap()
    }

    pub fn user(&mut self, text: &str) {
        self.record("user", json!(text));
    }

    pub fn says(&mut self, text: &str) {
        self.record("assistant", json!([{"type": "text", "text": text}]));
    }

    pub fn thinks(&mut self, thought: &str, text: &str) {
        self.record(
            "assistant",
            json!([{"type": "thinking", "thinking": thought}, {"type": "text", "text": text}]),
        );
    }

    pub fn call(&mut self, id: &str, tool: &str, input: Value) {
        self.record(
            "assistant",
            json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]),
        );
    }

    pub fn result(&mut self, id: &str, output: &str, is_error: bool) {
        self.record(
            "user",
            json!([{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error}]),
        );
    }

    /// A call and its result.
    pub fn runs(&mut self, id: &str, tool: &str, input: Value, output: &str) {
        self.call(id, tool, input);
        self.result(id, output, false);
    }

    pub fn jsonl(&self) -> String {
        self.records.iter().map(|record| format!("{record}\n")).collect()
    }

    pub fn session(&self) -> Session {
        read(self.jsonl().as_bytes())
    }
}

/// A session read from bytes; its label is `parcels.jsonl`.
pub fn read(bytes: &[u8]) -> Session {
    let source =
        Source { label: "parcels.jsonl".into(), path: Some("/nowhere/parcels.jsonl".into()) };
    session::read(bytes, source, None).unwrap()
}

/// The settings of a session with some of them set.
pub fn settings(session: &Session, set: &[(&str, &str)]) -> Settings {
    let mut settings = match &session.request {
        Some(request) => Settings::for_request(request).unwrap(),
        None => Settings { workspace_root: None, ..Settings::for_session(session) },
    };
    for (name, value) in set {
        setting(name).unwrap().set(&mut settings, value).unwrap();
    }
    settings
}

pub fn model(session: Session, set: &[(&str, &str)], size: (u16, u16)) -> Model {
    let settings = settings(&session, set);
    Model::new(Opening {
        session: Arc::new(session),
        defaults: settings.clone(),
        settings,
        said: None,
        size,
        follow: false,
        method: Method::Heuristic,
    })
}

/// An opened screen with what the tests ask of it.
pub struct Screen(pub Headless);

impl Screen {
    pub fn open(session: Session, set: &[(&str, &str)], size: (u16, u16)) -> Screen {
        let variable = |name: &str| (name == "TYPESAFE_API_KEY").then(|| "nobodys-key".into());
        let judges = Environment::new(variable, None, Patience::default());
        Screen(Headless::among(judges, model(session, set, size)))
    }

    /// A screen whose list has so many rows.
    pub fn with_rows(session: Session, set: &[(&str, &str)], rows: usize) -> Screen {
        let mut screen = Screen::open(session, set, (120, 1));
        let mut fits = |height| {
            screen.0.take(Msg::Resized { width: 120, height });
            screen.0.model.list_height() == rows
        };
        assert!((1..200).any(&mut fits), "no screen has {rows} rows of list");
        screen
    }

    pub fn press(&mut self, keys: &str) {
        self.0.press(&Key::parse_all(keys).unwrap());
    }

    pub fn grow(&mut self, session: Session, how: Growth) {
        self.0.take(Msg::Grown { session: Arc::new(session), how });
    }

    pub fn model(&self) -> &Model {
        &self.0.model
    }

    /// The number of the entry under the cursor, as the screen writes it.
    pub fn cursor(&self) -> usize {
        self.model().current().map_or(0, |entry| entry + 1)
    }

    /// The number of the entry in the first row.
    pub fn top(&self) -> usize {
        let list = &self.model().list;
        list.entries().get(list.top).map_or(0, |entry| entry + 1)
    }

    /// Numbers of the entries that are listed.
    pub fn listed(&self) -> Vec<usize> {
        self.model().list.entries().iter().map(|entry| entry + 1).collect()
    }

    pub fn status(&self) -> &str {
        self.model().status.as_deref().unwrap_or_default()
    }

    /// One glyph for each entry's outcome; a kept one is a dot.
    pub fn outcomes(&self) -> String {
        let plan = self.model().plan.as_ref().unwrap();
        let glyphs = plan.decisions.iter().map(|decision| glyph(decision.outcome));
        glyphs.map(|glyph| if glyph == ' ' { '.' } else { glyph }).collect()
    }

    /// Presses each line's keys and compares the number of the entry under the cursor and of
    /// that in the first row.
    pub fn walk(&mut self, steps: &[(&str, usize, usize)]) {
        for (at, &(keys, cursor, top)) in steps.iter().enumerate() {
            self.press(keys);
            let got = (self.cursor(), self.top());
            assert_eq!(got, (cursor, top), "after `{keys}`, step {}: {}", at + 1, self.status());
        }
    }
}

/// So many texts in turn of user and assistant, each in words of its own.
pub fn texts(count: usize) -> Log {
    let mut log = Log::default();
    for number in 1..=count {
        add_text(&mut log, number);
    }
    log
}

fn add_text(log: &mut Log, number: usize) {
    let text = format!("note{number} alpha{number} beta{number} gamma{number} delta{number}");
    if number % 2 == 1 { log.user(&text) } else { log.says(&text) }
}
