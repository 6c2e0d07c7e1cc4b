//! The two contracts: a request in, its answer out.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::ArgMatches;

use super::Refused;
use super::arguments::text;
use super::open;
use crate::compact::messages::contract;
use crate::compact::tool_calls::{self, Tokens, World};
use crate::disk::RealDisk;
use crate::judge::Environment;
use crate::sanitise;
use crate::stash::FileStash;
use crate::tokens::{self, Method};

/// `memory-compact FILE|-`.
pub fn memory_compact(matches: &ArgMatches) -> Result<ExitCode> {
    let label = text(matches, "file");
    let request = open::read_file(label)?;
    let answer = contract::memory_compact(&request).map_err(|error| refused(label, &error))?;
    print(&serde_json::to_string(&answer)?)
}

/// `compact-transcript REQUEST|-`.
pub fn compact_transcript(matches: &ArgMatches) -> Result<ExitCode> {
    let label = text(matches, "file");
    let request = open::read_file(label)?;
    let method = open::method(matches);
    let count = move |text: &str| tokens::count(text, method);
    let label_of = if method == Method::Heuristic { "approximate" } else { "exact" };
    let stash = FileStash::of_the_user();
    let world = World {
        tokens: Tokens { count: &count, method: label_of },
        disk: &RealDisk::new(),
        stash: &stash,
        judges: &Environment::of_this_process(),
        note_name: text(matches, "note-name"),
    };
    let answer =
        tool_calls::compact_transcript(&request, &world).map_err(|error| refused(label, &error))?;
    print(&serde_json::to_string(&answer)?)
}

fn refused(label: &str, error: &dyn std::fmt::Display) -> Refused {
    Refused(format!("{label}: {error}"))
}

fn print(answer: &str) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    out.write_all(sanitise::json(answer).as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
