//! The sessions of `sessions-sample/`: each opens, shows what compaction does, and does nothing to
//! the terminal.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use compactscope::app::key::Key;
use compactscope::app::model::{Model, Opening};
use compactscope::compact::plan::{Known, Outcome, Plan, plan};
use compactscope::compact::settings::{RulesMode, Settings};
use compactscope::compact::{Features, Pins};
use compactscope::session::{self, FaultKind, Format, Session, Source};
use compactscope::shell::headless::Headless;
use compactscope::tokens::Method;
use compactscope::ui::{Palette, Theme};

struct Sample {
    name: &'static str,
    format: Format,
    bytes: &'static [u8],
    repaired: usize,
    skipped: usize,
}

macro_rules! samples {
    ($($name:literal $format:ident $repaired:literal $skipped:literal)*) => {
        [$(Sample {
            name: $name,
            format: Format::$format,
            bytes: include_bytes!(concat!("../sessions-sample/", $name)),
            repaired: $repaired,
            skipped: $skipped,
        }),*]
    };
}

const SAMPLES: [Sample; 7] = samples! {
    "checkout-bug.jsonl" ClaudeCode 0 0
    "dispatch-memory.json" MemoryCompact 0 0
    "release-notes-hook.json" Hook 0 0
    // Two values on one line, half a surrogate pair; a corrupt line, a torn end.
    "hostile.jsonl" ClaudeCode 2 2
    // Arguments that are no JSON.
    "support-chat.json" OpenAiChat 1 0
    "migration-long.jsonl" ClaudeCode 0 0
    "anthropic-request.json" AnthropicMessages 0 0
};

fn sample(name: &str) -> &'static Sample {
    SAMPLES.iter().find(|sample| sample.name == name).unwrap()
}

impl Sample {
    fn read(&self) -> Session {
        let source = Source { label: self.name.into(), path: None };
        session::read(self.bytes, source, None).unwrap()
    }

    fn plan(&self) -> (Session, Plan) {
        let session = self.read();
        let plan = plan(
            &session,
            &Features::new(&session),
            &settings(&session),
            &Pins::new(),
            &Known::NOTHING,
        );
        (session, plan)
    }

    fn open(&self, size: (u16, u16)) -> Headless {
        let session = self.read();
        let settings = settings(&session);
        Headless::open(Model::new(Opening {
            session: Arc::new(session),
            defaults: settings.clone(),
            settings,
            said: None,
            size,
            follow: false,
            method: Method::Heuristic,
        }))
    }
}

fn settings(session: &Session) -> Settings {
    match &session.request {
        Some(request) => Settings::for_request(request).unwrap(),
        None => Settings { workspace_root: None, ..Settings::for_session(session) },
    }
}

#[test]
fn every_sample_is_found_to_be_of_its_format_and_read_as_far_as_it_can_be() {
    for sample in &SAMPLES {
        let session = sample.read();
        assert_eq!(session.format, sample.format, "{}", sample.name);
        let faults = [FaultKind::Repaired, FaultKind::Skipped].map(|kind| session.faults_of(kind));
        assert_eq!(faults, [sample.repaired, sample.skipped], "{}", sample.name);
    }
}

#[test]
fn every_record_of_a_sample_is_counted() {
    let sum = |name: &str| sample(name).read().records.values().sum::<usize>();
    for sample in SAMPLES.iter().filter(|sample| sample.bytes.ends_with(b"\n")) {
        if sample.format == Format::ClaudeCode {
            let lines = sample.bytes.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(sum(sample.name), lines, "{}", sample.name);
        }
    }
    // 37 lines: one holds two records, two hold none.
    assert_eq!(sum("hostile.jsonl"), 36);
}

#[test]
fn every_plan_over_a_sample_is_verified_and_has_at_least_four_outcomes() {
    for sample in &SAMPLES {
        let (_, plan) = sample.plan();
        assert!(plan.is_verified(), "{}: {:?}", sample.name, plan.violations);
        assert!(plan.input_faults.is_empty(), "{}: {:?}", sample.name, plan.input_faults);
        let reached = Outcome::ALL.into_iter().filter(|outcome| plan.count(*outcome) > 0).count();
        assert!(reached >= 4, "{}: {:?}", sample.name, plan.outcomes);
    }
}

/// The outcomes in the rows of the list that are on the screen.
fn on_the_screen(screen: &Headless) -> BTreeSet<Outcome> {
    let rows = screen.model.list_height().min(screen.model.session.entries.len());
    (0..rows).filter_map(|entry| screen.model.outcome(entry)).collect()
}

#[test]
fn several_outcomes_are_on_the_first_screen_of_every_sample() {
    for sample in &SAMPLES {
        // The long one begins with a long stretch of reading, all of which is stored away.
        let wanted = if sample.name == "migration-long.jsonl" { 3 } else { 4 };
        let seen = on_the_screen(&sample.open((120, 40)));
        assert!(seen.len() >= wanted, "{}: {seen:?}", sample.name);
    }
}

