//! Which classes are alike, found without comparing all with all where the words allow it, and
//! kept so that a knob turn has nothing to compare.

use std::collections::HashMap;

use crate::session::Role;

use super::classes::Classes;
use super::profiles::{Least, Profiles};

/// Down to which similarity pairs are looked for: the first step serves the usual thresholds
/// soon, the last one the whole range of the setting.
const FLOORS: [f64; 2] = [0.8, 0.5];

/// How many similar pairs are kept, of 8 bytes each. Above it the lowest bands are forgotten.
const MOST_PAIRS: usize = 8_000_000;

/// Profiles are begun anew once there are this many times the classes.
const GROWTH: usize = 2;
/// Fewer classes than these are never worth that.
const FEW_CLASSES: usize = 64;

/// The profiles of all classes and the similar pairs, each kept by the later of the two.
pub(super) struct Neighbours {
    pub profiles: Profiles,
    /// The similarity down to which pairs were asked for.
    asked: f64,
    most_pairs: usize,
    /// From the most similar pairs down, so that a threshold looks at none far below it; without
    /// the bands that were too many.
    bands: Vec<Band>,
    index: Index,
    /// How many classes there were when the profiles were begun.
    begun_with: usize,
    compared: usize,
}

/// The pairs whose similarity is at least `least` and below that of the band before.
struct Band {
    least: f64,
    /// For each class, the earlier ones, ascending.
    pairs: Vec<Neighbour>,
    /// Where each class's neighbours end in `pairs`.
    ends: Vec<usize>,
}

#[derive(Clone, Copy)]
pub(super) struct Neighbour {
    pub class: u32,
    pub shared: u32,
}

impl Default for Neighbours {
    /// Nothing is known yet.
    fn default() -> Neighbours {
        Neighbours {
            profiles: Profiles::default(),
            asked: f64::INFINITY,
            most_pairs: MOST_PAIRS,
            bands: Vec::new(),
            index: Index::default(),
            begun_with: 0,
            compared: 0,
        }
    }
}

impl Neighbours {
    /// Finds all pairs whose similarity is at least `floor`. `words` is how many words the
    /// vocabulary has.
    pub fn new(floor: f64, classes: &Classes, words: usize) -> Neighbours {
        Neighbours::keeping(MOST_PAIRS, floor, classes, words)
    }

    /// As [`Neighbours::new`], with another bound on the pairs kept.
    pub fn keeping(most_pairs: usize, floor: f64, classes: &Classes, words: usize) -> Neighbours {
        let mut found = Neighbours {
            profiles: Profiles::new(classes, words),
            asked: floor,
            most_pairs,
            bands: Band::down_to(floor),
            begun_with: classes.len(),
            ..Neighbours::default()
        };
        found.compare_rest(classes);
        found
    }

    /// Compares the classes that were appended since; nothing when no pair was asked for yet.
    pub fn catch_up(&mut self, classes: &Classes, words: usize) {
        if self.asked.is_infinite() {
            return;
        }
        if classes.len() > GROWTH * self.begun_with.max(FEW_CLASSES) {
            *self = Neighbours::keeping(self.most_pairs, self.asked, classes, words);
        } else {
            self.compare_rest(classes);
        }
    }

    /// The floor to build anew with before this threshold is decided; `None` when building
    /// would tell no more.
    pub fn floor_wanted(&self, threshold: f64) -> Option<f64> {
        if threshold >= self.asked {
            return None;
        }
        let floor = FLOORS.into_iter().find(|&floor| threshold >= floor);
        // Below all floors pairs are not kept, but profiles are needed all the same.
        floor.or_else(|| self.asked.is_infinite().then_some(FLOORS[0]))
    }

    /// Whether every pair at or above the threshold is kept.
    pub fn covers(&self, threshold: f64) -> bool {
        threshold >= self.floor()
    }

    /// The earlier classes that may be similar enough to this one, ascending in each of several
    /// runs, the most similar first.
    pub fn of(&self, class: usize, threshold: f64) -> impl Iterator<Item = &[Neighbour]> {
        let above = self.bands.iter().take_while(|band| band.least > threshold).count();
        self.bands.iter().take(above + 1).map(move |band| band.of(class))
    }

    /// The similarity down to which all pairs are kept. Without a band that is 1: two classes
    /// are never the same.
    fn floor(&self) -> f64 {
        self.bands.last().map_or(1.0, |band| band.least)
    }

    fn compare_rest(&mut self, classes: &Classes) {
        for class in self.compared..classes.len() {
            let role = classes.get(class).role;
            self.profiles.add(classes.get(class));
            let found = self.index.similar(class, role, &self.profiles, Least::new(self.floor()));
            self.index.add(class, role, &self.profiles, Least::new(self.asked));
            self.keep(class, &found);
        }
        self.compared = classes.len();
    }

