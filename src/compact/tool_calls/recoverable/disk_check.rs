//! Asking the disk whether a file still holds what a read of it showed.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::decision::{Action, Decision, DiskProof, Recoverability, Recovery};
use super::super::outside::{Disk, DiskFault, FileContents, FileLines};
use super::super::parsed_call::ParsedCall;
use super::super::paths;
use super::super::transcript::Call;
use super::output::{Output, Shape};
use super::reads::{FileRead, Part};
use super::repeat::Repeat;

/// The largest file that is ever compared, in bytes. What was removed sat in a context window, so
/// a file that it came from is far smaller.
const LARGEST: u64 = 4 * 1024 * 1024;

/// A file as the disk has it, or the reason code for why it vouches for nothing.
type Looked = Result<(String, Arc<FileContents>), &'static str>;

/// How a file is read.
type Read = fn(&dyn Disk, &str, u64) -> Result<Arc<FileContents>, DiskFault>;

/// The disk during one pass: each file is looked at once.
pub struct DiskCheck<'d> {
    disk: &'d dyn Disk,
    read: Read,
    root: String,
    /// By directory, with every link followed.
    real_directories: HashMap<String, String>,
    /// By absolute path.
    files: HashMap<String, Looked>,
}

impl<'d> DiskCheck<'d> {
    /// A check for paths of this workspace, which may go by what was read before and has not
    /// changed since.
    pub fn new(disk: &'d dyn Disk, root: &str) -> DiskCheck<'d> {
        let read = |disk: &dyn Disk, path: &str, limit| disk.read(path, limit);
        DiskCheck::reading(disk, root, read)
    }

    /// A check that reads every file from the disk.
    pub fn anew(disk: &'d dyn Disk, root: &str) -> DiskCheck<'d> {
        let read = |disk: &dyn Disk, path: &str, limit| disk.read_anew(path, limit);
        DiskCheck::reading(disk, root, read)
    }

    fn reading(disk: &'d dyn Disk, root: &str, read: Read) -> DiskCheck<'d> {
        let root = disk.real_path(root);
        DiskCheck { disk, read, root, real_directories: HashMap::new(), files: HashMap::new() }
    }

    /// Whether the file at `target` holds exactly the output of this read, and what it holds.
    ///
    /// # Errors
    /// The reason code for why it does not, or cannot be asked.
    pub fn proof(
        &mut self,
        target: &str,
        read: &FileRead,
        output: &Output,
    ) -> Result<DiskProof, &'static str> {
        let (real, file) = self.look(target)?;
        let lines = file.lines().ok_or("keep_disk_unreadable")?;
        if !shows(read, output, &lines) {
            return Err("keep_disk_mismatch");
        }
        Ok(DiskProof { path: target.to_owned(), real, sha256: file.sha256().to_owned() })
    }

    /// Whether the file still is the one that the proof tells of, and holds the same.
    pub fn still_holds(&mut self, proof: &DiskProof) -> bool {
        self.look(&proof.path)
            .is_ok_and(|(real, file)| real == proof.real && file.sha256() == proof.sha256)
    }

    fn look(&mut self, target: &str) -> Looked {
        if let Some(looked) = self.files.get(target) {
            return looked.clone();
        }
        let looked = self.look_on_disk(target);
        self.files.insert(target.to_owned(), looked.clone());
        looked
    }

    /// A link may not lead out of the workspace, except within the directory that it lies in.
    fn look_on_disk(&mut self, target: &str) -> Looked {
        let real = self.disk.real_path(target);
        let disk = self.disk;
        let directory = paths::directory(target);
        let home = self
            .real_directories
            .entry(directory.to_owned())
            .or_insert_with(|| disk.real_path(directory));
        let is_home = |home: &str| home != "/" && paths::lies_in(&real, home);
        if !is_home(&self.root) && !is_home(home) {
            return Err("keep_disk_outside_root");
        }
        let file = (self.read)(disk, &real, LARGEST).map_err(reason)?;
        Ok((real, file))
    }
}

fn reason(fault: DiskFault) -> &'static str {
    match fault {
        DiskFault::Missing => "keep_disk_missing",
        DiskFault::NotRegular => "keep_disk_not_regular",
        DiskFault::TooLarge => "keep_disk_too_large",
        DiskFault::Unreadable => "keep_disk_unreadable",
    }
}

/// Whether a path has a part `..`: a disk follows links before it goes up, a text does not, so the
/// two could mean different files.
pub fn goes_up(path: &str, cwd: Option<&str>) -> bool {
    paths::join(cwd.unwrap_or(""), path).split('/').any(|part| part == "..")
}

/// Whether an output is exactly what this read shows of a file.
fn shows(read: &FileRead, output: &Output, file: &FileLines) -> bool {
    match (read.part, output.numbered) {
        (Part::Viewed | Part::Numbered { .. }, Some(numbered)) => {
            let mut shown = numbered.count;
            // Claude Code numbers the empty line behind a last line feed too.
            let goes_beyond = shown > 1 && numbered.last() == file.count() + 1;
            if goes_beyond && output.numbered_lines().last() == Some("") {
                shown -= 1;
            }
            let is_whole = numbered.first == 1 && shown == file.count();
            (read.part != Part::Viewed || is_whole)
                && output.numbered_lines().take(shown).eq(file.from(numbered.first).take(shown))
        }
        (Part::Viewed | Part::Whole, _) => file.are_of(output.body),
        (Part::Lines(first, last), _) => {
            let first = usize::try_from(first).unwrap_or(usize::MAX);
            let count = usize::try_from(last).unwrap_or(usize::MAX) - first + 1;
            output.file_lines().eq(file.from(first).take(count))
        }
        (Part::Last(count), _) => {
            let count = usize::try_from(count).unwrap_or(usize::MAX).min(file.count());
            output.file_lines().eq(file.from(file.count() - count + 1))
        }
        (Part::Numbered { .. } | Part::Nothing, _) => false,
    }
}

/// Keeps what a file pointer was to stand for where the file is not any more what it was when the
/// disk vouched for it. To be called right before an answer is given away: every file is read
/// again. Gives whether anything was changed.
pub fn recheck(decisions: &mut [Decision], root: &str, disk: &dyn Disk) -> bool {
    let mut check = DiskCheck::anew(disk, root);
    let mut is_changed = false;
    for decision in decisions {
        let Action::Replace(replacement) = &decision.action else { continue };
        let Recovery::File { disk: Some(proof), .. } = &replacement.recovery else { continue };
        if !check.still_holds(proof) {
            decision.keep_after_all("keep_disk_changed_before_emit");
            is_changed = true;
        }
    }
    is_changed
}

/// Whether what a file or command pointer stands for can be had again right now. `call` and
/// `output` are what the session holds.
pub fn recoverability(
    call: &Call,
    output: &str,
    root: Option<&str>,
    disk: &dyn Disk,
) -> Recoverability {
    let repeat = Repeat::of(&ParsedCall::new(call));
    let Some(read) = &repeat.read else { return Recoverability::Untried };
    let Some(target) = read.target(repeat.cwd.as_deref()) else { return Recoverability::Missing };
    let mut check = DiskCheck::anew(disk, root.unwrap_or("/"));
    match check.proof(&target, read, &Shape::of(output).of_text(output)) {
        Ok(_) => Recoverability::Same,
        Err("keep_disk_missing") => Recoverability::Missing,
        Err(_) => Recoverability::Changed,
    }
}
