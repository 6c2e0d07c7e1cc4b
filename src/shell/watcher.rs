//! Watches a file: what is appended is read as it comes, a changed file is read anew.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use notify::{RecursiveMode, Watcher};

use super::Watched;
use crate::app::action::{Growth, Msg, Watching};
use crate::session::{self, Growing, Layout, Session};

/// How often the file is looked at without being told: always where the file system tells
/// nothing, and now and then where it does, since telling can fail silently (network mounts).
const POLL: Duration = Duration::from_millis(250);
const POLL_BESIDE_NOTICES: Duration = Duration::from_millis(1000);
/// Bytes before the end that must be as they were for the file to have only grown.
const TAIL: usize = 256;

/// Watches on a thread of its own, until nobody listens any more.
pub(super) fn watch(watched: Watched, out: Sender<Msg>) {
    thread::spawn(move || {
        let (notices, told) = channel();
        let directory = watched.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        // The directory, not the file: a replaced file is another one of the same name.
        let watcher = notify::recommended_watcher(move |event| {
            let _ = notices.send(event);
        })
        .and_then(|mut watcher| {
            watcher.watch(directory.unwrap_or(Path::new(".")), RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        let pause = if watcher.is_ok() { POLL_BESIDE_NOTICES } else { POLL };
        let mut file = Watch::new(watched);
        loop {
            if let Some(msg) = file.look()
                && out.send(msg).is_err()
            {
                return;
            }
            match told.recv_timeout(pause) {
                Ok(_) => while told.try_recv().is_ok() {},
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(pause),
            }
        }
    });
}

/// The file as it was when it was last looked at.
struct Watch {
    watched: Watched,
    growing: Growing,
    known: Option<Known>,
    /// Bytes read so far.
    offset: u64,
    /// The last of them.
    tail: Vec<u8>,
    /// Why the file is read from the start, until a session has been told that says so.
    anew: Option<&'static str>,
    state: Watching,
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Known {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Known {
    fn of(metadata: &Metadata) -> Known {
        Known {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

impl Watch {
    fn new(watched: Watched) -> Watch {
        let growing = Growing::new(watched.source.clone(), watched.format);
        Watch {
            watched,
            growing,
            known: None,
            offset: 0,
            tail: Vec::new(),
            anew: None,
            state: Watching::Live,
        }
    }

    /// What has changed since the last look, if anything that shows.
    fn look(&mut self) -> Option<Msg> {
        match self.read_changes() {
            Ok(false) => None,
            Ok(true) => self.tell(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.start_over("the file is back");
                self.turn(Watching::Removed)
            }
            Err(_) => self.turn(Watching::Unreadable),
        }
    }

    /// Reads what is new; whether there was anything.
    fn read_changes(&mut self) -> io::Result<bool> {
        let now = Known::of(&fs::metadata(&self.watched.path)?);
        if self.known == Some(now) {
            return Ok(false);
        }
        let mut file = File::open(&self.watched.path)?;
        if let Some(why) = self.why_anew(now, &mut file)? {
            self.start_over(why);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        self.growing.push(&bytes);
        self.offset += bytes.len() as u64;
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        self.known = Some(now);
        Ok(true)
    }

    /// Why the file has to be read from the start, if it has.
    fn why_anew(&self, now: Known, file: &mut File) -> io::Result<Option<&'static str>> {
        let Some(known) = self.known else { return Ok(None) };
        if (now.device, now.inode) != (known.device, known.inode) {
            return Ok(Some("the file was replaced"));
        }
        if now.size < self.offset {
            return Ok(Some("the file was truncated"));
        }
        if self.growing.layout() == Layout::Document {
            return Ok(Some("the file was written anew"));
        }
        file.seek(SeekFrom::Start(self.offset - self.tail.len() as u64))?;
        let mut tail = vec![0; self.tail.len()];
        file.read_exact(&mut tail)?;
        Ok((tail != self.tail).then_some("the file was written anew"))
    }

    fn start_over(&mut self, why: &'static str) {
        self.growing = Growing::new(self.watched.source.clone(), self.watched.format);
        self.known = None;
        self.offset = 0;
        self.tail.clear();
        self.anew = Some(why);
    }

    fn tell(&mut self) -> Option<Msg> {
        let session = match self.growing.layout() {
            Layout::Lines => self.growing.session().cloned(),
            // Too little may be seen of a document that is a few lines long.
            Layout::Document | Layout::Undecided => self.read_document(),
        };
        let Some(session) = session else { return self.turn(Watching::Unreadable) };
        self.state = Watching::Live;
        let session = Arc::new(session);
        // Whoever takes an appended session relies on what was there before: whatever the bytes
        // looked like, it must still be there.
        let told = self.watched.opened.replace(session.clone());
        if self.anew.is_none() && told.is_some_and(|told| !session.continues(&told)) {
            self.anew = Some("the file was replaced");
        }
        let how = self.anew.take().map_or(Growth::Appended, Growth::Reread);
        Some(Msg::Grown { session, how })
    }

    fn read_document(&self) -> Option<Session> {
        let bytes = fs::read(&self.watched.path).ok()?;
        session::read(&bytes, self.watched.source.clone(), self.watched.format).ok()
    }

    /// Says once that the file stands otherwise.
    fn turn(&mut self, state: Watching) -> Option<Msg> {
        let changed = self.state != state;
        self.state = state;
        changed.then_some(Msg::Watching(state))
    }
}
