//! The stash: the only copy of what a compaction removed.
//!
//! Each text is a file that has the SHA-256 of its bytes for a name, in a directory that only its
//! owner may enter. A text is read again and hashed before anything points to it and whenever it
//! is asked for, so what comes back is what was removed, or nothing does.

mod lines;
mod recall;
mod write;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

pub use lines::{LineRange, RangeError};
pub use recall::{RecallError, Recalled};

use crate::compact::tool_calls::{Stash, StashFault};
use crate::{digest, directories};
use write::{RealWriting, Writing};

/// Names the directory of the stash.
pub const ENVIRONMENT: &str = "COMPACTSCOPE_STASH_DIR";

/// Fewest digits of an id; a pointer names so many.
pub const SHORTEST_ID: usize = 12;
/// Digits of a whole SHA-256.
const LONGEST_ID: usize = 64;

/// The stash of one directory. Several programs may store in it at the same time.
pub struct FileStash {
    /// `None` when nothing says where it is.
    directory: Option<PathBuf>,
    writing: Box<dyn Writing>,
    /// The names in it when one was first looked for, and those stored since. It only serves
    /// [`Stash::holds`], which would read the directory again for every pointer.
    known: Mutex<Option<BTreeSet<String>>>,
}

impl FileStash {
    /// A stash in this directory, which the first text that is stored creates.
    pub fn at(directory: impl Into<PathBuf>) -> FileStash {
        FileStash::with(Some(directory.into()), Box::new(RealWriting))
    }

    /// The user's stash: in [`ENVIRONMENT`], else `stash` in the program's data directory.
    pub fn of_the_user() -> FileStash {
        let directory = directory(env::var_os(ENVIRONMENT), directories::data());
        FileStash::with(directory, Box::new(RealWriting))
    }

    fn with(directory: Option<PathBuf>, writing: Box<dyn Writing>) -> FileStash {
        FileStash { directory, writing, known: Mutex::new(None) }
    }

    fn try_store(&self, sha256: &str, text: &str) -> io::Result<()> {
        let directory = self.directory.as_deref().ok_or_else(no_directory)?;
        write::prepare(directory)?;
        let blob = directory.join(sha256);
        if read_verified(&blob, sha256)?.is_none() {
            write::put(&*self.writing, &blob, sha256, text.as_bytes())?;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = &mut *known {
            names.insert(sha256.to_owned());
        }
        Ok(())
    }

    /// The one name that begins with `id`, among those that are known here.
    fn only_known(&self, id: &str) -> Option<String> {
        let directory = self.directory.as_deref()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            *known = Some(names(directory).ok()?);
        }
        let mut matching = beginning_with(known.as_ref()?, id);
        matching.next().filter(|_| matching.next().is_none()).cloned()
    }
}

impl Stash for FileStash {
    fn store(&self, sha256: &str, text: &str) -> Result<(), StashFault> {
        self.try_store(sha256, text).map_err(|error| {
            let place = self.place().unwrap_or_default();
            StashFault { kind: write::python_name(&error), why: format!("{place}: {error}") }
        })
    }

    fn holds(&self, id: &str, text: &str) -> bool {
        let held = || {
            let sha256 = self.only_known(id)?;
            read_verified(&self.directory.as_deref()?.join(&sha256), &sha256).ok()?
        };
        held().is_some_and(|bytes| bytes == text.as_bytes())
    }

    fn place(&self) -> Option<String> {
        Some(self.directory.as_deref()?.to_string_lossy().into_owned())
    }
}

/// An empty variable counts as none, as it does for the reference.
fn directory(named: Option<OsString>, data: Option<PathBuf>) -> Option<PathBuf> {
    match named {
        Some(named) if !named.is_empty() => Some(named.into()),
        _ => Some(data?.join("stash")),
    }
}

fn no_directory() -> io::Error {
    io::Error::other(format!("there is no home directory for the stash; set {ENVIRONMENT}"))
}

/// The names of all texts in a stash; none when there is no such directory.
fn names(directory: &Path) -> io::Result<BTreeSet<String>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        entries => entries?,
    };
    let mut names = BTreeSet::new();
    for entry in entries {
        if let Ok(name) = entry?.file_name().into_string()
            && name.len() == LONGEST_ID
            && is_id(&name)
        {
            names.insert(name);
        }
    }
    Ok(names)
}

fn beginning_with<'n>(
    names: &'n BTreeSet<String>,
    id: &'n str,
) -> impl Iterator<Item = &'n String> {
    names.range(id.to_owned()..).take_while(move |name| name.starts_with(id))
}

/// Whether it can be a SHA-256 or its first digits.
fn is_id(id: &str) -> bool {
    (SHORTEST_ID..=LONGEST_ID).contains(&id.len())
        && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The bytes of a text, when they are there and hash to its name. A link or a device that is in
/// its place is no text.
fn read_verified(blob: &Path, sha256: &str) -> io::Result<Option<Vec<u8>>> {
    if !blob.is_file() {
        return Ok(None);
    }
    let bytes = fs::read(blob)?;
    Ok((digest::sha256(&bytes) == sha256).then_some(bytes))
}

#[cfg(test)]
mod tests;
