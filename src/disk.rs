//! The disk of this machine, for the engine.

use std::collections::HashMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::compact::tool_calls::{Disk, DiskFault, FileContents, real_path};

/// Bytes that are kept of what was read. Beyond that everything is let go.
const KEPT: usize = 32 * 1024 * 1024;
/// A file that was changed so shortly before it was read could be changed again within the same
/// tick of the file system's clock, and look the same: it is not kept.
const SETTLED: Duration = Duration::from_secs(2);
/// Bytes of a path that the system does not take any more, so that it need not be asked.
const LONGEST: usize = libc::PATH_MAX.unsigned_abs() as usize;

/// The disk of this machine. It keeps what it read, as long as device, inode, size and both times
/// of a file stay as they were: then a plan asks for every file again at the price of looking at
/// it. Nobody can set the time of the last change (ctime) back without the right to set the clock,
/// but a kept file is still good for a preview only: what is written out is checked against
/// [`Disk::read_anew`].
#[derive(Debug, Default)]
pub struct RealDisk {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    files: HashMap<String, (Stamp, Arc<FileContents>)>,
    bytes: usize,
}

/// What a file looks like from outside. It differs whenever the file was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    /// Seconds and nanoseconds since 1970.
    modified: (i64, i64),
    changed: (i64, i64),
}

impl RealDisk {
    pub fn new() -> RealDisk {
        RealDisk::default()
    }

    fn kept(&self, path: &str, stamp: Stamp) -> Option<Arc<FileContents>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (then, contents) = kept.files.get(path)?;
        (*then == stamp).then(|| Arc::clone(contents))
    }

    fn keep(&self, path: &str, stamp: Stamp, contents: &Arc<FileContents>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let size = contents.bytes().len();
        if kept.bytes + size > KEPT {
            *kept = Kept::default();
        }
        kept.bytes += size;
        if let Some((_, before)) = kept.files.insert(path.to_owned(), (stamp, Arc::clone(contents)))
        {
            kept.bytes -= before.bytes().len();
        }
    }
}

impl Disk for RealDisk {
    fn real_path(&self, path: &str) -> String {
        let current = || {
            let directory = std::env::current_dir().unwrap_or_default();
            directory.to_string_lossy().into_owned()
        };
        // A target that is no Unicode names no file that the transcript could mean.
        let target_of = |path: &str| {
            if path.len() >= LONGEST {
                return None;
            }
            let target = std::fs::read_link(path).ok()?;
            Some(target.to_string_lossy().into_owned())
        };
        real_path(path, current, target_of)
    }

    fn read(&self, real_path: &str, limit: u64) -> Result<Arc<FileContents>, DiskFault> {
        let stamp = Stamp::of(&std::fs::metadata(real_path).map_err(fault)?);
        if let Some(contents) = self.kept(real_path, stamp) {
            return Ok(contents);
        }
        let (contents, stamp) = read(Path::new(real_path), limit)?;
        let contents = Arc::new(contents);
        if let Some(stamp) = stamp.filter(Stamp::is_settled) {
            self.keep(real_path, stamp, &contents);
        }
        Ok(contents)
    }

    fn read_anew(&self, real_path: &str, limit: u64) -> Result<Arc<FileContents>, DiskFault> {
        read(Path::new(real_path), limit).map(|(contents, _)| Arc::new(contents))
    }
}

/// A file's bytes, and what it looked like if that was so before and after.
fn read(path: &Path, limit: u64) -> Result<(FileContents, Option<Stamp>), DiskFault> {
    // Looked at first: opening a device can have effects, and a named pipe can wait for ever.
    must_be_file(&std::fs::metadata(path).map_err(fault)?, limit)?;
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(fault)?;
    let before = file.metadata().map_err(fault)?;
    must_be_file(&before, limit)?;
    let bytes = read_up_to(&file, limit)?;
    let after = file.metadata().map_err(fault)?;
    let stamp = Stamp::of(&after);
    Ok((FileContents::new(bytes), (stamp == Stamp::of(&before)).then_some(stamp)))
}

fn must_be_file(metadata: &Metadata, limit: u64) -> Result<(), DiskFault> {
    if !metadata.is_file() {
        Err(DiskFault::NotRegular)
    } else if metadata.len() > limit {
        Err(DiskFault::TooLarge)
    } else {
        Ok(())
    }
}

/// A file may say that it holds less than it gives.
fn read_up_to(file: &File, limit: u64) -> Result<Vec<u8>, DiskFault> {
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(fault)?;
    if bytes.len() as u64 > limit { Err(DiskFault::TooLarge) } else { Ok(bytes) }
}

