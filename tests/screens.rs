//! Whole screens as they are drawn: text, and below it the styles, one letter for each.
//!
//! `INSTA_UPDATE=always cargo test --test screens` accepts what has changed; look at the
//! difference before it is committed.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;

use common::{Log, Screen, read, texts};
use compactscope::app::action::{Growth, Msg};
use compactscope::app::key::Key;
use compactscope::session::Session;
use compactscope::ui::{Palette, Theme};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Style};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

/// A short working day on parcel weights: every outcome of this version, every kind of row, and
/// a line that nobody can read.
fn parcels() -> Session {
    let mut log = Log::default();
    log.user("The weights on our parcel labels are off by a gram now and then. Find out why.");
    log.thinks("Start with the failing test.", "I will run the suite first.");
    log.runs("toolu_01", "Bash", json!({"command": "pytest -q tests"}), &suite("FAILED"));
    log.runs("toolu_02", "Read", json!({"file_path": "/work/parcels/weight.py"}), WEIGHT_PY);
    log.says(&report());
    log.call("toolu_03", "Edit", edit());
    log.result("toolu_03", "weight.py is not writable", true);
    log.record("user", json!([
        {"type": "text", "text": "<ide_selection>weight.py, line 3</ide_selection>"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}},
    ]));
    log.says("I will run the suite again and compare 重さ with the label.");
    *log.record("assistant", json!([{"type": "text", "text": "Looking at the scale driver."}])) =
        side_chain();
    log.runs("toolu_04", "Bash", json!({"command": "git diff"}), DIFF);
    log.says("I will run the suite again and compare 重さ with the label.");
    log.runs("toolu_05", "Bash", json!({"command": "pytest -q tests"}), &suite("FAILED"));
    log.user("What did you change?");
    log.says("Weights are rounded once now, when the label is printed.");
    let mut lines = log.jsonl();
    lines.push_str("{\"type\": \"assistant\", \"message\": {\"role\": \"assist");
    read(lines.as_bytes())
}

fn side_chain() -> serde_json::Value {
    json!({
        "type": "assistant", "uuid": "side", "sessionId": "s-1", "isSidechain": true,
        "message": {"role": "assistant", "content": [{"type": "text", "text": "Looking at the scale driver."}]},
    })
}

fn suite(last: &str) -> String {
    let passed: String =
        (1..=14).map(|number| format!("tests/test_weight.py::test_{number} ok\n")).collect();
    format!("{passed}tests/test_label.py::test_gram {last}\n")
}

const WEIGHT_PY: &str = "     1\tdef weight(parcel):\n     2\t    # grams\n     3\t    \
return round(parcel.raw * 1000, 0)\n";

const DIFF: &str = "diff --git a/weight.py b/weight.py\n@@ -1,3 +1,3 @@\n def weight(parcel):\n\
-    return round(parcel.raw * 1000, 0)\n+    return parcel.raw * 1000\n";

fn report() -> String {
    "Every weight is rounded twice: once when it is read and once when it is printed. ".repeat(9)
}

fn edit() -> serde_json::Value {
    json!({"file_path": "/work/parcels/weight.py", "old_string": "round(x, 0)", "new_string": "x"})
}

const SETTINGS: [(&str, &str); 4] = [
    ("budget_chars", "45%"),
    ("max_message_chars", "240"),
    ("keep_last_n", "2"),
    ("preserve_recent", "2"),
];

/// A long day: a read and a long run from its morning, both of which the rules may take away.
fn long_day() -> Session {
    let mut log = Log::default();
    log.user("The weights on our parcel labels are off by a gram now and then. Find out why.");
    log.runs("toolu_01", "Read", json!({"file_path": "/work/parcels/weight.py"}), WEIGHT_PY);
    log.runs("toolu_02", "Bash", json!({"command": "make all"}), &suite("ok").repeat(12));
    log.runs("toolu_03", "Bash", json!({"command": "make twice"}), "nothing to do");
    for number in 1..=45 {
        log.says(&format!("Label {number} is checked against scale {}.", number * 7));
    }
    log.runs("toolu_04", "Bash", json!({"command": "true"}), "done");
    log.session()
}

/// Both sizes of a screen after some keys, with their styles.
fn screens(keys: &str, palette: Palette) -> String {
    screens_of(parcels, &SETTINGS, keys, palette)
}

