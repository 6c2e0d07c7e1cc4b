//! The why pane: what was decided about the entry, by which stage, and the numbers behind it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::number::grouped;
use super::theme::{Theme, glyph};
use super::{pane, reasons, row, wrapped};
use crate::app::model::Model;
use crate::app::panes::{self, Pane};
use crate::compact::messages::role_weight;
use crate::compact::plan::{Decision, Outcome, Score};
use crate::compact::tool_calls::{PROGRAM, Recoverability, Recovery};
use crate::sanitise;

pub(super) fn draw(model: &Model, frame: &mut Frame<'_>, area: Rect, theme: Theme) {
    if area.is_empty() {
        return;
    }
    let inside = panes::inside(area);
    let lines = explain(model, usize::from(inside.width), theme);
    let last_top = lines.len().saturating_sub(usize::from(inside.height));
    let top = model.why_top.min(last_top);
    let more = if top < last_top { " more ↓ " } else { "" };
    let block = pane(model, Pane::Why, Line::from(" why "), theme);
    frame.render_widget(block.title_bottom(Line::from(more).right_aligned()), area);
    for (line, y) in lines.iter().skip(top).zip(inside.top()..inside.bottom()) {
        row(frame, Rect { y, height: 1, ..inside }, line);
    }
}

fn explain<'a>(model: &Model, width: usize, theme: Theme) -> Vec<Line<'a>> {
    let Some(index) = model.current() else { return Vec::new() };
    let decision = model.plan.as_ref().and_then(|plan| plan.decisions.get(index));
    let Some(decision) = decision else {
        return vec![Line::styled("deciding…", theme.quiet())];
    };
    if !model.entry(index).kind.is_decided() && decision.steps.is_empty() {
        let kind = model.entry(index).kind.name();
        let what = format!("{kind}: shown as it stands, its characters are not counted.");
        return wrapped(&what, width, theme.quiet());
    }
    let mut lines = vec![headline(decision, theme)];
    lines.extend(recovery(model, index, decision, width, theme));
    lines.extend(wrapped(
        &reasons::words(decision.reason(), &model.settings),
        width,
        Default::default(),
    ));
    lines.extend(target(model, decision, width, theme));
    lines.extend(trail(model, decision, width, theme));
    if let Some(score) = decision.score {
        lines.extend(wrapped(&score_line(model, index, score), width, theme.quiet()));
    }
    lines.extend(broken(model, index, theme));
    lines
}

/// `~ trimmed · cut_sentence`
fn headline<'a>(decision: &Decision, theme: Theme) -> Line<'a> {
    let outcome = decision.outcome;
    Line::from(vec![
        Span::styled(
            format!("{} {}", glyph(outcome), outcome.name()).trim_start().to_string(),
            theme.minimap(outcome).patch(theme.strong()),
        ),
        Span::styled(format!(" · {}", decision.reason()), theme.quiet()),
    ])
}

/// What it duplicates or points to, and the key that goes there.
fn target<'a>(model: &Model, decision: &Decision, width: usize, theme: Theme) -> Vec<Line<'a>> {
    let Some(target) = decision.target else { return Vec::new() };
    let mut text = match (decision.similarity, decision.target_lines) {
        (Some(similarity), _) => {
            let threshold = model.settings.duplicate_threshold;
            format!("Similarity {similarity:.3} ≥ {threshold} with entry {}", target + 1)
        }
        (None, Some((first, last))) => {
            format!("Lines {first} to {last} of entry {}", target + 1)
        }
        (None, None) if decision.outcome == Outcome::Dropped => {
            format!("Superseded by entry {}", target + 1)
        }
        (None, None) => format!("The same output as entry {}", target + 1),
    };
    text.push_str("; o goes there, ^o comes back.");
    wrapped(&text, width, theme.key())
}

