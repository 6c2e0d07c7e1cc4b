//! What is written after a call: whether a read or a command of it may answer otherwise now.

use std::collections::{HashMap, HashSet};

use super::super::naming::file_name;
use super::super::parsed_call::ParsedCall;
use super::super::paths;
use super::names::Names;
use super::repeat::{Command, Repeat, Watched};
use super::writes::{PossibleWrite, Reach};

/// Every call of a transcript, how it could be repeated, and what may have been written since.
///
/// Calls come in one by one. Of each thing that can be written only the latest possible write is
/// kept, since that tells for every earlier call whether there was one after it. A name is looked
/// for in the calls after the first that asks about it, so no text is ever read twice.
#[derive(Debug, Clone, Default)]
pub struct Repeats {
    calls: Vec<Standing>,
    /// Last parts of paths.
    files: Names,
    /// Whole commands, without the white space around them.
    commands: Names,
    writes: Writes,
}

/// A call, and the numbers of what it names.
#[derive(Debug, Clone)]
pub struct Standing {
    pub repeat: Repeat,
    /// The absolute path that it reads.
    pub target: Option<Box<str>>,
    read: Option<u32>,
    /// The directories on the way to what it reads.
    directories: Box<[u32]>,
    command: Option<u32>,
    arguments: Box<[u32]>,
    /// What its command watches; `None` is anything.
    watched: Option<Box<[u32]>>,
}

/// The number of the latest call that may have written something of a kind, counting from 0.
type Latest = Option<usize>;

#[derive(Debug, Clone, Default)]
struct Writes {
    any: Latest,
    wholesale: Latest,
    /// Calls that may have written what they do not name.
    opaque: Latest,
    anywhere: Latest,
    /// By directory, without a slash at the end.
    under: HashMap<Box<str>, usize>,
    /// The lengths of those directories in bytes: a path has few parents of such a length.
    lengths: HashSet<usize>,
    /// By the number of a name.
    naming: Vec<Latest>,
    /// The same, of calls that can take a directory away.
    destroying: Vec<Latest>,
}

/// What a text names, of all that calls read and run.
pub struct Named {
    files: Vec<bool>,
    commands: Vec<bool>,
}

impl Repeats {
    pub fn add(&mut self, call: &ParsedCall) {
        let repeat = Repeat::of(call);
        let number = self.calls.len();
        if let Some(write) = PossibleWrite::of(call, &repeat) {
            self.writes.add(number, &write, &self.files);
        }
        let standing = self.standing(repeat);
        self.calls.push(standing);
    }

    pub fn call(&self, number: usize) -> &Standing {
        &self.calls[number]
    }

    /// Whether a later call may have written the file that this one reads.
    pub fn is_file_written_after(&self, number: usize) -> bool {
        let call = &self.calls[number];
        let writes = &self.writes;
        let by_opaque = match &call.target {
            Some(target) => writes.anywhere.max(writes.latest_above(target)),
            None => writes.opaque,
        };
        let naming = call.read.and_then(|name| writes.naming_it(name));
        let destroying = call.directories.iter().filter_map(|name| writes.destroying_it(*name));
        let latest = by_opaque.max(writes.wholesale).max(naming).max(destroying.max());
        latest > Some(number)
    }

    /// Whether a later call may have changed what the command of this one shows.
    pub fn is_command_changed_after(&self, number: usize) -> bool {
        let writes = &self.writes;
        let by_paths = match &self.calls[number].watched {
            None => writes.any,
            Some(names) => names.iter().filter_map(|name| writes.naming_it(*name)).max(),
        };
        writes.opaque.max(writes.wholesale).max(by_paths) > Some(number)
    }

    /// What a text names.
    pub fn named_in(&self, text: &str) -> Named {
        let find = |names: &Names| {
            let mut found = vec![false; names.len()];
            names.find_in(text, |name| found[name as usize] = true);
            found
        };
        Named { files: find(&self.files), commands: find(&self.commands) }
    }

