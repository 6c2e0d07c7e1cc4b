//! What the generated cases reach: every outcome that a provider has, and every reason code.

use std::collections::{BTreeMap, BTreeSet};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::generate::{cases_of, providers};
use super::{array, each_change, text};
use crate::compact::settings::Provider;

/// So many cases of every provider and mode.
const CASES: usize = 150;

#[test]
fn the_cases_reach_every_decision_of_every_mode() {
    let mut runner = TestRunner::deterministic();
    let mut reached: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (provider, mode) in providers() {
        let cases = cases_of(provider, mode);
        let name = match provider {
            Provider::Rules => mode.name(),
            _ => provider.name(),
        };
        let seen = reached.entry(name.to_owned()).or_default();
        for _ in 0..CASES {
            let case = cases.new_tree(&mut runner).unwrap().current();
            let answered = case.answer();
            for decision in array(&answered.answer, "decisions") {
                let reason = code(text(decision, "reason"));
                seen.insert(format!("{} {reason}", text(decision, "decision")));
            }
            each_change(&case, &answered.answer, |change| {
                seen.insert(format!("led to {}", change.follow(&case, &answered).name()));
            });
        }
    }
    for (name, seen) in reached {
        println!("{name}: {seen:#?}");
    }
}

/// A reason code without what it is about.
fn code(reason: &str) -> String {
    let parts = if reason.starts_with("stash") { 2 } else { 1 };
    reason.split(':').take(parts).collect::<Vec<_>>().join(":")
}
