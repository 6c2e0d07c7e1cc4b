//! `update(&mut Model, Msg) -> Effects`: everything that can change what the screen shows.

mod find;
mod judge;
mod knobs;
mod motion;
mod overlay;
mod prompt;
mod watch;

use std::sync::Arc;

use super::action::{Action, Effect, Msg};
use super::key::Key;
use super::keymap;
use super::model::{Looked, Model, Overlay, Sums};
use super::panes::{self, Pane};
use crate::compact::plan::{Outcome, Plan};

/// Effects in the order they are to be carried out.
pub type Effects = Vec<Effect>;

/// Takes one thing that happened; the cursor and the windows end inside what there is.
pub fn update(model: &mut Model, msg: Msg) -> Effects {
    let shown = model.current();
    let mut effects = match msg {
        Msg::Key(key) => press(model, key),
        Msg::Paste(text) => prompt::paste(model, &text),
        Msg::Wheel { column, row, notches } => wheel(model, column, row, notches),
        Msg::Click { column, row } => click(model, column, row),
        Msg::Resized { width, height } => resize(model, width, height),
        Msg::Planned { generation, plan, took } => {
            if generation != model.asked {
                return Vec::new();
            }
            model.took = took;
            model.landed = generation;
            land(model, plan)
        }
        Msg::Found { generation, entries } => find::found(model, generation, entries),
        Msg::Highlighted { epoch, entry, lines } => {
            if model.epoch == epoch && model.detail.entry == Some(entry) {
                model.detail.highlighting = Some(lines);
            }
            Vec::new()
        }
        Msg::Counted { epoch, counts } => {
            if epoch == model.epoch {
                counts.into_iter().for_each(|(piece, tokens)| model.counts.insert(piece, tokens));
                model.refresh_tokens();
                return name_exact_tokens(model);
            }
            Vec::new()
        }
        Msg::Recoverable { epoch, entry, now } => {
            if let Some(looked) = &mut model.recovery
                && (model.epoch, looked.entry) == (epoch, entry)
            {
                looked.now = Some(now);
            }
            Vec::new()
        }
        Msg::JudgeFound { settings, address } => {
            judge::found(model, settings, address);
            Vec::new()
        }
        Msg::Judging { inquiry, done, of } => {
            judge::progress(model, inquiry, done, of);
            Vec::new()
        }
        Msg::Judged { inquiry, question, answer } => {
            judge::judged(model, inquiry, question, answer)
        }
        Msg::Grown { session, how } => watch::grown(model, session, how),
        Msg::Watching(watching) => watch::told(model, watching),
        Msg::Slow => {
            model.is_slow = model.is_deciding();
            Vec::new()
        }
        Msg::Terminated => vec![Effect::Quit],
    };
    if model.current() != shown {
        model.refresh_detail();
        find::reveal_match(model);
    }
    effects.extend(highlight(model, shown));
    effects.extend(look_after_pointer(model));
    effects
}

/// What a fresh screen asks for: the first plan, and colours for the first entry.
pub fn open(model: &mut Model) -> Effects {
    let mut effects = decide(model);
    effects.extend(judge::ask_again(model));
    effects.extend(highlight(model, None));
    effects
}

fn highlight(model: &Model, shown: Option<usize>) -> Option<Effect> {
    let entry = model.current().filter(|_| model.current() != shown)?;
    Some(Effect::Highlight { entry, session: model.shared() })
}

/// Asks whether what the pointer under the cursor stands for can be had again, once a pointer.
fn look_after_pointer(model: &mut Model) -> Option<Effect> {
    let pointer = model.current().and_then(|entry| {
        let decision = model.plan.as_ref()?.decisions.get(entry)?;
        Some((entry, decision.recovery.clone()?))
    });
    let looked = model.recovery.as_ref().map(|it| (it.entry, it.recovery.clone()));
    if pointer == looked {
        return None;
    }
    let Some((entry, recovery)) = pointer else {
        model.recovery = None;
        return None;
    };
    model.recovery = Some(Looked { entry, recovery: recovery.clone(), now: None });
    let workspace_root = model.settings.workspace_root.clone();
    Some(Effect::Recover { entry, session: model.shared(), recovery, workspace_root })
}

