//! Moving: the cursor, the panes, the jumps.

use super::super::model::{Model, Search};
use super::super::panes::Pane;

/// Down by rows of the focused pane; negative is up.
pub(super) fn rows(model: &mut Model, by: isize) {
    match model.focus {
        Pane::List => {
            let height = model.list_height();
            model.list.move_by(by, height);
        }
        Pane::Detail => scroll_detail(model, by),
        Pane::Why => model.why_top = model.why_top.saturating_add_signed(by),
    }
}

/// Down by pages of the focused pane, or by a part of one.
pub(super) fn pages(model: &mut Model, by: isize, parts: usize) {
    let height = match model.focus {
        Pane::List => model.list_height(),
        Pane::Detail => model.detail_size().1,
        Pane::Why => usize::from(model.panes().why.height),
    };
    rows(model, by.saturating_mul((height / parts).max(1) as isize));
}

pub(super) fn scroll_detail(model: &mut Model, by: isize) {
    let (width, height) = model.detail_size();
    model.detail.scroll(by, width, height);
}

/// The detail by columns, while lines are not wrapped.
pub(super) fn sideways(model: &mut Model, by: isize) {
    const COLUMNS: isize = 8;
    if model.detail.wrap {
        model.status = Some("lines are wrapped; w turns that off".into());
    } else {
        let by = by.saturating_mul(COLUMNS);
        let last = model.detail.widest(model.detail_size().1).saturating_sub(1);
        model.detail.left = model.detail.left.saturating_add_signed(by).min(last);
    }
}

/// To the first or last row; with a number, to the entry of that number.
pub(super) fn to_entry(model: &mut Model, number: Option<usize>, last: bool) {
    let height = model.list_height();
    match (number, model.focus) {
        (Some(number), _) => {
            let entry = number.saturating_sub(1);
            remember(model);
            model.list.move_to_entry(entry, height);
        }
        (None, Pane::List) if last => model.list.move_to(usize::MAX, height),
        (None, Pane::List) => model.list.move_to(0, height),
        (None, Pane::Detail) if last => {
            let (width, height) = model.detail_size();
            model.detail.to_end(width, height);
        }
        (None, Pane::Detail) => model.detail.to_start(),
        (None, Pane::Why) => model.why_top = 0,
    }
}

/// The next pane that has room on this screen.
pub(super) fn focus(model: &mut Model, step: fn(Pane) -> Pane) {
    for _ in 0..Pane::ALL.len() {
        model.focus = step(model.focus);
        if !model.panes().of(model.focus).is_empty() {
            break;
        }
    }
    settle(model);
}

pub(super) fn zoom(model: &mut Model) {
    model.zoomed = !model.zoomed;
    settle(model);
}

/// Into the detail, alone on a screen that has no room for it beside the list.
pub(super) fn into_detail(model: &mut Model) {
    model.focus = Pane::Detail;
    if model.panes().detail.is_empty() {
        model.zoomed = true;
    }
    settle(model);
}

/// The panes may have other sizes now: keys go to none that cannot be seen.
pub(super) fn settle(model: &mut Model) {
    if model.panes().of(model.focus).is_empty() {
        model.focus = Pane::List;
    }
    let height = model.list_height();
    model.list.settle(height);
    model.refresh_minimap();
}

/// One level out: the zoom, the detail, the search, the filter.
pub(super) fn out(model: &mut Model) {
    if model.zoomed {
        zoom(model);
    } else if model.focus != Pane::List {
        model.focus = Pane::List;
    } else if !model.search.pattern.is_empty() {
        model.search = Search { generation: model.search.generation + 1, ..Search::default() };
    } else if model.filter.is_on() {
        super::find::no_filter(model);
    }
}

/// To the next entry that comes out otherwise than it went in, so many times.
pub(super) fn changed(model: &mut Model, times: isize) {
    let Some(plan) = model.plan.clone() else { return };
    let is_changed = |entry: &usize| plan.decisions.get(*entry).is_some_and(|it| it.is_changed());
    let cursor = model.list.cursor();
    let entries = model.list.entries();
    let steps = times.unsigned_abs().saturating_sub(1);
    let places = |mut found: Box<dyn Iterator<Item = usize> + '_>| found.nth(steps);
    let place = if times > 0 {
        let after = cursor + 1..entries.len();
        places(Box::new(after.filter(|&at| is_changed(&entries[at]))))
    } else {
        places(Box::new((0..cursor).rev().filter(|&at| is_changed(&entries[at]))))
    };
    let height = model.list_height();
    match place {
        Some(place) => model.list.move_to(place, height),
        None if times > 0 => model.status = Some("nothing is changed after this entry".into()),
        None => model.status = Some("nothing is changed before this entry".into()),
    }
}

/// To the entry that this one duplicates or points to, else to the other half of its pair.
pub(super) fn to_target(model: &mut Model) {
    let Some(from) = model.current() else { return };
    let decision = model.plan.as_ref().and_then(|plan| plan.decisions.get(from));
    let target = decision.and_then(|decision| decision.target);
    match target.or(model.entry(from).kind.partner()) {
        Some(target) => jump(model, target),
        None => model.status = Some("it names no other entry".into()),
    }
}

pub(super) fn jump(model: &mut Model, entry: usize) {
    remember(model);
    reveal(model, entry);
}

pub(super) fn back(model: &mut Model) {
    match model.jumps.pop() {
        Some(entry) => reveal(model, entry),
        None => model.status = Some("no jump to go back from".into()),
    }
}

fn remember(model: &mut Model) {
    model.jumps.extend(model.current());
}

/// Puts the cursor on an entry, the filter out of its way.
pub(super) fn reveal(model: &mut Model, entry: usize) {
    if !model.list.shows(entry) {
        super::find::no_filter(model);
        model.status = Some("the filter is off: it hid that entry".into());
    }
    let height = model.list_height();
    model.list.move_to_entry(entry, height);
}

pub(super) fn wrap(model: &mut Model) {
    model.detail.wrap = !model.detail.wrap;
    model.detail.left = 0;
    model.detail.top.1 = 0;
    let on = if model.detail.wrap { "on" } else { "off; h and l scroll sideways" };
    model.status = Some(format!("wrap {on}"));
}
