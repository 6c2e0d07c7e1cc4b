//! The bar above: what the session is and what the plan makes of it.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::number::{change, counted_as, grouped, short, signed};
use super::theme::{Theme, glyph};
use super::{justified, row};
use crate::app::action::Watching;
use crate::app::counts::TokenSums;
use crate::app::model::Model;
use crate::app::wrap;
use crate::compact::plan::Outcome;
use crate::compact::settings::Provider;
use crate::sanitise;
use crate::session::FaultKind;

pub(super) fn draw(model: &Model, frame: &mut Frame<'_>, area: Rect, theme: Theme) {
    let width = usize::from(area.width);
    let mut lines = vec![justified(name(model, theme), difference(model, theme), width)];
    if area.height >= 2 {
        lines.push(second(model, width, theme));
    }
    if area.height >= 3 {
        let mut spans = gauge(model, if width < 100 { 10 } else { 24 }, theme);
        let taken: usize = spans.iter().map(Span::width).sum();
        spans.extend(counts(model, width.saturating_sub(taken), theme));
        lines.push(Line::from(spans));
    }
    for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
        row(frame, Rect { y, height: 1, ..area }, line);
    }
    draw_badge(model, frame, area, theme);
}

/// The badge on the right, over whatever else had no room: verified, or what failed.
fn draw_badge(model: &Model, frame: &mut Frame<'_>, area: Rect, theme: Theme) {
    let badge = verdict(model, theme);
    let width = u16::try_from(badge.width()).unwrap_or(u16::MAX).min(area.width);
    let place = Rect { x: area.right() - width, width, height: area.height.min(1), ..area };
    row(frame, place, &Line::from(badge));
}

/// File, format, live or still, and what was mended on the way in.
fn name<'a>(model: &Model, theme: Theme) -> Vec<Span<'a>> {
    let session = &model.session;
    let label = session.source.label.rsplit('/').next().unwrap_or_default();
    let label = wrap::fit(&sanitise::line(label), usize::from(model.size.0 / 3).max(8));
    let mut spans = vec![
        Span::raw(" "),
        Span::styled(label, theme.strong()),
        Span::raw(format!(" · {}", session.format.title())),
    ];
    let at_end = model.list.cursor() + 1 >= model.list.len();
    let state = match (model.watching, model.follow && at_end) {
        (Watching::Off, _) => None,
        (Watching::Live, true) => Some(" · ● live, following"),
        (Watching::Live, false) => Some(" · ● live"),
        (Watching::Removed, _) => Some(" · ○ file gone"),
        (Watching::Unreadable, _) => Some(" · ○ unreadable"),
    };
    spans.extend(state.map(|state| Span::styled(state, theme.good())));
    let (repaired, skipped) =
        (session.faults_of(FaultKind::Repaired), session.faults_of(FaultKind::Skipped));
    if repaired + skipped > 0 {
        let text = format!(" · {repaired} repaired, {skipped} skipped (R)");
        spans.push(Span::styled(text, theme.found()));
    }
    spans.push(Span::raw("  "));
    spans
}