/// Asks for a plan of the session, settings and pins as they are now.
fn decide(model: &mut Model) -> Effects {
    model.asked += 1;
    vec![Effect::Plan {
        generation: model.asked,
        session: model.shared(),
        settings: Box::new(model.settings.clone()),
        pins: model.pins.clone(),
        tokens: model.known_tokens.clone(),
        judgement: model.judging.answers(&model.settings),
    }]
}

/// Once every content is counted, a plan whose pointers name estimates is made again with the
/// counts.
fn name_exact_tokens(model: &mut Model) -> Effects {
    let has_estimates = model.plan.as_ref().is_some_and(|plan| plan.has_estimates);
    let counted = model.counts.contents();
    let entries = &model.session.entries;
    let is_counted = |entry: usize| counted.get(entry).is_some_and(Option::is_some);
    let complete =
        (0..entries.len()).all(|entry| !entries[entry].kind.is_decided() || is_counted(entry));
    if !has_estimates || !complete || *counted == *model.known_tokens {
        return Vec::new();
    }
    model.known_tokens = counted.into();
    decide(model)
}

fn land(model: &mut Model, plan: Arc<Plan>) -> Effects {
    // A plan that only names exact counts in place of estimates is no step of the user's.
    let steps = |old: &&Arc<Plan>| !old.has_estimates || plan.has_estimates;
    model.before = model
        .plan
        .as_ref()
        .filter(steps)
        .map(|plan| Sums { chars_after: plan.chars[1], outcomes: plan.outcomes });
    let earlier = model.plan.replace(plan.clone());
    model.is_slow = false;
    knobs::say_when_idle(model, earlier.as_deref(), &plan);
    // What is outside the session may be otherwise by now.
    model.recovery = None;
    model.why_top = 0;
    let was_at_end = model.list.is_at_end();
    model.refresh_list();
    // Behind a filter by outcome, what was appended is listed only now.
    if model.follow && was_at_end {
        watch::to_end(model);
    }
    model.refresh_tokens();
    vec![Effect::Count { session: model.shared(), plan, method: model.method }]
}

/// Where a count stops: no session is as long, and steps of it still add up without overflow.
const LARGEST_COUNT: usize = 999_999_999;

fn press(model: &mut Model, key: Key) -> Effects {
    model.status = None;
    if model.prompt.is_some() {
        return prompt::press(model, key);
    }
    if matches!(model.overlay, Some(Overlay::Consent { .. })) {
        return judge::consent(model, key);
    }
    if model.awaiting_outcome {
        return choose_outcome(model, key);
    }
    if let Key::Char(digit @ '0'..='9') = key
        && (digit != '0' || model.count.is_some())
    {
        let digit = digit as usize - '0' as usize;
        let count = model.count.unwrap_or(0).saturating_mul(10).saturating_add(digit);
        model.count = Some(count.min(LARGEST_COUNT));
        return Vec::new();
    }
    let Some(action) = keymap::lookup(key) else {
        model.count = None;
        if model.overlay.is_none() {
            model.status = Some(format!("{} is bound to nothing; ? lists the keys", key.label()));
        }
        return Vec::new();
    };
    let count = model.count.take();
    if model.overlay.is_some() {
        return overlay::act(model, action, count);
    }
    act(model, action, count)
}

