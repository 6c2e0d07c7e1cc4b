//! What a call may have written.
//!
//! When in doubt, it did: each rule here only keeps more. The rules are the reference's; they look
//! at the input as JSON with sorted keys, and so does this.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::memmem;

use super::super::parsed_call::ParsedCall;
use super::super::paths;
use super::super::tools::{EDITS, QUESTIONS, READS, TASKS};
use super::reads::is_reader;
use super::repeat::Repeat;
use crate::python::{is_space, is_word};

/// Tools that write no file, beside those that read, ask or keep a plan.
const PURE: [&str; 10] = [
    "search_files",
    "web_search",
    "ToolSearch",
    "tool_search",
    "view_image",
    "vision_analyze",
    "skill_view",
    "Skill",
    "TaskList",
    "TaskGet",
];
/// Tools that write what their input names, beside those that edit.
const TARGETED: [&str; 3] = ["apply_patch", "patch", "write_file"];
/// What git changes files with, wherever they are in the worktree.
const GIT_CHANGES: [&str; 15] = [
    "checkout",
    "switch",
    "reset",
    "stash",
    "restore",
    "pull",
    "merge",
    "rebase",
    "apply",
    "am",
    "cherry-pick",
    "revert",
    "clean",
    "mv",
    "rm",
];
/// Programs that can take away, move or fill a whole directory.
const DESTROYERS: [&str; 8] = ["rm", "rmdir", "mv", "cp", "rsync", "unlink", "tar", "unzip"];
/// Words of a call that works in another directory than its own.
const MOVES: [&str; 6] = ["cd", "pushd", "-C", "--prefix", "--cwd", "--directory"];

static FIND_DESTROYER: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(&DESTROYERS));
static FIND_MOVE: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(&MOVES));

fn automaton(words: &[&str]) -> AhoCorasick {
    AhoCorasick::new(words).expect("a few short words make an automaton")
}

/// A call that may have written files.
pub struct PossibleWrite<'c> {
    /// Its input: a file that it names may be written.
    pub text: Cow<'c, str>,
    /// It may change any file that git knows.
    pub is_wholesale: bool,
    /// It may take a directory away that its input names.
    pub is_destructive: bool,
    /// What else it may write.
    pub reach: Reach,
}

/// What a call may write that its input does not name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    Nothing,
    /// Anything in this directory.
    Under(String),
    Anywhere,
}

