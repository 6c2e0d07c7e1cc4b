//! Reading: what is known of a block from its own text.

use super::blocks::Span;
use super::body::{Body, Layout, speaks_git};
use super::cues::{self, Cues};
use super::keys::{each_key, is_path};
use super::language::{self, Language, Tally, language_of};
use super::lexicon::{Lexicon, Lists, fingerprint};
use super::quotes::has_quotation;
use super::words::{is_common, lower_case, terms, words};

/// What a block says, wherever it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub span: Span,
    /// Equal for equal texts.
    pub text: u128,
    /// Equal for equal bodies; `None` for a body too short to speak of copies.
    pub body: Option<u128>,
    /// Words of the body, repeated ones too.
    pub words: u32,
    pub layout: Layout,
    pub cues: Cues,
    pub git: bool,
    pub commands_its_reader: bool,
    pub language: Option<Language>,
}

/// Bodies of fewer characters are not compared.
const SHORTEST_COPY: usize = 40;

/// What all blocks that were read say. Lists are one a block, by the numbers of a lexicon, each
/// number once.
#[derive(Debug, Clone, Default)]
pub(super) struct Library {
    /// Words of bodies in lower case, with how often they come.
    pub words: Lexicon,
    pub word_lists: Lists<(u32, u32)>,
    /// Terms of whole blocks, but for short and common ones.
    pub terms: Lexicon,
    pub term_lists: Lists<u32>,
    /// Keys of bodies.
    pub keys: Lexicon,
    pub key_lists: Lists<u32>,
    /// Whether each key is a path.
    pub is_path: Vec<bool>,
    cues_of_word: Vec<Cues>,
    notes_of_term: Vec<TermNotes>,
    seen: Seen,
    lowered: String,
}

#[derive(Debug, Clone, Copy)]
struct TermNotes {
    is_common: bool,
    languages: u8,
}

/// Where each word, term and key was last seen, so that a list takes it once.
#[derive(Debug, Clone, Default)]
struct Seen {
    /// Counts the blocks read, those that were forgotten again too.
    now: u32,
    words: Vec<(u32, u32)>,
    terms: Vec<u32>,
    keys: Vec<u32>,
    counted: Vec<(u32, u32)>,
    listed: Vec<u32>,
}

impl Library {
    /// Forgets all blocks but the first so many.
    pub fn truncate(&mut self, blocks: usize) {
        self.word_lists.truncate(blocks);
        self.term_lists.truncate(blocks);
        self.key_lists.truncate(blocks);
    }

    /// Reads the next block.
    pub fn read(&mut self, text: &str, span: Span) -> Block {
        self.seen.now += 1;
        let body = Body::of(text);
        let mut lowered = std::mem::take(&mut self.lowered);
        lower_case(text, &mut lowered);
        let folded = has_dotted_i(text).then(|| fold_dotted_i(text));
        let cues = self.read_words(text, &lowered, folded.as_deref(), &body);
        let language = self.read_terms(text, &lowered);
        self.read_keys(&body.text);
        let block = Block {
            text: fingerprint(text.as_bytes()),
            body: has_chars(&body.text, SHORTEST_COPY).then(|| fingerprint(body.text.as_bytes())),
            words: self.list_words(),
            layout: Layout::of(&body.text),
            cues,
            git: speaks_git(&body.text),
            commands_its_reader: cues::commands_its_reader(folded.as_deref().unwrap_or(&lowered)),
            language,
            span,
        };
        self.lowered = lowered;
        block
    }

    /// Counts the words of the body, and gathers the cues: errors in the body, the others in the
    /// whole block.
    fn read_words(&mut self, text: &str, lowered: &str, folded: Option<&str>, body: &Body) -> Cues {
        let quotes = if has_quotation(text) { Cues::QUOTES } else { Cues::default() };
        let said = match (body.offset, folded) {
            (Some(offset), None) => {
                let from = lowered_len(&text[..offset]);
                self.each_word(lowered, Some(from), Some(from))
            }
            _ => {
                self.each_word(&body.text.to_lowercase(), Some(0), None);
                let in_body = self.each_word(&fold_dotted_i(&body.text), None, Some(0));
                let in_text = self.each_word(folded.unwrap_or(lowered), None, None);
                in_text | in_body.only(Cues::ERROR)
            }
        };
        said | quotes
    }

