//! The judge that recorded answers were made with, and one that is made up case by case.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::compact::settings::Provider;
use crate::compact::tool_calls::{Judge, JudgeError, JudgeRequest, Judges, NoJudge, Reply};

/// The deterministic judge of the recordings, in one of its modes; in none, nobody is there.
pub struct Recorded<'m>(pub Option<&'m str>);

impl Judges for Recorded<'_> {
    fn judge(&self, _: Provider) -> Result<Box<dyn Judge + '_>, NoJudge> {
        let mode = self.0.ok_or(NoJudge::Nobody)?;
        Ok(Box::new(Scripted::new(move |asked: &Map<String, Value>| reply(mode, asked))))
    }
}

/// A judge that answers by a function of the questions, and remembers what it was asked.
pub struct Scripted<F> {
    answer: F,
    pub asked: Mutex<Vec<(Value, Map<String, Value>)>>,
}

impl<F: Fn(&Map<String, Value>) -> Result<Value, JudgeError>> Scripted<F> {
    pub fn new(answer: F) -> Scripted<F> {
        Scripted { answer, asked: Mutex::default() }
    }
}

impl<F> Judge for Scripted<F>
where
    F: Fn(&Map<String, Value>) -> Result<Value, JudgeError> + Send + Sync,
{
    fn ask(&self, request: &JudgeRequest) -> Reply {
        self.asked.lock().unwrap().push((request.state.clone(), request.questions.clone()));
        Reply { answer: (self.answer)(request.questions), took: Duration::from_millis(7) }
    }
}

/// A number that depends on the question alone.
pub fn probability(question: &str) -> f64 {
    let digest = Sha256::digest(question);
    f64::from(u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])) / 2f64.powi(32)
}

fn reply(mode: &str, asked: &Map<String, Value>) -> Result<Value, JudgeError> {
    let first = asked.keys().min().cloned().unwrap_or_default();
    match mode {
        "refuse" => return Err(JudgeError::Status(400)),
        "garbage" => return Err(JudgeError::NotJson),
        "redirect" => return Err(JudgeError::Redirect(302)),
        "shape" => return Ok(json!({"ok": true})),
        "partial" if probability(&first) < 0.5 => return Err(JudgeError::Status(400)),
        _ => {}
    }
    let answers = asked.keys().filter_map(|question| {
        let p = probability(question);
        let noul = match mode {
            "holes" if p < 0.15 => return None,
            "holes" if p < 0.25 => json!(1.7),
            "holes" if p < 0.3 => json!("high"),
            _ => json!(p),
        };
        Some((question.clone(), json!({"type": "noul", "noul": noul})))
    });
    Ok(json!({"model": "mock-1", "answers": answers.collect::<Map<_, _>>()}))
}
