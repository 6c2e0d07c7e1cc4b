//! A set of names, and where a text mentions one of them.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use super::super::interner::as_number;
use crate::python::is_word;

/// Names by number. A text is searched for all of them at once, in time that grows with the text
/// and hardly with the names.
#[derive(Debug, Clone, Default)]
pub struct Names {
    numbers: BTreeMap<Arc<str>, u32>,
    beginnings: Beginnings,
}

/// How the names begin: a filter, since most places of a text begin none.
#[derive(Debug, Clone)]
struct Beginnings {
    /// A bit for each hash of a beginning.
    hashes: Box<[u64; SLOTS / 64]>,
    /// Which lengths of beginnings there are, in bytes.
    lengths: [bool; LONGEST + 1],
}

const SLOTS: usize = 1 << 16;
/// Bytes of a beginning; of a shorter name it is all.
const LONGEST: usize = 4;

impl Names {
    /// The number of a name, a new one when it is not in yet. Numbers count from 0.
    pub fn add(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = as_number(self.numbers.len());
        self.numbers.insert(name.into(), number);
        self.beginnings.add(name);
        number
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Tells of every place where a name [stands alone](super::super::naming::stands_alone), by
    /// the name's number.
    pub fn find_in(&self, text: &str, mut found: impl FnMut(u32)) {
        let mut is_inside = false;
        for (start, c) in text.char_indices() {
            if !is_inside && self.beginnings.may_begin(&text.as_bytes()[start..]) {
                self.find_at(&text[start..], &mut found);
            }
            is_inside = is_word_or_dash(c) || c == '.';
        }
        if !is_inside {
            self.find_at("", &mut found);
        }
    }

    /// Every name that `text` begins with. The names that are a text's beginning are the last one
    /// not behind it in order, and beginnings of that one.
    fn find_at(&self, text: &str, found: &mut impl FnMut(u32)) {
        let mut bound = Bound::Included(text);
        while let Some((name, number)) =
            self.numbers.range::<str, _>((Bound::Unbounded, bound)).next_back()
        {
            let shared = shared_beginning(name, text);
            if shared < name.len() {
                bound = Bound::Included(&text[..shared]);
                continue;
            }
            if !text[shared..].starts_with(is_word_or_dash) {
                found(*number);
            }
            bound = Bound::Excluded(&text[..shared]);
        }
    }
}

impl Beginnings {
    fn add(&mut self, name: &str) {
        let beginning = &name.as_bytes()[..name.len().min(LONGEST)];
        self.lengths[beginning.len()] = true;
        let slot = slot(beginning);
        self.hashes[slot / 64] |= 1 << (slot % 64);
    }

    fn may_begin(&self, text: &[u8]) -> bool {
        (0..=LONGEST.min(text.len())).filter(|&length| self.lengths[length]).any(|length| {
            let slot = slot(&text[..length]);
            self.hashes[slot / 64] & (1 << (slot % 64)) != 0
        })
    }
}

impl Default for Beginnings {
    fn default() -> Beginnings {
        Beginnings { hashes: Box::new([0; SLOTS / 64]), lengths: [false; LONGEST + 1] }
    }
}

fn slot(beginning: &[u8]) -> usize {
    let number = beginning.iter().fold(1_u64, |number, byte| number << 8 | u64::from(*byte));
    // The upper bits of a product with 2⁶⁴ ÷ φ depend on all of the number's.
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize
}

/// Bytes that two texts begin with alike, as whole characters.
fn shared_beginning(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|&at| one.is_char_boundary(at)).unwrap_or(0)
}

fn is_word_or_dash(c: char) -> bool {
    is_word(c) || c == '-'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::naming::mentions;
    use super::*;

    fn found(names: &[String], text: &str) -> Vec<bool> {
        let mut set = Names::default();
        let numbers: Vec<u32> = names.iter().map(|name| set.add(name)).collect();
        let mut found = vec![false; set.len()];
        set.find_in(text, |number| found[number as usize] = true);
        numbers.iter().map(|&number| found[number as usize]).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

        #[test]
        fn all_names_are_found_where_each_is_mentioned(
            names in prop::collection::vec("[ab./é -]{0,5}", 0..8), text in "[ab./é -]{0,24}"
        ) {
            let one_by_one: Vec<bool> = names.iter().map(|name| mentions(&text, name)).collect();
            prop_assert_eq!(found(&names, &text), one_by_one);
        }
    }
}