impl<'c> PossibleWrite<'c> {
    /// `None` for a call that writes nothing. `repeat` is of the same call.
    pub fn of(call: &ParsedCall<'c>, repeat: &Repeat) -> Option<PossibleWrite<'c>> {
        let is_pure = match &repeat.command {
            Some(command) => command.is_read_only,
            None => is_pure(call.tool),
        };
        if is_pure {
            return None;
        }
        let text = call.sorted_input();
        let is_targeted = EDITS.contains(&call.tool) || TARGETED.contains(&call.tool);
        Some(PossibleWrite {
            is_wholesale: runs_git(&text, &GIT_CHANGES),
            is_destructive: has_whole_word(&FIND_DESTROYER, &text) || runs_git(&text, &["clean"]),
            reach: if is_targeted { Reach::Nothing } else { reach(repeat, &text) },
            text,
        })
    }
}

fn is_pure(tool: &str) -> bool {
    is_reader(tool)
        || [&READS[..], &TASKS, &QUESTIONS, &PURE].iter().any(|tools| tools.contains(&tool))
}

fn reach(repeat: &Repeat, text: &str) -> Reach {
    match &repeat.cwd {
        Some(cwd) if cwd.starts_with('/') && !changes_directory(text) => {
            Reach::Under(paths::normal(cwd))
        }
        _ => Reach::Anywhere,
    }
}

/// Whether a text has `git`, white space and one of these as whole words.
fn runs_git(text: &str, subcommands: &[&str]) -> bool {
    memmem::find_iter(text.as_bytes(), "git").any(|at| {
        let rest = &text[at + "git".len()..];
        let subcommand = rest.trim_start_matches(is_space);
        let is_apart = subcommand.len() < rest.len() && !text[..at].ends_with(is_word);
        let begins = |word: &&str| subcommand.strip_prefix(*word).is_some_and(ends_word);
        is_apart && subcommands.iter().any(begins)
    })
}

fn has_whole_word(words: &AhoCorasick, text: &str) -> bool {
    words
        .find_overlapping_iter(text)
        .any(|word| !text[..word.start()].ends_with(is_word) && ends_word(&text[word.end()..]))
}

fn changes_directory(text: &str) -> bool {
    FIND_MOVE.find_overlapping_iter(text).any(|word| {
        let before = &text[..word.start()];
        let begins = match MOVES[word.pattern().as_usize()] {
            "cd" | "pushd" => !before.ends_with(is_word),
            "-C" => before.is_empty() || before.ends_with(is_space),
            _ => true,
        };
        begins && ends_word(&text[word.end()..])
    })
}

fn ends_word(rest: &str) -> bool {
    !rest.starts_with(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::tool_calls::Call;

    fn with_write<T>(tool: &str, input: &str, look: impl Fn(Option<PossibleWrite>) -> T) -> T {
        let call = Call { id: "a", tool, input: Cow::Borrowed(input) };
        let parsed = ParsedCall::new(&call);
        look(PossibleWrite::of(&parsed, &Repeat::of(&parsed)))
    }

    fn bash<T>(command: &str, look: impl Fn(PossibleWrite) -> T) -> T {
        let input = serde_json::json!({ "command": command, "cwd": "/w" }).to_string();
        with_write("Bash", &input, |write| look(write.unwrap()))
    }

    #[test]
    fn only_what_is_known_to_write_nothing_is_no_write() {
        for (tool, input, writes) in [
            ("Read", "{}", false),
            ("TodoWrite", "{}", false),
            ("Skill", "{}", false),
            ("Bash", r#"{"command": "ls"}"#, false),
            ("Bash", r#"{"command": "ls", "background": true}"#, true),
            ("Bash", "{}", true),
            ("Edit", "{}", true),
            ("mcp__x__read", "{}", true),
        ] {
            assert_eq!(with_write(tool, input, |write| write.is_some()), writes, "{tool} {input}");
        }
    }

    #[test]
    fn git_changes_the_whole_worktree_with_some_commands() {
        let is_wholesale = |command| bash(command, |write| write.is_wholesale);
        for command in ["git checkout x", "cd a && git \u{2003}rm b", "git cherry-pick", "a/git am"]
        {
            assert!(is_wholesale(command), "{command}");
        }
        for command in ["git push", "git -C x reset", "legit reset", "git resets", "git\nreset"] {
            assert!(!is_wholesale(command), "{command}");
        }
    }

    #[test]
    fn some_programs_can_take_a_directory_away() {
        let is_destructive = |command| bash(command, |write| write.is_destructive);
        for command in ["rm -r src", "sudo rmdir x", "a;cp b c", "git clean", "git mv a b"] {
            assert!(is_destructive(command), "{command}");
        }
        for command in ["form x", "rm_x", "target", "git cleanup"] {
            assert!(!is_destructive(command), "{command}");
        }
    }

    #[test]
    fn an_opaque_call_stays_in_its_directory_unless_it_changes_it() {
        let reach = |command| bash(command, |write| write.reach);
        for command in ["make", "make -Cx", "abcd", "run --prefixed", "x-C y"] {
            assert_eq!(reach(command), Reach::Under("/w".to_owned()), "{command}");
        }
        for command in ["cd x && make", "make -C x", "npm --prefix=x i", "x--cwd", "pushd x"] {
            assert_eq!(reach(command), Reach::Anywhere, "{command}");
        }
        let of = |tool, input| with_write(tool, input, |write| write.unwrap().reach);
        assert_eq!(of("Bash", r#"{"command": "make", "cwd": "w"}"#), Reach::Anywhere);
        assert_eq!(of("mcp", "{}"), Reach::Anywhere);
        assert_eq!(of("Edit", r#"{"cwd": "/w"}"#), Reach::Nothing);
        assert_eq!(of("mcp", r#"{"cwd": "/w/../v/"}"#), Reach::Under("/v".to_owned()));
    }
}
