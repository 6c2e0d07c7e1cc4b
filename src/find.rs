//! Searching text: plain words, and case counts once a capital is typed.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use crate::session::{Entry, Kind, Session};

/// A pattern made ready.
pub struct Finder(Regex);

impl Finder {
    /// A plain pattern, no regular expression.
    pub fn new(pattern: &str) -> Finder {
        let lower = !pattern.chars().any(char::is_uppercase);
        let regex = RegexBuilder::new(&regex::escape(pattern))
            .case_insensitive(lower)
            .size_limit(usize::MAX)
            .build();
        Finder(regex.expect("an escaped text is a regular expression"))
    }

    /// The entries that hold the pattern in their text, tool, id or title.
    pub fn entries(&self, session: &Session) -> Vec<usize> {
        let entries = session.entries.iter().enumerate();
        entries.filter(|(_, entry)| self.is_in(entry)).map(|(index, _)| index).collect()
    }

    fn is_in(&self, entry: &Entry) -> bool {
        let names: [&str; 2] = match &entry.kind {
            Kind::Call { id, tool, .. } => [id, tool],
            Kind::Result { id, .. } => [id, ""],
            Kind::Notice { title } => [title, ""],
            _ => ["", ""],
        };
        self.is_in_text(&entry.content) || names.iter().any(|name| self.is_in_text(name))
    }

    fn is_in_text(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Where it stands in a text, as byte ranges.
    pub fn hits(&self, text: &str) -> Vec<Range<usize>> {
        self.0.find_iter(text).map(|found| found.range()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_counts_once_a_capital_is_typed() {
        assert_eq!(Finder::new("größe").hits("GRÖSSE größe GRÖßE"), [8..15, 16..23]);
        assert_eq!(Finder::new("Ab").hits("ab Ab Ab"), [3..5, 6..8]);
    }

    #[test]
    fn a_pattern_is_plain_text() {
        assert_eq!(Finder::new("a.(b").hits("a.(b axb a.(b"), [0..4, 9..13]);
    }
}
