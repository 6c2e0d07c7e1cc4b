//! The checks that every plan passes before anyone sees it, from the session and the output alone.
//!
//! What was broken in the session already is a fault of the input, never a violation. A
//! memory-compact request is checked for verbatim text, protection and sums only.

use super::Features;
use super::plan::{Decision, Output, Stage, Step, Violation};
use super::settings::Settings;
use super::tool_calls::{self, PROGRAM, Recovery, StashNote};
use crate::session::{Contract, Entry, Kind, Role, Session};

/// The violations of a plan, and the faults that its input had before.
pub fn check(
    session: &Session,
    features: &Features,
    settings: &Settings,
    decisions: &[Decision],
) -> (Vec<Violation>, Vec<Violation>) {
    let (violations, input_faults) = Default::default();
    Check { session, features, settings, decisions, violations, input_faults }.run()
}

struct Check<'a> {
    session: &'a Session,
    features: &'a Features,
    settings: &'a Settings,
    decisions: &'a [Decision],
    violations: Vec<Violation>,
    input_faults: Vec<Violation>,
}

impl Check<'_> {
    fn run(mut self) -> (Vec<Violation>, Vec<Violation>) {
        for (index, entry) in self.session.entries.iter().enumerate() {
            self.verbatim(index, entry);
            self.protection(index);
            self.sums(index, entry);
        }
        if self.session.contract() != Some(Contract::MemoryCompact) {
            for (index, entry) in self.session.entries.iter().enumerate() {
                self.pair(index, entry);
                self.pointer(index, entry);
            }
            self.first_speaker();
            self.messages();
            self.thinking();
        }
        (self.violations, self.input_faults)
    }

    /// Every kept byte is the input's.
    fn verbatim(&mut self, index: usize, entry: &Entry) {
        let kept = self.decisions[index].output_of(&entry.content);
        let holds = match &self.decisions[index].output {
            Output::Whole | Output::Gone | Output::Note(_) => true,
            Output::Prefix(bytes) => {
                *bytes < entry.content.len() && kept.is_some_and(|kept| !kept.is_empty())
            }
            Output::Ends { text, head, tail } => holds_ends(&entry.content, text, *head, *tail),
        };
        self.require(holds, index, "a trimmed text is no beginning of its original");
    }

    /// What either pass pins the message pass does not touch; what a user pinned, no pass does.
    /// The tool-call pass may replace a result in a message that it pins: it goes by the call's.
    fn protection(&mut self, index: usize) {
        let decision = &self.decisions[index];
        let pins = || decision.steps.iter().filter(|step| step.stage == Stage::Pin);
        let broken = pins().next().is_some() && decision.steps.iter().any(is_message_pass)
            || pins().any(|pin| pin.reason == "pin") && decision.is_changed();
        self.require(!broken, index, "a protected entry was changed");
    }

    /// The steps account for every character.
    fn sums(&mut self, index: usize, entry: &Entry) {
        let decision = &self.decisions[index];
        if !entry.kind.is_decided() {
            return;
        }
        let removed: usize = decision.steps.iter().map(|step| step.removed).sum();
        let after = match decision.output_of(&entry.content) {
            None => 0,
            Some(_) if decision.output == Output::Whole => entry.chars,
            Some(kept) => kept.chars().count(),
        };
        let holds = after == decision.chars && after + removed == entry.chars;
        self.require(holds, index, "the characters do not add up");
    }

    /// Each result follows its call, and neither stays without the other.
    fn pair(&mut self, index: usize, entry: &Entry) {
        match entry.kind {
            Kind::Result { call: Some(call), .. } => {
                let whole = self.stays(index) == self.stays(call) && call < index;
                self.require(
                    whole,
                    index,
                    "a result stays without its call, or a call without its result",
                );
            }
            Kind::Result { call: None, .. } => {
                self.fault(index, "a result whose call is not in the file")
            }
            Kind::Call { result: None, .. } => self.fault(index, "a call without a result"),
            _ => {}
        }
    }

    /// Every pointer leads to what was removed.
    fn pointer(&mut self, index: usize, entry: &Entry) {
        let decision = &self.decisions[index];
        let Output::Note(note) = &decision.output else { return };
        let resolves = match &decision.recovery {
            Some(Recovery::Stash { sha256, .. }) => self.names_itself(index, entry, note, sha256),
            Some(recovery) => {
                let allowed = self.settings.allow_command_pointers;
                tool_calls::note_for(recovery).as_deref() == Some(&**note)
                    && self.features.is_own_pointer(index, entry, note, allowed)
            }
            None => self.is_held_later(index, entry),
        };
        self.require(resolves, index, "a pointer does not lead to what it replaced");
    }

    /// Whether a stash pointer names the text that it stands for: a plan stores nothing, so this
    /// is what can be said of it until it is exported.
    fn names_itself(&self, index: usize, entry: &Entry, note: &str, sha256: &str) -> bool {
        let named = StashNote::parse(note, PROGRAM);
        let own = self.features.sha256_of_result(index, entry);
        own == Some(sha256) && named.is_some_and(|named| sha256.starts_with(named.id))
    }

    /// Whether a pointer names a later, unchanged result that holds what was removed.
    fn is_held_later(&self, index: usize, entry: &Entry) -> bool {
        let decision = &self.decisions[index];
        decision.target.is_some_and(|target| {
            let holder = &self.session.entries[target];
            let same = match decision.target_lines {
                None => tool_calls::is_same_output(&entry.content, &holder.content),
                Some(lines) => {
                    lines_of(&holder.content, lines).is_some_and(|it| it == &*entry.content)
                }
            };
            target > index
                && self.decisions[target].output == Output::Whole
                && is_error(entry) == is_error(holder)
                && same
        })
    }

    /// The first message that is not the system's is the user's.
    fn first_speaker(&mut self) {
        let first = |stays: &dyn Fn(usize) -> bool| {
            let mut messages = self.session.messages.iter();
            messages.find(|it| it.role != Role::System && it.entries.clone().any(stays))
        };
        let is_user = |message: Option<&crate::session::Message>| {
            message.is_none_or(|message| message.role == Role::User)
        };
        let what = "the first message is not the user's";
        let at = first(&|index| self.stays(index)).map(|message| message.entries.start);
        if !is_user(first(&|_| true)) {
            self.input_faults.push(Violation { entry: at, what });
        } else if !is_user(first(&|index| self.stays(index))) {
            self.violations.push(Violation { entry: at, what });
        }
    }

    /// No message that stays is empty.
    fn messages(&mut self) {
        for message in &self.session.messages {
            let entries = || message.entries.clone();
            // A call, a result or a thinking says something even with no text in it.
            let speaks = |index: usize, text: Option<&str>| {
                let kind = &self.session.entries[index].kind;
                let by_itself =
                    matches!(kind, Kind::Call { .. } | Kind::Result { .. } | Kind::Thinking);
                text.is_some_and(|text| by_itself || !text.trim().is_empty())
            };
            let content = |index: usize| &*self.session.entries[index].content;
            let says = |index| speaks(index, self.decisions[index].output_of(content(index)));
            let said = |index| speaks(index, Some(content(index)));
            let what = "a message is empty";
            let violation = Violation { entry: Some(message.entries.start), what };
            if entries().any(|index| self.stays(index)) && !entries().any(says) {
                if entries().any(said) {
                    self.violations.push(violation);
                } else {
                    self.input_faults.push(violation);
                }
            }
        }
    }

    /// No API message is left with thinking alone.
    fn thinking(&mut self) {
        let turns = self.session.messages.iter().map(|message| message.turn + 1).max().unwrap_or(0);
        // For each API message: thinking that stays, and whether anything else was and is there.
        let mut thinking = vec![None; turns];
        let mut had_more = vec![false; turns];
        let mut has_more = vec![false; turns];
        for message in &self.session.messages {
            for index in message.entries.clone() {
                if self.session.entries[index].kind != Kind::Thinking {
                    had_more[message.turn] = true;
                    has_more[message.turn] |= self.stays(index);
                } else if self.stays(index) {
                    thinking[message.turn] = Some(index);
                }
            }
        }
        for turn in 0..turns {
            let Some(index) = thinking[turn].filter(|_| !has_more[turn]) else { continue };
            let what = "a message is left with thinking alone";
            if had_more[turn] {
                self.violations.push(Violation { entry: Some(index), what });
            } else {
                self.fault(index, what);
            }
        }
    }

    fn stays(&self, index: usize) -> bool {
        self.decisions[index].output != Output::Gone
    }

    fn require(&mut self, holds: bool, index: usize, what: &'static str) {
        if !holds {
            self.violations.push(Violation { entry: Some(index), what });
        }
    }

    fn fault(&mut self, index: usize, what: &'static str) {
        self.input_faults.push(Violation { entry: Some(index), what });
    }
}