#[test]
fn a_key_or_two_show_on_the_first_sample_what_else_becomes_of_an_entry() {
    let mut screen = sample("checkout-bug.jsonl").open((120, 40));
    use Outcome::{Deduped, Dropped, Kept, Pinned, Pointer, Trimmed};
    assert_eq!(on_the_screen(&screen), BTreeSet::from([Kept, Pinned, Pointer, Trimmed]));
    screen.press(&Key::parse_all("b").unwrap());
    assert!(on_the_screen(&screen).contains(&Dropped), "a smaller budget");
    screen.press(&Key::parse_all("ummm").unwrap());
    assert_eq!(screen.model.settings.rules_mode, RulesMode::Recoverable);
    assert!(on_the_screen(&screen).contains(&Deduped), "a mode that stores nothing");
    let plan = screen.model.plan.clone().unwrap();
    let reasons: BTreeSet<_> = plan.decisions.iter().map(|decision| decision.reason()).collect();
    for reason in ["identical_output_kept_later", "output_lines_of_later", "near_duplicate"] {
        assert!(reasons.contains(reason), "{reason} is not among {reasons:?}");
    }
}

#[test]
fn the_long_sample_is_long_and_the_repository_stays_small() {
    let long = sample("migration-long.jsonl");
    assert!((600..=900).contains(&long.read().entries.len()));
    for sample in &SAMPLES {
        assert!(sample.bytes.len() < 600_000, "{}", sample.name);
    }
}

/// Whether a character can act on a terminal, turn its text, or hide in it.
fn acts(c: char) -> bool {
    let unseen = "\u{ad}\u{61c}\u{180e}\u{3164}\u{feff}";
    c.is_control()
        || unseen.contains(c)
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

#[test]
fn the_hostile_sample_holds_what_attacks_a_terminal() {
    let session = sample("hostile.jsonl").read();
    let mut seen: BTreeMap<char, usize> = BTreeMap::new();
    for c in session.entries.iter().flat_map(|entry| entry.content.chars()).filter(|c| acts(*c)) {
        *seen.entry(c).or_default() += 1;
    }
    for c in "\u{1b}\0\u{7}\u{8}\r\u{7f}\u{9b}\u{9d}\u{90}\u{85}\u{202e}\u{2066}\u{200b}\u{2028}\u{e0041}"
        .chars()
    {
        assert!(seen.contains_key(&c), "{c:?} is not among {:?}", seen.keys());
    }
    let all: String = session.entries.iter().map(|entry| &*entry.content).collect();
    let commands = ["\u{1b}]0;", "\u{1b}]8;;", "\u{1b}]52;c;", "\u{1b}P", "\u{1b}[2J", "\u{1b}c"];
    assert!(commands.iter().all(|command| all.contains(command)));
}

#[test]
fn no_sample_file_acts_on_a_terminal_that_prints_it() {
    for sample in &SAMPLES {
        let text = std::str::from_utf8(sample.bytes).unwrap();
        let bad = text.chars().find(|c| *c != '\n' && acts(*c));
        assert_eq!(bad, None, "{}", sample.name);
    }
}

#[test]
fn nothing_of_the_hostile_sample_acts_on_the_screen() {
    let hostile = sample("hostile.jsonl");
    let entries = hostile.read().entries.len();
    let theme = Theme::new(Palette::Ansi);
    for size in [(120, 40), (80, 24), (47, 11), (20, 6)] {
        for keys in ["", "<enter>", "z", "R", "w<enter>", "/bad<enter>n"] {
            let mut screen = hostile.open(size);
            for entry in 1..=entries {
                screen.press(&Key::parse_all(&format!("<esc><esc>{entry}G{keys}")).unwrap());
                let drawn = screen.draw(theme);
                let bad = drawn.content().iter().find(|cell| cell.symbol().chars().any(acts));
                assert!(bad.is_none(), "{size:?} {keys:?} entry {entry}: {bad:?}");
            }
        }
    }
}

#[test]
fn attacks_are_marked_on_the_screen_and_leave_no_litter() {
    let mut screen = sample("hostile.jsonl").open((120, 60));
    screen.press(&Key::parse_all("11G<enter>z").unwrap());
    let cells = screen.draw(Theme::new(Palette::Ansi));
    let text: String = cells.content().iter().map(|cell| cell.symbol()).collect();
    for shown in [
        "subject= Your screen is now empty",
        "subject=␛ Invoice 7731",
        "subject=␛https://bank.example/login␛",
        "on the block list␍ACCEPTED",
        "rm -rf /␈␈␈␈␈␈␈␈/bin/ls␇␇␡",
        "before␀after",
        "annual_report_�fdp.exe�",
        "pay�pal�.�example",
        "one␤two␤three␤four",
    ] {
        assert!(text.contains(shown), "{shown} is not in {text}");
    }
    for litter in ["[2J", "[8m", "]0;", "52;c", "8;;", "31m"] {
        assert!(!text.contains(litter), "{litter} is in {text}");
    }
}
