//! What must hold of every plan, whatever session, settings and pins it is made of.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::read;
use compactscope::compact::plan::{Decision, Known, Outcome, Output, Plan, Stage, plan};
use compactscope::compact::settings::{Budget, Settings};
use compactscope::compact::{Features, Pins};
use compactscope::session::{Kind, Role, Session};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

// ---- sessions ----

/// One block of a message.
#[derive(Debug, Clone)]
enum Block {
    Text(String),
    /// The text of an earlier block again.
    Again(Index),
    Thinking,
    Image,
    Notice,
    /// A call; of its result: when it comes, if at all, and what it says.
    Call {
        answered: Answered,
        output: String,
        is_error: bool,
    },
    Orphan(String),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Answered {
    Never,
    Next,
    /// One message later.
    Later,
    /// Under the id of the call before.
    DuplicateId,
}

#[derive(Debug, Clone)]
struct Record {
    is_user: bool,
    blocks: Vec<Block>,
    /// Whether it belongs to the API message of the record before of its kind.
    continues: bool,
    side_chain: bool,
}

fn text() -> impl Strategy<Value = String> {
    let words = "weight table parcel rounding depot label scale été 会話 of it the";
    let ends = vec![" ", " ", " ", ". ", ".\n", "\n", "。", "?! "];
    let words: Vec<&str> = words.split(' ').collect();
    let text = prop::collection::vec((select(words), select(ends)), 1..40)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(word, end)| [word, end]).collect());
    let odd = vec![" ", "\n\n", "!", "x", "\u{a0}"];
    let padded =
        (40..130_usize, text_words()).prop_map(|(blank, words)| "\n".repeat(blank) + &words);
    prop_oneof![12 => text, 1 => select(odd).prop_map(String::from), 1 => padded]
}

fn text_words() -> impl Strategy<Value = String> {
    (1..60_usize).prop_map(|count| "late words ".repeat(count))
}

/// Outputs are few lines out of few, so that some are the same and some hold others.
fn output() -> impl Strategy<Value = String> {
    let line = select(vec![
        "test_weight_rounds_half_even ... ok",
        "test_labels_are_printed_once ... FAILED",
        "def weight(parcel): return round(parcel.raw, 2)",
        "    return scale.read() if scale else None",
        "",
        "7",
    ]);
    prop_oneof![
        5 => prop::collection::vec(line, 0..7).prop_map(|lines| lines.join("\n")),
        1 => text(),
    ]
}

fn call() -> impl Strategy<Value = Block> {
    use Answered::*;
    let answered = select(vec![Next, Next, Next, Next, Next, Later, Later, Never, DuplicateId]);
    (answered, output(), prop::bool::weighted(0.15))
        .prop_map(|(answered, output, is_error)| Block::Call { answered, output, is_error })
}

fn block(is_user: bool) -> BoxedStrategy<Block> {
    let again = || any::<Index>().prop_map(Block::Again);
    let text = || text().prop_map(Block::Text);
    if is_user {
        prop_oneof![
            6 => text(),
            2 => again(),
            1 => Just(Block::Image),
            1 => Just(Block::Notice),
            1 => output().prop_map(Block::Orphan),
            1 => Just(Block::Thinking),
        ]
        .boxed()
    } else {
        prop_oneof![
            4 => text(),
            2 => again(),
            3 => Just(Block::Thinking),
            7 => call(),
            1 => Just(Block::Image),
        ]
        .boxed()
    }
}

fn record() -> impl Strategy<Value = Record> {
    prop::bool::weighted(0.3).prop_flat_map(|is_user| {
        let blocks = prop::collection::vec(block(is_user), 1..4);
        (blocks, prop::bool::weighted(0.4), prop::bool::weighted(0.1)).prop_map(
            move |(blocks, continues, side_chain)| Record {
                is_user,
                blocks,
                continues,
                side_chain,
            },
        )
    })
}

/// What the records are written as.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    ClaudeCode,
    /// The document of a request to the API.
    Anthropic,
    /// A compact_transcript request.
    Transcript,
}

#[derive(Debug, Clone)]
struct Case {
    records: Vec<Record>,
    form: Form,
}

fn cases() -> impl Strategy<Value = Case> {
    use Form::*;
    let form = select(vec![ClaudeCode, ClaudeCode, ClaudeCode, Anthropic, Transcript]);
    (prop::collection::vec(record(), 1..22), form)
        .prop_map(|(records, form)| Case { records, form })
}

