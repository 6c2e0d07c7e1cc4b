//! Where the transcript mentions what the goal refers to, for the last time.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, Input, MatchKind};

use super::super::naming::stands_alone;
use super::super::parsed_call::ParsedCall;
use super::super::transcript::Call;
use super::super::view::View;

/// For each reference, the latest call that mentions it in its input or its result. The texts are
/// read from the last one on, each once, and only until everything is found.
pub(super) fn latest_mentions(view: &View, references: &[&str]) -> Vec<Option<usize>> {
    let index = view.index;
    let mut search = Search::new(references);
    let mut is_read = vec![false; index.texts.len()];
    for (number, call) in index.calls().iter().enumerate().rev() {
        if search.wanted.is_empty() {
            break;
        }
        search.look(&search.input_of(view.call(call.at)), number);
        if let Some(result) = index.result_of(call).map(|result| &index.results()[result])
            && !std::mem::replace(&mut is_read[result.text as usize], true)
        {
            search.look(&view.result(result.at).text, number);
        }
    }
    search.latest
}

struct Search<'r> {
    references: &'r [&'r str],
    latest: Vec<Option<usize>>,
    /// The references that are not found yet, by number.
    wanted: Vec<usize>,
    /// Finds where one of them may be, and a few that are found.
    finder: AhoCorasick,
    /// How many it looks for.
    looked_for: usize,
    /// What stands before the quote in those that have one.
    quoted: Vec<&'r str>,
}

impl<'r> Search<'r> {
    fn new(references: &'r [&'r str]) -> Search<'r> {
        let quoted = references.iter().filter_map(|it| it.split_once('"').map(|(head, _)| head));
        Search {
            references,
            latest: vec![None; references.len()],
            wanted: (0..references.len()).collect(),
            finder: finder(references),
            looked_for: references.len(),
            quoted: quoted.collect(),
        }
    }

    /// The input of a call with its keys sorted, where that can matter. A reference without a
    /// quote lies within one of the input's texts, so the order of the keys does not.
    fn input_of<'c>(&self, call: &'c Call) -> Cow<'c, str> {
        match self.quoted.iter().any(|head| call.input.contains(head)) {
            true => ParsedCall::new(call).sorted_input(),
            false => Cow::Borrowed(&call.input),
        }
    }

    fn look(&mut self, text: &str, call: usize) {
        let mut from = 0;
        while let Some(start) = self.next(text, from) {
            let (references, latest) = (self.references, &mut self.latest);
            self.wanted.retain(|&wanted| {
                let reference = references[wanted];
                let is_mentioned = text[start..].starts_with(reference)
                    && stands_alone(text, start, start + reference.len());
                if is_mentioned {
                    latest[wanted] = Some(call);
                }
                !is_mentioned
            });
            from = start + 1;
        }
        if self.wanted.len() * 2 <= self.looked_for {
            self.sharpen();
        }
    }

    /// The first byte of the next place where a reference may be.
    fn next(&self, text: &str, from: usize) -> Option<usize> {
        self.finder.find(Input::new(text).range(from..)).map(|found| found.start())
    }

    /// Looks only for what is not found yet.
    fn sharpen(&mut self) {
        let wanted: Vec<&str> = self.wanted.iter().map(|&it| self.references[it]).collect();
        self.looked_for = wanted.len();
        self.finder = finder(&wanted);
    }
}

fn finder(references: &[&str]) -> AhoCorasick {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(references)
        .expect("an automaton with too many states for a number does not fit in memory")
}
