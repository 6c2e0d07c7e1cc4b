//! Classes: texts of one role that say the same words. They are compared, not the texts.

use std::collections::HashMap;
use std::sync::Arc;

use crate::session::Role;

use super::features::Unit;

/// Texts of one role with one word set or, without words, one content.
pub(super) struct Class {
    pub role: Role,
    /// The unit that the class begins with.
    pub first: usize,
    /// The word set, ascending.
    pub words: Arc<[u32]>,
}

/// The classes of all compared units, in the order of their first units.
#[derive(Default)]
pub(super) struct Classes {
    /// The class of each unit; `None` for one that is not compared.
    of_unit: Vec<Option<u32>>,
    all: Vec<Class>,
    known: HashMap<Key, u32>,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Words(Role, Arc<[u32]>),
    Wordless(Role, Box<str>),
}

impl Classes {
    /// Appends a unit whose word set is `words`, in any order.
    pub fn add(&mut self, unit: Unit<'_>, words: &[u32]) {
        let index = self.of_unit.len();
        let class = unit.compared.then(|| self.class_of(unit, words, index));
        self.of_unit.push(class);
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// How many units were added, compared or not.
    pub fn units(&self) -> usize {
        self.of_unit.len()
    }

    pub fn of(&self, unit: usize) -> Option<usize> {
        self.of_unit[unit].map(|class| class as usize)
    }

    pub fn get(&self, class: usize) -> &Class {
        &self.all[class]
    }

    pub fn iter(&self) -> impl Iterator<Item = &Class> {
        self.all.iter()
    }

    fn class_of(&mut self, unit: Unit<'_>, words: &[u32], index: usize) -> u32 {
        let mut sorted = words.to_vec();
        sorted.sort_unstable();
        let words: Arc<[u32]> = sorted.into();
        let key = if words.is_empty() {
            Key::Wordless(unit.role, unit.content.into())
        } else {
            Key::Words(unit.role, words.clone())
        };
        *self.known.entry(key).or_insert_with(|| {
            self.all.push(Class { role: unit.role, first: index, words });
            (self.all.len() - 1) as u32
        })
    }
}
