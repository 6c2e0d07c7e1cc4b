use compactscope::session::FaultKind::{Repaired, Skipped};
use compactscope::session::{Format, ReadError, read};
use proptest::prelude::*;

use crate::{assistant, claude_code, faults, lines, rows, session, source, try_read, user, values};

#[test]
fn an_empty_file_says_so() {
    for empty in [&b""[..], b"\n \r\n", b"\xEF\xBB\xBF", b"\0\0\0"] {
        assert_eq!(try_read(empty).unwrap_err(), ReadError::Empty);
    }
}

#[test]
fn a_lone_surrogate_costs_one_character() {
    let session = session(lines(&[
        r#"{"type":"user","sessionId":"s","message":{"role":"user","content":"x\ud83d"}}"#,
        r#"{"type":"user","sessionId":"s","message":{"role":"user","content":"\udc88 \ud83d\ude9a"}}"#,
    ]));
    assert_eq!(rows(&session), ["user text: x\u{fffd}", "user text: \u{fffd} 🚚"]);
    assert_eq!(faults(&session), [(1, Repaired), (2, Repaired)]);
}

#[test]
fn bytes_that_are_no_utf8_cost_their_line_nothing_else() {
    let mut bytes = user("first").into_bytes();
    bytes.extend(
        b"\n{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"content\":\"a\xE6\x87\"}}\n",
    );
    bytes.extend(user("last").into_bytes());
    let session = session(bytes);
    assert_eq!(rows(&session), ["user text: first", "user text: a\u{fffd}", "user text: last"]);
    assert_eq!(faults(&session), [(2, Repaired)]);
}

#[test]
fn zero_bytes_are_padding() {
    let padding = "\0".repeat(300);
    let session = session(format!("{}{padding}\n{padding}{}\n{padding}", user("a"), user("b")));
    assert_eq!(rows(&session), ["user text: a", "user text: b"]);
    assert_eq!(faults(&session), [(1, Repaired), (2, Repaired), (3, Repaired)]);
    assert_eq!(values(&session), 2);
}

#[test]
fn a_byte_order_mark_does_not_hide_the_first_record() {
    let session = session(format!("\u{feff}{}\n", user("a")));
    assert_eq!(rows(&session), ["user text: a"]);
    assert_eq!(faults(&session), [(1, Repaired)]);
}

#[test]
fn only_line_feeds_end_lines() {
    let session = session(format!("{}\r\n{}\n", user("x\u{2028}y\u{85}z"), user("b")));
    assert_eq!(rows(&session), ["user text: x\u{2028}y\u{85}z", "user text: b"]);
    assert_eq!(session.messages[1].line, 2);
    assert!(session.faults.is_empty());
}

