//! A transcript as one pass sees it, and the world that it may ask.

use super::index::Index;
use super::judged::Answers;
use super::outside::{Disk, Stash};
use super::pins::{Candidate, Pins};
use super::transcript::{Call, Output, Position, Transcript};

/// What a pass decides over.
#[derive(Clone, Copy)]
pub struct View<'v> {
    pub transcript: &'v Transcript<'v>,
    /// The index of this very transcript.
    pub index: &'v Index,
    pub pins: &'v Pins,
    pub terms: &'v Terms<'v>,
}

/// The settings that a pass decides by. Names and meanings are the contract's.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'t> {
    /// What the transcript is about: what it names is protected.
    pub question: &'t str,
    /// A judge keeps what it scores at least this, from 0 to 1.
    pub threshold: f64,
    /// Characters that a judged or ranked trim keeps.
    pub trim_head_chars: usize,
    /// Where the transcript's paths are looked up on disk; `None` leaves the disk out.
    pub workspace_root: Option<&'t str>,
    pub disk_check: bool,
    pub allow_command_pointers: bool,
    /// The program that trim notes and stash pointers name.
    pub note_name: &'t str,
}

/// What a pass may ask of the world outside.
#[derive(Clone, Copy)]
pub struct Outside<'o> {
    pub disk: &'o dyn Disk,
    pub stash: &'o dyn Stash,
    /// Tokens of the result at a place, whose text this is, for the note of a stash pointer.
    pub tokens: &'o dyn Fn(Position, &str) -> usize,
    /// What a judge said of the calls; without it a judged provider keeps them all.
    pub answers: Option<&'o Answers>,
}

impl<'v> View<'v> {
    /// The calls that may be decided over.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        self.pins.split(self.index).1
    }

    pub(super) fn call(&self, at: Position) -> &'v Call<'v> {
        &self.transcript.turns[at.message].calls[at.index]
    }

    pub(super) fn result(&self, at: Position) -> &'v Output<'v> {
        &self.transcript.turns[at.message].results[at.index]
    }

    /// The text of a candidate's result.
    pub(super) fn output(&self, candidate: &Candidate) -> &'v str {
        &self.result(self.index.results()[candidate.result].at).text
    }

    /// Whether the pass pins this message: the first, or one of the newest.
    pub(super) fn is_pinned(&self, message: usize) -> bool {
        message == 0 || self.index.messages() - message <= self.pins.preserve_recent
    }
}
