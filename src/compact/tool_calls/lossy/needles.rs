//! Many references looked for in one text.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;
use memchr::memmem;

use super::names_of;

/// Up to so many needles are found faster one by one than all at once.
const FEW: usize = 8;

/// What to look for. A path is found where its file name is, when that is looked for as well.
pub(super) struct Needles<'r> {
    needles: Vec<Needle<'r>>,
    finder: Finder<'r>,
    /// How many references they are for.
    references: usize,
}

struct Needle<'r> {
    length: usize,
    /// The references that end in it, by number.
    of: Vec<(usize, &'r str)>,
}

enum Finder<'r> {
    Each(Vec<memmem::Finder<'r>>),
    All(AhoCorasick),
}

impl<'r> Needles<'r> {
    /// Needles for those references whose number is wanted. None of them is empty.
    pub fn of(references: &[&'r str], is_wanted: impl Fn(usize) -> bool) -> Needles<'r> {
        let wanted = || references.iter().copied().enumerate().filter(|(n, _)| is_wanted(*n));
        let known: HashMap<&str, usize> = wanted().map(|(n, reference)| (reference, n)).collect();
        let mut texts: Vec<&str> = Vec::new();
        let mut needles: Vec<Needle> = Vec::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for (n, reference) in wanted() {
            let text = names_of(reference).filter(|name| known.contains_key(name)).last();
            let text = text.unwrap_or(reference);
            let number = *numbers.entry(text).or_insert_with(|| {
                texts.push(text);
                needles.push(Needle { length: text.len(), of: Vec::new() });
                needles.len() - 1
            });
            needles[number].of.push((n, reference));
        }
        let finder =
            match texts.len() <= FEW {
                true => Finder::Each(texts.into_iter().map(memmem::Finder::new).collect()),
                false => Finder::All(AhoCorasick::new(&texts).expect(
                    "an automaton with too many states for a number does not fit in memory",
                )),
            };
        Needles { needles, finder, references: known.len() }
    }

    /// Whether new needles for so many references that are left pay for being made.
    pub fn are_worth_renewing(&self, left: usize) -> bool {
        matches!(self.finder, Finder::Each(_)) || left * 2 <= self.references
    }

    /// Calls `each` with every reference and the byte where it begins, for all places of it.
    pub fn each_place(&self, text: &str, mut each: impl FnMut(usize, usize)) {
        let mut needle_ends = |needle: &Needle, end: usize| {
            for (number, reference) in &needle.of {
                if text[..end].ends_with(reference) {
                    each(*number, end - reference.len());
                }
            }
        };
        match &self.finder {
            Finder::Each(finders) => {
                for (needle, finder) in self.needles.iter().zip(finders) {
                    let mut from = 0;
                    while let Some(at) = finder.find(&text.as_bytes()[from..]) {
                        needle_ends(needle, from + at + needle.length);
                        from += at + 1;
                    }
                }
            }
            Finder::All(finder) => {
                for found in finder.find_overlapping_iter(text) {
                    needle_ends(&self.needles[found.pattern().as_usize()], found.end());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(references: &[&str], text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        Needles::of(references, |_| true).each_place(text, |n, start| found.push((n, start)));
        found.sort_unstable();
        found
    }

    #[test]
    fn every_place_of_every_reference_is_found_however_many_there_are() {
        let text = "a/b.py é/b.py a/a/b.py aaa";
        let few = ["a/b.py", "b.py", "aa", "é/b.py", "x"];
        let many: Vec<String> = (0..20).map(|n| format!("none{n}")).collect();
        let all: Vec<&str> = few.into_iter().chain(many.iter().map(String::as_str)).collect();
        let want = [(0, 0), (0, 17), (1, 2), (1, 10), (1, 19), (2, 24), (2, 25), (3, 7)];
        assert_eq!(places(&few, text), want);
        assert_eq!(places(&all, text), want);
    }
}
