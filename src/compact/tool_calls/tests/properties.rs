use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::json;

use super::generate::{messages, pins};
use super::naive;
use crate::compact::tool_calls::parse::parse_messages;
use crate::compact::tool_calls::{Action, Decision, Index, Position, Transcript, lossless};

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
