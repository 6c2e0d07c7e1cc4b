//! Claude Code session files: one record a line (formats 2.0 to 2.1, internal to the vendor, so
//! nothing is taken for granted: what is unknown is counted and shown as it is).

mod notices;
mod record;

use std::borrow::Cow;

pub(in crate::session) use record::Record;

use super::loose::Text;
use super::message::{ApiMessage, Voice, add_blocks, fields};
use crate::session::Role;
use crate::session::assembly::{Assembly, Head};

/// Types that carry nothing to read: links in the tree, state of the vendor's screen, timings.
const NOISE: [&str; 6] = [
    "progress",
    "file-history-snapshot",
    "queue-operation",
    "mode",
    "permission-mode",
    "last-prompt",
];

/// `system` records of that kind.
const SYSTEM_NOISE: [&str; 2] = ["stop_hook_summary", "turn_duration"];

/// Types that are shown, and known well enough to recognise a record by.
const SHOWN: [&str; 8] = [
    "user",
    "assistant",
    "system",
    "attachment",
    "summary",
    "custom-title",
    "ai-title",
    "agent-name",
];

/// The model name that the harness gives to what it says in the assistant's place.
const SYNTHETIC: &str = "<synthetic>";

/// Whether a record of this type and these keys is one of Claude Code's.
pub(super) fn is_known(kind: &str, has_envelope: bool) -> bool {
    NOISE.contains(&kind) || (has_envelope && SHOWN.contains(&kind))
}

impl Record<'_> {
    /// Whether this can be nothing but a record: by its type, or by the keys around it.
    pub(in crate::session) fn is_certain(&self) -> bool {
        self.kind.as_deref().is_some_and(|kind| self.has_envelope || is_known(kind, false))
    }

    /// Adds the record, whose JSON is `raw`, to the session.
    pub(in crate::session) fn add(self, raw: &str, line: usize, out: &mut Assembly) {
        out.count(&self.name());
        if let Some(cwd) = self.cwd.as_deref() {
            out.work_in(cwd);
        }
        match self.kind.as_deref() {
            Some("user") if self.message.is_object => self.add_message(Role::User, raw, line, out),
            Some("assistant") if self.message.is_object => {
                self.add_message(Role::Assistant, raw, line, out);
            }
            _ if self.is_noise() => {}
            _ => notices::add(&self, raw, line, out),
        }
    }

    /// The type that a record is counted under, with its subtype where it has one.
    fn name(&self) -> Cow<'_, str> {
        let kind = self.kind.as_deref().unwrap_or("(no type)");
        let subtype = match kind {
            "attachment" => self.attachment.0.as_deref(),
            _ => self.subtype.as_deref(),
        };
        match subtype {
            Some(subtype) => format!("{kind}/{subtype}").into(),
            None => kind.into(),
        }
    }

    fn is_noise(&self) -> bool {
        match (self.kind.as_deref(), self.subtype.as_deref()) {
            (Some("system"), Some(subtype)) => SYSTEM_NOISE.contains(&subtype),
            (Some("attachment"), _) => self.attachment.0.as_deref() != Some("queued_command"),
            (Some(kind), _) => NOISE.contains(&kind),
            (None, _) => false,
        }
    }

    fn add_message(self, role: Role, raw: &str, line: usize, out: &mut Assembly) {
        let voice = self.voice(role);
        let ApiMessage { id, model, usage, content, .. } = self.message;
        let head = Head {
            line,
            id: self.uuid.as_deref(),
            turn: turn(&id, &self.request_id),
            time: self.time.as_deref(),
            model: model.as_deref(),
            context_tokens: usage.0,
            side_chain: self.side_chain.0,
            pinned: false,
        };
        out.message(role, head);
        let raw_content = || {
            let message = *fields(raw)?.get("message")?;
            fields(message.get())?.get("content").copied()
        };
        add_blocks(content.0, voice, raw_content, out);
    }

    fn voice(&self, role: Role) -> Voice {
        if self.compact_summary.0 {
            Voice::Harness("compaction summary")
        } else if self.api_error.0 {
            Voice::Harness("api error")
        } else if self.message.model.as_deref() == Some(SYNTHETIC) {
            Voice::Harness("local notice")
        } else if self.meta.0 {
            Voice::Harness("injected")
        } else if role == Role::User {
            Voice::Person
        } else {
            Voice::Model
        }
    }
}

/// What records of one API message share. They need not be adjacent: results of parallel calls
/// come between them.
fn turn(message: &Text<'_>, request: &Text<'_>) -> Option<String> {
    let message = message.as_deref()?;
    Some(format!("{message}\n{}", request.as_deref().unwrap_or_default()))
}