fn screens_of(
    session: fn() -> Session,
    settings: &[(&str, &str)],
    keys: &str,
    palette: Palette,
) -> String {
    let mut out = String::new();
    for size in [(80, 24), (120, 40)] {
        let mut screen = Screen::open(session(), settings, size);
        screen.press(keys);
        let buffer = screen.0.draw(Theme::new(palette));
        writeln!(out, "── {}x{} ──", size.0, size.1).unwrap();
        out.push_str(&text(&buffer));
        out.push_str(&styles(&buffer));
    }
    out
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = Vec<&Cell>> {
    (0..buffer.area.height)
        .map(|y| (0..buffer.area.width).map(|x| &buffer[(x, y)]).collect::<Vec<_>>())
}

/// What stands in the cells; one that a wide character reaches into is left out.
fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for row in rows(buffer) {
        let mut covered = 0;
        let mut line = String::new();
        for cell in row {
            if covered == 0 {
                line.push_str(cell.symbol());
                covered = cell.symbol().width().max(1);
            }
            covered -= 1;
        }
        writeln!(out, "{}", line.trim_end()).unwrap();
    }
    out
}

/// A letter for each cell's style, a dot for the terminal's own, and what the letters mean.
fn styles(buffer: &Buffer) -> String {
    let mut letters: BTreeMap<String, char> = BTreeMap::new();
    let mut free = ('a'..='z').chain('A'..='Z');
    let mut out = String::new();
    for row in rows(buffer) {
        let line: String = row
            .iter()
            .map(|cell| match name(cell.style()) {
                name if name.is_empty() => '.',
                name => *letters.entry(name).or_insert_with(|| free.next().unwrap()),
            })
            .collect();
        writeln!(out, "{}", line.trim_end_matches('.')).unwrap();
    }
    let mut legend: Vec<_> = letters.into_iter().map(|(name, letter)| (letter, name)).collect();
    legend.sort();
    for (letter, name) in legend {
        writeln!(out, "{letter} {name}").unwrap();
    }
    out
}

fn name(style: Style) -> String {
    let colors = [("", style.fg), ("on ", style.bg)];
    let colors = colors.into_iter().filter_map(|(on, color)| {
        color.filter(|&color| color != Color::Reset).map(|color| format!("{on}{color}"))
    });
    let modifiers = style.add_modifier.iter_names().map(|(name, _)| name.to_lowercase());
    colors.chain(modifiers).collect::<Vec<_>>().join(" ")
}

macro_rules! screens {
    ($($name:ident: $keys:literal, $palette:ident;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), screens($keys, Palette::$palette));
        }
    )*};
}

screens! {
    opening: "", Ansi;
    next_changed_entry: "c", Ansi;
    detail_of_a_trimmed_entry: "F5'<enter>jj", Ansi;
    detail_of_a_deduped_entry: "F3'", Ansi;
    help: "?", Ansi;
    knob_list: "Kj+", Ansi;
    filter_by_outcome: "F6j", Ansi;
    search: "/round<enter>n", Ansi;
    refused_value: ":<c-u>7<enter>", Ansi;
    mono_palette: "F5'", Mono;
}

#[test]
fn detail_of_a_stash_pointer() {
    let settings = [("budget_chars", "off")];
    insta::assert_snapshot!(screens_of(long_day, &settings, "c", Palette::Ansi));
}

#[test]
fn detail_of_a_result_that_keeps_its_ends() {
    let settings = [("budget_chars", "off"), ("rules_mode", "lossy")];
    insta::assert_snapshot!(screens_of(long_day, &settings, "F5'", Palette::Ansi));
}

#[test]
fn consent_before_the_session_is_sent_away() {
    let settings = [("budget_chars", "off"), ("provider", "jev")];
    insta::assert_snapshot!(screens_of(long_day, &settings, "", Palette::Ansi));
}

#[test]
fn the_badge_and_a_refusal_are_seen_on_a_narrow_screen() {
    for width in [60, 80, 120] {
        let mut screen = Screen::open(parcels(), &SETTINGS, (width, 24));
        screen.press("b:<c-u>7<enter>");
        let shown = text(&screen.0.draw(Theme::default()));
        assert!(shown.lines().next().unwrap().ends_with("✓ verified"), "{shown}");
        assert!(shown.lines().last().unwrap().contains("budget_chars: 7"), "{shown}");
        assert!(shown.lines().last().unwrap().contains(" is too small"), "{shown}");
    }
}

fn rows_of(screen: &Screen) -> Vec<String> {
    text(&screen.0.draw(Theme::default())).lines().map(str::to_owned).collect()
}

#[test]
fn a_row_of_knobs_that_is_cut_says_so_at_either_end() {
    let mut screen = Screen::open(parcels(), &SETTINGS, (80, 24));
    let ends = |screen: &Screen| {
        let row = rows_of(screen)[22].clone();
        (row.starts_with('…'), row.ends_with('…'))
    };
    screen.0.model.knob = 0;
    assert_eq!(ends(&screen), (false, true));
    screen.0.model.knob = 8;
    assert_eq!(ends(&screen), (true, true));
    screen.0.model.knob = 19;
    assert_eq!(ends(&screen), (true, false));
}

