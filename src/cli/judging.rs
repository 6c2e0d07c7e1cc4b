//! Asking a judge from the command line, where naming one is asking for it.

use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicBool;

use super::open::Opened;
use super::tell;
use crate::app::judging::unjudged;
use crate::compact::plan::inquiry;
use crate::compact::tool_calls::{Course, Judgement, Judges};
use crate::compact::{Features, Pins};
use crate::judge::Environment;
use crate::sanitise;

/// What came of asking.
#[derive(Default)]
pub struct Asked {
    /// What the judge said; `None` where the settings name none or it cannot be asked.
    pub judgement: Option<Judgement>,
    /// What went wrong on the way, which standard error was told too.
    pub warnings: Vec<String>,
}

/// Asks the judge that the settings name.
pub fn ask(opened: &Opened, features: &Features) -> Asked {
    let settings = &opened.settings;
    if !settings.provider.is_judge() || !settings.tool_pass {
        return Asked::default();
    }
    let asked = match try_ask(opened, features) {
        Ok(judgement) => Asked { warnings: judgement.warnings.clone(), judgement: Some(judgement) },
        Err(why) => {
            let name = settings.provider.name();
            let why = format!("{name}: {why}; {}", unjudged(settings));
            Asked { judgement: None, warnings: vec![why] }
        }
    };
    for warning in &asked.warnings {
        tell(&sanitise::line(warning));
    }
    asked
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
