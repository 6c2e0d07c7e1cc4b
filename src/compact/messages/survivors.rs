//! What stands, and how long it is, while the stages run.

use super::Standing;

/// The units of one pass: which stand, which are bound together, which must stay.
pub(super) struct Survivors<'a> {
    standing: &'a [Standing],
    stands: Vec<bool>,
    chars: Vec<usize>,
    /// How many surviving units outside its own pair name each unit.
    named: Vec<u32>,
    /// Named when the pass began: never trimmed, never a duplicate.
    target: Vec<bool>,
}

impl<'a> Survivors<'a> {
    pub fn new(standing: &'a [Standing]) -> Survivors<'a> {
        let mut survivors = Survivors {
            standing,
            stands: standing.iter().map(|unit| !unit.gone).collect(),
            chars: standing.iter().map(|unit| unit.chars).collect(),
            named: vec![0; standing.len()],
            target: Vec::new(),
        };
        for unit in 0..standing.len() {
            if let Some(target) = survivors.names(unit).filter(|_| survivors.stands(unit)) {
                survivors.named[target] += 1;
            }
        }
        survivors.target = survivors.named.iter().map(|&count| count > 0).collect();
        survivors
    }

    pub fn stands(&self, unit: usize) -> bool {
        self.stands[unit]
    }

    /// Characters that the unit occupies now.
    pub fn chars(&self, unit: usize) -> usize {
        self.chars[unit]
    }

    /// Characters of all that stands.
    pub fn total(&self) -> usize {
        (0..self.standing.len())
            .filter(|&unit| self.stands[unit])
            .map(|unit| self.chars[unit])
            .sum()
    }

    pub fn cut(&mut self, unit: usize, chars: usize) {
        self.chars[unit] = chars;
    }

    /// Takes a unit out. Returns the unit that it named.
    pub fn remove(&mut self, unit: usize) -> Option<usize> {
        self.stands[unit] = false;
        let target = self.names(unit)?;
        self.named[target] -= 1;
        Some(target)
    }

    /// The other half of a call and its result, while both stand.
    pub fn partner(&self, unit: usize) -> Option<usize> {
        self.bound_to(unit).filter(|&other| self.stands[other])
    }

    /// Protected itself or through its other half.
    pub fn protected(&self, unit: usize) -> bool {
        let other = self.partner(unit);
        self.standing[unit].protected || other.is_some_and(|other| self.standing[other].protected)
    }

    /// Whether dedupe and trim leave it alone: protected, or named by another.
    pub fn must_stay(&self, unit: usize) -> bool {
        self.protected(unit) || self.target[unit]
    }

    /// Whether a unit that stands, outside its pair, still names it.
    pub fn is_named(&self, unit: usize) -> bool {
        self.named[unit] > 0
    }

    /// Whether the trim stage may shorten it.
    pub fn may_be_cut(&self, unit: usize) -> bool {
        self.stands[unit] && self.standing[unit].trim && !self.must_stay(unit)
    }

    fn bound_to(&self, unit: usize) -> Option<usize> {
        let other = self.standing[unit].partner.filter(|&other| other != unit)?;
        (self.standing.get(other)?.partner == Some(unit)).then_some(other)
    }

    /// What the unit's pointer names outside its own pair.
    fn names(&self, unit: usize) -> Option<usize> {
        let target = self.standing[unit].points_to.filter(|&target| target != unit)?;
        (target < self.standing.len() && self.bound_to(unit) != Some(target)).then_some(target)
    }
}