    fn keep(&mut self, class: usize, found: &[Neighbour]) {
        for near in found {
            let similarity = near.similarity(class, &self.profiles);
            if let Some(band) = self.bands.iter_mut().find(|band| similarity >= band.least) {
                band.pairs.push(*near);
            }
        }
        for band in &mut self.bands {
            band.ends.push(band.pairs.len());
        }
        while self.bands.iter().map(|band| band.pairs.len()).sum::<usize>() > self.most_pairs {
            self.bands.pop();
        }
    }
}

impl Band {
    /// Empty bands down to one that begins at `floor`: a hundredth wide from 0.9 up, where
    /// thresholds mostly are, five below.
    fn down_to(floor: f64) -> Vec<Band> {
        (0..100)
            .rev()
            .filter(|hundredths| *hundredths >= 90 || hundredths % 5 == 0)
            .map(|hundredths| f64::from(hundredths) / 100.0)
            .take_while(|&least| least >= floor)
            .map(|least| Band { least, pairs: Vec::new(), ends: Vec::new() })
            .collect()
    }

    fn of(&self, class: usize) -> &[Neighbour] {
        let start = class.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.pairs[start..self.ends[class]]
    }
}

impl Neighbour {
    /// Its similarity to `class`, whose neighbour it is.
    pub fn similarity(&self, class: usize, profiles: &Profiles) -> f64 {
        profiles.similarity(class, self.class as usize, self.shared as usize)
    }
}

/// Classes by the rarest words of their sets: two classes that are similar enough share one.
#[derive(Default)]
struct Index {
    postings: HashMap<(Role, u32), Vec<u32>>,
    of_role: [Vec<u32>; Role::ALL.len()],
    /// The class that each class was last a candidate for.
    candidate_for: Vec<usize>,
}

impl Index {
    /// Takes in a class, to be found by all that are similar enough.
    fn add(&mut self, class: usize, role: Role, profiles: &Profiles, least: Least) {
        for token in profiles.rarest(class, profiles.prefix(class, least)) {
            self.postings.entry((role, token)).or_default().push(class as u32);
        }
        self.of_role[role as usize].push(class as u32);
        self.candidate_for.push(class);
    }

    /// The classes that were taken in and are similar enough to this one, ascending.
    fn similar(
        &mut self,
        class: usize,
        role: Role,
        profiles: &Profiles,
        least: Least,
    ) -> Vec<Neighbour> {
        let prefix = profiles.rarest(class, profiles.prefix(class, least));
        let postings: Vec<&Vec<u32>> =
            prefix.filter_map(|token| self.postings.get(&(role, token))).collect();
        let all = &self.of_role[role as usize];
        let near = |&other: &u32| {
            let shared = profiles.shared(class, other as usize, least)?;
            Some(Neighbour { class: other, shared: shared as u32 })
        };
        // When the rare words are not rare, going through all is quicker.
        if postings.iter().map(|posting| posting.len()).sum::<usize>() >= all.len() {
            return all.iter().filter_map(near).collect();
        }
        let mut found = Vec::new();
        for other in postings.into_iter().flatten() {
            let last = std::mem::replace(&mut self.candidate_for[*other as usize], class);
            if last != class {
                found.extend(near(other));
            }
        }
        found.sort_unstable_by_key(|near| near.class);
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::compact::messages::features::Unit;

    const VOCABULARY: u32 = 3_000;

    fn add(classes: &mut Classes, role: Role, words: &BTreeSet<u32>) {
        let words: Vec<u32> = words.iter().copied().collect();
        classes.add(Unit { role, content: "", compared: true }, &words);
    }

    fn jaccard(classes: &Classes, one: usize, other: usize) -> f64 {
        let set = |class| classes.get(class).words.iter().collect::<BTreeSet<_>>();
        let (a, b) = (set(one), set(other));
        a.intersection(&b).count() as f64 / a.union(&b).count() as f64
    }

    /// Every pair at or above the threshold, compared one by one.
    fn all_pairs(classes: &Classes, threshold: f64) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for later in 0..classes.len() {
            for earlier in 0..later {
                if classes.get(later).role == classes.get(earlier).role
                    && jaccard(classes, later, earlier) >= threshold
                {
                    pairs.push((later, earlier));
                }
            }
        }
        pairs
    }

