//! The request: read from JSON and held against the contract's input schema.
//!
//! Values are kept as raw JSON until their place says what they must be, so that a fault can
//! name its place and a number is judged by its own digits.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::error::{Fault, RequestError, grouped, quoted};
use crate::session::Role;

/// A request within the contract's limits, defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRequest {
    /// The conversation, oldest first: 2 to 200 messages.
    pub messages: Vec<MemoryMessage>,
    /// Characters that all contents of the answer may have together: 100 to 400,000.
    pub budget_chars: usize,
    /// How many of the newest messages are protected: 0 to 50, 5 unless given.
    pub keep_last_n: usize,
    /// Roles whose messages are protected, as given: at most 4, `system` unless given.
    pub keep_roles: Vec<Role>,
    /// Similarity from which a message is a duplicate: 0.5 to 1, 0.9 unless given.
    pub duplicate_threshold: f64,
    /// Length in characters that messages are trimmed to: 80 to 4,000, 400 unless given.
    pub max_message_chars: usize,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryMessage {
    pub role: Role,
    /// 1 to 8,000 characters.
    pub content: String,
    /// The caller's own identifier, at most 128 characters.
    pub id: Option<String>,
    /// Protected by the caller.
    pub pin: bool,
}

type Fields<'a> = BTreeMap<String, &'a RawValue>;

impl MemoryRequest {
    /// Reads and checks a request.
    ///
    /// # Errors
    ///
    /// [`RequestError`] at the first place that breaks the schema.
    pub fn parse(bytes: &[u8]) -> Result<MemoryRequest, RequestError> {
        let text = std::str::from_utf8(bytes)
            .map_err(|error| Fault::NotUtf8(error.valid_up_to()).at("request"))?;
        let whole: &RawValue = serde_json::from_str(text)
            .map_err(|error| Fault::NotJson(error.to_string()).at("request"))?;
        let mut fields = object(whole, "request")?;
        let request = MemoryRequest {
            messages: messages(required(&mut fields, "", "messages")?)?,
            budget_chars: integer(
                required(&mut fields, "", "budget_chars")?,
                "budget_chars",
                (100, 400_000),
            )?,
            keep_last_n: optional(&mut fields, "keep_last_n", 5, |raw, place| {
                integer(raw, place, (0, 50))
            })?,
            keep_roles: optional(&mut fields, "keep_roles", vec![Role::System], roles)?,
            duplicate_threshold: optional(
                &mut fields,
                "duplicate_threshold",
                0.9,
                |raw, place| number(raw, place, (0.5, 1.0)),
            )?,
            max_message_chars: optional(&mut fields, "max_message_chars", 400, |raw, place| {
                integer(raw, place, (80, 4_000))
            })?,
        };
        no_others(&fields, "")?;
        Ok(request)
    }
}

fn messages(raw: &RawValue) -> Result<Vec<MemoryMessage>, RequestError> {
    let items = array(raw, "messages")?;
    within(items.len(), "messages", (2, 200)).map_err(|fault| fault.at("messages"))?;
    items
        .into_iter()
        .enumerate()
        .map(|(index, raw)| message(raw, &format!("messages[{index}]")))
        .collect()
}

fn message(raw: &RawValue, place: &str) -> Result<MemoryMessage, RequestError> {
    let mut fields = object(raw, place)?;
    let message = MemoryMessage {
        role: role(required(&mut fields, place, "role")?, &path(place, "role"))?,
        content: content(required(&mut fields, place, "content")?, &path(place, "content"))?,
        id: fields.remove("id").map(|raw| identifier(raw, &path(place, "id"))).transpose()?,
        pin: fields.remove("pin").map_or(Ok(false), |raw| boolean(raw, &path(place, "pin")))?,
    };
    no_others(&fields, place)?;
    Ok(message)
}

fn content(raw: &RawValue, place: &str) -> Result<String, RequestError> {
    let content = string(raw, place)?;
    within(content.chars().count(), "characters", (1, 8_000)).map_err(|fault| fault.at(place))?;
    Ok(content)
}

fn identifier(raw: &RawValue, place: &str) -> Result<String, RequestError> {
    let id = string(raw, place)?;
    within(id.chars().count(), "characters", (0, 128)).map_err(|fault| fault.at(place))?;
    Ok(id)
}

fn roles(raw: &RawValue, place: &str) -> Result<Vec<Role>, RequestError> {
    let items = array(raw, place)?;
    within(items.len(), "roles", (0, 4)).map_err(|fault| fault.at(place))?;
    items
        .into_iter()
        .enumerate()
        .map(|(index, raw)| role(raw, &format!("{place}[{index}]")))
        .collect()
}

fn role(raw: &RawValue, place: &str) -> Result<Role, RequestError> {
    let name = string(raw, place)?;
    Role::from_name(&name).ok_or_else(|| Fault::NotARole(quoted(&name)).at(place))
}

