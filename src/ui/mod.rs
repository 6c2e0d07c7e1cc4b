//! `draw(&Model, &mut Frame)`: everything that the screen shows. Changes no state.

mod bars;
mod detail;
mod list;
mod number;
mod overlay;
mod reasons;
mod theme;
mod top;
mod why;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Borders, Clear};

use crate::app::model::Model;
use crate::app::panes::Pane;
use crate::app::wrap;

pub use number::{change, grouped};
pub use theme::{Palette, Theme, glyph};

/// Draws the whole screen.
pub fn draw(model: &Model, frame: &mut Frame<'_>, theme: Theme) {
    let area = frame.area();
    if area.is_empty() {
        return;
    }
    frame.render_widget(Clear, area);
    let panes = model.panes();
    top::draw(model, frame, panes.top, theme);
    list::draw(model, frame, panes.list, theme);
    detail::draw(model, frame, panes.detail, theme);
    why::draw(model, frame, panes.why, theme);
    bars::draw_knobs(model, frame, panes.knobs, theme);
    overlay::draw(model, frame, panes, theme);
    bars::draw_footer(model, frame, panes.footer, theme);
}

/// The frame of a pane, bright when it has the focus.
fn pane<'a>(model: &Model, pane: Pane, title: Line<'a>, theme: Theme) -> Block<'a> {
    let focused = model.focus == pane && model.overlay.is_none();
    let (style, kind) = if focused {
        (theme.focus(), BorderType::Thick)
    } else {
        (theme.quiet(), BorderType::Plain)
    };
    Block::default().borders(Borders::ALL).border_type(kind).border_style(style).title(title)
}

/// One row of text at a place, cut at the right edge.
fn row(frame: &mut Frame<'_>, area: Rect, line: &Line<'_>) {
    if !area.is_empty() {
        frame.buffer_mut().set_line(area.x, area.y, line, area.width);
    }
}

/// Left and right parts of a row; the right one is left out when there is no room for both.
fn justified<'a>(left: Vec<Span<'a>>, right: Vec<Span<'a>>, width: usize) -> Line<'a> {
    let wide = |spans: &[Span<'_>]| spans.iter().map(Span::width).sum::<usize>();
    let (left_width, right_width) = (wide(&left), wide(&right));
    let mut spans = left;
    if left_width + right_width <= width {
        spans.push(Span::raw(" ".repeat(width - left_width - right_width)));
        spans.extend(right);
    }
    Line::from(spans)
}

/// A text of plain words on at most so many rows of a width, with `…` where it goes on.
fn wrapped_within<'a>(text: &str, width: usize, most: usize, style: Style) -> Vec<Line<'a>> {
    let mut rows = wrap::rows(text, width);
    if rows.len() > most && most > 0 {
        rows.truncate(most);
        rows[most - 1].end = text.len();
    }
    rows.into_iter()
        .map(|row| Line::styled(wrap::fit(text[row].trim_end(), width), style))
        .collect()
}

/// A text of plain words, wrapped to a width.
fn wrapped<'a>(text: &str, width: usize, style: Style) -> Vec<Line<'a>> {
    wrap::rows(text, width)
        .into_iter()
        .map(|row| Line::styled(text[row].trim_end().to_string(), style))
        .collect()
}
