//! What a judge said, by the ids of calls. It outlives every setting that decides by it.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::judge::JudgeError;
use super::questions::{keep_call, keep_result};

/// Two probabilities for each call that a judge was asked about and answered for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    by_id: HashMap<String, Answer>,
}

/// What a judge said of one call; each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Answer {
    /// Probability that the call is still worth knowing.
    pub keep_call: Option<f64>,
    /// Probability that its result is still needed word for word.
    pub keep_result: Option<f64>,
}

/// Why a number is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Missing,
    /// A judge that says 1.7 was not asked what it answers: it is not cut to 1.
    OutOfRange,
}

impl Answers {
    /// What was said of a call; `None` when neither number can be used.
    pub fn of(&self, id: &str) -> Option<Answer> {
        self.by_id.get(id).copied().filter(Answer::is_any)
    }

    /// How many calls were judged.
    pub fn len(&self) -> usize {
        self.by_id.values().filter(|answer| answer.is_any()).count()
    }

    /// Whether no call was judged.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes what was said of a call out of a judge's answers, and warns of each number that
    /// cannot be used, in the reference's code.
    pub(super) fn take(
        &mut self,
        id: &str,
        said: &Map<String, Value>,
        judge: &str,
        warnings: &mut Vec<String>,
    ) {
        let mut number = |question: String| match probability(said.get(&question)) {
            Ok(probability) => Some(probability),
            Err(fault) => {
                let kind = match fault {
                    Fault::Missing => "missing",
                    Fault::OutOfRange => "out_of_range",
                };
                warnings.push(format!("{judge}_{kind}_answer:{question}"));
                None
            }
        };
        let answer =
            Answer { keep_call: number(keep_call(id)), keep_result: number(keep_result(id)) };
        self.by_id.insert(id.to_owned(), answer);
    }
}

impl Answer {
    fn is_any(&self) -> bool {
        self.keep_call.is_some() || self.keep_result.is_some()
    }
}

/// The answers of a response, by question.
///
/// # Errors
/// [`JudgeError::NoAnswers`] when it is not an object with answers that are all objects.
pub(super) fn said(response: &Value) -> Result<&Map<String, Value>, JudgeError> {
    response
        .get("answers")
        .and_then(Value::as_object)
        .filter(|answers| answers.values().all(Value::is_object))
        .ok_or(JudgeError::NoAnswers)
}

/// The longest name of a model that is repeated, in characters.
const MODEL_CHARS: usize = 200;

/// The model that a response says it is from.
pub(super) fn model(response: &Value) -> Option<String> {
    let named = |field| response.get(field).and_then(Value::as_str).filter(|name| !name.is_empty());
    let model = named("model").or_else(|| named("resolved_model"))?;
    Some(model.chars().take(MODEL_CHARS).collect())
}

fn probability(answer: Option<&Value>) -> Result<f64, Fault> {
    let Some(Value::Number(number)) = answer.and_then(|answer| answer.get("noul")) else {
        return Err(Fault::Missing);
    };
    // A number beyond the range of a double is still a number, and out of range.
    let number: f64 = number.as_str().parse().map_err(|_| Fault::OutOfRange)?;
    if (0.0..=1.0).contains(&number) { Ok(number) } else { Err(Fault::OutOfRange) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &str) -> Value {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn only_numbers_from_zero_to_one_are_taken() {
        for (noul, want) in [
            ("0", Ok(0.0)),
            ("1", Ok(1.0)),
            ("0.25", Ok(0.25)),
            ("-0.0", Ok(0.0)),
            ("1.7", Err(Fault::OutOfRange)),
            ("-1e-9", Err(Fault::OutOfRange)),
            ("1e999", Err(Fault::OutOfRange)),
            ("true", Err(Fault::Missing)),
            ("\"0.5\"", Err(Fault::Missing)),
            ("null", Err(Fault::Missing)),
        ] {
            let answer = parsed(&format!(r#"{{"noul": {noul}}}"#));
            assert_eq!(probability(Some(&answer)), want, "{noul}");
        }
        assert_eq!(probability(Some(&parsed("{}"))), Err(Fault::Missing));
        assert_eq!(probability(None), Err(Fault::Missing));
    }

    #[test]
    fn a_number_that_cannot_be_used_is_warned_of_by_its_question() {
        let said = parsed(r#"{"keep_call_a": {"noul": 1.7}, "keep_result_b": {"noul": 0.5}}"#);
        let (mut answers, mut warnings) = (Answers::default(), Vec::new());
        for id in ["a", "b"] {
            answers.take(id, said.as_object().unwrap(), "jev", &mut warnings);
        }
        assert_eq!(
            warnings,
            [
                "jev_out_of_range_answer:keep_call_a",
                "jev_missing_answer:keep_result_a",
                "jev_missing_answer:keep_call_b",
            ]
        );
        assert_eq!(answers.of("a"), None);
        assert_eq!(answers.of("b"), Some(Answer { keep_call: None, keep_result: Some(0.5) }));
        assert_eq!(answers.len(), 1);
    }

    #[test]
    fn a_response_without_answers_that_are_objects_holds_none() {
        for response in
            ["[]", "1", "{}", r#"{"answers": []}"#, r#"{"answers": {"a": {}, "b": 0.5}}"#]
        {
            assert_eq!(said(&parsed(response)), Err(JudgeError::NoAnswers), "{response}");
        }
        assert_eq!(said(&parsed(r#"{"answers": {"a": {}}}"#)).unwrap().len(), 1);
    }

    #[test]
    fn the_model_is_the_one_that_the_response_names() {
        let named = |json| model(&parsed(json));
        assert_eq!(named(r#"{"model": "m", "resolved_model": "r"}"#).as_deref(), Some("m"));
        assert_eq!(named(r#"{"model": "", "resolved_model": "r"}"#).as_deref(), Some("r"));
        assert_eq!(named(r#"{"model": 5}"#), None);
        let long = format!(r#"{{"model": "{}"}}"#, "m".repeat(1000));
        assert_eq!(named(&long).unwrap().len(), MODEL_CHARS);
    }
}
