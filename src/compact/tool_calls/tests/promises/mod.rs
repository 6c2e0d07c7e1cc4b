//! What every answer promises, whatever provider and mode gave it, over random sessions.

mod agent;
mod generate;
mod reach;
mod reader;
mod shown;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::compact::settings::{Provider, RulesMode};
use generate::{Answered, Case, cases, repeats};
use reader::{Change, Found};

/// Promises that hold of every answer are tried on so many.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) }
}

fn array<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap()
}

/// The ids of calls that an answer says it dropped.
fn dropped(answer: &Value) -> BTreeSet<&str> {
    let decisions = array(answer, "decisions").iter();
    decisions.filter(|it| it["decision"] == "drop").map(|it| text(it, "id")).collect()
}

/// The messages that must be left, with what must be left of them, as they went in.
fn left(case: &Case, answer: &Value) -> Vec<Value> {
    if answer["report"]["degradation_reason"] == "no_candidates" {
        return case.messages().iter().map(shown).collect();
    }
    let gone = dropped(answer);
    // Where nothing is verified a message of white space goes, as in the reference.
    let is_verified =
        case.is(Provider::Rules, None) && !case.is(Provider::Rules, Some(RulesMode::Lossy));
    let mut messages: Vec<Value> = case.messages().to_vec();
    for message in &mut messages {
        for name in ["toolUses", "toolResults"] {
            if let Some(blocks) = message.get_mut(name).and_then(Value::as_array_mut) {
                blocks.retain(|block| !gone.contains(text(block, "tool_use_id")));
            }
        }
    }
    let stays = |message: &Value| {
        let said = text(message, "text");
        let says = if is_verified { !said.is_empty() } else { !said.trim().is_empty() };
        says || message.get("toolUses").is_some() || message.get("toolResults").is_some()
    };
    messages.iter().map(shown).filter(stays).collect()
}

/// A message as an answer writes it: without empty lists.
fn shown(message: &Value) -> Value {
    let mut message = message.clone();
    let fields = message.as_object_mut().unwrap();
    fields.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
    message
}

fn results(messages: &[Value]) -> Vec<Value> {
    messages.iter().flat_map(|message| array(message, "toolResults")).cloned().collect()
}

/// Calls `look` with every result whose text is another one in the answer.
fn each_change(case: &Case, answer: &Value, mut look: impl FnMut(&Change)) {
    let before = left(case, answer);
    let (old, new) = (results(&before), results(array(answer, "messages")));
    assert_eq!(old.len(), new.len(), "results are missing");
    for n in 0..old.len() {
        if old[n] == new[n] {
            continue;
        }
        let id = text(&old[n], "tool_use_id");
        // Of two calls with one id the later one has the last word.
        let mut decisions = array(answer, "decisions").iter();
        let decision = decisions.rfind(|it| it["id"] == id && it["decision"] != "keep");
        look(&Change {
            id,
            old: text(&old[n], "text"),
            new: text(&new[n], "text"),
            decision: decision.expect("only what was decided changes"),
            later: &new[n + 1..],
        });
    }
}

/// An answer whose changed results are as they went in.
fn with_old_results(case: &Case, answer: &Value) -> Vec<Value> {
    let decided = |id: &str, text: &Value| {
        array(answer, "decisions").iter().any(|decision| {
            decision["id"] == id
                && match decision["decision"].as_str().unwrap() {
                    "dedupe" | "replace" => decision["note"] == *text,
                    action => action == "trim",
                }
        })
    };
    let mut messages = array(answer, "messages").to_vec();
    let mut old = results(&left(case, answer)).into_iter();
    for message in &mut messages {
        let results = message.get_mut("toolResults").and_then(Value::as_array_mut);
        for result in results.into_iter().flatten() {
            let old = old.next().unwrap_or_default();
            if decided(text(result, "tool_use_id"), &result["text"]) {
                result["text"] = old["text"].clone();
            }
        }
    }
    messages
}

/// The calls and the results that have an id.
fn blocks_by_id(messages: &[Value]) -> BTreeMap<&str, [Vec<&Value>; 2]> {
    let mut blocks: BTreeMap<&str, [Vec<&Value>; 2]> = BTreeMap::new();
    for message in messages {
        for (n, name) in ["toolUses", "toolResults"].into_iter().enumerate() {
            for block in array(message, name) {
                blocks.entry(text(block, "tool_use_id")).or_default()[n].push(block);
            }
        }
    }
    blocks
}

/// What a caller makes of a reference: the message of the input with its changed blocks put in.
fn rebuilt(reference: &Value, source: &[Value]) -> Value {
    let Some(place) = reference.get("ref") else { return reference.clone() };
    let old = &source[place.as_u64().unwrap() as usize];
    let mut message = old.clone();
    if reference.get("toolUses").is_none() {
        return message;
    }
    for name in ["toolUses", "toolResults"] {
        let kept: Value =
            array(reference, name).iter().map(|kept| block(kept, array(old, name))).collect();
        message[name] = kept;
    }
    shown(&message)
}

