//! The lists that lie over the panes: help, knobs, roles and tools, repairs.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Borders, Clear};
use unicode_width::UnicodeWidthStr;

use super::number::grouped;
use super::row;
use super::theme::Theme;
use crate::app::keymap::{BINDINGS, Group};
use crate::app::list::Speaker;
use crate::app::model::{Model, Overlay};
use crate::app::panes::{self, Panes};
use crate::app::wrap;
use crate::compact::settings::SETTINGS;
use crate::sanitise;
use crate::session::FaultKind;

pub(super) fn draw(model: &Model, frame: &mut Frame<'_>, panes: Panes, theme: Theme) {
    let Some(overlay) = &model.overlay else { return };
    let middle = Rect {
        y: panes.top.bottom(),
        height: panes.footer.y.saturating_sub(panes.top.bottom()),
        ..panes.top
    };
    let (title, lines, chosen) = match overlay {
        Overlay::Help { word, .. } => (help_title(word), help(word, theme), None),
        Overlay::Knobs => (
            " knobs · - + nudge · Enter types · x resets ".into(),
            knobs(model, usize::from(middle.width), theme),
            Some(model.knob),
        ),
        Overlay::Speakers { cursor } => {
            (" only one role or tool ".into(), speakers(model), Some(*cursor))
        }
        Overlay::Faults { .. } => (" what was read ".into(), faults(model, theme), None),
    };
    let top = match overlay {
        Overlay::Help { top, .. } | Overlay::Faults { top } => *top,
        _ => 0,
    };
    draw_lines(frame, middle, title, &lines, (top, chosen), theme);
}

fn draw_lines(
    frame: &mut Frame<'_>,
    middle: Rect,
    title: String,
    lines: &[Line<'_>],
    (top, chosen): (usize, Option<usize>),
    theme: Theme,
) {
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(middle.height);
    let area = Rect { height, ..middle };
    if area.is_empty() {
        return;
    }
    frame.render_widget(Clear, area);
    let block = Block::default()
        .borders(Borders::ALL)
        .border_type(BorderType::Thick)
        .border_style(theme.focus())
        .title(title);
    frame.render_widget(block, area);
    let inside = panes::inside(area);
    let height = usize::from(inside.height);
    let last_top = lines.len().saturating_sub(height);
    let top = match chosen {
        Some(chosen) => (chosen + 1).saturating_sub(height),
        None => top.min(last_top),
    };
    for (at, line) in lines.iter().enumerate().skip(top).take(height) {
        let rect = Rect { y: inside.y + (at - top) as u16, height: 1, ..inside };
        row(frame, rect, line);
        if chosen == Some(at) {
            frame.buffer_mut().set_style(rect, theme.chosen());
        }
    }
}

fn help_title(word: &str) -> String {
    if word.is_empty() {
        " help · / searches · j k scroll · Esc closes ".into()
    } else {
        format!(" help · with “{}” · Esc closes ", sanitise::line(word))
    }
}

fn help<'a>(word: &str, theme: Theme) -> Vec<Line<'a>> {
    let word = word.to_lowercase();
    let mut lines = Vec::new();
    for group in Group::ALL {
        let fits = |text: &str| text.to_lowercase().contains(&word);
        let bindings: Vec<_> = BINDINGS
            .iter()
            .filter(|binding| binding.group == group)
            .filter(|binding| fits(binding.help) || fits(&binding.label()))
            .collect();
        if bindings.is_empty() {
            continue;
        }
        lines.push(Line::styled(format!(" {}", group.title()), theme.strong()));
        for binding in bindings {
            lines.push(Line::from(vec![
                Span::styled(format!("  {:<11} ", binding.label()), theme.key()),
                Span::raw(binding.help),
            ]));
        }
    }
    if lines.is_empty() {
        lines.push(Line::styled(" no key does that", theme.quiet()));
    }
    lines
}

fn knobs<'a>(model: &Model, width: usize, theme: Theme) -> Vec<Line<'a>> {
    let name_width = SETTINGS.iter().map(|setting| setting.name.width()).max().unwrap_or(0);
    let value_width = 22;
    SETTINGS
        .iter()
        .map(|setting| {
            let value = setting.value(&model.settings);
            let default = setting.value(&model.defaults);
            let changed = value != default;
            let shown = wrap::fit(&sanitise::preview(&value, value_width), value_width);
            let pad = " ".repeat(value_width - shown.width());
            let default = wrap::fit(&sanitise::preview(&default, 16), 16);
            let notes = if changed { format!("default {default}; ") } else { String::new() };
            let idle = model.idle_knob(setting).map(|why| format!(" ({why})")).unwrap_or_default();
            let rest = format!("{notes}{}; {}{idle}", setting.range, setting.help);
            let style = if changed { theme.strong() } else { theme.quiet() };
            Line::from(vec![
                Span::styled(format!(" {:<name_width$}  ", setting.name), theme.key()),
                Span::styled(format!("{shown}{pad} {} ", if changed { "*" } else { " " }), style),
                Span::styled(
                    wrap::fit(&rest, width.saturating_sub(name_width + value_width + 8)),
                    theme.quiet(),
                ),
            ])
        })
        .collect()
}

fn speakers<'a>(model: &Model) -> Vec<Line<'a>> {
    Speaker::all(&model.session)
        .into_iter()
        .map(|(speaker, count)| {
            let kind = match speaker {
                Speaker::Role(_) => "role",
                Speaker::Tool(_) => "tool",
            };
            let name = wrap::fit(&sanitise::line(&speaker.name()), 40);
            Line::from(format!(" {kind}  {name:<40} {:>8}", grouped(count)))
        })
        .collect()
}

/// What was repaired or skipped, line by line, then how many records of each type there are.
fn faults<'a>(model: &Model, theme: Theme) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'_>> = model
        .session
        .faults
        .iter()
        .map(|fault| {
            let kind = match fault.kind {
                FaultKind::Repaired => "repaired",
                FaultKind::Skipped => "skipped ",
            };
            Line::from(vec![
                Span::styled(format!(" line {:>6}  ", fault.line), theme.key()),
                Span::styled(format!("{kind}  "), theme.found()),
                Span::raw(sanitise::line(&fault.note).into_owned()),
            ])
        })
        .collect();
    if lines.is_empty() {
        lines.push(Line::styled(" nothing was repaired or skipped", theme.quiet()));
    }
    lines.extend(model.session.records.iter().map(|(kind, count)| {
        let kind = wrap::fit(&sanitise::line(kind), 48);
        Line::styled(format!(" {count:>11}  {kind}"), theme.quiet())
    }));
    lines
}