fn act(model: &mut Model, action: Action, count: Option<usize>) -> Effects {
    let times = count.unwrap_or(1) as isize;
    match action {
        Action::Down => motion::rows(model, times),
        Action::Up => motion::rows(model, -times),
        Action::Left => motion::sideways(model, -times),
        Action::Right => motion::sideways(model, times),
        Action::HalfPageDown => motion::pages(model, times, 2),
        Action::HalfPageUp => motion::pages(model, -times, 2),
        Action::PageDown => motion::pages(model, times, 1),
        Action::PageUp => motion::pages(model, -times, 1),
        Action::First => motion::to_entry(model, count, false),
        Action::Last => motion::to_entry(model, count, true),
        Action::NextPane => motion::focus(model, Pane::next),
        Action::PreviousPane => motion::focus(model, Pane::previous),
        Action::Zoom => motion::zoom(model),
        Action::Into => motion::into_detail(model),
        Action::Out if model.judging.progress.is_some() => return judge::stop(model),
        Action::Out => motion::out(model),
        Action::NextChanged => motion::changed(model, times),
        Action::PreviousChanged => motion::changed(model, -times),
        Action::ToTarget => motion::to_target(model),
        Action::Back => motion::back(model),
        Action::FilterByOutcome => model.awaiting_outcome = true,
        Action::FilterBySpeaker => model.overlay = Some(Overlay::Speakers { cursor: 0 }),
        Action::NoFilter => find::no_filter(model),
        Action::Search => prompt::search(model),
        Action::NextMatch => find::next_match(model, times),
        Action::PreviousMatch => find::next_match(model, -times),
        Action::Pin => return knobs::pin(model),
        Action::RunAgain => {
            let mut effects = decide(model);
            effects.extend(judge::ask_again(model));
            return effects;
        }
        Action::Follow => return watch::follow(model),
        Action::Mouse => return mouse(model),
        Action::Wrap => motion::wrap(model),
        Action::Copy => return copy(model),
        Action::Knobs => model.overlay = Some(Overlay::Knobs),
        Action::Faults => model.overlay = Some(Overlay::Faults { top: 0 }),
        Action::Help => model.overlay = Some(Overlay::Help { top: 0, word: String::new() }),
        Action::Suspend => return vec![Effect::Suspend],
        Action::Quit => return vec![Effect::Quit],
        _ => return knobs::act(model, action, times),
    }
    Vec::new()
}

fn choose_outcome(model: &mut Model, key: Key) -> Effects {
    model.awaiting_outcome = false;
    if let Key::Char(digit @ '1'..='6') = key {
        model.filter.outcome = Some(Outcome::ALL[digit as usize - '1' as usize]);
        model.refresh_list();
        find::say_when_empty(model);
    } else if key != Key::Esc {
        model.status = Some("F takes a digit from 1 to 6".into());
    }
    Vec::new()
}

fn copy(model: &mut Model) -> Effects {
    let Some(entry) = model.current() else { return Vec::new() };
    let content = model.entry(entry).content.to_string();
    model.status =
        Some(format!("copied entry {}, {} characters", entry + 1, model.entry(entry).chars));
    vec![Effect::Copy(content)]
}

fn mouse(model: &mut Model) -> Effects {
    model.mouse = !model.mouse;
    let to = if model.mouse {
        "turns the wheel and clicks here"
    } else {
        "selects text in the terminal"
    };
    model.status = Some(format!("the mouse {to}; M changes that"));
    vec![Effect::Mouse(model.mouse)]
}

fn resize(model: &mut Model, width: u16, height: u16) -> Effects {
    model.size = (width, height);
    motion::settle(model);
    Vec::new()
}

fn wheel(model: &mut Model, column: u16, row: u16, notches: i32) -> Effects {
    const ROWS: isize = 3;
    let by = notches as isize * ROWS;
    if model.overlay.is_some() {
        return overlay::act(
            model,
            if by > 0 { Action::Down } else { Action::Up },
            Some(by.unsigned_abs()),
        );
    }
    match pane_at(model, column, row) {
        Some(Pane::List) => {
            let height = model.list_height();
            model.list.scroll(by, height);
        }
        Some(Pane::Detail) => motion::scroll_detail(model, by),
        Some(Pane::Why) => model.why_top = model.why_top.saturating_add_signed(by),
        None => {}
    }
    Vec::new()
}

fn click(model: &mut Model, column: u16, row: u16) -> Effects {
    if model.overlay.is_some() || model.prompt.is_some() {
        return Vec::new();
    }
    let Some(pane) = pane_at(model, column, row) else { return Vec::new() };
    model.focus = pane;
    let inside = panes::inside(model.panes().list);
    if pane == Pane::List && inside.contains((column, row).into()) {
        let height = model.list_height();
        let place = model.list.top + usize::from(row - inside.y);
        model.list.move_to(place, height);
    }
    Vec::new()
}

fn pane_at(model: &Model, column: u16, row: u16) -> Option<Pane> {
    let panes = model.panes();
    let at = (column, row).into();
    [(panes.list, Pane::List), (panes.detail, Pane::Detail), (panes.why, Pane::Why)]
        .into_iter()
        .find_map(|(rect, pane)| rect.contains(at).then_some(pane))
}
