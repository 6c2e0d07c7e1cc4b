//! Requests of every provider and mode, and the world that they are answered in.

use std::collections::BTreeSet;
use std::fmt;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::super::Around;
use super::super::generate::messages;
use super::super::judge::Recorded;
use super::super::memory_disk::{ChangingDisk, MemoryDisk};
use super::super::memory_stash::MemoryStash;
use super::agent::{Act, Agent, Deed, FILES, Machine, ROOT, deed, short_deed};
use crate::compact::settings::{Provider, RulesMode};

/// A request, and what it is answered with.
#[derive(Clone)]
pub struct Case {
    pub request: Value,
    pub disk: MemoryDisk,
    /// The disk by the time that the answer is given.
    pub disk_at_last: MemoryDisk,
    /// How many texts the stash takes; `None` for any number.
    pub room: Option<usize>,
    /// How the judge answers; `None` when nobody is there.
    pub judge: Option<&'static str>,
    /// The machine that the calls ran on, at the end.
    pub machine: Machine,
    /// The ids of calls whose output is what the machine said.
    pub is_true: BTreeSet<String>,
}

impl fmt::Debug for Case {
    /// The request as it would be sent: files and what became of them are seen from its calls.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "room {:?}, judge {:?}, {}", self.room, self.judge, self.request)
    }
}

/// An answer, and the stash that it left.
pub struct Answered {
    pub answer: Value,
    pub stash: MemoryStash,
}

impl Case {
    pub fn answer(&self) -> Answered {
        let disk = ChangingDisk { before: self.disk.clone(), after: self.disk_at_last.clone() };
        let stash = self.room.map_or_else(MemoryStash::default, MemoryStash::with_room_for);
        let around = Around { disk: &disk, stash: &stash, judges: &Recorded(self.judge) };
        let answer = around.answer(self.request.to_string().as_bytes()).unwrap();
        Answered { answer, stash }
    }

    pub fn answer_as(&self, form: &str) -> Value {
        let mut case = self.clone();
        case.request[form] = json!(true);
        case.answer().answer
    }

    pub fn is(&self, provider: Provider, mode: Option<RulesMode>) -> bool {
        self.request["provider"] == provider.name()
            && mode.is_none_or(|mode| self.request["rules_mode"] == mode.name())
    }

    pub fn messages(&self) -> &[Value] {
        self.request["messages"].as_array().unwrap()
    }
}

/// Every provider, `rules` with each of its modes. `specialist-v3` is `auto` by another name.
pub fn providers() -> Vec<(Provider, RulesMode)> {
    let others =
        [Provider::Auto, Provider::Jev, Provider::Laya].map(|it| (it, RulesMode::Lossless));
    RulesMode::ALL.map(|mode| (Provider::Rules, mode)).into_iter().chain(others).collect()
}

/// A deed, how its call and its result come, and what is said beside it.
#[derive(Debug, Clone)]
struct Step {
    deed: Deed,
    arrival: usize,
    /// Whether the call starts a message of its own.
    is_alone: bool,
    id: usize,
    text: String,
}

fn step(deed: impl Strategy<Value = Deed>) -> impl Strategy<Value = Step> {
    (deed, 0..24_usize, prop::bool::weighted(0.7), 0..40_usize, text())
        .prop_map(|(deed, arrival, is_alone, id, text)| Step { deed, arrival, is_alone, id, text })
}

/// What is said: mostly nothing of note, sometimes a file's name.
fn text() -> impl Strategy<Value = String> {
    let names = select(FILES.to_vec()).prop_map(|file| format!("Look at {file} 🚚 next."));
    prop_oneof![6 => Just(String::new()), 2 => select(vec![" ", "\n\t", "Next."]).prop_map(str::to_owned), 1 => names]
}

fn question() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => Just("mend the totals".to_owned()),
        1 => select(FILES.to_vec()).prop_map(|file| format!("mend the totals in {file}")),
    ]
}

/// What becomes of a file on the disk after the session.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Stays,
    Changes,
    Goes,
    IsDirectory,
    IsNoText,
    IsTooLarge,
    /// It is a link to what it was, within the workspace, or out of it.
    IsLinked,
    IsLinkedOut,
    LeadsToItself,
}

