//! What a user waits for: reading a session, the features of it, a plan after each knob, a frame.
//!
//! `cargo bench --bench inspector -- SESSION` prints the median and the worst of some runs of each;
//! without a name it takes the long sample. Nothing is asserted.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use compactscope::app::action::Msg;
use compactscope::app::model::{Model, Opening};
use compactscope::app::{open, update};
use compactscope::compact::plan::{Known, plan};
use compactscope::compact::settings::{Settings, setting};
use compactscope::compact::{Features, Pins};
use compactscope::session::{Session, Source, read};
use compactscope::shell::workers::Planner;
use compactscope::tokens::{self, Method};
use compactscope::ui::{Theme, draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde::de::IgnoredAny;

const SAMPLE: &str = "sessions-sample/migration-long.jsonl";

fn main() {
    let named = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let path = named.unwrap_or_else(|| SAMPLE.into());
    let bytes = std::fs::read(&path).expect("the session can be read");
    let source = Source { label: path.clone(), path: None };
    let session = read(&bytes, source.clone(), None).expect("the file is a session");
    println!(
        "{path}: {:.1} MB, {} messages, {} entries",
        bytes.len() as f64 / 1e6,
        session.messages.len(),
        session.entries.len()
    );
    println!("{:<34} {:>10} {:>10}", "", "median ms", "worst ms");
    measure("bare JSON scan (IgnoredAny)", 5, || {
        serde_json::Deserializer::from_slice(&bytes).into_iter::<IgnoredAny>().count()
    });
    measure("bytes to session", 5, || read(&bytes, source.clone(), None));
    measure("features of the session", 5, || Features::new(&session));
    knobs(&session);
    frames(session.clone());
    count_tokens(&session);
}

fn measure<T>(what: &str, runs: usize, mut work: impl FnMut() -> T) {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let begun = Instant::now();
            black_box(work());
            begun.elapsed()
        })
        .collect();
    times.sort();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{what:<34} {:>10.2} {:>10.2}", ms(times[runs / 2]), ms(times[runs - 1]));
}

/// A plan after each of twenty steps of a knob, up and down again.
fn knobs(session: &Session) {
    let features = Features::new(session);
    let pins = Pins::new();
    let mut settings = Settings::for_session(session);
    let chars = features.decided_chars();
    for name in [
        "budget_chars",
        "max_message_chars",
        "keep_last_n",
        "duplicate_threshold",
        "keep_roles",
        "preserve_recent",
    ] {
        let knob = setting(name).expect("the setting is in the table");
        let mut step = 0;
        measure(&format!("plan, {name} turned"), 20, || {
            step += 1;
            knob.nudge(&mut settings, if step <= 10 { -1 } else { 1 }, chars);
            plan(session, &features, &settings, &pins, &Known::NOTHING)
        });
    }
}

/// Frames at 200×60 while the cursor moves through the session.
fn frames(session: Session) {
    let settings = Settings::for_session(&session);
    let entries = session.entries.len();
    let mut model = Model::new(Opening {
        session: Arc::new(session),
        settings: settings.clone(),
        defaults: settings,
        said: None,
        size: (200, 60),
        follow: false,
        method: Method::Heuristic,
    });
    let mut planner = Planner::default();
    for effect in open(&mut model) {
        if let Some(msg) = planner.answer(&effect, false) {
            update(&mut model, msg);
        }
    }
    let mut terminal = Terminal::new(TestBackend::new(200, 60)).expect("a screen in memory");
    let mut at = 0;
    measure("a frame at 200x60", 50, || {
        at = (at + entries / 50 + 1) % entries.max(1);
        model.list.move_to(at, model.list_height());
        update(&mut model, Msg::Resized { width: 200, height: 60 });
        terminal.draw(|frame| draw(&model, frame, Theme::default())).expect("a frame");
    });
}

fn count_tokens(session: &Session) {
    let texts = session.entries.iter().map(|entry| &*entry.content).take(2_000);
    let text: String = texts.collect::<Vec<_>>().join("\n");
    tokens::count("warm", Method::O200kBase);
    let begun = Instant::now();
    black_box(tokens::count(&text, Method::O200kBase));
    let speed = text.len() as f64 / 1e6 / begun.elapsed().as_secs_f64();
    println!("{:<34} {speed:>10.1} MB/s", "tokens, o200k_base, one thread");
}
