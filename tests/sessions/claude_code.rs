use compactscope::session::{Format, Kind, Role};

use crate::{
    assistant, call, claude_code, faults, lines, partners, result, results, rows, session, user,
    values,
};

#[test]
fn a_session_is_read_message_by_message() {
    let session = session(lines(&[
        r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#,
        r#"{"parentUuid":null,"isSidechain":false,"cwd":"/work/proj","sessionId":"s","type":"user","uuid":"u1","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"Fix it."}}"#,
        r#"{"type":"assistant","uuid":"u2","sessionId":"s","cwd":"/elsewhere","requestId":"r","message":{"id":"m1","model":"claude-x","role":"assistant","usage":{"input_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":7},"content":[{"type":"thinking","thinking":"Hm.","signature":"x"},{"type":"text","text":"I look."},{"type":"tool_use","id":"A","name":"Bash","input":{"command":"ls -l","n":1.50}}]}}"#,
        r#"{"type":"user","uuid":"u3","sessionId":"s","isSidechain":true,"message":{"role":"user","content":[{"tool_use_id":"A","type":"tool_result","content":"a\nb","is_error":true}]},"toolUseResult":{"stdout":"a\nb"}}"#,
    ]));
    assert_eq!(session.format, Format::ClaudeCode);
    assert_eq!(
        rows(&session),
        [
            "user text: Fix it.",
            "assistant thinking: Hm.",
            "assistant text: I look.",
            r#"assistant call Bash#A: {"command": "ls -l", "n": 1.5}"#,
            "tool result#A failed: a\nb",
        ]
    );
    assert_eq!(partners(&session), [None, None, None, Some(4), Some(3)]);
    assert_eq!(session.cwd.as_deref().unwrap().to_str(), Some("/work/proj"));
    let message = &session.messages[1];
    assert_eq!(message.entries, 1..4);
    assert_eq!(message.line, 3);
    assert_eq!(message.id.as_deref(), Some("u2"));
    assert_eq!(message.model.as_deref(), Some("claude-x"));
    assert_eq!(message.context_tokens, Some(125));
    assert_eq!(session.messages[0].time.as_deref(), Some("2026-01-01T00:00:00.000Z"));
    assert_eq!(session.messages[0].context_tokens, None);
    assert_eq!([0, 1, 2].map(|i: usize| session.messages[i].side_chain), [false, false, true]);
    assert_eq!(session.records["file-history-snapshot"], 1);
    assert_eq!(session.records["user"], 2);
    assert!(session.faults.is_empty());
}

#[test]
fn texts_of_a_record_are_one_entry_where_the_first_stood() {
    let session = session(lines(&[assistant(
        r#"{"type":"thinking","thinking":"","signature":"x"},{"type":"text","text":"a"},{"type":"tool_use","id":"A","name":"Bash","input":{}},{"type":"text","text":"b"}"#,
    )]));
    assert_eq!(
        rows(&session),
        ["assistant thinking: ", "assistant text: a\nb", "assistant call Bash#A: {}"]
    );
}