fn fault(error: io::Error) -> DiskFault {
    match error.kind() {
        io::ErrorKind::NotFound => DiskFault::Missing,
        _ => DiskFault::Unreadable,
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    fn is_settled(&self) -> bool {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        now.saturating_sub(self.changed.0) >= SETTLED.as_secs().cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use tempfile::TempDir;

    use super::*;

    const LIMIT: u64 = 100;

    fn directory() -> (TempDir, String) {
        let directory = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(directory.path()).unwrap();
        let path = path.to_str().unwrap().to_owned();
        (directory, path)
    }

    fn held(disk: &RealDisk, path: &str) -> Result<Vec<u8>, DiskFault> {
        disk.read(path, LIMIT).map(|contents| contents.bytes().to_vec())
    }

    #[test]
    fn only_a_regular_file_of_a_bearable_size_is_read() {
        let (_held, path) = directory();
        let at = |name: &str| format!("{path}/{name}");
        fs::write(at("file"), b"a\xff").unwrap();
        fs::write(at("large"), [0; LIMIT as usize + 1]).unwrap();
        symlink("loop", at("loop")).unwrap();
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let disk = RealDisk::new();
        assert_eq!(held(&disk, &at("file")), Ok(b"a\xff".to_vec()));
        for (name, fault) in [
            ("none", DiskFault::Missing),
            ("file/none", DiskFault::Unreadable),
            ("loop", DiskFault::Unreadable),
            ("a\0b", DiskFault::Unreadable),
            ("large", DiskFault::TooLarge),
            ("pipe", DiskFault::NotRegular),
            ("", DiskFault::NotRegular),
        ] {
            assert_eq!(held(&disk, &at(name)), Err(fault), "{name}");
        }
    }

    #[test]
    fn a_file_that_says_that_it_is_empty_is_read_no_further_than_the_limit() {
        let is_there = fs::metadata("/proc/self/maps").is_ok_and(|it| it.is_file());
        if is_there {
            assert_eq!(held(&RealDisk::new(), "/proc/self/maps"), Err(DiskFault::TooLarge));
        }
    }

    #[test]
    fn what_is_kept_is_good_for_as_long_as_the_file_looks_the_same() {
        let (_held, path) = directory();
        let path = format!("{path}/file");
        fs::write(&path, "old").unwrap();
        let disk = RealDisk::new();
        let stamp = Stamp::of(&fs::metadata(&path).unwrap());
        disk.keep(&path, stamp, &Arc::new(FileContents::new(b"kept".to_vec())));
        assert_eq!(held(&disk, &path), Ok(b"kept".to_vec()));
        assert_eq!(disk.read_anew(&path, LIMIT).unwrap().bytes(), b"old");
        // Another file of the same size in its place.
        fs::write(format!("{path}.new"), "new").unwrap();
        fs::rename(format!("{path}.new"), &path).unwrap();
        assert_eq!(held(&disk, &path), Ok(b"new".to_vec()));
    }

    #[test]
    fn no_more_is_kept_than_was_set() {
        let disk = RealDisk::new();
        let (_held, path) = directory();
        let stamp = Stamp::of(&fs::metadata(&path).unwrap());
        let half = Arc::new(FileContents::new(vec![0; KEPT / 2]));
        for name in ["a", "a", "b", "c"] {
            disk.keep(name, stamp, &half);
        }
        let kept = ["a", "b", "c"].map(|name| disk.kept(name, stamp).is_some());
        assert_eq!(kept, [false, false, true]);
    }

    #[test]
    fn a_path_that_no_system_takes_is_not_asked_for_at_every_part() {
        let (_held, path) = directory();
        let path = path + &"/a".repeat(500_000);
        let disk = RealDisk::new();
        assert!(disk.real_path(&path) == path);
        assert_eq!(held(&disk, &path), Err(DiskFault::Unreadable));
    }

    #[test]
    fn links_are_followed_and_what_is_missing_stays_as_named() {
        let (_held, path) = directory();
        fs::create_dir(format!("{path}/there")).unwrap();
        symlink("there", format!("{path}/link")).unwrap();
        let disk = RealDisk::new();
        assert_eq!(
            disk.real_path(&format!("{path}/link/../link/a/b")),
            format!("{path}/there/a/b")
        );
        let current = fs::canonicalize(".").unwrap();
        assert_eq!(disk.real_path("no/../such"), format!("{}/such", current.to_str().unwrap()));
    }
}
