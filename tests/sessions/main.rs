//! Bytes to sessions: every format, every kind of damage, and files that grow.

mod claude_code;
mod damage;
mod documents;
mod growing;
mod requests;

use compactscope::session::{Fault, FaultKind, Format, Kind, ReadError, Session, Source, read};

pub fn source() -> Source {
    Source { label: "test".to_owned(), path: None }
}

pub fn try_read(bytes: impl AsRef<[u8]>) -> Result<Session, ReadError> {
    read(bytes.as_ref(), source(), None)
}

pub fn session(bytes: impl AsRef<[u8]>) -> Session {
    try_read(bytes).expect("a session")
}

/// Reads a Claude Code file whatever its content shows.
pub fn claude_code(bytes: impl AsRef<[u8]>) -> Session {
    read(bytes.as_ref(), source(), Some(Format::ClaudeCode)).expect("a session")
}

/// One line an entry: role, kind, what belongs to the kind, content.
pub fn rows(session: &Session) -> Vec<String> {
    let row = |entry| -> String {
        let entry: &compactscope::session::Entry = entry;
        let detail = match &entry.kind {
            Kind::Call { id, tool, .. } => format!(" {tool}#{id}"),
            Kind::Result { id, is_error, .. } => {
                format!("#{id}{}", if *is_error { " failed" } else { "" })
            }
            Kind::Notice { title } => format!(" ({title})"),
            _ => String::new(),
        };
        assert_eq!(entry.chars, entry.content.chars().count());
        format!("{} {}{detail}: {}", session.role_of(entry), entry.kind.name(), entry.content)
    };
    session.entries.iter().map(row).collect()
}

/// The other half of each call and result, by entry.
pub fn partners(session: &Session) -> Vec<Option<usize>> {
    session.entries.iter().map(|entry| entry.kind.partner()).collect()
}

pub fn faults(session: &Session) -> Vec<(usize, FaultKind)> {
    session.faults.iter().map(|Fault { line, kind, .. }| (*line, *kind)).collect()
}

/// Records and values left out: every value of the file is one or the other.
pub fn values(session: &Session) -> usize {
    session.records.values().sum::<usize>() + session.faults_of(FaultKind::Skipped)
}

/// A user record that says a text.
pub fn user(text: &str) -> String {
    let text = serde_json::to_string(text).expect("a text");
    format!(
        r#"{{"type":"user","sessionId":"s","uuid":"u","message":{{"role":"user","content":{text}}}}}"#
    )
}

/// An assistant record with these blocks.
pub fn assistant(blocks: &str) -> String {
    format!(
        r#"{{"sessionId":"s","message":{{"role":"assistant","content":[{blocks}]}},"type":"assistant"}}"#
    )
}

/// A user record with these blocks.
pub fn results(blocks: &str) -> String {
    format!(r#"{{"type":"user","sessionId":"s","message":{{"role":"user","content":[{blocks}]}}}}"#)
}

pub fn call(id: &str) -> String {
    assistant(&format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#))
}

pub fn result(id: &str, text: &str) -> String {
    results(&format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"{text}"}}"#))
}

pub fn lines<S: AsRef<str>>(records: &[S]) -> String {
    records.iter().map(|record| format!("{}\n", record.as_ref())).collect()
}
