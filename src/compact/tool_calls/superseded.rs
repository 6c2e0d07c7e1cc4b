//! Which calls a later call makes stale: a whole view of the same file, or a rerun that said the
//! same.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use foldhash::fast::RandomState;

use super::facts::Key;
use super::interner::NumberMap;
use crate::python::{is_space, is_word};

/// Lines of an output that differ on every run.
const RUN_LINES: [&str; 5] = [
    "Chunk ID",
    "Wall time",
    "Original token count",
    "Process running with session ID",
    "Process exited with code",
];

static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    // Of all kinds this one looks for several words at a time.
    let builder = &mut AhoCorasick::builder();
    let built = builder.match_kind(MatchKind::LeftmostFirst).build(RUN_LINES);
    built.expect("five short texts make an automaton")
});

/// For each call, the later one that makes it stale.
#[derive(Debug, Clone, Default)]
pub(super) struct Superseded {
    by: Vec<Option<usize>>,
    /// Whether two texts are the same output, for those that were compared.
    same: NumberMap<(u32, u32), bool>,
}

/// A call as this rule sees it.
#[derive(Clone, Copy)]
pub(super) struct Rival {
    pub key: Key,
    /// The number of its result's text; `None` for a call without a result.
    pub text: Option<u32>,
    /// Whether it shows a whole file, without an error.
    pub is_whole_view: bool,
}

impl Superseded {
    /// Finds them again over all calls. `read` gives the text with a number.
    pub fn find<'t>(&mut self, rivals: &[Rival], read: impl Fn(u32) -> &'t str) {
        self.by = vec![None; rivals.len()];
        let mut next: HashMap<Key, usize, RandomState> = HashMap::default();
        for (call, rival) in rivals.iter().enumerate().rev() {
            let later = next.get(&rival.key).copied();
            let is_file = matches!(rival.key, Key::File(_));
            self.by[call] = later
                .filter(|later| is_file || self.is_same(rival.text, rivals[*later].text, &read));
            if !is_file || rival.is_whole_view {
                next.insert(rival.key, call);
            }
        }
    }

    /// The call, by its number, that makes the call with this number stale.
    pub fn by(&self, call: usize) -> Option<usize> {
        self.by[call]
    }

    fn is_same<'t>(
        &mut self,
        one: Option<u32>,
        other: Option<u32>,
        read: impl Fn(u32) -> &'t str,
    ) -> bool {
        let text = |number: Option<u32>| number.map_or("", &read);
        match (one, other) {
            _ if one == other => true,
            (Some(a), Some(b)) => {
                *self.same.entry((a, b)).or_insert_with(|| is_same_run(read(a), read(b)))
            }
            _ => is_same_run(text(one), text(other)),
        }
    }
}

/// Whether two outputs are the same apart from what differs on every run and from white space at
/// their ends.
pub(super) fn is_same_run(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(without_run_lines);
    one.trim_matches(is_space) == other.trim_matches(is_space)
}

fn without_run_lines(text: &str) -> Cow<'_, str> {
    let begins_line = |at: usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
    let mut places = FINDER.find_iter(text).map(|found| found.start());
    if !places.any(|at| begins_line(at) && is_run_line(&text[at..])) {
        return Cow::Borrowed(text);
    }
    text.split_inclusive('\n').filter(|line| !is_run_line(line)).collect()
}

fn is_run_line(line: &str) -> bool {
    let rest = RUN_LINES.iter().find_map(|begin| line.strip_prefix(begin));
    rest.is_some_and(|rest| !rest.starts_with(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rivals: &[Rival], texts: &[&'static str]) -> Vec<Option<usize>> {
        let mut superseded = Superseded::default();
        superseded.find(rivals, |text| texts[text as usize]);
        superseded.by
    }

    fn rerun(text: u32) -> Rival {
        Rival { key: Key::Rerun(0), text: Some(text), is_whole_view: false }
    }

    fn view(file: u32, is_whole_view: bool) -> Rival {
        Rival { key: Key::File(file), text: None, is_whole_view }
    }

    #[test]
    fn only_the_next_rerun_counts_and_it_must_say_the_same() {
        let texts = [" Wall time: 1\nok\n", "ok", "changed", "\u{1f}\nok"];
        assert_eq!(
            found(&[rerun(1), rerun(3), rerun(2), rerun(1)], &texts),
            [Some(1), None, None, None]
        );
        assert_eq!(found(&[rerun(0), rerun(1)], &texts), [None, None]);
    }

    #[test]
    fn what_differs_on_every_run_does_not_count() {
        let same = is_same_run;
        assert!(same(
            "Chunk ID: 1\nWall time: 2\nOutput:\nok\nProcess exited with code 1",
            "Output:\nok"
        ));
        assert!(same("a\nChunk ID\nb", "a\nb"));
        assert!(!same("Chunk IDs\na", "a"));
        assert!(!same("a\rChunk ID\rb", "ab"));
        assert!(same("", "Wall time: 3 \n"));
    }

    #[test]
    fn a_whole_view_makes_every_earlier_call_on_the_file_stale() {
        let rivals = [view(0, false), view(1, true), view(0, true), view(0, false), view(0, true)];
        assert_eq!(found(&rivals, &[]), [Some(2), None, Some(4), Some(4), None]);
    }
}
