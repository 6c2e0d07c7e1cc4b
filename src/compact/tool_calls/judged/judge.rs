//! Who is asked. The engine knows a judge by what it is sent and what it answers; the network is
//! elsewhere.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::{Map, Value};
use thiserror::Error;

use crate::compact::settings::Provider;

/// Somebody who answers questions over a conversation with probabilities.
pub trait Judge: Send + Sync {
    /// Asks once, and waits for the answer. Several threads ask at the same time.
    fn ask(&self, request: &Request) -> Reply;
}

/// What a judge is sent.
#[derive(Debug, Clone)]
pub struct Request<'r> {
    pub model: &'r str,
    /// `{"goal", "conversation"}`.
    pub state: &'r Value,
    /// By id; each asks for one number from 0 to 1 (`noul`).
    pub questions: &'r Map<String, Value>,
    /// Once set, whoever waits to try again gives up.
    pub stop: &'r AtomicBool,
}

/// What came back, and how long that took.
#[derive(Debug)]
pub struct Reply {
    /// `{"model", "answers": {ID: {"noul": P}}}`, as it came: nothing about it is certain.
    pub answer: Result<Value, JudgeError>,
    pub took: Duration,
}

/// Why a judge gave no answer. No variant has room for what a server wrote or for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum JudgeError {
    #[error("the judge answers with status {0}")]
    Status(u16),
    #[error("the judge answers with a redirect (status {0}), which is not followed")]
    Redirect(u16),
    #[error("the judge did not answer within {} ms", .0.as_millis())]
    TimedOut(Duration),
    #[error("the judge cannot be reached: {0}")]
    Unreachable(std::io::ErrorKind),
    #[error("the judge's name is not known")]
    UnknownHost,
    #[error("no secure connection to the judge (TLS)")]
    Insecure,
    #[error("the judge's answer is no HTTP")]
    NotHttp,
    #[error("the judge's answer has more than {0} bytes")]
    TooLarge(u64),
    #[error("the judge's answer is no JSON")]
    NotJson,
    #[error("the judge's answer holds no answers")]
    NoAnswers,
    #[error("asking was stopped")]
    Stopped,
}

/// The judges that can be asked. They are looked for only when a provider needs one.
pub trait Judges {
    /// The judge of provider `jev` or `laya`.
    ///
    /// # Errors
    /// [`NoJudge`] when there is none to ask; then nothing has been sent anywhere.
    fn judge(&self, provider: Provider) -> Result<Box<dyn Judge + '_>, NoJudge>;
}

/// Why there is nobody to ask.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoJudge {
    #[error("nobody to ask")]
    Nobody,
    #[error("COMPACTSCOPE_OFFLINE forbids the network")]
    Offline,
    #[error("no API key; set TYPESAFE_API_KEY or write it to {file}")]
    NoKey { file: String },
    #[error("the key file {file} cannot be read: {why}")]
    UnreadableKey { file: String, why: std::io::ErrorKind },
    #[error("the API key holds what no header can carry")]
    UnusableKey,
    #[error("no local judge; set {variable} to its address")]
    NoEndpoint { variable: &'static str },
    #[error("{variable} must be {must_be}")]
    BadEndpoint { variable: &'static str, must_be: &'static str },
}

/// Nobody can be asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoJudges;

impl Judges for NoJudges {
    fn judge(&self, _: Provider) -> Result<Box<dyn Judge + '_>, NoJudge> {
        Err(NoJudge::Nobody)
    }
}
