//! Random settings and pins, and the world that a plan draws on.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use compactscope::compact::plan::{Known, Plan, inquiry, plan};
use compactscope::compact::settings::{Budget, Provider, RulesMode, Settings};
use compactscope::compact::tool_calls::{Answers, Course, Judge, JudgeRequest, Reply};
use compactscope::compact::{Features, Pins};
use compactscope::digest::sha256;
use compactscope::session::{Role, Session};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

use super::agent::{FILES, Machine, ROOT};
use super::memory_disk::MemoryDisk;
use super::sessions::Sample;

#[derive(Debug, Clone)]
pub struct Knobs {
    tools: ToolKnobs,
    budget: Budget,
    max_message_chars: usize,
    keep_last_n: usize,
    keep_roles: Vec<Role>,
    duplicate_threshold: f64,
    pins: Vec<Index>,
}

/// What the tool-call pass goes by.
#[derive(Debug, Clone)]
struct ToolKnobs {
    provider: Provider,
    rules_mode: RulesMode,
    /// `None` takes the session's own.
    question: Option<&'static str>,
    threshold: f64,
    trim_head_chars: usize,
    preserve_recent: usize,
    workspace_root: Option<&'static str>,
    allow_command_pointers: bool,
    /// What became of the files on the disk after the session.
    fates: Vec<Fate>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Stays,
    Changes,
    Goes,
}

fn tool_knobs() -> impl Strategy<Value = ToolKnobs> {
    let provider = prop_oneof![
        8 => Just(Provider::Rules),
        2 => select(vec![Provider::Jev, Provider::Laya]),
        1 => Just(Provider::Auto),
    ];
    let question = select(vec![None, None, Some("mend src/app.py"), Some("mend it")]);
    let fate = select(vec![Fate::Stays, Fate::Stays, Fate::Stays, Fate::Changes, Fate::Goes]);
    (
        provider,
        select(RulesMode::ALL.to_vec()),
        question,
        select(vec![0.0, 0.3, 0.5, 0.7, 1.0]),
        select(vec![0, 5, 40, 300]),
        0..6_usize,
        select(vec![None, Some(ROOT), Some(ROOT), Some("/srv/else")]),
        any::<bool>(),
        prop::collection::vec(fate, FILES.len()),
    )
        .prop_map(
            |(provider, rules_mode, question, threshold, head, recent, root, commands, fates)| {
                ToolKnobs {
                    provider,
                    rules_mode,
                    question,
                    threshold,
                    trim_head_chars: head,
                    preserve_recent: recent,
                    workspace_root: root,
                    allow_command_pointers: commands,
                    fates,
                }
            },
        )
}

pub fn knobs() -> impl Strategy<Value = Knobs> {
    let budget = prop_oneof![
        1 => Just(Budget::Off),
        5 => (0..=100_u32).prop_map(Budget::Percent),
        1 => (100..2000_usize).prop_map(Budget::Chars),
    ];
    let roles = select(vec![
        vec![],
        vec![Role::System],
        vec![Role::System],
        vec![Role::User],
        vec![Role::Tool],
        vec![Role::Assistant],
    ]);
    (
        tool_knobs(),
        budget,
        80..300_usize,
        0..6_usize,
        roles,
        select(vec![0.5, 0.6, 0.75, 0.9, 1.0]),
        prop::collection::vec(any::<Index>(), 0..3),
    )
        .prop_map(|(tools, budget, max_chars, keep_last_n, keep_roles, duplicate, pins)| {
            Knobs {
                tools,
                budget,
                max_message_chars: max_chars,
                keep_last_n,
                keep_roles,
                duplicate_threshold: duplicate,
                pins,
            }
        })
}

impl Knobs {
    pub fn settings(&self, session: &Session) -> Settings {
        let mut settings = match &session.request {
            Some(request) => Settings::for_request(request).unwrap(),
            None => Settings::for_session(session),
        };
        let tools = &self.tools;
        if let Some(question) = tools.question {
            settings.question = question.to_owned();
            settings.question_from = None;
        }
        Settings {
            provider: tools.provider,
            rules_mode: tools.rules_mode,
            threshold: tools.threshold,
            trim_head_chars: tools.trim_head_chars,
            preserve_recent: tools.preserve_recent,
            workspace_root: tools.workspace_root.map(Into::into),
            allow_command_pointers: tools.allow_command_pointers,
            budget_chars: self.budget,
            max_message_chars: self.max_message_chars,
            keep_last_n: self.keep_last_n,
            keep_roles: self.keep_roles.clone(),
            duplicate_threshold: self.duplicate_threshold,
            ..settings
        }
    }

    /// Decided entries, each with the other half of its pair, as the pin key takes them.
    pub fn pins(&self, session: &Session) -> Pins {
        let decided: Vec<usize> = (0..session.entries.len())
            .filter(|&entry| session.entries[entry].kind.is_decided())
            .collect();
        let chosen = self.pins.iter().filter(|_| !decided.is_empty());
        chosen
            .map(|pin| decided[pin.index(decided.len())])
            .flat_map(|entry| [Some(entry), session.entries[entry].kind.partner()])
            .flatten()
            .collect()
    }

    /// What the disk holds after a session on this machine.
    pub fn disk(&self, machine: &Machine) -> MemoryDisk {
        let mut disk = MemoryDisk::default();
        for (file, fate) in FILES.iter().zip(&self.tools.fates) {
            let path = format!("{ROOT}/{file}");
            match (fate, machine.text(&path)) {
                (Fate::Goes, _) | (_, None) => {}
                (Fate::Stays, Some(text)) => disk.write(&path, text),
                (Fate::Changes, Some(text)) => disk.write(&path, &format!("{text}!")),
            }
        }
        disk
    }
}

/// Says of every question what its own name says.
struct Oracle;

impl Judge for Oracle {
    fn ask(&self, request: &JudgeRequest) -> Reply {
        let probability = |question: &str| {
            f64::from(u8::from_str_radix(&sha256(question.as_bytes())[..2], 16).unwrap()) / 255.0
        };
        let answer = |id: &String| (id.clone(), json!({"noul": probability(id)}));
        let answers: Map<String, Value> = request.questions.keys().map(answer).collect();
        Reply { answer: Ok(json!({"answers": answers})), took: Duration::ZERO }
    }
}

fn answers(session: &Session, features: &Features, settings: &Settings, pins: &Pins) -> Answers {
    let inquiry = inquiry(session, features, settings, pins).unwrap();
    let course = Course { told: &|_, _| {}, stop: &AtomicBool::new(false) };
    inquiry.ask(&Oracle, 1, &course).answers
}

/// Decides a session whose features may have been found bit by bit.
pub fn decide_with(
    session: &Session,
    features: &Features,
    knobs: &Knobs,
    machine: &Machine,
) -> Plan {
    let (settings, pins) = (knobs.settings(session), knobs.pins(session));
    let answers =
        settings.provider.is_judge().then(|| answers(session, features, &settings, &pins));
    let disk = knobs.disk(machine);
    let known = Known { disk: &disk, tokens: &[], answers: answers.as_ref() };
    plan(session, features, &settings, &pins, &known)
}

pub fn decide(sample: &Sample, knobs: &Knobs) -> Plan {
    let features = Features::new(&sample.session);
    decide_with(&sample.session, &features, knobs, &sample.machine)
}