/// A message, the API message that it is a part of, and whether it is of a side chain.
type Written = (Value, Option<String>, bool);

/// Writes the records with their results between them.
#[derive(Default)]
struct Writer {
    messages: Vec<Written>,
    texts: Vec<String>,
    calls: usize,
    turns: usize,
    /// Results that are due in the next user message, and in the one after.
    due: [Vec<Value>; 2],
}

impl Writer {
    fn write(mut self, records: &[Record]) -> Vec<Written> {
        for record in records {
            let role = if record.is_user { "user" } else { "assistant" };
            let mut content = if record.is_user { self.take_due() } else { Vec::new() };
            for block in &record.blocks {
                content.push(self.block(block));
            }
            self.turns += usize::from(!record.continues);
            let turn = (!record.is_user).then(|| format!("m{}", self.turns));
            self.push(role, content, turn, record.side_chain);
            // What is due of parallel calls is told when their message is over.
            if !record.is_user && !record.continues && !self.due[0].is_empty() {
                let results = self.take_due();
                self.push("user", results, None, record.side_chain);
            }
        }
        for _ in 0..2 {
            let results = self.take_due();
            if !results.is_empty() {
                self.push("user", results, None, false);
            }
        }
        self.messages
    }

    fn push(&mut self, role: &str, content: Vec<Value>, turn: Option<String>, side_chain: bool) {
        let message = json!({"role": role, "content": content});
        self.messages.push((message, turn, side_chain));
    }

    fn take_due(&mut self) -> Vec<Value> {
        let [now, later] = std::mem::take(&mut self.due);
        self.due[0] = later;
        now
    }

    fn block(&mut self, block: &Block) -> Value {
        match block {
            Block::Text(text) => self.text(text.clone()),
            Block::Again(at) if self.texts.is_empty() => self.text(format!("first {at:?}")),
            Block::Again(at) => self.text(self.texts[at.index(self.texts.len())].clone()),
            Block::Thinking => json!({"type": "thinking", "thinking": "the table, or the scale?"}),
            Block::Image => json!({"type": "image", "source": {
                "type": "base64", "media_type": "image/png", "data": "aGVsbG8="
            }}),
            Block::Notice => json!({
                "type": "text",
                "text": "<local-command-stdout>be careful with scales</local-command-stdout>"
            }),
            Block::Orphan(output) => {
                json!({"type": "tool_result", "tool_use_id": "nobody", "content": output})
            }
            Block::Call { answered, output, is_error } => self.call(*answered, output, *is_error),
        }
    }

    fn text(&mut self, text: String) -> Value {
        self.texts.push(text.clone());
        json!({"type": "text", "text": text})
    }

    fn call(&mut self, answered: Answered, output: &str, is_error: bool) -> Value {
        self.calls += usize::from(answered != Answered::DuplicateId);
        let id = format!("c{}", self.calls);
        let result = json!({
            "type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error
        });
        match answered {
            Answered::Never => {}
            Answered::Later => self.due[1].push(result),
            Answered::Next | Answered::DuplicateId => self.due[0].push(result),
        }
        json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": output}})
    }
}

impl Case {
    fn bytes(&self) -> String {
        let written = Writer::default().write(&self.records);
        let messages = || written.iter().map(|(message, ..)| message);
        match self.form {
            Form::ClaudeCode => written.iter().enumerate().map(claude_code).collect(),
            Form::Anthropic => json!({
                "model": "m", "system": "Weigh parcels.", "max_tokens": 9,
                "messages": messages().collect::<Vec<_>>()
            })
            .to_string(),
            Form::Transcript => json!({
                "question": "which table?", "provider": "rules",
                "messages": messages().map(hook_shape).collect::<Vec<_>>()
            })
            .to_string(),
        }
    }

    fn session(&self) -> Session {
        read(self.bytes().as_bytes())
    }
}

/// A line of a session file.
fn claude_code((number, (message, turn, side_chain)): (usize, &Written)) -> String {
    let mut message = message.clone();
    if let Some(turn) = turn {
        message["id"] = json!(turn);
    }
    let record = json!({
        "type": message["role"], "uuid": format!("u{number}"), "sessionId": "s",
        "isSidechain": side_chain, "message": message
    });
    format!("{record}\n")
}

