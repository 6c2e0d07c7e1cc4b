//! Restoring: of what was dropped, the blocks that are linked most come back.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

use super::bits;
use super::links::{Claim, ClaimKind};
use super::prepared::Prepared;
use super::question::Question;

/// How many blocks come back at most.
const MOST: usize = 8;

/// What became of every block before anything is restored.
pub(super) struct Fates {
    /// Kept, judged or not.
    pub kept: Vec<bool>,
    /// Dropped for their rank, ascending.
    pub dropped: Vec<usize>,
    /// Dropped for what they command, ascending.
    pub refused: Vec<usize>,
}

/// The dropped blocks that come back: none where no dropped block is linked with a kept one,
/// else the eight that carry the most links.
pub(super) fn restored(session: &Prepared, question: &Question, fates: &Fates) -> Vec<usize> {
    if fates.dropped.is_empty() {
        return Vec::new();
    }
    let mut graph = Graph::new(session, question, fates);
    let mut chosen = graph.most_linked();
    if !graph.is_tied() {
        return Vec::new();
    }
    if chosen.len() < MOST {
        let claimed = graph.refused_near(&chosen);
        chosen.extend(claimed);
    }
    chosen.truncate(MOST);
    chosen
}

/// The links of dropped blocks, found as they are asked for.
struct Graph<'s> {
    session: &'s Prepared,
    question: &'s Question,
    fates: &'s Fates,
    kept: Vec<u64>,
    claims: Vec<Claim>,
    /// How much the claims by and of each block weigh, in twentieths.
    claim_weights: HashMap<usize, usize>,
    /// How many blocks have the text of each.
    copies: HashMap<usize, usize>,
    /// How many blocks share links with the first block of each text, and how many of them are
    /// kept. Copies have the same terms.
    shared: HashMap<usize, Shared>,
    /// Whether a kept block is known to be linked with one that is not.
    is_tied: bool,
}

#[derive(Clone, Copy)]
struct Shared {
    all: usize,
    kept: usize,
}

/// Weights in twentieths: each edge counts 1 and its confidence, a claim 1 more, and an edge to a
/// kept block a half more.
const SHARED: usize = 32;
const COPY: usize = 40;
const TO_KEPT: usize = 10;

impl ClaimKind {
    fn weight(self) -> usize {
        match self {
            ClaimKind::Supersedes => 55,
            ClaimKind::Qualifies => 54,
            ClaimKind::Contradicts => 52,
        }
    }

    fn confidence(self) -> f64 {
        match self {
            ClaimKind::Supersedes => 0.75,
            ClaimKind::Qualifies => 0.7,
            ClaimKind::Contradicts => 0.6,
        }
    }
}