    fn kept_pairs(
        neighbours: &Neighbours,
        classes: &Classes,
        threshold: f64,
    ) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for later in 0..classes.len() {
            let near = neighbours.of(later, threshold).flatten();
            let similar =
                near.filter(|near| near.similarity(later, &neighbours.profiles) >= threshold);
            pairs.extend(similar.map(|near| (later, near.class as usize)));
        }
        pairs.sort_unstable();
        pairs
    }

    /// Sets of which many are others with a few words changed; common words are small numbers.
    fn sets() -> impl Strategy<Value = Vec<(bool, BTreeSet<u32>)>> {
        let word = prop_oneof![0..20_u32, 0..300_u32, 0..VOCABULARY];
        let fresh = prop::collection::btree_set(word.clone(), 1..60);
        let change = prop::collection::vec(word, 0..8);
        let step = (any::<bool>(), fresh, change, any::<prop::sample::Index>(), 0..3);
        prop::collection::vec(step, 1..220).prop_map(|steps| {
            let mut sets: Vec<(bool, BTreeSet<u32>)> = Vec::new();
            for (user, fresh, change, like, kind) in steps {
                let set = if kind == 0 || sets.is_empty() {
                    fresh
                } else {
                    let mut set = sets[like.index(sets.len())].1.clone();
                    for word in change {
                        if !set.remove(&word) {
                            set.insert(word);
                        }
                    }
                    set
                };
                if !set.is_empty() {
                    sets.push((user, set));
                }
            }
            sets
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn the_pairs_are_those_that_comparing_all_finds(
            sets in sets(),
            first in any::<prop::sample::Index>(),
            threshold in prop::sample::select(vec![0.5, 0.6, 2.0 / 3.0, 0.8, 0.9, 1.0]),
        ) {
            let mut classes = Classes::default();
            let split = first.index(sets.len() + 1);
            for (user, words) in &sets[..split] {
                add(&mut classes, if *user { Role::User } else { Role::Tool }, words);
            }
            let mut neighbours = Neighbours::new(0.5, &classes, VOCABULARY as usize);
            for (user, words) in &sets[split..] {
                add(&mut classes, if *user { Role::User } else { Role::Tool }, words);
            }
            neighbours.catch_up(&classes, VOCABULARY as usize);
            prop_assert!(neighbours.covers(threshold));
            let kept = kept_pairs(&neighbours, &classes, threshold);
            prop_assert_eq!(kept, all_pairs(&classes, threshold));
        }
    }

    /// Twenty classes of eleven words, any two of which share ten: all similarities are 10/12.
    fn alike() -> Classes {
        let mut classes = Classes::default();
        for own in 10..30 {
            add(&mut classes, Role::User, &(0..10).chain([own]).collect());
        }
        classes
    }

    #[test]
    fn too_many_pairs_raise_the_floor() {
        let classes = alike();
        let neighbours = Neighbours::keeping(50, 0.5, &classes, 30);
        assert!(!neighbours.covers(10.0 / 12.0));
        assert!(neighbours.covers(0.85));
        assert!(neighbours.bands.iter().all(|band| band.pairs.is_empty()));
        assert_eq!(neighbours.floor_wanted(0.5), None);
    }

    #[test]
    fn without_room_for_a_band_different_classes_are_still_known_to_differ() {
        let mut classes = Classes::default();
        for own in 200..220 {
            add(&mut classes, Role::User, &(0..200).chain([own]).collect());
        }
        let neighbours = Neighbours::keeping(5, 0.5, &classes, 220);
        assert!(neighbours.bands.is_empty());
        assert!(!neighbours.covers(0.995) && neighbours.covers(1.0));
        assert_eq!(kept_pairs(&neighbours, &classes, 1.0), []);
    }

    #[test]
    fn words_met_later_are_found_too() {
        let mut classes = alike();
        let mut neighbours = Neighbours::new(0.5, &classes, 30);
        add(&mut classes, Role::User, &(0..10).chain([40, 41]).collect());
        add(&mut classes, Role::User, &(0..10).chain([41, 42]).collect());
        neighbours.catch_up(&classes, 43);
        assert_eq!(kept_pairs(&neighbours, &classes, 0.5), all_pairs(&classes, 0.5));
        assert_eq!(neighbours.begun_with, 20);
    }

    #[test]
    fn many_more_classes_begin_the_profiles_anew() {
        let mut classes = alike();
        let mut neighbours = Neighbours::new(0.5, &classes, 30);
        for own in 100..300 {
            add(&mut classes, Role::User, &[own, own + 1, own + 2].into());
        }
        neighbours.catch_up(&classes, 303);
        assert_eq!(neighbours.begun_with, 220);
        assert_eq!(kept_pairs(&neighbours, &classes, 0.5), all_pairs(&classes, 0.5));
    }

    #[test]
    fn a_lower_threshold_asks_for_a_lower_floor_once() {
        let classes = alike();
        assert_eq!(Neighbours::default().floor_wanted(0.9), Some(0.8));
        assert_eq!(Neighbours::default().floor_wanted(0.1), Some(0.8));
        let neighbours = Neighbours::new(0.8, &classes, 30);
        assert_eq!(neighbours.floor_wanted(0.8), None);
        assert_eq!(neighbours.floor_wanted(0.79), Some(0.5));
        assert_eq!(neighbours.floor_wanted(0.49), None);
        assert_eq!(neighbours.floor_wanted(f64::NAN), None);
    }
}
