//! Where the key and the session's text go, and where they do not.

use std::fs;
use std::path::PathBuf;

use compactscope::compact::settings::Provider;
use compactscope::compact::tool_calls::{Judges, NoJudge};
use compactscope::judge::{Endpoint, Key, Reach, SystemOne};
use serde_json::{Value, json};

use super::server::{Got, Sent, Server, answered, plain};
use super::{KEY, answer, assert_safe, environment, environment_in, patience, request, warnings};

/// The header that a server was sent, as it may send it back.
fn authorization(got: &Got) -> String {
    got.header("Authorization").unwrap().to_owned()
}

#[test]
fn a_key_that_a_server_sends_back_is_in_no_answer() {
    let echoes: [fn(&Got) -> Sent; 6] = [
        |got| {
            let mut body = plain(got);
            body["model"] = json!(authorization(got));
            answered(&body)
        },
        |got| {
            let escaped: String =
                authorization(got).chars().map(|c| format!("\\u{:04x}", c as u32)).collect();
            let body = plain(got).to_string().replace("mock-1", &escaped);
            Sent::Http(200, Vec::new(), body.into_bytes())
        },
        |got| {
            let mut body = plain(got);
            for (_, answer) in body["answers"].as_object_mut().unwrap() {
                *answer = json!({"noul": authorization(got), "type": authorization(got)});
            }
            answered(&body)
        },
        |got| Sent::Http(401, Vec::new(), authorization(got).into_bytes()),
        |got| Sent::Http(200, Vec::new(), authorization(got).into_bytes()),
        |got| Sent::Raw(format!("HTTP/1.1 {}\r\n\r\n", authorization(got)).into_bytes()),
    ];
    for echo in echoes {
        let server = Server::start(echo);
        let request = request(9, json!({}));
        let answer = answer(&request, &environment(&server.url()));
        assert_safe(&request, &answer);
        assert!(server.requests() > 0);
    }
}

#[test]
fn a_redirect_is_not_followed() {
    for code in [301, 302, 303, 307, 308] {
        let other = Server::start_at("127.0.0.2:0", |got| answered(&plain(got)));
        let elsewhere = other.url();
        let server = Server::start(move |_| {
            Sent::Http(code, vec![("Location", elsewhere.clone())], Vec::new())
        });
        let request = request(2, json!({}));
        let answer = answer(&request, &environment(&server.url()));
        assert_eq!(assert_safe(&request, &answer), 0);
        let warning = format!("redirect (status {code}), which is not followed");
        assert!(warnings(&answer)[0].contains(&warning), "{:?}", warnings(&answer));
        assert_eq!((server.requests(), other.requests()), (1, 0));
    }
}

fn no_judge(variables: &[(&str, &str)], provider: Provider) -> NoJudge {
    environment_in(variables, None).judge(provider).err().unwrap()
}

#[test]
fn offline_sends_nothing_anywhere() {
    let server = Server::start(|got| answered(&plain(got)));
    let url = server.url();
    let variables = [
        ("COMPACTSCOPE_OFFLINE", "1"),
        ("TYPESAFE_ENDPOINT", url.as_str()),
        ("TYPESAFE_API_KEY", KEY),
        ("COMPACTSCOPE_LAYA_ENDPOINT", url.as_str()),
    ];
    for provider in ["jev", "laya"] {
        let request = request(2, json!({"provider": provider}));
        let answer = answer(&request, &environment_in(&variables, None));
        assert_eq!(assert_safe(&request, &answer), 0);
        let reason = format!("{provider}_unavailable_fail_safe");
        assert_eq!(answer["report"]["degradation_reason"], json!(reason));
        assert!(warnings(&answer).last().unwrap().contains("COMPACTSCOPE_OFFLINE"));
    }
    assert_eq!(server.requests(), 0);
}

