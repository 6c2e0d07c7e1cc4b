//! Rules, mode recoverable: an output goes when it can be had again.
//!
//! On top of what [`lossless`](super::lossless) replaces, the output of a read gives way to a
//! note that says what to read again. Where a workspace is known the disk decides: the file must
//! hold exactly the output. Elsewhere the transcript does: nothing after the read may have written
//! the file. The output of a read-only command gives way too, where that is allowed. Every rule
//! can only turn a replacement into a keep. Rules and reason codes are the reference's.

mod disk_check;
mod later;
mod names;
mod output;
mod pointers;
mod reads;
mod repeat;
mod shell;
mod writes;

pub use disk_check::{recheck, recoverability};
pub(super) use later::Repeats;
pub(super) use output::Shape;
pub(in crate::compact) use pointers::note_for;
pub(super) use pointers::{Owners, is_own_pointer, may_stand};

use super::decision::{Action, Decision, DiskProof, Recovery, Replacement};
use super::errors::Errors;
use super::lossless::lossless_beside;
use super::outside::Disk;
use super::pins::Candidate;
use super::view::View;
use disk_check::{DiskCheck, goes_up};
use later::{Named, Standing};
use output::Output;
use reads::{FileRead, Lines, Part};
use repeat::Command;

/// One decision for every call that is pinned, then one for every call that is not and has a
/// result, each in order. The disk is asked once for every file; the rest takes time in
/// proportion to the calls.
pub(super) fn recoverable(view: &View, disk: &dyn Disk) -> Vec<Decision> {
    let (mut decisions, candidates) = view.pins.split(view.index);
    let mut pass = Pass::new(view, disk);
    let verdicts: Vec<Verdict> = candidates.iter().map(|it| pass.judge(it)).collect();
    let mut is_replaced = vec![false; view.index.results().len()];
    for (candidate, verdict) in candidates.iter().zip(&verdicts) {
        is_replaced[candidate.result] = verdict.is_ok();
    }
    // A dedupe may not point to a result that is itself replaced.
    let beside = lossless_beside(view.index, &candidates, |result| is_replaced[result]);
    let merged = candidates.iter().zip(verdicts).zip(beside);
    decisions.extend(merged.map(|((candidate, verdict), mut decision)| match verdict {
        Ok((replacement, reason)) => {
            let chars = view.index.result_chars(candidate.result);
            decision.act(Action::Replace(replacement), reason, chars)
        }
        Err(reason) => {
            if decision.action == Action::Keep {
                decision.reason = reason.into();
            }
            decision
        }
    }));
    decisions
}

/// For every candidate, in order, why a note could replace its result; `None` where none could.
pub(super) fn replaceable(
    view: &View,
    disk: &dyn Disk,
    candidates: &[Candidate],
) -> Vec<Option<&'static str>> {
    let mut pass = Pass::new(view, disk);
    let reason = |verdict: Verdict| verdict.ok().map(|(_, reason)| reason);
    candidates.iter().map(|candidate| reason(pass.judge(candidate))).collect()
}

/// What replaces a result and why, or why none does: reason codes.
type Verdict = Result<(Replacement, &'static str), &'static str>;
/// Where a result can be had again and what vouches for it, or why it is kept.
type Found = Result<(Recovery, &'static str), &'static str>;

struct Pass<'v> {
    view: &'v View<'v>,
    /// The latest result that tells of an error, by its call, and the call before it.
    latest_error: Option<usize>,
    /// What the goal and the recent messages of the user name.
    named: Named,
    disk: Option<DiskCheck<'v>>,
}

/// A call to judge, with its result.
struct Case<'v> {
    number: usize,
    call: &'v Standing,
    output: Output<'v>,
}

