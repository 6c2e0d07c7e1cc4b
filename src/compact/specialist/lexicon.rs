//! Numbers for distinct strings.

/// Every string met so far, numbered from 0 by first appearance.
#[derive(Debug, Clone, Default)]
pub(super) struct Lexicon {
    text: String,
    /// Where each string ends in `text`.
    ends: Vec<usize>,
    /// Open addressing: a part of the hash and the number plus one, 0 where free. Its length is
    /// a power of two, and never more than three quarters full.
    slots: Vec<(u32, u32)>,
}

impl Lexicon {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }

    /// The number of a string that may be new.
    pub fn number(&mut self, string: &str) -> u32 {
        if (self.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let hash = hash(string.as_bytes(), 0);
        match self.find_slot(string, hash) {
            Ok(number) => number,
            Err(slot) => {
                let number = self.len() as u32;
                self.text.push_str(string);
                self.ends.push(self.text.len());
                self.slots[slot] = (tag(hash), number + 1);
                number
            }
        }
    }

    /// The number of a string, if it was met.
    pub fn find(&self, string: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.find_slot(string, hash(string.as_bytes(), 0)).ok()
    }

    /// The number, or the free slot where it belongs.
    fn find_slot(&self, string: &str, hash: u64) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (known, number) = self.slots[slot];
            if number == 0 {
                return Err(slot);
            }
            if known == tag(hash) && self.get(number - 1) == string {
                return Ok(number - 1);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots = vec![(0, 0); size];
        for number in 0..self.len() as u32 {
            let hash = hash(self.get(number).as_bytes(), 0);
            let mut slot = hash as usize & (size - 1);
            while self.slots[slot].1 != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = (tag(hash), number + 1);
        }
    }
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// A hash of 128 bits. Texts with one fingerprint are taken for equal: among the blocks of a
/// session two that differ do not meet by chance.
pub(super) fn fingerprint(bytes: &[u8]) -> u128 {
    u128::from(hash(bytes, 1)) << 64 | u128::from(hash(bytes, 2))
}

/// Sixteen bytes at a time, the last sixteen once more where they do not come out even.
fn hash(bytes: &[u8], seed: u64) -> u64 {
    const KEYS: [u64; 2] = [0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f];
    let mut state = fold(seed ^ KEYS[0], bytes.len() as u64 ^ KEYS[1]);
    let mut take = |one: u64, two: u64| state = fold(state ^ one ^ KEYS[0], two ^ KEYS[1] ^ seed);
    let (pairs, rest) = bytes.as_chunks::<16>();
    for pair in pairs {
        take(word(&pair[..8]), word(&pair[8..]));
    }
    if let Some(last) = bytes.last_chunk::<16>() {
        take(word(&last[..8]), word(&last[8..]));
    } else {
        take(word(&rest[..rest.len().min(8)]), word(&rest[rest.len().min(8)..]));
    }
    state ^ state >> 32
}

fn fold(one: u64, two: u64) -> u64 {
    let product = u128::from(one) * u128::from(two);
    (product >> 64) as u64 ^ product as u64
}

/// Up to eight bytes as a number.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    let low = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    match (bytes.first_chunk::<8>(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(eight), _, _) => u64::from_le_bytes(*eight),
        (_, Some(first), Some(last)) => low(first) | low(last) << 32,
        _ => bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)),
    }
}

/// Several lists of numbers in one.
#[derive(Debug, Clone)]
pub(super) struct Lists<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Lists<T> {
        Lists { starts: vec![0], items: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    pub fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.items.extend(list);
        self.starts.push(self.items.len());
    }

    pub fn get(&self, list: usize) -> &[T] {
        &self.items[self.starts[list]..self.starts[list + 1]]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.starts.windows(2).map(|bounds| &self.items[bounds[0]..bounds[1]])
    }

    /// All lists one after the other.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Keeps the first so many lists.
    pub fn truncate(&mut self, lists: usize) {
        self.starts.truncate(lists + 1);
        self.items.truncate(self.starts[lists]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_numbered_once_however_many_there_are() {
        let mut lexicon = Lexicon::default();
        let strings: Vec<String> =
            (0..5000).map(|n| format!("{}é{n}", "x".repeat(n % 40))).collect();
        for round in 0..2 {
            for (number, string) in strings.iter().enumerate() {
                assert_eq!(lexicon.number(string), number as u32, "round {round}");
            }
        }
        assert_eq!((lexicon.len(), lexicon.find("y"), lexicon.find("é0")), (5000, None, Some(0)));
        assert_eq!(lexicon.get(41), strings[41]);
        assert_eq!(lexicon.number(""), 5000);
    }

    #[test]
    fn texts_that_differ_anywhere_have_other_fingerprints() {
        let text: Vec<u8> = (0..70).collect();
        let mut seen = std::collections::HashSet::new();
        for length in 0..text.len() {
            assert!(seen.insert(fingerprint(&text[..length])));
            for at in 0..length {
                let mut other = text[..length].to_vec();
                other[at] ^= 0x80;
                assert!(seen.insert(fingerprint(&other)), "{length} {at}");
            }
        }
    }

    #[test]
    fn lists_can_be_taken_away_from_the_end() {
        let mut lists = Lists::default();
        lists.push([1, 2]);
        lists.push([]);
        lists.push([3]);
        lists.truncate(2);
        lists.push([4]);
        assert_eq!(lists.iter().collect::<Vec<_>>(), [&[1, 2][..], &[], &[4]]);
    }
}
