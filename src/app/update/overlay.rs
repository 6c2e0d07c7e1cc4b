//! Keys while a list lies over the panes.

use super::super::action::Action;
use super::super::list::Speaker;
use super::super::model::{Model, Overlay};
use super::{Effects, find, knobs, prompt};
use crate::app::action::Effect;

pub(super) fn act(model: &mut Model, action: Action, count: Option<usize>) -> Effects {
    let times = count.unwrap_or(1) as isize;
    let by = match action {
        Action::Down => Some(times),
        Action::Up => Some(-times),
        Action::HalfPageDown => Some(times.saturating_mul(page(model) / 2)),
        Action::HalfPageUp => Some(times.saturating_mul(-page(model) / 2)),
        Action::PageDown => Some(times.saturating_mul(page(model))),
        Action::PageUp => Some(times.saturating_mul(-page(model))),
        Action::First => Some(isize::MIN / 2),
        Action::Last => Some(isize::MAX / 2),
        _ => None,
    };
    if let Some(by) = by {
        move_by(model, by);
        return Vec::new();
    }
    match action {
        Action::Quit | Action::Out => model.overlay = None,
        Action::Suspend => return vec![Effect::Suspend],
        _ => return act_inside(model, action, times),
    }
    Vec::new()
}

fn act_inside(model: &mut Model, action: Action, times: isize) -> Effects {
    match (&model.overlay, action) {
        (Some(Overlay::Help { .. }), Action::Search) => prompt::help_search(model),
        (Some(Overlay::Help { .. }), Action::Help)
        | (Some(Overlay::Knobs), Action::Knobs)
        | (Some(Overlay::Faults { .. }), Action::Faults)
        | (Some(Overlay::Speakers { .. }), Action::FilterBySpeaker) => model.overlay = None,
        (Some(Overlay::Speakers { cursor }), Action::Into) => filter_by(model, *cursor),
        (Some(Overlay::Knobs), Action::Into) => prompt::value(model),
        (Some(Overlay::Knobs), Action::Left) => {
            return knobs::act(model, Action::NudgeDown, times);
        }
        (Some(Overlay::Knobs), Action::Right) => return knobs::act(model, Action::NudgeUp, times),
        (Some(Overlay::Knobs), _) => return knobs::act(model, action, times),
        _ => {}
    }
    Vec::new()
}

fn move_by(model: &mut Model, by: isize) {
    let faults = model.session.faults.len() + model.session.records.len();
    match &mut model.overlay {
        Some(Overlay::Help { top, .. }) => *top = top.saturating_add_signed(by).min(help_rows()),
        Some(Overlay::Faults { top }) => *top = top.saturating_add_signed(by).min(faults),
        Some(Overlay::Speakers { cursor }) => {
            let last = Speaker::all(&model.session).len().saturating_sub(1);
            *cursor = cursor.saturating_add_signed(by).min(last);
        }
        Some(Overlay::Knobs) => {
            let last = crate::compact::settings::SETTINGS.len() - 1;
            model.knob = model.knob.saturating_add_signed(by).min(last);
        }
        Some(Overlay::Consent { .. }) | None => {}
    }
}

/// Rows of a list that fills the room between the bars.
fn page(model: &Model) -> isize {
    let panes = model.panes();
    let rows = panes.knobs.y.saturating_sub(panes.top.bottom() + 2);
    isize::try_from(rows.max(2)).unwrap_or(2)
}

fn help_rows() -> usize {
    super::super::keymap::BINDINGS.len()
}

fn filter_by(model: &mut Model, cursor: usize) {
    model.overlay = None;
    if let Some((speaker, _)) = Speaker::all(&model.session).into_iter().nth(cursor) {
        model.filter.speaker = Some(speaker);
        model.refresh_list();
        find::say_when_empty(model);
    }
}
