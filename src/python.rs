//! The habits of the reference's language that show in its answers and sizes: JSON as Python's
//! `json.dumps` writes it, and what Python takes for white space.

use std::fmt::Write;

use serde_json::{Number, Value};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Writes a value as Python's `json.dumps(value, ensure_ascii=False)` does: `", "` and `": "`
/// between, keys in their order, floats as `repr`, an integer literal as it stands.
///
/// A float beyond the range of a double is `Infinity`, as it is for Python.
pub fn python_json(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, false);
    out
}

/// [`python_json`] with the keys of every object sorted, so that equal values read the same.
pub fn python_json_sorted(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, true);
    out
}

/// An object of these members, written in the way of [`python_json_sorted`].
pub fn python_object_sorted<'v>(members: impl Iterator<Item = (&'v String, &'v Value)>) -> String {
    let mut out = String::new();
    write_object(&mut out, members, true);
    out
}

/// What `ensure_ascii=True` makes of JSON written by [`python_json`]. Beyond ASCII there is only
/// string content, so each such character becomes its escape where it stands.
pub fn ascii_json(json: &str) -> String {
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
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// The lines of a text with their ends, as `str.splitlines(keepends=True)` has them: a line also
/// ends at VT, FF, FS, GS, RS, NEL, U+2028 and U+2029, and a CR LF is one end.
pub fn lines_with_ends(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(ends_line).map_or(rest.len(), |at| {
            let end = &rest[at..];
            let first = end.chars().next().map_or(0, char::len_utf8);
            at + if end.starts_with("\r\n") { 2 } else { first }
        });
        let (line, after) = rest.split_at(end);
        rest = after;
        Some(line)
    })
}

fn ends_line(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What `\w` matches in a Python pattern: a letter or a number of any script, or `_`.
/// `char::is_alphanumeric` is a wider set: it takes some marks and symbols.
pub fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(
        c.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number
    )
}

/// The value of a decimal digit of any script, which `int` reads; 0 to 9.
pub fn decimal_value(c: char) -> Option<u8> {
    let is_digit = |c: &char| c.general_category() == GeneralCategory::DecimalNumber;
    if c.is_ascii() || !is_digit(&c) {
        return c.to_digit(10).map(|digit| digit as u8);
    }
    // Scripts have their digits in order, from zero on, and some have several such rows.
    let below = (0..c as u32).rev().map_while(char::from_u32).take_while(is_digit);
    Some((below.count() % 10) as u8)
}

/// A number as Python prints it.
pub fn python_number(number: &Number) -> String {
    let mut out = String::new();
    write_number(&mut out, number);
    out
}

fn write_value(out: &mut String, value: &Value, sorted: bool) {
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
                write_value(out, item, sorted);
            }
            out.push(']');
        }
        Value::Object(members) => write_object(out, members.iter(), sorted),
    }
}

fn write_object<'v>(
    out: &mut String,
    members: impl Iterator<Item = (&'v String, &'v Value)>,
    sorted: bool,
) {
    let mut members: Vec<_> = members.collect();
    if sorted {
        members.sort_unstable_by_key(|member| member.0);
    }
    out.push('{');
    for (index, (key, member)) in members.into_iter().enumerate() {
        separate(out, index);
        write_string(out, key);
        out.push_str(": ");
        write_value(out, member, sorted);
    }
    out.push('}');
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
fn python_float(value: f64) -> String {
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

    #[test]
    fn the_keys_of_every_object_can_be_sorted() {
        let value = serde_json::from_str(r#"{"b":{"z":1,"a":2},"B":3,"é":0,"f":0}"#).unwrap();
        let sorted = r#"{"B": 3, "b": {"a": 2, "z": 1}, "f": 0, "é": 0}"#;
        assert_eq!(python_json_sorted(&value), sorted);
    }

    #[test]
    fn marks_symbols_and_dashes_are_no_word_characters() {
        for c in ['a', '_', '7', 'ß', '会', '²', 'Ⅳ', '½'] {
            assert!(is_word(c), "{c}");
        }
        for c in ['-', '.', ' ', '\u{345}', '\u{24b6}', '\u{301}', '\u{203f}', '🚚'] {
            assert!(!is_word(c), "{c}");
        }
    }

    #[test]
    fn a_digit_of_any_script_has_a_value() {
        for (digits, value) in [("07", 7), ("٣", 3), ("९", 9), ("𝟎", 0), ("𝟗", 9), ("𝟿", 9)]
        {
            assert_eq!(digits.chars().last().and_then(decimal_value), Some(value), "{digits}");
        }
        for c in ['²', '①', 'a', '五'] {
            assert_eq!(decimal_value(c), None, "{c}");
        }
    }

    #[test]
    fn characters_beyond_ascii_can_be_escaped() {
        assert_eq!(ascii_json("\"é🚚\u{7f}~\""), r#""\u00e9\ud83d\ude9a\u007f~""#);
    }

    #[test]
    fn lines_end_where_splitlines_ends_them() {
        // What Python 3.11 printed for each text.
        let odd =
            "a\nb\r\nc\rd\u{b}e\u{c}f\u{1c}g\u{1d}h\u{1e}i\u{1f}j\u{85}k\u{2028}l\u{2029}m\n\n";
        let want = [
            "a\n",
            "b\r\n",
            "c\r",
            "d\u{b}",
            "e\u{c}",
            "f\u{1c}",
            "g\u{1d}",
            "h\u{1e}",
            "i\u{1f}j\u{85}",
            "k\u{2028}",
            "l\u{2029}",
            "m\n",
            "\n",
        ];
        assert_eq!(lines_with_ends(odd).collect::<Vec<_>>(), want);
        let ends: Vec<_> = lines_with_ends("\r\r\n\n").collect();
        assert_eq!(ends, ["\r", "\r\n", "\n"]);
        assert_eq!(lines_with_ends("").count(), 0);
        assert_eq!(lines_with_ends("a\0b").collect::<Vec<_>>(), ["a\0b"]);
    }
}