    fn standing(&mut self, repeat: Repeat) -> Standing {
        let files = &mut self.files;
        // A text that mentions a path mentions its last part: nothing but a slash is before it.
        let mut numbers = |paths: &mut dyn Iterator<Item = &str>| -> Box<[u32]> {
            let names = paths.map(file_name).filter(|name| !name.is_empty());
            names.map(|name| files.add(name)).collect()
        };
        let read = repeat.read.as_ref().map(|read| &*read.path);
        let command = repeat.command.as_ref();
        let read_name = numbers(&mut read.into_iter()).first().copied();
        let directories = numbers(&mut read.into_iter().flat_map(directories_of));
        let arguments = numbers(&mut command.into_iter().flat_map(Command::path_arguments));
        let watched = match command.map(Command::watched) {
            Some(Watched::Paths(paths)) => Some(numbers(&mut paths.into_iter())),
            Some(Watched::Anything) | None => None,
        };
        let text = command.map(|command| &*command.text).filter(|text| !text.is_empty());
        Standing {
            command: text.map(|text| self.commands.add(text.trim_matches(crate::python::is_space))),
            target: repeat
                .read
                .as_ref()
                .and_then(|read| read.target(repeat.cwd.as_deref()))
                .map(Into::into),
            read: read_name,
            directories,
            arguments,
            watched,
            repeat,
        }
    }
}

impl Named {
    /// Whether the text names what a call reads or runs.
    pub fn has(&self, call: &Standing) -> bool {
        let mut files = call.read.iter().chain(&call.arguments);
        call.command.is_some_and(|command| self.commands[command as usize])
            || files.any(|file| self.files[*file as usize])
    }
}

impl Writes {
    fn add(&mut self, call: usize, write: &PossibleWrite, names: &Names) {
        self.any = Some(call);
        if write.is_wholesale {
            self.wholesale = Some(call);
        }
        match &write.reach {
            Reach::Nothing => {}
            Reach::Anywhere => (self.opaque, self.anywhere) = (Some(call), Some(call)),
            Reach::Under(directory) => {
                self.opaque = Some(call);
                let directory = paths::comparable(directory).trim_end_matches('/');
                self.lengths.insert(directory.len());
                self.under.insert(directory.into(), call);
            }
        }
        self.naming.resize(names.len(), None);
        self.destroying.resize(names.len(), None);
        names.find_in(&write.text, |name| {
            self.naming[name as usize] = Some(call);
            if write.is_destructive {
                self.destroying[name as usize] = Some(call);
            }
        });
    }

    fn naming_it(&self, name: u32) -> Latest {
        self.naming.get(name as usize).copied().flatten()
    }

    fn destroying_it(&self, name: u32) -> Latest {
        self.destroying.get(name as usize).copied().flatten()
    }

    /// The latest call that may have written anything in a directory above this path, or at it.
    fn latest_above(&self, path: &str) -> Latest {
        let path = paths::comparable(path);
        let ends = memchr::memchr_iter(b'/', path.as_bytes()).chain([0, path.len()]);
        let above = ends.filter(|end| self.lengths.contains(end)).map(|end| &path[..end]);
        above.filter_map(|directory| self.under.get(directory).copied()).max()
    }
}

