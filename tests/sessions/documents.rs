use compactscope::session::FaultKind::{Repaired, Skipped};
use compactscope::session::{Format, ReadError, read};

use crate::{faults, partners, rows, session, source, try_read};

#[test]
fn an_anthropic_request_starts_with_its_system() {
    let session = session(
        r#"{
 "model": "claude-x",
 "messages": [
  {"role": "user", "content": "Look."},
  {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "Hm.", "signature": "s"},
    {"type": "text", "text": "Yes."},
    {"type": "tool_use", "id": "A", "name": "Read", "input": {"file_path": "a.rs"}}]},
  {"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "A", "is_error": true, "content": [{"type": "text", "text": "none"}]},
    {"type": "document", "title": "d"}]}
 ],
 "system": [{"type": "text", "text": "Be brief."}]
}"#,
    );
    assert_eq!(session.format, Format::AnthropicMessages);
    assert_eq!(
        rows(&session),
        [
            "system text: Be brief.",
            "user text: Look.",
            "assistant thinking: Hm.",
            "assistant text: Yes.",
            r#"assistant call Read#A: {"file_path": "a.rs"}"#,
            "tool result#A failed: none",
            r#"user notice (document): {"type": "document", "title": "d"}"#,
        ]
    );
    assert_eq!(partners(&session)[4..6], [Some(5), Some(4)]);
    let lines: Vec<usize> = session.messages.iter().map(|message| message.line).collect();
    assert_eq!(lines, [13, 4, 5, 9]);
    assert_eq!(session.messages[2].model.as_deref(), Some("claude-x"));
    assert_eq!(session.messages[1].model, None);
    assert_eq!(session.records["user"], 2);
}

#[test]
fn an_anthropic_answer_is_one_message() {
    let session = session(
        r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"text","text":"Hi."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":2}}"#,
    );
    assert_eq!(session.format, Format::AnthropicMessages);
    assert_eq!(rows(&session), ["assistant text: Hi."]);
    assert_eq!(session.messages[0].context_tokens, Some(9));
    assert_eq!(session.messages[0].id.as_deref(), Some("msg_1"));
}

#[test]
fn a_bare_list_is_told_by_its_blocks() {
    let anthropic = session(
        r#"[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"A","name":"T","input":{}}]}]"#,
    );
    assert_eq!(anthropic.format, Format::AnthropicMessages);
    let openai = session(r#"[{"content":"a","role":"system"},{"role":"user","content":"b"}]"#);
    assert_eq!(openai.format, Format::OpenAiChat);
    let hook =
        session(r#"[{"role":"user","text":"a"},{"role":"assistant","text":"","toolUses":[]}]"#);
    assert_eq!(hook.format, Format::Hook);
    let hook = session(
        r#"[{"role":"assistant","text":"","tool_calls":[{"tool_use_id":"A","name":"T","input":{}}]}]"#,
    );
    assert_eq!(hook.format, Format::Hook);
}

#[test]
fn an_openai_chat_is_read_with_its_calls() {
    let session = session(
        r#"{"model":"gpt-x","messages":[
{"role":"developer","content":"Rules."},
{"role":"user","content":[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"text","text":"this"},{"type":"input_audio","x":1}]},
{"role":"assistant","content":null,"reasoning_content":"Hm.","tool_calls":[
 {"id":"A","type":"function","function":{"name":"f","arguments":"{\"b\":1,\"a\":[]}"}},
 {"id":"B","type":"function","function":{"name":"g","arguments":"{broken"}}]},
{"role":"tool","tool_call_id":"B","content":"two"},
{"role":"tool","tool_call_id":"A","content":[{"type":"text","text":"one"},{"type":"image_url","image_url":{"url":"u"}}]},
{"role":"assistant","content":[{"type":"refusal","refusal":"No."}]},
{"role":"narrator","content":"?"}
]}"#,
    );
    assert_eq!(session.format, Format::OpenAiChat);
    assert_eq!(
        rows(&session),
        [
            "system text: Rules.",
            "user text: See\nthis",
            "user image: image/png, 3 bytes",
            r#"user notice (input_audio): {"type":"input_audio","x":1}"#,
            "assistant thinking: Hm.",
            r#"assistant call f#A: {"b": 1, "a": []}"#,
            "assistant call g#B: {broken",
            "tool result#B: two",
            "tool result#A: one\n[image]",
            "assistant text: No.",
            "user text: ?",
        ]
    );
    assert_eq!(partners(&session)[5..9], [Some(8), Some(7), Some(6), Some(5)]);
    assert_eq!(faults(&session), [(4, Repaired)]);
    assert_eq!(session.messages[2].model.as_deref(), Some("gpt-x"));
    assert_eq!(session.records["developer"], 1);
}

