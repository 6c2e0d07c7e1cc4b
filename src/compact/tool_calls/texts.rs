//! The distinct output texts of a transcript, and the distinct lines they are made of.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::OnceLock;

use super::interner::{Interner, as_number};
use super::lines::{header_block, is_volatile};
use super::transcript::{Position, Transcript};
use crate::digest;

/// Outputs by number. Two results with the same text share one number, two lines likewise.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts {
    hasher: RandomState,
    numbers: Interner,
    texts: Vec<Text>,
    line_numbers: Interner,
    lines: Vec<Line>,
    /// The line numbers of every text, one text after the other.
    sequence: Vec<u32>,
    /// The comparable lines of texts with a header block, which may agree where the texts differ.
    headed: HashMap<Box<[u32]>, u32>,
    comparables: u32,
}

#[derive(Debug, Clone)]
struct Text {
    /// The first result that has this text; it is read there again to confirm a hash.
    at: Position,
    chars: usize,
    lines: Range<usize>,
    comparable: u32,
    /// Its SHA-256, once somebody asked: most texts are never stashed.
    sha256: OnceLock<Box<str>>,
}

#[derive(Debug, Clone)]
struct Line {
    /// The first text that has this line, and at which byte.
    text: u32,
    start: usize,
    /// How many distinct texts have this line, and the newest of them.
    texts: u32,
    newest: u32,
}

impl Texts {
    /// The number of the text of the result at `at`. `transcript` must hold, unchanged, every
    /// result that was added before.
    pub fn add(&mut self, transcript: &Transcript, at: Position) -> u32 {
        let text = read(transcript, at);
        let hash = self.hasher.hash_one(text);
        let texts = &self.texts;
        let same = |n: u32| read(transcript, texts[n as usize].at) == text;
        let (number, new) = self.numbers.number(hash, same);
        if new {
            let chars = text.chars().count();
            // Its own lines may repeat, so it must be known before they are looked at.
            let sha256 = OnceLock::new();
            self.texts.push(Text { at, chars, lines: 0..0, comparable: 0, sha256 });
            let lines = self.add_lines(transcript, number, text);
            let comparable = self.add_comparable(text, lines.clone());
            let added = &mut self.texts[number as usize];
            (added.lines, added.comparable) = (lines, comparable);
        }
        number
    }

    /// How many distinct texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// How many distinct lines there are.
    pub fn distinct_lines(&self) -> usize {
        self.lines.len()
    }

    /// How many numbers [`Texts::comparable`] has given out.
    pub fn comparables(&self) -> usize {
        self.comparables as usize
    }

    /// Unicode scalar values of the text.
    pub fn chars(&self, text: u32) -> usize {
        self.texts[text as usize].chars
    }

    /// The text itself, out of the transcript that it came from.
    pub fn read<'t>(&self, transcript: &'t Transcript, text: u32) -> &'t str {
        read(transcript, self.texts[text as usize].at)
    }

    /// The SHA-256 of the text, which is `content`, as hexadecimal digits.
    pub fn sha256(&self, text: u32, content: &str) -> &str {
        let known = &self.texts[text as usize].sha256;
        known.get_or_init(|| digest::sha256(content.as_bytes()).into())
    }

    /// The lines of the text, by number.
    pub fn lines(&self, text: u32) -> &[u32] {
        &self.sequence[self.texts[text as usize].lines.clone()]
    }

    /// Equal for two texts exactly when their comparable lines are.
    pub fn comparable(&self, text: u32) -> u32 {
        self.texts[text as usize].comparable
    }

    /// Whether at least two distinct texts have this line.
    pub fn is_shared(&self, line: u32) -> bool {
        self.lines[line as usize].texts > 1
    }

    fn add_lines(&mut self, transcript: &Transcript, number: u32, text: &str) -> Range<usize> {
        let first = self.sequence.len();
        let mut start = 0;
        for line in text.split('\n') {
            let hash = self.hasher.hash_one(line);
            let (lines, texts) = (&self.lines, &self.texts);
            let same = |n: u32| {
                let known = &lines[n as usize];
                let from = &read(transcript, texts[known.text as usize].at)[known.start..];
                from.strip_prefix(line)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
            };
            let (line_number, new) = self.line_numbers.number(hash, same);
            if new {
                self.lines.push(Line { text: number, start, texts: 1, newest: number });
            } else {
                let known = &mut self.lines[line_number as usize];
                known.texts += u32::from(known.newest != number);
                known.newest = number;
            }
            self.sequence.push(line_number);
            start += line.len() + 1;
        }
        first..self.sequence.len()
    }

    /// Only texts with a header block can agree with others, and only with such: a text whose
    /// lines begin like another's comparable lines has a header block too.
    fn add_comparable(&mut self, text: &str, lines: Range<usize>) -> u32 {
        let fresh = self.comparables;
        let number = match header_block(text) {
            None => fresh,
            Some(header) => {
                let kept: Vec<u32> = text
                    .split('\n')
                    .zip(&self.sequence[lines])
                    .enumerate()
                    .filter(|(n, (line, _))| *n >= header || !is_volatile(line))
                    .map(|(_, (_, number))| *number)
                    .collect();
                *self.headed.entry(kept.into_boxed_slice()).or_insert(fresh)
            }
        };
        if number == fresh {
            self.comparables = as_number(fresh as usize + 1);
        }
        number
    }
}

fn read<'t>(transcript: &'t Transcript, at: Position) -> &'t str {
    &transcript.turns[at.message].results[at.index].text
}
