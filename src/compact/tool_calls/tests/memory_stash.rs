//! A stash in memory, with the faults that a real one can have.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::compact::tool_calls::{Stash, StashFault, ToStore};

#[derive(Default)]
pub struct MemoryStash {
    texts: Mutex<BTreeMap<String, String>>,
    /// How many texts fit; `None` for any number.
    room: Option<usize>,
    /// Whether it loses what it is given without saying so.
    forgets: bool,
}

impl MemoryStash {
    pub fn with_room_for(texts: usize) -> MemoryStash {
        MemoryStash { room: Some(texts), ..MemoryStash::default() }
    }

    pub fn that_forgets() -> MemoryStash {
        MemoryStash { forgets: true, ..MemoryStash::default() }
    }

    pub fn texts(&self) -> BTreeMap<String, String> {
        self.texts.lock().unwrap().clone()
    }
}

impl Stash for MemoryStash {
    fn store(&self, texts: &[ToStore]) -> Vec<Result<(), StashFault>> {
        let mut held = self.texts.lock().unwrap();
        let mut store = |text: &ToStore| {
            if self.room.is_some_and(|room| held.len() >= room) {
                return Err(StashFault { kind: "OSError", why: "there is no room".to_owned() });
            }
            if !self.forgets {
                held.insert(text.sha256.to_owned(), text.text.to_owned());
            }
            Ok(())
        };
        texts.iter().map(&mut store).collect()
    }

    fn holds(&self, id: &str, text: &str) -> bool {
        let texts = self.texts.lock().unwrap();
        let mut found = texts.range(id.to_owned()..).take_while(|(name, _)| name.starts_with(id));
        found.next().is_some_and(|(_, held)| held == text) && found.next().is_none()
    }

    fn place(&self) -> Option<String> {
        Some("memory".to_owned())
    }
}
