//! The habits of the reference's language that show in its answers.

use std::fmt::Write;

use serde_json::{Number, Value};

/// JSON as `json.dumps(value, ensure_ascii=False)` writes it: `", "` and `": "` between, keys in
/// the order given.
pub(crate) fn python_json(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, false);
    out
}

/// [`python_json`] with the keys of every object sorted, so that equal values read the same.
pub(crate) fn python_json_sorted(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, true);
    out
}

/// What `ensure_ascii=True` makes of JSON written by [`python_json`]. Beyond ASCII there is only
/// string content, so each such character becomes its escape where it stands.
pub(crate) fn ascii_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c <= '~' {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// `str.isspace` of one character: Unicode white space and the four separators FS, GS, RS, US.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// A number as Python prints it: an integer as it was written (`-0` is 0), anything with a point
/// or an exponent as the `repr` of a double.
pub(crate) fn python_number(number: &Number) -> String {
    let text = number.to_string();
    if !text.contains(['.', 'e', 'E']) {
        return if text == "-0" { "0".to_owned() } else { text };
    }
    text.parse().map_or(text, float_repr)
}

fn write_value(out: &mut String, value: &Value, sorted: bool) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&python_number(number)),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                out.push_str(if n == 0 { "" } else { ", " });
                write_value(out, item, sorted);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            if sorted {
                fields.sort_unstable_by_key(|field| field.0);
            }
            out.push('{');
            for (n, (key, item)) in fields.into_iter().enumerate() {
                out.push_str(if n == 0 { "" } else { ", " });
                write_string(out, key);
                out.push_str(": ");
                write_value(out, item, sorted);
            }
            out.push('}');
        }
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Shortest digits that read back as `value`; with an exponent below 1e-4 and from 1e16 on.
fn float_repr(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{value}");
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dumped(json: &str) -> String {
        python_json(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn writes_numbers_as_the_reference_does() {
        for (given, want) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("12345678901234567890123", "12345678901234567890123"),
            ("1.50", "1.5"),
            ("1E2", "100.0"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("1.25e22", "1.25e+22"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("1e-7", "1e-07"),
            ("-1e400", "-Infinity"),
            ("5e-324", "5e-324"),
            ("1e400", "Infinity"),
        ] {
            assert_eq!(dumped(given), want, "{given}");
        }
    }

    #[test]
    fn escapes_only_quotes_backslashes_and_controls() {
        let given = r#"{"b":"\u0001\b\f\n\r\t\"\\/é🚚\u007f","a":[true,false,null,{}]}"#;
        let want =
            "{\"b\": \"\\u0001\\b\\f\\n\\r\\t\\\"\\\\/é🚚\u{7f}\", \"a\": [true, false, null, {}]}";
        assert_eq!(dumped(given), want);
        assert_eq!(ascii_json("\"é🚚\u{7f}~\""), r#""\u00e9\ud83d\ude9a\u007f~""#);
    }

    #[test]
    fn sorts_the_keys_of_every_object() {
        let value = serde_json::from_str(r#"{"b":{"z":1,"a":2},"B":3,"é":0,"f":0}"#).unwrap();
        let want = r#"{"B": 3, "b": {"a": 2, "z": 1}, "f": 0, "é": 0}"#;
        assert_eq!(python_json_sorted(&value), want);
    }
}
