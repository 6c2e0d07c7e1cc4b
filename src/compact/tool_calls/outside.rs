//! What the engine asks of the world outside, which is real in the program and made up in tests.

use std::sync::Arc;

use thiserror::Error;

/// The files that a session's reads came from.
pub trait Disk: Send + Sync {
    /// The path with every link followed, as far as it exists, in the way of Python's
    /// `os.path.realpath`: what is missing stays as it was named.
    fn real_path(&self, path: &str) -> String;

    /// The bytes of a regular file of at most `limit` bytes, named by its real path.
    ///
    /// # Errors
    /// [`DiskFault`] says why it cannot vouch for anything.
    fn read(&self, real_path: &str, limit: u64) -> Result<Arc<[u8]>, DiskFault>;
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

    fn read(&self, _: &str, _: u64) -> Result<Arc<[u8]>, DiskFault> {
        Err(DiskFault::Missing)
    }
}
