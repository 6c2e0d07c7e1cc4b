use compactscope::session::{Contract, Format, ReadError, read};

use crate::{rows, session, source, try_read};

fn place(error: &ReadError) -> &str {
    match error {
        ReadError::Shape { place, .. } => place,
        other => panic!("{other}"),
    }
}

#[test]
fn a_compact_transcript_request_brings_its_settings() {
    let session = session(
        r#"{"messages":[{"role":"user","text":"go"},{"role":"assistant","text":null,"toolUses":[{"id":"A","tool":"T","input":{"n":1}}]}],
"question":"what now?","provider":"rules","threshold":0.50,"preserve_recent":3,"disk_check":false,"workspace_root":null,"ref_blocks":true,"trigger":"idle"}"#,
    );
    assert_eq!(session.format, Format::CompactTranscript);
    assert_eq!(rows(&session), ["user text: go", r#"assistant call T#A: {"n": 1}"#]);
    let request = session.request.unwrap();
    assert_eq!(request.contract, Contract::CompactTranscript);
    let settings: Vec<(&str, &str)> =
        request.settings.iter().map(|(name, flag)| (name.as_str(), flag.as_str())).collect();
    assert_eq!(
        settings,
        [
            ("question", "what now?"),
            ("provider", "rules"),
            ("threshold", "0.50"),
            ("preserve_recent", "3"),
            ("disk_check", "false")
        ]
    );
}

#[test]
fn a_memory_compact_request_is_texts_with_pins_and_ids() {
    let session = session(
        r#"{"budget_chars":400.0,"keep_roles":["system","tool"],"duplicate_threshold":0.9,"messages":[
{"role":"system","content":"s","id":"one"},
{"role":"tool","content":"{}","pin":true},
{"role":"user","content":"<command-name>x"}]}"#,
    );
    assert_eq!(session.format, Format::MemoryCompact);
    assert_eq!(rows(&session), ["system text: s", "tool text: {}", "user text: <command-name>x"]);
    assert_eq!([0, 1, 2].map(|index: usize| session.messages[index].pinned), [false, true, false]);
    assert_eq!(session.messages[0].id.as_deref(), Some("one"));
    assert_eq!(session.messages[1].line, 3);
    let request = session.request.unwrap();
    assert_eq!(request.contract, Contract::MemoryCompact);
    assert_eq!(request.settings[0], ("budget_chars".to_owned(), "400".to_owned()));
    assert_eq!(request.settings[1], ("keep_roles".to_owned(), "system,tool".to_owned()));
}

#[test]
fn without_question_or_budget_messages_are_a_session() {
    let session = session(r#"{"messages":[{"role":"user","content":"a"}],"keep_last_n":2}"#);
    assert_eq!(session.format, Format::OpenAiChat);
    assert!(session.request.is_none());
}

#[test]
fn a_compact_transcript_request_of_a_wrong_shape_names_the_place() {
    for (request, wrong) in [
        (r#"{"messages":"x","question":"q"}"#, "messages"),
        (r#"{"messages":[],"question":"q"}"#, "messages"),
        (r#"{"messages":[{"role":"user"}],"question":" "}"#, "question"),
        (r#"{"messages":[{"role":"user"}],"question":5}"#, "question"),
        (r#"{"messages":["x"],"question":"q"}"#, "messages[0]"),
        (r#"{"messages":[{"text":"x"}],"question":"q"}"#, "messages[0].role"),
        (r#"{"messages":[{"role":"user","text":3}],"question":"q"}"#, "messages[0].text"),
        (
            r#"{"messages":[{"role":"user"},{"role":"user","toolUses":{"a":1}}],"question":"q"}"#,
            "messages[1].toolUses",
        ),
        (
            r#"{"messages":[{"role":"user","toolUses":[{"id":"A"},{"tool":"T"}]}],"question":"q"}"#,
            "messages[0].toolUses[1]",
        ),
        (
            r#"{"messages":[{"role":"user","tool_results":[{"text":"y","id":""}]}],"question":"q"}"#,
            "messages[0].tool_results[0]",
        ),
        (r#"{"messages":[{"role":"user"}],"question":"q","threshold":"a"}"#, "threshold"),
        (
            r#"{"messages":[{"role":"user"}],"question":"q","preserve_recent":1.5}"#,
            "preserve_recent",
        ),
        (r#"{"messages":[{"role":"user"}],"question":"q","disk_check":1}"#, "disk_check"),
    ] {
        let error = try_read(request).unwrap_err();
        assert_eq!(place(&error), wrong, "{request}");
    }
}

#[test]
fn a_memory_compact_request_of_a_wrong_shape_names_the_place() {
    for (request, wrong) in [
        (r#"{"messages":"x","budget_chars":400}"#, "messages"),
        (r#"{"messages":[1],"budget_chars":400}"#, "messages[0]"),
        (
            r#"{"messages":[{"role":"developer","content":"x"}],"budget_chars":400}"#,
            "messages[0].role",
        ),
        (
            r#"{"messages":[{"role":"user","content":"x"},{"role":"user"}],"budget_chars":400}"#,
            "messages[1].content",
        ),
        (
            r#"{"messages":[{"role":"user","content":"x","pin":"yes"}],"budget_chars":400}"#,
            "messages[0].pin",
        ),
        (
            r#"{"messages":[{"role":"user","content":"x","id":1}],"budget_chars":400}"#,
            "messages[0].id",
        ),
        (r#"{"messages":[],"budget_chars":100.5}"#, "budget_chars"),
        (r#"{"messages":[],"budget_chars":400,"keep_roles":[1]}"#, "keep_roles"),
    ] {
        let error = try_read(request).unwrap_err();
        assert_eq!(place(&error), wrong, "{request}");
    }
}

#[test]
fn a_refusal_names_the_line() {
    let error = try_read("{\"budget_chars\":400,\"messages\":[\n{\"role\":\"user\",\"content\":\"a\"},\n{\"role\":\"user\"}]}")
        .unwrap_err();
    assert_eq!(error.line(), Some(3));
    assert!(error.to_string().starts_with("messages[1].content: must be a text"), "{error}");
}

#[test]
fn a_named_contract_refuses_what_is_no_request() {
    for format in [Format::CompactTranscript, Format::MemoryCompact] {
        let error = read(b"[1]", source(), Some(format)).unwrap_err();
        assert_eq!(place(&error), "request");
        let error = read(b"{}", source(), Some(format)).unwrap_err();
        assert_eq!(place(&error), "messages");
    }
    let no_question = br#"{"messages":[{"role":"user","text":"x"}]}"#;
    let error = read(no_question, source(), Some(Format::CompactTranscript)).unwrap_err();
    assert_eq!(place(&error), "question");
}
