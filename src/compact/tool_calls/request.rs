//! A compact_transcript request: read whole, or refused whole with the place that is wrong.

use serde_json::{Map, Value};
use thiserror::Error;

use super::parse::{Parsed, parse_messages};
use crate::compact::settings::{Provider, RulesMode};
use crate::python::is_space;

/// Why a request is not answered: `place`, a path into the request (`messages[4].toolUses[0]`) or
/// `request` itself, is not what the contract asks for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: {why}")]
pub struct RequestError {
    pub place: String,
    pub why: String,
}

/// A request that can be answered.
pub(super) struct Request<'v> {
    pub settings: Settings<'v>,
    pub parsed: Parsed<'v>,
}

/// The settings that the answer depends on or reports. Names and defaults are the contract's.
pub(super) struct Settings<'v> {
    pub question: &'v str,
    pub provider: Provider,
    pub rules_mode: RulesMode,
    pub threshold: f64,
    pub preserve_recent: usize,
    pub trim_head_chars: usize,
    pub min_reduction: f64,
    pub workspace_root: Option<&'v str>,
    pub disk_check: bool,
    pub allow_command_pointers: bool,
    pub max_state_tokens: usize,
    pub max_request_tokens: usize,
    pub max_workers: usize,
    pub jev_model: &'v str,
    pub laya_model: Option<&'v str>,
    pub ref_unchanged: bool,
    pub ref_blocks: bool,
    /// Labels: reported when given, nothing else.
    pub trigger: Option<&'v str>,
    pub idle_gap_bucket: Option<&'v str>,
}

impl<'v> Request<'v> {
    /// Settings are looked at before messages.
    ///
    /// # Errors
    /// [`RequestError`] for the first thing that is wrong.
    pub fn read(request: &'v Value) -> Result<Request<'v>, RequestError> {
        let Value::Object(fields) = request else {
            return Err(malformed("request", "must be an object"));
        };
        let messages = messages(fields)?;
        let settings = Settings::read(&Fields(fields))?;
        let parsed = parse_messages(messages)?;
        Ok(Request { settings, parsed })
    }
}

impl<'v> Settings<'v> {
    fn read(fields: &Fields<'v>) -> Result<Settings<'v>, RequestError> {
        let question = fields.text("question")?.unwrap_or("");
        if question.chars().all(is_space) {
            return Err(malformed("question", "must be a text that is not blank"));
        }
        let provider = fields.one_of("provider", &Provider::ALL, Provider::name, Provider::Auto)?;
        let threshold = fields.number("threshold", 0.5)?;
        if !(0.0..=1.0).contains(&threshold) {
            return Err(malformed("threshold", "must be between 0 and 1"));
        }
        Ok(Settings {
            question,
            provider,
            threshold,
            preserve_recent: fields.whole("preserve_recent", 6, 0)?,
            trim_head_chars: fields.whole("trim_head_chars", 300, 0)?,
            max_state_tokens: fields.whole("max_state_tokens", 25_000, 1)?,
            max_request_tokens: fields.whole("max_request_tokens", 30_000, 1)?,
            max_workers: fields.whole("max_workers", 4, 1)?,
            laya_model: fields.text_or_null("laya_model")?,
            // The reference takes an empty directory for none.
            workspace_root: fields.text_or_null("workspace_root")?.filter(|root| !root.is_empty()),
            disk_check: fields.flag("disk_check", true)?,
            allow_command_pointers: fields.flag("allow_command_pointers", false)?,
            min_reduction: fields.number("min_reduction", 0.25)?,
            jev_model: fields.text("jev_model")?.unwrap_or("jev-latest"),
            ref_unchanged: fields.flag("ref_unchanged", false)?,
            ref_blocks: fields.flag("ref_blocks", false)?,
            trigger: fields.text_or_null("trigger")?,
            idle_gap_bucket: fields.text_or_null("idle_gap_bucket")?,
            rules_mode: fields.one_of(
                "rules_mode",
                &RulesMode::ALL,
                RulesMode::name,
                RulesMode::Lossless,
            )?,
        })
    }

    /// Whether the answer is checked before it is given: it promises that nothing is lost.
    pub fn is_verified(&self) -> bool {
        self.provider == Provider::Rules && self.rules_mode != RulesMode::Lossy
    }

    /// The workspace in which the disk decides file pointers, and is asked again before the answer
    /// is given; `None` where it is not asked.
    pub fn disk_root(&self) -> Option<&'v str> {
        let is_recoverable =
            self.provider == Provider::Rules && self.rules_mode == RulesMode::Recoverable;
        self.workspace_root.filter(|_| is_recoverable && self.disk_check)
    }