/// What the plan comes to and who made it, in the longest form that there is room for: the sums
/// give way last.
fn second<'a>(model: &Model, width: usize, theme: Theme) -> Line<'a> {
    let whole = || sums(model, grouped, theme);
    let rounded = || sums(model, short, theme);
    let who = decider(model);
    let right = |text: String| vec![Span::styled(format!("  {text} "), theme.quiet())];
    let forms = [
        (whole(), right(format!("{who}{}", took(model)))),
        (whole(), right(who.clone())),
        (rounded(), right(who)),
        (whole(), Vec::new()),
    ];
    let wide = |spans: &[Span<'_>]| spans.iter().map(Span::width).sum::<usize>();
    let fits = |(left, right): &(Vec<Span<'_>>, Vec<Span<'_>>)| wide(left) + wide(right) <= width;
    let (left, right) = forms.into_iter().find(fits).unwrap_or_else(|| (rounded(), Vec::new()));
    justified(left, right, width)
}

/// Messages, calls, and characters and tokens before and after.
fn sums<'a>(model: &Model, written: fn(usize) -> String, theme: Theme) -> Vec<Span<'a>> {
    let session = &model.session;
    let counts = format!(
        " {} · {}  ",
        counted_as(session.messages.len(), "message", written),
        counted_as(session.calls(), "call", written)
    );
    let mut spans = vec![Span::styled(counts, theme.quiet())];
    let Some(plan) = &model.plan else { return spans };
    let [before, after] = plan.chars;
    spans.push(Span::styled(
        format!("{} → {} chars {}", written(before), written(after), change(before, after)),
        theme.strong(),
    ));
    let TokenSums { tokens, exact } = model.token_sums;
    let mark = if exact { "" } else { "≈" };
    spans.push(Span::raw(format!("  {mark}{} → {} tok", short(tokens[0]), short(tokens[1]))));
    spans
}

fn verdict<'a>(model: &Model, theme: Theme) -> Span<'a> {
    match &model.plan {
        None => Span::styled("deciding… ", theme.quiet()),
        Some(_) if model.is_slow => Span::styled("deciding… ", theme.found()),
        Some(plan) => match plan.violations.first() {
            None => Span::styled("✓ verified ", theme.good()),
            Some(broken) => {
                let more = plan.violations.len();
                Span::styled(format!("✗ not verified: {} ({more}) ", broken.what), theme.bad())
            }
        },
    }
}

/// The change against the plan before, with room for the badge after it.
fn difference<'a>(model: &Model, theme: Theme) -> Vec<Span<'a>> {
    let (Some(plan), Some(before)) = (&model.plan, model.before) else { return Vec::new() };
    if before.chars_after == plan.chars[1] {
        return Vec::new();
    }
    let text = format!("Δ {} chars  ", signed(before.chars_after, plan.chars[1]));
    let room = " ".repeat(verdict(model, theme).width());
    vec![Span::styled(text, theme.found()), Span::raw(room)]
}

/// The budget and how much of it is used; without one, how much of the session is kept.
fn gauge<'a>(model: &Model, cells: usize, theme: Theme) -> Vec<Span<'a>> {
    let Some(plan) = &model.plan else { return Vec::new() };
    let (label, of) = match plan.budget {
        Some(budget) => (format!(" budget {} ", grouped(budget)), budget),
        None => (" kept ".into(), plan.chars[0]),
    };
    let share = if of == 0 { 1.0 } else { plan.chars[1] as f64 / of as f64 };
    let over = plan.budget.map_or(0, |budget| plan.chars[1].saturating_sub(budget));
    let full = ((share * cells as f64).round() as usize).min(cells);
    let percent = match over {
        0 => format!("{:.0} % ", share * 100.0),
        _ => format!("over by {} ", grouped(over)),
    };
    let over = over > 0;
    vec![
        Span::raw(label),
        Span::styled("▕", theme.quiet()),
        Span::styled("█".repeat(full), if over { theme.found() } else { theme.gauge() }),
        Span::styled("░".repeat(cells - full), theme.quiet()),
        Span::styled("▏", theme.quiet()),
        Span::styled(percent, if over { theme.found() } else { theme.strong() }),
        Span::raw(" "),
    ]
}

/// Entries of each outcome, by word where there is room for that, else by glyph.
fn counts<'a>(model: &Model, room: usize, theme: Theme) -> Vec<Span<'a>> {
    let Some(plan) = &model.plan else { return Vec::new() };
    let counted = |by_word: bool| -> Vec<Span<'a>> {
        let outcomes = Outcome::ALL.into_iter().filter(|&outcome| plan.count(outcome) > 0);
        outcomes
            .map(|outcome| {
                let text =
                    format!(" {} {} ", label(outcome, by_word), grouped(plan.count(outcome)));
                Span::styled(text, theme.minimap(outcome))
            })
            .collect()
    };
    let words = counted(true);
    if words.iter().map(Span::width).sum::<usize>() <= room { words } else { counted(false) }
}

fn label(outcome: Outcome, by_word: bool) -> String {
    match (outcome, by_word) {
        (Outcome::Kept, _) => "kept".into(),
        (_, true) => format!("{} {}", glyph(outcome), outcome.name()),
        (_, false) => glyph(outcome).into(),
    }
}

/// Who decided.
fn decider(model: &Model) -> String {
    let settings = &model.settings;
    let mut text = match (settings.tool_pass, settings.provider) {
        (false, _) => "tool calls left alone".into(),
        (true, Provider::Rules) => format!("rules · {}", settings.rules_mode.name()),
        (true, provider) => provider.name().to_string(),
    };
    if model.judging.is_stale(settings) {
        text.push_str(" (asked another question; r asks again)");
    }
    text
}

/// The number of the plan, and how long it took.
fn took(model: &Model) -> String {
    let time = |took: Duration| format!(", {:.1} ms", took.as_secs_f64() * 1e3);
    format!(" · plan {}{}", model.landed, model.took.map(time).unwrap_or_default())
}
