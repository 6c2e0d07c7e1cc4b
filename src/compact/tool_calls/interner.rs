//! Numbers for distinct things, and a quick hash for keys that are numbers already.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Gives equal things one number, counting from 0. The things stay with the caller: a number is
/// found by hash and confirmed by comparison, so a collision costs time, never an answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Interner {
    newest: NumberMap<u64, u32>,
    /// For each number, the one before it with the same hash.
    older: Vec<Option<u32>>,
}

/// A map whose keys are numbers (or hashes) that nobody outside the program chooses.
pub(super) type NumberMap<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// Multiplies and folds. [`HashMap`] looks at both ends of a hash, so both must vary.
#[derive(Default)]
pub(super) struct Mix(u64);

impl Interner {
    /// The number of the thing with this hash for which `same` holds, and whether it is new.
    pub fn number(&mut self, hash: u64, same: impl Fn(u32) -> bool) -> (u32, bool) {
        let mut known = self.newest.get(&hash).copied();
        while let Some(number) = known {
            if same(number) {
                return (number, false);
            }
            known = self.older[number as usize];
        }
        let number = as_number(self.older.len());
        self.older.push(self.newest.insert(hash, number));
        (number, true)
    }
}

/// Numbers are kept in 32 bits: an index is a good part of what it indexes.
pub(super) fn as_number(count: usize) -> u32 {
    u32::try_from(count).expect("four thousand million lines do not fit in memory")
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        let product = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_with_one_hash_are_told_apart() {
        let things = ["a", "b", "a", "c", "b"];
        let mut seen: Vec<&str> = Vec::new();
        let mut interner = Interner::default();
        let numbers: Vec<u32> = things
            .iter()
            .map(|thing| {
                let (number, new) = interner.number(7, |n| seen[n as usize] == *thing);
                if new {
                    seen.push(thing);
                }
                number
            })
            .collect();
        assert_eq!(numbers, [0, 1, 0, 2, 1]);
    }
}