#[test]
fn a_corrupt_line_is_counted_and_the_rest_is_read() {
    let session = session(lines(&[user("a"), r#"{"type":"user","mess"#.to_owned(), user("b")]));
    assert_eq!(rows(&session), ["user text: a", "user text: b"]);
    assert_eq!(faults(&session), [(2, Skipped)]);
    assert!(session.faults[0].note.contains("20 bytes"));
    assert_eq!(values(&session), 3);
}

#[test]
fn a_torn_last_line_is_counted() {
    let session = session(format!("{}\n{}", user("a"), &user("b")[..40]));
    assert_eq!(rows(&session), ["user text: a"]);
    assert_eq!(faults(&session), [(2, Skipped)]);
    assert!(session.faults[0].note.contains("cut off"));
}

#[test]
fn several_values_on_one_line_are_each_read() {
    let session = session(format!("{}{} {}\n{}\n", user("a"), user("b"), user("c"), user("d")));
    assert_eq!(rows(&session), ["user text: a", "user text: b", "user text: c", "user text: d"]);
    assert_eq!(faults(&session), [(1, Repaired)]);
    assert_eq!(session.messages[2].line, 1);
}

#[test]
fn a_record_glued_to_a_torn_one_is_found() {
    let torn = &assistant(r#"{"type":"text","text":"lost"},{"type":"text","text":"x"}"#)[..90];
    let session = session(format!("{}\n{torn}{}{}\n", user("a"), user("b"), user("c")));
    assert_eq!(rows(&session), ["user text: a", "user text: b", "user text: c"]);
    assert_eq!(faults(&session), [(2, Skipped), (2, Repaired)]);
}

#[test]
fn an_object_inside_a_broken_record_is_no_record() {
    let nested = user("nested");
    let broken = format!(r#"{{"type":"progress","data":{{"message":{nested}}},"toolUseID":"x"#);
    let session = session(lines(&[user("a"), broken]));
    assert_eq!(rows(&session), ["user text: a"]);
    assert_eq!(faults(&session), [(2, Skipped)]);
}

#[test]
fn values_that_are_no_records_are_counted() {
    let session = claude_code(format!("{}\n17\n\"text\"\n[1,{{}}]\nnull\nNaN\n", user("a")));
    assert_eq!(rows(&session), ["user text: a"]);
    assert_eq!(faults(&session), (2..=6).map(|line| (line, Skipped)).collect::<Vec<_>>());
    assert_eq!(values(&session), 6);
}

#[test]
fn nesting_beyond_the_parser_is_counted_where_it_is_read() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let ignored = format!(
        r#"{{"type":"user","sessionId":"s","toolUseResult":{deep},"message":{{"content":"kept"}}}}"#
    );
    let lost =
        assistant(&format!(r#"{{"type":"tool_use","id":"A","name":"T","input":{{"a":{deep}}}}}"#));
    let session = session(lines(&[ignored, lost]));
    assert_eq!(rows(&session), ["user text: kept"]);
    assert_eq!(faults(&session), [(2, Skipped)]);
    assert!(session.faults[0].note.contains("nested too deeply"));
}

#[test]
fn numbers_of_any_size_are_kept_as_python_writes_them() {
    let session = session(lines(&[assistant(
        r#"{"type":"tool_use","id":"A","name":"T","input":{"a":1e400,"b":123456789012345678901234567890,"c":1E5,"d":-0}}"#,
    )]));
    assert_eq!(
        &*session.entries[0].content,
        r#"{"a": Infinity, "b": 123456789012345678901234567890, "c": 100000.0, "d": 0}"#
    );
}

#[test]
fn a_key_like_the_parsers_own_is_no_trap() {
    let own = "$serde_json::private::Number";
    let hostile = format!(
        r#"{{"{own}":"x","type":"user","sessionId":"s","message":{{"content":[{{"{own}":"9"}}],"usage":{{"{own}":"1"}}}}}}"#
    );
    let session = session(lines(&[user("a"), hostile]));
    assert_eq!(values(&session), 2);
}

#[test]
fn faults_repeat_nothing_of_the_session() {
    let secret = r#"{"type":"user","message":{"content":"hunter2"#;
    let session = session(lines(&[user("a"), secret.to_owned(), r#""hunter2""#.to_owned()]));
    assert_eq!(session.faults.len(), 2);
    assert!(session.faults.iter().all(|fault| !fault.note.contains("hunter2")));
}

#[test]
fn a_huge_line_is_read() {
    let text = "x".repeat(20 << 20);
    let session = session(lines(&[user(&text), user("b")]));
    assert_eq!(session.entries[0].chars, text.len());
    assert_eq!(session.messages.len(), 2);
}

#[test]
fn a_line_of_open_braces_is_passed_quickly() {
    let session = session(lines(&[user("a"), r#"{"a":"#.repeat(100_000), user("b")]));
    assert_eq!(faults(&session), [(2, Skipped)]);
    assert_eq!(session.messages.len(), 2);
}

/// A piece of a line, and how many values it is.
fn piece() -> impl Strategy<Value = (String, usize)> {
    prop_oneof![
        ".{0,12}".prop_map(|text| (user(&text), 1)),
        Just((r#"{"type":"novelty","a":[1,{"b":null}]}"#.to_owned(), 1)),
        Just((r#"{"type":"progress"}"#.to_owned(), 1)),
        Just((r#"{"type":"user","sessionId":"s","message":{"content":"\ud83d"}}"#.to_owned(), 1)),
        Just(("17".to_owned(), 1)),
        Just((r#"{"type":"user","#.to_owned(), 1)),
        Just(("\0\0".to_owned(), 0)),
        Just((String::new(), 0)),
    ]
}

proptest! {
    #[test]
    fn every_value_is_a_record_or_counted_as_left_out(
        pieces in proptest::collection::vec(piece(), 1..12),
        crlf: bool,
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let text: String = pieces.iter().map(|(piece, _)| format!("{piece}{end}")).collect();
        let first = format!("{}\n", user("first"));
        let session = claude_code(first + &text);
        let expected: usize = 1 + pieces.iter().map(|(_, values)| values).sum::<usize>();
        prop_assert_eq!(values(&session), expected);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for format in Format::ALL.map(Some).into_iter().chain([None]) {
            let _ = read(&bytes, source(), format);
        }
    }

    #[test]
    fn no_json_like_text_makes_it_panic(
        text in r#"([\[\]{}:,"\\n1e.]|"type"|"role"|"user"|"content"|"messages"|"question"|"text"|"toolUses"|"tool_calls"|"budget_chars"|null|\\ud83d){0,60}"#
    ) {
        for format in Format::ALL.map(Some).into_iter().chain([None]) {
            let _ = read(text.as_bytes(), source(), format);
        }
    }

    #[test]
    fn a_damaged_byte_never_panics(at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = lines(&[
            user("a"),
            assistant(r#"{"type":"tool_use","id":"A","name":"T","input":{"k":[1,2.5]}}"#),
            user("c"),
        ]).into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let session = claude_code(&bytes);
        prop_assert!(values(&session) >= 2);
    }
}