fn fate() -> impl Strategy<Value = Fate> {
    use Fate::*;
    let odd = vec![Goes, IsDirectory, IsNoText, IsLinked, IsLinkedOut, LeadsToItself];
    prop_oneof![150 => Just(Stays), 20 => Just(Changes), 30 => select(odd), 3 => Just(IsTooLarge)]
}

#[derive(Debug, Clone)]
struct Surroundings {
    fates: Vec<Fate>,
    /// A file that changes just before the answer is given.
    spoilt: Option<usize>,
    room: Option<usize>,
    judge: Option<&'static str>,
}

fn surroundings() -> impl Strategy<Value = Surroundings> {
    let room = prop_oneof![3 => Just(None), 1 => (0..3_usize).prop_map(Some)];
    let judges = vec!["plain", "plain", "plain", "holes", "partial", "refuse", "garbage"];
    let judge = prop_oneof![8 => select(judges).prop_map(Some), 1 => Just(None)];
    let spoilt = prop_oneof![2 => Just(None), 1 => (0..FILES.len()).prop_map(Some)];
    (prop::collection::vec(fate(), FILES.len()), spoilt, room, judge)
        .prop_map(|(fates, spoilt, room, judge)| Surroundings { fates, spoilt, room, judge })
}

fn settings() -> impl Strategy<Value = Value> {
    let root = select(vec![None, None, Some(ROOT), Some(ROOT), Some(ROOT), Some("/srv/else")]);
    (
        question(),
        0..9_usize,
        root,
        prop::bool::weighted(0.8),
        any::<bool>(),
        select(vec![0.0, 0.3, 0.5, 0.7, 1.0]),
        select(vec![0, 5, 40, 300]),
    )
        .prop_map(|(question, recent, root, disk, commands, threshold, head)| {
            json!({"question": question, "preserve_recent": recent, "workspace_root": root,
                "disk_check": disk, "allow_command_pointers": commands, "threshold": threshold,
                "trim_head_chars": head})
        })
}

/// A case of this provider and mode.
pub fn cases_of(provider: Provider, mode: RulesMode) -> impl Strategy<Value = Case> {
    // A ranker lets a few come back whatever their rank.
    let steps = match provider.is_ranker() {
        true => {
            let count = prop_oneof![4 => 30..60_usize, 1 => 1..3_usize];
            let steps =
                |(is_terse, count)| prop::collection::vec(step(short_deed(is_terse)), count);
            (any::<bool>(), count).prop_flat_map(steps).boxed()
        }
        false => prop::collection::vec(step(deed()), 1..26).boxed(),
    };
    // What is old is more than forty messages before the end.
    let after = prop_oneof![3 => Just(42_usize), 1 => 0..6_usize];
    (steps, after, settings(), surroundings()).prop_map(
        move |(steps, after, mut request, around)| {
            let mut written = Written::default();
            for (n, step) in steps.iter().enumerate() {
                written.add(n, step);
            }
            let mut messages = written.messages;
            messages
                .extend((0..after).map(|n| json!({"role": "user", "text": format!("go on {n}")})));
            request["messages"] = json!(messages);
            request["provider"] = json!(provider.name());
            request["rules_mode"] = json!(mode.name());
            let machine = written.agent.machine;
            let disk = disk_after(&machine, &around.fates);
            let mut disk_at_last = disk.clone();
            if let Some(file) = around.spoilt {
                disk_at_last.write(&format!("{ROOT}/{}", FILES[file]), "changed meanwhile");
            }
            let Surroundings { room, judge, .. } = around;
            Case { request, disk, disk_at_last, room, judge, machine, is_true: written.is_true }
        },
    )
}

pub fn cases() -> impl Strategy<Value = Case> {
    select(providers()).prop_flat_map(
        |(provider, mode)| prop_oneof![3 => cases_of(provider, mode), 1 => repeats(provider, mode)],
    )
}

/// A case with a transcript that is richer in repeats, which nothing said that was on a machine.
pub fn repeats(provider: Provider, mode: RulesMode) -> impl Strategy<Value = Case> {
    (cases_of(provider, mode), messages()).prop_map(|(mut case, messages)| {
        case.request["messages"] = json!(messages);
        Case { is_true: BTreeSet::new(), ..case }
    })
}

