//! A System One server on loopback, as good or as bad as a test wants it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Got {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

/// What is sent back.
pub enum Sent {
    /// A status, further headers, a body.
    Http(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// These bytes, as they are.
    Raw(Vec<u8>),
    /// A good answer after a while.
    Late(Duration),
    /// A head at once, then a body of one byte every so often.
    Drip(Duration),
}

/// It serves until the test ends.
pub struct Server {
    pub at: SocketAddr,
    got: Arc<Mutex<Vec<Got>>>,
    most: Arc<AtomicUsize>,
}

impl Server {
    pub fn start(answer: impl Fn(&Got) -> Sent + Send + Sync + 'static) -> Server {
        Server::start_at("127.0.0.1:0", answer)
    }

    pub fn start_at(at: &str, answer: impl Fn(&Got) -> Sent + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind(at).unwrap();
        let server = Server {
            at: listener.local_addr().unwrap(),
            got: Arc::default(),
            most: Arc::default(),
        };
        let (got, most) = (server.got.clone(), server.most.clone());
        let (answer, now) = (Arc::new(answer), Arc::new(AtomicUsize::new(0)));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (got, most) = (got.clone(), most.clone());
                let (answer, now) = (answer.clone(), now.clone());
                thread::spawn(move || {
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let Some(request) = read(&stream) else { return };
                    got.lock().unwrap().push(request.clone());
                    let sent = answer(&request);
                    now.fetch_sub(1, Ordering::SeqCst);
                    // The client may have given up.
                    let _ = send(stream, sent, &request);
                });
            }
        });
        server
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1/systemone", self.at)
    }

    pub fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    pub fn requests(&self) -> usize {
        self.got().len()
    }

    /// The most requests that were being answered at one time.
    pub fn most_at_once(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

impl Got {
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = |it: &&(String, String)| it.0.eq_ignore_ascii_case(name);
        self.headers.iter().find(named).map(|it| it.1.as_str())
    }

    /// The question that sorts first, which tells one batch from another.
    pub fn first_question(&self) -> String {
        self.body["questions"].as_object().unwrap().keys().min().unwrap().clone()
    }
}

pub fn status(status: u16) -> Sent {
    Sent::Http(status, Vec::new(), br#"{"error": "no"}"#.to_vec())
}

pub fn answered(body: &Value) -> Sent {
    Sent::Http(200, Vec::new(), body.to_string().into_bytes())
}

/// A number that depends on the question alone.
pub fn probability(question: &str) -> f64 {
    let digest = Sha256::digest(question);
    f64::from(u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])) / 2f64.powi(32)
}

/// An answer to every question.
pub fn plain(got: &Got) -> Value {
    let questions = got.body["questions"].as_object().unwrap();
    let answer = |question: &String| {
        (question.clone(), json!({"type": "noul", "noul": probability(question)}))
    };
    let answers: Map<String, Value> = questions.keys().map(answer).collect();
    json!({"model": "mock-1", "answers": answers, "usage": {"input_tokens": 1}})
}

/// Some answers left out, some out of range, some no number.
pub fn holes(got: &Got) -> Value {
    let mut body = plain(got);
    let answers = body["answers"].as_object_mut().unwrap();
    answers.retain(|question, _| probability(question) >= 0.15);
    for (question, answer) in answers.iter_mut() {
        match probability(question) {
            p if p < 0.25 => answer["noul"] = json!(1.7),
            p if p < 0.3 => answer["noul"] = json!("high"),
            _ => {}
        }
    }
    body
}

fn read(stream: &TcpStream) -> Option<Got> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let line = lines.remove(0);
    let header = |line: &String| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_owned(), value.trim().to_owned()))
    };
    let got = Got { line, headers: lines.iter().filter_map(header).collect(), body: Value::Null };
    let length = got.header("Content-Length").and_then(|it| it.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Got { body: serde_json::from_slice(&body).unwrap_or(Value::Null), ..got })
}

fn send(mut stream: TcpStream, sent: Sent, got: &Got) -> std::io::Result<()> {
    match sent {
        Sent::Http(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} Because\r\nConnection: close\r\n");
            for (name, value) in headers {
                head += &format!("{name}: {value}\r\n");
            }
            head += &format!("Content-Length: {}\r\n\r\n", body.len());
            stream.write_all(head.as_bytes())?;
            stream.write_all(&body)
        }
        Sent::Raw(bytes) => stream.write_all(&bytes),
        Sent::Late(pause) => {
            thread::sleep(pause);
            send(stream, answered(&plain(got)), got)
        }
        Sent::Drip(pause) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")?;
            loop {
                stream.write_all(b" ")?;
                thread::sleep(pause);
            }
        }
    }
}
