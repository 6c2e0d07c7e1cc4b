//! The stages of the message pass, rule by rule.

#![allow(clippy::unwrap_used)]

use compactscope::compact::messages::contract::memory_compact;
use compactscope::compact::messages::{CutKind, Decided, Features, Limits, Standing, Unit, decide};
use compactscope::session::Role;
use serde_json::{Value, json};

/// Units of twelve characters each, so that only their order tells their scores apart.
struct Case {
    units: Vec<(Role, String)>,
    standing: Vec<Standing>,
}

impl Case {
    fn new(roles: &[Role]) -> Case {
        let content = |index| format!("unit{index:02} of it");
        let units = roles.iter().enumerate().map(|(i, &role)| (role, content(i))).collect();
        let standing = Standing { chars: 12, trim: true, ..Standing::default() };
        Case { units, standing: vec![standing; roles.len()] }
    }

    fn pair(mut self, call: usize, result: usize) -> Case {
        self.standing[call].partner = Some(result);
        self.standing[result].partner = Some(call);
        self
    }

    fn pointing(mut self, from: usize, to: usize) -> Case {
        self.standing[from].points_to = Some(to);
        self
    }

    fn protected(mut self, unit: usize) -> Case {
        self.standing[unit].protected = true;
        self
    }

    fn gone(mut self, unit: usize) -> Case {
        self.standing[unit].gone = true;
        self
    }

    fn features(&self) -> Features {
        let compared = |index: usize| self.standing[index].partner.is_none();
        Features::new(self.units.iter().enumerate().map(|(index, (role, content))| Unit {
            role: *role,
            content,
            compared: compared(index),
        }))
    }

    fn decide(&self, budget_chars: usize, max_message_chars: usize) -> Decided {
        let limits = Limits {
            budget_chars: Some(budget_chars),
            duplicate_threshold: 0.9,
            max_message_chars,
        };
        decide(&self.features(), &self.standing, &limits, |unit| &self.units[unit].1)
    }

    /// The units dropped for a budget, in the order they went.
    fn dropped(&self, budget: usize) -> Vec<usize> {
        self.decide(budget, 100).drops.iter().map(|dropped| dropped.unit).collect()
    }
}

use Role::{Assistant, Tool, User};

#[test]
fn the_lowest_scores_go_until_the_rest_fits() {
    let case = Case::new(&[User, Tool, Assistant, User]);
    assert!(case.dropped(48).is_empty());
    assert_eq!(case.dropped(47), [0]);
    assert_eq!(case.dropped(36), [0]);
    assert_eq!(case.dropped(35), [0, 1]);
    assert_eq!(case.dropped(0), [0, 1, 2, 3]);
    assert_eq!(case.decide(35, 100).output_chars, 24);
}

#[test]
fn without_a_budget_nothing_is_dropped() {
    let case = Case::new(&[User, User]);
    let limits = Limits { budget_chars: None, duplicate_threshold: 0.9, max_message_chars: 100 };
    let decided = decide(&case.features(), &case.standing, &limits, |unit| &case.units[unit].1);
    assert_eq!(decided, Decided { output_chars: 24, ..Decided::default() });
}

#[test]
fn protected_units_stay_and_the_budget_is_missed() {
    let case = Case::new(&[User, User, User]).protected(0).protected(2);
    let decided = case.decide(0, 4);
    assert_eq!(decided.drops.len(), 1);
    assert_eq!(decided.cuts.iter().map(|cut| cut.unit).collect::<Vec<_>>(), [1]);
    assert_eq!(decided.output_chars, 24);
}

#[test]
fn a_call_and_its_result_go_together_by_the_higher_score() {
    // Alone the call would go first; its result scores above the texts between them.
    let case = Case::new(&[Assistant, Tool, Tool, Tool, Tool, Tool]).pair(0, 4);
    assert_eq!(case.dropped(71), [1]);
    assert_eq!(case.dropped(48), [1, 2]);
    assert_eq!(case.dropped(36), [1, 2, 3]);
    assert_eq!(case.dropped(35), [1, 2, 3, 0, 4]);
    let drops = case.decide(35, 100).drops;
    assert_eq!((drops[3].score, drops[3].chars), (drops[4].score, 12));
    assert_eq!(drops[4].score, case.features().score(4));
}

