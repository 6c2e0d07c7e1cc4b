//! Reads of one file, and which of its lines they show.

use serde_json::Value;

use super::super::parsed_call::{ParsedCall, is_true};
use super::super::paths;
use super::output::Output;
use super::shell::Simple;
use crate::python::decimal_value;

/// Tools that read a file by themselves.
const READERS: [&str; 4] = ["Read", "view", "read_file", "NotebookRead"];

pub fn is_reader(tool: &str) -> bool {
    READERS.contains(&tool)
}

/// A read of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRead {
    /// As the call names it; may be empty, and need not be absolute.
    pub path: Box<str>,
    pub part: Part,
}

/// The part of a file that a call asks for. Lines count from 1; a number beyond 64 bits is the
/// largest there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it, by a reader, which may number the lines.
    Viewed,
    /// By a reader, from a line on, and at most so many lines.
    Numbered { offset: Bound, limit: Bound },
    /// All of it, by a command.
    Whole,
    /// By a command, from the first to the last of these lines.
    Lines(u64, u64),
    /// By a command, the last so many lines.
    Last(u64),
    /// By a command, nothing.
    Nothing,
}

/// A number that a call gives, or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Absent,
    Given(i64),
    /// It is no whole number.
    Unclear,
}

/// The lines that a pointer names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    All,
    /// From the first to the last, counting from 1.
    Range(usize, usize),
    /// Nobody can say which lines the output is: nothing is guessed, nothing is clamped.
    Unknown,
}

impl FileRead {
    /// What a call reads, if it reads one file whose name is plain. `command` is what it runs.
    pub fn of(call: &ParsedCall, command: Option<&Simple>) -> Option<FileRead> {
        let by_reader = is_reader(call.tool);
        let read = if by_reader { by_reader_of(call)? } else { by_command(command?)? };
        // A shell may make several files of these, or another one.
        let is_expanded =
            |path: &str| path.contains(['*', '?', '[', ']', '{', '}']) || path.starts_with('~');
        let is_plain = &*read.path != "-"
            && !paths::is_special(&read.path)
            && (by_reader || !is_expanded(&read.path));
        is_plain.then_some(read)
    }

    /// The absolute path, as a text: `None` when it is relative to a directory that is not known.
    pub fn target(&self, cwd: Option<&str>) -> Option<String> {
        if self.path.starts_with('/') {
            return Some(paths::normal(&self.path));
        }
        let cwd = cwd.filter(|cwd| cwd.starts_with('/'))?;
        Some(paths::normal(&paths::join(cwd, &self.path)))
    }

    /// The lines that a pointer to this read names, in place of an output.
    pub fn lines(&self, output: &Output) -> Lines {
        match (self.part, output.numbered) {
            (Part::Viewed, None) | (Part::Whole, _) => Lines::All,
            (Part::Viewed, Some(shown)) if shown.first == 1 => Lines::All,
            (Part::Viewed, Some(shown)) => Lines::Range(shown.first, shown.last()),
            (Part::Numbered { offset, limit }, Some(shown))
                if offset.is_where(shown.first) && limit.allows(shown.count) =>
            {
                Lines::Range(shown.first, shown.last())
            }
            (Part::Lines(first, last), _) => {
                let is_filled = output.file_lines().count() as u64 == last - first + 1;
                match (usize::try_from(first), usize::try_from(last)) {
                    (Ok(first), Ok(last)) if is_filled && last != usize::MAX => {
                        Lines::Range(first, last)
                    }
                    _ => Lines::Unknown,
                }
            }
            (Part::Numbered { .. } | Part::Last(_) | Part::Nothing, _) => Lines::Unknown,
        }
    }
}

impl Bound {
    fn of(value: Option<&Value>) -> Bound {
        match value {
            None | Some(Value::Null) => Bound::Absent,
            // Python counts true and false among the whole numbers.
            Some(Value::Bool(flag)) => Bound::Given(i64::from(*flag)),
            Some(Value::Number(number)) => whole(number.as_str()),
            Some(_) => Bound::Unclear,
        }
    }

    /// Whether a read from here on begins with this line. It begins at 1 at the earliest.
    fn is_where(self, first: usize) -> bool {
        match self {
            Bound::Absent => true,
            Bound::Given(offset) => u64::try_from(offset.max(1)) == Ok(first as u64),
            Bound::Unclear => false,
        }
    }

    fn allows(self, lines: usize) -> bool {
        match self {
            Bound::Absent => true,
            Bound::Given(limit) => u64::try_from(limit).is_ok_and(|limit| lines as u64 <= limit),
            Bound::Unclear => false,
        }
    }
}

