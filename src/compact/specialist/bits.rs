//! Sets of blocks, one bit a block.

/// Words are worked on this many at a time.
pub(super) const TILE: usize = 32;

pub(super) type Tile = [u64; TILE];

/// How many words hold so many bits, in whole tiles.
pub(super) fn words_for(bits: usize) -> usize {
    bits.div_ceil(64 * TILE) * TILE
}

pub(super) fn insert(set: &mut [u64], bit: usize) {
    set[bit / 64] |= 1 << (bit % 64);
}

pub(super) fn remove(set: &mut [u64], bit: usize) {
    set[bit / 64] &= !(1 << (bit % 64));
}

pub(super) fn contains(set: &[u64], bit: usize) -> bool {
    set[bit / 64] >> (bit % 64) & 1 == 1
}

pub(super) fn count(set: &[u64]) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

pub(super) fn count_common(one: &[u64], two: &[u64]) -> usize {
    one.iter().zip(two).map(|(one, two)| (one & two).count_ones() as usize).sum()
}

/// The members, ascending.
pub(super) fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(at, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (bit < 64).then_some(at * 64 + bit)
        })
    })
}
