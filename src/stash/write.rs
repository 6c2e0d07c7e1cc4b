//! Writing a text so that it is there whole or not at all, whatever fails on the way.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::read_verified;

/// Only the owner may enter.
const DIRECTORY_MODE: u32 = 0o700;
/// Only the owner may read and write.
const FILE_MODE: u32 = 0o600;
/// How the name of a file begins that is being written.
const TEMPORARY: &str = ".tmp-";
/// Since when nobody writes a file any more that is still temporary: whoever began it was killed.
const STALE: Duration = Duration::from_secs(60 * 60);

/// The steps that put bytes on a disk, apart so that tests can make them fail.
pub(super) trait Writing: Send + Sync {
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()>;
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
}

/// The disk itself.
pub(super) struct RealWriting;

impl Writing for RealWriting {
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }
}

/// Makes the directory, closed to others, where it is missing, and removes what programs left in
/// it that were killed while they wrote.
pub(super) fn prepare(directory: &Path) -> io::Result<()> {
    let missing: Vec<&Path> =
        directory.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
    DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(directory)?;
    // A new directory is lost with the power unless the one that names it is on the disk.
    for parent in missing.iter().filter_map(|created| created.parent()) {
        sync_directory(parent)?;
    }
    fs::set_permissions(directory, Permissions::from_mode(DIRECTORY_MODE))?;
    remove_stale(directory);
    Ok(())
}

/// What cannot be removed stays for another time: it keeps nothing from being stored.
fn remove_stale(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_temporary = entry.file_name().to_string_lossy().starts_with(TEMPORARY);
        if is_temporary && entry.metadata().is_ok_and(|file| is_stale(&file)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_stale(file: &Metadata) -> bool {
    let age = file.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    file.is_file() && age.is_some_and(|age| age > STALE)
}

/// Puts bytes under a name in a directory that exists. They are written and read again under
/// another name first, so that the name never stands for anything else.
pub(super) fn put(
    writing: &dyn Writing,
    blob: &Path,
    sha256: &str,
    bytes: &[u8],
) -> io::Result<()> {
    let directory = blob.parent().ok_or(ErrorKind::NotFound)?;
    let mut temporary = Temporary::create(directory)?;
    writing.write(&mut temporary.file, bytes)?;
    if read_verified(&temporary.path, sha256)?.is_none() {
        return Err(io::Error::other("what was written reads back otherwise"));
    }
    writing.rename(&temporary.path, blob)?;
    temporary.is_renamed = true;
    sync_directory(directory)
}

fn sync_directory(directory: &Path) -> io::Result<()> {
    // The parent of a relative path of one part is the empty path.
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    File::open(directory)?.sync_all()
}

/// A file under a name of its own, which goes when it was not renamed.
struct Temporary {
    path: PathBuf,
    file: File,
    is_renamed: bool,
}

impl Temporary {
    fn create(directory: &Path) -> io::Result<Temporary> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = directory.join(format!("{TEMPORARY}{}-{number}", process::id()));
            match OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&path) {
                Ok(file) => return Ok(Temporary { path, file, is_renamed: false }),
                // A process that had the same number was killed here.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_renamed {
            // What failed before is what the caller is told.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// What Python calls an error of the operating system: the subclass of `OSError` for its number
/// (PEP 3151).
pub(super) fn python_name(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::NotFound => "FileNotFoundError",
        ErrorKind::PermissionDenied => "PermissionError",
        ErrorKind::AlreadyExists => "FileExistsError",
        ErrorKind::NotADirectory => "NotADirectoryError",
        ErrorKind::IsADirectory => "IsADirectoryError",
        ErrorKind::TimedOut => "TimeoutError",
        ErrorKind::BrokenPipe => "BrokenPipeError",
        ErrorKind::Interrupted => "InterruptedError",
        ErrorKind::WouldBlock => "BlockingIOError",
        _ => "OSError",
    }
}
