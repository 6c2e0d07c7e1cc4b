//! What the engine asks of the world outside, which is real in the program and made up in tests.

use std::string::FromUtf8Error;
use std::sync::{Arc, OnceLock};

use thiserror::Error;

use crate::digest;

/// The files that a session's reads came from.
pub trait Disk: Send + Sync {
    /// The path with every link followed, as far as it exists, in the way of Python's
    /// `os.path.realpath`: what is missing stays as it was named.
    fn real_path(&self, path: &str) -> String;

    /// What a regular file of at most `limit` bytes holds, named by its real path. It may have
    /// been read before, if nothing says that the file has changed since.
    ///
    /// # Errors
    /// [`DiskFault`] says why it cannot vouch for anything.
    fn read(&self, real_path: &str, limit: u64) -> Result<Arc<FileContents>, DiskFault>;

    /// The same, read from the disk now.
    ///
    /// # Errors
    /// As for [`Disk::read`].
    fn read_anew(&self, real_path: &str, limit: u64) -> Result<Arc<FileContents>, DiskFault> {
        self.read(real_path, limit)
    }
}

/// What a file holds. Its lines and its digest are found once, when they are asked for.
#[derive(Debug)]
pub struct FileContents {
    /// Its bytes, when they are no text in UTF-8.
    text: Result<String, FromUtf8Error>,
    /// Where the lines of the text end.
    ends: OnceLock<Vec<usize>>,
    sha256: OnceLock<String>,
}

/// The lines of a file: a line feed ends one, and an empty file has none.
pub struct FileLines<'f> {
    text: &'f str,
    ends: &'f [usize],
}

impl FileContents {
    pub fn new(bytes: Vec<u8>) -> FileContents {
        let text = String::from_utf8(bytes);
        FileContents { text, ends: OnceLock::new(), sha256: OnceLock::new() }
    }

    pub fn bytes(&self) -> &[u8] {
        match &self.text {
            Ok(text) => text.as_bytes(),
            Err(error) => error.as_bytes(),
        }
    }

    /// Its SHA-256, 64 lower-case hexadecimal digits.
    pub fn sha256(&self) -> &str {
        self.sha256.get_or_init(|| digest::sha256(self.bytes()))
    }

    /// Its lines; `None` when it is no text in UTF-8.
    pub fn lines(&self) -> Option<FileLines<'_>> {
        let text = self.text.as_ref().ok()?;
        let ends = self.ends.get_or_init(|| {
            let mut ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
            if !text.is_empty() && !text.ends_with('\n') {
                ends.push(text.len());
            }
            ends
        });
        Some(FileLines { text, ends })
    }
}

impl<'f> FileLines<'f> {
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The lines from this one on, counting from 1.
    pub fn from(&self, first: usize) -> impl Iterator<Item = &'f str> + use<'_, 'f> {
        let before = first.saturating_sub(1);
        let lines = self.ends.get(before..).unwrap_or(&[]).iter();
        let mut start = match before.checked_sub(1) {
            Some(last) => self.ends.get(last).map_or(0, |end| end + 1),
            None => 0,
        };
        lines.map(move |&end| &self.text[std::mem::replace(&mut start, end + 1)..end])
    }

    /// Whether the lines are those of this text.
    pub fn are_of(&self, text: &str) -> bool {
        let unended = |text: &'_ str| text.strip_suffix('\n').unwrap_or(text).len();
        self.text.is_empty() == text.is_empty()
            && self.text[..unended(self.text)] == text[..unended(text)]
    }
}

/// Why a file vouches for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DiskFault {
    #[error("there is no such file")]
    Missing,
    #[error("it is no regular file")]
    NotRegular,
    #[error("it is too large")]
    TooLarge,
    #[error("it cannot be read")]
    Unreadable,
}

/// The only copy of what a stash pointer stands for.
pub trait Stash: Send + Sync {
    /// Stores texts, each under its SHA-256 (64 lower-case hexadecimal digits). One that is there
    /// already, undamaged, is left as it is; a damaged one is stored again. Gives for each text,
    /// in their order, whether it is stored; a [`StashFault`] where it is not, and nothing may
    /// then point to it.
    fn store(&self, texts: &[ToStore]) -> Vec<Result<(), StashFault>>;

    /// Whether `id`, a SHA-256 or the first digits of one, leads to this text, undamaged, and to
    /// no other.
    fn holds(&self, id: &str, text: &str) -> bool;

    /// Where it is, for the report; `None` for one that is nowhere.
    fn place(&self) -> Option<String>;
}

/// A text for the stash.
#[derive(Debug, Clone, Copy)]
pub struct ToStore<'t> {
    pub sha256: &'t str,
    pub text: &'t str,
}

/// Why a text is not in the stash. `kind` is the name that the reference's language gives the
/// error, since reason codes carry it (`stash_write_failed:PermissionError`).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{why}")]
pub struct StashFault {
    pub kind: &'static str,
    pub why: String,
}

/// A stash that stores nothing and says it did: a preview has no side effects.
#[derive(Debug, Clone, Copy, Default)]
pub struct Preview;

impl Stash for Preview {
    fn store(&self, texts: &[ToStore]) -> Vec<Result<(), StashFault>> {
        vec![Ok(()); texts.len()]
    }

    fn holds(&self, _: &str, _: &str) -> bool {
        true
    }

    fn place(&self) -> Option<String> {
        None
    }
}

/// A disk that is not asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoDisk;

impl Disk for NoDisk {
    fn real_path(&self, path: &str) -> String {
        path.to_owned()
    }

    fn read(&self, _: &str, _: u64) -> Result<Arc<FileContents>, DiskFault> {
        Err(DiskFault::Missing)
    }
}
