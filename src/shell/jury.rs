//! The thread that asks a judge.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;

use crate::app::action::{Effect, Msg};
use crate::compact::Features;
use crate::compact::plan::inquiry;
use crate::compact::tool_calls::{Course, Judgement, Judges};
use crate::judge::Environment;

/// Asks one judge at a time; a newer inquiry stops the one before.
pub(super) struct Jury {
    out: Sender<Msg>,
    stop: Arc<AtomicBool>,
}

impl Jury {
    pub(super) fn new(out: Sender<Msg>) -> Jury {
        Jury { out, stop: Arc::default() }
    }

    /// Looks for a judge, which stops no inquiry.
    pub(super) fn find(&self, effect: Effect) {
        let out = self.out.clone();
        // Nobody is there to be told once the program ends.
        thread::spawn(move || {
            find(&effect, &Environment::of_this_process()).map(|it| out.send(it))
        });
    }

    /// Starts an inquiry, or stops the one that is running.
    pub(super) fn take(&mut self, effect: Effect) {
        self.stop.store(true, Ordering::Relaxed);
        if matches!(effect, Effect::StopJudging) {
            return;
        }
        self.stop = Arc::default();
        let (out, stop) = (self.out.clone(), self.stop.clone());
        thread::spawn(move || {
            let Effect::Judge { inquiry, settings, .. } = &effect else { return };
            let told = |done, of| {
                // Nobody is there to be told once the program ends.
                let _ = out.send(Msg::Judging { inquiry: *inquiry, done, of });
            };
            let answer = ask(&effect, &Course { told: &told, stop: &stop });
            let question = settings.question.clone();
            let _ = out.send(Msg::Judged { inquiry: *inquiry, question, answer });
        });
    }
}

/// Where the judge is that is looked for, or why it cannot be asked.
pub(super) fn find(effect: &Effect, environment: &Environment) -> Option<Msg> {
    let Effect::FindJudge(settings) = effect else { return None };
    let address = environment.address(settings.provider).map_err(|error| error.to_string());
    Some(Msg::JudgeFound { settings: settings.clone(), address })
}

fn ask(effect: &Effect, course: &Course) -> Result<Arc<Judgement>, String> {
    let Effect::Judge { session, settings, pins, .. } = effect else {
        return Err("nothing was asked".into());
    };
    let provider = settings.provider;
    let environment = Environment::of_this_process();
    let judge =
        environment.judge(provider).map_err(|error| format!("{}: {error}", provider.name()))?;
    let session = &session.session;
    let inquiry = inquiry(session, &Features::new(session), settings, pins)
        .map_err(|error| format!("{}: {error}", error.setting()))?;
    Ok(Arc::new(inquiry.ask(&*judge, settings.max_workers, course)))
}
