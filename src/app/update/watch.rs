//! A session that grows while it is looked at.

use std::sync::Arc;

use super::super::action::{Effect, Growth, Watching};
use super::super::counts::Counts;
use super::super::judging::Judging;
use super::super::model::Model;
use super::{Effects, decide, find};
use crate::session::Session;

/// Takes the session's new state and decides it.
pub(super) fn grown(model: &mut Model, session: Arc<Session>, how: Growth) -> Effects {
    let was_at_end = model.list.is_at_end();
    let added = session.entries.len().saturating_sub(model.session.entries.len());
    let request_question = model.settings.question_from.is_none();
    model.session = session;
    model.watching = Watching::Live;
    match how {
        Growth::Appended if added > 0 => {
            model.status =
                Some(format!("{added} new {}", if added == 1 { "entry" } else { "entries" }));
        }
        Growth::Appended => {}
        Growth::Reread(why) => start_over(model, why),
    }
    if how != Growth::Appended && !request_question {
        model.settings.take_newest_question(&model.session);
    }
    model.refresh_list();
    if model.follow && was_at_end {
        to_end(model);
    }
    let pattern = model.search.pattern.clone();
    let mut effects = decide(model);
    if !pattern.is_empty() {
        model.search.from = None;
        effects.extend(find::search(model, &pattern));
    }
    effects
}

/// Entries have other numbers now: what named them by number is forgotten.
fn start_over(model: &mut Model, why: &str) {
    model.epoch += 1;
    model.plan = None;
    model.counts = Counts::default();
    model.known_tokens = Arc::new([]);
    model.before = None;
    // Another session may stand in the file now: it takes another yes.
    model.judging = Judging { asked: model.judging.asked, ..Judging::default() };
    model.pins.clear();
    model.jumps.clear();
    model.detail.clear();
    model.status = Some(format!("{why}; read from the start"));
}

pub(super) fn told(model: &mut Model, watching: Watching) -> Effects {
    model.watching = watching;
    model.status = match watching {
        Watching::Removed => {
            Some("the file is gone; what was read stays, and it is waited for".into())
        }
        Watching::Unreadable => {
            Some("the file holds no readable session now; what was read before stays".into())
        }
        Watching::Live | Watching::Off => model.status.take(),
    };
    Vec::new()
}

/// Starts to watch and follow the file, or stops.
pub(super) fn follow(model: &mut Model) -> Effects {
    if model.session.source.path.is_none() {
        model.status = Some("standard input cannot be followed".into());
        return Vec::new();
    }
    if model.watching == Watching::Off {
        model.follow = true;
        model.watching = Watching::Live;
        to_end(model);
        model.status = Some("following the file; f stops".into());
        return vec![Effect::Watch];
    }
    model.follow = !model.follow;
    if model.follow {
        to_end(model);
    }
    let on = if model.follow { "on: the newest entry stays in view" } else { "off; still live" };
    model.status = Some(format!("follow {on}"));
    Vec::new()
}

pub(super) fn to_end(model: &mut Model) {
    let height = model.list_height();
    model.list.move_to(usize::MAX, height);
}
