//! The System One client.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::http::Response;
use ureq::{Agent, Body, Error};

use super::endpoint::Endpoint;
use super::key::Key;
use crate::compact::tool_calls::{Judge, JudgeError, JudgeRequest, Reply};

/// How long a judge is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patience {
    /// The longest that one attempt may take, from the name's lookup to the last byte.
    pub attempt: Duration,
    /// The pauses after attempts that failed; there is one attempt more than pauses.
    pub pauses: Vec<Duration>,
}

impl Default for Patience {
    /// Three attempts of 45 s, with 1.5 s and 3 s between.
    fn default() -> Patience {
        Patience {
            attempt: Duration::from_secs(45),
            pauses: vec![Duration::from_millis(1500), Duration::from_secs(3)],
        }
    }
}

/// The longest answer that is read, in bytes. Sixteen probabilities take some two thousand.
const ANSWER_BYTES: u64 = 1 << 20;

/// How long a pause goes on after it was stopped.
const NAP: Duration = Duration::from_millis(50);

/// A client of one endpoint. It follows no redirect and uses no proxy: the key and the session's
/// text go to the endpoint that was named, or nowhere.
#[derive(Debug)]
pub struct SystemOne {
    agent: Agent,
    endpoint: Endpoint,
    key: Option<Key>,
    patience: Patience,
}

impl SystemOne {
    /// Nothing is sent before the first question.
    pub fn new(endpoint: Endpoint, key: Option<Key>, patience: Patience) -> SystemOne {
        let config = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_global(Some(patience.attempt))
            .user_agent(concat!("compactscope/", env!("CARGO_PKG_VERSION")))
            .accept("application/json");
        SystemOne { agent: config.build().new_agent(), endpoint, key, patience }
    }

    /// Where it sends what it is asked.
    pub fn address(&self) -> String {
        self.endpoint.uri().to_string()
    }

    /// Tries until it has an answer, an error that another attempt would not mend, or no attempt
    /// left.
    fn try_often(&self, body: &str, stop: &AtomicBool) -> Result<Value, JudgeError> {
        let mut pauses = self.patience.pauses.iter();
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(JudgeError::Stopped);
            }
            match self.try_once(body) {
                Err(error) if is_passing(error) => match pauses.next() {
                    Some(&pause) => wait(pause, stop),
                    None => return Err(error),
                },
                result => return result,
            }
        }
    }

    fn try_once(&self, body: &str) -> Result<Value, JudgeError> {
        let mut request =
            self.agent.post(self.endpoint.uri()).header("Content-Type", "application/json");
        if let Some(key) = &self.key {
            // A key is made of what a header can carry.
            request = request.header("Authorization", key.bearer().ok_or(JudgeError::NotHttp)?);
        }
        let response = request.send(body).map_err(|error| self.fault(&error))?;
        self.read(response)
    }

    fn read(&self, response: Response<Body>) -> Result<Value, JudgeError> {
        let status = response.status();
        if status.is_redirection() {
            return Err(JudgeError::Redirect(status.as_u16()));
        }
        // What an error's body says is not shown: it may repeat what was sent.
        if !status.is_success() {
            return Err(JudgeError::Status(status.as_u16()));
        }
        let bytes = response
            .into_body()
            .into_with_config()
            .limit(ANSWER_BYTES)
            .read_to_vec()
            .map_err(|error| self.fault(&error))?;
        let mut answer = serde_json::from_slice(&bytes).map_err(|_| JudgeError::NotJson)?;
        if let Some(key) = &self.key {
            key.strike_out(&mut answer);
        }
        Ok(answer)
    }

    /// The kind of a transport's error. Its text is not taken over: it may hold what a server sent.
    fn fault(&self, error: &Error) -> JudgeError {
        match error {
            Error::Timeout(_) => JudgeError::TimedOut(self.patience.attempt),
            Error::Io(error) if error.kind() == ErrorKind::TimedOut => {
                JudgeError::TimedOut(self.patience.attempt)
            }
            // The shape in which the transport hands on what its TLS says.
            Error::Io(error) if error.kind() == ErrorKind::InvalidData => JudgeError::Insecure,
            Error::Io(error) => JudgeError::Unreachable(error.kind()),
            Error::HostNotFound => JudgeError::UnknownHost,
            Error::BodyExceedsLimit(_) => JudgeError::TooLarge(ANSWER_BYTES),
            Error::Rustls(_) | Error::Tls(_) | Error::TlsRequired | Error::Pem(_) => {
                JudgeError::Insecure
            }
            _ => JudgeError::NotHttp,
        }
    }
}

impl Judge for SystemOne {
    fn ask(&self, request: &JudgeRequest) -> Reply {
        let begun = Instant::now();
        let body = json!({
            "model": request.model,
            "state": request.state,
            "questions": request.questions,
        });
        let answer = self.try_often(&body.to_string(), request.stop);
        Reply { answer, took: begun.elapsed() }
    }
}

/// Whether another attempt may end better.
fn is_passing(error: JudgeError) -> bool {
    match error {
        JudgeError::Status(status) => matches!(status, 408 | 425 | 429 | 500..=599),
        JudgeError::TimedOut(_) | JudgeError::Unreachable(_) | JudgeError::UnknownHost => true,
        _ => false,
    }
}

fn wait(pause: Duration, stop: &AtomicBool) {
    let begun = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let left = pause.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(NAP));
    }
}