/// The directories on the way to a path, as far as they have names.
fn directories_of(path: &str) -> impl Iterator<Item = &str> {
    let path = path.trim_end_matches('/');
    let named = path.find(|c| !matches!(c, '.' | '/' | '~')).unwrap_or(path.len());
    let ends = memchr::memchr_iter(b'/', path.as_bytes()).filter(move |&end| end > named);
    // A slash behind another one ends the same directory.
    ends.filter(|&end| !path[..end].ends_with('/')).map(|end| &path[..end])
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::super::naming::{mentions, names_file};
    use super::super::super::transcript::Call;
    use super::*;

    /// What the definition says, by looking at every later call.
    struct Plain<'c> {
        repeat: Repeat,
        write: Option<PossibleWrite<'c>>,
    }

    fn is_file_written(calls: &[Plain], number: usize) -> bool {
        let repeat = &calls[number].repeat;
        let Some(read) = &repeat.read else { return false };
        let target = read.target(repeat.cwd.as_deref());
        calls[number + 1..].iter().filter_map(|call| call.write.as_ref()).any(|write| {
            let is_reached = match (&write.reach, &target) {
                (Reach::Nothing, _) => false,
                (Reach::Under(directory), Some(target)) => paths::lies_in(target, directory),
                (Reach::Anywhere | Reach::Under(_), _) => true,
            };
            let mut above = directories_of(&read.path);
            is_reached
                || write.is_wholesale
                || names_file(&write.text, &read.path)
                || write.is_destructive && above.any(|path| names_file(&write.text, path))
        })
    }

    fn is_command_changed(calls: &[Plain], number: usize) -> bool {
        let Some(command) = &calls[number].repeat.command else { return false };
        let watched = command.watched();
        calls[number + 1..].iter().filter_map(|call| call.write.as_ref()).any(|write| {
            write.is_wholesale
                || write.reach != Reach::Nothing
                || match &watched {
                    Watched::Anything => true,
                    Watched::Paths(paths) => paths.iter().any(|path| names_file(&write.text, path)),
                }
        })
    }

    fn is_named(repeat: &Repeat, text: &str) -> bool {
        let command = repeat.command.as_ref().filter(|command| !command.text.is_empty());
        repeat.read.as_ref().is_some_and(|read| names_file(text, &read.path))
            || command.is_some_and(|command| {
                mentions(text, command.text.trim())
                    || command.path_arguments().any(|path| names_file(text, path))
            })
    }

    fn path() -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec!["a", "b.py", "src", "..", "c d", "", "~", "é-x"]);
        (any::<bool>(), prop::collection::vec(part, 1..4)).prop_map(|(is_absolute, parts)| {
            format!("{}{}", if is_absolute { "/" } else { "" }, parts.join("/"))
        })
    }

    fn cwd() -> impl Strategy<Value = Value> {
        prop::sample::select(vec![
            json!(null),
            json!("/src"),
            json!("/"),
            json!("a"),
            json!("/a/src"),
        ])
    }

    fn call() -> impl Strategy<Value = (&'static str, Value)> {
        let command = prop::sample::select(vec![
            "cat",
            "grep x",
            "sed -n 2p",
            "tail -n 5",
            "ls",
            "git status",
            "rm",
            "make",
            "cd",
            "git checkout",
            "echo hi >",
            "mv x",
            "pwd",
        ]);
        prop_oneof![
            (path(), cwd()).prop_map(|(path, cwd)| ("Read", json!({"path": path, "cwd": cwd}))),
            (path(), cwd()).prop_map(|(path, cwd)| ("Edit", json!({"path": path, "cwd": cwd}))),
            (path(), path())
                .prop_map(|(a, b)| ("Edit", json!({"path": a, "new": format!("rm {b}")}))),
            (command, path(), cwd()).prop_map(|(command, path, cwd)| {
                ("Bash", json!({"command": format!("{command} {path}"), "cwd": cwd}))
            }),
        ]
    }

    #[test]
    fn directories_on_the_way_are_those_that_have_names_each_once() {
        let directories = |path| directories_of(path).collect::<Vec<_>>();
        assert_eq!(directories("/a//b/./c/"), ["/a", "/a//b", "/a//b/."]);
        assert_eq!(directories("~/..///x/f"), ["~/..///x"]);
        for path in ["", "/", "f", "/f", "./f", "//.//~/f", "f///"] {
            assert!(directories(path).is_empty(), "{path}");
        }
    }

    #[test]
    fn slashes_and_dots_by_the_million_are_passed_over_once() {
        let dots = format!("/w/{}f", "./".repeat(500_000));
        for path in [format!("{}f", "/".repeat(1_000_000)), format!("/w{}f", "/".repeat(1_000_000))]
        {
            assert!(directories_of(&path).count() <= 1);
        }
        assert_eq!(directories_of(&dots).count(), 500_001);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

        #[test]
        fn later_writes_are_found_as_by_looking_at_every_call(
            calls in prop::collection::vec(call(), 1..12), text in "(b\\.py|src|cat|pwd|[ ./\n-]){0,9}"
        ) {
            let inputs: Vec<String> = calls.iter().map(|(_, input)| input.to_string()).collect();
            let calls: Vec<Call> = calls.iter().zip(&inputs)
                .map(|((tool, _), input)| Call { id: "a", tool, input: Cow::Borrowed(input) })
                .collect();
            let parsed: Vec<ParsedCall> = calls.iter().map(ParsedCall::new).collect();
            let mut repeats = Repeats::default();
            parsed.iter().for_each(|call| repeats.add(call));
            let plain: Vec<Plain> = parsed.iter().map(|call| {
                let repeat = Repeat::of(call);
                Plain { write: PossibleWrite::of(call, &repeat), repeat }
            }).collect();
            let named = repeats.named_in(&text);
            for (number, call) in plain.iter().enumerate() {
                if call.repeat.read.is_some() {
                    prop_assert_eq!(repeats.is_file_written_after(number), is_file_written(&plain, number));
                }
                if call.repeat.command.as_ref().is_some_and(|command| command.is_read_only) {
                    let is_changed = is_command_changed(&plain, number);
                    prop_assert_eq!(repeats.is_command_changed_after(number), is_changed);
                }
                prop_assert_eq!(named.has(repeats.call(number)), is_named(&call.repeat, &text));
            }
        }
    }
}
