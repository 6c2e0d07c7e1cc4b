//! Shell commands: what a call runs, and which commands can be run again and change nothing.
//!
//! What counts as a simple command, and the allowlist, are the reference's. A command that is not
//! understood is not on it: that only keeps more.

use std::borrow::Cow;

use serde_json::Value;

use super::super::parsed_call::{ParsedCall, is_true};
use super::super::paths;
use crate::python::is_space;

/// Tools that run a command: Claude's, Codex's and Hermes' names for them.
const SHELLS: [&str; 6] =
    ["Bash", "exec_command", "shell", "local_shell", "container.exec", "terminal"];
/// With one of these a command chains, redirects or computes: it is not simple.
const NOT_SIMPLE: [char; 11] = ['|', ';', '&', '<', '>', '`', '$', '\n', '\\', '(', ')'];
/// What `shlex` takes for white space between words.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];
/// Programs whose version may be asked for.
const VERSIONED: [&str; 17] = [
    "python", "python3", "node", "npm", "git", "pip", "pip3", "uv", "bun", "deno", "rustc",
    "cargo", "ruby", "go", "tsc", "docker", "pnpm",
];
/// Programs that read what they are sent when they are given no file.
const FILTERS: [&str; 5] = ["cat", "head", "tail", "nl", "wc"];
/// Options of `find` that run something or write a file.
const FIND_ACTS: [&str; 9] =
    ["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"];
/// Options whose value is the next word.
const WITH_VALUE: [&str; 6] = ["-n", "-c", "--lines", "--bytes", "-e", "-f"];

/// The command that a call runs. `None` when it runs none, or runs it in the background: the
/// result is then no output.
pub fn command_of<'c>(call: &'c ParsedCall) -> Option<Cow<'c, str>> {
    if !SHELLS.contains(&call.tool) || call.input.get("background").is_some_and(is_true) {
        return None;
    }
    match call.input.get("command").or_else(|| call.input.get("cmd"))? {
        Value::String(command) => {
            (!command.chars().all(is_space)).then_some(Cow::Borrowed(command.as_str()))
        }
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
            Some(command_of_words(&words))
        }
        _ => None,
    }
}

/// Codex's `shell` is given words, and mostly `bash -lc COMMAND`.
fn command_of_words<'c>(words: &[&'c str]) -> Cow<'c, str> {
    match words {
        [shell, "-c" | "-lc", command]
            if matches!(paths::after_last_slash(shell), "bash" | "sh" | "zsh") =>
        {
            Cow::Borrowed(command)
        }
        _ => Cow::Owned(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
    }
}

/// `shlex.quote`
fn quoted(word: &str) -> Cow<'_, str> {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(is_safe) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\"'\"'")))
}

/// A simple command, split into words: a program and its arguments.
#[derive(Debug, Clone)]
pub struct Simple {
    words: Vec<String>,
}

impl Simple {
    /// `None` for what is no simple command: a chain or a pipe, one that sets its environment,
    /// and a program named by its path, which may be any script.
    pub fn parse(command: &str) -> Option<Simple> {
        if command.contains(NOT_SIMPLE) {
            return None;
        }
        let words = split(command)?;
        let program = words.first()?;
        let is_elsewhere = program.contains('/')
            && !program.starts_with("/bin/")
            && !program.starts_with("/usr/bin/");
        (!program.contains('=') && program != "env" && !is_elsewhere).then_some(Simple { words })
    }

    pub fn program(&self) -> &str {
        self.words.first().map_or("", |program| paths::after_last_slash(program))
    }

    pub fn arguments(&self) -> &[String] {
        self.words.get(1..).unwrap_or(&[])
    }