/// Where what its pointer replaced can be had again, and whether that is so right now.
fn recovery<'a>(
    model: &Model,
    index: usize,
    decision: &Decision,
    width: usize,
    theme: Theme,
) -> Vec<Line<'a>> {
    let Some(recovery) = &decision.recovery else { return Vec::new() };
    let now = model.recovery.as_ref().filter(|looked| looked.entry == index);
    let stashed = matches!(recovery, Recovery::Stash { .. });
    let (words, style) = match now.and_then(|looked| looked.now) {
        None => ("checking…", theme.quiet()),
        Some(Recoverability::Same) if stashed => ("yes, it is stored there", theme.good()),
        Some(Recoverability::Same) => ("yes, it is the same", theme.good()),
        Some(Recoverability::Changed) if stashed => ("no, what is stored is damaged", theme.bad()),
        Some(Recoverability::Changed) => ("no, it has changed", theme.bad()),
        Some(Recoverability::Missing) if stashed => {
            ("once it is stored; a preview stores nothing", theme.found())
        }
        Some(Recoverability::Missing) => ("no, it is missing", theme.bad()),
        Some(Recoverability::Untried) => ("not tried: no command is run here", theme.quiet()),
    };
    let mut lines = wrapped(&format!("Recoverable now: {words}."), width, style);
    lines.extend(wrapped(&source_of(recovery), width, theme.key()));
    lines
}

fn source_of(recovery: &Recovery) -> String {
    let within = |cwd: &Option<String>| match cwd {
        Some(cwd) => format!(" in {}", sanitise::line(cwd)),
        None => String::new(),
    };
    match recovery {
        Recovery::File { path, cwd, lines, disk } => {
            let lines = lines.map_or("All".into(), |(a, b)| format!("Lines {a} to {b}"));
            let by =
                if disk.is_some() { "compared with the disk" } else { "by what the session says" };
            format!("{lines} of {}{}, {by}.", sanitise::line(path), within(cwd))
        }
        Recovery::Command { command, cwd, .. } => {
            format!("The output of `{}`{}.", sanitise::line(command), within(cwd))
        }
        Recovery::Stash { sha256, tokens, .. } => {
            let id = &sha256[..12];
            format!("{} tokens in the stash: {PROGRAM} recall {id}", grouped(*tokens))
        }
    }
}

/// Every stage that had a say, when there is more than one or it took something away.
fn trail<'a>(model: &Model, decision: &Decision, width: usize, theme: Theme) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for step in &decision.steps {
        let removed = match step.removed {
            0 => String::new(),
            removed => format!("  −{} chars", grouped(removed)),
        };
        let text = format!("{:<7} {}{removed}", step.stage.name(), step.reason);
        lines.extend(wrapped(&text, width, theme.minimap(step.stage.outcome())));
        if Some(step) != decision.deciding_step() {
            let words = format!("        {}", reasons::words(&step.reason, &model.settings));
            lines.extend(wrapped(&words, width, theme.quiet()));
        }
    }
    lines
}

fn score_line(model: &Model, index: usize, score: Score) -> String {
    let role = model.session.role_of(model.entry(index));
    let mut text = format!(
        "Score {:.3} = 0.5 × recency {:.3} + 0.3 × {} {} + 0.2 × topic {:.3}",
        score.own,
        score.recency,
        role.name(),
        role_weight(role),
        score.overlap,
    );
    if score.candidate > score.own {
        text.push_str(&format!("; its pair counts as {:.3}", score.candidate));
    }
    text
}

/// What the checks found wrong with this entry.
fn broken<'a>(model: &Model, index: usize, theme: Theme) -> Vec<Line<'a>> {
    let Some(plan) = &model.plan else { return Vec::new() };
    let here = |found: &&crate::compact::plan::Violation| found.entry == Some(index);
    let violations = plan.violations.iter().filter(here);
    let faults = plan.input_faults.iter().filter(here);
    violations
        .map(|found| Line::styled(format!("✗ {}", found.what), theme.bad()))
        .chain(faults.map(|found| {
            Line::styled(format!("In the file already: {}", found.what), theme.found())
        }))
        .collect()
}
