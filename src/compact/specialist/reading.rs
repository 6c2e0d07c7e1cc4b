//! Reading: what is known of a block from its own text.

use std::ops::Range;

use super::blocks::Span;
use super::body::{Body, Layout, speaks_git};
use super::cues::{self, Cues, Listener};
use super::keys::{each_key, is_path};
use super::language::{self, Language, Tally, language_of};
use super::lexicon::{Lexicon, Lists, fingerprint};
use super::quotes::has_quotation;
use super::words::{is_common, lower_case, words};

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
    /// Words and terms, in lower case.
    pub words: Lexicon,
    /// The words of bodies, and how often they come.
    pub word_lists: Lists<(u32, u32)>,
    /// The terms of whole blocks, but for short and common ones.
    pub term_lists: Lists<u32>,
    pub keys: Lexicon,
    /// The keys of bodies.
    pub key_lists: Lists<u32>,
    /// Whether each key is a path.
    pub is_path: Vec<bool>,
    notes: Vec<Note>,
    /// For each key the block that it was last seen in, so that a list takes it once.
    key_seen: Vec<u32>,
    /// Counts the blocks read, those that were forgotten again too.
    now: u32,
    lowered: String,
    counted: Vec<(u32, u32)>,
    listed: Vec<u32>,
}

/// What is known of a word.
#[derive(Debug, Clone, Copy)]
struct Note {
    cues: Cues,
    languages: u8,
    /// Whether it has ASCII letters and digits only.
    is_latin: bool,
    is_common: bool,
    /// The block that it was last counted in, and its place among those counted there.
    counted: (u32, u32),
    /// The block that it was last listed for as a term.
    listed: u32,
}

/// What a text is read for.
#[derive(Clone, Copy, Default)]
struct Wanted {
    /// Count the words from this byte on.
    words: Option<usize>,
    /// Look for errors from this byte on.
    errors: Option<usize>,
    terms: bool,
}

