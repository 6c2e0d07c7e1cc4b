//! The dedupe stage: a later text that is nearly the same as an earlier one goes.

use super::Duplicate;
use super::classes::Classes;
use super::features::Features;
use super::neighbours::{Neighbour, Neighbours};
use super::profiles::Least;
use super::survivors::Survivors;

/// Removes each unprotected text whose similarity to an earlier one of its role that still
/// stands is at least the threshold; the earliest such text is the one it duplicates.
///
/// Rule: step 5 of memory-compact.
pub(super) fn dedupe(
    features: &Features,
    survivors: &mut Survivors<'_>,
    threshold: f64,
) -> Vec<Duplicate> {
    let neighbours = features.neighbours(threshold);
    remove_duplicates(Texts::new(features.classes(), &neighbours, threshold), survivors)
}

fn remove_duplicates(mut texts: Texts<'_>, survivors: &mut Survivors<'_>) -> Vec<Duplicate> {
    let mut duplicates = Vec::new();
    for unit in 0..texts.classes.units() {
        let Some(class) = texts.classes.of(unit) else { continue };
        if !survivors.stands(unit) {
            continue;
        }
        match texts.earliest_like(unit, class) {
            Some((of, similarity)) if !survivors.must_stay(unit) => {
                survivors.remove(unit);
                duplicates.push(Duplicate { unit, of, similarity });
            }
            _ => texts.note_standing(unit, class),
        }
    }
    duplicates
}

/// The texts that were passed so far and stand.
struct Texts<'a> {
    classes: &'a Classes,
    neighbours: &'a Neighbours,
    threshold: f64,
    /// Each class's earliest text that stands.
    first: Vec<Option<usize>>,
    /// The classes with a text that stands, in the order of that text; by role.
    standing: [Vec<usize>; 4],
    /// Once its first text was passed: what every text of the class duplicates, if anything.
    /// What stands earlier stays, so that this cannot change.
    likes: Vec<Option<Option<(usize, f64)>>>,
}

