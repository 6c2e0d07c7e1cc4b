//! What is known of a call from itself alone, computed once when it comes into the index.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::interner::{Interner, as_number};
use super::parsed_call::{ParsedCall, git_states};
use super::tools::Tool;
use super::transcript::{Position, Transcript};

/// What rules ask of a call again and again. Paths and keys are numbers of
/// [`Numbers`].
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub tool: Tool,
    pub path: Option<u32>,
    /// The files that it edits.
    pub edited: Box<[u32]>,
    pub has_command: bool,
    /// Which states of git it shows, when it is a Bash call.
    pub git: [bool; 3],
    /// Whether it asks for a part of a file.
    pub is_partial: bool,
    pub key: Key,
}

/// What a later call must share to make this call's output stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The number of a path.
    File(u32),
    /// The number of a command, or of a tool and its input.
    Rerun(u32),
}

/// Numbers for the paths that calls name, and for what they run.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    paths: Vec<Arc<str>>,
    path_numbers: HashMap<Arc<str>, u32, RandomState>,
    hasher: RandomState,
    reruns: Interner,
    /// The first call of each rerun; it is read there again to confirm a hash.
    first_runs: Vec<Position>,
}

impl Numbers {
    /// What is known of the call at `at`, which is `call`. `transcript` must hold, unchanged, every
    /// call that was asked for before.
    pub fn facts(&mut self, transcript: &Transcript, at: Position, call: &ParsedCall) -> Facts {
        let tool = Tool::of(call.tool);
        let command = call.command();
        let path = call.path().map(|path| self.path_number(path));
        let edited = call.edited_paths(tool);
        Facts {
            tool,
            path,
            edited: edited.into_iter().map(|path| self.path_number(path)).collect(),
            has_command: !command.is_empty(),
            git: if tool.is_bash { git_states(command) } else { [false; 3] },
            is_partial: call.is_partial(),
            key: match path {
                Some(path) if tool.views_files || tool.edits => Key::File(path),
                _ => Key::Rerun(self.rerun_number(transcript, at, call)),
            },
        }
    }

    /// Every path that a call names or edits, by number.
    pub fn paths(&self) -> &[Arc<str>] {
        &self.paths
    }

    /// The number of a path, if any call names or edits it.
    pub fn number_of(&self, path: &str) -> Option<u32> {
        self.path_numbers.get(path).copied()
    }

    fn path_number(&mut self, path: &str) -> u32 {
        if let Some(number) = self.path_numbers.get(path) {
            return *number;
        }
        let path: Arc<str> = path.into();
        let number = as_number(self.paths.len());
        self.path_numbers.insert(Arc::clone(&path), number);
        self.paths.push(path);
        number
    }

    fn rerun_number(&mut self, transcript: &Transcript, at: Position, call: &ParsedCall) -> u32 {
        let rerun = call.rerun();
        let first_runs = &self.first_runs;
        let same = |n: u32| read(transcript, first_runs[n as usize]).rerun() == rerun;
        let (number, new) = self.reruns.number(self.hasher.hash_one(&rerun), same);
        if new {
            self.first_runs.push(at);
        }
        number
    }
}

fn read<'t>(transcript: &'t Transcript, at: Position) -> ParsedCall<'t> {
    ParsedCall::new(&transcript.turns[at.message].calls[at.index])
}
