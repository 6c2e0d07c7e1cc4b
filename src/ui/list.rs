//! The list: one row an entry, and the minimap of the whole session beside it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::bars::match_count;
use super::number::grouped;
use super::theme::{Theme, glyph};
use super::{justified, pane, row};
use crate::app::model::Model;
use crate::app::panes::{self, Pane};
use crate::app::wrap;
use crate::compact::plan::{Decision, Outcome};
use crate::sanitise;
use crate::session::{Entry, Kind};

/// Columns of the word that says who speaks.
const SPEAKER: usize = 9;

pub(super) fn draw(model: &Model, frame: &mut Frame<'_>, area: Rect, theme: Theme) {
    if area.is_empty() {
        return;
    }
    let block = pane(model, Pane::List, title(model, theme), theme);
    frame.render_widget(block, area);
    let inside = panes::inside(area);
    if inside.is_empty() {
        return;
    }
    let height = usize::from(inside.height);
    for (line, (place, entry)) in model.list.window(height).enumerate() {
        let rect = Rect { y: inside.y + line as u16, height: 1, ..inside };
        row(frame, rect, &entry_row(model, entry, usize::from(rect.width), theme));
        if place == model.list.cursor() {
            frame.buffer_mut().set_style(rect, theme.chosen());
        }
    }
    draw_minimap(model, frame, Rect { x: inside.right(), width: 1, ..inside }, theme);
    if model.list.is_empty() {
        let text = if model.filter.is_on() {
            "nothing passes the filter (' clears it)"
        } else {
            "no entries yet"
        };
        row(frame, inside, &Line::styled(format!("  {text}"), theme.quiet()));
    }
}

fn title<'a>(model: &Model, theme: Theme) -> Line<'a> {
    let total = model.session.entries.len();
    let place = if model.list.is_empty() { 0 } else { model.list.cursor() + 1 };
    let mut text = format!(" entries {}/{} ", grouped(place), grouped(model.list.len()));
    if model.filter.is_on() {
        let label = sanitise::line(&model.filter.label()).into_owned();
        text = format!(
            " entries {}/{} of {} · only {label} ",
            grouped(place),
            grouped(model.list.len()),
            grouped(total)
        );
    }
    let mut spans = vec![Span::raw(text)];
    if !model.search.pattern.is_empty() {
        let pattern = wrap::fit(&sanitise::line(&model.search.pattern), 20);
        spans.push(Span::styled(format!(" /{pattern}{}", match_count(model)), theme.found()));
    }
    Line::from(spans)
}

/// The outcomes of the whole list on its right edge; the part that is in view is drawn full.
fn draw_minimap(model: &Model, frame: &mut Frame<'_>, edge: Rect, theme: Theme) {
    let cells = model.list.minimap.len().max(1);
    let spread = model.list.len().max(cells);
    for ((line, outcome), y) in model.list.minimap.iter().enumerate().zip(edge.top()..) {
        let place = line * spread / cells;
        let in_view = place >= model.list.top && place < model.list.top + cells;
        let (symbol, style) = match outcome {
            None | Some(Outcome::Kept) => (if in_view { "▐" } else { "│" }, theme.quiet()),
            Some(Outcome::Dropped) => (if in_view { "▒" } else { "░" }, theme.quiet()),
            Some(outcome) => (if in_view { "█" } else { "▐" }, theme.minimap(*outcome)),
        };
        frame.buffer_mut().set_string(edge.x, y, symbol, style);
    }
}

