//! `measure FILE…`: what every mode would do to a session, in counts that are safe to paste.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::ArgMatches;
use serde_json::{Value, json};

use super::counting::count;
use super::{exit_status, open, tell};
use crate::app::counts::{self, Counts};
use crate::compact::plan::{Known, Outcome, Output, Plan, plan};
use crate::compact::settings::{Budget, Provider, RulesMode, Settings};
use crate::compact::{Features, Pins};
use crate::disk::RealDisk;
use crate::session::{Kind, Session};
use crate::tokens::Method;
use crate::ui::grouped;

/// What is measured, by the name that the table gives it.
const MODES: [(&str, Provider, RulesMode); 5] = [
    ("rules lossless", Provider::Rules, RulesMode::Lossless),
    ("rules recoverable", Provider::Rules, RulesMode::Recoverable),
    ("rules stashed", Provider::Rules, RulesMode::Stashed),
    ("rules lossy", Provider::Rules, RulesMode::Lossy),
    ("auto", Provider::Auto, RulesMode::Lossless),
];

const COUNTS_ONLY: &str = "The tool-call pass alone, without a budget. Counts only: no text, path or tool output of the\nsession is in this.";

/// Prints one table a session, and of several a total. Nothing is stored, sent or written. A file
/// that cannot be read is reported and left out.
pub fn run(matches: &ArgMatches) -> Result<ExitCode> {
    open::check_flags(matches)?;
    let method = open::method(matches);
    let labels: Vec<&String> = matches.get_many("file").into_iter().flatten().collect();
    let mut measured = Vec::new();
    let mut left_out = None;
    for label in &labels {
        match open::open_named(matches, label) {
            Ok(opened) => {
                measured.push(Measured::of(&opened.session, &opened.settings, method));
                if labels.len() > 1 {
                    // Standard error alone: a file's name is not safe to paste.
                    tell(&format!("session {} is {label}", measured.len()));
                }
            }
            Err(error) => {
                tell(&format!("{error:#}"));
                left_out = left_out.max(Some(exit_status(&error)));
            }
        }
    }
    if measured.is_empty() {
        return Ok(ExitCode::from(left_out.unwrap_or(0)));
    }
    let text = if matches.get_flag("json") {
        json(&measured, method).to_string() + "\n"
    } else {
        table(&measured, method, matches.get_flag("markdown"))
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    let refused = measured.iter().flat_map(|it| &it.rows).any(|row| !row.verified);
    Ok(ExitCode::from(left_out.unwrap_or(u8::from(refused))))
}

/// A session in numbers, or several of them added up.
#[derive(Clone)]
struct Measured {
    messages: usize,
    calls: usize,
    texts: usize,
    tokens: usize,
    /// Reading it once for all modes, file and counting apart.
    prepared: Duration,
    rows: Vec<Row>,
}

/// What one mode did.
#[derive(Clone)]
struct Row {
    mode: &'static str,
    tokens: usize,
    texts: usize,
    outcomes: [usize; 6],
    verified: bool,
    took: Duration,
}

impl Measured {
    fn of(session: &Session, settings: &Settings, method: Method) -> Measured {
        let begun = Instant::now();
        let features = Features::new(session);
        let prepared = begun.elapsed();
        let mut counts = Counts::default();
        count(session, counts::contents(session), method, &mut counts);
        let disk = RealDisk::new();
        let rows = MODES.map(|(mode, provider, rules_mode)| {
            let settings = Settings {
                provider,
                rules_mode,
                tool_pass: true,
                budget_chars: Budget::Off,
                ..settings.clone()
            };
            let known = Known { disk: &disk, tokens: counts.contents(), answers: None };
            let begun = Instant::now();
            let plan = plan(session, &features, &settings, &Pins::new(), &known);
            let took = begun.elapsed();
            count(session, counts::pieces(session, &plan), method, &mut counts);
            Row::of(session, mode, &plan, &counts, took)
        });
        Measured {
            messages: session.messages.len(),
            calls: session.calls(),
            texts: session.texts().count(),
            tokens: counts.contents().iter().flatten().map(|&tokens| tokens as usize).sum(),
            prepared,
            rows: rows.into(),
        }
    }

    /// All of them added up; `None` where there are not several.
    fn total(measured: &[Measured]) -> Option<Measured> {
        let [first, others @ ..] = measured else { return None };
        let add = |sum: Measured, it: &Measured| Measured {
            messages: sum.messages + it.messages,
            calls: sum.calls + it.calls,
            texts: sum.texts + it.texts,
            tokens: sum.tokens + it.tokens,
            prepared: sum.prepared + it.prepared,
            rows: sum.rows.iter().zip(&it.rows).map(|(sum, row)| sum.plus(row)).collect(),
        };
        (!others.is_empty()).then(|| others.iter().fold(first.clone(), add))
    }
}

impl Row {
    fn of(
        session: &Session,
        mode: &'static str,
        plan: &Plan,
        counts: &Counts,
        took: Duration,
    ) -> Row {
        let entries = session.entries.iter().zip(&plan.decisions);
        let kept = entries.filter(|(entry, decision)| {
            entry.kind == Kind::Text && decision.output == Output::Whole
        });
        Row {
            mode,
            tokens: counts.sums(session, plan).tokens[1],
            texts: kept.count(),
            outcomes: plan.outcomes,
            verified: plan.is_verified(),
            took,
        }
    }

    fn plus(&self, row: &Row) -> Row {
        Row {
            mode: self.mode,
            tokens: self.tokens + row.tokens,
            texts: self.texts + row.texts,
            outcomes: std::array::from_fn(|at| self.outcomes[at] + row.outcomes[at]),
            verified: self.verified && row.verified,
            took: self.took + row.took,
        }
    }

    fn count(&self, outcome: Outcome) -> usize {
        self.outcomes[outcome as usize]
    }
}

fn json(measured: &[Measured], method: Method) -> Value {
    let row = |session: &Measured, row: &Row| {
        json!({
            "mode": row.mode,
            "tokens": [session.tokens, row.tokens],
            "reduction": reduction(session, row),
            "texts_kept": row.texts,
            "deduped": row.count(Outcome::Deduped),
            "pointers": row.count(Outcome::Pointer),
            "trimmed": row.count(Outcome::Trimmed),
            "dropped": row.count(Outcome::Dropped),
            "verified": row.verified,
            "ms": milliseconds(row.took),
        })
    };
    let session = |it: &Measured| {
        json!({
            "messages": it.messages,
            "calls": it.calls,
            "texts": it.texts,
            "prepare_ms": milliseconds(it.prepared),
            "modes": it.rows.iter().map(|of| row(it, of)).collect::<Vec<_>>(),
        })
    };
    let total = Measured::total(measured);
    json!({
        "schema": "compactscope.measure/1",
        "version": env!("CARGO_PKG_VERSION"),
        "platform": platform(),
        "token_count_method": method.name(),
        "sessions": measured.iter().map(session).collect::<Vec<_>>(),
        "total": total.as_ref().map(session),
    })
}

const HEAD: [&str; 10] = [
    "mode",
    "tokens",
    "saved",
    "texts kept",
    "deduped",
    "pointers",
    "trimmed",
    "dropped",
    "check",
    "time",
];

fn table(measured: &[Measured], method: Method, markdown: bool) -> String {
    let mut lines = vec![format!(
        "compactscope {} measure · {} · tokens counted by {}",
        env!("CARGO_PKG_VERSION"),
        platform(),
        method.name()
    )];
    let total = Measured::total(measured);
    let one =
        |number| if total.is_some() { format!("Session {}", number + 1) } else { "Session".into() };
    let named = measured.iter().enumerate().map(|(number, session)| (one(number), session));
    for (name, session) in named.chain(total.iter().map(|total| ("Total".into(), total))) {
        lines.push(String::new());
        lines.push(heading(session, &name));
        lines.push(String::new());
        let rows = session.rows.iter().map(|row| cells(session, row)).collect::<Vec<_>>();
        lines.extend(if markdown { markdown_rows(&rows) } else { aligned_rows(&rows) });
    }
    lines.push(String::new());
    lines.push(COUNTS_ONLY.into());
    lines.join("\n") + "\n"
}

fn heading(session: &Measured, name: &str) -> String {
    format!(
        "{name}: {} messages, {} calls, {} texts, {} tokens; prepared in {}",
        grouped(session.messages),
        grouped(session.calls),
        grouped(session.texts),
        grouped(session.tokens),
        time(session.prepared),
    )
}

fn cells(session: &Measured, row: &Row) -> [String; 10] {
    [
        row.mode.into(),
        grouped(row.tokens),
        format!("{:.1} %", 100.0 * reduction(session, row)),
        format!("{}/{}", grouped(row.texts), grouped(session.texts)),
        grouped(row.count(Outcome::Deduped)),
        grouped(row.count(Outcome::Pointer)),
        grouped(row.count(Outcome::Trimmed)),
        grouped(row.count(Outcome::Dropped)),
        if row.verified { "verified" } else { "FAILED" }.into(),
        time(row.took),
    ]
}

fn markdown_rows(rows: &[[String; 10]]) -> Vec<String> {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let rule = HEAD.map(|name| if name == "mode" { "---" } else { "---:" }.to_owned());
    let heads = [HEAD.map(str::to_owned), rule];
    heads.iter().chain(rows).map(|cells| line(cells)).collect()
}

fn aligned_rows(rows: &[[String; 10]]) -> Vec<String> {
    let head = HEAD.map(str::to_owned);
    let all: Vec<&[String; 10]> = std::iter::once(&head).chain(rows).collect();
    let width = |column: usize| all.iter().map(|cells| cells[column].chars().count()).max();
    let widths: Vec<usize> = (0..HEAD.len()).map(|column| width(column).unwrap_or(0)).collect();
    let line = |cells: &[String; 10]| {
        let rest =
            cells.iter().zip(&widths).skip(1).map(|(cell, &width)| format!("  {cell:>width$}"));
        format!("{:<width$}{}", cells[0], rest.collect::<String>(), width = widths[0])
    };
    all.into_iter().map(line).collect()
}

/// The share of tokens that went, 0 to 1.
fn reduction(session: &Measured, row: &Row) -> f64 {
    if session.tokens == 0 { 0.0 } else { 1.0 - row.tokens as f64 / session.tokens as f64 }
}

fn time(took: Duration) -> String {
    format!("{:.1} ms", took.as_secs_f64() * 1000.0)
}

fn milliseconds(took: Duration) -> f64 {
    (took.as_secs_f64() * 10_000.0).round() / 10.0
}

fn platform() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}
