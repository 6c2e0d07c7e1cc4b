//! Lines of an output, and which of them two runs of one command may differ in.
//!
//! Codex puts a header block before a command's output. Three of its lines change on every run
//! (chunk id, wall time, token count) and are no part of the result. Rule and wording of the
//! lines: the reference.

const HEADER: [&str; 5] = [
    "Chunk ID",
    "Wall time",
    "Process exited with code",
    "Process running with session ID",
    "Original token count",
];
const VOLATILE: [&str; 3] = ["Chunk ID:", "Wall time:", "Original token count:"];

/// The lines of `text` without the volatile ones of its header block.
pub(super) fn comparable_lines(text: &str) -> impl Iterator<Item = &str> {
    let header = header_block(text).unwrap_or(0);
    let counts = move |(n, line): &(usize, &str)| *n >= header || !is_volatile(line);
    text.split('\n').enumerate().filter(counts).map(|(_, line)| line)
}

/// Whether two outputs are the same but for what differs between two runs of one command.
pub fn is_same_output(one: &str, other: &str) -> bool {
    one == other || comparable_lines(one).eq(comparable_lines(other))
}

/// How many header lines stand before the line `Output:`; none of them and no such line: `None`.
pub(super) fn header_block(text: &str) -> Option<usize> {
    let mut lines = text.split('\n');
    let mut count = 0;
    loop {
        match lines.next()? {
            line if is_header(line) => count += 1,
            line => return (line == "Output:").then_some(count),
        }
    }
}

pub(super) fn is_volatile(line: &str) -> bool {
    VOLATILE.iter().any(|start| line.starts_with(start))
}

/// The words of a header line must end where they end: `Chunk IDs` is no header.
fn is_header(line: &str) -> bool {
    HEADER
        .iter()
        .filter_map(|start| line.strip_prefix(start))
        .any(|rest| rest.chars().next().is_none_or(|next| !(next.is_alphanumeric() || next == '_')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<&str> {
        comparable_lines(text).collect()
    }

    #[test]
    fn volatile_header_lines_do_not_count() {
        let text = "Chunk ID: 1\nWall time: 2 s\nProcess exited with code 1\nOriginal token count: 3\nOutput:\nWall time: 4";
        assert_eq!(lines(text), ["Process exited with code 1", "Output:", "Wall time: 4"]);
    }

    #[test]
    fn a_header_that_does_not_end_in_output_is_text() {
        let text = "Chunk ID: 1\nsomething\nOutput:";
        assert_eq!(lines(text), ["Chunk ID: 1", "something", "Output:"]);
        assert_eq!(lines("Chunk ID: 1"), ["Chunk ID: 1"]);
    }

    #[test]
    fn header_words_end_at_a_word_boundary() {
        assert_eq!(header_block("Chunk ID\nOutput:"), Some(1));
        assert_eq!(header_block("Chunk IDé: 1\nOutput:"), None);
        // A header line without its colon is one, but it is not volatile.
        assert_eq!(lines("Wall time 3\nOutput:"), ["Wall time 3", "Output:"]);
    }
}
