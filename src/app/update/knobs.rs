//! Turning knobs: every change is remembered, and the session is decided again.

use super::super::action::Action;
use super::super::model::Model;
use super::{Effects, decide, prompt};
use crate::compact::plan::Plan;
use crate::compact::settings::{Provider, RulesMode, SETTINGS, Settings};

/// Actions on knobs; anything else does nothing.
pub(super) fn act(model: &mut Model, action: Action, times: isize) -> Effects {
    match action {
        Action::NextRulesMode => next_rules_mode(model),
        Action::NextProvider => next_provider(model),
        Action::NextBudget => next_budget(model),
        Action::PreviousKnob => choose(model, -times),
        Action::NextKnob => choose(model, times),
        Action::NudgeDown => nudge(model, -times),
        Action::NudgeUp => nudge(model, times),
        Action::NudgeTenDown => nudge(model, times.saturating_mul(-10)),
        Action::NudgeTenUp => nudge(model, times.saturating_mul(10)),
        Action::TypeValue => {
            prompt::value(model);
            Vec::new()
        }
        Action::NewestQuestion => newest_question(model),
        Action::Undo => undo(model),
        Action::Redo => redo(model),
        Action::ResetKnob => reset_knob(model),
        Action::ResetAll => reset_all(model),
        _ => Vec::new(),
    }
}

/// Takes changed settings, remembers the old ones and asks for a plan.
pub(super) fn change(model: &mut Model, settings: Settings) -> Effects {
    if settings == model.settings {
        return Vec::new();
    }
    model.history.remember(model.settings.clone());
    model.settings = settings;
    decide(model)
}

/// The same for one knob: should the plan come out as before, that is said.
pub(super) fn turn(model: &mut Model, knob: usize, settings: Settings) -> Effects {
    let effects = change(model, settings);
    model.turned = Some(knob).filter(|_| !effects.is_empty());
    effects
}

/// After a knob was turned: why the plan is the same, where it is.
pub(super) fn say_when_idle(model: &mut Model, earlier: Option<&Plan>, plan: &Plan) {
    let Some(knob) = model.turned.take() else { return };
    let same = earlier.is_some_and(|earlier| earlier.decisions == plan.decisions);
    if !same || model.status.is_some() {
        return;
    }
    let setting = &SETTINGS[knob];
    let why = match plan.budget.filter(|_| setting.name == "budget_chars") {
        Some(budget) if plan.chars[1] <= budget => "the budget is met already",
        Some(_) => "all that is left is protected",
        None => "the plan is the same",
    };
    let value = setting.value(&model.settings);
    model.status = Some(format!("{} {value}: nothing changes, {why}", setting.name));
}

fn choose(model: &mut Model, by: isize) -> Effects {
    let count = SETTINGS.len() as isize;
    model.knob = (model.knob as isize + by).rem_euclid(count) as usize;
    let knob = model.chosen_knob();
    model.status = Some(format!("{}: {}", knob.name, knob.help));
    Vec::new()
}

fn nudge(model: &mut Model, steps: isize) -> Effects {
    let knob = model.chosen_knob();
    match knob.name {
        "rules_mode" => return next_rules_mode(model),
        "provider" => return next_provider(model),
        _ if !knob.kind.can_nudge() => {
            model.status = Some(format!("{} is typed: press :", knob.name));
            return Vec::new();
        }
        _ => {}
    }
    let mut settings = model.settings.clone();
    knob.nudge(&mut settings, steps as i64, model.session.decided_chars());
    if settings == model.settings {
        let end = if steps < 0 { "lowest" } else { "highest" };
        model.status = Some(format!("{} is at its {end}: it takes {}", knob.name, knob.range));
        return Vec::new();
    }
    model.status = model.idle_knob(knob).map(|why| format!("{}: {why}", knob.name));
    turn(model, model.knob, settings)
}

