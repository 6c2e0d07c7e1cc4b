//! Asking a judge from the command line, where naming one is asking for it.

use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicBool;

use super::open::Opened;
use crate::compact::plan::inquiry;
use crate::compact::tool_calls::{Course, Judgement, Judges};
use crate::compact::{Features, Pins};
use crate::judge::Environment;
use crate::sanitise;

/// What the judge says that the settings name; `None` where they name none or it cannot be asked.
/// Then every call is kept, and standard error says why.
pub fn ask(opened: &Opened, features: &Features) -> Option<Judgement> {
    let settings = &opened.settings;
    if !settings.provider.is_judge() || !settings.tool_pass {
        return None;
    }
    match try_ask(opened, features) {
        Ok(judgement) => {
            for warning in &judgement.warnings {
                eprintln!("compactscope: {}", sanitise::line(warning));
            }
            Some(judgement)
        }
        Err(why) => {
            let why = format!("{}: {why}; every call is kept", settings.provider.name());
            eprintln!("compactscope: {}", sanitise::line(&why));
            None
        }
    }
}

fn try_ask(opened: &Opened, features: &Features) -> Result<Judgement, String> {
    let settings = &opened.settings;
    let environment = Environment::of_this_process();
    let judge = environment.judge(settings.provider).map_err(|error| error.to_string())?;
    let inquiry = inquiry(&opened.session, features, settings, &Pins::new())
        .map_err(|error| format!("{}: {error}", error.setting()))?;
    let course = Course { told: &told, stop: &AtomicBool::new(false) };
    Ok(inquiry.ask(&*judge, settings.max_workers, &course))
}

/// One line that is written over, for whoever waits at a terminal.
fn told(done: usize, of: usize) {
    let mut err = std::io::stderr();
    if err.is_terminal() {
        let end = if done == of { "\r\x1b[K" } else { "" };
        // Progress that cannot be shown is no failure.
        let _ = write!(err, "\rasking the judge: {done} of {of}{end}");
    }
}
