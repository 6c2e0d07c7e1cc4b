use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::generate::{messages, pins};
use super::naive;
use crate::compact::tool_calls::parse::parse_messages;
use crate::compact::tool_calls::{Action, Decision, Index, Position, Transcript, lossless};

fn answer(messages: &[Value], preserve_recent: usize, form: Option<&str>) -> Value {
    let mut request = json!({"messages": messages, "question": "q", "provider": "rules",
        "preserve_recent": preserve_recent});
    if let Some(form) = form {
        request[form] = json!(true);
    }
    super::answer(&serde_json::to_vec(&request).unwrap()).unwrap()
}

fn utf16(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

fn array<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What a caller makes of a reference: the message of the input with its changed blocks put in.
fn rebuilt(reference: &Value, source: &[Value]) -> Value {
    let Some(place) = reference.get("ref") else { return reference.clone() };
    let old = &source[place.as_u64().unwrap() as usize];
    let mut message = old.clone();
    if reference.get("toolUses").is_none() {
        return message;
    }
    let pick = |name: &str, kept: &Value| -> Value {
        let Some(number) = kept.as_u64() else {
            let mut block = old[name][kept["ref"].as_u64().unwrap() as usize].clone();
            assert_eq!(block["tool_use_id"], kept["tool_use_id"]);
            let was = utf16(block["text"].as_str().unwrap());
            let part = |name: &str| kept.get(name).map_or(0, |n| n.as_u64().unwrap() as usize);
            let mut text = was[..part("head")].to_vec();
            text.extend(utf16(kept["text"].as_str().unwrap()));
            text.extend(&was[was.len() - part("tail")..]);
            block["text"] = json!(String::from_utf16(&text).unwrap());
            return block;
        };
        old[name][number as usize].clone()
    };
    for name in ["toolUses", "toolResults"] {
        if !array(reference, name).is_empty() {
            message[name] = array(reference, name).iter().map(|kept| pick(name, kept)).collect();
        }
    }
    message
}

/// Every result by id, for those ids that one result has.
fn texts(messages: &[Value]) -> HashMap<&str, Vec<&str>> {
    let mut texts: HashMap<&str, Vec<&str>> = HashMap::new();
    for result in messages.iter().flat_map(|message| array(message, "toolResults")) {
        let id = result["tool_use_id"].as_str().unwrap();
        texts.entry(id).or_default().push(result["text"].as_str().unwrap());
    }
    texts
}

/// The text that a pointer stands for, as far as a reader of the answer alone can tell: for an
/// identical output that is the later one.
fn resolved(note: &str, kept: &str) -> String {
    match note.strip_prefix("[output = lines ") {
        None => kept.to_owned(),
        Some(rest) => {
            let (first, last) = rest.split_once(' ').unwrap().0.split_once('-').unwrap();
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            let lines: Vec<&str> = kept.split('\n').collect();
            lines[first - 1..last].join("\n")
        }
    }
}

fn without_headers(text: &str) -> String {
    crate::compact::tool_calls::lines::comparable_lines(text).collect::<Vec<_>>().join("\n")
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn the_index_answers_as_the_definition_does(messages in messages(), pins in pins()) {
        let parsed = parse_messages(&messages).unwrap();
        let index = Index::build(&parsed.transcript);
        prop_assert_eq!(lossless(&index, &pins), naive::decide(&parsed.transcript, &pins));
    }

    #[test]
    fn an_index_that_grew_answers_as_one_built_at_once(
        messages in messages(), pins in pins(), cuts in prop::collection::btree_set(0..40_usize, 0..4)
    ) {
        let parsed = parse_messages(&messages).unwrap();
        let mut grown = Index::default();
        for cut in cuts.into_iter().chain([messages.len()]).filter(|cut| *cut <= messages.len()) {
            grown.extend(&Transcript { turns: parsed.transcript.turns[..cut].to_vec() });
        }
        let built = Index::build(&parsed.transcript);
        prop_assert_eq!(lossless(&grown, &pins), lossless(&built, &pins));
    }

}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn only_outputs_change_and_every_pointer_leads_to_the_original(
        messages in messages(), recent in 0..6_usize
    ) {
        let answer = answer(&messages, recent, None);
        let after = array(&answer, "messages");
        let deduped: HashMap<&str, &Value> = array(&answer, "decisions").iter()
            .filter(|decision| decision["decision"] == "dedupe")
            .map(|decision| (decision["id"].as_str().unwrap(), decision))
            .collect();
        let (old_texts, new_texts) = (texts(&messages), texts(after));
        let mut expected = messages.clone();
        for result in expected.iter_mut().filter_map(|message| message.get_mut("toolResults")) {
            for result in result.as_array_mut().unwrap() {
                if let Some(decision) = deduped.get(result["tool_use_id"].as_str().unwrap()) {
                    result["text"] = decision["note"].clone();
                }
            }
        }
        expected.retain(|message| {
            message["text"] != "" || !array(message, "toolUses").is_empty()
                || !array(message, "toolResults").is_empty()
        });
        for message in &mut expected {
            let fields = message.as_object_mut().unwrap();
            fields.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
        }
        if answer["report"]["blocks_scored"] != 0 {
            prop_assert_eq!(after, &expected[..]);
        }
        for (id, decision) in &deduped {
            let kept_at = decision["kept_at"].as_str().unwrap();
            prop_assert_eq!(new_texts[kept_at].len(), 1);
            prop_assert_eq!(&new_texts[kept_at], &old_texts[kept_at]);
            let note = decision["note"].as_str().unwrap();
            let resolved = resolved(note, new_texts[kept_at][0]);
            let original = old_texts[id][0];
            prop_assert!(resolved == original
                || without_headers(&resolved) == without_headers(original));
            prop_assert!(note.chars().count() < original.chars().count());
        }
    }

    #[test]
    fn pairs_stay_whole_and_pinned_calls_stay_as_they_were(
        messages in messages(), pins in pins()
    ) {
        let parsed = parse_messages(&messages).unwrap();
        let decisions = lossless(&Index::build(&parsed.transcript), &pins);
        let mut seen = BTreeSet::new();
        for decision in &decisions {
            prop_assert!(seen.insert(decision.call), "decided twice");
            let at = decision.call;
            let answered = decision.result.map(|result| result.message);
            let pinned = at.message == 0
                || at.message + pins.preserve_recent >= messages.len()
                || pins.calls.contains(&at)
                || pins.messages.contains(&at.message)
                || answered.is_some_and(|message| pins.messages.contains(&message));
            prop_assert_eq!(pinned, decision.source == "pin");
            prop_assert!(!pinned || decision.action == Action::Keep);
        }
    }

    #[test]
    fn references_rebuild_the_full_answer(messages in messages(), recent in 0..6_usize) {
        let whole = answer(&messages, recent, None);
        // References count blocks of the transcript as it was parsed: without empty lists.
        let mut source = messages.clone();
        for message in &mut source {
            let fields = message.as_object_mut().unwrap();
            fields.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
        }
        for form in ["ref_unchanged", "ref_blocks"] {
            let short = answer(&messages, recent, Some(form));
            let messages: Vec<Value> =
                array(&short, "messages").iter().map(|message| rebuilt(message, &source)).collect();
            prop_assert_eq!(&messages[..], array(&whole, "messages"), "{}", form);
            prop_assert!(short.get("decisions").is_none());
            prop_assert_eq!(&short["report"], &whole["report"]);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let request = json!({"question": text, "messages": [{"role": "user", "text": text,
            "toolResults": [{"id": text, "text": text}]}], "provider": "rules"});
        let _ = super::answer(&bytes);
        let _ = super::answer(&serde_json::to_vec(&request).unwrap());
    }
}

fn outcome(transcript: &Transcript, decision: &Decision) -> String {
    let text = |at: Position| &transcript.turns[at.message].results[at.index].text;
    match &decision.action {
        Action::Dedupe(dedupe)
            if dedupe.lines.is_none()
                && decision.result.is_some_and(|at| text(at) != text(dedupe.kept_at)) =>
        {
            "another header".into()
        }
        Action::Dedupe(dedupe) if dedupe.lines.is_some_and(|(first, _)| first > 1) => {
            "inner lines".into()
        }
        _ => decision.reason.to_string(),
    }
}

#[test]
fn the_generator_reaches_every_outcome() {
    let mut runner = TestRunner::deterministic();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for _ in 0..300 {
        let (messages, pins) = (messages(), pins()).new_tree(&mut runner).unwrap().current();
        let parsed = parse_messages(&messages).unwrap();
        for decision in lossless(&Index::build(&parsed.transcript), &pins) {
            *seen.entry(outcome(&parsed.transcript, &decision)).or_default() += 1;
        }
    }
    for outcome in [
        "pinned_first_message",
        "pinned_recent",
        "pin",
        "duplicate_tool_use_id",
        "no_lossless_superseder",
        "identical_output_kept_later",
        "output_lines_of_later",
        "inner lines",
        "another header",
    ] {
        assert!(seen.get(outcome).is_some_and(|count| *count > 10), "{outcome}: {seen:?}");
    }
}
