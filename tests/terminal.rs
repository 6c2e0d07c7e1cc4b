//! The program in a real terminal: a pseudo-terminal of its own, its output read by a terminal
//! emulator, and every step waited for until it shows.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use common::Log;
use portable_pty::{Child, CommandBuilder, ExitStatus, PtyPair, PtySize, native_pty_system};
use serde_json::json;

const PROGRAM: &str = env!("CARGO_BIN_EXE_compactscope");

/// How long anything may take. A step takes milliseconds; a loaded machine may need a while.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the terminal has been told so far.
struct Emulator {
    parser: Mutex<vt100::Parser>,
    told: Condvar,
}

struct Terminal {
    pair: PtyPair,
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    emulator: Arc<Emulator>,
}

impl Terminal {
    /// Starts a program in a terminal of 100 columns and 30 rows.
    fn start(program: &str, arguments: &[&str]) -> Terminal {
        let size = PtySize { rows: 30, cols: 100, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        let mut output = pair.master.try_clone_reader().unwrap();
        let keyboard = pair.master.take_writer().unwrap();
        let emulator = Arc::new(Emulator {
            parser: Mutex::new(vt100::Parser::new(size.rows, size.cols, 0)),
            told: Condvar::new(),
        });
        let told = Arc::clone(&emulator);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                told.parser.lock().unwrap().process(&bytes[..count]);
                told.told.notify_all();
            }
        });
        let child = pair.slave.spawn_command(command).unwrap();
        Terminal { pair, child, keyboard, emulator }
    }

    /// Waits until the screen is as wanted, and gives its text.
    fn wait(&self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) -> String {
        let begun = Instant::now();
        let mut parser = self.emulator.parser.lock().unwrap();
        while !wanted(parser.screen()) {
            let left = PATIENCE.checked_sub(begun.elapsed());
            let Some(left) = left.filter(|left| !left.is_zero()) else {
                panic!("{what} did not come:\n{}", parser.screen().contents());
            };
            parser = self.emulator.told.wait_timeout(parser, left).unwrap().0;
        }
        parser.screen().contents()
    }

    fn wait_for(&self, text: &str) -> String {
        self.wait(&format!("`{text}`"), |screen| screen.contents().contains(text))
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Waits for the program to end.
    fn end(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < PATIENCE, "the program does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The line settings of the terminal, as they can be compared.
    fn line_settings(&self) -> String {
        format!("{:?}", self.pair.master.get_termios().unwrap())
    }

    fn assert_taken_over(&self) {
        self.wait("the alternate screen", |screen| {
            screen.alternate_screen() && screen.hide_cursor() && screen.bracketed_paste()
        });
    }

    /// Everything that the program has set is as it was.
    fn assert_given_back(&self, line_settings: &str) {
        self.wait("the terminal of before", |screen| {
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
        assert_eq!(self.line_settings(), line_settings);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Only when a test fails is there a program left.
        let _ = self.child.kill();
    }
}

/// A session long enough for a budget to drop something.
fn labels() -> Log {
    let mut log = Log::default();
    log.user("Print the parcel labels of today.");
    for number in 1..=12 {
        let output = format!("label {number} printed on tray {}\n", number % 3).repeat(6);
        log.runs(&format!("c{number}"), "Print", json!({"parcel": number}), &output);
        log.says(&format!("Label {number} is printed, {} more are waiting.", 12 - number));
    }
    log.user("Are all labels printed?");
    log
}

/// A file of its own for a test.
fn write(name: &str, log: &Log) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join("labels.jsonl");
    File::create(&path).unwrap().write_all(log.jsonl().as_bytes()).unwrap();
    path
}

fn sums(screen: &str) -> &str {
    let line = screen.lines().find(|line| line.contains(" chars ")).unwrap();
    &line[..line.find(" chars ").unwrap()]
}

#[test]
fn a_knob_changes_the_totals_and_quitting_gives_the_terminal_back() {
    let path = write("knob", &labels());
    let mut terminal = Terminal::start(PROGRAM, &[path.to_str().unwrap()]);
    let first = terminal.wait_for("✓ verified");
    assert!(first.contains("labels.jsonl · Claude Code"), "{first}");
    assert!(first.contains("Print the parcel labels of today."), "{first}");
    terminal.assert_taken_over();
    terminal.press("b");
    let second = terminal.wait_for("Δ ");
    assert_ne!(sums(&first), sums(&second));
    assert!(second.contains("25%"), "{second}");
    terminal.press("q");
    assert_eq!(terminal.end().exit_code(), 0);
}

#[test]
fn the_line_settings_change_while_it_runs_and_are_those_of_before_at_the_end() {
    let path = write("settings", &labels());
    // The shell tells what the settings are before the program takes them over.
    let script = format!("read go; exec {PROGRAM} {}", path.display());
    let mut terminal = Terminal::start("sh", &["-c", &script]);
    let before = terminal.line_settings();
    terminal.press("go\r");
    terminal.wait_for("✓ verified");
    terminal.assert_taken_over();
    assert_ne!(terminal.line_settings(), before, "the terminal is not in raw mode");
    terminal.press("q");
    assert_eq!(terminal.end().exit_code(), 0);
    terminal.assert_given_back(&before);
}

#[test]
fn a_signal_ends_it_as_a_signal_and_gives_the_terminal_back() {
    for signal in ["TERM", "HUP", "INT"] {
        let path = write(signal, &labels());
        let script = format!("read go; exec {PROGRAM} {}", path.display());
        let mut terminal = Terminal::start("sh", &["-c", &script]);
        let before = terminal.line_settings();
        terminal.press("go\r");
        terminal.wait_for("✓ verified");
        terminal.assert_taken_over();
        let process = terminal.child.process_id().unwrap().to_string();
        let sent = Command::new("kill").args(["-s", signal, &process]).status().unwrap();
        assert!(sent.success());
        let status = terminal.end();
        assert!(status.signal().is_some(), "SIG{signal}: {status:?}");
        terminal.assert_given_back(&before);
    }
}

#[test]
fn a_record_that_is_appended_to_a_watched_file_is_shown() {
    let path = write("watch", &labels());
    let mut terminal = Terminal::start(PROGRAM, &["--watch", path.to_str().unwrap()]);
    terminal.wait_for("● live, following");
    terminal.wait_for("✓ verified");
    terminal.wait_for("entries 38/38");
    let mut log = labels();
    log.says("Every label is printed and on its tray.");
    let appended = log.jsonl().split_off(labels().jsonl().len());
    let (first, second) = appended.split_at(appended.len() / 2);
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    // In two parts: what is not whole is waited for.
    file.write_all(first.as_bytes()).unwrap();
    file.sync_all().unwrap();
    file.write_all(second.as_bytes()).unwrap();
    terminal.wait_for("entries 39/39");
    let shown = terminal.wait_for("Every label is printed and on its tray.");
    assert!(shown.contains("● live, following"), "{shown}");
    terminal.press("gq");
    assert_eq!(terminal.end().exit_code(), 0);
}

#[test]
fn a_watched_file_that_is_replaced_and_removed_is_read_anew_and_missed() {
    let path = write("replace", &labels());
    let mut terminal = Terminal::start(PROGRAM, &["--watch", path.to_str().unwrap()]);
    terminal.wait_for("entries 38/38");
    let mut other = Log::default();
    other.user("Another day, other labels.");
    let beside = path.with_extension("new");
    fs::write(&beside, other.jsonl()).unwrap();
    fs::rename(&beside, &path).unwrap();
    terminal.wait_for("Another day, other labels.");
    terminal.wait_for("entries 1/1");
    fs::remove_file(&path).unwrap();
    terminal.wait_for("○ file gone");
    fs::write(&path, labels().jsonl()).unwrap();
    terminal.wait_for("entries 38/38");
    terminal.press("q");
    assert_eq!(terminal.end().exit_code(), 0);
}

#[test]
fn a_file_that_was_replaced_before_it_is_followed_is_read_anew() {
    let path = write("follow", &labels());
    let mut terminal = Terminal::start(PROGRAM, &[path.to_str().unwrap()]);
    terminal.wait_for("entries 1/38");
    let mut other = Log::default();
    other.user("Another day, other labels.");
    fs::write(&path, other.jsonl()).unwrap();
    terminal.press("f");
    terminal.wait_for("Another day, other labels.");
    terminal.wait_for("entries 1/1");
    terminal.wait_for("the file was replaced; read from the start");
    terminal.press("q");
    assert_eq!(terminal.end().exit_code(), 0);
}

#[test]
fn keys_come_from_the_terminal_while_the_session_comes_from_standard_input() {
    let path = write("stdin", &labels());
    let script = format!("read go; cat {} | {PROGRAM} -", path.display());
    let mut terminal = Terminal::start("sh", &["-c", &script]);
    let before = terminal.line_settings();
    terminal.press("go\r");
    terminal.wait_for("✓ verified");
    terminal.wait_for("standard input · Claude Code");
    terminal.press("jj");
    terminal.wait_for("entries 3/38");
    terminal.press("b");
    terminal.wait_for("Δ ");
    terminal.press("q");
    assert_eq!(terminal.end().exit_code(), 0);
    terminal.assert_given_back(&before);
}

#[test]
fn another_size_is_drawn_anew() {
    let path = write("size", &labels());
    let mut terminal = Terminal::start(PROGRAM, &[path.to_str().unwrap()]);
    terminal.wait_for("✓ verified");
    let size = PtySize { rows: 12, cols: 60, pixel_width: 0, pixel_height: 0 };
    terminal.emulator.parser.lock().unwrap().screen_mut().set_size(size.rows, size.cols);
    terminal.pair.master.resize(size).unwrap();
    terminal.wait("a footer in row 12", |screen| {
        screen.contents().lines().nth(11).is_some_and(|line| line.contains("quit"))
    });
    terminal.press("q");
    assert_eq!(terminal.end().exit_code(), 0);
}

#[test]
fn a_suspended_program_gives_the_terminal_back_until_it_goes_on() {
    let path = write("suspend", &labels());
    // A shell with job control, as a person has it.
    let script = format!("set -m; {PROGRAM} {}; echo stopped; fg; echo ended", path.display());
    let mut terminal = Terminal::start("sh", &["-c", &script]);
    terminal.wait_for("✓ verified");
    terminal.assert_taken_over();
    terminal.press("\u{1a}");
    // The shell goes on at once and brings it back, so only the way through is seen.
    terminal.wait_for("✓ verified");
    terminal.assert_taken_over();
    terminal.press("jj");
    terminal.wait_for("entries 3/38");
    terminal.press("q");
    let screen = terminal.wait_for("ended");
    assert!(screen.contains("stopped"), "{screen}");
    terminal.end();
}
