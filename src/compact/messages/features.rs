//! What the pass knows of a session before any setting is looked at. Computed once, so that a
//! knob turn only has to decide.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::session::Role;

use super::classes::Classes;
use super::neighbours::Neighbours;
use super::words::Vocabulary;

/// How many topic terms there are at most.
const TOPIC_TERMS: usize = 25;

/// Weight of the position in the history in a score.
pub(super) const RECENCY_WEIGHT: f64 = 0.5;
/// Weight of the speaker in a score.
pub(super) const ROLE_WEIGHT: f64 = 0.3;
/// Weight of the topic overlap in a score.
pub(super) const TOPIC_WEIGHT: f64 = 0.2;

/// One unit of the pass: what it says and who says it.
#[derive(Debug, Clone, Copy)]
pub struct Unit<'a> {
    pub role: Role,
    pub content: &'a str,
    /// Whether it may duplicate another unit or be duplicated. True for texts only: a call or a
    /// result is left to the tool-call pass.
    pub compared: bool,
}

/// The words, scores and similarities of a sequence of units. Holds no content.
///
/// Rules: steps 1, 2 and 3 of memory-compact.
pub struct Features {
    roles: Vec<Role>,
    /// Unicode scalar values of each unit.
    chars: Vec<usize>,
    vocabulary: Vocabulary,
    /// The word sets of all units, one after the other.
    words: Vec<u32>,
    /// Where each unit's set ends in `words`.
    ends: Vec<usize>,
    topic_terms: Vec<String>,
    overlaps: Vec<f64>,
    scores: Vec<f64>,
    /// All units, lowest score first, older first on a tie.
    order: Vec<usize>,
    classes: Classes,
    neighbours: RwLock<Neighbours>,
}

impl Features {
    /// Reads all units, oldest first. Near linear in their characters.
    pub fn new<'a>(units: impl Iterator<Item = Unit<'a>>) -> Features {
        let mut features = Features {
            roles: Vec::new(),
            chars: Vec::new(),
            vocabulary: Vocabulary::default(),
            words: Vec::new(),
            ends: Vec::new(),
            topic_terms: Vec::new(),
            overlaps: Vec::new(),
            scores: Vec::new(),
            order: Vec::new(),
            classes: Classes::default(),
            neighbours: RwLock::default(),
        };
        features.extend(units);
        features
    }

    /// Appends units. Only theirs are read; terms and scores, which depend on every unit, are
    /// computed again from the numbers kept of the earlier ones.
    pub fn extend<'a>(&mut self, more: impl Iterator<Item = Unit<'a>>) {
        for unit in more {
            self.read(unit);
        }
        let neighbours = self.neighbours.get_mut().unwrap_or_else(PoisonError::into_inner);
        neighbours.catch_up(&self.classes, self.vocabulary.len());
        self.measure_overlaps();
        self.score_all();
    }

    /// Compares the texts now, down to a similarity from 0 to 1, which the first decision at a
    /// threshold that low would do else. For a moment when nobody waits.
    pub fn prepare(&self, threshold: f64) {
        drop(self.neighbours(threshold));
    }

    /// How many units there are.
    pub fn len(&self) -> usize {
        self.roles.len()
    }

    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }

    pub fn role(&self, unit: usize) -> Role {
        self.roles[unit]
    }

    /// Unicode scalar values of the unit's original content.
    pub fn chars(&self, unit: usize) -> usize {
        self.chars[unit]
    }

    /// `0.5 × recency + 0.3 × role weight + 0.2 × overlap`, from 0 to 1, unrounded.
    pub fn score(&self, unit: usize) -> f64 {
        self.scores[unit]
    }

    /// Position in the history: 0 for the oldest unit, 1 for the newest or only one.
    pub fn recency(&self, unit: usize) -> f64 {
        match self.len() {
            1 => 1.0,
            count => unit as f64 / (count - 1) as f64,
        }
    }

    /// Share of the unit's word set that is topic terms, from 0 to 1; 0 for a unit without words.
    pub fn overlap(&self, unit: usize) -> f64 {
        self.overlaps[unit]
    }

    /// The 25 most frequent words of more than three characters, most frequent first.
    pub fn topic_terms(&self) -> &[String] {
        &self.topic_terms
    }

    /// All units, lowest score first, older first on a tie.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    pub(super) fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The similar classes, known down to `threshold` where they are few enough to be kept.
    /// The first call, and the first below a floor, take as long as comparing all units does.
    pub(super) fn neighbours(&self, threshold: f64) -> RwLockReadGuard<'_, Neighbours> {
        let known = self.neighbours.read().unwrap_or_else(PoisonError::into_inner);
        let Some(floor) = known.floor_wanted(threshold) else { return known };
        drop(known);
        // Built outside the lock: other threads decide on meanwhile.
        let deeper = Neighbours::new(floor, &self.classes, self.vocabulary.len());
        *self.neighbours.write().unwrap_or_else(PoisonError::into_inner) = deeper;
        self.neighbours.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&mut self, unit: Unit<'_>) {
        let start = self.words.len();
        self.vocabulary.read(unit.content, &mut self.words);
        self.ends.push(self.words.len());
        self.roles.push(unit.role);
        self.chars.push(unit.content.chars().count());
        self.classes.add(unit, &self.words[start..]);
    }

    fn measure_overlaps(&mut self) {
        let terms = self.vocabulary.most_frequent(TOPIC_TERMS);
        let mut is_term = vec![false; self.vocabulary.len()];
        for &(_, id) in &terms {
            is_term[id as usize] = true;
        }
        self.topic_terms = terms.into_iter().map(|(word, _)| word.to_owned()).collect();
        self.overlaps.clear();
        let mut start = 0;
        for &end in &self.ends {
            let set = &self.words[start..end];
            let shared = set.iter().filter(|&&word| is_term[word as usize]).count();
            self.overlaps.push(if set.is_empty() { 0.0 } else { shared as f64 / set.len() as f64 });
            start = end;
        }
    }

    fn score_all(&mut self) {
        self.scores = (0..self.len())
            .map(|unit| {
                RECENCY_WEIGHT * self.recency(unit)
                    + ROLE_WEIGHT * role_weight(self.roles[unit])
                    + TOPIC_WEIGHT * self.overlaps[unit]
            })
            .collect();
        self.order = (0..self.len()).collect();
        self.order.sort_by(|&a, &b| self.scores[a].total_cmp(&self.scores[b]));
    }
}