#[test]
fn legacy_function_calls_pair_in_order() {
    let session = session(
        r#"[{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},
{"role":"function","name":"f","content":"1"},
{"role":"assistant","content":null,"function_call":{"name":"g","arguments":"{}"}},
{"role":"function","name":"g","content":null}]"#,
    );
    assert_eq!(
        rows(&session),
        ["assistant call f#: {}", "tool result#: 1", "assistant call g#: {}", "tool result#: "]
    );
    assert_eq!(partners(&session), [Some(1), Some(0), Some(3), Some(2)]);
}

#[test]
fn ids_that_repeat_in_a_chat_pair_with_the_nearest_call() {
    let call = r#"{"role":"assistant","tool_calls":[{"id":"A","function":{"name":"f","arguments":"{}"}}]}"#;
    let result = r#"{"role":"tool","tool_call_id":"A","content":"r"}"#;
    let session = session(format!("[{call},{result},{call},{result}]"));
    assert_eq!(partners(&session), [Some(1), Some(0), Some(3), Some(2)]);
}

#[test]
fn an_openai_answer_gives_its_first_choice() {
    let session = session(
        r#"{"object":"chat.completion","model":"gpt-x","choices":[{"message":{"role":"assistant","content":"Hi."}},
{"message":{"role":"assistant","content":"Ho."}}],"usage":{"prompt_tokens":11}}"#,
    );
    assert_eq!(rows(&session), ["assistant text: Hi."]);
    assert_eq!(session.messages[0].context_tokens, Some(11));
    assert_eq!(faults(&session), [(2, Skipped)]);
}

#[test]
fn fine_tuning_lines_are_one_session() {
    let session = session(
        "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"a\"}]}\n\
         {\"messages\":[{\"role\":\"user\",\"content\":\"b\"}]}\n{\"other\":1}\n",
    );
    assert_eq!(session.format, Format::OpenAiChat);
    assert_eq!(rows(&session), ["system text: s", "user text: a", "user text: b"]);
    assert_eq!(session.messages[2].line, 2);
    assert_eq!(faults(&session), [(3, Skipped)]);
}

#[test]
fn of_a_list_of_results_the_first_is_read_and_the_rest_told() {
    let session = session(
        r#"[{"task_id":1,"traj":[{"role":"system","content":"s"},{"role":"user","content":"a"}]},
{"task_id":2,"traj":[]},
{"task_id":3,"traj":[]}]"#,
    );
    assert_eq!(session.format, Format::OpenAiChat);
    assert_eq!(rows(&session), ["system text: s", "user text: a"]);
    assert_eq!(faults(&session), [(2, Skipped)]);
    assert!(session.faults[0].note.starts_with("2 more results"));
}

