//! What a tool shows of a file, and where a note says that it can be read again.

use super::agent::{absolute, numbered};

/// What a note says that begins `[removed: re-read `.
pub struct Place {
    /// The absolute path.
    pub path: String,
    /// The first and last line, counting from 1.
    pub lines: Option<(usize, usize)>,
    /// Whether the disk vouched for it.
    pub is_verified: bool,
}

impl Place {
    /// `PATH[ (lines A-B)][ (cwd DIR)] to recover[; content verified …]`
    pub fn of(note: &str) -> Option<Place> {
        let said = between(note, "[removed: re-read ", "]")?;
        let (place, proof) = said.rsplit_once(" to recover")?;
        let (place, cwd) = cut_off(place, " (cwd ");
        let (path, lines) = cut_off(place, " (lines ");
        Some(Place {
            path: absolute(path, cwd.unwrap_or("/nowhere")),
            lines: lines.map(range),
            is_verified: !proof.is_empty(),
        })
    }

    /// What the same tool shows of the file there, which holds `text`: with numbers where it put
    /// them before.
    pub fn shown(&self, text: &str, tool: &str, before: &str) -> String {
        let (first, last) = self.lines.unwrap_or((1, usize::MAX));
        let lines: String = text.split_inclusive('\n').take(last).skip(first - 1).collect();
        let is_reader = ["Read", "view", "NotebookRead", "read_file"].contains(&tool);
        if is_reader && !rows(before).is_empty() { numbered(&lines, first) } else { lines }
    }
}

/// Whether two outputs show the same lines of a file. The header of a shell is no line of it, nor
/// is an empty numbered one behind the last line feed, which some readers show.
pub fn are_same_lines(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(body);
    match rows(other) {
        numbered if !numbered.is_empty() => rows(one) == numbered,
        _ => unended(one) == unended(other),
    }
}

/// What stands in a text between its beginning and its end.
pub fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    text.strip_prefix(start)?.strip_suffix(end)
}

/// `A-B`
pub fn range(lines: &str) -> (usize, usize) {
    let (first, last) = lines.split_once('-').unwrap();
    (first.parse().unwrap(), last.parse().unwrap())
}

/// What stands before a last part in brackets, and in it.
fn cut_off<'t>(text: &'t str, opening: &str) -> (&'t str, Option<&'t str>) {
    match text.strip_suffix(')').and_then(|text| text.rsplit_once(opening)) {
        Some((before, inside)) => (before, Some(inside)),
        None => (text, None),
    }
}

/// The lines of the header that a shell puts before an output, which ends in `Output:`.
fn header(output: &str) -> Vec<&str> {
    let names = ["Chunk ID", "Wall time", "Process", "Original token count"];
    let is_of_it = |line: &&str| names.iter().any(|name| line.starts_with(name));
    let header: Vec<&str> = output.split('\n').take_while(is_of_it).collect();
    let is_ended = output.split('\n').nth(header.len()) == Some("Output:");
    if is_ended { header } else { Vec::new() }
}

/// An output behind its header.
pub fn body(output: &str) -> &str {
    match header(output).len() {
        0 => output,
        lines => output.splitn(lines + 2, '\n').nth(lines + 1).unwrap_or(""),
    }
}

/// An output without the lines of its header that differ from run to run.
pub fn without_run(output: &str) -> Vec<&str> {
    let header = header(output);
    let lasts = |line: &&str| line.starts_with("Process");
    let lasting = header.iter().copied().filter(lasts);
    lasting.chain(output.split('\n').skip(header.len())).collect()
}

/// The numbered lines of a reader; none when it numbered nothing.
fn rows(text: &str) -> Vec<(usize, &str)> {
    let lines = text.trim_end_matches('\n').split('\n');
    let mut rows: Vec<(usize, &str)> = lines.map(row).collect::<Option<_>>().unwrap_or_default();
    if rows.len() > 1 && rows.last().is_some_and(|(_, line)| line.is_empty()) {
        rows.pop();
    }
    rows
}

/// The number before a line, and the line.
fn row(row: &str) -> Option<(usize, &str)> {
    let (number, line) = row.split_once('\t')?;
    Some((number.trim().parse().ok()?, line))
}

fn unended(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}