/// Whether a trimmed text begins and ends as its original does, with something cut out between.
fn holds_ends(original: &str, trimmed: &str, head: usize, tail: usize) -> bool {
    let ends = |text: &str| {
        let end = text.len().checked_sub(tail).filter(|&end| end >= head)?;
        Some((text.get(..head)?.to_owned(), text.get(end..)?.to_owned()))
    };
    ends(original).is_some() && ends(original) == ends(trimmed)
}

/// Whether the message pass took something away with this step.
fn is_message_pass(step: &Step) -> bool {
    matches!(&*step.reason, "near_duplicate" | "cut_sentence" | "cut_hard" | "over_budget")
}

fn is_error(entry: &Entry) -> bool {
    matches!(entry.kind, Kind::Result { is_error: true, .. })
}

/// Lines of a text from the first to the last, counting from 1, as they stand.
fn lines_of(text: &str, (first, last): (usize, usize)) -> Option<&str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let mut start = (first == 1).then_some(0);
    for (at, end) in ends.enumerate() {
        if at + 1 == last {
            return start.map(|start| &text[start..end]);
        }
        if at + 2 == first {
            start = Some(end + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::compact::Pins;
    use crate::compact::plan::{Known, Outcome, plan};
    use crate::session::{self, Source};

    #[test]
    fn lines_are_counted_from_one_and_taken_as_they_stand() {
        let text = "a\nb\n\nd";
        assert_eq!(lines_of(text, (1, 1)), Some("a"));
        assert_eq!(lines_of(text, (2, 3)), Some("b\n"));
        assert_eq!(lines_of(text, (1, 4)), Some(text));
        assert_eq!(lines_of(text, (4, 5)), None);
    }

    #[test]
    fn a_stash_pointer_must_name_the_text_that_it_stands_for() {
        let log = |unit: &str| format!("{unit} is compiled\n").repeat(300);
        let called = |id: &str| {
            json!({"role": "assistant", "toolUses": [{"id": id, "tool": "Bash", "input": {"command": id}}],
                "toolResults": [{"id": id, "text": log(id)}]})
        };
        let mut messages =
            vec![json!({"role": "user", "text": "mend it"}), called("a"), called("b")];
        messages.extend((0..44).map(|n| json!({"role": "user", "text": format!("go on {n}")})));
        messages.push(called("last"));
        let request = json!({"messages": messages, "question": "q", "provider": "rules",
            "rules_mode": "stashed"});
        let source = Source { label: "request".into(), path: None };
        let session = session::read(request.to_string().as_bytes(), source, None).unwrap();
        let settings = Settings::for_request(session.request.as_ref().unwrap()).unwrap();
        let features = Features::new(&session);
        let plan = plan(&session, &features, &settings, &Pins::new(), &Known::NOTHING);
        assert_eq!((plan.is_verified(), plan.count(Outcome::Pointer)), (true, 2));

        let pointers: Vec<usize> =
            (0..plan.decisions.len()).filter(|&n| plan.decisions[n].recovery.is_some()).collect();
        let swapped = |part: fn(&mut Decision, &Decision)| {
            let mut decisions = plan.decisions.clone();
            part(&mut decisions[pointers[0]], &plan.decisions[pointers[1]]);
            check(&session, &features, &settings, &decisions).0.len()
        };
        assert_eq!(swapped(|_, _| ()), 0);
        assert_eq!(swapped(|one, other| one.output = other.output.clone()), 1);
        assert_eq!(swapped(|one, other| one.recovery = other.recovery.clone()), 1);
        assert_eq!(
            swapped(|one, other| {
                one.output = other.output.clone();
                one.recovery = other.recovery.clone();
            }),
            1
        );
        assert_eq!(swapped(|one, _| one.recovery = None), 1);
    }

    #[test]
    fn a_file_pointer_must_name_what_its_own_call_read() {
        let read = |id: &str, path: &str, text: &str| {
            json!({"role": "assistant", "toolUses": [{"id": id, "tool": "Read", "input": {"path": path}}],
                "toolResults": [{"id": id, "text": text.repeat(9)}]})
        };
        let messages = [
            json!({"role": "user", "text": "mend it"}),
            read("a", "/w/a.py", "x = one\n"),
            read("b", "/w/b.py", "y = another\n"),
        ];
        let request = json!({"messages": messages, "question": "q", "provider": "rules",
            "rules_mode": "recoverable", "preserve_recent": 0});
        let source = Source { label: "request".into(), path: None };
        let session = session::read(request.to_string().as_bytes(), source, None).unwrap();
        let settings = Settings::for_request(session.request.as_ref().unwrap()).unwrap();
        let features = Features::new(&session);
        let plan = plan(&session, &features, &settings, &Pins::new(), &Known::NOTHING);
        assert_eq!((plan.is_verified(), plan.count(Outcome::Pointer)), (true, 2));

        let pointers: Vec<usize> =
            (0..plan.decisions.len()).filter(|&n| plan.decisions[n].recovery.is_some()).collect();
        let [one, other] = [0, 1].map(|n| &plan.decisions[pointers[n]]);
        let with = |output: &Output, recovery: &Option<Recovery>| {
            let mut decisions = plan.decisions.clone();
            let changed = &mut decisions[pointers[0]];
            (changed.output, changed.recovery) = (output.clone(), recovery.clone());
            let (violations, _) = check(&session, &features, &settings, &decisions);
            violations.iter().any(|it| it.what == "a pointer does not lead to what it replaced")
        };
        assert!(!with(&one.output, &one.recovery));
        assert!(with(&other.output, &other.recovery));
        assert!(with(&one.output, &other.recovery));
        assert!(with(&other.output, &one.recovery));
        assert!(with(&one.output, &None));
    }

    #[test]
    fn the_tool_call_pass_may_replace_a_result_in_a_message_that_it_pins_and_the_message_pass_may_not()
     {
        let text = |n: usize| json!({"role": "user", "text": format!("go on {n}")});
        let call = |id: &str| json!({"id": id, "tool": "Read", "input": {"file_path": "/r/a.py"}});
        let result =
            |id: &str| json!({"id": id, "text": format!("{id} changed a file\n").repeat(9)});
        let messages = json!([text(0), text(1), {"role": "assistant", "toolUses": [call("a")]},
            {"role": "user", "toolResults": [result("a")]},
            {"role": "assistant", "toolUses": [call("b")], "toolResults": [result("b")]}, text(5)]);
        let request = json!({"messages": messages, "question": "q", "provider": "rules",
            "rules_mode": "stashed", "preserve_recent": 3});
        let source = Source { label: "request".into(), path: None };
        let session = session::read(request.to_string().as_bytes(), source, None).unwrap();
        let settings = Settings::for_request(session.request.as_ref().unwrap()).unwrap();
        let features = Features::new(&session);
        let mut plan = plan(&session, &features, &settings, &Pins::new(), &Known::NOTHING);
        let replaced = plan.decisions.iter().position(|it| it.recovery.is_some()).unwrap();
        let stages: Vec<Stage> =
            plan.decisions[replaced].steps.iter().map(|step| step.stage).collect();
        assert_eq!(stages, [Stage::Pin, Stage::Pointer]);
        assert_eq!(plan.violations, []);

        let step = Step { stage: Stage::Drop, reason: "over_budget".into(), removed: 0 };
        plan.decisions[replaced].step(step);
        let violations = check(&session, &features, &settings, &plan.decisions).0;
        assert!(violations.iter().any(|it| it.what == "a protected entry was changed"));
    }
}