fn block(kept: &Value, old: &[Value]) -> Value {
    if let Some(number) = kept.as_u64() {
        return old[number as usize].clone();
    }
    let mut block = old[kept["ref"].as_u64().unwrap() as usize].clone();
    assert_eq!(block["tool_use_id"], kept["tool_use_id"]);
    let was: Vec<u16> = text(&block, "text").encode_utf16().collect();
    let part = |name: &str| kept.get(name).map_or(0, |n| n.as_u64().unwrap() as usize);
    let mut spliced = was[..part("head")].to_vec();
    spliced.extend(text(kept, "text").encode_utf16());
    spliced.extend(&was[was.len() - part("tail")..]);
    block["text"] = json!(String::from_utf16(&spliced).unwrap());
    block
}

/// Nothing else may change, not even a message's place.
fn only_decided_results_change(case: &Case) {
    let answer = case.answer().answer;
    assert_eq!(with_old_results(case, &answer), left(case, &answer));
}

/// Whoever follows the text in a result's place gets the result.
fn all_lead_back(case: &Case) {
    let answered = case.answer();
    assert_eq!(&answered.answer["report"]["lossless_violations"], &json!([]));
    each_change(case, &answered.answer, |change| {
        let found = change.follow(case, &answered);
        assert!(found.is_of(change.old), "{}\n{}\n{found:?}", change.new, change.old);
        assert!(change.new.chars().count() < change.old.chars().count());
    });
}

/// A caller who is sent references makes the full answer of them.
fn references_rebuild(case: &Case) {
    let whole = case.answer().answer;
    // References count blocks of the transcript as it was parsed: without empty lists.
    let source: Vec<Value> = case.messages().iter().map(shown).collect();
    for form in ["ref_unchanged", "ref_blocks"] {
        let mut short = case.answer_as(form);
        let messages: Vec<Value> =
            array(&short, "messages").iter().map(|message| rebuilt(message, &source)).collect();
        assert_eq!(&messages[..], array(&whole, "messages"), "{}", form);
        assert!(short.get("decisions").is_none());
        assert_eq!(short["report"].take(), whole["report"].clone());
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn nothing_changes_but_the_results_that_the_decisions_name(case in cases()) {
        only_decided_results_change(&case);
    }

    #[test]
    fn every_text_in_a_results_place_leads_back_to_the_result(case in cases()) {
        all_lead_back(&case);
    }

    #[test]
    fn a_trim_keeps_the_ends_that_were_asked_for(case in cases()) {
        let answered = case.answer();
        each_change(&case, &answered.answer, |change| {
            let Found::Ends(head, removed, tail) = change.follow(&case, &answered) else { return };
            let chars = |text: &str| text.chars().count();
            let asked = case.request["trim_head_chars"].as_u64().unwrap() as usize;
            let want = match case.is(Provider::Rules, None) {
                true => (1000, 1000),
                false => (asked, 0),
            };
            assert_eq!((chars(&head), chars(&tail)), want, "{removed}");
            assert_eq!(change.decision["decision"], "trim");
        });
    }

    #[test]
    fn a_call_and_its_results_stay_or_go_together(case in cases()) {
        let answer = case.answer().answer;
        let (before, gone) = (case.messages(), dropped(&answer));
        let count = |[calls, results]: &[Vec<&Value>; 2]| [calls.len(), results.len()];
        let (before, after) = (blocks_by_id(before), blocks_by_id(array(&answer, "messages")));
        for (id, blocks) in &before {
            let left = after.get(id).map_or([0, 0], count);
            let want = if gone.contains(id) { [0, 0] } else { count(blocks) };
            prop_assert_eq!(left, want, "{}", id);
        }
        for id in gone {
            prop_assert!(!count(&before[id]).contains(&0), "{}", id);
        }
    }

    #[test]
    fn pinned_calls_and_their_results_are_as_they_were(case in cases()) {
        let answer = case.answer().answer;
        let (before, after) = (case.messages(), array(&answer, "messages"));
        let recent = case.request["preserve_recent"].as_u64().unwrap() as usize;
        let is_pinned = |message: usize| message == 0 || message + recent >= before.len();
        let (old, new) = (blocks_by_id(before), blocks_by_id(after));
        for message in (0..before.len()).filter(|message| is_pinned(*message)) {
            for call in array(&before[message], "toolUses") {
                let id = text(call, "tool_use_id");
                prop_assert_eq!(&old[id], &new[id]);
            }
            let said = text(&before[message], "text");
            let stays = after.iter().any(|message| message["text"] == said);
            prop_assert!(said.trim().is_empty() || stays);
        }
    }

    #[test]
    fn references_rebuild_the_full_answer(case in cases()) {
        references_rebuild(&case);
    }

    #[test]
    fn nothing_goes_that_nobody_decided(case in cases()) {
        let Answered { answer, stash } = case.answer();
        let mut stored = BTreeSet::new();
        for decision in array(&answer, "decisions") {
            let is_kept = decision["decision"] == "keep";
            let source = text(decision, "source");
            prop_assert!(is_kept || !["pin", "fail_safe"].contains(&source), "{}", decision);
            prop_assert!(!is_kept || decision["chars"] == decision["chars_after"]);
            if let Some(digest) = decision["stash"]["sha256"].as_str() {
                stored.insert(digest.to_owned());
            }
        }
        // Nothing is stored either but what a pointer stands for.
        prop_assert_eq!(stash.texts().into_keys().collect::<BTreeSet<_>>(), stored);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn repeats_give_way_to_what_leads_back(
        case in repeats(Provider::Rules, RulesMode::Lossless)
    ) {
        only_decided_results_change(&case);
        all_lead_back(&case);
        references_rebuild(&case);
    }
}
