//! Which outputs tell of an error: those that are flagged or, for transcripts that carry no flags,
//! those that read like a failure.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::index::{Index, IndexedCall};
use super::view::View;
use crate::python::is_word;

/// What tells of errors in one transcript. Flags do where there are any. Else the output of a
/// command may: source code that was read and says `Error` is no failure.
pub(super) struct Errors {
    has_flags: bool,
}

impl Errors {
    pub fn of(index: &Index) -> Errors {
        let is_flagged =
            |call| index.result_of(call).is_some_and(|result| index.is_flagged(result));
        Errors { has_flags: index.calls().iter().any(is_flagged) }
    }

    /// Whether this result of that call tells of one.
    pub fn is_one(&self, view: &View, call: &IndexedCall, result: usize) -> bool {
        let index = view.index;
        match self.has_flags {
            true => index.is_flagged(result),
            false => call.facts().has_command && index.tells_of_an_error(view.transcript, result),
        }
    }

    /// The latest call whose result tells of one, by its number.
    pub fn latest(&self, view: &View) -> Option<usize> {
        let index = view.index;
        let tells_of_one = |call: &IndexedCall| {
            index.result_of(call).is_some_and(|result| self.is_one(view, call, result))
        };
        index.calls().iter().rposition(tells_of_one)
    }
}

/// The beginnings of what tells of an error. Where one of them is not followed as it must be, no
/// other one begins within it.
const SIGNS: [&str; 6] =
    ["Traceback (most recent call last)", "Exception", "Error", "ERROR", "FAIL", "exit code "];

static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    // Of all kinds this one looks for several words at a time.
    let builder = &mut AhoCorasick::builder();
    let built = builder.match_kind(MatchKind::LeftmostFirst).build(SIGNS);
    built.expect("six short words make an automaton")
});

/// Whether a text holds a traceback, an exception, the word `Error`, `ERROR`, `FAILE` or `FAILED`,
/// or an exit code other than 0. Words are whole, and written so.
pub(super) fn tells_of_an_error(text: &str) -> bool {
    FINDER.find_iter(text).any(|sign| {
        let free_before = !text[..sign.start()].ends_with(is_word);
        let after = &text[sign.end()..];
        let free_after = |rest: &str| !rest.starts_with(is_word);
        match SIGNS[sign.pattern().as_usize()] {
            "Error" | "ERROR" => free_before && free_after(after),
            "FAIL" => {
                free_before
                    && ["E", "ED"].iter().any(|end| after.strip_prefix(end).is_some_and(free_after))
            }
            "exit code " => free_before && after.starts_with(|c| ('1'..='9').contains(&c)),
            _ => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_and_exit_codes_tell_of_an_error() {
        for text in [
            "Traceback (most recent call last):",
            "MyException2",
            "an Error.",
            "-ERROR-",
            "FAILED tests",
            "FAILE",
            "exit code 10",
            "FAILException",
            "XError: Error",
            "🚚Error",
        ] {
            assert!(tells_of_an_error(text), "{text}");
        }
        for text in [
            "",
            "TypeError",
            "Errors",
            "FAIL",
            "FAILURE",
            "FAILEDx",
            "failed",
            "error",
            "exit code 0",
            "exit code -1",
            "xexit code 1",
            "Error²",
            "éERROR",
            "exception",
        ] {
            assert!(!tells_of_an_error(text), "{text}");
        }
    }
}
