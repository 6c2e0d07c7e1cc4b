//! Somebody who does what the text in place of an output says, and gets the output back. Nothing
//! of the engine is used for it: the notes are read as a person would read them.

use serde_json::Value;

use super::agent::{Machine, ROOT, absolute};
use super::generate::{Answered, Case};
use super::shown::{Place, are_same_lines, between, body, range, without_run};
use crate::compact::tool_calls::Disk;

/// A result that came out with another text than it went in with.
pub struct Change<'a> {
    pub id: &'a str,
    pub old: &'a str,
    pub new: &'a str,
    /// What the answer says of its call.
    pub decision: &'a Value,
    /// The results of the answer that come after it.
    pub later: &'a [Value],
}

/// What was had again.
#[derive(Debug, PartialEq)]
pub enum Found {
    /// It must be the output itself.
    Output(String),
    /// It must be the output but for the lines that two runs of one command differ in.
    Run(String),
    /// What a command prints, which must be the output behind its header.
    Printed(String),
    /// The lines that a tool shows, which must be those of the output.
    Lines(String),
    /// The ends of the output, and how many characters were between them.
    Ends(String, usize, String),
    /// Nobody can tell: the machine never said what the output says.
    Untold,
}

impl Change<'_> {
    /// Follows the text that stands in the output's place.
    pub fn follow(&self, case: &Case, answered: &Answered) -> Found {
        let note = self.new;
        if let Some(id) = between(note, "[identical output kept at ", "]") {
            return Found::Run(self.later_result(id).to_owned());
        }
        if let Some(named) = between(note, "[output = lines ", "]") {
            let (range, id) = named.split_once(" of ").unwrap();
            return Found::Output(lines_of(self.later_result(id), range));
        }
        if let Some((_, named)) =
            between(note, "[removed: ", "]").and_then(|it| it.split_once(" tokens · lcc recall "))
        {
            let texts = answered.stash.texts();
            let mut found = texts.into_iter().filter(|(digest, _)| digest.starts_with(named));
            let (_, text) = found.next().expect("the stash holds what a pointer names");
            assert_eq!(found.next(), None, "two texts begin with {named}");
            return Found::Output(text);
        }
        if let Some(place) = Place::of(note) {
            return self.read_again(&place, case);
        }
        if let Some(place) = between(note, "[removed: re-run `", " to recover]") {
            return self.run_again(place, case);
        }
        self.ends()
    }

    fn later_result(&self, id: &str) -> &str {
        let mut named = self.later.iter().filter(|result| result["tool_use_id"] == id);
        let named = named.next().filter(|_| named.next().is_none());
        named.expect("one later result has the name")["text"].as_str().unwrap()
    }

    fn read_again(&self, place: &Place, case: &Case) -> Found {
        if !place.is_verified && !case.is_true.contains(self.id) {
            return Found::Untold;
        }
        let text = match place.is_verified {
            true => on_disk(case, &place.path),
            false => case.machine.text(&place.path).unwrap().to_owned(),
        };
        Found::Lines(place.shown(&text, self.decision["tool"].as_str().unwrap(), self.old))
    }

    /// ``CMD`[ in DIR]``
    fn run_again(&self, place: &str, case: &Case) -> Found {
        let (command, cwd) = place.rsplit_once('`').unwrap();
        let cwd = cwd.strip_prefix(" in ").unwrap_or(ROOT);
        if self.decision["recoverability_check"] == "disk" {
            let machine = on_disk_alone(case, command, cwd);
            return Found::Lines(machine.run(command, cwd));
        }
        match case.is_true.contains(self.id) {
            true => Found::Printed(case.machine.run(command, cwd)),
            false => Found::Untold,
        }
    }

    fn ends(&self) -> Found {
        if self.new.is_empty() {
            return Found::Ends(String::new(), self.old.chars().count(), String::new());
        }
        let parts = self.new.split_once("\n[... lcc: ");
        let (head, rest) = parts.unwrap_or_else(|| panic!("{} says nothing", self.new));
        let (removed, rest) = rest.split_once(" chars of this tool result dropped; ").unwrap();
        let tool = self.decision["tool"].as_str().unwrap();
        let again = format!("re-run {tool} for the rest ...]");
        let tail = rest.strip_prefix(&again).unwrap();
        let tail = tail.strip_prefix('\n').unwrap_or(tail);
        Found::Ends(head.to_owned(), removed.parse().unwrap(), tail.to_owned())
    }
}

impl Found {
    /// Whether it is what the output was.
    pub fn is_of(&self, output: &str) -> bool {
        match self {
            Found::Untold => true,
            Found::Output(text) => text == output,
            Found::Run(text) => text == output || without_run(text) == without_run(output),
            Found::Printed(text) => text == body(output),
            Found::Lines(text) => are_same_lines(text, output),
            Found::Ends(head, removed, tail) => {
                let chars = |text: &str| text.chars().count();
                output.starts_with(head)
                    && output.ends_with(tail)
                    && chars(head) + removed + chars(tail) == chars(output)
            }
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Found::Output(_) => "output",
            Found::Run(_) => "run",
            Found::Printed(_) => "print",
            Found::Lines(_) => "lines",
            Found::Ends(..) => "ends",
            Found::Untold => "untold",
        }
    }
}

fn lines_of(text: &str, lines: &str) -> String {
    let (first, last) = range(lines);
    let all: Vec<&str> = text.split('\n').collect();
    all[first - 1..last].join("\n")
}

/// What the disk holds by the time that the answer is there.
fn on_disk(case: &Case, path: &str) -> String {
    let disk = &case.disk_at_last;
    let file = disk.read(&disk.real_path(path), u64::MAX).unwrap();
    std::str::from_utf8(file.bytes()).unwrap().to_owned()
}

/// A machine with nothing but the file that a command names, as the disk has it.
fn on_disk_alone(case: &Case, command: &str, cwd: &str) -> Machine {
    let path = absolute(command.rsplit(' ').next().unwrap(), cwd);
    let text = on_disk(case, &path);
    Machine::with_file(path, text)
}
