//! The drop budget: the lowest ranks go until three tenths of what may be judged are gone.

use super::prepared::Prepared;

/// The share of the judged characters that is to go.
const SHARE: f64 = 0.3;

/// Chooses the blocks to drop. `judged` are the blocks that are ranked, ascending, `may_go`
/// whether one is not protected, `score` its raw score. Copies go together, at the score of the
/// first.
pub(super) fn dropped(
    session: &Prepared,
    judged: &[usize],
    may_go: impl Fn(usize) -> bool,
    score: impl Fn(usize) -> f64,
) -> Vec<usize> {
    let first_copies = &session.standing.first_copies;
    let chars = |block: usize| session.blocks[block].span.chars;
    let total: usize = judged.iter().map(|block| chars(*block)).sum();
    let need = total as f64 * SHARE;
    let mut copies = vec![0; session.blocks.len()];
    judged.iter().for_each(|block| copies[first_copies[*block]] += 1);
    let mut order: Vec<usize> = judged
        .iter()
        .copied()
        .filter(|block| first_copies[*block] == *block && may_go(*block))
        .collect();
    order.sort_by(|a, b| score(*a).total_cmp(&score(*b)).then(a.cmp(b)));
    let mut goes = vec![false; session.blocks.len()];
    let mut removed = 0;
    for block in order {
        if removed as f64 >= need {
            break;
        }
        goes[block] = true;
        removed += chars(block) * copies[block];
    }
    judged.iter().copied().filter(|block| goes[first_copies[*block]]).collect()
}