/// Text, calls and results beside each other; there is no place for anything else.
fn hook_shape(message: &Value) -> Value {
    let blocks = |kind: &str| -> Vec<Value> {
        let blocks = message["content"].as_array().unwrap().iter();
        blocks.filter(|block| block["type"] == kind).cloned().collect()
    };
    let texts = blocks("text");
    let texts: Vec<&str> = texts.iter().map(|text| text["text"].as_str().unwrap()).collect();
    json!({
        "role": message["role"], "text": texts.join("\n"),
        "toolUses": blocks("tool_use"), "toolResults": blocks("tool_result"),
    })
}

// ---- settings and pins ----

#[derive(Debug, Clone)]
struct Knobs {
    budget: Budget,
    max_message_chars: usize,
    keep_last_n: usize,
    keep_roles: Vec<Role>,
    duplicate_threshold: f64,
    preserve_recent: usize,
    pins: Vec<Index>,
}

fn knobs() -> impl Strategy<Value = Knobs> {
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
        budget,
        80..300_usize,
        0..6_usize,
        roles,
        select(vec![0.5, 0.6, 0.75, 0.9, 1.0]),
        0..6_usize,
        prop::collection::vec(any::<Index>(), 0..3),
    )
        .prop_map(
            |(
                budget,
                max_message_chars,
                keep_last_n,
                keep_roles,
                duplicate_threshold,
                preserve_recent,
                pins,
            )| Knobs {
                budget,
                max_message_chars,
                keep_last_n,
                keep_roles,
                duplicate_threshold,
                preserve_recent,
                pins,
            },
        )
}

impl Knobs {
    fn settings(&self, session: &Session) -> Settings {
        let defaults = match &session.request {
            Some(request) => Settings::for_request(request).unwrap(),
            None => Settings::for_session(session),
        };
        Settings {
            budget_chars: self.budget,
            max_message_chars: self.max_message_chars,
            keep_last_n: self.keep_last_n,
            keep_roles: self.keep_roles.clone(),
            duplicate_threshold: self.duplicate_threshold,
            preserve_recent: self.preserve_recent,
            ..defaults
        }
    }

