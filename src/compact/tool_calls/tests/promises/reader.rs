//! Somebody who does what the text in place of an output says, and gets the output back. Nothing
//! of the engine is used for it: the notes are read as a person would read them.

use serde_json::Value;

use super::agent::{Machine, ROOT, absolute, numbered};
use super::generate::{Answered, Case};
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
        if let Some(place) = between(note, "[removed: re-read ", "]") {
            return self.read_again(place, case);
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

    /// `PATH[ (lines A-B)][ (cwd DIR)] to recover[; content verified …]`
    fn read_again(&self, place: &str, case: &Case) -> Found {
        let (place, proof) = place.rsplit_once(" to recover").unwrap();
        let (place, cwd) = cut_off(place, " (cwd ");
        let (path, lines) = cut_off(place, " (lines ");
        let path = absolute(path, cwd.unwrap_or("/nowhere"));
        let is_on_disk = !proof.is_empty();
        if !is_on_disk && !case.is_true.contains(self.id) {
            return Found::Untold;
        }
        let text = match is_on_disk {
            true => on_disk(case, &path),
            false => case.machine.text(&path).unwrap().to_owned(),
        };
        let shown = lines.map_or_else(|| text.clone(), |lines| file_lines_of(&text, lines));
        let first = lines.map_or(1, |lines| lines.split_once('-').unwrap().0.parse().unwrap());
        // The same tool shows it the same way: with numbers where it put them before.
        let tool = self.decision["tool"].as_str().unwrap();
        let is_reader = ["Read", "view", "NotebookRead", "read_file"].contains(&tool);
        let is_numbered = is_reader && !rows(self.old).is_empty();
        Found::Lines(if is_numbered { numbered(&shown, first) } else { shown })
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
            true => Found::Run(case.machine.run(command, cwd)),
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
            Found::Lines(text) => {
                let [found, was] = [text, output].map(body);
                match (rows(found), rows(was)) {
                    (found, was) if !was.is_empty() => found == was,
                    _ => unended(found) == unended(was),
                }
            }
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
            Found::Lines(_) => "lines",
            Found::Ends(..) => "ends",
            Found::Untold => "untold",
        }
    }
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    text.strip_prefix(start)?.strip_suffix(end)
}

/// What stands before a last part in brackets, and in it.
fn cut_off<'t>(text: &'t str, opening: &str) -> (&'t str, Option<&'t str>) {
    match text.strip_suffix(')').and_then(|text| text.rsplit_once(opening)) {
        Some((before, inside)) => (before, Some(inside)),
        None => (text, None),
    }
}

fn range(lines: &str) -> (usize, usize) {
    let (first, last) = lines.split_once('-').unwrap();
    (first.parse().unwrap(), last.parse().unwrap())
}

fn lines_of(text: &str, lines: &str) -> String {
    let (first, last) = range(lines);
    let all: Vec<&str> = text.split('\n').collect();
    all[first - 1..last].join("\n")
}

fn file_lines_of(text: &str, lines: &str) -> String {
    let (first, last) = range(lines);
    text.split_inclusive('\n').take(last).skip(first - 1).collect()
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

/// An output without the header that a shell puts before it.
fn body(output: &str) -> &str {
    match output.strip_prefix("Chunk ID: ").and_then(|rest| rest.split_once("\nOutput:\n")) {
        Some((_, body)) => body,
        None => output,
    }
}

/// An output without the lines of its header that differ from run to run.
fn without_run(output: &str) -> Vec<&str> {
    let is_run = |line: &&str| line.starts_with("Chunk ID: ") || line.starts_with("Wall time: ");
    match body(output) {
        body if body.len() == output.len() => output.split('\n').collect(),
        body => {
            let header = output[..output.len() - body.len()].split('\n');
            header.filter(|line| !is_run(line)).chain(body.split('\n')).collect()
        }
    }
}

/// The numbered lines of a reader; none when it numbered nothing. An empty line behind the last
/// line feed is no line of the file.
fn rows(text: &str) -> Vec<(usize, &str)> {
    let lines = text.trim_end_matches('\n').split('\n');
    let mut rows: Vec<(usize, &str)> = lines.map(row).collect::<Option<_>>().unwrap_or_default();
    if rows.len() > 1 && rows.last().is_some_and(|(_, line)| line.is_empty()) {
        rows.pop();
    }
    rows
}

fn unended(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

/// The number before a line, and the line.
fn row(row: &str) -> Option<(usize, &str)> {
    let (number, line) = row.split_once('\t')?;
    Some((number.trim().parse().ok()?, line))
}
