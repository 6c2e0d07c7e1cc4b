//! Searching and filtering.

use super::super::action::Effect;
use super::super::list::Filter;
use super::super::model::Model;
use super::Effects;
use super::motion;
use crate::find::Finder;

/// Asks for the entries that hold a pattern; an empty one finds nothing.
pub(super) fn search(model: &mut Model, pattern: &str) -> Effects {
    model.search.generation += 1;
    model.search.pattern = pattern.into();
    model.search.matches.clear();
    model.search.done = pattern.is_empty();
    if pattern.is_empty() {
        return Vec::new();
    }
    vec![Effect::Find {
        generation: model.search.generation,
        session: model.shared(),
        pattern: pattern.into(),
    }]
}

/// Takes the matches and goes to the first at or after where the search began.
pub(super) fn found(model: &mut Model, generation: u64, entries: Vec<usize>) -> Effects {
    if generation != model.search.generation {
        return Vec::new();
    }
    model.search.matches = entries;
    model.search.done = true;
    if let Some(from) = model.search.from {
        let listed = |entry: &&usize| model.list.shows(**entry);
        let matches = &model.search.matches;
        let first = matches
            .iter()
            .filter(listed)
            .find(|&&entry| entry >= from)
            .or_else(|| matches.iter().find(listed));
        let to = first.copied().unwrap_or(from);
        let height = model.list_height();
        model.list.move_to_entry(to, height);
        model.refresh_detail();
        reveal_match(model);
    }
    Vec::new()
}

/// To the next listed match, round the end, so many times; negative goes back.
pub(super) fn next_match(model: &mut Model, times: isize) {
    if model.search.pattern.is_empty() {
        model.status = Some("nothing is searched for; / begins a search".into());
        return;
    }
    let listed: Vec<usize> = listed_matches(model);
    let Some(current) = model.current().filter(|_| !listed.is_empty()) else {
        model.status = Some(nothing_found(model));
        return;
    };
    let count = listed.len() as isize;
    let at = if times > 0 {
        listed.partition_point(|&entry| entry <= current) as isize - 1
    } else {
        listed.partition_point(|&entry| entry < current) as isize
    };
    let next = listed[(at + times).rem_euclid(count) as usize];
    let wrapped = if times > 0 { next <= current } else { next >= current };
    if wrapped && count > 1 {
        model.status = Some("the search went round the end".into());
    }
    let height = model.list_height();
    model.list.move_to_entry(next, height);
}

/// Scrolls the detail to where the pattern stands in the entry under the cursor.
pub(super) fn reveal_match(model: &mut Model) {
    let is_match = |entry| model.search.matches.binary_search(&entry).is_ok();
    if model.current().is_some_and(is_match) {
        let finder = Finder::new(&model.search.pattern);
        let (width, _) = model.detail_size();
        model.detail.reveal(|line| finder.hits(line).first().map(|hit| hit.start), width);
    }
}

/// The matches that the filter lets through.
fn listed_matches(model: &Model) -> Vec<usize> {
    model.search.matches.iter().copied().filter(|&entry| model.list.shows(entry)).collect()
}

fn nothing_found(model: &Model) -> String {
    if !model.search.done {
        "still searching".into()
    } else if model.search.matches.is_empty() {
        "not found".into()
    } else {
        "every match is hidden by the filter; ' turns it off".into()
    }
}

pub(super) fn no_filter(model: &mut Model) {
    model.filter = Filter::default();
    model.refresh_list();
}

/// A filter that lets nothing through says how to turn it off.
pub(super) fn say_when_empty(model: &mut Model) {
    if model.list.is_empty() {
        model.status =
            Some(format!("no entry is {}; ' turns the filter off", model.filter.label()));
    }
}

/// Leaves the search as it was before it began.
pub(super) fn give_up(model: &mut Model) {
    let from = model.search.from.take();
    search(model, "");
    if let Some(from) = from {
        motion::reveal(model, from);
    }
}
