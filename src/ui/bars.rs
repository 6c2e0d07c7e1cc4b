//! The bars below: the knobs, and the footer with its keys, its prompt or what there is to say.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::number::grouped;
use super::theme::Theme;
use super::{justified, row, wrapped_within};
use crate::app::keymap::{self, BINDINGS};
use crate::app::model::{Asks, Model, Overlay, Prompt};
use crate::app::wrap;
use crate::compact::plan::Outcome;
use crate::compact::settings::SETTINGS;
use crate::sanitise;

/// The knobs in one row, scrolled so that the chosen one is in view.
pub(super) fn draw_knobs(model: &Model, frame: &mut Frame<'_>, area: Rect, theme: Theme) {
    if area.is_empty() {
        return;
    }
    if let Some(line) = told_in_full(model, area, theme).first() {
        row(frame, area, line);
        return;
    }
    let mut spans = vec![Span::raw(" ")];
    let (mut column, mut chosen_end) = (1, 0);
    for (at, setting) in SETTINGS.iter().enumerate() {
        let value = wrap::fit(&sanitise::preview(&setting.value(&model.settings), 24), 24);
        let changed = setting.value(&model.settings) != setting.value(&model.defaults);
        let style = match (at == model.knob, changed) {
            (true, _) => theme.chosen(),
            (false, true) => theme.strong(),
            (false, false) => theme.quiet(),
        };
        let mark = if changed { "*" } else { "" };
        let span = Span::styled(format!(" {} {value}{mark} ", setting.name), style);
        column += span.width();
        if at == model.knob {
            chosen_end = column;
        }
        spans.push(span);
    }
    let width = usize::from(area.width);
    let skip = (chosen_end + 24).min(column).saturating_sub(width);
    let paragraph = ratatui::widgets::Paragraph::new(Line::from(spans));
    frame.render_widget(paragraph.scroll((0, u16::try_from(skip).unwrap_or(u16::MAX))), area);
    mark_ends(frame, area, skip > 0, column > skip + width, theme);
}

/// `…` at the ends of a row behind which it goes on.
fn mark_ends(frame: &mut Frame<'_>, area: Rect, before: bool, after: bool, theme: Theme) {
    let places = [(before, area.left()), (after, area.right() - 1)];
    for (_, x) in places.into_iter().filter(|(is_cut, _)| *is_cut) {
        frame.buffer_mut().set_string(x, area.y, "…", theme.quiet());
    }
}

/// What takes the room of both bars: what there is to say when it is longer than one row or, under
/// the knob list, what the chosen knob does and takes.
fn told_in_full<'a>(model: &Model, area: Rect, theme: Theme) -> Vec<Line<'a>> {
    let width = usize::from(area.width).saturating_sub(2);
    let text = match &model.status {
        Some(status) if can_say(model) => sanitise::line(status).into_owned(),
        None if model.overlay == Some(Overlay::Knobs) => knob_in_full(model),
        _ => return Vec::new(),
    };
    if model.status.is_some() && text.width() <= width {
        return Vec::new();
    }
    let mut lines = wrapped_within(&text, width, 2, theme.strong());
    lines.iter_mut().for_each(|line| line.spans.insert(0, Span::raw(" ")));
    lines
}

/// Whether the footer says what there is to say, and nothing more urgent.
fn can_say(model: &Model) -> bool {
    model.prompt.is_none() && !model.awaiting_outcome && model.judging.progress.is_none()
}

fn knob_in_full(model: &Model) -> String {
    let knob = model.chosen_knob();
    let idle = model.idle_knob(knob).map(|why| format!(" Idle now: {why}.")).unwrap_or_default();
    format!("{}: {}. It takes {}.{idle}", knob.name, knob.help, knob.range)
}

pub(super) fn draw_footer(model: &Model, frame: &mut Frame<'_>, area: Rect, theme: Theme) {
    if area.is_empty() {
        return;
    }
    if let Some(prompt) = &model.prompt {
        draw_prompt(model, prompt, frame, area, theme);
        return;
    }
    let line = if let Some(line) = told_in_full(model, area, theme).into_iter().nth(1) {
        line
    } else if model.awaiting_outcome {
        outcome_choice(model, theme)
    } else if let Some((done, of)) = model.judging.progress {
        let of = if of == 0 { String::new() } else { format!(" {done} of {of}") };
        let (what, how) = match model.judging.stopping {
            false => ("asking the judge", "Esc stops"),
            true => ("stopping", "what was sent is waited for, nothing more is sent"),
        };
        Line::styled(format!(" {what}{of}… {how}"), theme.strong())
    } else if let Some(status) = &model.status {
        Line::styled(format!(" {}", sanitise::line(status)), theme.strong())
    } else if let Some(count) = model.count {
        Line::styled(format!(" {count}"), theme.strong())
    } else {
        Line::from(keys(model, theme))
    };
    row(frame, area, &line);
}

