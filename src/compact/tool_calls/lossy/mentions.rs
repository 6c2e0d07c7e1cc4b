//! Where the transcript mentions what the goal refers to, for the last time.

use std::borrow::Cow;

use super::super::naming::stands_alone;
use super::super::parsed_call::ParsedCall;
use super::super::transcript::Call;
use super::super::view::View;
use super::needles::Needles;

/// For each reference, the latest call that mentions it in its input or its result. The texts are
/// read from the last one on, each once, and only until everything is found.
pub(super) fn latest_mentions(view: &View, references: &[&str]) -> Vec<Option<usize>> {
    let index = view.index;
    let mut search = Search::new(references);
    let mut is_read = vec![false; index.texts.len()];
    for (number, call) in index.calls().iter().enumerate().rev() {
        if search.missing == 0 {
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
    /// How many references are not found yet.
    missing: usize,
    needles: Needles<'r>,
    /// What stands before the quote in references that have one.
    quoted: Vec<&'r str>,
}

impl<'r> Search<'r> {
    fn new(references: &'r [&'r str]) -> Search<'r> {
        let quoted = references.iter().filter_map(|it| it.split_once('"').map(|(head, _)| head));
        Search {
            references,
            latest: vec![None; references.len()],
            missing: references.len(),
            needles: Needles::of(references, |_| true),
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
        let (latest, mut missing) = (&mut self.latest, self.missing);
        self.needles.each_place(text, |reference, start| {
            let end = start + self.references[reference].len();
            if latest[reference].is_none() && stands_alone(text, start, end) {
                latest[reference] = Some(call);
                missing -= 1;
            }
        });
        if missing < self.missing && self.needles.are_worth_renewing(missing) {
            self.needles = Needles::of(self.references, |it| self.latest[it].is_none());
        }
        self.missing = missing;
    }
}