fn disk_after(machine: &Machine, fates: &[Fate]) -> MemoryDisk {
    let mut files = json!({});
    for (file, fate) in FILES.iter().zip(fates) {
        let Some(text) = machine.text(&format!("{ROOT}/{file}")) else { continue };
        files[*file] = match fate {
            Fate::Stays => json!(text),
            Fate::Changes => json!(text.replacen("row", "now", 1) + "!"),
            Fate::Goes => continue,
            Fate::IsDirectory => Value::Null,
            Fate::IsNoText => json!({"hex": "ff00"}),
            Fate::IsTooLarge => json!("x".repeat(4 * 1024 * 1024 + 1)),
            Fate::IsLinked => json!({"link": format!("{ROOT}/kept/{file}")}),
            Fate::IsLinkedOut => json!({"link": format!("/srv/kept/{file}")}),
            Fate::LeadsToItself => json!({"link": format!("{ROOT}/{file}")}),
        };
    }
    let mut disk = MemoryDisk::of_case(&json!({"files": files}));
    for (file, fate) in FILES.iter().zip(fates) {
        let text = machine.text(&format!("{ROOT}/{file}"));
        match (fate, text) {
            (Fate::IsLinked, Some(text)) => disk.write(&format!("{ROOT}/kept/{file}"), text),
            (Fate::IsLinkedOut, Some(text)) => disk.write(&format!("/srv/kept/{file}"), text),
            _ => {}
        }
    }
    disk
}

/// The steps as messages of the hook shape.
struct Written {
    messages: Vec<Value>,
    agent: Agent,
    is_true: BTreeSet<String>,
    /// A result that comes one step later than others.
    late: Option<Value>,
}

impl Default for Written {
    fn default() -> Written {
        Written {
            messages: vec![json!({"role": "user", "text": "Mend it."})],
            agent: Agent::new(),
            is_true: BTreeSet::new(),
            late: None,
        }
    }
}

impl Written {
    fn add(&mut self, n: usize, step: &Step) {
        let Act { tool, input, output, is_error, is_true } = self.agent.act(&step.deed);
        // Now and then an id comes again, and in some sessions the first message has a call.
        let id = match step.id {
            0 | 1 => format!("c{}", n / 2),
            2 => "c0".to_owned(),
            _ => format!("c{n}"),
        };
        if is_true {
            self.is_true.insert(id.clone());
        }
        let call = json!({"tool_use_id": id, "tool": tool, "input": input});
        let mut result = json!({"tool_use_id": id, "text": output});
        if is_error {
            result["is_error"] = json!(true);
        }
        let last = self.messages.last_mut().unwrap();
        if n == 0 && step.id % 4 == 1 || !step.is_alone && last.get("toolUses").is_some() {
            add_block(last, "toolUses", call);
        } else {
            self.push(json!({"role": "assistant", "text": step.text, "toolUses": [call]}));
        }
        self.deliver(result, step.arrival);
    }

    fn push(&mut self, message: Value) {
        self.messages.push(message);
        if let Some(result) = self.late.take() {
            self.messages.push(json!({"role": "user", "text": "", "toolResults": [result]}));
        }
    }

    fn deliver(&mut self, result: Value, arrival: usize) {
        let brings =
            |results: &[Value]| json!({"role": "user", "text": "", "toolResults": results});
        match arrival {
            0 => {}
            1 => self.messages.insert(1, brings(&[result])),
            2 => self.messages.extend(vec![brings(&[result]); 2]),
            3 => self.late = Some(result),
            4 => {
                let mut orphan = result.clone();
                orphan["tool_use_id"] = json!("nobody");
                self.messages.push(brings(&[orphan, result]));
            }
            5 => self.messages.extend([brings(&[result]), json!({"role": "user", "text": ""})]),
            6..10 => add_block(self.messages.last_mut().unwrap(), "toolResults", result),
            _ => self.messages.push(brings(&[result])),
        }
    }
}

fn add_block(message: &mut Value, name: &str, block: Value) {
    if message.get(name).is_none() {
        message[name] = json!([]);
    }
    message[name].as_array_mut().unwrap().push(block);
}
