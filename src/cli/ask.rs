//! The two contracts: a request in, its answer out.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::ArgMatches;
use serde_json::Value;

use super::arguments::text;
use super::open;
use super::{Refused, tell};
use crate::compact::messages::contract;
use crate::compact::tool_calls::{self, World};
use crate::disk::RealDisk;
use crate::judge::Environment;
use crate::sanitise;
use crate::session::{self, Contract, Source};
use crate::stash::FileStash;

/// `memory-compact FILE|-`.
pub fn memory_compact(matches: &ArgMatches) -> Result<ExitCode> {
    let label = text(matches, "file");
    let request = open::read_file(label)?;
    let answer = contract::memory_compact(&request)
        .map_err(|error| refused(label, &request, Contract::MemoryCompact, &error))?;
    print(&serde_json::to_string(&answer)?)
}

/// `compact-transcript REQUEST|-`.
pub fn compact_transcript(matches: &ArgMatches) -> Result<ExitCode> {
    let label = text(matches, "file");
    let request = open::read_file(label)?;
    let stash = FileStash::of_the_user();
    let world = World {
        tokens: open::method(matches),
        disk: &RealDisk::new(),
        stash: &stash,
        judges: &Environment::of_this_process(),
        note_name: text(matches, "note-name"),
    };
    let answer = tool_calls::compact_transcript(&request, &world)
        .map_err(|error| refused(label, &request, Contract::CompactTranscript, &error))?;
    tell_of(&request, &answer);
    print(&serde_json::to_string(&answer)?)
}

/// Says on standard error what a caller would not look for in the answer.
fn tell_of(request: &[u8], answer: &Value) {
    let request: Value = serde_json::from_slice(request).unwrap_or_default();
    let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let foreign = |it: &Value| it.get("content").is_some() && it.get("text").is_none();
    if let Some(n) = messages.iter().position(foreign) {
        tell(&format!(
            "messages[{n}] has `content`, which this contract does not read: it reads `text`, \
             `toolUses` and `toolResults`"
        ));
    }
    let decisions = answer["decisions"].as_array().map_or(&[][..], Vec::as_slice);
    let reasons = decisions.iter().filter_map(|decision| decision["reason"].as_str());
    let failed: Vec<_> =
        reasons.filter_map(|reason| reason.strip_prefix("stash_write_failed:")).collect();
    if let Some(why) = failed.first() {
        tell(&format!(
            "{} results were kept, since the stash could not take them ({why})",
            failed.len()
        ));
    }
}

/// Why there is no answer and, where the file is a session or a request of the other contract, the
/// command that takes it.
fn refused(label: &str, bytes: &[u8], asked: Contract, error: &dyn Display) -> Refused {
    let of = |contract| match contract {
        Contract::MemoryCompact => "memory-compact",
        Contract::CompactTranscript => "compact-transcript",
    };
    let source = Source { label: label.into(), path: None };
    let Ok(session) = session::read(bytes, source, None) else {
        return Refused(format!("{label}: {error}"));
    };
    let what = match session.request.as_ref().map(|request| request.contract) {
        Some(contract) if contract == asked => return Refused(format!("{label}: {error}")),
        Some(contract) => {
            let other = of(contract);
            format!("a {other} request; `compactscope {other} {label}` answers it")
        }
        None => format!(
            "a session ({}) and no {} request; `compactscope {label}` opens it, `compactscope plan \
             {label}` prints its plan",
            session.format.title(),
            of(asked),
        ),
    };
    Refused(format!("{label}: {error}; as it stands it is {what}"))
}

fn print(answer: &str) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    out.write_all(sanitise::json(answer).as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
