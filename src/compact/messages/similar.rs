//! Which texts are alike: Jaccard similarity of word sets, found without comparing all with all.
//!
//! Texts of one role with the same word set form a class; classes are compared, not texts. Two
//! sets that are similar enough must share one of their rarest words (the prefix filter of
//! all-pairs similarity search, Bayardo et al. 2007), so only classes that do are looked at.

use std::collections::HashMap;
use std::sync::Arc;

use crate::session::Role;

use super::features::Unit;

/// Down to which similarity pairs are looked for: the first step serves the usual thresholds
/// soon, the last one the whole range of the setting.
const FLOORS: [f64; 2] = [0.8, 0.5];

/// How many similar pairs are kept. Above it the least similar are forgotten.
const MOST_PAIRS: usize = 2_000_000;

/// Texts of one role with one word set (or, without words, one content), numbered in order of
/// their first text.
pub(super) struct Class {
    pub role: Role,
    /// The unit that the class begins with.
    pub first: usize,
    /// The word set, ascending.
    words: Arc<[u32]>,
    signature: Signature,
}

/// The classes of all compared units.
#[derive(Default)]
pub(super) struct Classes {
    /// The class of each unit; `None` for one that is not compared.
    of_unit: Vec<Option<u32>>,
    all: Vec<Class>,
    known: HashMap<Key, u32>,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Words(Role, Arc<[u32]>),
    Wordless(Role, Box<str>),
}

impl Classes {
    /// Appends a unit whose word set is `words`, in any order.
    pub fn add(&mut self, unit: Unit<'_>, words: &[u32]) {
        let index = self.of_unit.len();
        let class = unit.compared.then(|| self.class_of(unit, words, index));
        self.of_unit.push(class);
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn of(&self, unit: usize) -> Option<usize> {
        self.of_unit[unit].map(|class| class as usize)
    }

    pub fn get(&self, class: usize) -> &Class {
        &self.all[class]
    }

    /// Jaccard similarity of two classes' word sets, from 0 to 1. Without words, two contents
    /// are 1 when equal, else 0.
    pub fn similarity(&self, one: usize, other: usize) -> f64 {
        let (a, b) = (&self.all[one], &self.all[other]);
        if one == other { 1.0 } else { a.jaccard(b, shared(&a.words, &b.words)) }
    }

    /// A similarity that the two classes' cannot exceed, found in constant time.
    pub fn at_most(&self, one: usize, other: usize) -> f64 {
        let (a, b) = (&self.all[one], &self.all[other]);
        a.jaccard(b, a.signature.shared_at_most(a.words.len(), &b.signature, b.words.len()))
    }

    fn class_of(&mut self, unit: Unit<'_>, words: &[u32], index: usize) -> u32 {
        let mut sorted = words.to_vec();
        sorted.sort_unstable();
        let words: Arc<[u32]> = sorted.into();
        let key = if words.is_empty() {
            Key::Wordless(unit.role, unit.content.into())
        } else {
            Key::Words(unit.role, words.clone())
        };
        *self.known.entry(key).or_insert_with(|| {
            let signature = Signature::of(&words);
            self.all.push(Class { role: unit.role, first: index, words, signature });
            (self.all.len() - 1) as u32
        })
    }
}

impl Class {
    /// The similarity of two different classes that share that many words.
    fn jaccard(&self, other: &Class, shared: usize) -> f64 {
        match self.words.len() + other.words.len() - shared {
            0 => 0.0,
            union => shared as f64 / union as f64,
        }
    }
}

/// How many words two ascending sets share.
fn shared(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        count += usize::from(a[i] == b[j]);
        let (step_a, step_b) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(step_a);
        j += usize::from(step_b);
    }
    count
}

/// A word set as 256 bits: each word sets one.
#[derive(Clone, Copy)]
struct Signature([u64; 4]);

impl Signature {
    fn of(words: &[u32]) -> Signature {
        let mut bits = [0; 4];
        for &word in words {
            // Consecutive numbers would do, but words of one text are numbered together.
            let spread = word.wrapping_mul(0x9e37_79b1) >> 24;
            bits[(spread >> 6) as usize] |= 1 << (spread & 63);
        }
        Signature(bits)
    }

    /// Each bit that only one side has stands for a word, at least, that the other has not.
    fn shared_at_most(&self, own: usize, other: &Signature, others: usize) -> usize {
        let (mut only_here, mut only_there) = (0, 0);
        for (a, b) in self.0.iter().zip(&other.0) {
            only_here += (a & !b).count_ones() as usize;
            only_there += (b & !a).count_ones() as usize;
        }
        (own - only_here).min(others - only_there)
    }
}

/// The similar pairs of classes, each kept by the later of the two.
pub(super) struct Neighbours {
    /// The similarity down to which pairs were asked for.
    asked: f64,
    /// The similarity down to which all pairs are kept; above `asked` when they were too many.
    floor: f64,
    pairs: usize,
    /// For each class, the earlier ones, ascending.
    earlier: Vec<Vec<Neighbour>>,
    index: PrefixIndex,
}

#[derive(Clone, Copy)]
pub(super) struct Neighbour {
    pub class: u32,
    shared: u32,
}

impl Default for Neighbours {
    /// Nothing is known.
    fn default() -> Neighbours {
        Neighbours {
            asked: f64::INFINITY,
            floor: f64::INFINITY,
            pairs: 0,
            earlier: Vec::new(),
            index: PrefixIndex::default(),
        }
    }
}