/// What a speaker's words weigh in a score, from 0 to 1.
pub fn role_weight(role: Role) -> f64 {
    match role {
        Role::System | Role::User => 1.0,
        Role::Assistant => 0.7,
        Role::Tool => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(contents: &[(Role, &str)]) -> Features {
        Features::new(contents.iter().map(|&(role, content)| Unit {
            role,
            content,
            compared: true,
        }))
    }

    #[test]
    fn a_score_is_recency_role_and_topic_overlap() {
        let features = features(&[
            (Role::User, "alpha beta"),
            (Role::Assistant, "alpha of it"),
            (Role::Tool, "!!!"),
        ]);
        assert_eq!(features.topic_terms(), ["alpha", "beta"]);
        assert_eq!(features.recency(1), 0.5);
        assert_eq!(features.overlap(0), 1.0);
        assert_eq!(features.overlap(1), 1.0 / 3.0);
        assert_eq!(features.overlap(2), 0.0);
        assert_eq!(features.score(1), 0.5 * 0.5 + 0.3 * 0.7 + 0.2 * (1.0 / 3.0));
        assert_eq!(features.score(2), 0.5 + 0.3 * 0.5);
        assert_eq!(features.order(), [0, 1, 2]);
    }

    #[test]
    fn one_unit_alone_is_recent() {
        let features = features(&[(Role::System, "it")]);
        assert_eq!(features.recency(0), 1.0);
        assert_eq!(features.score(0), 0.5 + 0.3);
    }

    #[test]
    fn no_units_have_no_scores() {
        let features = features(&[]);
        assert!(features.is_empty() && features.topic_terms().is_empty());
    }

    #[test]
    fn at_most_25_terms_are_used_and_duplicates_count() {
        let words: Vec<String> = (0..30).map(|number| format!("word{number:02}")).collect();
        let all = words.join(" ");
        let features =
            features(&[(Role::User, &all), (Role::User, "word29"), (Role::User, "word29")]);
        assert_eq!(features.topic_terms().len(), 25);
        assert_eq!(features.topic_terms()[..2], ["word29", "word00"]);
        assert_eq!(features.overlap(0), 25.0 / 30.0);
    }

    #[test]
    fn equal_scores_are_ordered_by_age() {
        let features = features(&[(Role::User, "of"), (Role::User, "it"), (Role::User, "as")]);
        assert_eq!(features.order(), [0, 1, 2]);
    }

    #[test]
    fn features_can_be_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Features>();
    }
}