    /// Whether it is on the allowlist: running it again changes nothing and answers for itself.
    pub fn is_read_only(&self) -> bool {
        let arguments = self.arguments();
        let has = |is: fn(&str) -> bool| arguments.iter().any(|argument| is(argument));
        if has(|argument| argument == "-" || paths::is_special(argument)) {
            return false;
        }
        let program = self.program();
        if FILTERS.contains(&program) && self.operands().count() == 0 {
            return false;
        }
        if matches!(arguments, [only] if only == "--version") && VERSIONED.contains(&program) {
            return true;
        }
        match program {
            "python" | "python3" => matches!(arguments, [only] if only == "-V"),
            "grep" | "egrep" | "fgrep" => {
                self.operands().count() >= 2 || has(|it| has_short(it, ['r', 'R']))
            }
            "ls" | "pwd" | "wc" | "cat" | "head" | "nl" => true,
            // It writes a file with -o, and with -R beside -H.
            "tree" => !has(|it| it.starts_with("--o") || has_short(it, ['o', 'R'])),
            "tail" => !has(|it| may_mean(it, &["follow", "retry"]) || has_short(it, ['f', 'F'])),
            "rg" => !has(|it| it.starts_with("--pre")),
            "find" => !has(|it| FIND_ACTS.contains(&it)),
            "sed" => self.sed_lines().is_some(),
            "git" => {
                let reads = ["status", "diff", "log", "show"];
                arguments.first().is_some_and(|first| reads.contains(&first.as_str()))
                    && !has(|it| may_mean(it, &["output", "ext-diff"]))
            }
            _ => false,
        }
    }

