//! `recall ID`: a text that a stash pointer stands for.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::ArgMatches;

use super::Refused;
use crate::sanitise;
use crate::stash::{FileStash, LineRange, RecallError};

/// Writes the exact bytes, or what is safe to show of them when a terminal would act on them.
pub fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let range = match matches.get_one::<String>("lines") {
        Some(range) => Some(range.parse::<LineRange>().map_err(refused)?),
        None => None,
    };
    // A pointer that was pasted without quotes comes as several words.
    let words: Vec<&str> =
        matches.get_many::<String>("id").into_iter().flatten().map(String::as_str).collect();
    let recalled = FileStash::of_the_user().recall(&words.join(" ")).map_err(told)?;
    let part = match range {
        Some(range) => range.of(&recalled.text).map_err(refused)?,
        None => &recalled.text,
    };
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        out.write_all(shown(part).as_bytes())?;
    } else {
        out.write_all(part.as_bytes())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// What is wrong with the question is refused; that the stash cannot be read is a failure.
fn told(error: RecallError) -> anyhow::Error {
    match error {
        RecallError::Unreadable(_) => error.into(),
        error => refused(error).into(),
    }
}

fn refused(error: impl std::fmt::Display) -> Refused {
    Refused(format!("recall: {error}"))
}

/// Ends with a line end, so that the prompt does not follow on the last line.
fn shown(text: &str) -> String {
    let mut shown = sanitise::lines(text);
    if !shown.is_empty() && !shown.ends_with('\n') {
        shown.push('\n');
    }
    shown
}
