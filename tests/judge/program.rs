//! The program itself, with the environment that it is really given.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::server::{Sent, Server, answered, plain};
use super::{KEY, assert_safe, request, warnings};

/// The program, without what the tests' own environment may say of judges.
fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_compactscope"));
    for name in ["TYPESAFE_ENDPOINT", "TYPESAFE_API_KEY", "COMPACTSCOPE_OFFLINE", "NO_PROXY"] {
        command.env_remove(name);
    }
    command.env("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Runs `compact-transcript` with these variables.
fn run(request: &Value, variables: &[(&str, &str)]) -> Output {
    let mut command = program();
    command.args(["compact-transcript", "-", "--tokens", "heuristic"]);
    command.envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(request.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout.clone(), output.stderr.clone()].concat();
    assert!(!String::from_utf8_lossy(&text).contains("7d0f"), "the key was printed");
    output
}

#[test]
fn it_asks_the_endpoint_directly_whatever_proxy_is_set() {
    let proxy = Server::start(|_| Sent::Raw(Vec::new()));
    let server = Server::start(|got| answered(&plain(got)));
    let (url, through) = (server.url(), format!("http://{}", proxy.at));
    let mut variables = vec![("TYPESAFE_ENDPOINT", url.as_str()), ("TYPESAFE_API_KEY", KEY)];
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    {
        variables.push((name, through.as_str()));
    }
    let request = request(10, json!({}));
    let output = run(&request, &variables);
    assert!(output.status.success());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(assert_safe(&request, &answer), 10);
    assert_eq!((server.requests(), proxy.requests()), (2, 0));
}

#[test]
fn it_answers_that_everything_is_kept_when_the_judge_refuses() {
    let server = Server::start(|got| {
        let echo = got.header("Authorization").unwrap().to_owned();
        Sent::Http(401, vec![("X-Echo", echo.clone())], echo.into_bytes())
    });
    let url = server.url();
    let request = request(2, json!({}));
    let output = run(&request, &[("TYPESAFE_ENDPOINT", &url), ("TYPESAFE_API_KEY", KEY)]);
    assert!(output.status.success());
    assert!(output.stderr.is_empty());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(assert_safe(&request, &answer), 0);
    assert!(warnings(&answer)[0].contains("status 401"));
}

#[test]
fn it_refuses_what_no_judge_can_be_shown() {
    let server = Server::start(|got| answered(&plain(got)));
    let url = server.url();
    for (setting, tokens) in [("max_state_tokens", 10), ("max_request_tokens", 300)] {
        let request = request(2, json!({ setting: tokens }));
        let output = run(&request, &[("TYPESAFE_ENDPOINT", &url), ("TYPESAFE_API_KEY", KEY)]);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(&format!("{setting}: ")), "{told}");
    }
    assert_eq!(server.requests(), 0);
}

#[test]
fn it_stays_offline() {
    let server = Server::start(|got| answered(&plain(got)));
    let url = server.url();
    let variables = [
        ("TYPESAFE_ENDPOINT", url.as_str()),
        ("TYPESAFE_API_KEY", KEY),
        ("COMPACTSCOPE_OFFLINE", "1"),
    ];
    let request = request(2, json!({}));
    let output = run(&request, &variables);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(assert_safe(&request, &answer), 0);
    assert_eq!(server.requests(), 0);
}

#[test]
fn it_plans_a_session_by_what_the_judge_says() {
    let server = Server::start(|got| answered(&plain(got)));
    let url = server.url();
    let plan = |variables: &[(&str, &str)]| {
        let mut command = program();
        command.args(["plan", "sessions-sample/checkout-bug.jsonl", "--json"]);
        command.args(["--provider", "jev", "--rules-mode", "lossless", "--budget-chars", "off"]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
        let reasons = plan["entries"].as_array().unwrap().iter().filter_map(|entry| {
            let stage = entry["stages"].as_array().and_then(|stages| stages.last());
            Some(stage.map_or(&entry["reason"], |stage| &stage["reason"]).as_str()?.to_owned())
        });
        (reasons.collect::<Vec<_>>(), String::from_utf8(output.stderr).unwrap())
    };
    let (reasons, told) = plan(&[("TYPESAFE_ENDPOINT", &url), ("TYPESAFE_API_KEY", KEY)]);
    assert!(reasons.iter().any(|reason| reason == "call_and_result_not_needed"), "{reasons:?}");
    assert!(reasons.iter().any(|reason| reason == "result_still_needed"), "{reasons:?}");
    assert!(!reasons.iter().any(|reason| reason == "not_judged_fail_safe"), "{reasons:?}");
    assert_eq!(told, "");
    let asked = server.requests();
    let (reasons, told) = plan(&[("TYPESAFE_ENDPOINT", &url)]);
    assert!(reasons.iter().any(|reason| reason == "not_judged_fail_safe"), "{reasons:?}");
    assert!(!reasons.iter().any(|reason| reason == "call_and_result_not_needed"), "{reasons:?}");
    assert!(told.contains("jev: no API key") && told.contains("every call is kept"), "{told}");
    assert_eq!(server.requests(), asked);
}
