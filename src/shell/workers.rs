//! The threads that do what is slow. In each the newest job wins; what it replaces is not done.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::highlight;
use super::jury::Jury;
use crate::app::action::{Effect, Msg, Shared};
use crate::app::counts::{self, Piece};
use crate::compact::Features;
use crate::compact::plan::{Known, plan};
use crate::compact::tool_calls::{Call, Recoverability, Recovery, recoverability};
use crate::disk::RealDisk;
use crate::find::Finder;
use crate::session::{Kind, Session};
use crate::stash::FileStash;
use crate::tokens::{self, Method};

/// One thread each for plans, searches, colours, pointers and token counts.
pub struct Workers {
    planner: Sender<Effect>,
    finder: Sender<Effect>,
    painter: Sender<Effect>,
    checker: Sender<Effect>,
    jury: Jury,
    counter: Sender<Effect>,
}

impl Workers {
    /// Starts them; they end with the sender of their jobs.
    pub fn new(out: Sender<Msg>) -> Workers {
        let mut planner = Planner::default();
        let planner = newest_wins(out.clone(), move |effect, _| planner.answer(&effect, true));
        let finder = newest_wins(out.clone(), |effect, _| find(&effect));
        let painter = newest_wins(out.clone(), |effect, _| paint(&effect));
        let checker = newest_wins(out.clone(), |effect, _| recover(&effect));
        let jury = Jury::new(out.clone());
        let mut counter = Counter::new(out.clone());
        let counter = newest_wins(out, move |effect, jobs| counter.count(&effect, jobs));
        Workers { planner, finder, painter, checker, jury, counter }
    }

    /// Gives work to its thread; other effects are not work.
    pub fn start(&mut self, effect: Effect) {
        let thread = match effect {
            Effect::Plan { .. } => &self.planner,
            Effect::Find { .. } => &self.finder,
            Effect::Highlight { .. } => &self.painter,
            Effect::Recover { .. } => &self.checker,
            Effect::FindJudge(_) => {
                self.jury.find(effect);
                return;
            }
            Effect::Judge { .. } | Effect::StopJudging => {
                self.jury.take(effect);
                return;
            }
            Effect::Count { .. } => &self.counter,
            _ => return,
        };
        // A thread ends only with the program.
        let _ = thread.send(effect);
    }
}

/// The jobs that came while one was done.
struct Waiting<'a> {
    jobs: &'a Receiver<Effect>,
    next: Option<Effect>,
}

impl Waiting<'_> {
    /// Whether a newer job has come.
    fn is_newer(&mut self) -> bool {
        match self.jobs.try_recv() {
            Ok(job) => self.next = Some(job),
            Err(TryRecvError::Disconnected) => return true,
            Err(TryRecvError::Empty) => {}
        }
        self.next.is_some()
    }
}

