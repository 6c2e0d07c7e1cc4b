//! Asking a judge: whether it may be asked, how far it is, and what it said.

use std::sync::Arc;

use crate::compact::settings::{Budget, Provider, Settings};
use crate::compact::tool_calls::Judgement;

/// Where asking a judge stands.
#[derive(Debug, Clone, Default)]
pub struct Judging {
    /// Whether the user agreed that the text of this session is sent away.
    pub agreed: bool,
    /// Number of the newest inquiry.
    pub asked: u64,
    /// Requests that are done, of how many; `None` when nothing is being asked.
    pub progress: Option<(usize, usize)>,
    /// Whether no further request is to be sent.
    pub stopping: bool,
    /// What was said last.
    pub heard: Option<Heard>,
}

/// What a judge said, and to what.
#[derive(Debug, Clone)]
pub struct Heard {
    pub provider: Provider,
    pub question: String,
    pub judgement: Arc<Judgement>,
}

impl Judging {
    /// The answers that these settings decide by, if their judge gave some.
    pub fn answers(&self, settings: &Settings) -> Option<Arc<Judgement>> {
        let heard = self.heard.as_ref().filter(|heard| heard.provider == settings.provider)?;
        Some(heard.judgement.clone())
    }

    /// Whether those answers were given to another question.
    pub fn is_stale(&self, settings: &Settings) -> bool {
        self.heard.as_ref().is_some_and(|heard| {
            heard.provider == settings.provider && heard.question != settings.question
        })
    }
}

/// What becomes of the calls that no judge judges, in words.
pub fn unjudged(settings: &Settings) -> &'static str {
    match settings.budget_chars {
        Budget::Off => "every call is kept",
        _ => "only the budget still drops calls",
    }
}