#[test]
fn a_protected_half_protects_the_other() {
    let case = Case::new(&[Assistant, Tool, User]).pair(0, 1).protected(1);
    assert_eq!(case.dropped(0), [2]);
    let cut: Vec<usize> = case.decide(100, 4).cuts.iter().map(|cut| cut.unit).collect();
    assert_eq!(cut, [2]);
}

#[test]
fn a_half_whose_other_half_is_gone_stands_alone() {
    let case = Case::new(&[Assistant, Tool, User]).pair(0, 1).protected(1).gone(1);
    assert_eq!(case.dropped(12), [0]);
    assert_eq!(case.decide(24, 100).output_chars, 24);
}

/// Wordless units, which nothing but place and role score: a user's, but for one call and its
/// result, at the places given.
fn wordless(count: usize, call: usize, result: usize) -> Case {
    let mut roles = vec![User; count];
    (roles[call], roles[result]) = (Assistant, Tool);
    let mut case = Case::new(&roles).pair(call, result);
    for (index, (_, content)) in case.units.iter_mut().enumerate() {
        *content = ["!", "?"][index % 2].repeat(12 + index);
    }
    case
}

#[test]
fn on_a_tie_a_pair_is_as_old_as_its_call() {
    let case = wordless(11, 0, 4);
    assert_eq!(case.features().score(1), case.features().score(4));
    assert_eq!(case.dropped(11 * 12 - 1), [0, 4]);
    // A result that stands before its call makes the pair no older.
    let case = wordless(51, 19, 2).protected(0).protected(1);
    assert_eq!(case.features().score(10), case.features().score(19));
    let dropped = case.dropped(51 * 12 - 9 * 12);
    assert_eq!(dropped, [3, 4, 5, 6, 7, 8, 9, 10, 2, 19]);
}

#[test]
fn a_named_unit_waits_for_the_one_that_names_it() {
    let case = Case::new(&[User, User, User, User]).pointing(2, 0);
    assert_eq!(case.dropped(36), [1]);
    // Once the naming one has gone, the named one is the lowest that is left.
    assert_eq!(case.dropped(24), [1, 2]);
    assert_eq!(case.dropped(12), [1, 2, 0]);
}

#[test]
fn a_unit_named_twice_waits_for_both() {
    let case = Case::new(&[User, User, User, User]).pointing(1, 0).pointing(2, 0);
    assert_eq!(case.dropped(0), [1, 2, 0, 3]);
}

#[test]
fn a_named_half_holds_its_pair_and_a_pair_may_name_itself() {
    let held = Case::new(&[Assistant, Tool, Assistant, Tool, User]).pair(0, 1).pair(2, 3);
    assert_eq!(held.pointing(3, 1).dropped(24), [2, 3, 0, 1]);
    let own = Case::new(&[Assistant, Tool, User]).pair(0, 1).pointing(1, 0);
    assert_eq!(own.dropped(12), [0, 1]);
}

#[test]
fn what_a_protected_unit_names_stays() {
    let case = Case::new(&[User, User, User]).pointing(2, 0).protected(2);
    assert_eq!(case.dropped(0), [1]);
    let circle = Case::new(&[User, User]).pointing(0, 1).pointing(1, 0);
    assert!(circle.dropped(0).is_empty());
}

#[test]
fn a_naming_unit_that_is_gone_holds_nothing() {
    let case = Case::new(&[User, User, User]).pointing(2, 0).gone(2);
    assert_eq!(case.dropped(12), [0]);
}

#[test]
fn a_named_unit_is_dropped_whole_and_never_cut() {
    let case = Case::new(&[User, User, User]).pointing(1, 0);
    let decided = case.decide(0, 4);
    let cut: Vec<usize> = decided.cuts.iter().map(|cut| cut.unit).collect();
    assert_eq!(cut, [1, 2]);
    let dropped: Vec<_> = decided.drops.iter().map(|drop| (drop.unit, drop.chars)).collect();
    assert_eq!(dropped, [(1, 4), (0, 12), (2, 4)]);
}

