//! Asking a judge: only after a yes, with its progress shown, and until it is stopped.

use std::sync::Arc;

use super::super::action::Effect;
use super::super::judging::{Heard, unjudged};
use super::super::key::Key;
use super::super::model::{Model, Overlay};
use super::{Effects, decide, knobs};
use crate::compact::settings::{Provider, Settings};
use crate::compact::tool_calls::Judgement;

/// Takes settings that name a judge and asks it. The remote one is sent the session's text, so the
/// user is asked before the first time, once it is known where the text would go.
pub(super) fn choose(model: &mut Model, settings: Settings) -> Effects {
    if settings.provider == Provider::Jev && !model.judging.agreed {
        return vec![Effect::FindJudge(Box::new(settings))];
    }
    let mut effects = knobs::change(model, settings);
    effects.extend(ask(model));
    effects
}

/// Asks whether the session's text may be sent, or says what is missing for that.
pub(super) fn found(model: &mut Model, settings: Box<Settings>, address: Result<String, String>) {
    match address {
        Ok(address) => model.overlay = Some(Overlay::Consent { settings, address }),
        Err(why) => {
            let without = without_judge(model, &settings);
            model.status = Some(format!("{}: {why}; {without}", settings.provider.name()));
        }
    }
}

/// The answer to whether the session's text may be sent.
pub(super) fn consent(model: &mut Model, key: Key) -> Effects {
    let Some(Overlay::Consent { settings, .. }) = model.overlay.take() else { return Vec::new() };
    if key == Key::Char('y') {
        model.judging.agreed = true;
        return choose(model, *settings);
    }
    model.status = Some(format!("nothing was sent; {}", without_judge(model, &settings)));
    Vec::new()
}

/// What decides as long as the judge of these settings is not asked.
fn without_judge(model: &Model, settings: &Settings) -> String {
    let now = &model.settings;
    if now.provider != settings.provider || !now.tool_pass {
        return "the provider stays as it was".into();
    }
    match model.judging.answers(now) {
        Some(_) => "its earlier answers decide".into(),
        None => format!("{} (p lets the rules decide)", unjudged(now)),
    }
}

/// Asks again with the settings as they are, where they name a judge.
pub(super) fn ask_again(model: &mut Model) -> Effects {
    if !model.settings.provider.is_judge() || !model.settings.tool_pass {
        return Vec::new();
    }
    choose(model, model.settings.clone())
}

fn ask(model: &mut Model) -> Effects {
    model.judging.asked += 1;
    model.judging.progress = Some((0, 0));
    model.judging.stopping = false;
    vec![Effect::Judge {
        inquiry: model.judging.asked,
        session: model.shared(),
        settings: Box::new(model.settings.clone()),
        pins: model.pins.clone(),
    }]
}

/// Leaves what has not been asked yet unasked; what was said until now still counts.
pub(super) fn stop(model: &mut Model) -> Effects {
    model.judging.stopping = true;
    vec![Effect::StopJudging]
}

pub(super) fn progress(model: &mut Model, inquiry: u64, done: usize, of: usize) {
    if inquiry == model.judging.asked && model.judging.progress.is_some() {
        model.judging.progress = Some((done, of));
    }
}

/// Takes what was said, and decides by it.
pub(super) fn judged(
    model: &mut Model,
    inquiry: u64,
    question: String,
    answer: Result<Arc<Judgement>, String>,
) -> Effects {
    if inquiry != model.judging.asked || model.judging.progress.take().is_none() {
        return Vec::new();
    }
    let provider = model.settings.provider;
    match answer {
        Ok(judgement) => {
            let warned = match judgement.warnings.len() {
                0 => String::new(),
                1 => format!("; {}", judgement.warnings[0]),
                more => format!("; {} and {} more warnings", judgement.warnings[0], more - 1),
            };
            model.status = Some(format!("{} calls judged{warned}", judgement.answers.len()));
            model.judging.heard = Some(Heard { provider, question, judgement });
        }
        Err(why) => model.status = Some(format!("{why}; {}", unjudged(&model.settings))),
    }
    decide(model)
}