    /// Decided entries, each with the other half of its pair, as the pin key takes them.
    fn pins(&self, session: &Session) -> Pins {
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
}

fn decide(session: &Session, knobs: &Knobs) -> Plan {
    let features = Features::new(session);
    plan(session, &features, &knobs.settings(session), &knobs.pins(session), &Known::NOTHING)
}

fn is_gone(decision: &Decision) -> bool {
    decision.output == Output::Gone
}

// ---- what must hold ----

/// Every decided entry comes out whole, as a beginning of itself, as a pointer to what holds it,
/// or not at all; its steps account for every character.
fn check_texts(session: &Session, plan: &Plan) {
    for (entry, decision) in session.entries.iter().zip(&plan.decisions) {
        let out = decision.output_of(&entry.content);
        match &decision.output {
            Output::Whole => assert_eq!(out, Some(&*entry.content)),
            Output::Prefix(_) => {
                assert!(out.unwrap().len() < entry.content.len());
                assert!(entry.content.starts_with(out.unwrap()));
                assert!(matches!(entry.kind, Kind::Text | Kind::Result { .. }));
            }
            Output::Note(note) => {
                assert!(note.chars().count() < entry.chars);
                assert!(matches!(entry.kind, Kind::Result { .. }));
            }
            Output::Ends { text, head, tail } => {
                assert!(text.chars().count() < entry.chars);
                assert!(entry.content.starts_with(&text[..*head]));
                assert!(entry.content.ends_with(&text[text.len() - tail..]));
                assert!(matches!(entry.kind, Kind::Result { .. }));
            }
            Output::Gone => assert_eq!(out, None),
        }
        if entry.kind.is_decided() {
            let removed: usize = decision.steps.iter().map(|step| step.removed).sum();
            let after = out.map_or(0, |out| out.chars().count());
            assert_eq!((after, entry.chars), (decision.chars, after + removed));
        }
    }
    let decided =
        || session.entries.iter().zip(&plan.decisions).filter(|(e, _)| e.kind.is_decided());
    let before: usize = decided().map(|(entry, _)| entry.chars).sum();
    let after: usize = decided().map(|(_, decision)| decision.chars).sum();
    let removed: usize = plan.stages.iter().map(|stage| stage.chars).sum();
    assert_eq!((plan.chars, before), ([before, after], after + removed));
}

fn check_outcomes(plan: &Plan) {
    for decision in &plan.decisions {
        let latest = decision.steps.iter().map(|step| step.stage.outcome()).max();
        assert_eq!(decision.outcome, latest.unwrap_or(Outcome::Kept));
        assert!(decision.steps.is_sorted_by_key(|step| step.stage));
    }
    let counted: usize = plan.outcomes.iter().sum();
    assert_eq!(counted, plan.decisions.len());
}

/// What the settings and pins protect, found out anew from the session, comes out whole; only
/// the tool-call pass may replace a protected result, unless a user pinned it.
fn check_protection(session: &Session, knobs: &Knobs, plan: &Plan) {
    let settings = knobs.settings(session);
    let pins = knobs.pins(session);
    for (index, entry) in session.entries.iter().enumerate() {
        if !entry.kind.is_decided() {
            continue;
        }
        let decision = &plan.decisions[index];
        if pins.contains(&index) {
            assert_eq!(decision.output, Output::Whole, "entry {index} is pinned");
        }
        let message = entry.message.unwrap();
        let from_end = session.messages.len() - message;
        let spared = from_end <= settings.keep_last_n && plan.budget.is_some()
            || message == 0
            || from_end <= settings.preserve_recent
            || plan.budget.is_some() && settings.keep_roles.contains(&session.role_of(entry))
            || plan.budget.is_some() && settings.question_from == Some(index);
        if spared {
            for half in [Some(index), entry.kind.partner()].into_iter().flatten() {
                let output = &plan.decisions[half].output;
                assert!(matches!(output, Output::Whole | Output::Note(_)), "entry {half}");
            }
        }
    }
}

fn check_pairs(session: &Session, plan: &Plan) {
    for (index, entry) in session.entries.iter().enumerate() {
        if let Some(partner) = entry.kind.partner() {
            let gone = [index, partner].map(|half| is_gone(&plan.decisions[half]));
            assert_eq!(gone[0], gone[1], "entries {index} and {partner}");
        }
    }
}

/// What a pointer names is there, whole and later; what a near duplicate names was there when it
/// went.
fn check_targets(session: &Session, plan: &Plan) {
    for (index, decision) in plan.decisions.iter().enumerate() {
        let Some(target) = decision.target else { continue };
        let kept = &plan.decisions[target];
        match &decision.output {
            Output::Note(note) => {
                let Kind::Result { id, .. } = &session.entries[target].kind else {
                    panic!("entry {target} is no result")
                };
                assert!(target > index && kept.output == Output::Whole);
                assert!(note.contains(&**id));
                let whole = &*session.entries[target].content;
                assert!(
                    decision.target_lines.is_none()
                        || whole.contains(&*session.entries[index].content)
                );
            }
            _ if decision.similarity.is_some() => {
                assert!(target < index && kept.similarity.is_none());
            }
            _ => assert!(is_gone(decision)),
        }
    }
}

/// Thinking goes exactly when all that was decided of its API message is gone, so that it is
/// never left alone.
fn check_messages(session: &Session, plan: &Plan) {
    let mut turns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for message in &session.messages {
        turns.entry(message.turn).or_default().extend(message.entries.clone());
    }
    for entries in turns.values() {
        let thinks = |&&entry: &&usize| session.entries[entry].kind == Kind::Thinking;
        let words = entries.iter().filter(|&&entry| session.entries[entry].kind.is_decided());
        let all_gone = words.clone().all(|&entry| is_gone(&plan.decisions[entry]));
        for thinking in entries.iter().filter(thinks) {
            let gone = is_gone(&plan.decisions[*thinking]);
            if words.clone().next().is_some() {
                assert_eq!(gone, all_gone, "thinking {thinking}");
            }
            let others = || entries.iter().filter(|entry| !thinks(entry));
            let others_left = others().any(|&entry| !is_gone(&plan.decisions[entry]));
            assert!(gone || others_left || others().next().is_none(), "thinking {thinking} alone");
        }
    }
}

fn check(session: &Session, knobs: &Knobs) -> Plan {
    let plan = decide(session, knobs);
    assert_eq!(plan.violations, [], "{:?}", trail(session, &plan));
    assert_eq!(plan.decisions.len(), session.entries.len());
    check_texts(session, &plan);
    check_outcomes(&plan);
    check_protection(session, knobs, &plan);
    check_pairs(session, &plan);
    check_targets(session, &plan);
    check_messages(session, &plan);
    plan
}

/// What became of each entry, for the message of a failure.
fn trail(session: &Session, plan: &Plan) -> Vec<String> {
    let rows = session.entries.iter().zip(&plan.decisions).enumerate();
    rows.map(|(index, (entry, decision))| {
        let steps: Vec<_> = decision.steps.iter().map(|step| &step.reason).collect();
        format!("{index} {:?} {} {steps:?}", entry.message, entry.kind.name())
    })
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_plan_keeps_the_rules(case in cases(), knobs in prop::collection::vec(knobs(), 1..4)) {
        let session = case.session();
        for knobs in &knobs {
            let plan = check(&session, knobs);
            prop_assert_eq!(&decide(&session, knobs), &plan, "the same again");
        }
    }

    #[test]
    fn a_session_that_grew_is_decided_as_if_it_had_been_there_at_once(
        case in cases(),
        knobs in knobs(),
        at in any::<Index>(),
    ) {
        let case = Case { form: Form::ClaudeCode, ..case };
        let bytes = case.bytes();
        let lines: Vec<&str> = bytes.split_inclusive('\n').collect();
        let part = read(lines[..1 + at.index(lines.len())].concat().as_bytes());
        let whole = read(bytes.as_bytes());
        let mut features = Features::new(&part);
        plan(&part, &features, &knobs.settings(&part), &Pins::new(), &Known::NOTHING);
        features.extend(&whole);
        let settings = knobs.settings(&whole);
        let grown = plan(&whole, &features, &settings, &knobs.pins(&whole), &Known::NOTHING);
        prop_assert_eq!(grown, decide(&whole, &knobs));
    }
}

// ---- what the cases reach ----

#[test]
fn the_generated_cases_reach_every_outcome_stage_and_reason() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..400 {
        let session = cases().new_tree(&mut runner).unwrap().current().session();
        let knobs = knobs().new_tree(&mut runner).unwrap().current();
        note_reached(&session, &decide(&session, &knobs), &mut seen);
    }
    let expected = [
        "an input fault",
        "a budget met",
        "a budget not met",
        "a dropped pair",
        "a pinned result that is a pointer",
        "a pointer whose target would have gone",
        "dedupe identical_output_kept_later",
        "dedupe near_duplicate",
        "dedupe output_lines_of_later",
        "drop message_gone",
        "drop over_budget",
        "dropped after it was trimmed",
        "dropped after it was a pointer",
        "kept duplicate_tool_use_id",
        "kept kept_default",
        "kept no_lossless_superseder",
        "kept target",
        "outcome deduped",
        "outcome dropped",
        "outcome kept",
        "outcome pinned",
        "outcome trimmed",
        "pin pair",
        "pin pin",
        "pin pinned_first_message",
        "pin pinned_recent",
        "pin recent",
        "pin role",
        "pin task",
        "trim cut_hard",
        "trim cut_sentence",
    ];
    let seen: BTreeSet<&str> = seen.iter().map(String::as_str).collect();
    assert_eq!(seen, BTreeSet::from(expected));
}

