//! How well each block matches a set of words (Okapi BM25).

use std::collections::HashMap;

use super::reading::Library;

const K1: f64 = 1.5;
const B: f64 = 0.75;

/// The match of every block with `wanted`, which holds numbers of words in the code-point order
/// of the words: sums run in that order, so that they round as the reference's do. `lengths`
/// are the words of each block.
pub(super) fn matches(library: &Library, lengths: &[u32], wanted: &[u32]) -> Vec<f64> {
    let mut scores = vec![0.0; lengths.len()];
    let blocks = lengths.len() as f64;
    let words: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
    let average = if words == 0 { 1.0 } else { words as f64 / blocks };
    for postings in postings(library, wanted) {
        let holders = postings.len() as f64;
        let rarity = (1.0 + (blocks - holders + 0.5) / (holders + 0.5)).ln();
        for (block, times) in postings {
            let times = f64::from(times);
            let length = 1.0 - B + B * f64::from(lengths[block]) / average;
            scores[block] += rarity * times * (K1 + 1.0) / (times + K1 * length);
        }
    }
    scores
}

/// For each wanted word the blocks that hold it, ascending, and how often.
fn postings(library: &Library, wanted: &[u32]) -> Vec<Vec<(usize, u32)>> {
    let places: HashMap<u32, usize> =
        wanted.iter().enumerate().map(|(at, word)| (*word, at)).collect();
    let mut is_wanted = vec![false; library.words.len()];
    wanted.iter().for_each(|word| is_wanted[*word as usize] = true);
    let mut postings = vec![Vec::new(); wanted.len()];
    for (block, list) in library.word_lists.iter().enumerate() {
        for (word, times) in list {
            if is_wanted[*word as usize] {
                postings[places[word]].push((block, *times));
            }
        }
    }
    postings
}

/// For each value the share of the others that are smaller, from 0 to 1.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    if values.len() < 2 {
        return vec![0.0; values.len()];
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let others = (values.len() - 1) as f64;
    let below = |value: &f64| sorted.partition_point(|other| other < value) as f64;
    values.iter().map(|value| below(value) / others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_what_is_strictly_smaller() {
        assert_eq!(ranks(&[0.0, 2.0, 0.0, 1.0, 2.0]), [0.0, 0.75, 0.0, 0.5, 0.75]);
        assert_eq!(ranks(&[3.0]), [0.0]);
    }
}