/// A whole number as it is written, however many digits it has.
fn whole(literal: &str) -> Bound {
    if literal.contains(['.', 'e', 'E']) {
        return Bound::Unclear;
    }
    let beyond = if literal.starts_with('-') { i64::MIN } else { i64::MAX };
    Bound::Given(literal.parse().unwrap_or(beyond))
}

fn by_reader_of(call: &ParsedCall) -> Option<FileRead> {
    let named =
        ["file_path", "path", "notebook_path"].iter().filter_map(|key| call.input.get(*key));
    let path = named.into_iter().find(|value| is_true(value))?.as_str()?;
    let given = |key: &str| call.input.get(key).filter(|value| !value.is_null());
    if given("pages").is_some() || given("view_range").is_some() {
        return None;
    }
    let (offset, limit) = (Bound::of(given("offset")), Bound::of(given("limit")));
    let part = match (offset, limit) {
        (Bound::Absent, Bound::Absent) => Part::Viewed,
        _ => Part::Numbered { offset, limit },
    };
    Some(FileRead { path: path.into(), part })
}

fn by_command(command: &Simple) -> Option<FileRead> {
    if !command.is_read_only() {
        return None;
    }
    let (path, part) = match (command.program(), command.arguments()) {
        ("cat", [path]) => (path.as_str(), Part::Whole),
        ("sed", _) => {
            let (first, last, path) = command.sed_lines()?;
            (path, Part::Lines(digits(first)?, digits(last)?))
        }
        ("head", arguments) => {
            let (count, path) = counted(arguments)?;
            (path, if count == 0 { Part::Nothing } else { Part::Lines(1, count) })
        }
        ("tail", arguments) => {
            let (count, path) = counted(arguments)?;
            (path, Part::Last(count))
        }
        _ => return None,
    };
    (!path.starts_with('-')).then(|| FileRead { path: path.into(), part })
}

/// How many lines `head` or `tail` shows, and of what: `[-n COUNT | -COUNT] FILE`.
fn counted(arguments: &[String]) -> Option<(u64, &str)> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (count, path) = match arguments[..] {
        ["-n", count, path] if is_digits(count) => (digits(count)?, path),
        [count, path] if is_short_count(count) => (digits(&count[1..])?, path),
        [path] => (10, path),
        _ => return None,
    };
    Some((count, path))
}

/// `str.isdigit`, less what Python cannot make a number of.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| decimal_value(c).is_some())
}