#[test]
fn what_there_is_to_say_takes_two_rows_where_one_is_too_short() {
    let mut screen = Screen::open(parcels(), &SETTINGS, (80, 24));
    let words = "jev: no API key; set TYPESAFE_API_KEY or write it to /home/somebody/.config/file; \
                 the tool-call pass keeps every call";
    screen.0.model.status = Some(words.into());
    let rows = rows_of(&screen);
    assert_eq!(format!("{} {}", rows[22].trim(), rows[23].trim()), words);
    screen.0.model.status = Some("word ".repeat(100));
    assert!(rows_of(&screen)[23].ends_with('…'));
}

#[test]
fn the_sums_and_the_mode_of_a_large_session_have_room() {
    let mut log = Log::default();
    for number in 0..1_200 {
        let id = format!("toolu_{number}");
        log.runs(&id, "Bash", json!({"command": id}), &"one more line of it\n".repeat(60));
    }
    let session = log.session();
    for (width, shown) in [
        (120, &[" tok", "rules · stashed", "2,400 messages"][..]),
        (80, &[" tok", "2.4k messages", "1.2k calls"]),
    ] {
        let screen = Screen::open(session.clone(), &[("budget_chars", "off")], (width, 24));
        let row = &rows_of(&screen)[1];
        for part in shown {
            assert!(row.contains(part), "no `{part}` in {row}");
        }
    }
}

#[test]
fn a_slow_plan_is_seen_on_a_narrow_screen() {
    let mut screen = Screen::open(parcels(), &SETTINGS, (80, 24));
    screen.0.model.is_slow = true;
    assert!(rows_of(&screen)[0].ends_with("deciding…"), "{:?}", rows_of(&screen)[0]);
}

#[test]
fn the_knob_list_cuts_no_value_that_fits() {
    let screen = |width| {
        let mut screen = Screen::open(parcels(), &SETTINGS, (width, 40));
        screen.press("K");
        rows_of(&screen).join("\n")
    };
    let narrow = screen(80);
    assert!(!narrow.contains("what the rules may do"), "half a help is none:\n{narrow}");
    assert!(narrow.contains("default system"), "{narrow}");
    let wide = screen(120);
    for setting in compactscope::compact::settings::SETTINGS {
        assert!(wide.contains(setting.help), "{}:\n{wide}", setting.help);
    }
}

#[test]
fn the_number_of_a_long_trail_is_seen_in_the_why_pane() {
    let mut log = Log::default();
    let id = |number: usize| format!("toolu_with_a_name_that_leaves_little_room_{number}");
    log.user("Read the weights.");
    for number in 0..30 {
        log.runs(
            &id(number),
            "Read",
            json!({"file_path": "/work/parcels/weight.py"}),
            &suite(&number.to_string()),
        );
    }
    let settings = [("budget_chars", "off"), ("rules_mode", "lossy")];
    let mut screen = Screen::open(log.session(), &settings, (120, 40));
    screen.press("c");
    let shown = rows_of(&screen).join("\n");
    assert!(shown.contains("superseded_by_later_call"), "{shown}");
    let removed =
        screen.model().plan.as_ref().unwrap().decisions[screen.cursor() - 1].steps[0].removed;
    assert!(shown.contains(&format!("−{removed} chars")), "{shown}");
}

#[test]
fn the_prompt_tells_all_that_a_provider_may_be_on_a_narrow_screen() {
    let mut screen = Screen::open(parcels(), &SETTINGS, (80, 24));
    screen.0.model.knob = 1;
    screen.press(":");
    let row = rows_of(&screen)[23].clone();
    assert!(row.contains("takes auto, specialist-v3, rules, jev, laya (deprecated)"), "{row}");
}

#[test]
fn consent_names_the_address() {
    let settings = [("budget_chars", "off"), ("provider", "jev")];
    let screen = Screen::open(parcels(), &settings, (80, 24));
    let shown = rows_of(&screen).join(" ");
    assert!(shown.contains("https://api.typesafe.ai/v1/systemone"), "{shown}");
}

#[test]
fn the_mono_palette_draws_no_colour_anywhere() {
    for keys in ["", "?", "K", "t", "R", "F", "/round", ":x<enter>", "F3'<enter>", "3Gz<tab>"] {
        let mut screen = Screen::open(parcels(), &SETTINGS, (120, 40));
        screen.press(keys);
        let buffer = screen.0.draw(Theme::new(Palette::Mono));
        for cell in buffer.content() {
            assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "after `{keys}`");
        }
    }
}

