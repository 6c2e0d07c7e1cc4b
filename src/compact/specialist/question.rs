//! What a question changes: the columns that depend on it, and what shares its words.

use super::bm25;
use super::columns::{Column, Row, mark, set};
use super::cues::Cues;
use super::keys::each_key;
use super::language::{Language, language_of};
use super::prepared::Prepared;
use super::session::log1p;
use super::words::{is_common, terms, words};

/// A question as a session understands it.
pub(super) struct Question {
    /// Characters of the question.
    chars: usize,
    asks: bool,
    /// Its words that the session has too, in code-point order.
    words: Vec<u32>,
    /// Its keys, those that the session has not too.
    keys: usize,
    /// For each key of the session whether the question names it.
    names_key: Vec<bool>,
    /// Its terms, those that the session has not too.
    terms: usize,
    /// For each term of the session whether the question has it.
    pub has_term: Vec<bool>,
    /// `None` for English, or where it cannot be told.
    pub language: Option<Language>,
}

impl Question {
    pub fn read(session: &Prepared, text: &str) -> Question {
        let library = &session.library;
        let lowered = text.to_lowercase();
        let mut of_words: Vec<&str> = words(&lowered, 0).map(|at| &lowered[at]).collect();
        sort_and_dedup(&mut of_words);
        let mut keys = Vec::new();
        each_key(text, |key| keys.push(key));
        sort_and_dedup(&mut keys);
        let mut of_terms: Vec<&str> = terms(&lowered).filter(|term| !is_common(term)).collect();
        sort_and_dedup(&mut of_terms);
        let mut question = Question {
            chars: text.chars().count(),
            asks: text.contains('?'),
            words: of_words.iter().filter_map(|word| library.words.find(word)).collect(),
            keys: keys.len(),
            names_key: vec![false; library.keys.len()],
            terms: of_terms.len(),
            has_term: vec![false; library.words.len()],
            language: language_of(text),
        };
        for key in keys.iter().filter_map(|key| library.keys.find(key)) {
            question.names_key[key as usize] = true;
        }
        for term in of_terms.iter().filter_map(|term| library.words.find(term)) {
            question.has_term[term as usize] = true;
        }
        question
    }

    /// The columns of every block under this question.
    pub fn rows(&self, session: &Prepared) -> Vec<Row> {
        let mut rows = session.rows.clone();
        self.set_matches(session, &mut rows);
        self.set_keys(session, &mut rows);
        self.set_overlaps(session, &mut rows);
        for row in &mut rows {
            set(row, Column::QuestionChars, log1p(self.chars));
            set(row, Column::KeysOfQuestion, log1p(self.keys));
            mark(row, Column::QuestionAsks, self.asks);
        }
        rows
    }

    fn set_matches(&self, session: &Prepared, rows: &mut [Row]) {
        let matches = bm25::matches(&session.library, &session.standing.lengths, &self.words);
        let best = matches.iter().copied().fold(0.0, f64::max);
        let ranks = bm25::ranks(&matches);
        for ((row, value), rank) in rows.iter_mut().zip(&matches).zip(&ranks) {
            set(row, Column::QuestionMatch, value.ln_1p());
            set(row, Column::QuestionRank, *rank);
            set(row, Column::BestMatch, best.ln_1p());
        }
    }

    fn set_keys(&self, session: &Prepared, rows: &mut [Row]) {
        for (row, keys) in rows.iter_mut().zip(session.library.key_lists.iter()) {
            let named = keys.iter().filter(|key| self.names_key[**key as usize]).count();
            set(row, Column::QuestionKeys, log1p(named));
        }
    }

    /// The share of the question's terms that a block has, and whether a block is guarded: it
    /// quotes somebody, or shares links with one that has something of the question.
    fn set_overlaps(&self, session: &Prepared, rows: &mut [Row]) {
        if self.terms == 0 {
            rows.iter_mut().for_each(|row| set(row, Column::TermOverlap, 1.0));
            return;
        }
        let most = self.terms.min(6) as f64;
        let shared =
            |terms: &[u32]| terms.iter().filter(|term| self.has_term[**term as usize]).count();
        let overlaps: Vec<usize> = session.library.term_lists.iter().map(shared).collect();
        let quotes = |block: usize| session.blocks[block].cues.has(Cues::QUOTES);
        let kept: Vec<bool> = overlaps
            .iter()
            .enumerate()
            .map(|(block, shared)| *shared > 0 || quotes(block))
            .collect();
        let revises = |block: usize| session.blocks[block].cues.has(Cues::REVISES);
        let linked = session.links.pulled_in(&self.has_term, &kept, revises);
        for (block, row) in rows.iter_mut().enumerate() {
            set(row, Column::TermOverlap, cents((overlaps[block] as f64 / most).min(1.0)));
            mark(row, Column::Guarded, quotes(block) || linked[block]);
        }
    }
}

/// A share rounded to hundredths.
fn cents(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}

fn sort_and_dedup(strings: &mut Vec<&str>) {
    strings.sort_unstable();
    strings.dedup();
}
