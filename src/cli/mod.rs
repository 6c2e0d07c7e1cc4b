//! The commands.

mod arguments;
mod ask;
mod counting;
mod inspect;
mod judging;
mod measure;
mod open;
mod plan;
mod recall;
mod snapshot;
mod svg;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Error;
use thiserror::Error as ThisError;

use crate::sanitise;

/// Input or usage that is refused: exit status 2. Its text is the whole message.
#[derive(Debug, ThisError)]
#[error("{0}")]
pub struct Refused(pub String);

/// Runs a command line, prints what went wrong, and says how it ended: 0 done, 1 failed, 2
/// refused input or usage.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match try_run(arguments) {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let text = format!("compactscope: {error:#}");
            eprintln!("{}", sanitise::lines(&text));
            ExitCode::from(exit_status(&error))
        }
    }
}

/// 2 for what is refused, 1 for what fails.
fn exit_status(error: &Error) -> u8 {
    if error.is::<Refused>() { 2 } else { 1 }
}

fn try_run(arguments: impl IntoIterator<Item = OsString>) -> Result<ExitCode, Error> {
    let matches = match arguments::command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(usage) => {
            // An argument may be a file name that would act on the terminal.
            let text = sanitise::lines(&usage.render().to_string());
            if usage.use_stderr() {
                eprint!("{text}")
            } else {
                print!("{text}")
            }
            return Ok(ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(2)));
        }
    };
    match matches.subcommand() {
        Some(("plan", matches)) => plan::run(matches),
        Some(("measure", matches)) => measure::run(matches),
        Some(("snapshot", matches)) => snapshot::run(matches),
        Some(("memory-compact", matches)) => ask::memory_compact(matches),
        Some(("recall", matches)) => recall::run(matches),
        Some(("compact-transcript", matches)) => ask::compact_transcript(matches),
        _ => inspect::run(&matches),
    }
}

/// Whoever read our output has seen enough, as `head` does.
fn is_broken_pipe(error: &Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