    pub fn uses_the_stash(&self) -> bool {
        self.provider == Provider::Rules && self.rules_mode == RulesMode::Stashed
    }
}

pub(super) fn malformed(place: impl Into<String>, why: impl Into<String>) -> RequestError {
    RequestError { place: place.into(), why: why.into() }
}

/// The messages are a list, or an object that holds the list under the same name.
fn messages(fields: &Map<String, Value>) -> Result<&[Value], RequestError> {
    let list = match fields.get("messages") {
        Some(Value::Array(list)) if !list.is_empty() => Some(list),
        Some(Value::Object(inner)) => inner.get("messages").and_then(Value::as_array),
        _ => None,
    };
    list.map(Vec::as_slice).ok_or_else(|| malformed("messages", "must be a list with messages"))
}

/// The optional settings of a request, each of one kind.
struct Fields<'v>(&'v Map<String, Value>);

impl<'v> Fields<'v> {
    fn text(&self, name: &str) -> Result<Option<&'v str>, RequestError> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(malformed(name, "must be a text")),
        }
    }

    fn text_or_null(&self, name: &str) -> Result<Option<&'v str>, RequestError> {
        match self.0.get(name) {
            Some(Value::Null) => Ok(None),
            _ => self.text(name),
        }
    }

    fn one_of<T: Copy>(
        &self,
        name: &str,
        known: &[T],
        name_of: impl Fn(T) -> &'static str,
        default: T,
    ) -> Result<T, RequestError> {
        let Some(value) = self.text(name)? else { return Ok(default) };
        known.iter().copied().find(|&it| name_of(it) == value).ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|&it| name_of(it)).collect();
            malformed(name, format!("must be one of {}", names.join(", ")))
        })
    }

    fn flag(&self, name: &str, default: bool) -> Result<bool, RequestError> {
        match self.0.get(name) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(malformed(name, "must be true or false")),
        }
    }

    fn number(&self, name: &str, default: f64) -> Result<f64, RequestError> {
        match self.0.get(name) {
            None => Ok(default),
            Some(value) => value.as_f64().ok_or_else(|| malformed(name, "must be a number")),
        }
    }

    /// A whole number may be written with a point (`6.0`), as some callers do.
    fn whole(&self, name: &str, default: usize, least: usize) -> Result<usize, RequestError> {
        const LARGEST: f64 = 9_007_199_254_740_992.0;
        let number = self.number(name, default as f64)?;
        if number.fract() == 0.0 && (least as f64..=LARGEST).contains(&number) {
            return Ok(number as usize);
        }
        Err(malformed(name, format!("must be a whole number of at least {least}")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(changes: Value) -> RequestError {
        let mut request = json!({"messages": [{"role": "user", "text": "x"}], "question": "q", "provider": "rules"});
        for (name, value) in changes.as_object().unwrap() {
            request[name] = value.clone();
        }
        Request::read(&request).err().unwrap()
    }

    #[test]
    fn a_setting_of_the_wrong_kind_is_refused_by_name() {
        for (name, value) in [
            ("question", json!(3)),
            ("question", json!("\u{1f} \n")),
            ("provider", json!(null)),
            ("provider", json!("Rules")),
            ("threshold", json!("0.5")),
            ("threshold", json!(-0.1)),
            ("preserve_recent", json!(2.5)),
            ("preserve_recent", json!(-1)),
            ("preserve_recent", json!(1e30)),
            ("trim_head_chars", json!(true)),
            ("max_workers", json!(0)),
            ("max_state_tokens", json!([])),
            ("min_reduction", json!("a")),
            ("rules_mode", json!("magic")),
            ("jev_model", json!(1)),
            ("laya_model", json!(1)),
            ("workspace_root", json!(1)),
            ("disk_check", json!("yes")),
            ("allow_command_pointers", json!(1)),
            ("ref_blocks", json!(1)),
            ("ref_unchanged", json!(null)),
            ("trigger", json!(1)),
            ("messages", json!([])),
            ("messages", json!({"list": []})),
        ] {
            let error = refused(json!({ name: value }));
            assert!(matches!(&error, RequestError { place, .. } if place == name));
            assert!(error.to_string().starts_with(&format!("{name}: ")), "{error}");
        }
    }

    #[test]
    fn numbers_too_large_for_a_double_are_refused() {
        let text =
            r#"{"messages":[{"role":"u"}],"question":"q","provider":"rules","threshold":1e999}"#;
        let request = serde_json::from_str(text).unwrap();
        let error = Request::read(&request).err().unwrap();
        assert!(error.to_string().starts_with("threshold: "), "{error}");
    }

    #[test]
    fn a_whole_number_may_have_a_point() {
        let request = json!({"messages": {"messages": []}, "question": "q", "provider": "rules", "preserve_recent": 2.0});
        assert_eq!(Request::read(&request).unwrap().settings.preserve_recent, 2);
    }
}
