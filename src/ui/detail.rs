//! The detail pane: the entry before and after. Only the rows in view are laid out.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::number::{change, grouped};
use super::theme::Theme;
use super::{pane, row};
use crate::app::detail::{Line as Shown, Token, Tone};
use crate::app::model::Model;
use crate::app::panes::{self, Pane};
use crate::app::wrap;
use crate::find::Finder;
use crate::sanitise;
use crate::session::Kind;

pub(super) fn draw(model: &Model, frame: &mut Frame<'_>, area: Rect, theme: Theme) {
    if area.is_empty() {
        return;
    }
    let width = usize::from(area.width.saturating_sub(4));
    let block = pane(model, Pane::Detail, Line::from(wrap::fit(&title(model), width)), theme);
    let place = format!(" {}/{} ", model.detail.top.0 + 1, model.detail.lines.len());
    let place = if model.detail.lines.is_empty() { String::new() } else { place };
    frame.render_widget(block.title_bottom(Line::from(place).right_aligned()), area);
    let inside = panes::inside(area);
    let (width, height) = (usize::from(inside.width), usize::from(inside.height));
    for (at, line) in rows_in_view(model, width, height, theme).into_iter().enumerate() {
        row(frame, Rect { y: inside.y + at as u16, height: 1, ..inside }, &line);
    }
}

/// ` 14 · result · Read · toolu_014 · 3,412 → 74 chars −97.8 % `
fn title(model: &Model) -> String {
    let Some(index) = model.detail.entry else { return " nothing to show ".into() };
    let entry = model.entry(index);
    let mut parts = vec![(index + 1).to_string()];
    match &entry.kind {
        Kind::Text => parts.push(model.session.role_of(entry).name().into()),
        Kind::Notice { title } => parts.push(format!("notice: {title}")),
        Kind::Result { is_error: true, .. } => parts.push("result, an error".into()),
        kind => parts.push(kind.name().into()),
    }
    parts.extend(model.session.tool_of(entry).map(str::to_string));
    if let Some(decision) = model.plan.as_ref().and_then(|plan| plan.decisions.get(index))
        && decision.is_changed()
    {
        let (before, after) = (entry.chars, decision.chars);
        let sizes = format!("{} → {} chars", grouped(before), grouped(after));
        parts.push(format!("{sizes} {}", change(before, after)));
    } else {
        parts.push(format!("{} chars", grouped(entry.chars)));
    }
    parts.push(format!("line {}", entry.line));
    if let Kind::Call { id, .. } | Kind::Result { id, .. } = &entry.kind {
        parts.push(id.to_string());
    }
    format!(" {} ", sanitise::line(&parts.join(" · ")))
}

fn rows_in_view<'a>(model: &Model, width: usize, height: usize, theme: Theme) -> Vec<Line<'a>> {
    let detail = &model.detail;
    let (first, mut skipped) = detail.top;
    let pattern = &model.search.pattern;
    let finder = (!pattern.is_empty()).then(|| Finder::new(pattern));
    let mut rows = Vec::with_capacity(height);
    for line in detail.lines.iter().skip(first) {
        let text = line.text();
        let spans = spans_of(model, line, &text);
        let hits = finder.as_ref().map_or_else(Vec::new, |finder| finder.hits(&text));
        let ranges = if detail.wrap {
            wrap::rows(&text, width)
        } else {
            vec![wrap::window(&text, detail.left, width)]
        };
        for range in ranges.into_iter().skip(std::mem::take(&mut skipped)) {
            if rows.len() >= height {
                return rows;
            }
            rows.push(styled(&text, range, (&spans, &hits), line.tone, theme));
        }
    }
    rows
}

/// The colours of a line: those of its text where it is kept and they have come.
fn spans_of(model: &Model, line: &Shown, text: &str) -> Vec<(usize, Token)> {
    let coloured = (line.tone == Tone::Kept)
        .then_some(model.detail.highlighting.as_ref())
        .flatten()
        .and_then(|lines| lines.get(line.source));
    coloured.cloned().unwrap_or_else(|| vec![(text.len(), Token::Plain)])
}

/// A part of a line, in the styles of its spans and of its tone; search hits stand out.
fn styled<'a>(
    text: &str,
    range: std::ops::Range<usize>,
    (spans, hits): (&[(usize, Token)], &[std::ops::Range<usize>]),
    tone: Tone,
    theme: Theme,
) -> Line<'a> {
    let mut cuts = Vec::new();
    let mut start = 0;
    for &(length, token) in spans.iter().chain([&(text.len(), Token::Plain)]) {
        let end = (start + length).min(text.len());
        let style = theme.tone(tone).patch(theme.token(token));
        let (from, to) = (start.max(range.start), end.min(range.end));
        if from < to && text.is_char_boundary(from) && text.is_char_boundary(to) {
            cuts.push((from..to, style));
        }
        start = end;
    }
    let mut line = Line::default();
    for (part, style) in cuts {
        push_with_hits(&mut line, text, part, style, hits, theme);
    }
    line
}

fn push_with_hits(
    line: &mut Line<'_>,
    text: &str,
    part: std::ops::Range<usize>,
    style: ratatui::style::Style,
    hits: &[std::ops::Range<usize>],
    theme: Theme,
) {
    let mut from = part.start;
    for hit in hits.iter().filter(|hit| hit.start < part.end && hit.end > part.start) {
        let (start, end) = (hit.start.max(from), hit.end.min(part.end));
        if from < start {
            line.push_span(Span::styled(text[from..start].to_string(), style));
        }
        if start < end {
            line.push_span(Span::styled(text[start..end].to_string(), style.patch(theme.found())));
            from = end;
        }
    }
    if from < part.end {
        line.push_span(Span::styled(text[from..part.end].to_string(), style));
    }
}
