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
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, thread};

pub use lines::{LineRange, RangeError};
pub use recall::{RecallError, Recalled};

use crate::compact::tool_calls::{Recoverability, Stash, StashFault, StashNote, ToStore};
use crate::{digest, directories};
use write::{RealWriting, Writing};

/// Names the directory of the stash.
pub const ENVIRONMENT: &str = "COMPACTSCOPE_STASH_DIR";

/// Texts that are written at the same time.
const WRITERS: usize = 16;
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

    /// Whether the text with this SHA-256 can be recalled right now.
    pub fn look(&self, sha256: &str) -> Recoverability {
        let Some(directory) = &self.directory else { return Recoverability::Missing };
        let blob = directory.join(sha256);
        match read_verified(&blob, sha256) {
            Ok(Some(_)) => Recoverability::Same,
            _ if blob.symlink_metadata().is_ok() => Recoverability::Changed,
            _ => Recoverability::Missing,
        }
    }

    fn try_store(&self, directory: &Path, text: &ToStore) -> io::Result<()> {
        let blob = directory.join(text.sha256);
        if read_verified(&blob, text.sha256)?.is_none() {
            write::put(&*self.writing, &blob, text.sha256, text.text.as_bytes())?;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = &mut *known {
            names.insert(text.sha256.to_owned());
        }
        Ok(())
    }

    fn fault(&self, error: &io::Error) -> StashFault {
        let place = self.place().unwrap_or_default();
        StashFault { kind: write::python_name(error), why: format!("{place}: {error}") }
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
    fn store(&self, texts: &[ToStore]) -> Vec<Result<(), StashFault>> {
        if texts.is_empty() {
            return Vec::new();
        }
        let directory = self.directory.as_deref().ok_or_else(no_directory);
        let directory = match directory.and_then(|it| write::prepare(it).map(|()| it)) {
            Ok(directory) => directory,
            Err(error) => return vec![Err(self.fault(&error)); texts.len()],
        };
        let stored = side_by_side(texts, |text| self.try_store(directory, text));
        stored.into_iter().map(|stored| stored.map_err(|error| self.fault(&error))).collect()
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

/// Does work that mostly waits for a disk to write, on several threads: what is to be on the disk
/// at the same time is written there together. Gives the answers in the order of the work.
fn side_by_side<W: Sync, A: Send>(work: &[W], answer: impl Fn(&W) -> A + Sync) -> Vec<A> {
    let share = work.len().div_ceil(WRITERS).max(1);
    let answer = &answer;
    let answer_all = move |work: &[W]| work.iter().map(answer).collect::<Vec<_>>();
    thread::scope(|scope| {
        let start = |work| {
            let thread = thread::Builder::new().spawn_scoped(scope, move || answer_all(work));
            // Where no more threads are allowed, the work is done here.
            thread.map_err(|_| answer_all(work))
        };
        let writers: Vec<_> = work.chunks(share).map(start).collect();
        let join = |writer: Result<thread::ScopedJoinHandle<'_, Vec<A>>, Vec<A>>| match writer {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(answers) => answers,
        };
        writers.into_iter().flat_map(join).collect()
    })
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
    (StashNote::ID_DIGITS..=LONGEST_ID).contains(&id.len()) && digest::is_hex(id)
}

/// The bytes of a text, when they are there and hash to its name. A link or a device that is in
/// its place is no text.
fn read_verified(blob: &Path, sha256: &str) -> io::Result<Option<Vec<u8>>> {
    if !fs::symlink_metadata(blob).is_ok_and(|it| it.is_file()) {
        return Ok(None);
    }
    let bytes = fs::read(blob)?;
    Ok((digest::sha256(&bytes) == sha256).then_some(bytes))
}

#[cfg(test)]
mod tests;