#[test]
fn calls_and_replaced_results_are_not_cut() {
    let mut case = Case::new(&[User, User]);
    case.standing[0].trim = false;
    let cuts = case.decide(100, 4).cuts;
    assert_eq!(cuts.len(), 1);
    assert_eq!((cuts[0].unit, cuts[0].original_chars, cuts[0].chars), (1, 12, 4));
    assert_eq!((cuts[0].bytes, cuts[0].kind), (4, CutKind::Hard));
}

#[test]
fn sizes_are_what_stands_when_the_pass_begins() {
    let mut case = Case::new(&[User, User, User]);
    case.standing[1].chars = 2;
    assert!(case.dropped(26).is_empty());
    assert_eq!(case.dropped(25), [0]);
    assert_eq!(case.dropped(13), [0, 1]);
}

#[test]
fn only_compared_units_of_one_role_are_duplicates() {
    let mut case = Case::new(&[User, Assistant, Tool, Tool, User]).pair(2, 3);
    for (_, content) in &mut case.units {
        *content = "same words.".into();
    }
    let duplicates = case.decide(100, 100).duplicates;
    let pairs: Vec<_> = duplicates.iter().map(|found| (found.unit, found.of)).collect();
    assert_eq!(pairs, [(4, 0)]);
    assert_eq!(duplicates[0].similarity, 1.0);
}

fn answer(request: Value) -> Value {
    serde_json::to_value(memory_compact(request.to_string().as_bytes()).unwrap()).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(|key| &key[..]).collect()
}

#[test]
fn the_id_follows_what_says_why() {
    let answer = answer(json!({
        "messages": [{"role": "user", "content": "a", "id": "x"},
                     {"role": "user", "content": "b", "id": "y", "pin": true}],
        "budget_chars": 100, "keep_last_n": 1
    }));
    let messages = &answer["messages"];
    let end = ["id", "original_chars", "chars"];
    assert_eq!(keys(&messages[0])[4..], ["protected", "score", end[0], end[1], end[2]]);
    assert_eq!(keys(&messages[1])[4..], ["protected", "protected_because", end[0], end[1], end[2]]);
    assert_eq!(messages[1]["protected_because"], json!(["pin", "recent"]));
}

#[test]
fn long_messages_are_trimmed_within_the_budget_and_listed_when_dropped() {
    let long = "word ".repeat(40);
    let request = |budget: usize| {
        json!({
            "messages": [{"role": "user", "content": long}, {"role": "user", "content": "z ".repeat(60)}],
            "budget_chars": budget, "keep_last_n": 0, "keep_roles": [], "max_message_chars": 80
        })
    };
    let within = answer(request(400));
    assert_eq!(within["stages"][2]["trimmed_messages"], 2);
    assert_eq!(within["loss"]["truncated_chars"], 120 + 40);
    let over = answer(request(100));
    assert_eq!(over["stages"][2]["trimmed_messages"], 2);
    assert_eq!(over["stages"][3]["dropped"][0]["chars"], 80);
    assert_eq!(over["loss"]["trimmed_messages"], 1);
    assert_eq!(over["loss"]["dropped_chars"], 200);
    assert_eq!(over["loss"]["truncated_chars"], 40);
}

#[test]
fn the_rule_echoes_settings_as_given() {
    let answer = answer(json!({
        "messages": [{"role": "user", "content": "a", "pin": true}, {"role": "tool", "content": "b"}],
        "budget_chars": 100, "keep_last_n": 50, "keep_roles": ["tool", "user", "tool"],
        "duplicate_threshold": 1.0
    }));
    assert_eq!(
        answer["stages"][0]["rule"],
        json!({"keep_roles": ["tool", "user", "tool"], "keep_last_n": 50, "explicit_pins": 1})
    );
    assert_eq!(answer["stages"][1]["rule"]["duplicate_threshold"].to_string(), "1");
    assert_eq!(answer["messages"][0]["protected_because"], json!(["pin", "role", "recent"]));
}
