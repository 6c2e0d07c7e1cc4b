//! The distinct output texts of a transcript.

use std::hash::BuildHasher;
use std::sync::OnceLock;

use foldhash::fast::RandomState;

use super::errors::tells_of_an_error;
use super::interner::Interner;
use super::recoverable::Shape;
use super::transcript::{Position, Transcript};
use crate::digest;
use crate::tokens::Size;

/// Outputs by number. Two results with the same text share one number.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts {
    hasher: RandomState,
    numbers: Interner,
    texts: Vec<Text>,
}

/// A text, and what is known of it once somebody asked.
#[derive(Debug, Clone)]
struct Text {
    /// The first result that has this text; it is read there again to confirm a hash.
    at: Position,
    size: Size,
    sha256: OnceLock<Box<str>>,
    tells_of_an_error: OnceLock<bool>,
    shape: OnceLock<Shape>,
}

impl Texts {
    /// The number of the text of the result at `at`, and whether it is new. `transcript` must
    /// hold, unchanged, every result that was added before.
    pub fn add(&mut self, transcript: &Transcript, at: Position) -> (u32, bool) {
        let text = read(transcript, at);
        let hash = self.hasher.hash_one(text);
        let texts = &self.texts;
        let same = |n: u32| read(transcript, texts[n as usize].at) == text;
        let (number, new) = self.numbers.number(hash, same);
        if new {
            self.texts.push(Text {
                at,
                size: Size::of(text),
                sha256: OnceLock::new(),
                tells_of_an_error: OnceLock::new(),
                shape: OnceLock::new(),
            });
        }
        (number, new)
    }

    /// How many distinct texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Unicode scalar values of the text.
    pub fn chars(&self, text: u32) -> usize {
        self.texts[text as usize].size.chars
    }

    /// Its characters and words.
    pub fn size(&self, text: u32) -> Size {
        self.texts[text as usize].size
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

    /// Whether the text, which is `content`, tells of an error.
    pub fn tells_of_an_error(&self, text: u32, content: &str) -> bool {
        *self.texts[text as usize].tells_of_an_error.get_or_init(|| tells_of_an_error(content))
    }

    /// What the text, which is `content`, is made of.
    pub fn shape(&self, text: u32, content: &str) -> Shape {
        *self.texts[text as usize].shape.get_or_init(|| Shape::of(content))
    }
}

fn read<'t>(transcript: &'t Transcript, at: Position) -> &'t str {
    &transcript.turns[at.message].results[at.index].text
}
