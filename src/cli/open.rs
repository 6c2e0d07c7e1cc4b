//! From a command line to a session with its settings.

use std::fs::{self, FileType};
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use anyhow::{Context, Result};
use clap::ArgMatches;

use super::Refused;
use super::arguments::text;
use crate::compact::settings::{SETTINGS, Settings};
use crate::session::{self, Contract, Format, Session, Source};
use crate::tokens::Method;
use crate::ui::Palette;

/// A session that was read, and what it is decided with.
pub struct Opened {
    pub session: Session,
    pub settings: Settings,
    /// What the knobs go back to: the settings without those of the command line.
    pub defaults: Settings,
    pub format: Option<Format>,
    /// How the file was taken, where that is not plain.
    pub said: Option<String>,
}

/// Reads the file or standard input that the command line names, and its settings.
///
/// # Errors
/// [`Refused`] when there is no session in the file or a setting is none; otherwise that it
/// cannot be read.
pub fn open(matches: &ArgMatches) -> Result<Opened> {
    open_named(matches, text(matches, "file"))
}

/// The same for one of several files.
pub fn open_named(matches: &ArgMatches, label: &str) -> Result<Opened> {
    let format = Format::from_name(text(matches, "format"));
    let bytes = read_file(label)?;
    let session = session::read(&bytes, source(label), format).map_err(|error| {
        let place = error.line().map_or(String::new(), |line| format!(":{line}"));
        Refused(format!("{label}{place}: {error}"))
    })?;
    let (defaults, said) = defaults(&session, label)?;
    let settings = with_flags(&defaults, matches)?;
    Ok(Opened { session, settings, defaults, format, said })
}

/// The bytes of a file, or of standard input for `-`.
pub fn read_file(label: &str) -> Result<Vec<u8>> {
    if label == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("standard input cannot be read")?;
        return Ok(bytes);
    }
    let kind = fs::metadata(label).map(|metadata| metadata.file_type());
    if kind.as_ref().is_ok_and(FileType::is_dir) {
        return Err(Refused(format!("{label}: a directory; name a session file in it")).into());
    }
    // A device may never end.
    if kind.is_ok_and(|kind| kind.is_char_device() || kind.is_block_device()) {
        return Err(
            Refused(format!("{label}: a device; name a session file, or pipe it to -")).into()
        );
    }
    fs::read(label).map_err(|error| Refused(format!("{label}: {}", why(&error))).into())
}

fn why(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "you may not read it".into(),
        _ => error.to_string(),
    }
}

fn source(label: &str) -> Source {
    match label {
        "-" => Source { label: "standard input".into(), path: None },
        _ => Source { label: label.into(), path: Some(label.into()) },
    }
}

/// The settings that the session opens with: its own for a request, else the session column's.
fn defaults(session: &Session, label: &str) -> Result<(Settings, Option<String>)> {
    let Some(request) = &session.request else {
        let mut settings = Settings::for_session(session);
        settings.workspace_root = settings.workspace_root.filter(|root| Path::new(root).is_dir());
        return Ok((settings, None));
    };
    let settings =
        Settings::for_request(request).map_err(|error| Refused(format!("{label}: {error}")))?;
    let said = match request.contract {
        Contract::MemoryCompact => {
            "a memory-compact request: its message pass runs alone; m turns the tool calls on"
        }
        Contract::CompactTranscript => {
            "a compact_transcript request: its tool-call pass runs alone; b turns the message pass on"
        }
    };
    Ok((settings, Some(said.into())))
}

/// Refuses settings of the command line that are none, before any file is read.
///
/// # Errors
/// [`Refused`] for the first one.
pub fn check_flags(matches: &ArgMatches) -> Result<()> {
    with_flags(&Settings::for_contract(), matches).map(drop)
}

fn with_flags(defaults: &Settings, matches: &ArgMatches) -> Result<Settings> {
    let mut settings = defaults.clone();
    for setting in SETTINGS {
        // A command takes the settings that it reads, and no others.
        let Ok(Some(value)) = matches.try_get_one::<String>(setting.name) else { continue };
        let set = setting.set(&mut settings, value);
        set.map_err(|error| Refused(format!("--{}: {error}", setting.flag())))?;
        if setting.name == "workspace_root" && settings.workspace_root.iter().any(|it| !it.is_dir())
        {
            return Err(
                Refused(format!("--{}: `{value}` is no directory here", setting.flag())).into()
            );
        }
        if matches!(setting.name, "provider" | "rules_mode") {
            settings.tool_pass = true;
        }
    }
    Ok(settings)
}

/// The token method that was asked for.
pub fn method(matches: &ArgMatches) -> Method {
    if text(matches, "tokens") == "heuristic" { Method::Heuristic } else { Method::O200kBase }
}

/// The palette that was asked for; on `auto`, none where NO_COLOR is set and not empty or the
/// terminal is dumb.
pub fn palette(matches: &ArgMatches) -> Palette {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match text(matches, "color") {
        "always" => Palette::Ansi,
        "never" => Palette::Mono,
        _ if is_set("NO_COLOR") || std::env::var("TERM").is_ok_and(|term| term == "dumb") => {
            Palette::Mono
        }
        _ => Palette::Ansi,
    }
}
