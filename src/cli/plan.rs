//! `plan FILE`: what becomes of every entry, as a table or as JSON.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::ArgMatches;
use serde_json::{Map, Value, json};

use super::counting::count;
use super::judging::{self, Asked};
use super::open::{self, Opened};
use crate::app::counts::{self, Counts, TokenSums};
use crate::app::wrap;
use crate::compact::plan::{Decision, Known, Outcome, Plan, Stage, plan};
use crate::compact::settings::SETTINGS;
use crate::compact::tool_calls::Recovery;
use crate::compact::{Features, Pins};
use crate::disk::RealDisk;
use crate::sanitise;
use crate::session::{FaultKind, Kind};
use crate::tokens::Method;
use crate::ui::{change, grouped};

pub fn run(matches: &ArgMatches) -> Result<ExitCode> {
    print(matches, matches.get_flag("json"))
}

/// Decides the session and prints the plan. Exit status 1 when its own check refused it.
pub fn print(matches: &ArgMatches, as_json: bool) -> Result<ExitCode> {
    let opened = open::open(matches)?;
    let session = &opened.session;
    let features = Features::new(session);
    let method = open::method(matches);
    let mut counts = Counts::default();
    count(session, counts::contents(session), method, &mut counts);
    let Asked { judgement, warnings } = judging::ask(&opened, &features);
    let answers = judgement.as_ref().map(|judgement| &judgement.answers);
    let known = Known { disk: &RealDisk::new(), tokens: counts.contents(), answers };
    let plan = plan(session, &features, &opened.settings, &Pins::new(), &known);
    count(session, counts::pieces(session, &plan), method, &mut counts);
    let report = Report { counts, method, plan, opened: &opened, warnings };
    let text =
        if as_json { sanitise::json(&report.json().to_string()) + "\n" } else { report.table() };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::from(u8::from(!report.plan.is_verified())))
}

struct Report<'a> {
    opened: &'a Opened,
    plan: Plan,
    counts: Counts,
    method: Method,
    /// What went wrong in asking a judge.
    warnings: Vec<String>,
}