#[test]
fn what_the_harness_says_is_a_notice() {
    let session = session(lines(&[
        user("<command-name>/clear</command-name>"),
        user(" <task-notification>done</task-notification>"),
        user("<command-names>"),
        r#"{"type":"user","sessionId":"s","isMeta":true,"message":{"content":"Caveat: x"}}"#.to_owned(),
        r#"{"type":"user","sessionId":"s","isCompactSummary":true,"message":{"content":"So far."}}"#.to_owned(),
        r#"{"type":"assistant","sessionId":"s","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}"#.to_owned(),
        r#"{"type":"assistant","sessionId":"s","message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}"#.to_owned(),
        results(r#"{"type":"text","text":"<ide_opened_file>f</ide_opened_file>"},{"type":"text","text":"Real"},{"type":"text","text":"words"}"#),
        assistant(r#"{"type":"text","text":"<command-name> is a tag"}"#),
    ]));
    assert_eq!(
        rows(&session),
        [
            "user notice (command-name): <command-name>/clear</command-name>",
            "user notice (task-notification):  <task-notification>done</task-notification>",
            "user text: <command-names>",
            "user notice (injected): Caveat: x",
            "user notice (compaction summary): So far.",
            "assistant notice (api error): API Error",
            "assistant notice (local notice): No response requested.",
            "user notice (ide_opened_file): <ide_opened_file>f</ide_opened_file>",
            "user text: Real\nwords",
            "assistant text: <command-name> is a tag",
        ]
    );
    assert_eq!(session.messages.len(), 9);
}

#[test]
fn results_are_texts_whatever_their_parts() {
    let result = |content: &str| {
        results(&format!(r#"{{"type":"tool_result","tool_use_id":"A","content":{content}}}"#))
    };
    let session = session(lines(&[
        result(r#""plain""#),
        result(
            r#"[{"type":"text","text":"one"},{"type":"image","source":{"data":"xxxx"}},{"type":"tool_reference","tool_name":"T"},{"text":"two","type":"text"}]"#,
        ),
        result("null"),
        result("[]"),
        result("7"),
        result("1.50"),
        result("true"),
        result(r#"{"type":"text","text":"lone"}"#),
        results(r#"{"type":"tool_result","tool_use_id":"A"}"#),
    ]));
    let contents: Vec<&str> = session.entries.iter().map(|entry| &*entry.content).collect();
    assert_eq!(
        contents,
        ["plain", "one\n[image]\n[tool_reference]\ntwo", "", "", "7", "1.50", "true", "lone", ""]
    );
}

#[test]
fn images_are_measured_not_held() {
    let session = session(lines(&[results(
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAECAwQ="}},{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}},{"type":"image"}"#,
    )]));
    assert_eq!(
        rows(&session),
        [
            "user image: image/png, 5 bytes",
            "user image: image at https://example.org/a.png",
            "user image: image"
        ]
    );
}

#[test]
fn a_large_image_has_its_size_in_groups_of_three() {
    let data = "A".repeat(16_460);
    let session = session(lines(&[results(&format!(
        r#"{{"type":"image","source":{{"data":"{data}","media_type":"image/jpeg"}}}}"#
    ))]));
    assert_eq!(&*session.entries[0].content, "image/jpeg, 12,345 bytes");
}

#[test]
fn unknown_blocks_are_shown_as_they_are() {
    let session = session(lines(&[assistant(
        r#"null,"bare",{"type":"server_tool_use", "id":"x","input":{"q":1}},5,{"type":"text"},{"type":"redacted_thinking","data":"zz"}"#,
    )]));
    assert_eq!(
        rows(&session),
        [
            "assistant text: bare",
            r#"assistant notice (server_tool_use): {"type":"server_tool_use", "id":"x","input":{"q":1}}"#,
            "assistant notice (content): 5",
            r#"assistant notice (text): {"type":"text"}"#,
            "assistant thinking: ",
        ]
    );
}

#[test]
fn content_of_any_type_is_taken() {
    let content = |content: &str| {
        format!(
            r#"{{"type":"user","sessionId":"s","message":{{"role":"user","content":{content}}}}}"#
        )
    };
    let session = session(lines(&[
        content("null"),
        content(r#"{"type":"text","text":"lone"}"#),
        content("17"),
        content("1.5"),
        content("false"),
        content(r#"[null,{"type":"text","text":"b"}]"#),
        r#"{"type":"user","sessionId":"s","message":{"role":"user"}}"#.to_owned(),
    ]));
    assert_eq!(
        rows(&session),
        [
            "user text: lone",
            "user notice (content): 17",
            "user notice (content): 1.5",
            "user notice (content): false",
            "user text: b",
        ]
    );
    assert_eq!(session.messages.len(), 7);
    assert!(session.messages[0].entries.is_empty());
}

#[test]
fn fields_of_another_type_do_not_lose_the_record() {
    let session = session(lines(&[
        r#"{"type":"assistant","sessionId":7,"uuid":1.5,"timestamp":[1],"cwd":{"a":1},"isSidechain":"yes","requestId":null,"message":{"id":{},"model":3,"role":[],"usage":[1],"content":[{"type":"tool_use","id":5,"name":null,"input":null},{"type":"tool_result","tool_use_id":5,"is_error":"no","content":"r"}]}}"#,
        r#"{"type":"assistant","sessionId":"s","message":{"usage":{"input_tokens":1.5,"cache_read_input_tokens":-1,"cache_creation_input_tokens":"x"},"content":"t"}}"#,
    ]));
    assert_eq!(rows(&session), ["assistant call #: null", "tool result#: r", "assistant text: t"]);
    assert_eq!(partners(&session), [Some(1), Some(0), None]);
    assert_eq!(session.messages[0].id, None);
    assert_eq!(session.messages[1].context_tokens, None);
}

#[test]
fn the_last_of_equal_keys_wins() {
    let session = session(lines(&[
        r#"{"type":"user","type":"assistant","sessionId":"s","message":{"content":"a"},"message":{"content":"b","content":"c"}}"#,
    ]));
    assert_eq!(rows(&session), ["assistant text: c"]);
}

#[test]
fn records_of_one_api_message_share_a_turn_even_apart() {
    let part = |message: &str, request: &str, text: &str| {
        format!(
            r#"{{"type":"assistant","sessionId":"s","requestId":"{request}","message":{{"id":"{message}","content":"{text}"}}}}"#
        )
    };
    let session = session(lines(&[
        user("go"),
        part("m1", "r1", "a"),
        result("A", "x"),
        part("m1", "r1", "b"),
        part("m1", "r2", "c"),
        assistant(r#"{"type":"text","text":"no id"}"#),
        assistant(r#"{"type":"text","text":"no id"}"#),
    ]));
    let turns: Vec<usize> = session.messages.iter().map(|message| message.turn).collect();
    assert_eq!(turns, [0, 1, 2, 1, 3, 4, 5]);
}

#[test]
fn repeated_ids_pair_with_the_nearest_earlier_call() {
    let session = session(lines(&[
        call("A"),
        call("A"),
        result("A", "1"),
        result("A", "2"),
        result("A", "3"),
    ]));
    assert_eq!(partners(&session), [Some(3), Some(2), Some(1), Some(0), None]);
}

#[test]
fn calls_without_an_id_are_answered_in_order() {
    let session =
        session(lines(&[call(""), call("A"), call(""), result("", "1"), result("", "2")]));
    assert_eq!(partners(&session), [Some(3), None, Some(4), Some(0), Some(2)]);
}

#[test]
fn a_result_before_its_call_answers_nothing() {
    let session = session(lines(&[result("A", "early"), call("A")]));
    assert_eq!(partners(&session), [None, None]);
}

#[test]
fn a_pair_holds_across_a_compaction() {
    let session = session(lines(&[
        call("A"),
        r#"{"type":"system","subtype":"compact_boundary","sessionId":"s","compactMetadata":{"trigger":"auto","preTokens":155123}}"#.to_owned(),
        result("A", "late"),
        result("B", "orphan"),
    ]));
    assert_eq!(rows(&session)[1], "system notice (compaction): auto, 155,123 tokens before");
    assert_eq!(session.entries[1].message, None);
    assert_eq!(partners(&session), [Some(2), None, Some(0), None]);
}

#[test]
fn records_that_are_no_messages_are_told_in_words() {
    let session = claude_code(lines(&[
        r#"{"type":"system","subtype":"microcompact_boundary","microcompactMetadata":{"tokensSaved":1200,"compactedToolIds":["a","b"]}}"#,
        r#"{"type":"system","subtype":"api_error","error":{"status":529},"retryAttempt":2,"maxRetries":10}"#,
        r#"{"type":"system","subtype":"local_command","content":"<command-name>/mcp</command-name>"}"#,
        r#"{"type":"summary","summary":"Checkout bug","leafUuid":"x"}"#,
        r#"{"type":"custom-title","customTitle":"Mine"}"#,
        r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":"And the tests?"}}"#,
        r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}"#,
    ]));
    assert_eq!(
        rows(&session),
        [
            "system notice (micro-compaction): 1,200 tokens saved, 2 results cleared",
            r#"system notice (api error): {"status":529} (attempt 2 of 10)"#,
            "system notice (local command): <command-name>/mcp</command-name>",
            "system notice (summary): Checkout bug",
            "system notice (title): Mine",
            "system notice (queued prompt): And the tests?",
            "system notice (queued prompt): a\nb",
        ]
    );
    assert!(session.messages.is_empty());
}

#[test]
fn unknown_records_are_shown_as_they_are() {
    let records = [
        r#"{"type":"atis-latch","atis":""}"#,
        r#"{"type": "system", "subtype": "novelty"}"#,
        r#"{"silly":"this"}"#,
        r#"{"type":"user","sessionId":"s","message":"not an object"}"#,
        r#"{"type":"system","subtype":"compact_boundary"}"#,
    ];
    let session = claude_code(lines(&records));
    let titles = ["atis-latch", "system/novelty", "(no type)", "user", "system/compact_boundary"];
    for (entry, (record, title)) in session.entries.iter().zip(records.iter().zip(titles)) {
        assert_eq!(&*entry.content, *record);
        assert_eq!(entry.kind, Kind::Notice { title: title.into() });
    }
    assert_eq!(session.records["system/novelty"], 1);
    assert_eq!(values(&session), 5);
}

#[test]
fn noise_is_counted_and_not_shown() {
    let session = session(lines(&[
        r#"{"type":"queue-operation","operation":"enqueue","content":"x"}"#,
        r#"{"type":"progress","data":{"message":{"type":"user","message":{"content":"nested"}}}}"#,
        r#"{"type":"permission-mode"}"#,
        r#"{"type":"system","subtype":"turn_duration","sessionId":"s"}"#,
        r#"{"type":"attachment","sessionId":"s","attachment":{"type":"skill_listing"}}"#,
        r#"{"type":"user","sessionId":"s","message":{"role":"user","content":"hi"}}"#,
    ]));
    assert_eq!(rows(&session), ["user text: hi"]);
    let counted: Vec<(&str, usize)> =
        session.records.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(
        counted,
        [
            ("attachment/skill_listing", 1),
            ("permission-mode", 1),
            ("progress", 1),
            ("queue-operation", 1),
            ("system/turn_duration", 1),
            ("user", 1)
        ]
    );
}

#[test]
fn rows_that_a_fork_copied_are_kept() {
    let session = session(lines(&[user("a"), user("a"), user("a"), user("a")]));
    assert_eq!(session.messages.len(), 4);
    assert_eq!(session.records["user"], 4);
}

#[test]
fn a_queue_operation_first_does_not_hide_the_format() {
    let session = session(lines(&[r#"{"type":"queue-operation"}"#.to_owned(), user("x")]));
    assert_eq!(session.format, Format::ClaudeCode);
    assert_eq!(session.messages[0].role, Role::User);
    assert!(faults(&session).is_empty());
}
