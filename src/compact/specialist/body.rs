//! What is left of a block without the header lines of parts.

use std::borrow::Cow;

use super::characters::{is_decimal, is_word};
use super::lines::Lines;
use crate::python::is_space;

/// A block's text without header lines, and without white space around.
pub(super) struct Body<'t> {
    pub text: Cow<'t, str>,
    /// Where in the block it begins, when it is one stretch of it.
    pub offset: Option<usize>,
}

impl<'t> Body<'t> {
    pub fn of(block: &'t str) -> Body<'t> {
        let first = header(block, 0).unwrap_or(0);
        if next_header(block, first).is_some() {
            let text = without_headers(block);
            return Body { text: text.trim_matches(is_space).to_owned().into(), offset: None };
        }
        let rest = block[first..].trim_start_matches(is_space);
        let offset = block.len() - rest.len();
        Body { text: rest.trim_end_matches(is_space).into(), offset: Some(offset) }
    }
}

fn without_headers(block: &str) -> String {
    let mut kept = String::with_capacity(block.len());
    let mut at = header(block, 0).unwrap_or(0);
    while let Some((start, end)) = next_header(block, at) {
        kept.push_str(&block[at..start]);
        at = end;
    }
    kept.push_str(&block[at..]);
    kept
}

/// The bounds of the first header line that begins behind byte `from`.
fn next_header(block: &str, from: usize) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(&block.as_bytes()[from..], "\n[m")
        .map(|newline| from + newline + 1)
        .find_map(|start| header(block, start).map(|end| (start, end)))
}

/// The end of the header line at byte `start`, line end left out, if there is one:
/// `[m0004 assistant tool_use Read]`.
fn header(block: &str, start: usize) -> Option<usize> {
    let rest = block[start..].strip_prefix("[m")?;
    let number = rest.trim_start_matches(is_decimal);
    if rest[..rest.len() - number.len()].chars().count() < 4 {
        return None;
    }
    let role = number.strip_prefix(' ')?;
    let kind = role.strip_prefix("user ").or_else(|| role.strip_prefix("assistant "))?;
    let tool = kind.trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '_');
    if tool.len() == kind.len() {
        return None;
    }
    let end = match tool.strip_prefix(' ') {
        Some(tool) => tool.trim_start_matches(|c| !matches!(c, ']' | '\n')),
        None => tool,
    };
    let after = end.strip_prefix(']')?;
    (after.is_empty() || after.starts_with('\n')).then_some(block.len() - after.len())
}

/// What the lines of a body look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub newlines: u32,
    /// At least 1.
    pub lines: u32,
    /// Lines that hold a bracket, a brace, a parenthesis, a semicolon or an equals sign.
    pub code_lines: u32,
}

impl Layout {
    pub fn of(body: &str) -> Layout {
        let bytes = body.as_bytes();
        let (mut lines, mut code_lines) = (0, 0);
        for line in Lines::new(body, 0) {
            lines += 1;
            let is_code = bytes[line].iter().fold(false, |code, byte| code | CODE[*byte as usize]);
            code_lines += u32::from(is_code);
        }
        let newlines = memchr::memchr_iter(b'\n', bytes).count() as u32;
        Layout { newlines, lines: lines.max(1), code_lines }
    }
}

/// The characters of code, by byte.
static CODE: [bool; 256] = {
    let mut code = [false; 256];
    let characters = b"{};=()<>[]";
    let mut at = 0;
    while at < characters.len() {
        code[characters[at] as usize] = true;
        at += 1;
    }
    code
};

/// Whether a body shows what git prints or how it is called.
pub(super) fn speaks_git(body: &str) -> bool {
    let opens = |line: &str| {
        line.starts_with("diff --git")
            || line.starts_with("@@ ")
            || line.strip_prefix("commit ").is_some_and(begins_with_hash)
    };
    opens(body)
        || memchr::memchr_iter(b'\n', body.as_bytes()).any(|at| opens(&body[at + 1..]))
        || memchr::memmem::find_iter(body.as_bytes(), "git ").any(|at| is_git_call(body, at))
}

fn begins_with_hash(text: &str) -> bool {
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.as_bytes().get(..7).is_some_and(|hash| hash.iter().all(is_hex))
}

fn is_git_call(body: &str, at: usize) -> bool {
    const CALLS: [&str; 8] =
        ["status", "diff", "log", "commit", "push", "add", "checkout", "rebase"];
    let call = &body[at + "git ".len()..];
    let is_whole = |rest: &str| !rest.starts_with(is_word);
    !body[..at].ends_with(is_word)
        && CALLS.iter().any(|name| call.strip_prefix(name).is_some_and(is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_lines_are_no_part_of_a_body() {
        for (block, body) in [
            ("[m0004 assistant tool_use Read]\n  a b\n", "a b"),
            ("[m0004 user text]", ""),
            ("[m0004 user tool_result a b\u{e9}]\n\nx\n[m0005 user text]\ny", "x\n\ny"),
            (
                "x [m0004 user text]\n[m004 user text]\n[m0004 tool text]",
                "x [m0004 user text]\n[m004 user text]\n[m0004 tool text]",
            ),
            ("[m0004 user text] \nx", "[m0004 user text] \nx"),
            ("[m٠٠٠٤١ user text]\u{1f}\n[m0004 user text ]", "[m٠٠٠٤١ user text]"),
        ] {
            assert_eq!(Body::of(block).text, body, "{block:?}");
        }
    }

    #[test]
    fn a_body_of_one_stretch_knows_where_it_begins() {
        assert_eq!(Body::of("[m0004 user text]\n é \n").offset, Some(19));
        assert_eq!(Body::of("[m0004 user text]\nx\n[m0005 user text]").offset, None);
    }

    #[test]
    fn code_lines_are_counted_among_all_lines() {
        let layout = Layout::of("a = 1\nplain\r\nf()\u{2028}end");
        assert_eq!(layout, Layout { newlines: 2, lines: 4, code_lines: 2 });
        assert_eq!(Layout::of(""), Layout { newlines: 0, lines: 1, code_lines: 0 });
    }

    #[test]
    fn git_is_known_by_its_lines_and_calls() {
        for body in ["diff --git a b", "x\n@@ -1 +1 @@", "x\ncommit 00ff00a", "run (git log)"] {
            assert!(speaks_git(body), "{body}");
        }
        for body in [
            "a diff --git",
            "commit 00ff00g",
            "x\rcommit 00ff00a",
            "digit log",
            "git logs",
            "git  log",
            "git stash",
        ] {
            assert!(!speaks_git(body), "{body}");
        }
    }
}
