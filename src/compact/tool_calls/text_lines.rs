//! The distinct lines that the output texts of a transcript are made of.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::interner::{Interner, as_number};
use super::lines::{header_block, is_volatile};
use super::texts::Texts;
use super::transcript::Transcript;

/// Lines by number, and the texts that have them. Two equal lines share one number.
#[derive(Debug, Clone, Default)]
pub(super) struct TextLines {
    hasher: RandomState,
    numbers: Interner,
    lines: Vec<Line>,
    /// The line numbers of every text, one text after the other.
    sequence: Vec<u32>,
    /// By the number of a text.
    texts: Vec<Text>,
    /// The comparable lines of texts with a header block, which may agree where the texts differ.
    headed: HashMap<Box<[u32]>, u32, RandomState>,
    comparables: u32,
}

#[derive(Debug, Clone)]
struct Text {
    lines: Range<usize>,
    comparable: u32,
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

impl TextLines {
    /// Takes in the newest of `texts`, which lie in `transcript`.
    pub fn add(&mut self, transcript: &Transcript, texts: &Texts) {
        let number = as_number(self.texts.len());
        let text = texts.read(transcript, number);
        let lines = self.add_lines(transcript, texts, number, text);
        let comparable = self.add_comparable(text, lines.clone());
        self.texts.push(Text { lines, comparable });
    }

    /// How many distinct lines there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// How many numbers [`TextLines::comparable`] has given out.
    pub fn comparables(&self) -> usize {
        self.comparables as usize
    }

    /// The lines of the text, by number.
    pub fn of(&self, text: u32) -> &[u32] {
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

    fn add_lines(
        &mut self,
        transcript: &Transcript,
        texts: &Texts,
        number: u32,
        text: &str,
    ) -> Range<usize> {
        let first = self.sequence.len();
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
        for end in ends {
            let line = &text[start..end];
            let hash = self.hasher.hash_one(line);
            let lines = &self.lines;
            let same = |n: u32| {
                let known = &lines[n as usize];
                let from = &texts.read(transcript, known.text)[known.start..];
                from.strip_prefix(line)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
            };
            let (line_number, new) = self.numbers.number(hash, same);
            if new {
                self.lines.push(Line { text: number, start, texts: 1, newest: number });
            } else {
                let known = &mut self.lines[line_number as usize];
                known.texts += u32::from(known.newest != number);
                known.newest = number;
            }
            self.sequence.push(line_number);
            start = end + 1;
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
