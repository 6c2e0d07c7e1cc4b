//! How a call could be repeated, from itself alone.

use super::super::parsed_call::{ParsedCall, is_true};
use super::super::paths;
use super::reads::FileRead;
use super::shell::{self, Simple};
use crate::python::is_word;

/// What a call runs or reads, and where.
#[derive(Debug, Clone)]
pub struct Repeat {
    /// What it runs in a shell.
    pub command: Option<Command>,
    /// The one file that it reads, by itself or by its command.
    pub read: Option<FileRead>,
    /// Its own working directory, as it names it.
    pub cwd: Option<Box<str>>,
    /// Whether it reads or runs where files may be gone by the time of another read.
    pub is_temporary: bool,
}

/// A shell command.
#[derive(Debug, Clone)]
pub struct Command {
    pub text: Box<str>,
    /// Its words, when it is a simple one.
    simple: Option<Simple>,
    /// Whether it can be run again and changes nothing.
    pub is_read_only: bool,
}

/// What a write must touch to change the output of a command.
#[derive(Debug, PartialEq, Eq)]
pub enum Watched<'c> {
    /// One of these; where there are none, no write changes it.
    Paths(Vec<&'c str>),
    /// Nobody can say: any write may change it.
    Anything,
}

impl Repeat {
    pub fn of(call: &ParsedCall) -> Repeat {
        let command = shell::command_of(call).map(|text| Command::new(&text));
        let simple = command.as_ref().and_then(|command| command.simple.as_ref());
        let read = FileRead::of(call, simple);
        let cwd = ["workdir", "cwd"].iter().filter_map(|key| call.input.get(*key));
        let cwd = cwd.into_iter().find(|value| is_true(value)).and_then(|value| value.as_str());
        let arguments = simple.map_or(&[][..], Simple::arguments).iter().map(String::as_str);
        let path = read.as_ref().map(|read| &*read.path);
        Repeat {
            is_temporary: arguments.chain(path).chain(cwd).any(paths::is_temporary),
            cwd: cwd.map(Into::into),
            command,
            read,
        }
    }
}

impl Command {
    fn new(text: &str) -> Command {
        let simple = Simple::parse(text);
        let is_read_only = simple.as_ref().is_some_and(Simple::is_read_only);
        Command { text: text.into(), simple, is_read_only }
    }

    /// The arguments that look like paths: a text that names one of them names the command.
    pub fn path_arguments(&self) -> impl Iterator<Item = &str> {
        self.plain_arguments().filter(|it| it.contains(['/', '.']) && it.contains(is_word))
    }

    /// What its output depends on. The value of an option counts as a path too, which only keeps
    /// more.
    pub fn watched(&self) -> Watched<'_> {
        let Some(simple) = &self.simple else { return Watched::Anything };
        let asks_version =
            matches!(simple.arguments(), [only] if only == "--version" || only == "-V");
        if simple.program() == "pwd" || asks_version {
            return Watched::Paths(Vec::new());
        }
        let paths: Vec<&str> = self.plain_arguments().collect();
        let is_wide = |path: &&str| {
            matches!(*path, "." | "./" | ".." | "~" | "/") || path.contains(['*', '?', '['])
        };
        if simple.program() == "git" || paths.is_empty() || paths.iter().any(is_wide) {
            return Watched::Anything;
        }
        Watched::Paths(paths)
    }

    fn plain_arguments(&self) -> impl Iterator<Item = &str> {
        let arguments = self.simple.as_ref().map_or(&[][..], Simple::arguments);
        arguments.iter().map(String::as_str).filter(|argument| !argument.starts_with('-'))
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::compact::tool_calls::Call;

    fn repeat(input: &str) -> Repeat {
        let call = Call { id: "a", tool: "Bash", input: Cow::Borrowed(input) };
        Repeat::of(&ParsedCall::new(&call))
    }

    #[test]
    fn what_lies_in_a_temporary_directory_may_be_gone() {
        for input in [
            r#"{"command": "cat /tmp/a"}"#,
            r#"{"command": "ls a /var/tmp/"}"#,
            r#"{"command": "ls", "cwd": "/private/tmp/x"}"#,
            r#"{"command": "cat a", "workdir": "", "cwd": "/dev/shm"}"#,
        ] {
            assert!(repeat(input).is_temporary, "{input}");
        }
        for input in [
            r#"{"command": "cat tmp/a"}"#,
            r#"{"command": "cat /tmpa"}"#,
            r#"{"command": "ls > /tmp/a"}"#,
            r#"{"command": "ls", "workdir": 1, "cwd": "/tmp"}"#,
        ] {
            assert!(!repeat(input).is_temporary, "{input}");
        }
    }

    #[test]
    fn a_command_watches_the_paths_that_it_names() {
        let watched = |command: &str| {
            let repeat = repeat(&serde_json::json!({ "command": command }).to_string());
            match repeat.command.unwrap().watched() {
                Watched::Anything => None,
                Watched::Paths(paths) => Some(paths.join("|")),
            }
        };
        assert_eq!(watched("grep -n x src/a.py").as_deref(), Some("x|src/a.py"));
        assert_eq!(watched("head -n 5 a").as_deref(), Some("5|a"));
        assert_eq!(watched("pwd x").as_deref(), Some(""));
        assert_eq!(watched("node --version").as_deref(), Some(""));
        for command in ["git show a.py", "ls", "ls -l", "ls a ..", "find src '*.py'", "ls a | wc"] {
            assert_eq!(watched(command), None, "{command}");
        }
    }
}
