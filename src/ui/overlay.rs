//! The lists that lie over the panes: help, knobs, roles and tools, repairs.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Borders, Clear};
use unicode_width::UnicodeWidthStr;

use super::number::{counted, grouped};
use super::theme::Theme;
use super::{row, wrapped};
use crate::app::keymap::{BINDINGS, Group};
use crate::app::list::Speaker;
use crate::app::model::{Model, Overlay};
use crate::app::panes::{self, Panes};
use crate::app::wrap;
use crate::compact::settings::{SETTINGS, Setting, Settings};
use crate::sanitise;
use crate::session::FaultKind;

pub(super) fn draw(model: &Model, frame: &mut Frame<'_>, panes: Panes, theme: Theme) {
    let Some(overlay) = &model.overlay else { return };
    let middle = Rect {
        y: panes.top.bottom(),
        height: panes.knobs.y.saturating_sub(panes.top.bottom()),
        ..panes.top
    };
    let inside_width = usize::from(middle.width).saturating_sub(2);
    let (title, lines, chosen) = match overlay {
        Overlay::Help { word, .. } => (help_title(word), help(word, inside_width, theme), None),
        Overlay::Knobs => (
            " knobs · - + nudge · Enter types · x resets ".into(),
            knobs(model, inside_width, theme),
            Some(model.knob),
        ),
        Overlay::Speakers { cursor } => {
            (" only one role or tool ".into(), speakers(model), Some(*cursor))
        }
        Overlay::Faults { .. } => (" what was read ".into(), faults(model, theme), None),
        Overlay::Consent { settings, address } => (
            " send the session's text away? ".into(),
            consent(model, (settings, address), inside_width, theme),
            None,
        ),
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

/// What would be sent, to whom, and the keys that answer.
fn consent<'a>(
    model: &Model,
    (settings, address): (&Settings, &str),
    width: usize,
    theme: Theme,
) -> Vec<Line<'a>> {
    let what = format!(
        "Provider {} asks a model at {}. It is sent the texts of this session, the inputs of its \
         {} and how long their results are: up to {} tokens a request.",
        settings.provider.name(),
        sanitise::line(address),
        counted(model.session.calls(), "call"),
        grouped(settings.max_request_tokens),
    );
    let mut lines = wrapped(&what, width, Default::default());
    lines.push(Line::default());
    lines.push(Line::from(vec![
        Span::styled("y", theme.key()),
        Span::raw(" sends it, as often as you ask in this session   "),
        Span::styled("any other key", theme.key()),
        Span::raw(" sends nothing"),
    ]));
    lines
}

fn help_title(word: &str) -> String {
    if word.is_empty() {
        " help · / searches · j k scroll · Esc closes ".into()
    } else {
        format!(" help · with “{}” · Esc closes ", sanitise::line(word))
    }
}

fn help<'a>(word: &str, width: usize, theme: Theme) -> Vec<Line<'a>> {
    let word = word.to_lowercase();
    let fits = |text: &str| text.to_lowercase().contains(&word);
    let mut lines = Vec::new();
    for group in Group::ALL {
        let bindings: Vec<_> = BINDINGS
            .iter()
            .filter(|binding| binding.group == group)
            .filter(|binding| fits(binding.help) || fits(&binding.label()))
            .collect();
        if !bindings.is_empty() {
            lines.push(Line::styled(format!(" {}", group.title()), theme.strong()));
        }
        for binding in bindings {
            lines.extend(explained(&binding.label(), binding.help, width, theme));
        }
    }
    let marks: Vec<_> = MARKS.iter().filter(|(mark, help)| fits(help) || fits(mark)).collect();
    if !marks.is_empty() {
        lines.push(Line::styled(" marks", theme.strong()));
    }
    for (mark, help) in marks {
        lines.extend(explained(mark, help, width, theme));
    }
    if lines.is_empty() {
        lines.push(Line::styled(" nothing does that", theme.quiet()));
    }
    lines
}

/// What stands in the list and the bars without a word beside it.
const MARKS: [(&str, &str); 7] = [
    ("P = >", "pinned, deduped, pointer: the outcome of a row"),
    ("~ x", "trimmed, dropped; a row without a mark is kept"),
    ("*", "in the list: pinned by you; at a knob: not its default"),
    (
        "right edge",
        "the whole list: what most entries there come to; what is in view is drawn full",
    ),
    ("Δ", "the change against the plan before"),
    ("plan 3", "how many plans this screen has seen, and how long the last one took"),
    ("≈", "an estimate, until the exact number of tokens has come"),
];

/// A key or mark and its help, wrapped under itself.
fn explained<'a>(label: &str, help: &str, width: usize, theme: Theme) -> Vec<Line<'a>> {
    const LABEL: usize = 14;
    let rows = wrap::rows(help, width.saturating_sub(LABEL).max(20));
    let row = |(at, row): (usize, std::ops::Range<usize>)| {
        let label = if at == 0 { format!("  {label:<11} ") } else { " ".repeat(LABEL) };
        let text = help[row].trim_end().to_string();
        Line::from(vec![Span::styled(label, theme.key()), Span::raw(text)])
    };
    rows.into_iter().enumerate().map(row).collect()
}

/// One row a setting; the bars below tell the chosen one in full.
fn knobs<'a>(model: &Model, width: usize, theme: Theme) -> Vec<Line<'a>> {
    SETTINGS.iter().map(|setting| knob_row(model, setting, width, theme)).collect()
}

/// The help stands in the row where there is room for every help in full; elsewhere the values have
/// that room, and the bars below tell the help.
fn knob_row<'a>(model: &Model, setting: &Setting, width: usize, theme: Theme) -> Line<'a> {
    const NAME: usize = 23;
    const VALUE: usize = 14;
    const BETWEEN: usize = 12;
    let longest = SETTINGS.iter().map(|setting| setting.help.width()).max().unwrap_or(0);
    let has_help = width >= NAME + 2 * VALUE + BETWEEN + longest;
    let room = width.saturating_sub(NAME + BETWEEN) / 2;
    let cell_width = if has_help { VALUE } else { room.clamp(VALUE, 2 * VALUE) };
    let cell = |text: &str| {
        let text = wrap::fit(&sanitise::preview(text, cell_width + 1), cell_width);
        let pad = " ".repeat(cell_width - text.width());
        text + &pad
    };
    let value = setting.value(&model.settings);
    let default = setting.value(&model.defaults);
    let (mark, style) = if value == default { (" ", theme.quiet()) } else { ("*", theme.strong()) };
    let help = if has_help { setting.help } else { "" };
    Line::from(vec![
        Span::styled(format!(" {:<NAME$}", setting.name), theme.key()),
        Span::styled(format!("{}{mark} ", cell(&value)), style),
        Span::styled(format!("default {} {help}", cell(&default)), theme.quiet()),
    ])
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