/// `P   1 user       Fix the failing checkout test…        95 → 0`
fn entry_row<'a>(model: &Model, index: usize, width: usize, theme: Theme) -> Line<'a> {
    let entry = model.entry(index);
    let decision = model.plan.as_ref().and_then(|plan| plan.decisions.get(index));
    let outcome = decision.map_or(Outcome::Kept, |decision| decision.outcome);
    let style = theme.outcome(outcome);
    let digits = model.session.entries.len().to_string().len().max(3);
    let found = model.search.matches.binary_search(&index).is_ok();
    let pinned = model.pins.contains(&index);
    let left = vec![
        Span::styled(
            glyph(outcome).to_string(),
            style.remove_modifier(ratatui::style::Modifier::CROSSED_OUT),
        ),
        Span::styled(if pinned { "*" } else { " " }, theme.key()),
        Span::styled(
            format!("{:>digits$} ", index + 1),
            if found { theme.found() } else { theme.quiet() },
        ),
        Span::styled(format!("{:SPEAKER$} ", speaker(model, entry)), speaker_style(entry, theme)),
    ];
    let size = size(entry, decision);
    let fixed = 2 + digits + 1 + SPEAKER + 1;
    let room = width.saturating_sub(fixed + size.width() + 2);
    let mut left = left;
    let text = wrap::fit(&summary(model, index, decision, room + 1), room);
    left.push(Span::styled(text, style));
    justified(left, vec![Span::styled(format!(" {size} "), size_style(decision, theme))], width)
}

fn speaker(model: &Model, entry: &Entry) -> &'static str {
    match entry.kind {
        Kind::Text => model.session.role_of(entry).name(),
        Kind::Result { is_error: true, .. } => "error",
        _ => entry.kind.name(),
    }
}

fn speaker_style(entry: &Entry, theme: Theme) -> Style {
    match entry.kind {
        Kind::Text => theme.strong(),
        Kind::Result { is_error: true, .. } => theme.error(),
        _ => theme.quiet(),
    }
}

fn size_style(decision: Option<&Decision>, theme: Theme) -> Style {
    match decision {
        Some(decision) if decision.is_changed() => theme.minimap(decision.outcome),
        _ => theme.quiet(),
    }
}

fn size(entry: &Entry, decision: Option<&Decision>) -> String {
    if !entry.kind.is_decided() {
        return String::new();
    }
    match decision {
        Some(decision) if decision.is_changed() => {
            format!("{} → {}", grouped(entry.chars), grouped(decision.chars))
        }
        _ => grouped(entry.chars),
    }
}

/// What the row says of the entry, in at most about so many columns.
fn summary(model: &Model, index: usize, decision: Option<&Decision>, columns: usize) -> String {
    let entry = model.entry(index);
    let indent = match entry.message {
        Some(message) if model.session.messages[message].side_chain => "  ",
        _ => "",
    };
    let text = match &entry.kind {
        Kind::Call { tool, .. } => {
            format!(
                "{}  {}",
                sanitise::line(tool),
                sanitise::preview(&main_argument(&entry.content), columns)
            )
        }
        Kind::Notice { title } => {
            format!("{}  {}", sanitise::line(title), sanitise::preview(&entry.content, columns))
        }
        _ => sanitise::preview(&entry.content, columns),
    };
    let target = decision.and_then(|decision| Some((decision.outcome, decision.target?)));
    match target {
        Some((Outcome::Deduped, target)) => format!("{indent}same as {}  {text}", target + 1),
        _ => format!("{indent}{text}"),
    }
}

/// The argument of a call that tells most of it: its command, path, pattern or query, else the
/// first text among its values, else the whole input.
fn main_argument(input: &str) -> String {
    const TELLING: [&str; 11] = [
        "command",
        "cmd",
        "file_path",
        "path",
        "pattern",
        "query",
        "url",
        "prompt",
        "description",
        "input",
        "question",
    ];
    /// An input longer than this is not read for a preview of one row.
    const READABLE: usize = 64 * 1024;
    if input.len() > READABLE {
        return input.into();
    }
    let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(input) else {
        return input.into();
    };
    let telling = TELLING.iter().find_map(|name| fields.get(*name)?.as_str());
    let first = || fields.values().find_map(|value| value.as_str());
    telling.or_else(first).map_or_else(|| input.to_string(), str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_told_by_its_command_or_path() {
        assert_eq!(main_argument(r#"{"description": "List", "command": "ls -la"}"#), "ls -la");
        assert_eq!(main_argument(r#"{"n": 1, "body": "text"}"#), "text");
        assert_eq!(main_argument(r#"{"n": 1}"#), r#"{"n": 1}"#);
        assert_eq!(main_argument("not json"), "not json");
    }
}