#[test]
fn nothing_of_a_session_reaches_the_screen_as_a_control_character() {
    let mut log = Log::default();
    log.user("red \u{1b}[31m, a bell \u{7}, back \u{8}\r\n, right to left \u{202e}txet");
    log.call("id\u{1b}]0;title\u{7}", "Ba\u{1b}[2Jsh", json!({"command": "printf '\u{9b}31m'"}));
    log.result("id\u{1b}]0;title\u{7}", "\u{1b}Pq\u{1b}\\ \u{0}\u{200b}end", true);
    let session = log.session();
    for keys in ["", "j", "jj", "t", "/\u{7f}", "jo<enter>", "R"] {
        let mut screen = Screen::open(session.clone(), &SETTINGS, (80, 24));
        screen.press(keys);
        let shown = text(&screen.0.draw(Theme::default()));
        let bad = |c: &char| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{202e}').contains(c);
        assert_eq!(shown.chars().find(bad), None, "after `{keys}`:\n{shown}");
    }
}

// ---- any size ----

/// Keys that lead through every pane, list and prompt; what is open at the end of one is open
/// when the next begins.
const TOUR: [&str; 14] = [
    "jG12gc<c-d><pgup>",
    "<tab>jj<c-d>Gg",
    "<tab>jjk<tab>",
    "z<tab>jz<esc>",
    "wll<right>hw",
    "?jjG/undo<enter>k<esc>",
    "K>+3{:<c-u>7<enter>",
    "<esc><esc>tjjG<enter>'",
    "RjG<esc>",
    "/round<left>x<backspace><enter>nN",
    "F5F",
    "6'3",
    "0j<space>b+u<c-r>xXmpQr",
    ":long long long long long long<home><end><enter><esc>",
];

fn tour(screen: &mut Screen, (width, height): (u16, u16)) {
    screen.0.take(Msg::Resized { width, height });
    let draw = |screen: &Screen| {
        let buffer = screen.0.draw(Theme::default());
        assert_eq!((buffer.area.width, buffer.area.height), (width, height));
    };
    draw(screen);
    for key in TOUR.iter().flat_map(|keys| Key::parse_all(keys).unwrap()) {
        screen.0.press(&[key]);
        draw(screen);
    }
    for (column, row) in [(0, 0), (width / 2, height / 2), (width.wrapping_sub(1), height)] {
        screen.0.take(Msg::Wheel { column, row, notches: 3 });
        screen.0.take(Msg::Click { column, row });
        screen.0.take(Msg::Wheel { column, row, notches: -3 });
        draw(screen);
    }
    screen.press("<esc><esc><esc><esc>'X");
    assert!(!screen.0.has_quit());
}

fn sizes() -> impl Iterator<Item = (u16, u16)> {
    let small = (0..=6).flat_map(|width| (0..=6).map(move |height| (width, height)));
    small.chain([(20, 6), (1, 200), (300, 2), (200, 60), (80, 24)])
}

#[test]
fn every_size_is_drawn_whatever_is_open() {
    let mut screen = Screen::open(parcels(), &SETTINGS, (80, 24));
    sizes().for_each(|size| tour(&mut screen, size));
}

#[test]
fn a_session_without_entries_is_drawn_in_every_size() {
    let mut noise = Log::default();
    noise.record("progress", json!(null));
    let mut screen = Screen::open(noise.session(), &SETTINGS, (80, 24));
    assert_eq!(screen.listed(), [] as [usize; 0]);
    sizes().for_each(|size| tour(&mut screen, size));
}

#[test]
fn a_screen_that_shrinks_under_what_is_open_is_drawn() {
    for keys in ["?", "K", "t", "R", "/round", ":", "F", "z", "<tab>z", "<tab><tab>", "G", "12"] {
        let mut screen = Screen::open(parcels(), &SETTINGS, (120, 40));
        screen.press(keys);
        for (width, height) in sizes() {
            screen.0.take(Msg::Resized { width, height });
            screen.0.draw(Theme::default());
        }
    }
}

#[test]
fn a_session_that_grows_or_shrinks_is_drawn_before_its_plan_has_come() {
    let mut screen = Screen::open(texts(30).session(), &SETTINGS, (80, 24));
    screen.press("G");
    for count in [40, 3, 0, 25] {
        let session = std::sync::Arc::new(if count > 0 { texts(count).session() } else { empty() });
        let grown = Msg::Grown { session, how: Growth::Reread("the file was replaced") };
        compactscope::app::update(&mut screen.0.model, grown);
        screen.0.draw(Theme::default());
    }
}

fn empty() -> Session {
    let mut noise = Log::default();
    noise.record("progress", json!(null));
    noise.session()
}
