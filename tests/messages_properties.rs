//! The message pass against a plain reading of its rules: everything compared with everything,
//! every position of a text tried, the next candidate searched for anew each time.

use std::collections::{BTreeMap, BTreeSet};

use compactscope::compact::messages::{
    Cut, CutKind, Decided, Dropped, Duplicate, Features, Limits, Standing, Unit, decide,
};
use compactscope::session::Role;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

#[derive(Debug, Clone)]
struct Session {
    units: Vec<(Role, String)>,
    compared: Vec<bool>,
    standing: Vec<Standing>,
}

impl Session {
    fn units(&self) -> impl Iterator<Item = Unit<'_>> {
        let units = self.units.iter().zip(&self.compared);
        units.map(|((role, content), &compared)| Unit { role: *role, content, compared })
    }

    fn decide(&self, features: &Features, limits: &Limits) -> Decided {
        decide(features, &self.standing, limits, |unit| &self.units[unit].1)
    }
}

// ---- the plain reading ----

fn words(content: &str) -> Vec<String> {
    let lower = content.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(Into::into).collect()
}

fn scores(session: &Session) -> Vec<f64> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in session.units.iter().flat_map(|(_, content)| words(content)) {
        if word.chars().count() > 3 {
            *counts.entry(word).or_default() += 1;
        }
    }
    let mut ranked: Vec<(String, usize)> = counts.into_iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let terms: BTreeSet<String> = ranked.into_iter().take(25).map(|(word, _)| word).collect();
    let count = session.units.len();
    let score = |(index, (role, content)): (usize, &(Role, String))| {
        let set: BTreeSet<String> = words(content).into_iter().collect();
        let overlap = match set.len() {
            0 => 0.0,
            size => set.intersection(&terms).count() as f64 / size as f64,
        };
        let weight = match role {
            Role::System | Role::User => 1.0,
            Role::Assistant => 0.7,
            Role::Tool => 0.5,
        };
        let recency = if count == 1 { 1.0 } else { index as f64 / (count - 1) as f64 };
        0.5 * recency + 0.3 * weight + 0.2 * overlap
    };
    session.units.iter().enumerate().map(score).collect()
}

fn similarity(a: &str, b: &str) -> f64 {
    let (left, right): (BTreeSet<_>, BTreeSet<_>) =
        (words(a).into_iter().collect(), words(b).into_iter().collect());
    if left.is_empty() && right.is_empty() {
        return if a == b { 1.0 } else { 0.0 };
    }
    left.intersection(&right).count() as f64 / left.union(&right).count() as f64
}

/// The unit and the other half of its pair, where that stands.
fn candidate(session: &Session, stands: &[bool], unit: usize) -> Vec<usize> {
    let mut units = vec![unit];
    units.extend(session.standing[unit].partner.filter(|&other| stands[other]));
    units.sort();
    units
}

fn protected(session: &Session, stands: &[bool], unit: usize) -> bool {
    candidate(session, stands, unit).iter().any(|&unit| session.standing[unit].protected)
}

fn named(session: &Session, stands: &[bool], unit: usize) -> bool {
    (0..stands.len()).any(|other| {
        let standing = session.standing[other];
        stands[other]
            && standing.points_to == Some(unit)
            && other != unit
            && standing.partner != Some(unit)
    })
}

fn plain_dedupe(session: &Session, stands: &mut [bool], threshold: f64) -> Vec<Duplicate> {
    let targets: Vec<bool> = (0..stands.len()).map(|unit| named(session, stands, unit)).collect();
    let mut duplicates = Vec::new();
    for unit in 0..stands.len() {
        let (role, content) = &session.units[unit];
        let kept = targets[unit] || protected(session, stands, unit);
        if !stands[unit] || !session.compared[unit] || kept {
            continue;
        }
        let found = (0..unit).find_map(|of| {
            let alike = similarity(content, &session.units[of].1);
            let fits = stands[of] && session.compared[of] && session.units[of].0 == *role;
            (fits && alike >= threshold).then_some((of, alike))
        });
        if let Some((of, similarity)) = found {
            stands[unit] = false;
            duplicates.push(Duplicate { unit, of, similarity });
        }
    }
    duplicates
}

/// Whether a sentence ends before the character at `at`.
fn is_sentence_end(text: &[char], at: usize) -> bool {
    if text[at] == '\n' {
        return true;
    }
    let before = |mut at: usize, closers: &str, enders: &str| {
        while at > 0 && closers.contains(text[at - 1]) {
            at -= 1;
        }
        at > 0 && enders.contains(text[at - 1])
    };
    let narrow = text[at].is_whitespace() && before(at, "\"'”’»)]", ".!?…");
    narrow || (!"」』”’）".contains(text[at]) && before(at, "」』”’）", "。！？"))
}