fn newest_wins(
    out: Sender<Msg>,
    mut answer: impl FnMut(Effect, &mut Waiting<'_>) -> Option<Msg> + Send + 'static,
) -> Sender<Effect> {
    let (sender, jobs) = channel();
    thread::spawn(move || {
        let mut waiting = Waiting { jobs: &jobs, next: None };
        loop {
            let Some(mut job) = waiting.next.take().or_else(|| jobs.recv().ok()) else { return };
            while let Ok(newer) = jobs.try_recv() {
                job = newer;
            }
            if let Some(msg) = answer(job, &mut waiting)
                && out.send(msg).is_err()
            {
                return;
            }
        }
    });
    sender
}

/// Plans, and the features of the session that they need.
#[derive(Default)]
pub struct Planner {
    features: Option<(Shared, Features)>,
    disk: RealDisk,
}

impl Planner {
    /// The plan that is asked for. Features are computed once for a session, and extended as it
    /// grows.
    pub fn answer(&mut self, effect: &Effect, timed: bool) -> Option<Msg> {
        let Effect::Plan { generation, session, settings, pins, tokens, judgement } = effect else {
            return None;
        };
        self.prepare(session);
        let (_, features) = self.features.as_ref()?;
        let begun = Instant::now();
        let answers = judgement.as_ref().map(|judgement| &judgement.answers);
        let known = Known { disk: &self.disk, tokens, answers };
        let plan = Arc::new(plan(&session.session, features, settings, pins, &known));
        let took = timed.then(|| begun.elapsed());
        Some(Msg::Planned { generation: *generation, plan, took })
    }

    fn prepare(&mut self, wanted: &Shared) {
        match &mut self.features {
            Some((known, features)) if known.epoch == wanted.epoch => {
                if known != wanted {
                    features.extend(&wanted.session);
                    known.session = wanted.session.clone();
                }
            }
            _ => self.features = None,
        }
        let fresh = || (wanted.clone(), Features::new(&wanted.session));
        self.features.get_or_insert_with(fresh);
    }
}

/// The entries that hold a pattern.
pub fn find(effect: &Effect) -> Option<Msg> {
    let Effect::Find { generation, session, pattern } = effect else { return None };
    let entries = Finder::new(pattern).entries(&session.session);
    Some(Msg::Found { generation: *generation, entries })
}

/// Whether what a pointer stands for can be had again.
pub fn recover(effect: &Effect) -> Option<Msg> {
    let Effect::Recover { entry, session, recovery, workspace_root } = effect else { return None };
    let root = workspace_root.as_ref().map(|root| root.to_string_lossy());
    let now = match recovery {
        Recovery::File { .. } => file_now(&session.session, *entry, root.as_deref())?,
        Recovery::Command { .. } => Recoverability::Untried,
        Recovery::Stash { sha256, .. } => FileStash::of_the_user().look(sha256),
    };
    Some(Msg::Recoverable { epoch: session.epoch, entry: *entry, now })
}

/// Whether the file that a result was read from still holds it.
fn file_now(session: &Session, result: usize, root: Option<&str>) -> Option<Recoverability> {
    let result = session.entries.get(result)?;
    let call = session.entries.get(result.kind.partner()?)?;
    let Kind::Call { id, tool, .. } = &call.kind else { return None };
    let call = Call { id, tool, input: call.content.as_ref().into() };
    Some(recoverability(&call, &result.content, root, &RealDisk::new()))
}

/// The colours of an entry.
pub fn paint(effect: &Effect) -> Option<Msg> {
    let Effect::Highlight { entry, session } = effect else { return None };
    let lines = highlight::highlight(&session.session, *entry)?;
    Some(Msg::Highlighted { epoch: session.epoch, entry: *entry, lines })
}

/// Counts tokens piece by piece and tells of them as they come.
struct Counter {
    out: Sender<Msg>,
    epoch: u64,
    done: HashSet<Piece>,
}

/// How long counts are gathered before they are told.
const GATHER: Duration = Duration::from_millis(150);

impl Counter {
    fn new(out: Sender<Msg>) -> Counter {
        Counter { out, epoch: 0, done: HashSet::new() }
    }

    fn count(&mut self, effect: &Effect, waiting: &mut Waiting<'_>) -> Option<Msg> {
        let Effect::Count { session: Shared { session, epoch }, plan, method } = effect else {
            return None;
        };
        if self.epoch != *epoch {
            self.epoch = *epoch;
            self.done.clear();
        }
        let mut counts = Vec::new();
        let mut told = Instant::now();
        for piece in counts::pieces(session, plan) {
            if self.done.contains(&piece) {
                continue;
            }
            counts.push(count_piece(session, piece.clone(), *method));
            self.done.insert(piece);
            if told.elapsed() >= GATHER {
                self.out
                    .send(Msg::Counted { epoch: *epoch, counts: std::mem::take(&mut counts) })
                    .ok()?;
                told = Instant::now();
            }
            if waiting.is_newer() {
                break;
            }
        }
        (!counts.is_empty()).then_some(Msg::Counted { epoch: *epoch, counts })
    }
}

/// One piece with its count.
pub fn count_piece(session: &Session, piece: Piece, method: Method) -> (Piece, u32) {
    let tokens = tokens::count(counts::text(&piece, session), method);
    (piece, u32::try_from(tokens).unwrap_or(u32::MAX))
}