#[test]
fn the_hook_shape_is_read_under_all_its_names() {
    let session = session(
        r#"{"messages":[
{"role":"user","text":"go","handle":"h1"},
{"role":"assistant","text":null,"toolUses":[{"tool_use_id":"A","tool":"Read","input":{"a":1}},{"id":"B","name":"Bash"}]},
{"role":"user","text":"","toolResults":[{"tool_use_id":"A","text":"r","isError":true},{"tool_call_id":"B","text":"s","is_error":false}]},
{"role":"assistant","text":"then","tool_calls":[{"tool_call_id":"C","name":"T","input":{}}]},
{"role":"tool","text":"","tool_results":[{"id":"C","text":null}]}
]}"#,
    );
    assert_eq!(session.format, Format::Hook);
    assert_eq!(
        rows(&session),
        [
            "user text: go",
            r#"assistant call Read#A: {"a": 1}"#,
            "assistant call Bash#B: {}",
            "tool result#A failed: r",
            "tool result#B: s",
            "assistant text: then",
            "assistant call T#C: {}",
            "tool result#C: ",
        ]
    );
    assert_eq!(session.messages[0].id.as_deref(), Some("h1"));
    assert_eq!(partners(&session)[1..5], [Some(3), Some(4), Some(1), Some(2)]);
    assert!(session.request.is_none());
}

#[test]
fn elements_that_are_no_messages_are_counted() {
    let session = session(
        "[{\"role\":\"user\",\"content\":\"a\"},\nnull,\n{\"role\":\"user\",\"content\":\"b\"},{\"role\":\"user\",\"content\":\"c\"},\n{\"content\":\"nobody\"}]",
    );
    assert_eq!(rows(&session), ["user text: a", "user text: b", "user text: c"]);
    assert_eq!(faults(&session), [(2, Skipped), (4, Skipped)]);
}

#[test]
fn damage_in_a_document_is_mended_and_told() {
    let mut bytes = b"\xEF\xBB\xBF[{\"role\":\"user\",\"content\":\"a\\ud83d\"},\n".to_vec();
    bytes.extend(b"{\"role\":\"system\",\"content\":\"b\xE6\"}]\n\0\0\0");
    let session = session(bytes);
    assert_eq!(rows(&session), ["user text: a\u{fffd}", "system text: b\u{fffd}"]);
    assert_eq!(faults(&session), [(1, Repaired), (3, Repaired), (2, Repaired), (1, Repaired)]);
}

#[test]
fn nesting_beyond_the_parser_costs_one_message() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let session = session(format!(
        "[{{\"role\":\"user\",\"content\":\"a\"}},\n{{\"role\":\"user\",\"content\":{deep}}}]"
    ));
    assert_eq!(rows(&session), ["user text: a"]);
    assert_eq!(faults(&session), [(2, Skipped)]);
}

#[test]
fn a_document_that_is_not_json_names_its_line() {
    let error = try_read("[\n{\"role\":\"user\",\"content\":\"a\"},\n{\"role\":").unwrap_err();
    assert_eq!(error.line(), Some(3));
    assert!(error.to_string().contains("cut off"), "{error}");
    let error = try_read("{\n\"messages\": [\n}\n").unwrap_err();
    assert_eq!(error.line(), Some(3));
}

#[test]
fn what_is_no_session_is_told_with_the_way_out() {
    for other in [
        "plain text\n",
        "{}",
        "[]",
        "17",
        r#"{"info":{},"messages":[{"info":{},"parts":[]}]}"#,
        "{\"type\":\"session_meta\",\"payload\":{}}\n{\"type\":\"event_msg\",\"payload\":{}}\n",
    ] {
        let error = try_read(other).unwrap_err();
        assert_eq!(error, ReadError::UnknownFormat, "{other}");
        assert!(error.to_string().contains("--format (claude-code, anthropic-messages"));
    }
}

#[test]
fn a_named_format_is_taken_at_its_word() {
    let plain = br#"[{"role":"user","content":"a"}]"#;
    let session = read(plain, source(), Some(Format::AnthropicMessages)).unwrap();
    assert_eq!(session.format, Format::AnthropicMessages);
    let error = read(br#"{"a":1}"#, source(), Some(Format::OpenAiChat)).unwrap_err();
    assert!(error.to_string().starts_with("messages: must be a list"), "{error}");
    let error = read(b"nothing here\n", source(), Some(Format::ClaudeCode)).unwrap_err();
    assert_eq!(error.line(), Some(1));
}
