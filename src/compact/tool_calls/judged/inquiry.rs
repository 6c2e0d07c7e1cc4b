//! Everything that a judge is to be asked over a transcript, and the asking.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};
use thiserror::Error;

use super::super::ruling::Asked;
use super::super::view::View;
use super::WINDOW_TOKENS;
use super::answers::{self, Answers};
use super::batches::{Named, batches};
use super::judge::{Judge, JudgeError, Reply, Request};
use super::questions::questions;
use super::ruling::LAYA_MODEL;
use super::state::{Shown, fit};
use crate::compact::settings::{Provider, Settings};

/// The most threads that ask, whatever the settings say.
const MOST_WORKERS: usize = 32;

/// How much a judge is sent. Names are the contract's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Tokens of the conversation.
    pub max_state_tokens: usize,
    /// Tokens of a request: the conversation and its questions.
    pub max_request_tokens: usize,
}

/// The conversation, or one question beside it, has too many tokens.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DoesNotFit {
    #[error(
        "the conversation has {least} tokens at its shortest, which is more than {budget}; allow \
         more, or compact fewer messages"
    )]
    State { least: usize, budget: usize },
    #[error(
        "a conversation of {state} tokens leaves no room for a question in a request of {budget}; \
         allow more here, or fewer in max_state_tokens"
    )]
    Request { state: usize, budget: usize },
}

impl DoesNotFit {
    /// The setting that it does not fit into.
    pub fn setting(&self) -> &'static str {
        match self {
            DoesNotFit::State { .. } => "max_state_tokens",
            DoesNotFit::Request { .. } => "max_request_tokens",
        }
    }
}

/// Requests that are ready to be sent. It borrows nothing, so another thread can ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Inquiry {
    judge: &'static str,
    model: String,
    shown: Shown,
    batches: Vec<Vec<Named>>,
}

/// How asking goes on, for whoever watches it.
#[derive(Clone, Copy)]
pub struct Course<'c> {
    /// Told after every request how many are done, of how many.
    pub told: &'c (dyn Fn(usize, usize) + Sync),
    /// Once set, no further request is sent.
    pub stop: &'c AtomicBool,
}

/// What a judge said, and what it took to ask it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    pub answers: Answers,
    /// In the reference's codes.
    pub warnings: Vec<String>,
    pub asked: Asked,
}

impl Inquiry {
    /// Fits the transcript to the judge of `provider` and sorts its candidates into requests.
    ///
    /// # Errors
    /// [`DoesNotFit`] names the setting that would have to be larger.
    pub fn prepare(
        view: &View,
        provider: Provider,
        model: &str,
        limits: Limits,
    ) -> Result<Inquiry, DoesNotFit> {
        let candidates = view.candidates();
        let budget = limits.max_state_tokens;
        let shown =
            fit(view, &candidates, budget).map_err(|least| DoesNotFit::State { least, budget })?;
        let named = candidates.iter().map(|candidate| {
            let call = view.call(view.index.calls()[candidate.call].at);
            Named { id: call.id.to_owned(), tool: call.tool.to_owned() }
        });
        let request_tokens = match provider {
            Provider::Jev => limits.max_request_tokens.min(WINDOW_TOKENS),
            _ => limits.max_request_tokens,
        };
        let batches = batches(named.collect(), shown.tokens, request_tokens)?;
        Ok(Inquiry { judge: provider.name(), model: model.to_owned(), shown, batches })
    }

    /// The same for a session's settings, which name the judge.
    ///
    /// # Errors
    /// As [`Inquiry::prepare`].
    pub fn of_settings(view: &View, settings: &Settings) -> Result<Inquiry, DoesNotFit> {
        let model = match settings.provider {
            Provider::Laya => settings.laya_model.as_deref().unwrap_or(LAYA_MODEL),
            _ => &settings.jev_model,
        };
        let limits = Limits {
            max_state_tokens: settings.max_state_tokens,
            max_request_tokens: settings.max_request_tokens,
        };
        Inquiry::prepare(view, settings.provider, model, limits)
    }

    /// How many requests there are to send.
    pub fn requests(&self) -> usize {
        self.batches.len()
    }

    /// Asks the judge with at most `workers` requests at a time. Nothing fails: what was not
    /// answered is not in the answers, and a warning says why.
    pub fn ask(&self, judge: &dyn Judge, workers: usize, course: &Course) -> Judgement {
        let replies = self.send(judge, workers, course);
        let mut judgement = Judgement {
            asked: Asked {
                requests: self.requests(),
                state_tokens: self.shown.tokens,
                fit_stage: self.shown.form.name(),
                ..Asked::default()
            },
            ..Judgement::default()
        };
        let mut took = Duration::ZERO;
        let mut unsent = 0;
        for (n, (batch, reply)) in self.batches.iter().zip(replies).enumerate() {
            let Some(reply) = reply else {
                unsent += 1;
                continue;
            };
            took += reply.took;
            self.read(batch, n + 1, &reply, &mut judgement);
        }
        if unsent > 0 {
            let (all, judge) = (self.requests(), self.judge);
            judgement.warnings.push(format!(
                "{judge}_stopped: {unsent} of {all} requests were not sent; their calls were kept \
                 (fail-safe)"
            ));
        }
        judgement.asked.latency_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        judgement
    }

    /// The reply to each request, in order; `None` for one that was not sent.
    fn send(&self, judge: &dyn Judge, workers: usize, course: &Course) -> Vec<Option<Reply>> {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            let mut replies = Vec::new();
            while !course.stop.load(Ordering::Relaxed) {
                let n = next.fetch_add(1, Ordering::Relaxed);
                let Some(batch) = self.batches.get(n) else { break };
                replies.push((n, self.send_one(judge, batch, course.stop)));
                (course.told)(done.fetch_add(1, Ordering::Relaxed) + 1, self.requests());
            }
            replies
        };
        let workers = workers.clamp(1, MOST_WORKERS).min(self.requests());
        let mut replies: Vec<Option<Reply>> = self.batches.iter().map(|_| None).collect();
        thread::scope(|scope| {
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            for thread in threads {
                // What a thread that panicked was told is lost with it, and so not judged.
                for (n, reply) in thread.join().unwrap_or_default() {
                    replies[n] = Some(reply);
                }
            }
        });
        replies
    }

    fn send_one(&self, judge: &dyn Judge, batch: &[Named], stop: &AtomicBool) -> Reply {
        let asked: Map<String, Value> =
            batch.iter().flat_map(|call| questions(&call.id, &call.tool)).collect();
        let state = &self.shown.state;
        judge.ask(&Request { model: &self.model, state, questions: &asked, stop })
    }

    /// Takes the answers to the request with this number, counting from 1.
    fn read(&self, batch: &[Named], number: usize, reply: &Reply, into: &mut Judgement) {
        let judge = self.judge;
        let read = reply.answer.as_ref().map_err(|error| *error);
        match read.and_then(|response| Ok((response, answers::said(response)?))) {
            Ok((response, said)) => {
                into.asked.calls += 1;
                let model = answers::model(response).unwrap_or_else(|| self.model.clone());
                into.asked.model = Some(model);
                for call in batch {
                    into.answers.take(&call.id, said, judge, &mut into.warnings);
                }
            }
            Err(error) => into.warnings.push(failed(judge, number, error)),
        }
    }
}

fn failed(judge: &str, number: usize, error: JudgeError) -> String {
    format!("{judge}_batch_{number}_failed: {error}: those calls were kept (fail-safe)")
}