    /// The digits of the first and last line, and the file, of `sed -n 'A,Bp' FILE`. Every other
    /// `sed` may do anything.
    pub fn sed_lines(&self) -> Option<(&str, &str, &str)> {
        let [quiet, script, file] = self.arguments() else { return None };
        if quiet != "-n" || file.starts_with('-') {
            return None;
        }
        let range = script.strip_suffix('p')?;
        let (first, last) = range.split_once(',').unwrap_or((range, range));
        let is_number = |digits: &str| {
            !digits.starts_with('0')
                && !digits.is_empty()
                && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        // `12,5p` prints line 12 alone, which is no range that a pointer could name.
        let ascends = (first.len(), first) <= (last.len(), last);
        (is_number(first) && is_number(last) && ascends).then_some((first, last, file))
    }

    /// The arguments that are neither options nor the value of one.
    fn operands(&self) -> impl Iterator<Item = &str> {
        let mut is_value = false;
        self.arguments().iter().map(String::as_str).filter(move |argument| {
            if std::mem::take(&mut is_value) {
                return false;
            }
            is_value = WITH_VALUE.contains(argument);
            !is_value && (*argument == "-" || !argument.starts_with('-'))
        })
    }
}

/// Whether an argument is a group of short options with one of these among them.
fn has_short(argument: &str, options: [char; 2]) -> bool {
    argument.starts_with('-') && !argument.starts_with("--") && argument.contains(options)
}

/// Whether a program may take a long option for one of these: it may be given in part, or be
/// followed by more.
fn may_mean(argument: &str, options: &[&str]) -> bool {
    let Some(option) = argument.strip_prefix("--") else { return false };
    let name = option.split('=').next().unwrap_or(option);
    options
        .iter()
        .any(|known| option.starts_with(known) || (!name.is_empty() && known.starts_with(name)))
}

/// `shlex.split` of a command without backslashes; `None` when a quote is left open.
fn split(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if BLANKS.contains(&c) => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::compact::tool_calls::Call;

    fn command(tool: &str, input: &str) -> Option<String> {
        let call = Call { id: "a", tool, input: Cow::Borrowed(input) };
        command_of(&ParsedCall::new(&call)).map(Cow::into_owned)
    }

    fn is_read_only(command: &str) -> bool {
        Simple::parse(command).is_some_and(|command| command.is_read_only())
    }

    #[test]
    fn a_command_may_be_words() {
        let shell = |words: &str| command("shell", &format!(r#"{{"command": {words}}}"#)).unwrap();
        assert_eq!(shell(r#"["/bin/bash", "-lc", "ls  x"]"#), "ls  x");
        assert_eq!(shell(r#"["fish", "-c", "ls"]"#), "fish -c ls");
        assert_eq!(
            shell(r#"["a b", "", "it's", "é", "x=1:,./@%+-"]"#),
            r#"'a b' '' 'it'"'"'s' 'é' x=1:,./@%+-"#
        );
        assert_eq!(shell("[]"), "");
    }

    #[test]
    fn what_is_no_command_of_a_shell_is_none() {
        assert_eq!(command("Bash", r#"{"cmd": "ls"}"#).as_deref(), Some("ls"));
        for (tool, input) in [
            ("Read", r#"{"command": "ls"}"#),
            ("Bash", r#"{"command": "ls", "background": 1}"#),
            ("Bash", r#"{"command": null, "cmd": "ls"}"#),
            ("Bash", r#"{"command": "\u001f "}"#),
            ("Bash", r#"{"command": ["ls", 1]}"#),
            ("Bash", "{}"),
        ] {
            assert_eq!(command(tool, input), None, "{tool} {input}");
        }
        assert_eq!(
            command("Bash", r#"{"command": "ls", "background": 0.0}"#).as_deref(),
            Some("ls")
        );
    }

    #[test]
    fn words_are_split_as_a_shell_splits_them() {
        let words = |command| split(command).map(|words| words.join("|"));
        assert_eq!(words("a  'b c'\"d\" ''\te").as_deref(), Some("a|b cd||e"));
        assert_eq!(words("a\u{a0}b # c").as_deref(), Some("a\u{a0}b|#|c"));
        assert_eq!(words("it's"), None);
        assert_eq!(words("").as_deref(), Some(""));
    }

    #[test]
    fn the_allowlist_is_the_references() {
        for command in [
            "ls",
            "ls -la src",
            "/usr/bin/ls",
            "pwd",
            "cat a b",
            "wc -l a",
            "head -n 5 a",
            "tail -n 3 a",
            "tail --line=3 a",
            "tree -L 2",
            "rg x",
            "rg --files -g '*.rs'",
            "grep -r x",
            "grep x file",
            "grep -Rn x .",
            "find . -name '*.py'",
            "sed -n 2,9p f",
            "sed -n '7p' f",
            "git status",
            "git log --oneline",
            "git show HEAD",
            "git --version",
            "cargo --version",
            "python3 -V",
            "nl f",
        ] {
            assert!(is_read_only(command), "{command}");
        }
        for command in [
            "",
            "ls | wc",
            "ls; rm x",
            "echo $HOME",
            "cat",
            "cat -",
            "cat -n",
            "wc -c 4",
            "cat /dev/null",
            "ls /proc/1",
            "cat /private/sys",
            "head -n 5",
            "tail -f a",
            "tail -qf a",
            "tail --fol a",
            "tail --retry a",
            "tail --f=name a",
            "tree -o x",
            "tree --output x",
            "tree -HR .",
            "rg --pre cat x",
            "find . -delete",
            "grep x",
            "grep -e x",
            "sed 2p f",
            "sed -n 9,2p f",
            "sed -n 02p f",
            "sed -n 2,9p -i",
            "sed -i -n 2p",
            "git diff --output=x",
            "git diff --out x",
            "git log --ext-diff",
            "git push",
            "git",
            "A=1 ls",
            "env ls",
            "./ls",
            "bin/ls",
            "rustc -V",
            "node --version x",
            "'",
            "python3 x.py",
        ] {
            assert!(!is_read_only(command), "{command}");
        }
    }

    #[test]
    fn line_numbers_are_compared_whatever_their_size() {
        assert!(is_read_only("sed -n 99999999999999999999,100000000000000000000p f"));
        assert!(!is_read_only("sed -n 100000000000000000000,99999999999999999999p f"));
    }
}
