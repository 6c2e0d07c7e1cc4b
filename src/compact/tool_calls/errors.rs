//! Whether an output reads like a failure, for transcripts that carry no error flags.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::python::is_word;

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
