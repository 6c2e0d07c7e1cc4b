//! The rows of the list: what the filter lets through, the cursor, the window, the minimap.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::compact::plan::{Outcome, Plan};
use crate::session::{Role, Session};

/// Visible entries with a cursor and a window on them.
#[derive(Debug, Clone, Default)]
pub struct List {
    visible: Vec<usize>,
    cursor: usize,
    /// The entry that the cursor was on last; it goes back there once entries are listed again.
    entry: usize,
    pub top: usize,
    /// One cell for each row of the pane: the outcome that stands out there.
    pub minimap: Vec<Option<Outcome>>,
}

/// Which entries are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub outcome: Option<Outcome>,
    pub speaker: Option<Speaker>,
}

/// A role or a tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Speaker {
    Role(Role),
    Tool(Arc<str>),
}

/// Rows that stay visible around the cursor.
const MARGIN: usize = 2;

impl List {
    pub fn len(&self) -> usize {
        self.visible.len()
    }

    pub fn is_empty(&self) -> bool {
        self.visible.is_empty()
    }

    /// The cursor's place among the visible entries.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Whether the cursor is on the last of the visible entries, or there is none.
    pub fn is_at_end(&self) -> bool {
        self.cursor + 1 >= self.visible.len()
    }

    pub fn current(&self) -> Option<usize> {
        self.visible.get(self.cursor).copied()
    }

    /// The entries in the window, with their places.
    pub fn window(&self, height: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let end = (self.top + height).min(self.visible.len());
        (self.top.min(end)..end).map(|at| (at, self.visible[at]))
    }

    pub fn entries(&self) -> &[usize] {
        &self.visible
    }

    /// Other entries; the cursor stays on its entry, else on the next one that is left.
    pub fn replace(&mut self, visible: Vec<usize>, height: usize) {
        let row = self.cursor.saturating_sub(self.top);
        self.visible = visible;
        self.cursor = self.visible.partition_point(|&other| other < self.entry);
        self.top = self.cursor.saturating_sub(row);
        self.settle(height);
    }

    pub fn move_by(&mut self, by: isize, height: usize) {
        self.cursor = self.cursor.saturating_add_signed(by);
        self.settle(height);
    }

    /// To that place among the visible entries, as far as there are.
    pub fn move_to(&mut self, place: usize, height: usize) {
        self.cursor = place;
        self.settle(height);
    }

    /// To that entry, or the next visible one.
    pub fn move_to_entry(&mut self, entry: usize, height: usize) {
        self.move_to(self.visible.partition_point(|&other| other < entry), height);
    }

    pub fn shows(&self, entry: usize) -> bool {
        self.visible.binary_search(&entry).is_ok()
    }

    /// Scrolls the window by rows; the cursor goes with it only as far as it must.
    pub fn scroll(&mut self, by: isize, height: usize) {
        let last_top = self.visible.len().saturating_sub(height);
        self.top = self.top.saturating_add_signed(by).min(last_top);
        let margin = margin(height);
        let low = if self.top == 0 { 0 } else { self.top + margin };
        let high = if self.top == last_top {
            self.visible.len().saturating_sub(1)
        } else {
            (self.top + height).saturating_sub(1 + margin)
        };
        self.cursor = self.cursor.clamp(low.min(high), high);
        self.entry = self.current().unwrap_or(self.entry);
    }

    /// Holds the cursor on an entry and the window on the cursor. A list that is out of sight
    /// keeps its window for when it is back.
    pub fn settle(&mut self, height: usize) {
        self.cursor = self.cursor.min(self.visible.len().saturating_sub(1));
        self.entry = self.current().unwrap_or(self.entry);
        if height == 0 {
            return;
        }
        let margin = margin(height);
        let lowest_top = (self.cursor + margin + 1).saturating_sub(height);
        self.top = self.top.clamp(lowest_top, self.cursor.saturating_sub(margin).max(lowest_top));
        self.top = self.top.min(self.visible.len().saturating_sub(height));
    }

    /// Gathers the outcomes of the visible entries into so many cells, each showing the one that
    /// most of its entries have (of equals, the one that takes more away).
    pub fn draw_minimap(&mut self, cells: usize, plan: Option<&Plan>) {
        let Some(plan) = plan else {
            self.minimap = vec![None; cells];
            return;
        };
        let spread = self.visible.len().max(cells);
        let mut counts = vec![[0_u32; Outcome::ALL.len()]; cells];
        for (at, &entry) in self.visible.iter().enumerate().filter(|_| cells > 0) {
            if let Some(decision) = plan.decisions.get(entry) {
                counts[at * cells / spread][decision.outcome as usize] += 1;
            }
        }
        self.minimap = counts.iter().map(most_common).collect();
    }
}

