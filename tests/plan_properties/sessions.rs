//! Random sessions, in several formats.

use std::collections::BTreeSet;

use compactscope::session::Session;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::agent::{Agent, Deed, Machine, deed};
use super::common::read;

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
    /// A call of an agent, which its machine answers.
    Deed(Answered, Deed),
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

fn answered() -> impl Strategy<Value = Answered> {
    use Answered::*;
    select(vec![Next, Next, Next, Next, Next, Later, Later, Never, DuplicateId])
}

fn call() -> impl Strategy<Value = Block> {
    let said = (answered(), output(), prop::bool::weighted(0.15))
        .prop_map(|(answered, output, is_error)| Block::Call { answered, output, is_error });
    let done = (answered(), deed()).prop_map(|(answered, deed)| Block::Deed(answered, deed));
    prop_oneof![said, done]
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
pub struct Case {
    records: Vec<Record>,
    form: Form,
    /// How many messages come after those that something happens in.
    after: usize,
}

/// A session as it was read, and the machine that its calls ran on.
pub struct Sample {
    pub session: Session,
    pub machine: Machine,
    /// The ids of calls whose output is what the machine said.
    pub is_true: BTreeSet<String>,
}

pub fn cases() -> impl Strategy<Value = Case> {
    use Form::*;
    let form = select(vec![ClaudeCode, ClaudeCode, ClaudeCode, Anthropic, Transcript]);
    let after = prop_oneof![2 => Just(0), 1 => Just(42)];
    (prop::collection::vec(record(), 1..22), form, after).prop_map(|(records, form, after)| Case {
        records,
        form,
        after,
    })
}

/// A message, the API message that it is a part of, and whether it is of a side chain.
type Written = (Value, Option<String>, bool);

/// Writes the records with their results between them.
struct Writer {
    agent: Agent,
    is_true: BTreeSet<String>,
    messages: Vec<Written>,
    texts: Vec<String>,
    calls: usize,
    turns: usize,
    /// Results that are due in the next user message, and in the one after.
    due: [Vec<Value>; 2],
}

impl Writer {
    fn new() -> Writer {
        Writer {
            agent: Agent::new(),
            is_true: BTreeSet::new(),
            messages: Vec::new(),
            texts: Vec::new(),
            calls: 0,
            turns: 0,
            due: Default::default(),
        }
    }

    fn write(mut self, case: &Case) -> Writer {
        for record in &case.records {
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
        for number in 0..case.after {
            let text = json!({"type": "text", "text": format!("go on {number}")});
            self.push("user", vec![text], None, false);
        }
        self
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
            Block::Call { answered, output, is_error } => {
                let id = self.id(*answered);
                self.answer(*answered, &id, output, *is_error);
                let input = json!({"command": output});
                json!({"type": "tool_use", "id": id, "name": "Bash", "input": input})
            }
            Block::Deed(answered, deed) => self.deed(*answered, deed),
        }
    }

    fn text(&mut self, text: String) -> Value {
        self.texts.push(text.clone());
        json!({"type": "text", "text": text})
    }

    fn deed(&mut self, answered: Answered, deed: &Deed) -> Value {
        let id = self.id(answered);
        let act = self.agent.act(deed);
        if act.is_true {
            self.is_true.insert(id.clone());
        }
        self.answer(answered, &id, &act.output, act.is_error);
        json!({"type": "tool_use", "id": id, "name": act.tool, "input": act.input})
    }

    fn id(&mut self, answered: Answered) -> String {
        self.calls += usize::from(answered != Answered::DuplicateId);
        format!("c{}", self.calls)
    }

    fn answer(&mut self, answered: Answered, id: &str, output: &str, is_error: bool) {
        let result = json!({
            "type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error
        });
        match answered {
            Answered::Never => {}
            Answered::Later => self.due[1].push(result),
            Answered::Next | Answered::DuplicateId => self.due[0].push(result),
        }
    }
}

impl Case {
    /// The same as a session file.
    pub fn into_file(self) -> Case {
        Case { form: Form::ClaudeCode, ..self }
    }

    pub fn bytes(&self) -> String {
        self.text_of(&Writer::new().write(self))
    }

    pub fn sample(&self) -> Sample {
        let written = Writer::new().write(self);
        let session = read(self.text_of(&written).as_bytes());
        Sample { session, machine: written.agent.machine, is_true: written.is_true }
    }

    fn text_of(&self, written: &Writer) -> String {
        let messages = || written.messages.iter().map(|(message, ..)| message);
        match self.form {
            Form::ClaudeCode => written.messages.iter().enumerate().map(claude_code).collect(),
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