impl<'v> Pass<'v> {
    fn new(view: &'v View<'v>, disk: &'v dyn Disk) -> Pass<'v> {
        let root = view.terms.workspace_root.filter(|_| view.terms.disk_check);
        Pass {
            view,
            latest_error: Errors::of(view.index).latest(view),
            named: view.index.repeats.named_in(&named_text(view)),
            disk: root.map(|root| DiskCheck::new(disk, root)),
        }
    }

    fn judge(&mut self, candidate: &Candidate) -> Verdict {
        let index = self.view.index;
        let call = index.repeats.call(candidate.call);
        if let Some(reason) = self.protection(candidate, call) {
            return Err(reason);
        }
        let text = self.view.output(candidate);
        let output = index.shape_of(candidate.result, text).of_text(text);
        let case = Case { number: candidate.call, call, output };
        let command = call.repeat.command.as_ref().filter(|command| command.is_read_only);
        let (recovery, reason) = match (&call.repeat.read, command) {
            (Some(read), _) => self.judge_read(&case, read)?,
            (None, Some(command)) => self.judge_command(&case, command)?,
            (None, None) => return Err("not_recoverable"),
        };
        let note = note_for(&recovery).ok_or("not_recoverable")?;
        if note.chars().count() >= index.result_chars(candidate.result) {
            return Err("not_recoverable");
        }
        Ok((Replacement { note, recovery }, reason))
    }

    /// Why a result is kept whatever could be had again.
    fn protection(&self, candidate: &Candidate, call: &Standing) -> Option<&'static str> {
        let index = self.view.index;
        let result = &index.results()[candidate.result];
        if index.is_ambiguous_call(&index.calls()[candidate.call]) {
            Some("duplicate_tool_use_id")
        } else if self.latest_error == Some(candidate.call) {
            Some("latest_error_result")
        } else if self.latest_error == Some(candidate.call + 1) {
            Some("call_before_latest_error")
        } else if self.view.is_pinned(result.at.message) {
            Some("pinned_recent_result")
        } else if result.is_error || self.is_failure(candidate) {
            Some("failed_result")
        } else if self.named.has(call) {
            Some("named_in_goal_or_recent_turns")
        } else {
            call.repeat.is_temporary.then_some("temp_path")
        }
    }

    fn is_failure(&self, candidate: &Candidate) -> bool {
        let text = self.view.output(candidate);
        self.view.index.shape_of(candidate.result, text).is_failure
    }

    fn judge_read(&mut self, case: &Case, read: &FileRead) -> Found {
        let lines = match read.lines(&case.output) {
            Lines::All => None,
            Lines::Range(first, last) => Some((first, last)),
            Lines::Unknown => return self.judge_unclear_read(case, read),
        };
        let repeat = &case.call.repeat;
        if self.disk.is_none() && self.view.index.repeats.is_file_written_after(case.number) {
            return Err("file_written_later");
        } else if case.call.target.is_none() {
            return Err("relative_path_without_cwd");
        }
        let disk = self.proof(case, read)?;
        let reason = match disk {
            Some(_) => "replace_disk_verified",
            None => "recoverable_file_read",
        };
        let (path, cwd) = (read.path.to_string(), repeat.cwd.as_deref().map(str::to_owned));
        Ok((Recovery::File { path, cwd, lines, disk }, reason))
    }

    /// Where nobody can say which lines were read, only the command gives them back.
    fn judge_unclear_read(&mut self, case: &Case, read: &FileRead) -> Found {
        let repeats = &self.view.index.repeats;
        if repeats.is_file_written_after(case.number) {
            return Err("file_written_later");
        } else if read.part == Part::Nothing {
            return Err("read_range_empty");
        }
        let Some(command) = &case.call.repeat.command else { return Err("read_range_unknown") };
        if repeats.is_command_changed_after(case.number) {
            return Err("command_output_changed_later");
        } else if !self.view.terms.allow_command_pointers {
            return Err("command_pointers_disabled");
        }
        let check = match self.proof(case, read)? {
            Some(_) => "disk",
            None => "transcript_proxy",
        };
        Ok((command_recovery(case, command, check), "recoverable_file_read"))
    }

    fn judge_command(&self, case: &Case, command: &Command) -> Found {
        if self.view.index.repeats.is_command_changed_after(case.number) {
            return Err("command_output_changed_later");
        } else if !self.view.terms.allow_command_pointers {
            return Err("command_pointers_disabled");
        }
        let recovery = command_recovery(case, command, "read_only_allowlist");
        Ok((recovery, "recoverable_read_only_command"))
    }

    /// What the disk says for a read; `None` where it is not asked.
    fn proof(&mut self, case: &Case, read: &FileRead) -> Result<Option<DiskProof>, &'static str> {
        let Some(disk) = &mut self.disk else { return Ok(None) };
        let target = case.call.target.as_deref().ok_or("relative_path_without_cwd")?;
        if goes_up(&read.path, case.call.repeat.cwd.as_deref()) {
            return Err("keep_disk_dotdot");
        }
        disk.proof(target, read, &case.output).map(Some)
    }
}

fn command_recovery(case: &Case, command: &Command, check: &'static str) -> Recovery {
    let cwd = case.call.repeat.cwd.as_deref().map(str::to_owned);
    Recovery::Command { command: command.text.to_string(), cwd, check }
}

/// What the user wants: the goal, and what was said in the recent messages.
fn named_text(view: &View) -> String {
    let turns = view.transcript.turns.iter().enumerate().skip(1);
    let recent = turns.filter(|(message, turn)| view.is_pinned(*message) && turn.role == "user");
    let texts = recent.map(|(_, turn)| &*turn.text);
    std::iter::once(view.terms.question).chain(texts).collect::<Vec<_>>().join("\n")
}
