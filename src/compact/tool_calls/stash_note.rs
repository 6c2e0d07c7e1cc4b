//! The note that stands where an output was that is in the stash.

use std::fmt;

use crate::digest::is_hex;

/// A stash pointer. Its wording is the reference's, apart from the program that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StashNote<'a> {
    /// Tokens of the output.
    pub tokens: usize,
    /// The program whose `recall` gives the output back.
    pub program: &'a str,
    /// The first digits of the output's SHA-256.
    pub id: &'a str,
}

impl<'a> StashNote<'a> {
    /// How many digits of a SHA-256 a pointer names.
    pub const ID_DIGITS: usize = 12;

    /// The pointer to an output with this SHA-256.
    pub fn to(sha256: &'a str, tokens: usize, program: &'a str) -> StashNote<'a> {
        StashNote { tokens, program, id: sha256.get(..Self::ID_DIGITS).unwrap_or(sha256) }
    }

    /// Reads a pointer back that names this program, `None` for any other text.
    pub fn parse(note: &'a str, program: &'a str) -> Option<StashNote<'a>> {
        let body = note.strip_prefix("[removed: ")?.strip_suffix(']')?;
        let (tokens, named) = body.split_once(" tokens · ")?;
        let id = named.strip_prefix(program)?.strip_prefix(" recall ")?;
        let is_number = !tokens.is_empty() && tokens.bytes().all(|byte| byte.is_ascii_digit());
        let is_id = id.len() == Self::ID_DIGITS && is_hex(id);
        let tokens = tokens.parse().ok().filter(|_| is_number && is_id)?;
        Some(StashNote { tokens, program, id })
    }
}

impl fmt::Display for StashNote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[removed: {} tokens · {} recall {}]", self.tokens, self.program, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA256: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn a_pointer_is_read_back_by_the_program_that_it_names() {
        for program in ["compactscope", "lcc", "", "a recall b", "x\ny]"] {
            let note = StashNote::to(SHA256, 812, program);
            assert_eq!(note.id, "0123456789ab");
            assert_eq!(StashNote::parse(&note.to_string(), program), Some(note));
        }
        let note = StashNote::to(SHA256, 812, "lcc").to_string();
        assert_eq!(note, "[removed: 812 tokens · lcc recall 0123456789ab]");
        assert_eq!(StashNote::parse(&note, "compactscope"), None);
    }

    #[test]
    fn other_texts_are_no_pointers() {
        for note in [
            "",
            "[removed: 12 tokens · lcc recall 0123456789ab",
            "[removed: 12 tokens · lcc recall 0123456789ab]\n",
            "[removed: 12 tokens · lcc recall 0123456789AB]",
            "[removed: 12 tokens · lcc recall 0123456789a]",
            "[removed: 12 tokens · lcc recall 0123456789abc]",
            "[removed: 12 tokens - lcc recall 0123456789ab]",
            "[removed:  tokens · lcc recall 0123456789ab]",
            "[removed: +1 tokens · lcc recall 0123456789ab]",
            "[removed: 99999999999999999999999 tokens · lcc recall 0123456789ab]",
            "[removed: re-read a to recover]",
        ] {
            assert_eq!(StashNote::parse(note, "lcc"), None, "{note}");
        }
    }
}