#[test]
fn text_is_sent_in_the_clear_to_this_machine_alone() {
    let server = Server::start(|got| answered(&plain(got)));
    // Linux takes 0.0.0.0 for this machine, so the server would be reached.
    let anywhere = format!("http://0.0.0.0:{}/v1", server.at.port());
    for url in [&anywhere, "http://example.com/v1", "http://user@127.0.0.1/", "ftp://127.0.0.1/"] {
        let variables = [("TYPESAFE_ENDPOINT", url), ("TYPESAFE_API_KEY", KEY)];
        let request = request(2, json!({}));
        let answer = answer(&request, &environment_in(&variables, None));
        assert_eq!(assert_safe(&request, &answer), 0);
        assert_eq!(answer["report"]["degradation_reason"], "jev_unavailable_fail_safe");
        assert!(warnings(&answer)[0].contains("TYPESAFE_ENDPOINT must be an https address"));
        let far = no_judge(&[("COMPACTSCOPE_LAYA_ENDPOINT", url)], Provider::Laya);
        assert!(matches!(far, NoJudge::BadEndpoint { variable: "COMPACTSCOPE_LAYA_ENDPOINT", .. }));
    }
    let far = [("COMPACTSCOPE_LAYA_ENDPOINT", "https://api.typesafe.ai/v1")];
    assert!(matches!(no_judge(&far, Provider::Laya), NoJudge::BadEndpoint { .. }));
    assert_eq!(server.requests(), 0);
}

/// A directory of its own, without a key file if `text` is none.
fn directory(name: &str, text: Option<&str>) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&directory).unwrap();
    let file = directory.join("typesafe.key");
    match text {
        Some(text) => fs::write(file, text).unwrap(),
        None => drop(fs::remove_file(file)),
    }
    directory
}

#[test]
fn the_key_comes_from_the_variable_or_else_from_the_file() {
    let server = Server::start(|got| answered(&plain(got)));
    let url = server.url();
    let endpoint = ("TYPESAFE_ENDPOINT", url.as_str());
    let configuration = directory("key-of-file", Some("  of-file \n"));
    for (variable, key) in [("of-variable", "of-variable"), (" \n", "of-file"), ("", "of-file")] {
        let variables = [endpoint, ("TYPESAFE_API_KEY", variable)];
        answer(&request(1, json!({})), &environment_in(&variables, Some(configuration.clone())));
        assert_eq!(authorization(server.got().last().unwrap()), format!("Bearer {key}"));
    }
}

#[test]
fn without_a_key_that_can_be_sent_nobody_is_asked() {
    let server = Server::start(|got| answered(&plain(got)));
    let url = server.url();
    let ask = |configuration| {
        let answer: Value = answer(
            &request(1, json!({})),
            &environment_in(&[("TYPESAFE_ENDPOINT", &url)], configuration),
        );
        warnings(&answer)[0].clone()
    };
    assert!(ask(None).contains("no API key; set TYPESAFE_API_KEY"));
    let missing = ask(Some(directory("key-missing", None)));
    assert!(missing.contains("key-missing/typesafe.key"), "{missing}");
    assert!(ask(Some(directory("key-blank", Some(" \n")))).contains("no API key"));
    let split = ask(Some(directory("key-split", Some("sk-live\nX-Other: 1"))));
    assert!(split.contains("no header can carry") && !split.contains("sk-live"), "{split}");
    let unreadable = directory("key-directory", None);
    fs::create_dir_all(unreadable.join("typesafe.key")).unwrap();
    assert!(ask(Some(unreadable)).contains("cannot be read"));
    assert_eq!(server.requests(), 0);
}

#[test]
fn a_client_does_not_show_its_key() {
    let endpoint = Endpoint::new("http://127.0.0.1:9/", Reach::Anywhere).unwrap();
    let shown = format!("{:?}", SystemOne::new(endpoint, Key::new(KEY), patience()));
    assert!(shown.contains("Key(…)") && !shown.contains("7d0f"), "{shown}");
}

#[test]
fn the_address_is_told_once_everything_is_there_and_without_the_key() {
    let address = |variables: &[(&str, &str)]| {
        environment_in(variables, None).address(Provider::Jev).map_err(|error| error.to_string())
    };
    let key = ("TYPESAFE_API_KEY", KEY);
    assert_eq!(address(&[key]).unwrap(), "https://api.typesafe.ai/v1/systemone");
    let own = ("TYPESAFE_ENDPOINT", "https://judge.example/v1");
    assert_eq!(address(&[key, own]).unwrap(), "https://judge.example/v1");
    assert!(address(&[own]).unwrap_err().starts_with("no API key"));
    let offline = address(&[key, own, ("COMPACTSCOPE_OFFLINE", "1")]);
    assert_eq!(offline.unwrap_err(), "COMPACTSCOPE_OFFLINE forbids the network");
    let open = address(&[key, ("TYPESAFE_ENDPOINT", "http://judge.example/v1")]);
    assert!(open.unwrap_err().starts_with("TYPESAFE_ENDPOINT must be "));
}