/// What is gathered of a block as its words are read.
#[derive(Default)]
struct Gathered {
    cues: Cues,
    tally: Tally,
    /// Where the last term ends that two words make.
    joined_to: usize,
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
        self.now += 1;
        let body = Body::of(text);
        let mut lowered = std::mem::take(&mut self.lowered);
        lower_case(text, &mut lowered);
        let gathered = match body.offset {
            Some(offset) if !has_dotted_i(text) => {
                let from = Some(lowered_len(&text[..offset]));
                self.read_words(&lowered, Wanted { words: from, errors: from, terms: true })
            }
            _ => self.read_apart(text, &lowered, &body.text),
        };
        let quotes = if has_quotation(text) { Cues::QUOTES } else { Cues::default() };
        let odd = has_dotted_i(text) || text.contains(KELVIN);
        let body_print = fingerprint(body.text.as_bytes());
        self.term_lists.push(self.listed.drain(..));
        self.read_keys(&body.text);
        let block = Block {
            text: print_around(text, &body, body_print),
            body: has_chars(&body.text, SHORTEST_COPY).then_some(body_print),
            words: self.list_words(),
            layout: Layout::of(&body.text),
            cues: gathered.cues | quotes,
            git: speaks_git(&body.text),
            commands_its_reader: commands_its_reader(text, &lowered),
            language: if odd { language_of(text) } else { gathered.tally.language() },
            span,
        };
        self.lowered = lowered;
        block
    }

    /// Reads a block whose body is no stretch of it, or that has a letter whose lower case is
    /// two: words, terms and cues each from the text that the reference reads them from.
    fn read_apart(&mut self, text: &str, lowered: &str, body: &str) -> Gathered {
        let from_start = Some(0);
        self.read_words(&body.to_lowercase(), Wanted { words: from_start, ..Wanted::default() });
        let terms = self.read_words(lowered, Wanted { terms: true, ..Wanted::default() });
        let errors = Wanted { errors: from_start, ..Wanted::default() };
        let in_body = self.read_words(&fold_dotted_i(body), errors);
        let in_text = self.read_words(&fold_dotted_i(text), Wanted::default());
        Gathered { cues: in_text.cues | in_body.cues.only(Cues::ERROR), ..terms }
    }

    fn read_words(&mut self, lowered: &str, wanted: Wanted) -> Gathered {
        let mut gathered = Gathered::default();
        let mut listener = Listener::new(lowered);
        let is_from = |at: usize, from: Option<usize>| from.is_some_and(|from| at >= from);
        for at in words(lowered, 0) {
            let number = self.number(&lowered[at.clone()]);
            if is_from(at.start, wanted.words) {
                self.count(number);
            }
            let note = self.notes[number as usize];
            if wanted.terms {
                if note.is_latin && at.start >= gathered.joined_to && !joins(lowered, at.end) {
                    self.list_term(number, &mut gathered.tally);
                } else {
                    self.read_terms(lowered, at.clone(), &mut gathered);
                }
            }
            if note.cues != Cues::default() {
                let error = is_from(at.start, wanted.errors);
                let here = listener.hear(note.cues, at);
                gathered.cues |= if error { here } else { here.without(Cues::ERROR) };
            }
        }
        gathered
    }

    /// Lists the terms that begin in a word, behind the last one that two words made.
    fn read_terms(&mut self, lowered: &str, word: Range<usize>, gathered: &mut Gathered) {
        let bytes = lowered.as_bytes();
        let mut at = word.start.max(gathered.joined_to);
        while at < word.end {
            if !bytes[at].is_ascii_alphanumeric() {
                at += 1;
                continue;
            }
            let mut end = latin_end(bytes, at);
            if end == word.end && joins(lowered, end) {
                end = latin_end(bytes, end + 1);
                gathered.joined_to = end;
            }
            let number = self.number(&lowered[at..end]);
            self.list_term(number, &mut gathered.tally);
            at = end;
        }
    }

    fn number(&mut self, word: &str) -> u32 {
        let number = self.words.number(word);
        if number as usize == self.notes.len() {
            self.notes.push(Note {
                cues: cues::of_word(word),
                languages: language::of_word(word),
                is_latin: word.bytes().all(|byte| byte.is_ascii_alphanumeric()),
                is_common: is_common(word),
                counted: (0, 0),
                listed: 0,
            });
        }
        number
    }

    fn count(&mut self, number: u32) {
        let (when, place) = &mut self.notes[number as usize].counted;
        if *when == self.now {
            self.counted[*place as usize].1 += 1;
        } else {
            (*when, *place) = (self.now, self.counted.len() as u32);
            self.counted.push((number, 1));
        }
    }

    fn list_term(&mut self, number: u32, tally: &mut Tally) {
        let note = &mut self.notes[number as usize];
        tally.count(note.languages);
        if !note.is_common && note.listed != self.now {
            note.listed = self.now;
            self.listed.push(number);
        }
    }

    /// Lists the words that were counted, and returns how many there were.
    fn list_words(&mut self) -> u32 {
        let words = self.counted.iter().map(|(_, times)| times).sum();
        self.word_lists.push(self.counted.drain(..));
        words
    }

    fn read_keys(&mut self, body: &str) {
        each_key(body, |key| {
            let number = self.keys.number(key);
            if number as usize == self.is_path.len() {
                self.is_path.push(is_path(key));
                self.key_seen.push(0);
            }
            if std::mem::replace(&mut self.key_seen[number as usize], self.now) != self.now {
                self.listed.push(number);
            }
        });
        self.key_lists.push(self.listed.drain(..));
    }
}

/// Two letters whose lower case is, or begins with, an ASCII letter.
const DOTTED_I: char = '\u{130}';
const KELVIN: char = '\u{212a}';

fn has_dotted_i(text: &str) -> bool {
    text.contains(DOTTED_I)
}

/// Lower case in which that letter is an i, as it is to a case-blind comparison.
fn fold_dotted_i(text: &str) -> String {
    text.replace(DOTTED_I, "i").to_lowercase()
}

fn commands_its_reader(text: &str, lowered: &str) -> bool {
    if has_dotted_i(text) {
        cues::commands_its_reader(&fold_dotted_i(text))
    } else {
        cues::commands_its_reader(lowered)
    }
}

/// The fingerprint of a text whose body has the fingerprint `body_print`.
fn print_around(text: &str, body: &Body, body_print: u128) -> u128 {
    let Some(offset) = body.offset else { return fingerprint(text.as_bytes()) };
    let before = fingerprint(&text.as_bytes()[..offset]);
    let after = fingerprint(&text.as_bytes()[offset + body.text.len()..]);
    before ^ body_print.rotate_left(40) ^ after.rotate_left(80)
}

/// The bytes of a text's lower case. A header ends in a bracket and a line end, so that what
/// follows changes nothing.
fn lowered_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.to_lowercase().len() }
}

/// Whether a word that ends at byte `end` and the next make one term.
#[inline]
fn joins(text: &str, end: usize) -> bool {
    matches!(text.as_bytes()[end..], [b'-' | b'\'', next, ..] if next.is_ascii_alphanumeric())
}

fn latin_end(text: &[u8], from: usize) -> usize {
    let length = text[from..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    from + length
}

pub(super) fn has_chars(text: &str, least: usize) -> bool {
    text.len() >= least && text.chars().nth(least - 1).is_some()
}
