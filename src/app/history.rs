//! Undo and redo of settings.

use crate::compact::settings::Settings;

/// Settings as they were, and as they would be again.
#[derive(Debug, Clone, Default)]
pub struct History {
    undo: Vec<Settings>,
    redo: Vec<Settings>,
}

impl History {
    /// Remembers the settings before a change.
    pub fn remember(&mut self, settings: Settings) {
        self.undo.push(settings);
        self.redo.clear();
    }

    /// The settings before the newest change; `now` can be had again by redo.
    pub fn undo(&mut self, now: &Settings) -> Option<Settings> {
        let earlier = self.undo.pop()?;
        self.redo.push(now.clone());
        Some(earlier)
    }

    pub fn redo(&mut self, now: &Settings) -> Option<Settings> {
        let later = self.redo.pop()?;
        self.undo.push(now.clone());
        Some(later)
    }
}
