//! The notes that say how to get an output back.
//!
//! Their wording is the reference's: other programs read it.

use std::collections::HashMap;

use super::super::decision::Recovery;
use super::super::parsed_call::ParsedCall;
use super::super::transcript::{Call, Output, Transcript};
use super::output::{self, Shape};
use super::reads::Lines;
use super::repeat::Repeat;

/// The note that stands for what can be recovered so; `None` for a stash pointer, whose note
/// depends on more.
pub fn note_for(recovery: &Recovery) -> Option<String> {
    match recovery {
        Recovery::File { path, cwd, lines, disk } => {
            Some(file_note(path, cwd.as_deref(), *lines, disk.is_some()))
        }
        Recovery::Command { command, cwd, .. } => Some(command_note(command, cwd.as_deref())),
        Recovery::Stash { .. } => None,
    }
}

fn file_note(
    path: &str,
    cwd: Option<&str>,
    lines: Option<(usize, usize)>,
    is_verified: bool,
) -> String {
    let mut note = format!("[removed: re-read {path}");
    if let Some((first, last)) = lines {
        note += &format!(" (lines {first}-{last})");
    }
    if let Some(cwd) = cwd {
        note += &format!(" (cwd {cwd})");
    }
    note += " to recover";
    if is_verified {
        note += "; content verified on disk at compaction time";
    }
    note + "]"
}

fn command_note(command: &str, cwd: Option<&str>) -> String {
    let place = cwd.map_or(String::new(), |cwd| format!(" in {cwd}"));
    format!("[removed: re-run `{command}`{place} to recover]")
}

/// Whether a note may stand in place of an output of this call: it names the call's own file, with
/// exactly the lines that it showed, or its own read-only command.
pub fn is_own_pointer(call: &Call, output: &str, note: &str, allow_command_pointers: bool) -> bool {
    let repeat = Repeat::of(&ParsedCall::new(call));
    let output = Shape::of(output).of_text(output);
    may_stand(note, &repeat, &output, allow_command_pointers)
}

/// [`is_own_pointer`] of what is known already.
pub fn may_stand(
    note: &str,
    repeat: &Repeat,
    output: &output::Output,
    allow_command_pointers: bool,
) -> bool {
    if repeat.is_temporary {
        return false;
    }
    let cwd = repeat.cwd.as_deref();
    let runs = repeat.command.as_ref().filter(|it| allow_command_pointers && it.is_read_only);
    if runs.is_some_and(|command| command_note(&command.text, cwd) == note) {
        return true;
    }
    let Some(read) = repeat.read.as_ref().filter(|read| read.target(cwd).is_some()) else {
        return false;
    };
    let lines = match read.lines(output) {
        Lines::All => None,
        Lines::Range(first, last) => Some((first, last)),
        Lines::Unknown => return false,
    };
    [false, true].iter().any(|&is_verified| file_note(&read.path, cwd, lines, is_verified) == note)
}

/// The calls of a transcript whose id no other call has, and which no two results answer.
pub struct Owners<'t> {
    calls: HashMap<&'t str, Option<&'t Call<'t>>>,
}

impl<'t> Owners<'t> {
    pub fn of(transcript: &'t Transcript) -> Owners<'t> {
        let mut calls: HashMap<&str, Option<&Call>> = HashMap::new();
        for call in transcript.turns.iter().flat_map(|turn| &turn.calls) {
            calls.entry(call.id).and_modify(|known| *known = None).or_insert(Some(call));
        }
        let mut answered: HashMap<&str, usize> = HashMap::new();
        for (_, result) in transcript.results() {
            *answered.entry(result.id).or_default() += 1;
        }
        calls.retain(|id, _| answered.get(id) == Some(&1));
        Owners { calls }
    }

    /// The call that a result answers.
    pub fn of_result(&self, result: &Output) -> Option<&'t Call<'t>> {
        *self.calls.get(result.id)?
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn is_own(tool: &str, input: &str, output: &str, note: &str) -> bool {
        let call = Call { id: "a", tool, input: Cow::Borrowed(input) };
        is_own_pointer(&call, output, note, false)
    }

    #[test]
    fn a_pointer_names_its_own_file_and_lines() {
        let read = r#"{"file_path": "a.py", "cwd": "/w"}"#;
        let own = "[removed: re-read a.py (lines 3-4) (cwd /w) to recover]";
        let verified = "[removed: re-read a.py (lines 3-4) (cwd /w) to recover; content verified on disk at compaction time]";
        assert!(is_own("Read", read, "3\tx\n4\ty", own));
        assert!(is_own("Read", read, "3\tx\n4\ty", verified));
        for note in [
            "[removed: re-read b.py (lines 3-4) (cwd /w) to recover]",
            "[removed: re-read a.py (lines 3-5) (cwd /w) to recover]",
            "[removed: re-read a.py (cwd /w) to recover]",
            "[removed: re-read a.py (lines 3-4) to recover]",
            "[removed: re-run `cat a.py` in /w to recover]",
        ] {
            assert!(!is_own("Read", read, "3\tx\n4\ty", note), "{note}");
        }
    }

    #[test]
    fn what_cannot_be_found_again_has_no_pointer() {
        for (input, note) in [
            (r#"{"path": "a.py"}"#, "[removed: re-read a.py to recover]"),
            (r#"{"path": "/tmp/a.py"}"#, "[removed: re-read /tmp/a.py to recover]"),
        ] {
            assert!(!is_own("Read", input, "x", note), "{input}");
        }
    }

    #[test]
    fn a_command_pointer_needs_leave_and_a_read_only_command() {
        let is_own = |command: &str, allowed| {
            let input = serde_json::json!({ "command": command }).to_string();
            let call = Call { id: "a", tool: "Bash", input: input.into() };
            let note = format!("[removed: re-run `{command}` to recover]");
            is_own_pointer(&call, "x", &note, allowed)
        };
        assert!(is_own("git status", true));
        assert!(!is_own("git status", false));
        assert!(!is_own("git push", true));
    }
}
