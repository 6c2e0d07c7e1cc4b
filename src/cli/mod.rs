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
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Error;
use signal_hook::consts::SIGXFSZ;
use thiserror::Error as ThisError;

use crate::sanitise;

/// Input or usage that is refused: exit status 2. Its text is the whole message.
#[derive(Debug, ThisError)]
#[error("{0}")]
pub struct Refused(pub String);

/// Runs a command line, prints what went wrong, and says how it ended: 0 done, 1 failed, 2
/// refused input or usage.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    outlive_file_limit();
    match try_run(arguments) {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("{error:#}"));
            ExitCode::from(exit_status(&error))
        }
    }
}

/// A file that grows beyond what the system allows (`ulimit -f`) would end the program, with a text
/// half stored and no answer given. With the signal taken, the write fails as on a full disk.
fn outlive_file_limit() {
    // Where it cannot be taken, it ends the program as it would any other.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Tells standard error. That it cannot be told costs nobody the answer.
fn tell(text: &str) {
    say(&format!("compactscope: {}\n", sanitise::lines(text)));
}

fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
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
                say(&text);
            } else {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes())?;
                out.flush()?;
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
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
