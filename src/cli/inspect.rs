//! `compactscope FILE`: the inspector, or the plan's table when nobody looks at a terminal.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::ArgMatches;

use super::arguments::{command, text};
use super::open::{self, Opened};
use super::{Refused, plan, tell};
use crate::app::model::{Model, Opening};
use crate::shell::{self, Watched};
use crate::ui::Theme;

pub fn run(matches: &ArgMatches) -> Result<ExitCode> {
    if matches.get_one::<String>("file").is_none() {
        tell(&usage());
        return Ok(ExitCode::from(2));
    }
    let watch = matches.get_flag("watch");
    if watch && text(matches, "file") == "-" {
        return Err(Refused("--watch needs a file; standard input cannot be watched".into()).into());
    }
    if !io::stdout().is_terminal() {
        return plan::print(matches, false);
    }
    let Opened { session, settings, defaults, format, said } = open::open(matches)?;
    let source = session.source.clone();
    let session = Arc::new(session);
    let opened = Some(Arc::clone(&session));
    let watched = source.path.clone().map(|path| Watched { source, path, format, opened });
    let model = Model::new(Opening {
        session,
        settings,
        defaults,
        said,
        size: (80, 24),
        follow: watch,
        method: open::method(matches),
    });
    shell::run(model, Theme::new(open::palette(matches)), watched, watch)?;
    Ok(ExitCode::SUCCESS)
}

fn usage() -> String {
    let usage = command().render_usage();
    format!(
        "name a session file, or try a sample:\n\n    \
         compactscope sessions-sample/checkout-bug.jsonl\n\n{usage}\n\n\
         compactscope --help tells more."
    )
}
