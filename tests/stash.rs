//! The stash through the program: what compact-transcript stores, recall gives back.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use compactscope::digest::sha256;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::{Value, json};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_compactscope");
const VARIABLE: &str = "COMPACTSCOPE_STASH_DIR";

/// A home directory with nothing in it, and the stash that its user named.
struct Home {
    directory: TempDir,
}

impl Home {
    fn new() -> Home {
        Home { directory: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn stash(&self) -> PathBuf {
        self.path().join("stash")
    }

    fn put(&self, text: &[u8]) -> String {
        let id = sha256(text);
        fs::create_dir_all(self.stash()).unwrap();
        fs::write(self.stash().join(&id), text).unwrap();
        id
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(self.path());
        command.env_clear().env("HOME", self.path()).env(VARIABLE, self.stash());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn recall(&self, arguments: &[&str]) -> Output {
        self.command(&[&["recall"], arguments].concat()).output().unwrap()
    }

    /// What recall says when it refuses.
    fn refusal(&self, arguments: &[&str]) -> String {
        let output = self.recall(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert_eq!(output.stdout, b"", "{arguments:?}");
        said
    }

    /// Every file below the home directory.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut directories = vec![self.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { directories.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files
    }
}

/// A request whose old outputs, all large, mode stashed removes.
fn request(outputs: usize) -> (Vec<String>, String) {
    let output = |n| format!("unit {n} is compiled\r\n").repeat(250);
    let outputs: Vec<String> = (0..outputs).map(output).collect();
    let mut messages = vec![json!({"role": "user", "text": "mend the parser"})];
    let called = |id: String, output: &str| {
        json!({"role": "assistant", "toolUses": [{"id": id, "tool": "Bash", "input": {"command": id}}],
            "toolResults": [{"id": id, "text": output}]})
    };
    messages.extend(outputs.iter().enumerate().map(|(n, text)| called(format!("make {n}"), text)));
    messages.extend((0..44).map(|n| json!({"role": "user", "text": format!("go on {n}")})));
    messages.push(called("true".to_owned(), "done"));
    let request = json!({"messages": messages, "question": "q", "provider": "rules",
        "rules_mode": "stashed", "preserve_recent": 1});
    (outputs, request.to_string())
}

fn ask(mut program: Child, request: &str) -> Value {
    program.stdin.take().unwrap().write_all(request.as_bytes()).unwrap();
    let output = program.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn reasons(answer: &Value) -> Vec<&str> {
    let decisions = answer["decisions"].as_array().unwrap();
    decisions.iter().map(|decision| decision["reason"].as_str().unwrap()).collect()
}

#[test]
fn what_is_stored_is_recalled_and_nothing_else_is_written() {
    let home = Home::new();
    let (outputs, request) = request(3);
    let answer = ask(home.command(&["compact-transcript", "-"]).spawn().unwrap(), &request);
    assert_eq!(answer["report"]["stash_dir"], json!(home.stash().to_str().unwrap()));
    assert_eq!(answer["report"]["tool_calls_stashed"], 3);

    let mut want: Vec<PathBuf> =
        outputs.iter().map(|text| home.stash().join(sha256(text.as_bytes()))).collect();
    want.sort();
    assert_eq!(home.files(), want);
    for file in &want {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    for (n, output) in outputs.iter().enumerate() {
        let note = answer["messages"][n + 1]["toolResults"][0]["text"].as_str().unwrap();
        let id = note.strip_suffix(']').unwrap().rsplit(' ').next().unwrap();
        assert!(note.contains(" tokens · compactscope recall "), "{note}");
        assert_eq!(home.recall(&[id]).stdout, output.as_bytes());
    }
}

#[test]
fn programs_that_store_at_once_store_every_text_whole() {
    let home = Home::new();
    let (outputs, request) = request(40);
    let start = || home.command(&["compact-transcript", "-"]).spawn().unwrap();
    let programs: Vec<Child> = (0..4).map(|_| start()).collect();
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let asked = programs.into_iter().map(|program| scope.spawn(|| ask(program, &request)));
        asked.collect::<Vec<_>>().into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    for answer in &answers {
        assert_eq!(answer["report"]["tool_calls_stashed"], 40);
        assert_eq!(answer["messages"], answers[0]["messages"]);
    }
    assert_eq!(home.files().len(), 40);
    for text in &outputs {
        assert_eq!(fs::read(home.stash().join(sha256(text.as_bytes()))).unwrap(), text.as_bytes());
    }
}

#[test]
fn outputs_stay_where_the_stash_cannot_be_written() {
    let home = Home::new();
    let (outputs, request) = request(2);
    fs::write(home.path().join("file"), "no directory").unwrap();
    let mut command = home.command(&["compact-transcript", "-"]);
    command.env(VARIABLE, home.path().join("file/stash"));
    let answer = ask(command.spawn().unwrap(), &request);
    assert_eq!(
        reasons(&answer)[1..],
        ["stash_write_failed:NotADirectoryError", "stash_write_failed:NotADirectoryError"]
    );
    for (n, output) in outputs.iter().enumerate() {
        assert_eq!(answer["messages"][n + 1]["toolResults"][0]["text"], json!(output));
    }
    assert_eq!(home.files(), [home.path().join("file")]);
}

#[test]
fn a_write_that_goes_beyond_the_file_limit_fails_and_leaves_nothing() {
    let home = Home::new();
    let (_, request) = request(3);
    fs::write(home.path().join("request"), &request).unwrap();
    let mut limited = Command::new("sh");
    limited.args(["-c", r#"ulimit -f 1; exec "$0" compact-transcript request"#, PROGRAM]);
    limited.current_dir(home.path()).env(VARIABLE, home.stash());
    limited.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let answer = ask(limited.spawn().unwrap(), "");
    assert_eq!(reasons(&answer)[1], "stash_write_failed:OSError");
    assert_eq!(answer["report"]["tool_calls_stashed"], 0);
    assert_eq!(home.files(), [home.path().join("request")]);
}

#[test]
fn a_stash_that_cannot_be_read_is_told_once() {
    let home = Home::new();
    fs::write(home.stash(), "no directory").unwrap();
    let output = home.recall(&["0123456789ab"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "compactscope: the stash cannot be read: Not a directory (os error 20)\n"
    );
}

#[test]
fn without_a_name_the_stash_is_below_the_data_directory() {
    let (_, request) = request(1);
    for (variable, place) in
        [(None, ".local/share/compactscope/stash"), (Some("data"), "data/compactscope/stash")]
    {
        let home = Home::new();
        let mut command = home.command(&["compact-transcript", "-"]);
        command.env_remove(VARIABLE);
        if let Some(below) = variable {
            command.env("XDG_DATA_HOME", home.path().join(below));
        }
        let answer = ask(command.spawn().unwrap(), &request);
        let stash = home.path().join(place);
        assert_eq!(answer["report"]["stash_dir"], json!(stash.to_str().unwrap()));
        assert_eq!(home.files()[0].parent(), Some(&*stash));
    }
}

#[test]
fn lines_are_those_of_the_reference() {
    let home = Home::new();
    let text = "a\0b\n\x1b[31mred\r\nc\rd\u{b}e\u{85}f\u{2028}g";
    let id = home.put(text.as_bytes());
    for (range, want) in [
        ("1-1", "a\0b\n"),
        ("2-3", "\x1b[31mred\r\nc\r"),
        ("4", "d\u{b}"),
        ("5-6", "e\u{85}f\u{2028}"),
        ("7-99", "g"),
        ("1-7", text),
    ] {
        let output = home.recall(&[&id[..12], "--lines", range]);
        assert_eq!(String::from_utf8(output.stdout).unwrap(), want, "{range}");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn what_cannot_be_recalled_is_refused_with_the_way_out() {
    let home = Home::new();
    let id = home.put(b"one\ntwo\n");
    let id = &id[..12];
    for no_id in ["abc", "../etc/passwd", "0123456789AG", "-1", "", "[removed: 812 tokens]"] {
        assert_eq!(
            home.refusal(&[no_id]),
            format!(
                "compactscope: recall: there is no stash id in {no_id:?}; an id is the 12 to 64 digits \
                 (0-9, a-f) that follow `recall` in a pointer\n"
            )
        );
    }
    assert_eq!(
        home.refusal(&["0123456789ab"]),
        format!(
            "compactscope: recall: nothing is stashed under 0123456789ab in {}; if it was stored \
             elsewhere, name that directory in COMPACTSCOPE_STASH_DIR\n",
            home.stash().display()
        )
    );
    let range = |range| home.refusal(&[id, "--lines", range]);
    assert_eq!(range("5-9"), "compactscope: recall: there are no lines 5-9: the text has 2\n");
    assert_eq!(
        range("2-1"),
        "compactscope: recall: there are no lines 2-1: lines count from 1, and the first must not \
         be after the last\n"
    );
    assert_eq!(range("-2"), "compactscope: recall: lines must look like A-B or A, not \"-2\"\n");

    let twin = format!("{id}{}", "0".repeat(52));
    fs::write(home.stash().join(&twin), "twin").unwrap();
    let mut both = [sha256(b"one\ntwo\n"), twin.clone()];
    both.sort();
    assert_eq!(
        home.refusal(&[id]),
        format!(
            "compactscope: recall: {id} stands for several texts; give more digits of one: {}\n",
            both.join(", ")
        )
    );
    assert_eq!(
        home.refusal(&[&twin]),
        format!(
            "compactscope: recall: the stashed text {twin} is damaged and not given out; compact \
             the session that held it again, and it is stored anew\n"
        )
    );
}

#[test]
fn a_pasted_pointer_and_capitals_are_recalled() {
    let home = Home::new();
    let id = home.put(b"one\ntwo\n");
    let note = format!("[removed: 812 tokens · compactscope recall {}]", &id[..12]);
    let words: Vec<&str> = note.split(' ').collect();
    let tail = format!("compactscope recall {}", &id[..12]);
    for pasted in [&[&*note][..], &words, &[&tail], &[&id.to_uppercase()], &[&format!(" {id}\n")]] {
        let output = home.recall(&[pasted, &["--lines", "2"]].concat());
        assert_eq!(output.stdout, b"two\n", "{pasted:?}: {:?}", output.stderr);
    }
    let two = format!("{note} {note} [removed: 1 tokens · lcc recall 0123456789ab]");
    let told = home.refusal(&[&two]);
    assert!(told.contains("several ids are named") && told.contains("0123456789ab"), "{told}");
    let unknown = home.refusal(&["[removed: 1 tokens · compactscope recall 0123456789AB]"]);
    assert!(unknown.contains("nothing is stashed under 0123456789ab"), "{unknown}");
}

#[test]
fn a_terminal_gets_nothing_that_acts_on_it() {
    let home = Home::new();
    let id = home.put(b"\x1b]52;c;bmFzdHk=\x07safe \x1b[2Jtext\n\xe2\x80\xaelast");
    let terminal = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new(PROGRAM);
    command.args(["recall", &id]);
    command.env(VARIABLE, home.stash());
    let mut child = terminal.slave.spawn_command(command).unwrap();
    drop(terminal.slave);
    let mut told = Vec::new();
    // At the end a pseudo-terminal reports an error on some systems.
    let _ = terminal.master.try_clone_reader().unwrap().read_to_end(&mut told);
    assert!(child.wait().unwrap().success());
    assert_eq!(String::from_utf8(told).unwrap(), "␛safe text\r\n\u{fffd}last\r\n");
}

#[test]
fn the_help_says_how_and_that_a_pipe_gets_exact_bytes() {
    let help = String::from_utf8(Home::new().recall(&["--help"]).stdout).unwrap();
    for said in ["--lines 40-80", "A pipe or a file gets the exact bytes", VARIABLE] {
        assert!(help.contains(said), "{said}:\n{help}");
    }
}