/// The next mode of the rules; where they do not decide yet, the first press lets them.
fn next_rules_mode(model: &mut Model) -> Effects {
    let mut settings = model.settings.clone();
    // The first press on another provider shows the mode as it is.
    if model.settings.provider == Provider::Rules && model.settings.tool_pass {
        let modes = RulesMode::ALL;
        let at = modes.iter().position(|&mode| mode == model.settings.rules_mode);
        settings.rules_mode = modes[at.map_or(0, |at| (at + 1) % modes.len())];
    } else {
        let mode = settings.rules_mode.name();
        model.status = Some(format!("the rules decide, in mode {mode}; m again turns it"));
    }
    settings.tool_pass = true;
    // A mode of the rules is seen only where the rules decide.
    settings.provider = Provider::Rules;
    change(model, settings)
}

/// From the rules to the ranker and back; a judge is reached by typing its name only, since that
/// sends the session's text away.
fn next_provider(model: &mut Model) -> Effects {
    let mut settings = model.settings.clone();
    settings.provider = match model.settings.provider {
        Provider::Rules => Provider::Auto,
        _ => Provider::Rules,
    };
    settings.tool_pass = true;
    change(model, settings)
}

fn next_budget(model: &mut Model) -> Effects {
    model.knob = model.setting_index("budget_chars");
    let mut settings = model.settings.clone();
    settings.budget_chars = settings.budget_chars.next();
    turn(model, model.knob, settings)
}

fn newest_question(model: &mut Model) -> Effects {
    let mut settings = model.settings.clone();
    settings.take_newest_question(&model.session);
    if settings == model.settings {
        model.status = Some("the question is the newest user text already".into());
    }
    change(model, settings)
}

fn undo(model: &mut Model) -> Effects {
    match model.history.undo(&model.settings) {
        Some(settings) => travel(model, settings, "undone"),
        None => {
            model.status = Some("nothing to undo".into());
            Vec::new()
        }
    }
}

fn redo(model: &mut Model) -> Effects {
    match model.history.redo(&model.settings) {
        Some(settings) => travel(model, settings, "redone"),
        None => {
            model.status = Some("nothing to redo".into());
            Vec::new()
        }
    }
}

/// To other settings of the history, saying what differs.
fn travel(model: &mut Model, settings: Settings, how: &str) -> Effects {
    let changed: Vec<String> = SETTINGS
        .iter()
        .filter(|setting| setting.value(&settings) != setting.value(&model.settings))
        .map(|setting| format!("{} {}", setting.name, setting.value(&settings)))
        .collect();
    model.status = Some(format!("{how}: {}", changed.join(", ")));
    model.settings = settings;
    decide(model)
}

fn reset_knob(model: &mut Model) -> Effects {
    let mut settings = model.settings.clone();
    let knob = model.chosen_knob();
    knob.reset(&mut settings, &model.defaults);
    model.status = Some(format!("{} is {}", knob.name, knob.value(&settings)));
    change(model, settings)
}

fn reset_all(model: &mut Model) -> Effects {
    model.status = Some("every knob is at its default".into());
    change(model, model.defaults.clone())
}

/// Protects the entry under the cursor with its pair, or releases it.
pub(super) fn pin(model: &mut Model) -> Effects {
    let Some(entry) = model.current() else { return Vec::new() };
    let kind = &model.session.entries[entry].kind;
    if !kind.is_decided() {
        model.status =
            Some(format!("{}: never removed by itself, so there is nothing to pin", kind.name()));
        return Vec::new();
    }
    let halves: Vec<usize> = [entry].into_iter().chain(kind.partner()).collect();
    let pinned = halves.iter().any(|half| model.pins.contains(half));
    for half in halves {
        if pinned {
            model.pins.remove(&half);
        } else {
            model.pins.insert(half);
        }
    }
    let done = if pinned { "released" } else { "pinned" };
    model.status = Some(format!("entry {} {done}", entry + 1));
    decide(model)
}