impl<'s> Graph<'s> {
    fn new(session: &'s Prepared, question: &'s Question, fates: &'s Fates) -> Graph<'s> {
        let mut kept = vec![0; bits::words_for(fates.kept.len())];
        (0..fates.kept.len())
            .filter(|block| fates.kept[*block])
            .for_each(|block| bits::insert(&mut kept, block));
        let claims = session.links.claims(&session.blocks, &question.has_term);
        let mut claim_weights = HashMap::new();
        let mut is_tied = false;
        for claim in &claims {
            let weight =
                |other: usize| claim.kind.weight() + usize::from(fates.kept[other]) * TO_KEPT;
            *claim_weights.entry(claim.by).or_default() += weight(claim.of);
            *claim_weights.entry(claim.of).or_default() += weight(claim.by);
            is_tied |= fates.kept[claim.by] != fates.kept[claim.of];
        }
        let mut copies = HashMap::new();
        for first in &session.standing.first_copies {
            *copies.entry(*first).or_default() += 1;
        }
        Graph {
            session,
            question,
            fates,
            kept,
            claims,
            claim_weights,
            copies,
            shared: HashMap::new(),
            is_tied,
        }
    }

    /// The dropped blocks of greatest weight, the greatest first, [`MOST`] at most.
    fn most_linked(&mut self) -> Vec<usize> {
        let limit = |block: &usize| (self.rough_limit(*block), *block);
        let mut limits: Vec<_> = self.fates.dropped.iter().map(limit).collect();
        limits.sort_unstable_by_key(|(limit, _)| Reverse(*limit));
        let mut weighed: Vec<(usize, usize)> = Vec::new();
        let (mut most, mut least) = (BinaryHeap::new(), None);
        for (limit, block) in limits {
            let is_light = |limit: usize| least.is_some_and(|least| limit < least);
            if is_light(limit) {
                break;
            }
            if is_light(self.close_limit(block)) {
                continue;
            }
            let weight = self.weight(block);
            weighed.push((weight, block));
            most.push(Reverse(weight));
            if most.len() > MOST {
                most.pop();
            }
            least = most.peek().filter(|_| most.len() == MOST).map(|least| least.0);
        }
        let worthy = |(weight, _): &&(usize, usize)| least.is_none_or(|least| *weight >= least);
        let mut ranked: Vec<_> = weighed
            .iter()
            .filter(worthy)
            .map(|(_, block)| (self.reference_score(*block), *block))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| compare_ids(a.1, b.1)));
        ranked.into_iter().map(|(_, block)| block).take(MOST).collect()
    }

    /// More than a block can weigh, or as much, by what is known at once.
    fn rough_limit(&self, block: usize) -> usize {
        let sharing = self.session.links.most_sharing(self.first_copy(block));
        sharing * (SHARED + TO_KEPT) + self.other_weight(block)
    }

    /// The same by how many blocks share links when no question takes any away.
    fn close_limit(&self, block: usize) -> usize {
        let sharing = self.session.links.count_sharing(self.first_copy(block));
        sharing * (SHARED + TO_KEPT) + self.other_weight(block)
    }

    fn first_copy(&self, block: usize) -> usize {
        self.session.standing.first_copies[block]
    }

    fn weight(&mut self, block: usize) -> usize {
        let shared = self.shared(block);
        shared.all * SHARED + shared.kept * TO_KEPT + self.other_weight(block)
    }

    /// What copies and claims weigh.
    fn other_weight(&self, block: usize) -> usize {
        self.copy_edges(block) * COPY + self.claim_weights.get(&block).copied().unwrap_or(0)
    }

    /// Each copy is linked with the first one.
    fn copy_edges(&self, block: usize) -> usize {
        let first = self.first_copy(block);
        if first == block { self.copies[&block] - 1 } else { 1 }
    }

    fn shared(&mut self, block: usize) -> Shared {
        let first = self.first_copy(block);
        if let Some(shared) = self.shared.get(&first) {
            return *shared;
        }
        let sharing = self.sharing(block);
        let shared =
            Shared { all: bits::count(&sharing), kept: bits::count_common(&sharing, &self.kept) };
        self.is_tied |= shared.kept > 0;
        self.shared.insert(first, shared);
        shared
    }

    fn sharing(&self, block: usize) -> Vec<u64> {
        let links = self.session.links.without(block, &self.question.has_term);
        let mut sharing = self.session.links.sharing(&links);
        bits::remove(&mut sharing, block);
        sharing
    }

    /// The weight as the reference adds it up: rounding decides between equals.
    fn reference_score(&self, block: usize) -> f64 {
        let sharing = self.sharing(block);
        let touching = |claim: &&Claim| claim.by == block || claim.of == block;
        let claims: Vec<&Claim> = self.claims.iter().filter(touching).collect();
        let edges = self.copy_edges(block) + bits::count(&sharing) + claims.len();
        if edges == 0 {
            return -1.0;
        }
        let mut score = edges as f64 + self.copy_edges(block) as f64;
        for other in bits::members(&sharing) {
            score += 0.6;
            if bits::contains(&self.kept, other) {
                score += 0.5;
            }
        }
        for claim in claims {
            score += claim.kind.confidence();
            score += 1.0;
            let other = if claim.by == block { claim.of } else { claim.by };
            if self.fates.kept[other] {
                score += 0.5;
            }
        }
        score
    }

    /// Whether any block that is not kept is linked with a kept one.
    fn is_tied(&mut self) -> bool {
        let fates = self.fates;
        let others = fates.dropped.iter().chain(&fates.refused);
        for block in others {
            if self.is_tied {
                break;
            }
            self.shared(*block);
        }
        self.is_tied
    }

    /// The refused blocks that firm claims tie to the chosen ones, in the order of these.
    fn refused_near(&self, chosen: &[usize]) -> Vec<usize> {
        let is_firm = |claim: &&Claim| claim.kind != ClaimKind::Contradicts;
        let mut near = Vec::new();
        for block in chosen {
            for claim in self.claims.iter().filter(is_firm) {
                let other = match (claim.by == *block, claim.of == *block) {
                    (true, _) => claim.of,
                    (_, true) => claim.by,
                    _ => continue,
                };
                if self.fates.refused.contains(&other) && !near.contains(&other) {
                    near.push(other);
                }
            }
        }
        near
    }
}

/// Equals come in the order of the names that the reference gives blocks: `blk_0001_` and on,
/// compared as text.
fn compare_ids(one: usize, two: usize) -> Ordering {
    let id = |block: usize| format!("{:04}_", block + 1);
    id(one).cmp(&id(two))
}
