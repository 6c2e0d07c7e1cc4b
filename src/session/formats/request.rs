//! What the requests of both contracts share: places, and settings as their flags are typed.

use serde_json::Value;
use serde_json::value::RawValue;

use super::detect::{Fields, elements};
use super::document::{Lines, Top};
use crate::session::{Format, ReadError};

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Number,
    Whole,
    Truth,
    Texts,
}

/// A request being read: knows its format and its lines, to name places.
pub(super) struct Reading<'a> {
    pub format: Format,
    pub lines: Lines<'a>,
}

impl Reading<'_> {
    /// An error at a place, on the line of the value that stands there.
    pub fn refuse(
        &mut self,
        at: Option<&RawValue>,
        place: impl Into<String>,
        problem: &str,
    ) -> ReadError {
        ReadError::Shape {
            format: self.format,
            line: at.map(|at| self.lines.of(at)),
            place: place.into(),
            problem: problem.to_owned(),
        }
    }

    /// The members of a request and its messages.
    pub fn open<'t>(
        &mut self,
        top: &'t Top<'t>,
    ) -> Result<(&'t Fields<'t>, Vec<&'t RawValue>), ReadError> {
        let Top::Object(members) = top else {
            return Err(self.refuse(None, "request", "must be an object"));
        };
        let Some(messages) = members.get("messages") else {
            return Err(self.refuse(None, "messages", "must be given"));
        };
        if !messages.get().starts_with('[') {
            return Err(self.refuse(Some(messages), "messages", "must be a list"));
        }
        Ok((members, elements(messages)))
    }

    /// The settings that a request brings, of those it may bring.
    pub fn settings(
        &mut self,
        members: &Fields<'_>,
        known: &[(&str, Type)],
    ) -> Result<Vec<(String, String)>, ReadError> {
        let mut settings = Vec::new();
        for (name, kind) in known {
            let Some(given) = members.get(*name) else { continue };
            let value: Value = serde_json::from_str(given.get()).unwrap_or(Value::Null);
            if value.is_null() {
                continue;
            }
            match kind.flag(&value) {
                Some(flag) => settings.push(((*name).to_owned(), flag)),
                None => return Err(self.refuse(Some(given), *name, kind.wanted())),
            }
        }
        Ok(settings)
    }
}

impl Type {
    /// A value as its flag would be typed; `None` for one of another type.
    fn flag(self, value: &Value) -> Option<String> {
        match self {
            Type::Text => value.as_str().map(str::to_owned),
            Type::Number => value.as_f64().map(|_| value.to_string()),
            Type::Whole => whole(value).map(|whole| whole.to_string()),
            Type::Truth => value.as_bool().map(|truth| truth.to_string()),
            Type::Texts => {
                let texts: Option<Vec<&str>> =
                    value.as_array()?.iter().map(Value::as_str).collect();
                texts.map(|texts| texts.join(","))
            }
        }
    }

    fn wanted(self) -> &'static str {
        match self {
            Type::Text => "must be a text",
            Type::Number => "must be a number",
            Type::Whole => "must be a whole number",
            Type::Truth => "must be true or false",
            Type::Texts => "must be a list of texts",
        }
    }
}

/// A whole number, however it is written: `400.0` is one.
fn whole(value: &Value) -> Option<i64> {
    let number = value.as_number()?;
    let float = number.as_f64()?;
    let exact = float.fract() == 0.0 && float.abs() < 9e15;
    number.as_i64().or_else(|| exact.then_some(float as i64))
}