impl Neighbours {
    /// Finds all pairs whose similarity is at least `floor`, which is above 0. `words` is how
    /// many words the vocabulary has.
    pub fn new(floor: f64, classes: &Classes, words: usize) -> Neighbours {
        let index = PrefixIndex::new(classes, words);
        let mut found = Neighbours { asked: floor, floor, index, ..Neighbours::default() };
        found.catch_up(classes);
        found
    }

    /// Compares the classes that were appended since; nothing when no pair was asked for yet.
    pub fn catch_up(&mut self, classes: &Classes) {
        if self.asked.is_infinite() {
            return;
        }
        for class in self.earlier.len()..classes.len() {
            let found = self.index.similar(class, classes, self.asked, self.floor);
            self.pairs += found.len();
            self.earlier.push(found);
            if self.pairs > MOST_PAIRS {
                self.forget_least_similar(classes);
            }
        }
    }

    /// The floor to build anew with before this threshold is decided; `None` when building
    /// would tell no more.
    pub fn floor_wanted(&self, threshold: f64) -> Option<f64> {
        if threshold >= self.asked {
            return None;
        }
        FLOORS.into_iter().find(|&floor| threshold >= floor)
    }

    /// Whether every pair at or above the threshold is kept.
    pub fn covers(&self, threshold: f64) -> bool {
        threshold >= self.floor
    }

    /// The earlier classes similar to this one, ascending.
    pub fn of(&self, class: usize) -> &[Neighbour] {
        &self.earlier[class]
    }

    /// Raises the floor above the median of the pairs kept.
    fn forget_least_similar(&mut self, classes: &Classes) {
        let mut all: Vec<f64> = Vec::with_capacity(self.pairs);
        for (class, neighbours) in self.earlier.iter().enumerate() {
            all.extend(neighbours.iter().map(|near| near.similarity(class, classes)));
        }
        let middle = all.len() / 2;
        let (_, median, _) = all.select_nth_unstable_by(middle, f64::total_cmp);
        self.floor = median.next_up();
        self.pairs = 0;
        for (class, neighbours) in self.earlier.iter_mut().enumerate() {
            neighbours.retain(|near| near.similarity(class, classes) >= self.floor);
            neighbours.shrink_to_fit();
            self.pairs += neighbours.len();
        }
    }
}

impl Neighbour {
    /// Its similarity to `class`, whose neighbour it is.
    pub fn similarity(&self, class: usize, classes: &Classes) -> f64 {
        classes.get(class).jaccard(classes.get(self.class as usize), self.shared as usize)
    }
}

/// Classes by the rarest words of their sets.
#[derive(Default)]
struct PrefixIndex {
    /// In how many classes each word was when the index was begun; words met later count 0.
    /// Any fixed order of the words gives the right pairs, rarest first gives few candidates.
    frequency: Vec<u32>,
    postings: HashMap<(Role, u32), Vec<u32>>,
    /// The class that each class was last a candidate for.
    seen_by: Vec<usize>,
}

impl PrefixIndex {
    fn new(classes: &Classes, words: usize) -> PrefixIndex {
        let mut frequency = vec![0; words];
        for class in &classes.all {
            for &word in class.words.iter() {
                frequency[word as usize] += 1;
            }
        }
        PrefixIndex { frequency, ..PrefixIndex::default() }
    }

    /// The indexed classes whose similarity to `class` is at least `floor`, ascending; then
    /// indexes the class, for every similarity from `deepest` up.
    fn similar(
        &mut self,
        class: usize,
        classes: &Classes,
        deepest: f64,
        floor: f64,
    ) -> Vec<Neighbour> {
        self.seen_by.resize(class + 1, usize::MAX);
        let own = classes.get(class);
        let mut words = own.words.to_vec();
        words.sort_unstable_by_key(|&word| (self.frequency(word), word));
        words.truncate(prefix_length(words.len(), deepest));
        let probed = prefix_length(own.words.len(), floor);
        let mut found = Vec::new();
        for (place, &word) in words.iter().enumerate() {
            let posting = self.postings.entry((own.role, word)).or_default();
            if place < probed {
                for &other in posting.iter() {
                    let unseen = self.seen_by[other as usize] != class;
                    self.seen_by[other as usize] = class;
                    if unseen {
                        found.extend(compare(class, other, classes, floor));
                    }
                }
            }
            posting.push(class as u32);
        }
        found.sort_unstable_by_key(|near| near.class);
        found
    }

    fn frequency(&self, word: u32) -> u32 {
        self.frequency.get(word as usize).copied().unwrap_or(0)
    }
}

/// The pair, if its similarity is at least `floor`.
fn compare(class: usize, other: u32, classes: &Classes, floor: f64) -> Option<Neighbour> {
    if classes.at_most(class, other as usize) < floor {
        return None;
    }
    let (a, b) = (classes.get(class), classes.get(other as usize));
    let shared = shared(&a.words, &b.words);
    (a.jaccard(b, shared) >= floor).then_some(Neighbour { class: other, shared: shared as u32 })
}

/// How many of a set's words, in the index's order, a similar set must meet: all but the fewest
/// that two sets of at least that similarity can share, and one more.
fn prefix_length(size: usize, floor: f64) -> usize {
    let reaches = |shared: usize| shared as f64 / size as f64 >= floor;
    let mut shared = ((floor * size as f64).ceil() as usize).min(size);
    while shared > 1 && reaches(shared - 1) {
        shared -= 1;
    }
    if reaches(shared) { size - shared.max(1) + 1 } else { 0 }
}