    /// Counts the words from byte `counted` on, and returns the cues, errors from byte `errors` on.
    fn each_word(&mut self, lowered: &str, counted: Option<usize>, errors: Option<usize>) -> Cues {
        let mut said = Cues::default();
        let is_from = |at: usize, from: Option<usize>| from.is_some_and(|from| at >= from);
        for at in words(lowered, 0) {
            let number = self.words.number(&lowered[at.clone()]);
            if number as usize == self.cues_of_word.len() {
                self.cues_of_word.push(cues::of_word(&lowered[at.clone()]));
                self.seen.words.push((0, 0));
            }
            if is_from(at.start, counted) {
                self.seen.count(number);
            }
            let cues = self.cues_of_word[number as usize];
            if cues != Cues::default() {
                let error = is_from(at.start, errors);
                let here = cues::in_text(cues, lowered, at);
                said |= if error { here } else { here.without(Cues::ERROR) };
            }
        }
        said
    }

    /// Lists the words that were counted, and returns how many there were.
    fn list_words(&mut self) -> u32 {
        let counted = &mut self.seen.counted;
        let words = counted.iter().map(|(_, times)| times).sum();
        self.word_lists.push(counted.drain(..));
        words
    }

    fn read_terms(&mut self, text: &str, lowered: &str) -> Option<Language> {
        let mut tally = Tally::default();
        for term in terms(lowered) {
            if term.len() < 3 {
                tally.count(language::of_word(term));
                continue;
            }
            let number = self.terms.number(term);
            if number as usize == self.notes_of_term.len() {
                let languages = language::of_word(term);
                self.notes_of_term.push(TermNotes { is_common: is_common(term), languages });
                self.seen.terms.push(0);
            }
            let notes = self.notes_of_term[number as usize];
            tally.count(notes.languages);
            if !notes.is_common {
                self.seen.list_term(number);
            }
        }
        self.term_lists.push(self.seen.listed.drain(..));
        if has_dotted_i(text) || text.contains(KELVIN) { language_of(text) } else { tally.language() }
    }

    fn read_keys(&mut self, body: &str) {
        each_key(body, |key| {
            let number = self.keys.number(key);
            if number as usize == self.is_path.len() {
                self.is_path.push(is_path(key));
                self.seen.keys.push(0);
            }
            self.seen.list_key(number);
        });
        self.key_lists.push(self.seen.listed.drain(..));
    }
}

impl Seen {
    fn count(&mut self, word: u32) {
        let (when, place) = &mut self.words[word as usize];
        if *when == self.now {
            self.counted[*place as usize].1 += 1;
        } else {
            (*when, *place) = (self.now, self.counted.len() as u32);
            self.counted.push((word, 1));
        }
    }

    fn list_term(&mut self, term: u32) {
        if std::mem::replace(&mut self.terms[term as usize], self.now) != self.now {
            self.listed.push(term);
        }
    }

    fn list_key(&mut self, key: u32) {
        if std::mem::replace(&mut self.keys[key as usize], self.now) != self.now {
            self.listed.push(key);
        }
    }
}

/// Two letters whose lower case is, or begins with, an ASCII letter.
const DOTTED_I: char = '\u{130}';
const KELVIN: char = '\u{212a}';

fn has_dotted_i(text: &str) -> bool {
    !text.is_ascii() && text.contains(DOTTED_I)
}

/// Lower case in which that letter is an i, as it is to a case-blind comparison.
fn fold_dotted_i(text: &str) -> String {
    text.replace(DOTTED_I, "i").to_lowercase()
}

/// The bytes of a text's lower case. A header ends in a bracket and a line end, so that what
/// follows changes nothing.
fn lowered_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.to_lowercase().len() }
}

pub(super) fn has_chars(text: &str, least: usize) -> bool {
    text.len() >= least && text.chars().nth(least - 1).is_some()
}
