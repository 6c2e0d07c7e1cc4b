//! JSON text in the form that the reference counts and shows: Python's
//! `json.dumps(value, ensure_ascii=False)`.

use serde_json::{Number, Value};

/// Writes a value as Python's `json.dumps(value, ensure_ascii=False)` does: `", "` and `": "`
/// between, keys in their order, floats as `repr`, an integer literal as it stands.
///
/// A float beyond the range of a double is `Infinity`, as it is for Python.
pub fn python_json(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(out, index);
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                separate(out, index);
                write_string(out, key);
                out.push_str(": ");
                write_value(out, member);
            }
            out.push('}');
        }
    }
}

fn separate(out: &mut String, index: usize) {
    if index > 0 {
        out.push_str(", ");
    }
}

fn write_number(out: &mut String, number: &Number) {
    let literal = number.as_str();
    if literal.contains(['.', 'e', 'E']) {
        // A literal of the JSON grammar always parses; one too great for a double is infinite.
        out.push_str(&python_float(literal.parse().unwrap_or(f64::NAN)));
    } else if literal == "-0" {
        out.push('0');
    } else {
        out.push_str(literal);
    }
}

/// A double as Python's `repr` writes it: the shortest digits that read back the same, with an
/// exponent of at least two digits below 1e-4 and from 1e16 on.
pub fn python_float(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{value}");
        if plain.contains('.') { plain } else { plain + ".0" }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{mantissa}e{sign}{:02}", exponent.abs())
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[plain..at]);
        plain = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            control => out.push_str(&format!("\\u{control:04x}")),
        }
    }
    out.push_str(&text[plain..]);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dumped(json: &str) -> String {
        python_json(&serde_json::from_str(json).unwrap())
    }

    /// The right-hand sides are what CPython 3.12 answers for `json.dumps(json.loads(left),
    /// ensure_ascii=False)`.
    #[test]
    fn numbers_are_written_as_python_writes_them() {
        for (literal, python) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("0.0", "0.0"),
            ("1", "1"),
            ("-17", "-17"),
            ("18446744073709551616", "18446744073709551616"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("1.0", "1.0"),
            ("1.50", "1.5"),
            ("400.0", "400.0"),
            ("1E5", "100000.0"),
            ("1e5", "100000.0"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("1.5e16", "1.5e+16"),
            ("123456789012345.678", "123456789012345.67"),
            ("9007199254740993.0", "9007199254740992.0"),
            ("9999999999999998.0", "9999999999999998.0"),
            ("99999999999999999.0", "1e+17"),
            ("0.1", "0.1"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("0.0001", "0.0001"),
            ("0.00012", "0.00012"),
            ("0.00001", "1e-05"),
            ("0.000012345", "1.2345e-05"),
            ("1e-7", "1e-07"),
            ("1e100", "1e+100"),
            ("1e-100", "1e-100"),
            ("2.5e-310", "2.5e-310"),
            ("5e-324", "5e-324"),
            ("1e-400", "0.0"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("1e400", "Infinity"),
            ("-1e400", "-Infinity"),
        ] {
            assert_eq!(dumped(literal), python, "{literal}");
        }
    }

    #[test]
    fn strings_keep_everything_but_quotes_backslashes_and_controls() {
        assert_eq!(dumped(r#""a\"b\\c\/d""#), r#""a\"b\\c/d""#);
        assert_eq!(
            dumped(r#""\n\r\t\b\f\u0000\u001b\u001F\u007f""#),
            "\"\\n\\r\\t\\b\\f\\u0000\\u001b\\u001f\u{7f}\""
        );
        assert_eq!(
            dumped(r#""gr\u00f6\u00dfe \u2028 \ud83d\ude9a 会話""#),
            "\"größe \u{2028} 🚚 会話\""
        );
    }

    #[test]
    fn containers_have_python_separators_and_keep_their_order() {
        assert_eq!(
            dumped(r#"{"b":1,"a":[true,false,null,{}],"c":[]}"#),
            r#"{"b": 1, "a": [true, false, null, {}], "c": []}"#
        );
    }

    #[test]
    fn a_repeated_key_keeps_its_place_and_takes_the_last_value() {
        assert_eq!(dumped(r#"{"a":1,"b":2,"a":3}"#), r#"{"a": 3, "b": 2}"#);
    }
}