fn is_short_count(argument: &str) -> bool {
    let digits = argument.strip_prefix('-').unwrap_or("");
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number that decimal digits of any script write; the largest where it has more than 64 bits.
fn digits(text: &str) -> Option<u64> {
    text.chars().try_fold(0_u64, |number, c| {
        let digit = u64::from(decimal_value(c)?);
        Some(number.saturating_mul(10).saturating_add(digit))
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::output::Shape;
    use super::super::repeat::Repeat;
    use super::*;
    use crate::compact::tool_calls::Call;

    fn read(tool: &str, input: &str) -> Option<FileRead> {
        let call = Call { id: "a", tool, input: Cow::Borrowed(input) };
        Repeat::of(&ParsedCall::new(&call)).read
    }

    fn shell(command: &str) -> Option<(String, Part)> {
        let input = serde_json::json!({ "command": command }).to_string();
        read("Bash", &input).map(|read| (read.path.into(), read.part))
    }

    fn lines(tool: &str, input: &str, output: &str) -> Lines {
        read(tool, input).unwrap().lines(&Shape::of(output).of_text(output))
    }

    #[test]
    fn a_command_reads_one_file_or_none() {
        for (command, path, part) in [
            ("cat 'my file'", "my file", Part::Whole),
            ("cat ''", "", Part::Whole),
            ("sed -n '2,5p' f", "f", Part::Lines(2, 5)),
            ("head f", "f", Part::Lines(1, 10)),
            ("head -n 007 f", "f", Part::Lines(1, 7)),
            ("head -n ٣ f", "f", Part::Lines(1, 3)),
            ("head -0 f", "f", Part::Nothing),
            ("head -n 99999999999999999999 f", "f", Part::Lines(1, u64::MAX)),
            ("tail -3 f", "f", Part::Last(3)),
            ("/bin/tail -n 0 f", "f", Part::Last(0)),
        ] {
            assert_eq!(shell(command), Some((path.to_owned(), part)), "{command}");
        }
        for command in [
            "cat a b",
            "cat -n a",
            "cat *.py",
            "cat a[1]",
            "cat {a,b}",
            "cat ~/a",
            "cat /dev/tty",
            "cat -",
            "head -n ² f",
            "head -c 5 f",
            "head -n 5 a b",
            "tail -n +3 f",
            "tail -f f",
            "nl f",
            "ls f",
            "head -5",
            "sed -n 2p /proc/cpuinfo",
            "cat f | head",
            "grep x f",
        ] {
            assert_eq!(shell(command), None, "{command}");
        }
    }

    #[test]
    fn a_reader_names_a_file_whole_or_in_part() {
        let part = |input| read("Read", input).map(|read| (read.path, read.part));
        let numbered = |offset, limit| Part::Numbered { offset, limit };
        assert_eq!(
            part(r#"{"path": "~/a*", "file_path": ""}"#),
            Some(("~/a*".into(), Part::Viewed))
        );
        assert_eq!(
            part(r#"{"path": "a", "offset": true, "limit": -99999999999999999999}"#),
            Some(("a".into(), numbered(Bound::Given(1), Bound::Given(i64::MIN))))
        );
        assert_eq!(
            part(r#"{"path": "a", "offset": 2.0}"#),
            Some(("a".into(), numbered(Bound::Unclear, Bound::Absent)))
        );
        for input in [
            r#"{"file_path": ["a"], "path": "b"}"#,
            r#"{"path": "a", "pages": ""}"#,
            r#"{"path": "a", "view_range": []}"#,
            r#"{"path": "/dev/stdin"}"#,
            r#"{"path": "-"}"#,
            "{}",
        ] {
            assert_eq!(part(input), None, "{input}");
        }
    }

    #[test]
    fn a_numbered_read_names_the_lines_that_it_shows() {
        let whole = r#"{"path": "a"}"#;
        assert_eq!(lines("Read", whole, "1\tx\n2\ty"), Lines::All);
        assert_eq!(lines("Read", whole, "x\ny"), Lines::All);
        assert_eq!(lines("Read", whole, " 4→x\n 5→y\n"), Lines::Range(4, 5));
        assert_eq!(lines("Read", whole, "4\tx\n6\ty"), Lines::All);
        for (input, shown) in [
            (r#"{"path": "a", "offset": 4}"#, Lines::Range(4, 5)),
            (r#"{"path": "a", "offset": 4, "limit": 2}"#, Lines::Range(4, 5)),
            (r#"{"path": "a", "limit": 9}"#, Lines::Range(4, 5)),
            (r#"{"path": "a", "offset": 3}"#, Lines::Unknown),
            (r#"{"path": "a", "offset": 4, "limit": 1}"#, Lines::Unknown),
            (r#"{"path": "a", "offset": 4.0}"#, Lines::Unknown),
            (r#"{"path": "a", "limit": "2"}"#, Lines::Unknown),
            (r#"{"path": "a", "limit": -1}"#, Lines::Unknown),
        ] {
            assert_eq!(lines("Read", input, "4\tx\n5\ty"), shown, "{input}");
        }
        assert_eq!(lines("Read", r#"{"path": "a", "offset": -2}"#, "1\tx"), Lines::Range(1, 1));
        assert_eq!(lines("Read", r#"{"path": "a", "limit": 5}"#, "x"), Lines::Unknown);
    }

    #[test]
    fn a_range_that_the_output_does_not_fill_is_not_guessed() {
        let sed = |range: &str, output| {
            lines("Bash", &format!(r#"{{"command": "sed -n {range}p f"}}"#), output)
        };
        assert_eq!(sed("3,4", "a\nb\n"), Lines::Range(3, 4));
        assert_eq!(sed("3,4", "a\n\n"), Lines::Range(3, 4));
        assert_eq!(sed("3,4", "Wall time: 1\nOutput:\na\nb"), Lines::Range(3, 4));
        assert_eq!(sed("3,4", "a"), Lines::Unknown);
        assert_eq!(sed("3,4", ""), Lines::Unknown);
        let beyond = "99999999999999999999,99999999999999999999";
        assert_eq!(sed(beyond, "a"), Lines::Unknown);
    }

    #[test]
    fn a_path_is_absolute_or_joined_to_an_absolute_directory() {
        let target =
            |path: &str, cwd| FileRead { path: path.into(), part: Part::Whole }.target(cwd);
        assert_eq!(target("/a/../b", None).as_deref(), Some("/b"));
        assert_eq!(target("./b//c", Some("/a")).as_deref(), Some("/a/b/c"));
        assert_eq!(target("b", Some("a")), None);
        assert_eq!(target("b", None), None);
    }
}