fn plain_cut(unit: usize, content: &str, limit: usize) -> Option<Cut> {
    let text: Vec<char> = content.chars().collect();
    if text.len() <= limit {
        return None;
    }
    let mut ends = (0..=limit).filter(|&at| at * 10 > limit * 4 && is_sentence_end(&text, at));
    let (chars, kind) = match ends.next_back() {
        Some(at) => (at, CutKind::Sentence),
        None => (limit, CutKind::Hard),
    };
    let bytes = text[..chars].iter().map(|c| c.len_utf8()).sum();
    Some(Cut { unit, original_chars: text.len(), chars, bytes, kind })
}

fn plain_decide(session: &Session, limits: &Limits) -> Decided {
    let mut stands: Vec<bool> = session.standing.iter().map(|unit| !unit.gone).collect();
    let mut chars: Vec<usize> = session.standing.iter().map(|unit| unit.chars).collect();
    let targets: Vec<bool> = (0..stands.len()).map(|unit| named(session, &stands, unit)).collect();
    let duplicates = plain_dedupe(session, &mut stands, limits.duplicate_threshold);
    let mut cuts = Vec::new();
    for unit in 0..stands.len() {
        let free = !targets[unit] && !protected(session, &stands, unit);
        if stands[unit] && session.standing[unit].trim && free {
            cuts.extend(plain_cut(unit, &session.units[unit].1, limits.max_message_chars));
        }
    }
    cuts.iter().for_each(|cut| chars[cut.unit] = cut.chars);
    let drops = plain_drops(session, &mut stands, &chars, limits.budget_chars);
    let output_chars = total(&stands, &chars);
    Decided { duplicates, cuts, drops, output_chars }
}

fn total(stands: &[bool], chars: &[usize]) -> usize {
    stands.iter().zip(chars).filter(|(stands, _)| **stands).map(|(_, chars)| chars).sum()
}

fn plain_drops(
    session: &Session,
    stands: &mut [bool],
    chars: &[usize],
    budget: Option<usize>,
) -> Vec<Dropped> {
    let scores = scores(session);
    let mut drops = Vec::new();
    while budget.is_some_and(|budget| total(stands, chars) > budget) {
        let score = |units: &[usize]| units.iter().map(|&unit| scores[unit]).fold(0.0, f64::max);
        let age = |units: &[usize]| {
            let call = units.iter().find(|&&unit| session.units[unit].0 != Role::Tool);
            *call.unwrap_or(&units[units.len() - 1])
        };
        let next = (0..stands.len())
            .filter(|&unit| stands[unit] && !protected(session, stands, unit))
            .map(|unit| candidate(session, stands, unit))
            .filter(|units| !units.iter().any(|&unit| named(session, stands, unit)))
            .min_by(|a, b| score(a).total_cmp(&score(b)).then(age(a).cmp(&age(b))));
        let Some(units) = next else { break };
        for &unit in &units {
            stands[unit] = false;
            drops.push(Dropped { unit, score: score(&units), chars: chars[unit] });
        }
    }
    drops
}

// ---- sessions ----

fn content() -> impl Strategy<Value = String> {
    let words = "alpha beta gamma delta epsilon zeta of it Straße x² 会話 été nine ten";
    let words: Vec<&str> = words.split(' ').collect();
    let ends = vec![". ", ".\" ", "?! ", ", ", "\n", "。」", "！", "…) ", "_", ".\u{2003}", "\" "];
    let word = (select(words), prop_oneof![3 => Just(" "), 1 => select(ends)]);
    let text = prop::collection::vec(word, 1..14)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(word, end)| [word, end]).collect());
    prop_oneof![12 => text, 1 => select(vec!["!!!", "?", "…"]).prop_map(String::from)]
}

#[derive(Debug, Clone)]
struct Row {
    role: Role,
    content: String,
    again: Option<Index>,
    is_call: bool,
    protected: bool,
    gone: bool,
    pointer: Option<(Index, usize)>,
}

fn row() -> impl Strategy<Value = Row> {
    (
        select(Role::ALL.to_vec()),
        content(),
        prop::option::weighted(0.3, any::<Index>()),
        prop::bool::weighted(0.35),
        prop::bool::weighted(0.15),
        prop::bool::weighted(0.1),
        prop::option::weighted(0.5, (any::<Index>(), 1..30_usize)),
    )
        .prop_map(|(role, content, again, is_call, protected, gone, pointer)| Row {
            role,
            content,
            again,
            is_call,
            protected,
            gone,
            pointer,
        })
}

fn sessions() -> impl Strategy<Value = Session> {
    prop::collection::vec(row(), 1..40).prop_map(session)
}