fn integer(
    raw: &RawValue,
    place: &str,
    (low, high): (usize, usize),
) -> Result<usize, RequestError> {
    let value = parsed_number(raw, place)?;
    // What JSON Schema counts: 400.0 and 4e2 are integers.
    if value.is_finite() && value.fract() != 0.0 {
        return Err(Fault::NotAnInteger(quoted(raw.get())).at(place));
    }
    if (low as f64..=high as f64).contains(&value) {
        return Ok(value as usize);
    }
    Err(Fault::OutOfRange { value: quoted(raw.get()), low: grouped(low), high: grouped(high) }
        .at(place))
}

fn number(raw: &RawValue, place: &str, (low, high): (f64, f64)) -> Result<f64, RequestError> {
    let value = parsed_number(raw, place)?;
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    let (low, high) = (low.to_string(), high.to_string());
    Err(Fault::OutOfRange { value: quoted(raw.get()), low, high }.at(place))
}

/// The double nearest to a JSON number; infinite for one that no double reaches.
fn parsed_number(raw: &RawValue, place: &str) -> Result<f64, RequestError> {
    raw.get().parse().ok().filter(|_| kind(raw) == NUMBER).ok_or_else(|| found(raw, NUMBER, place))
}

fn boolean(raw: &RawValue, place: &str) -> Result<bool, RequestError> {
    raw.get().parse().map_err(|_| found(raw, BOOLEAN, place))
}

fn string(raw: &RawValue, place: &str) -> Result<String, RequestError> {
    expect(raw, STRING, place)?;
    serde_json::from_str(raw.get()).map_err(|error| Fault::NotText(error.to_string()).at(place))
}

fn array<'a>(raw: &'a RawValue, place: &str) -> Result<Vec<&'a RawValue>, RequestError> {
    expect(raw, ARRAY, place)?;
    serde_json::from_str(raw.get()).map_err(|error| Fault::NotJson(error.to_string()).at(place))
}

/// An object's values by key; of a repeated key the last one counts.
fn object<'a>(raw: &'a RawValue, place: &str) -> Result<Fields<'a>, RequestError> {
    expect(raw, OBJECT, place)?;
    serde_json::from_str(raw.get()).map_err(|error| Fault::NotText(error.to_string()).at(place))
}

fn required<'a>(
    fields: &mut Fields<'a>,
    place: &str,
    key: &str,
) -> Result<&'a RawValue, RequestError> {
    fields.remove(key).ok_or_else(|| Fault::Missing.at(path(place, key)))
}

fn optional<T>(
    fields: &mut Fields<'_>,
    key: &str,
    default: T,
    read: impl FnOnce(&RawValue, &str) -> Result<T, RequestError>,
) -> Result<T, RequestError> {
    fields.remove(key).map_or(Ok(default), |raw| read(raw, key))
}

fn no_others(fields: &Fields<'_>, place: &str) -> Result<(), RequestError> {
    match fields.keys().next() {
        Some(key) => Err(Fault::Unknown.at(path(place, &quoted(key)))),
        None => Ok(()),
    }
}

fn within(count: usize, things: &'static str, (least, limit): (usize, usize)) -> Result<(), Fault> {
    if count > limit {
        return Err(Fault::TooMany { count, things, limit });
    }
    if count < least {
        return Err(Fault::TooFew { count, things, least });
    }
    Ok(())
}

fn path(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

const OBJECT: &str = "an object";
const ARRAY: &str = "an array";
const STRING: &str = "a string";
const NUMBER: &str = "a number";
const BOOLEAN: &str = "true or false";

/// What kind of JSON value it is; its first character tells.
fn kind(raw: &RawValue) -> &'static str {
    match raw.get().as_bytes().first() {
        Some(b'{') => OBJECT,
        Some(b'[') => ARRAY,
        Some(b'"') => STRING,
        Some(b't' | b'f') => BOOLEAN,
        Some(b'n') => "null",
        _ => NUMBER,
    }
}

fn expect(raw: &RawValue, expected: &'static str, place: &str) -> Result<(), RequestError> {
    if kind(raw) == expected { Ok(()) } else { Err(found(raw, expected, place)) }
}