impl<'a> Texts<'a> {
    fn new(classes: &'a Classes, neighbours: &'a Neighbours, threshold: f64) -> Texts<'a> {
        Texts {
            classes,
            neighbours,
            threshold,
            first: vec![None; classes.len()],
            standing: Default::default(),
            likes: vec![None; classes.len()],
        }
    }

    /// Notes that a text stays.
    fn note_standing(&mut self, unit: usize, class: usize) {
        if self.first[class].is_none() {
            self.first[class] = Some(unit);
            self.standing[self.classes.get(class).role as usize].push(class);
        }
    }

    /// The earliest standing text that is similar enough, and how similar.
    fn earliest_like(&mut self, unit: usize, class: usize) -> Option<(usize, f64)> {
        if let Some(like) = self.likes[class] {
            let same = self.first[class].map(|first| (first, 1.0));
            return like.or(same.filter(|_| self.threshold <= 1.0));
        }
        // Only earlier classes are kept as neighbours, so a class must begin with this text.
        let known = self.neighbours.covers(self.threshold) && self.classes.get(class).first == unit;
        let like = if known { self.among_neighbours(class) } else { self.among_all(class) };
        self.likes[class] = Some(like);
        like
    }

    fn among_neighbours(&self, class: usize) -> Option<(usize, f64)> {
        let runs = self.neighbours.of(class, self.threshold);
        runs.fold(None, |best, run| self.among_run(class, run, best))
    }

    /// The best of `best` and what stands of the classes of `run`, which ascend.
    fn among_run(
        &self,
        class: usize,
        run: &[Neighbour],
        mut best: Option<(usize, f64)>,
    ) -> Option<(usize, f64)> {
        for near in run {
            let other = near.class as usize;
            let earlier = |unit| best.is_none_or(|(earliest, _)| unit < earliest);
            if !earlier(self.classes.get(other).first) {
                break;
            }
            let Some(unit) = self.first[other].filter(|&unit| earlier(unit)) else { continue };
            let similarity = near.similarity(class, &self.neighbours.profiles);
            if similarity >= self.threshold {
                best = Some((unit, similarity));
            }
        }
        best
    }

    fn among_all(&self, class: usize) -> Option<(usize, f64)> {
        let profiles = &self.neighbours.profiles;
        let least = Least::new(self.threshold);
        self.standing[self.classes.get(class).role as usize].iter().find_map(|&other| {
            let shared = profiles.shared(class, other, least)?;
            Some((self.first[other]?, profiles.similarity(class, other, shared)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::messages::{Standing, Unit};
    use crate::session::Role;

    fn features(contents: &[&str]) -> Features {
        let unit = |&content| Unit { role: Role::User, content, compared: true };
        Features::new(contents.iter().map(unit))
    }

    fn pairs(duplicates: &[Duplicate]) -> Vec<(usize, usize)> {
        duplicates.iter().map(|duplicate| (duplicate.unit, duplicate.of)).collect()
    }

    fn duplicates(contents: &[&str], threshold: f64) -> Vec<(usize, usize)> {
        let standing = vec![Standing::default(); contents.len()];
        let features = features(contents);
        pairs(&dedupe(&features, &mut Survivors::new(&standing), threshold))
    }

    #[test]
    fn the_earliest_similar_text_is_named_not_the_most_similar() {
        let contents = ["a b c d e", "a b c x y", "a b c d y"];
        // The third is two thirds like both; the second stands, 3/7 like the first.
        assert_eq!(duplicates(&contents, 0.6), [(2, 0)]);
        let closer = ["a b c d e f g", "a b c d x y z", "a b c d x y f"];
        assert_eq!(duplicates(&closer, 0.5), [(2, 0)]);
    }

    #[test]
    fn a_removed_text_is_nothing_to_duplicate() {
        // Each is like the one before (7/9 and 7/11), the last is not like the first (5/11).
        let chain = ["a b c d e f g", "a b c d e f g h i", "c d e f g h i j k"];
        assert_eq!(duplicates(&chain, 0.6), [(1, 0)]);
    }

    #[test]
    fn texts_without_words_are_alike_when_they_are_equal() {
        assert_eq!(duplicates(&["!!!", "???", "!!!", "a"], 0.5), [(2, 0)]);
    }

    #[test]
    fn the_unrounded_similarity_is_compared() {
        let contents = ["a b c", "a b d", "a b c d"];
        assert_eq!(duplicates(&contents, 0.5), [(1, 0), (2, 0)]);
        assert_eq!(duplicates(&contents, 0.5000001), [(2, 0)]);
        assert_eq!(duplicates(&contents, 0.75), [(2, 0)]);
        assert_eq!(duplicates(&contents, 0.7500001), []);
    }

    #[test]
    fn thresholds_outside_the_range_are_taken_at_their_word() {
        let contents = ["a", "b", "a", "!"];
        assert_eq!(duplicates(&contents, 0.0), [(1, 0), (2, 0), (3, 0)]);
        assert_eq!(duplicates(&contents, 1.0), [(2, 0)]);
        assert_eq!(duplicates(&contents, 1.1), []);
        assert_eq!(duplicates(&contents, f64::NAN), []);
    }

    #[test]
    fn pairs_that_were_too_many_to_keep_are_found_one_by_one() {
        let contents: Vec<String> = (0..40)
            .map(|number| format!("one of many reports alike: {} {}", number / 7, number))
            .collect();
        let contents: Vec<&str> = contents.iter().map(|content| &content[..]).collect();
        let features = features(&contents);
        let mut standing = vec![Standing::default(); contents.len()];
        standing[5].protected = true;
        for threshold in [0.5, 0.6, 0.7, 0.8] {
            let few = Neighbours::keeping(3, 0.5, features.classes(), 100);
            assert!(!few.covers(threshold));
            let texts = Texts::new(features.classes(), &few, threshold);
            let found = remove_duplicates(texts, &mut Survivors::new(&standing));
            let kept = dedupe(&features, &mut Survivors::new(&standing), threshold);
            assert_eq!(pairs(&found), pairs(&kept));
            assert!(!found.is_empty());
        }
    }
}