/// After F: the digit of each outcome, and how many entries have it.
fn outcome_choice<'a>(model: &Model, theme: Theme) -> Line<'a> {
    let mut spans = vec![Span::raw(" only ")];
    for (at, outcome) in Outcome::ALL.into_iter().enumerate() {
        spans.push(Span::styled((at + 1).to_string(), theme.key()));
        let count = model.plan.as_ref().map_or(0, |plan| plan.count(outcome));
        let text = format!(" {} {}  ", outcome.name(), grouped(count));
        spans.push(Span::styled(text, theme.minimap(outcome)));
    }
    Line::from(spans)
}

/// The keys of the footer: as many as there is room for, help and quit always.
fn keys<'a>(model: &Model, theme: Theme) -> Vec<Span<'a>> {
    let mut spans = vec![Span::raw(" ")];
    let fixed: &[(&str, &str)] = match model.overlay {
        Some(Overlay::Consent { .. }) => &[("y", "send"), ("any other key", "send nothing")],
        Some(_) => &[("j k", "move"), ("Enter", "take"), ("Esc", "close")],
        None => &[],
    };
    for (key, word) in fixed {
        push_key(&mut spans, key, word, theme);
    }
    if !fixed.is_empty() {
        return spans;
    }
    let word_of = |action| keymap::binding(action).map_or("", |binding| binding.footer);
    let always: usize = [crate::app::action::Action::Help, crate::app::action::Action::Quit]
        .iter()
        .map(|&action| word_of(action).len() + 6)
        .sum();
    let mut room = usize::from(model.size.0).saturating_sub(1 + always);
    for binding in BINDINGS.iter().filter(|binding| !binding.footer.is_empty()) {
        let key = binding.keys[0].label();
        let width = key.width() + binding.footer.width() + 3;
        let last = matches!(binding.footer, "help" | "quit");
        if !last && width > room {
            continue;
        }
        room = room.saturating_sub(if last { 0 } else { width });
        push_key(&mut spans, &key, binding.footer, theme);
    }
    spans
}

fn push_key(spans: &mut Vec<Span<'_>>, key: &str, word: &str, theme: Theme) {
    spans.push(Span::styled(key.to_string(), theme.key()));
    spans.push(Span::raw(format!(" {word}  ")));
}

fn draw_prompt(model: &Model, prompt: &Prompt, frame: &mut Frame<'_>, area: Rect, theme: Theme) {
    let label = match prompt.asks {
        Asks::Search => "/".to_string(),
        Asks::HelpSearch => "help /".into(),
        Asks::Value(knob) => format!("{}: ", SETTINGS[knob].name),
    };
    let width = usize::from(area.width);
    let label = wrap::fit(&label, width / 2);
    let room = width.saturating_sub(label.width() + 2);
    let room = if matches!(prompt.asks, Asks::Value(_)) { room / 2 } else { room };
    let scroll = prompt.input.visual_scroll(room);
    let text = prompt.input.value();
    let shown = &text[wrap::window(text, scroll, room)];
    let cursor = prompt.input.visual_cursor().saturating_sub(scroll);
    let left = vec![
        Span::raw(" "),
        Span::styled(label.clone(), theme.key()),
        Span::raw(sanitise::line(shown).into_owned()),
    ];
    let right = match (&prompt.error, prompt.asks) {
        (Some(error), _) => {
            let room = width.saturating_sub(label.width() + shown.width() + 2);
            vec![Span::styled(wrap::fit(&format!(" {error} "), room), theme.bad())]
        }
        (None, Asks::Search) => vec![Span::raw(match_count(model))],
        (None, Asks::HelpSearch) => Vec::new(),
        (None, Asks::Value(knob)) => {
            let setting = &SETTINGS[knob];
            let now = wrap::fit(&sanitise::preview(&setting.value(&model.settings), 20), 20);
            let room = width.saturating_sub(label.width() + shown.width() + 2);
            let takes = format!("takes {} ", setting.range);
            let mut hint = format!("  now {now} (Up edits it); {takes}");
            if hint.width() > room {
                hint = format!("  {takes}");
            }
            vec![Span::styled(wrap::fit(&hint, room), theme.quiet())]
        }
    };
    row(frame, area, &justified(left, right, width));
    let x = area.x + u16::try_from(1 + label.width() + cursor).unwrap_or(0);
    frame.set_cursor_position(Position { x: x.min(area.right() - 1), y: area.y });
}

/// Where the cursor stands among the matches: ` 3/17 `.
pub(super) fn match_count(model: &Model) -> String {
    let search = &model.search;
    if search.pattern.is_empty() {
        return String::new();
    }
    if !search.done {
        return " … ".into();
    }
    let at = model.current().and_then(|entry| search.matches.binary_search(&entry).ok());
    let at = at.map_or_else(|| "–".to_string(), |at| (at + 1).to_string());
    format!(" {at}/{} ", search.matches.len())
}