fn found(raw: &RawValue, expected: &'static str, place: &str) -> RequestError {
    Fault::Type { expected, found: kind(raw) }.at(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"[{"role":"user","content":"a"},{"role":"user","content":"b"}]"#;

    fn with(rest: &str) -> Result<MemoryRequest, RequestError> {
        MemoryRequest::parse(format!(r#"{{"messages":{TWO},{rest}}}"#).as_bytes())
    }

    fn refusal(request: &str) -> String {
        MemoryRequest::parse(request.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn defaults_are_filled_in() {
        let request = with(r#""budget_chars":400"#).unwrap();
        assert_eq!(request.keep_last_n, 5);
        assert_eq!(request.keep_roles, [Role::System]);
        assert_eq!(request.duplicate_threshold, 0.9);
        assert_eq!(request.max_message_chars, 400);
        assert_eq!(request.messages[1].id, None);
        assert!(!request.messages[1].pin);
    }

    #[test]
    fn a_whole_number_is_an_integer_however_it_is_written() {
        for literal in ["400", "400.0", "4e2", "4.0E+2"] {
            let request = with(&format!(r#""budget_chars":{literal}"#)).unwrap();
            assert_eq!(request.budget_chars, 400, "{literal}");
        }
        assert_eq!(with(r#""budget_chars":400,"keep_last_n":-0"#).unwrap().keep_last_n, 0);
    }

    #[test]
    fn numbers_outside_their_range_are_refused_with_the_range() {
        let refused = |rest: &str| with(rest).unwrap_err().to_string();
        let range = "is outside the range 100 to 400,000";
        assert_eq!(refused(r#""budget_chars":99"#), format!("budget_chars: 99 {range}"));
        assert_eq!(refused(r#""budget_chars":1e400"#), format!("budget_chars: 1e400 {range}"));
        assert_eq!(refused(r#""budget_chars":-1e999"#), format!("budget_chars: -1e999 {range}"));
        let huge = "9".repeat(500);
        let shown = format!("budget_chars: {}… {range}", &huge[..80]);
        assert_eq!(refused(&format!(r#""budget_chars":{huge}"#)), shown);
        assert_eq!(refused(r#""budget_chars":100.5"#), "budget_chars: 100.5 is not an integer");
        assert_eq!(
            refused(r#""budget_chars":400,"duplicate_threshold":1.0001"#),
            "duplicate_threshold: 1.0001 is outside the range 0.5 to 1"
        );
    }

    #[test]
    fn lengths_count_characters_and_name_the_limit() {
        let message = |content: String| {
            let first = format!(r#"{{"role":"user","content":"{content}"}}"#);
            let second = r#"{"role":"user","content":"b"}"#;
            format!(r#"{{"messages":[{first},{second}],"budget_chars":400}}"#)
        };
        assert!(MemoryRequest::parse(message("é".repeat(8_000)).as_bytes()).is_ok());
        assert_eq!(
            refusal(&message("é".repeat(9_001))),
            "messages[0].content: 9,001 characters, the limit is 8,000"
        );
        assert_eq!(
            refusal(&message(String::new())),
            "messages[0].content: 0 characters, the least is 1"
        );
        assert_eq!(
            refusal(r#"{"messages":[],"budget_chars":400}"#),
            "messages: 0 messages, the least is 2"
        );
    }

    #[test]
    fn a_wrong_type_says_what_was_found() {
        let refused = |rest: &str| with(rest).unwrap_err().to_string();
        assert_eq!(refused(r#""budget_chars":"400""#), "budget_chars: a string, expected a number");
        assert_eq!(refused(r#""budget_chars":null"#), "budget_chars: null, expected a number");
        // What the JSON reader uses within to carry numbers is no number when a user writes it.
        assert_eq!(
            refused(r#""budget_chars":{"$serde_json::private::Number":"400"}"#),
            "budget_chars: an object, expected a number"
        );
        assert_eq!(refusal("[1]"), "request: an array, expected an object");
        assert_eq!(
            refusal(r#"{"messages":[1,2],"budget_chars":400}"#),
            "messages[0]: a number, expected an object"
        );
    }

    #[test]
    fn missing_and_unknown_keys_are_named_by_their_own_path() {
        assert_eq!(refusal(r#"{"budget_chars":400}"#), "messages: missing, but required");
        assert_eq!(with(r#""budget_chars":400,"x":1"#).unwrap_err().to_string(), "x: unknown key");
        assert_eq!(
            with("\"budget_chars\":400,\"\\u001b[2J\":1").unwrap_err().to_string(),
            "\\u{1b}[2J: unknown key"
        );
        assert_eq!(
            refusal(
                r#"{"messages":[{"role":"user","content":"a","name":"x"},{}],"budget_chars":400}"#
            ),
            "messages[0].name: unknown key"
        );
    }

    #[test]
    fn of_a_repeated_key_the_last_one_counts() {
        assert_eq!(with(r#""budget_chars":"x","budget_chars":500"#).unwrap().budget_chars, 500);
    }

    #[test]
    fn bytes_that_are_no_json_text_are_refused() {
        assert_eq!(
            MemoryRequest::parse(b"{\"a\":\"\xff\"}").unwrap_err().to_string(),
            "request: not UTF-8 from byte 6 on"
        );
        assert!(refusal("").starts_with("request: not JSON: "));
        assert!(refusal("{} {}").starts_with("request: not JSON: "));
        assert!(refusal(r#"{"budget_chars":01}"#).starts_with("request: not JSON: "));
        let lone = r#"{"messages":[{"role":"user","content":"\ud83d"},{}],"budget_chars":400}"#;
        assert!(refusal(lone).starts_with("messages[0].content: no Unicode text: "));
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(refusal(&deep), "request: an array, expected an object");
    }
}