fn most_common(counts: &[u32; Outcome::ALL.len()]) -> Option<Outcome> {
    let most =
        Outcome::ALL.into_iter().max_by_key(|&outcome| (counts[outcome as usize], outcome))?;
    (counts[most as usize] > 0).then_some(most)
}

fn margin(height: usize) -> usize {
    MARGIN.min(height.saturating_sub(1) / 2)
}

impl Filter {
    pub fn is_on(&self) -> bool {
        self.outcome.is_some() || self.speaker.is_some()
    }

    /// The entries it lets through, in order.
    pub fn entries(&self, session: &Session, plan: Option<&Plan>) -> Vec<usize> {
        let all = 0..session.entries.len();
        if !self.is_on() {
            return all.collect();
        }
        all.filter(|&entry| self.lets_through(session, plan, entry)).collect()
    }

    fn lets_through(&self, session: &Session, plan: Option<&Plan>, index: usize) -> bool {
        let entry = &session.entries[index];
        let decided = plan.and_then(|plan| plan.decisions.get(index));
        let outcome =
            self.outcome.is_none_or(|wanted| decided.is_some_and(|it| it.outcome == wanted));
        outcome
            && match &self.speaker {
                None => true,
                Some(Speaker::Role(role)) => session.role_of(entry) == *role,
                Some(Speaker::Tool(tool)) => session.tool_of(entry) == Some(tool),
            }
    }

    /// What it says in the list's title.
    pub fn label(&self) -> String {
        let outcome = self.outcome.map(|outcome| outcome.name().to_string());
        let speaker = self.speaker.as_ref().map(Speaker::name);
        outcome.into_iter().chain(speaker).collect::<Vec<_>>().join(" · ")
    }
}

impl Speaker {
    pub fn name(&self) -> String {
        match self {
            Speaker::Role(role) => role.name().into(),
            Speaker::Tool(tool) => tool.to_string(),
        }
    }

    /// Every role and tool of a session, with how many entries each has; roles first.
    pub fn all(session: &Session) -> Vec<(Speaker, usize)> {
        let mut counts = BTreeMap::new();
        for entry in &session.entries {
            *counts.entry(Speaker::Role(session.role_of(entry))).or_insert(0) += 1;
            if let Some(tool) = session.tool_of(entry) {
                *counts.entry(Speaker::Tool(tool.into())).or_insert(0) += 1;
            }
        }
        counts.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: usize) -> List {
        List { visible: (0..entries).collect(), ..List::default() }
    }

    /// (movement, expected cursor, expected top) in a window of ten rows.
    fn assert_walk(list: &mut List, walk: &[(isize, usize, usize)]) {
        for &(by, cursor, top) in walk {
            list.move_by(by, 10);
            assert_eq!((list.cursor(), list.top), (cursor, top), "after {by}");
        }
    }

    #[test]
    fn the_window_follows_the_cursor_with_a_margin() {
        assert_walk(
            &mut list(100),
            &[
                (1, 1, 0),
                (6, 7, 0),
                (1, 8, 1),
                (50, 58, 51),
                (-5, 53, 51),
                (-1, 52, 50),
                (99, 99, 90),
                (-999, 0, 0),
            ],
        );
    }

    #[test]
    fn a_short_list_never_scrolls() {
        assert_walk(&mut list(4), &[(9, 3, 0), (-1, 2, 0)]);
        assert_walk(&mut list(0), &[(1, 0, 0), (-1, 0, 0)]);
    }

    #[test]
    fn the_cursor_stays_on_its_entry_when_the_rows_change() {
        let mut list = list(100);
        list.move_to(50, 10);
        let row = list.cursor() - list.top;
        list.replace((0..100).filter(|entry| entry % 5 == 0).collect(), 10);
        assert_eq!((list.current(), list.cursor() - list.top), (Some(50), row));
        list.replace((0..100).filter(|entry| entry % 50 != 0).collect(), 10);
        assert_eq!(list.current(), Some(51));
    }

    #[test]
    fn scrolling_takes_the_cursor_along_only_as_far_as_it_must() {
        let mut list = list(100);
        list.scroll(5, 10);
        assert_eq!((list.top, list.cursor()), (5, 7));
        list.scroll(-2, 10);
        assert_eq!((list.top, list.cursor()), (3, 7));
        list.scroll(999, 10);
        assert_eq!((list.top, list.cursor()), (90, 92));
    }
}
