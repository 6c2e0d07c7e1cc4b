use compactscope::session::{Format, Growing, Layout, Session, is_line_based, read};

use crate::{assistant, call, faults, lines, partners, result, rows, source, user, values};

fn fed(bytes: &[u8], step: usize, format: Option<Format>) -> Growing {
    let mut growing = Growing::new(source(), format);
    for piece in bytes.chunks(step) {
        growing.push(piece);
    }
    growing
}

/// Everything that a session says, to compare two readings of the same bytes.
fn all_of(session: &Session) -> String {
    format!("{session:?}")
}

#[test]
fn bytes_one_by_one_make_the_same_session_as_all_at_once() {
    let torn = &assistant(r#"{"type":"text","text":"lost"}"#)[..70];
    let mut bytes = format!(
        "\u{feff}{}\n{}{}\r\n{}\0\0\n\n{torn}{}\n",
        user("a"),
        call("A"),
        result("A", "r"),
        user("é\u{2028} 🚚"),
        user("glued"),
    )
    .into_bytes();
    bytes.extend(br#"{"type":"user","sessionId":"s","message":{"content":"\ud83d"}}"#);
    bytes.extend(b"\n");
    bytes
        .extend(b"{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"content\":\"a\xE6\x87\"}}");
    bytes.extend(user("after").into_bytes());
    bytes.extend(b"\n17\n");
    bytes.extend(user("last").into_bytes());
    bytes.extend(br#"{"type":"us"#);
    let whole = read(&bytes, source(), None).unwrap();
    assert_eq!(whole.messages.len(), 9);
    for step in [1, 2, 3, 7, 64, 1000] {
        let mut growing = fed(&bytes, step, None);
        growing.finish();
        assert_eq!(all_of(growing.session().unwrap()), all_of(&whole), "step {step}");
    }
}

#[test]
fn half_a_line_waits_for_the_other_half() {
    let record = user("split");
    let mut growing = fed(lines(&[user("a")]).as_bytes(), 1000, None);
    growing.push(&record.as_bytes()[..30]);
    assert_eq!(growing.session().unwrap().messages.len(), 1);
    growing.push(&record.as_bytes()[30..]);
    growing.push(b"\n");
    let session = growing.session().unwrap();
    assert_eq!(rows(session), ["user text: a", "user text: split"]);
    assert!(session.faults.is_empty());
}

#[test]
fn a_whole_object_is_taken_before_its_line_feed_and_once() {
    let mut growing = fed(user("a").as_bytes(), 10, None);
    assert_eq!(rows(growing.session().unwrap()), ["user text: a"]);
    growing.push(b"\n");
    growing.push(user("b").as_bytes());
    growing.push(b"\r\n");
    let session = growing.session().unwrap();
    assert_eq!(rows(session), ["user text: a", "user text: b"]);
    assert_eq!(session.messages[1].line, 2);
    assert!(session.faults.is_empty());
}

#[test]
fn a_large_result_in_two_writes_answers_its_call() {
    let text = "y".repeat(1 << 20);
    let record = result("A", &text);
    let mut growing = fed(lines(&[user("a"), call("A")]).as_bytes(), 1000, None);
    growing.push(&record.as_bytes()[..600_000]);
    assert_eq!(partners(growing.session().unwrap()), [None, None]);
    growing.push(&record.as_bytes()[600_000..]);
    growing.push(b"\n");
    let session = growing.session().unwrap();
    assert_eq!(partners(session), [None, Some(2), Some(1)]);
    assert_eq!(session.entries[2].chars, text.len());
}

#[test]
fn a_torn_end_is_a_fault_only_when_nothing_more_comes() {
    let mut growing = fed(lines(&[user("a")]).as_bytes(), 1000, None);
    growing.push(br#"{"type":"us"#);
    assert!(growing.session().unwrap().faults.is_empty());
    growing.finish();
    assert_eq!(faults(growing.session().unwrap()).len(), 1);
    assert_eq!(values(growing.session().unwrap()), 2);
}

#[test]
fn there_is_no_session_before_the_format_is_known() {
    let mut growing = Growing::new(source(), None);
    assert!(growing.session().is_none());
    growing.push(b"{\"silly\":1}\n");
    assert!(growing.session().is_none());
    assert_eq!(growing.layout(), Layout::Undecided);
    growing.push(lines(&[user("a")]).as_bytes());
    assert_eq!(growing.layout(), Layout::Lines);
    let session = growing.session().unwrap();
    assert_eq!(session.records["(no type)"], 1);
    assert_eq!(session.messages.len(), 1);
}

#[test]
fn a_named_format_is_known_from_the_start() {
    let mut growing = Growing::new(source(), Some(Format::ClaudeCode));
    assert_eq!(growing.layout(), Layout::Lines);
    assert!(growing.session().unwrap().messages.is_empty());
    growing.push(b"{\"silly\":1}\n");
    assert_eq!(growing.session().unwrap().entries.len(), 1);
}

#[test]
fn a_document_is_to_be_reread() {
    let mut growing = Growing::new(source(), None);
    growing.push(b"[{\"role\":\"user\",");
    assert_eq!(growing.layout(), Layout::Document);
    assert!(growing.session().is_none());
    assert_eq!(Growing::new(source(), Some(Format::MemoryCompact)).layout(), Layout::Document);
    assert!(!is_line_based(b"[{\"role\":\"user\",\"content\":\"a\"}]", None));
    assert!(is_line_based(user("a").as_bytes(), None));
    assert!(!is_line_based(b"", None));
    assert!(is_line_based(b"", Some(Format::ClaudeCode)));
}

#[test]
fn a_second_conversation_line_turns_a_document_into_lines() {
    let line = r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}"#;
    let mut growing = Growing::new(source(), None);
    growing.push(line.as_bytes());
    growing.push(b"\n");
    assert_eq!(growing.layout(), Layout::Document);
    growing.push(line.as_bytes());
    growing.push(b"\n");
    assert_eq!(growing.layout(), Layout::Lines);
    let session = growing.session().unwrap();
    assert_eq!(session.format, Format::OpenAiChat);
    assert_eq!(session.messages.len(), 4);
    assert_eq!(session.messages[2].line, 2);
}

#[test]
fn more_than_the_surveyed_lines_are_read_once() {
    let records: Vec<String> = (0..200).map(|index| user(&format!("n{index}"))).collect();
    let text = lines(&records);
    for step in [1, 50, 5000, text.len()] {
        let growing = fed(text.as_bytes(), step, None);
        let session = growing.session().unwrap();
        assert_eq!(session.messages.len(), 200, "step {step}");
        assert_eq!(&*session.entries[199].content, "n199");
    }
}
