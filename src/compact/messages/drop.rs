//! The drop stage: what scores lowest goes until the rest fits the budget.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::session::Role;

use super::Dropped;
use super::features::Features;
use super::survivors::Survivors;

/// Removes candidates, lowest score first and older first on a tie, while more characters stand
/// than the budget allows. Returns what went, in the order it went.
///
/// Rule: step 7 of memory-compact; a call and its result are one candidate, and a candidate
/// that a surviving pointer names has to wait until that one has gone.
pub(super) fn drop_to_budget(
    features: &Features,
    survivors: &mut Survivors<'_>,
    budget: usize,
) -> Vec<Dropped> {
    let mut total = survivors.total();
    let mut drops = Vec::new();
    if total <= budget {
        return drops;
    }
    let mut queue = Queue::new(candidates(features, survivors));
    while total > budget {
        let Some(candidate) = queue.next(survivors) else { break };
        for unit in candidate.units() {
            let chars = survivors.chars(unit);
            total -= chars;
            drops.push(Dropped { unit, score: candidate.score, chars });
        }
        for unit in candidate.units() {
            if let Some(freed) = survivors.remove(unit) {
                queue.look_again(freed, survivors);
            }
        }
    }
    drops
}

/// What is dropped together: one unit, or a call and its result.
#[derive(Clone, Copy)]
struct Candidate {
    first: usize,
    second: Option<usize>,
    /// The higher of its units' scores.
    score: f64,
    /// The unit whose place decides a tie: of a pair, the call.
    age: usize,
}

impl Candidate {
    fn units(&self) -> impl Iterator<Item = usize> + use<> {
        [Some(self.first), self.second].into_iter().flatten()
    }

    fn is_named(&self, survivors: &Survivors<'_>) -> bool {
        self.units().any(|unit| survivors.is_named(unit))
    }
}

/// Every unprotected candidate, in the order in which they are to go.
fn candidates(features: &Features, survivors: &Survivors<'_>) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = features
        .order()
        .iter()
        .filter(|&&unit| survivors.stands(unit) && !survivors.protected(unit))
        .filter_map(|&unit| candidate(unit, features, survivors))
        .collect();
    // Nearly sorted already, which the sort is quick on: only ties with a pair can be wrong.
    candidates.sort_by(|a, b| a.score.total_cmp(&b.score).then(a.age.cmp(&b.age)));
    candidates
}

/// The candidate that `unit` belongs to, if it is the unit whose score counts.
fn candidate(unit: usize, features: &Features, survivors: &Survivors<'_>) -> Option<Candidate> {
    let score = features.score(unit);
    let Some(other) = survivors.partner(unit) else {
        return Some(Candidate { first: unit, second: None, score, age: unit });
    };
    let lower = features.score(other).total_cmp(&score).then(other.cmp(&unit)).is_lt();
    let (first, second) = (unit.min(other), unit.max(other));
    let age = if features.role(first) == Role::Tool { second } else { first };
    lower.then_some(Candidate { first, second: Some(second), score, age })
}

/// The candidates that are left.
struct Queue {
    candidates: Vec<Candidate>,
    /// Those before it are gone, waiting or free again.
    next: usize,
    /// The place of each unit whose candidate is named and waits.
    waiting: HashMap<usize, usize>,
    /// Places of candidates that waited and may go now; all before `next`.
    free: BinaryHeap<Reverse<usize>>,
}

impl Queue {
    fn new(candidates: Vec<Candidate>) -> Queue {
        Queue { candidates, next: 0, waiting: HashMap::new(), free: BinaryHeap::new() }
    }

    /// Takes the lowest candidate that no surviving pointer names.
    fn next(&mut self, survivors: &Survivors<'_>) -> Option<Candidate> {
        if let Some(Reverse(place)) = self.free.pop() {
            return Some(self.candidates[place]);
        }
        while let Some(&candidate) = self.candidates.get(self.next) {
            self.next += 1;
            if !candidate.is_named(survivors) {
                return Some(candidate);
            }
            self.waiting.extend(candidate.units().map(|unit| (unit, self.next - 1)));
        }
        None
    }

    /// Lets the unit's candidate go if it waited and nothing names it any more.
    fn look_again(&mut self, unit: usize, survivors: &Survivors<'_>) {
        let Some(&place) = self.waiting.get(&unit) else { return };
        let candidate = self.candidates[place];
        if !candidate.is_named(survivors) {
            for unit in candidate.units() {
                self.waiting.remove(&unit);
            }
            self.free.push(Reverse(place));
        }
    }
}
