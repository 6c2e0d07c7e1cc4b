//! Asking a judge over a session, for the commands that decide one.

use std::sync::atomic::AtomicBool;

use anyhow::Result;

use super::Refused;
use crate::compact::plan::inquiry;
use crate::compact::settings::Settings;
use crate::compact::tool_calls::{Answers, Course, Judges};
use crate::compact::{Features, Pins};
use crate::judge::Environment;
use crate::sanitise;
use crate::session::Session;

/// What the judge of these settings says of the calls; `None` where none decides or is there. What
/// went wrong is told on standard error; the calls it is about are kept.
///
/// # Errors
/// [`Refused`] when the session cannot be shown to the judge.
pub fn ask(session: &Session, features: &Features, settings: &Settings) -> Result<Option<Answers>> {
    let inquiry = inquiry(session, features, settings, &Pins::new())
        .map_err(|error| Refused(format!("--{}: {error}", error.setting().replace('_', "-"))))?;
    let Some(inquiry) = inquiry else { return Ok(None) };
    let environment = Environment::of_this_process();
    let judge = match environment.judge(settings.provider) {
        Ok(judge) => judge,
        Err(reason) => {
            tell(&format!("{}: {reason}; every call is kept", settings.provider.name()));
            return Ok(None);
        }
    };
    let course = Course { told: &|_, _| {}, stop: &AtomicBool::new(false) };
    let judgement = inquiry.ask(&*judge, settings.max_workers, &course);
    judgement.warnings.iter().for_each(|warning| tell(warning));
    Ok(Some(judgement.answers))
}

fn tell(warning: &str) {
    eprintln!("compactscope: {}", sanitise::lines(warning));
}
