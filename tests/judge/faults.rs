//! Answers that never come, never end, or are none; and stopping.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use compactscope::compact::tool_calls::{Judge, JudgeError, JudgeRequest, Reply};
use compactscope::judge::{Endpoint, Key, Patience, Reach, SystemOne};
use serde_json::{Map, json};

use super::KEY;
use super::server::{Sent, Server, answered, plain, status};

fn client(url: &str, patience: Patience) -> SystemOne {
    SystemOne::new(Endpoint::new(url, Reach::Anywhere).unwrap(), Key::new(KEY), patience)
}

/// One attempt of so many milliseconds.
fn once(millis: u64) -> Patience {
    Patience { attempt: Duration::from_millis(millis), pauses: Vec::new() }
}

fn ask(judge: &SystemOne, stop: &AtomicBool) -> Reply {
    let questions = Map::from_iter([("keep_call_a".to_owned(), json!({"type": "noul"}))]);
    judge.ask(&JudgeRequest { model: "m", state: &json!({}), questions: &questions, stop })
}

fn error(url: &str, patience: Patience) -> JudgeError {
    ask(&client(url, patience), &AtomicBool::new(false)).answer.unwrap_err()
}

fn error_after(sent: impl Fn() -> Sent + Send + Sync + 'static) -> JudgeError {
    let server = Server::start(move |_| sent());
    error(&server.url(), once(5_000))
}

#[test]
fn an_answer_that_is_no_json_is_none() {
    for body in ["<html>", "", "{", "{}{}", "\u{feff}{}", "NaN", "\"\\ud800\""] {
        let sent = move || Sent::Http(200, Vec::new(), body.as_bytes().to_vec());
        assert_eq!(error_after(sent), JudgeError::NotJson, "{body}");
    }
    let deep = || Sent::Http(200, Vec::new(), "[".repeat(500_000).into_bytes());
    assert_eq!(error_after(deep), JudgeError::NotJson);
    assert_eq!(error_after(|| Sent::Http(200, Vec::new(), vec![0xff; 9])), JudgeError::NotJson);
}

#[test]
fn no_more_than_a_million_bytes_of_an_answer_are_read() {
    let huge = || Sent::Http(200, Vec::new(), vec![b' '; 3 << 20]);
    assert_eq!(error_after(huge), JudgeError::TooLarge(1 << 20));
    let endless = || {
        let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec();
        Sent::Raw([head, vec![b' '; 3 << 20]].concat())
    };
    assert_eq!(error_after(endless), JudgeError::TooLarge(1 << 20));
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again() {
    let broken = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"answers\": {";
    let server = Server::start(|_| Sent::Raw(broken.to_vec()));
    let patience = Patience { pauses: vec![Duration::ZERO; 2], ..once(5_000) };
    let error = error(&server.url(), patience);
    assert!(matches!(error, JudgeError::Unreachable(_)), "{error:?}");
    assert_eq!(server.requests(), 3);
}

#[test]
fn what_is_no_http_is_no_answer() {
    for bytes in ["", "SSH-2.0-x\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "\0\0\0\0\r\n\r\n"] {
        let error = error_after(|| Sent::Raw(bytes.as_bytes().to_vec()));
        let is_told = matches!(error, JudgeError::NotHttp | JudgeError::Unreachable(_));
        assert!(is_told, "{bytes:?}: {error:?}");
    }
    let heads = || {
        let head = "HTTP/1.1 200 OK\r\n".to_owned() + &"X: y\r\n".repeat(200_000);
        Sent::Raw(head.into_bytes())
    };
    assert_eq!(error_after(heads), JudgeError::NotHttp);
}

#[test]
fn a_judge_that_is_late_is_not_waited_for() {
    const LATE: Duration = Duration::from_secs(30);
    let sent: [fn() -> Sent; 2] = [|| Sent::Late(LATE), || Sent::Drip(Duration::from_millis(20))];
    for sent in sent {
        let server = Server::start(move |_| sent());
        let begun = Instant::now();
        let patience = Patience { pauses: vec![Duration::ZERO; 2], ..once(400) };
        let attempt = patience.attempt;
        assert_eq!(error(&server.url(), patience), JudgeError::TimedOut(attempt));
        assert_eq!(server.requests(), 3);
        assert!(begun.elapsed() < LATE / 2);
    }
}

#[test]
fn a_judge_that_is_not_there_cannot_be_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let refused = std::io::ErrorKind::ConnectionRefused;
    assert_eq!(error(&url, once(5_000)), JudgeError::Unreachable(refused));
}

#[test]
fn nothing_is_sent_where_tls_fails() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        let mut got = Vec::new();
        let _ = stream.read_to_end(&mut got);
        String::from_utf8_lossy(&got).into_owned()
    });
    assert_eq!(error(&url, once(5_000)), JudgeError::Insecure);
    let got = server.join().unwrap();
    assert!(!got.is_empty() && !got.contains("7d0f") && !got.contains("POST"), "{got}");
}

#[test]
fn a_pause_is_left_when_asking_is_stopped() {
    let server = Server::start(|_| status(503));
    let patience = Patience { pauses: vec![Duration::from_secs(60); 2], ..once(5_000) };
    let judge = client(&server.url(), patience);
    let stop = AtomicBool::new(false);
    let begun = Instant::now();
    let reply = thread::scope(|scope| {
        let asking = scope.spawn(|| ask(&judge, &stop));
        while server.requests() == 0 {
            thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
        asking.join().unwrap()
    });
    assert_eq!(reply.answer.unwrap_err(), JudgeError::Stopped);
    assert_eq!(server.requests(), 1);
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_was_stopped_before_it_began_is_not_sent() {
    let server = Server::start(|got| answered(&plain(got)));
    let reply = ask(&client(&server.url(), once(5_000)), &AtomicBool::new(true));
    assert_eq!(reply.answer.unwrap_err(), JudgeError::Stopped);
    assert_eq!(server.requests(), 0);
}