/// Texts, some said again, and pairs of a call and its result, of which some point to others.
fn session(rows: Vec<Row>) -> Session {
    let mut session = Session { units: vec![], compared: vec![], standing: vec![] };
    let mut open_call: Option<usize> = None;
    for (index, row) in rows.iter().enumerate() {
        let content = match &row.again {
            Some(earlier) if index > 0 => session.units[earlier.index(index)].1.clone(),
            _ => row.content.clone(),
        };
        let mut standing = Standing {
            protected: row.protected,
            chars: content.chars().count(),
            gone: row.gone,
            trim: true,
            ..Standing::default()
        };
        let is_result = !row.is_call && open_call.is_some() && row.pointer.is_some();
        if let (true, Some(call)) = (is_result, open_call.take()) {
            standing.partner = Some(call);
            session.standing[call].partner = Some(index);
        }
        if row.is_call && open_call.is_none() {
            open_call = Some(index);
            standing.trim = false;
        }
        if let (true, Some((to, chars))) = (is_result && index % 3 > 0, &row.pointer) {
            standing.points_to = Some(to.index(rows.len()));
            standing.chars = standing.chars.min(*chars);
            standing.trim = false;
        }
        session.compared.push(!is_result && !row.is_call);
        let role = match (row.is_call, is_result) {
            (true, _) => Role::Assistant,
            (_, true) => Role::Tool,
            _ => row.role,
        };
        session.units.push((role, content));
        session.standing.push(standing);
    }
    session
}

fn limits() -> impl Strategy<Value = Limits> {
    let thresholds = vec![0.0, 0.3, 0.5, 0.55, 0.6, 2.0 / 3.0, 0.75, 0.8, 0.9, 1.0];
    (prop::option::weighted(0.9, 0..900_usize), select(thresholds), 0..60_usize).prop_map(
        |(budget_chars, duplicate_threshold, max_message_chars)| Limits {
            budget_chars,
            duplicate_threshold,
            max_message_chars,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn decisions_are_those_of_the_plain_reading(
        session in sessions(),
        settings in prop::collection::vec(limits(), 1..4),
    ) {
        let features = Features::new(session.units());
        let plain = scores(&session);
        let computed: Vec<f64> = (0..features.len()).map(|unit| features.score(unit)).collect();
        prop_assert_eq!(computed, plain);
        for limits in &settings {
            let decided = session.decide(&features, limits);
            prop_assert_eq!(decided, plain_decide(&session, limits));
        }
    }

    #[test]
    fn appended_units_count_as_if_they_had_been_there(
        session in sessions(),
        at in any::<Index>(),
        limits in limits(),
    ) {
        let split = at.index(session.units.len() + 1);
        let mut grown = Features::new(session.units().take(split));
        grown.prepare(0.5);
        grown.extend(session.units().skip(split));
        let whole = Features::new(session.units());
        prop_assert_eq!(grown.topic_terms(), whole.topic_terms());
        prop_assert_eq!(session.decide(&grown, &limits), session.decide(&whole, &limits));
    }

    #[test]
    fn characters_add_up_and_cuts_are_prefixes(session in sessions(), limits in limits()) {
        let decided = session.decide(&Features::new(session.units()), &limits);
        let standing = |unit: usize| session.standing[unit].chars;
        let input: usize =
            session.standing.iter().filter(|unit| !unit.gone).map(|unit| unit.chars).sum();
        let duplicates: usize = decided.duplicates.iter().map(|found| standing(found.unit)).sum();
        let cut: usize = decided.cuts.iter().map(|cut| cut.original_chars - cut.chars).sum();
        let dropped: usize = decided.drops.iter().map(|dropped| dropped.chars).sum();
        prop_assert_eq!(input, decided.output_chars + duplicates + cut + dropped);
        for cut in &decided.cuts {
            let content = &session.units[cut.unit].1;
            prop_assert_eq!(content[..cut.bytes].chars().count(), cut.chars);
        }
    }
}

/// What a case shows, so that the properties above are known to meet all of it.
fn outcomes(session: &Session, limits: &Limits, seen: &mut BTreeSet<&'static str>) {
    let decided = session.decide(&Features::new(session.units()), limits);
    if !decided.duplicates.is_empty() {
        seen.insert("duplicate");
    }
    if decided.duplicates.iter().any(|found| found.similarity < 1.0) {
        seen.insert("near duplicate");
    }
    for cut in &decided.cuts {
        seen.insert(if cut.kind == CutKind::Sentence { "sentence cut" } else { "hard cut" });
    }
    if limits.budget_chars.is_some_and(|budget| decided.output_chars > budget) {
        seen.insert("budget not met");
    }
    for (place, dropped) in decided.drops.iter().enumerate() {
        seen.insert("drop");
        if session.standing[dropped.unit].partner == decided.drops.get(place + 1).map(|d| d.unit) {
            seen.insert("pair dropped");
        }
        let waited = decided.drops[..place].iter().any(|earlier| {
            session.standing[earlier.unit].points_to == Some(dropped.unit)
                && dropped.score < earlier.score
        });
        if waited {
            seen.insert("waiting target dropped");
        }
    }
}

#[test]
fn the_generated_sessions_reach_every_outcome() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..300 {
        let session = sessions().new_tree(&mut runner).unwrap().current();
        let limits = limits().new_tree(&mut runner).unwrap().current();
        outcomes(&session, &limits, &mut seen);
    }
    let expected = [
        "budget not met",
        "drop",
        "duplicate",
        "hard cut",
        "near duplicate",
        "pair dropped",
        "sentence cut",
        "waiting target dropped",
    ];
    assert_eq!(seen, BTreeSet::from(expected));
}
