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
        let hash = fingerprint(string.as_bytes()) as u64;
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
        self.find_slot(string, fingerprint(string.as_bytes()) as u64).ok()
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
            let hash = fingerprint(self.get(number).as_bytes()) as u64;
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
    let mut state = [0x9e37_79b9_7f4a_7c15 ^ bytes.len() as u64, 0xc2b2_ae3d_27d4_eb4f];
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        mix(&mut state, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(&mut state, u64::from_le_bytes(last));
    mix(&mut state, 0);
    u128::from(state[1]) << 64 | u128::from(state[0])
}

/// Multiplies into two words and folds the halves of each product together.
fn mix(state: &mut [u64; 2], word: u64) {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product >> 64) as u64 ^ product as u64
    };
    let one = fold(state[0] ^ word, 0xd6e8_feb8_6659_fd93);
    let two = fold(state[1] ^ word.rotate_left(32), 0xa076_1d64_78bd_642f);
    *state = [one ^ state[1].rotate_left(17), two ^ state[0].rotate_left(29)];
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
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

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
