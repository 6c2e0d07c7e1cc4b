//! Profiles: the word sets of classes, arranged so that two are compared in nanoseconds.
//!
//! The words found in most classes are one bit each; only the others are kept as lists, and
//! those are walked only for pairs that the bits have not ruled out.

use super::classes::{Class, Classes};

/// How many words are kept as bits.
const COMMON: usize = 256;

/// How many bits stand for the other words.
const SIGNATURE: usize = 256;

/// Where the tokens of words begin that were known when the profiles were begun.
const KNOWN: u32 = 1 << 31;

/// The word sets of all classes. Words are renamed to tokens, rarest lowest.
#[derive(Default)]
pub(super) struct Profiles {
    /// The token of each word that was known at first. Words met later are rarer than these.
    tokens: Vec<u32>,
    all: Vec<Profile>,
}

struct Profile {
    size: usize,
    common: [u64; COMMON / 64],
    /// The tokens of the other words, ascending.
    rare: Box<[u32]>,
    /// The same as bits: each token sets one.
    signature: [u64; SIGNATURE / 64],
}

/// A similarity that a pair has to reach.
#[derive(Clone, Copy)]
pub(super) struct Least {
    similarity: f64,
    /// The share of two sets' sizes together that they must have in common.
    share: f64,
}

impl Profiles {
    /// Takes the order of the words from the classes that there are, none of which is added
    /// yet. `words` is how many words the vocabulary has.
    pub fn new(classes: &Classes, words: usize) -> Profiles {
        let mut frequency = vec![0_u32; words];
        for class in classes.iter() {
            for &word in class.words.iter() {
                frequency[word as usize] += 1;
            }
        }
        let mut rarest_first: Vec<u32> = (0..words as u32).collect();
        rarest_first.sort_by_key(|&word| frequency[word as usize]);
        let mut tokens = vec![0; words];
        for (place, &word) in rarest_first.iter().enumerate() {
            tokens[word as usize] = KNOWN + place as u32;
        }
        Profiles { tokens, all: Vec::new() }
    }

    /// Appends the next class's profile.
    pub fn add(&mut self, class: &Class) {
        let mut common = [0; COMMON / 64];
        let mut rare = Vec::new();
        for token in class.words.iter().map(|&word| self.token(word)) {
            match token.checked_sub(self.first_common()) {
                Some(bit) => common[bit as usize / 64] |= 1 << (bit % 64),
                None => rare.push(token),
            }
        }
        rare.sort_unstable();
        let signature = signature(&rare);
        self.all.push(Profile { size: class.words.len(), common, rare: rare.into(), signature });
    }

    /// The `length` rarest tokens of a class, rarest first.
    pub fn rarest(&self, class: usize, length: usize) -> impl Iterator<Item = u32> {
        let profile = &self.all[class];
        let bits = (0..COMMON).filter(|bit| profile.common[bit / 64] >> (bit % 64) & 1 == 1);
        let common = bits.map(|bit| self.first_common() + bit as u32);
        profile.rare.iter().copied().chain(common).take(length)
    }

    /// How many of its rarest words a class must be found by, to be found by every class that
    /// is similar enough: all but the fewest that they can share, and one more (the prefix
    /// filter of all-pairs similarity search, Bayardo et al. 2007).
    pub fn prefix(&self, class: usize, least: Least) -> usize {
        let size = self.all[class].size;
        let fewest = (1..=size).find(|&shared| shared as f64 / size as f64 >= least.similarity);
        fewest.map_or(0, |fewest| size - fewest + 1)
    }

    /// How many words two different classes share, if that makes them similar enough.
    pub fn shared(&self, one: usize, other: usize, least: Least) -> Option<usize> {
        let (a, b) = (&self.all[one], &self.all[other]);
        let sizes = a.size + b.size;
        if !least.can_be_reached(a.size.min(b.size), sizes) {
            return None;
        }
        let common = a.common_with(b);
        let most = common + a.rare.len().min(b.rare.len());
        if !least.can_be_reached(most, sizes)
            || !least.can_be_reached(common + a.rare_at_most(b), sizes)
        {
            return None;
        }
        let shared = common + shared_tokens(&a.rare, &b.rare);
        (self.similarity(one, other, shared) >= least.similarity).then_some(shared)
    }

    /// Jaccard similarity of two different classes that share that many words, from 0 to 1.
    /// Two classes without words have different contents: 0.
    pub fn similarity(&self, one: usize, other: usize, shared: usize) -> f64 {
        match self.all[one].size + self.all[other].size - shared {
            0 => 0.0,
            union => shared as f64 / union as f64,
        }
    }

    fn token(&self, word: u32) -> u32 {
        let known = self.tokens.len() as u32;
        self.tokens.get(word as usize).copied().unwrap_or_else(|| word - known)
    }

    fn first_common(&self) -> u32 {
        KNOWN + self.tokens.len().saturating_sub(COMMON) as u32
    }
}

impl Profile {
    /// How many of the words kept as bits two sets share.
    fn common_with(&self, other: &Profile) -> usize {
        (0..COMMON / 64).map(|i| (self.common[i] & other.common[i]).count_ones() as usize).sum()
    }

    /// How many of the other words they can share at most: each bit that only one side has
    /// stands for a word, at least, that the other has not.
    fn rare_at_most(&self, other: &Profile) -> usize {
        let (mut only_here, mut only_there) = (0, 0);
        for (a, b) in self.signature.iter().zip(&other.signature) {
            only_here += (a & !b).count_ones() as usize;
            only_there += (b & !a).count_ones() as usize;
        }
        (self.rare.len() - only_here).min(other.rare.len() - only_there)
    }
}

impl Least {
    pub fn new(similarity: f64) -> Least {
        // |A∩B| / |A∪B| ≥ t means |A∩B| ≥ t / (1 + t) × (|A| + |B|).
        let reachable = similarity.max(0.0);
        Least { similarity, share: reachable / (1.0 + reachable) }
    }

    /// False only when sharing that many words is surely too little; the slack is far above any
    /// rounding error and far below one word.
    fn can_be_reached(&self, shared: usize, sizes: usize) -> bool {
        shared as f64 + 1e-6 >= self.share * sizes as f64
    }
}

fn signature(tokens: &[u32]) -> [u64; SIGNATURE / 64] {
    let mut bits = [0; SIGNATURE / 64];
    for token in tokens {
        let bit = *token as usize % SIGNATURE;
        bits[bit / 64] |= 1 << (bit % 64);
    }
    bits
}

/// How many tokens two ascending lists share.
fn shared_tokens(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        count += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count
}