impl Report<'_> {
    fn sums(&self) -> TokenSums {
        self.counts.sums(&self.opened.session, &self.plan)
    }

    /// The shape `compactscope.plan/1`; indexes count from 0, sizes are `[before, after]`.
    fn json(&self) -> Value {
        let Opened { session, settings, .. } = self.opened;
        let plan = &self.plan;
        let stages: Vec<Value> = Stage::ALL
            .into_iter()
            .map(|stage| {
                let report = plan.stage(stage);
                json!({"stage": stage.name(), "entries": report.entries, "chars": report.chars})
            })
            .collect();
        let outcomes: Map<String, Value> = Outcome::ALL
            .into_iter()
            .map(|outcome| (outcome.name().to_string(), json!(plan.count(outcome))))
            .collect();
        let named: Map<String, Value> =
            SETTINGS.iter().map(|it| (it.name.to_string(), it.json(settings))).collect();
        let violation = |found: &crate::compact::plan::Violation| json!({"entry": found.entry, "what": found.what});
        json!({
            "schema": "compactscope.plan/1",
            "session": {
                "path": session.source.label,
                "format": session.format.name(),
                "messages": session.messages.len(),
                "calls": session.calls(),
                "repaired": session.faults_of(FaultKind::Repaired),
                "skipped": session.faults_of(FaultKind::Skipped),
                "records": session.records,
            },
            "settings": named,
            "stages": stages,
            "totals": {
                "chars": plan.chars,
                "tokens": self.sums().tokens,
                "token_count_method": self.method.name(),
                "budget_chars": plan.budget,
                "outcomes": outcomes,
            },
            "warnings": self.warnings,
            "verified": plan.is_verified(),
            "violations": plan.violations.iter().map(violation).collect::<Vec<_>>(),
            "input_faults": plan.input_faults.iter().map(violation).collect::<Vec<_>>(),
            "entries": (0..session.entries.len()).map(|index| self.entry(index)).collect::<Vec<_>>(),
        })
    }

    fn entry(&self, index: usize) -> Value {
        let session = &self.opened.session;
        let entry = &session.entries[index];
        let decision = &self.plan.decisions[index];
        let stages: Vec<Value> = decision
            .steps
            .iter()
            .map(|step| {
                json!({
                    "stage": step.stage.name(),
                    "outcome": step.stage.outcome().name(),
                    "reason": step.reason,
                    "chars": step.removed,
                })
            })
            .collect();
        let call_id = match &entry.kind {
            Kind::Call { id, .. } | Kind::Result { id, .. } => Some(&**id),
            _ => None,
        };
        let mut row = json!({
            "entry": index,
            "message": entry.message,
            "line": entry.line,
            "kind": entry.kind.name(),
            "role": session.role_of(entry).name(),
            "tool": session.tool_of(entry),
            "call_id": call_id,
            "outcome": decision.outcome.name(),
            "stages": stages,
            "score": decision.score.map(|score| score.candidate),
            "similarity": decision.similarity,
            "target": decision.target,
            "recover": decision.recovery.as_ref().map(recover),
            "chars": [entry.chars, decision.chars],
            "tokens": self.counts.of(index, entry, decision).tokens,
        });
        if decision.steps.is_empty() {
            row["reason"] = json!(decision.kept_reason);
        }
        row
    }

    fn table(&self) -> String {
        let session = &self.opened.session;
        let mut lines = self.heading();
        lines.push(String::new());
        lines.push(format!("{:<8} {:>8} {:>12}", "stage", "entries", "chars"));
        lines.extend(Stage::ALL.into_iter().map(|stage| {
            let report = self.plan.stage(stage);
            let chars = grouped(report.chars);
            format!("{:<8} {:>8} {chars:>12}", stage.name(), grouped(report.entries))
        }));
        lines.push(String::new());
        let head = ("entry", "line", "outcome", "kind", "who", "chars", "reason");
        lines.push(format!(
            "{:>5} {:>6}  {:<8} {:<8} {:<16} {:>17}  {:<27} text",
            head.0, head.1, head.2, head.3, head.4, head.5, head.6
        ));
        lines.extend((0..session.entries.len()).map(|index| self.row(index)));
        lines.join("\n") + "\n"
    }

    fn heading(&self) -> Vec<String> {
        let Opened { session, said, .. } = self.opened;
        let plan = &self.plan;
        let [before, after] = plan.chars;
        let tokens = self.sums().tokens;
        let verdict = match plan.violations.first() {
            None => "verified".to_string(),
            Some(found) => format!("NOT VERIFIED: {} ({})", found.what, plan.violations.len()),
        };
        let mut lines = vec![
            format!(
                "{} · {} · {} messages · {} calls · {} repaired, {} skipped",
                sanitise::line(&session.source.label),
                session.format.title(),
                grouped(session.messages.len()),
                grouped(session.calls()),
                session.faults_of(FaultKind::Repaired),
                session.faults_of(FaultKind::Skipped),
            ),
            format!(
                "{} → {} chars {} · {} → {} tokens ({}) · {verdict}",
                grouped(before),
                grouped(after),
                change(before, after),
                grouped(tokens[0]),
                grouped(tokens[1]),
                self.method.name(),
            ),
        ];
        lines.extend(plan.budget.map(|budget| {
            let over = after.saturating_sub(budget);
            let met = match over {
                0 => "met".to_string(),
                _ => format!("not met by {} chars: the rest is protected", grouped(over)),
            };
            format!("budget {} chars: {met}", grouped(budget))
        }));
        lines.extend(said.clone());
        lines.extend(session.faults.iter().map(|fault| {
            let kind = match fault.kind {
                FaultKind::Repaired => "repaired",
                FaultKind::Skipped => "skipped",
            };
            format!("line {} {kind}: {}", fault.line, sanitise::line(&fault.note))
        }));
        lines
    }

    fn row(&self, index: usize) -> String {
        let session = &self.opened.session;
        let entry = &session.entries[index];
        let decision = &self.plan.decisions[index];
        let who = session.tool_of(entry).unwrap_or_else(|| session.role_of(entry).name());
        let text = sanitise::preview(&entry.content, 40);
        let row = format!(
            "{:>5} {:>6}  {:<8} {:<8} {:<16} {:>17}  {:<27} {text}",
            index + 1,
            entry.line,
            decision.outcome.name(),
            entry.kind.name(),
            wrap::fit(&sanitise::line(who), 16),
            sizes(entry.chars, decision),
            decision.reason(),
        );
        row.trim_end().to_string()
    }
}

/// Where what a pointer replaced can be had again.
fn recover(recovery: &Recovery) -> Value {
    match recovery {
        Recovery::File { path, cwd, lines, disk } => json!({
            "kind": "file",
            "path": path,
            "cwd": cwd,
            "lines": lines,
            "check": if disk.is_some() { "disk" } else { "transcript_proxy" },
        }),
        Recovery::Command { command, cwd, check } => {
            json!({"kind": "command", "command": command, "cwd": cwd, "check": check})
        }
        Recovery::Stash { sha256, tokens, bytes } => {
            json!({"kind": "stash", "sha256": sha256, "tokens": tokens, "bytes": bytes})
        }
    }
}

fn sizes(before: usize, decision: &Decision) -> String {
    if decision.is_changed() {
        format!("{} → {}", grouped(before), grouped(decision.chars))
    } else {
        grouped(before)
    }
}