fn note_reached(session: &Session, plan: &Plan, seen: &mut BTreeSet<String>) {
    for (entry, decision) in session.entries.iter().zip(&plan.decisions) {
        if !entry.kind.is_decided() && decision.steps.is_empty() {
            continue;
        }
        seen.insert(format!("outcome {}", decision.outcome.name()));
        for step in &decision.steps {
            seen.insert(format!("{} {}", step.stage.name(), step.reason));
        }
        if decision.steps.is_empty() {
            seen.insert(format!("kept {}", decision.kept_reason));
        }
        let dropped = is_gone(decision) && entry.kind.is_decided();
        let was = |stage| decision.steps.iter().any(|step| step.stage == stage);
        let is_result = matches!(entry.kind, Kind::Result { .. });
        let combined = [
            (dropped && entry.kind.partner().is_some(), "a dropped pair"),
            (dropped && was(Stage::Trim), "dropped after it was trimmed"),
            (dropped && is_result && was(Stage::Dedupe), "dropped after it was a pointer"),
            (
                is_result && was(Stage::Pin) && was(Stage::Dedupe),
                "a pinned result that is a pointer",
            ),
            (
                decision.kept_reason == "target"
                    && plan.budget.is_some_and(|it| it < plan.chars[1]),
                "a pointer whose target would have gone",
            ),
        ];
        seen.extend(combined.iter().filter(|(holds, _)| *holds).map(|(_, what)| what.to_string()));
    }
    if !plan.input_faults.is_empty() {
        seen.insert("an input fault".into());
    }
    if let Some(budget) = plan.budget {
        let met = if plan.chars[1] <= budget { "a budget met" } else { "a budget not met" };
        seen.insert(met.into());
    }
}
