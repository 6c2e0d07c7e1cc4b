//! What keys and messages do to the screen's state, as tables: keys as `snapshot --keys` takes
//! them, the number of the entry under the cursor then, and of the entry in the first row.

#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::{Log, Screen, texts};
use compactscope::app::action::{Effect, Growth, Msg, Watching};
use compactscope::app::key::Key;
use compactscope::app::model::{Model, Overlay};
use compactscope::app::panes::Pane;
use compactscope::app::update::Effects;
use compactscope::app::{open, update};
use compactscope::compact::plan::{Known, Outcome, plan};
use compactscope::compact::settings::{Budget, Provider, RulesMode};
use compactscope::compact::{Features, Pins};
use compactscope::shell::headless::Headless;
use serde_json::json;

const OFF: [(&str, &str); 1] = [("budget_chars", "off")];

/// A hundred texts that nothing happens to, in a window of ten rows.
fn hundred() -> Screen {
    Screen::with_rows(texts(100).session(), &OFF, 10)
}

/// Every outcome of this version at numbers that are easy to name.
///
/// 1 the task, 2 and 3 a file that is read, 4 chat, 5 a text that 9 says again, 6 a long text,
/// 7 and 8 a run whose output 10 and 11 have again, 12 the newest question.
fn story() -> Log {
    let mut log = Log::default();
    log.user("Parcel weights are rounded wrongly. Find out why.");
    log.runs("a", "Read", json!({"file_path": "/work/parcels/weights.py"}), &source());
    log.says("Nothing odd in there so far, as far as one can see.");
    log.says("I will look at the rounding of every weight table now.");
    log.says(&"The weights come from three different tables. ".repeat(12));
    log.runs("b", "Bash", json!({"command": "run the suite"}), &suite_output());
    log.says("I will look at the rounding of every weight table now.");
    log.runs("c", "Bash", json!({"command": "run the suite"}), &suite_output());
    log.user("Is the rounding half even?");
    log
}

fn suite_output() -> String {
    (1..=12).map(|number| format!("test_weight_{number} ... ok\n")).collect()
}

fn source() -> String {
    (1..=4).map(|number| format!("def weight_{number}(parcel): return parcel.raw\n")).collect()
}

const STORY_SETTINGS: [(&str, &str); 5] = [
    ("rules_mode", "lossless"),
    ("budget_chars", "50%"),
    ("max_message_chars", "200"),
    ("keep_last_n", "1"),
    ("preserve_recent", "1"),
];

fn story_screen() -> Screen {
    let screen = Screen::with_rows(story().session(), &STORY_SETTINGS, 10);
    assert_eq!(screen.outcomes(), "Pxxx.~.==..P", "the story is another one");
    screen
}

// ---- motions ----

#[test]
fn the_cursor_moves_by_rows_pages_and_numbers_and_the_window_follows() {
    hundred().walk(&[
        ("j", 2, 1),
        ("3j", 5, 1),
        ("k", 4, 1),
        ("10j", 14, 7),
        ("5k", 9, 7),
        ("<down><up>", 9, 7),
        ("<c-d>", 14, 7),
        ("<c-u>", 9, 7),
        ("<pgdn>", 19, 12),
        ("<pgup>", 9, 7),
        ("2<c-d>", 19, 12),
        ("<c-f><c-b>", 19, 17),
        ("G", 100, 91),
        ("j", 100, 91),
        ("2k", 98, 91),
        ("g", 1, 1),
        ("k", 1, 1),
        ("12G", 12, 5),
        ("40g", 40, 33),
        ("999G", 100, 91),
        ("<home>", 1, 1),
        ("<end>", 100, 91),
    ]);
}

#[test]
fn a_count_is_used_once_and_given_up_with_an_unbound_key() {
    hundred().walk(&[("7", 1, 1), ("j", 8, 1), ("j", 9, 2), ("5Zj", 10, 3), ("0j", 11, 4)]);
}

#[test]
fn a_count_of_any_size_moves_to_the_end_and_no_further() {
    let nines = "9".repeat(25);
    let middle = (1_u64 << 63).to_string();
    hundred().walk(&[
        (&format!("{nines}j"), 100, 91),
        (&format!("{nines}k"), 1, 1),
        (&format!("{middle}j"), 100, 91),
        (&format!("{middle}k"), 1, 1),
        (&format!("{nines}<c-d>"), 100, 91),
        (&format!("{middle}<pgup>"), 1, 1),
        (&format!("{nines}G"), 100, 91),
    ]);
}

#[test]
fn counts_of_any_size_do_no_harm_to_knobs_lists_and_searches() {
    for number in ["99999999999999999999999", "9223372036854775808"] {
        let mut screen = story_screen();
        for keys in ["+", "-", "{", "}", ">", "<lt>", "c", "C", "n", "N", "l", "h"] {
            screen.press(&format!("{number}{keys}"));
        }
        screen.press(&format!("/weight<enter>{number}n{number}N<tab>{number}j{number}k"));
        screen.press(&format!("?{number}j{number}k<esc>K{number}j{number}l{number}h<esc>"));
        screen.press(&format!("t{number}j{number}k<esc>"));
    }
}

#[test]
fn changed_entries_are_walked_in_both_directions() {
    let mut screen = story_screen();
    screen.walk(&[("c", 2, 1), ("c", 3, 1), ("2c", 6, 1), ("C", 4, 1), ("3C", 4, 1)]);
    assert_eq!(screen.status(), "nothing is changed before this entry");
    screen.walk(&[("G", 12, 3), ("c", 12, 3)]);
    assert_eq!(screen.status(), "nothing is changed after this entry");
    screen.walk(&[("C", 9, 3), ("5C", 2, 1)]);
}

// ---- filters ----

#[test]
fn a_filter_by_outcome_lists_that_outcome_alone() {
    let expected: [(&str, &[usize]); 6] = [
        ("F1", &[5, 7, 10, 11]),
        ("F2", &[1, 12]),
        ("F3", &[8, 9]),
        ("F4", &[]),
        ("F5", &[6]),
        ("F6", &[2, 3, 4]),
    ];
    for (keys, listed) in expected {
        let mut screen = story_screen();
        screen.press(keys);
        assert_eq!(screen.listed(), listed, "{keys}");
        screen.press("'");
        assert_eq!(screen.listed().len(), 12);
    }
}

#[test]
fn the_cursor_keeps_its_entry_through_a_filter_or_takes_the_next_one() {
    story_screen().walk(&[
        ("3GF6", 3, 2),
        ("'", 3, 1),
        ("F5", 6, 6),
        ("'", 6, 3),
        ("9GF6", 4, 2),
        ("k", 3, 2),
        ("<esc>", 3, 1),
    ]);
}

#[test]
fn a_filter_that_lets_nothing_through_loses_no_place() {
    let mut screen = story_screen();
    screen.walk(&[("8G", 8, 1), ("F4", 0, 0)]);
    assert_eq!(screen.status(), "no entry is pointer; ' turns the filter off");
    screen.walk(&[("jkGgcCno<c-d>", 0, 0), ("'", 8, 3)]);
}

#[test]
fn a_filter_is_not_taken_by_another_key() {
    let mut screen = story_screen();
    screen.walk(&[("Fj", 1, 1), ("F<esc>", 1, 1), ("j", 2, 1)]);
    assert!(!screen.model().filter.is_on());
}

#[test]
fn a_role_or_a_tool_is_chosen_from_a_list() {
    let mut screen = story_screen();
    screen.press("t<enter>");
    assert_eq!(screen.listed(), [1, 12], "users come first");
    screen.press("'tj<enter>");
    assert_eq!(screen.listed(), [2, 4, 5, 6, 7, 9, 10], "assistant");
    screen.press("'tG<enter>");
    assert_eq!(screen.listed(), [2, 3], "the last is the tool Read");
    screen.press("F6");
    assert_eq!(screen.listed(), [2, 3], "both filters hold");
    screen.press("F3");
    assert_eq!(screen.listed(), [] as [usize; 0]);
    screen.press("'tj<esc>");
    assert_eq!((screen.listed().len(), &screen.model().overlay), (12, &None));
}

// ---- search ----

#[test]
fn a_search_goes_to_the_first_match_and_round_the_end() {
    let mut screen = story_screen();
    screen.walk(&[("/rounding", 5, 1), ("<enter>", 5, 1), ("n", 9, 2), ("n", 12, 3)]);
    assert_eq!(screen.status(), "");
    screen.press("n");
    assert_eq!((screen.cursor(), screen.status()), (5, "the search went round the end"));
    screen.walk(&[("N", 12, 3), ("2N", 5, 3), ("2n", 12, 3)]);
    assert_eq!(screen.model().search.matches, [4, 8, 11]);
}

#[test]
fn a_search_begins_at_the_cursor_and_is_given_up_where_it_began() {
    let mut screen = story_screen();
    screen.walk(&[
        ("6G", 6, 1),
        ("/rounding", 9, 2),
        ("<esc>", 6, 2),
        ("/suite", 7, 2),
        ("<backspace><backspace><backspace><backspace><backspace><backspace>", 6, 2),
        ("n", 6, 2),
    ]);
    assert_eq!(screen.status(), "nothing is searched for; / begins a search");
}

#[test]
fn case_counts_in_a_search_once_a_capital_is_typed() {
    let mut screen = story_screen();
    for (pattern, matches) in
        [("is the", vec![11]), ("Is the", vec![11]), ("IS the", vec![]), ("bash", vec![6, 9])]
    {
        screen.press(&format!("/{pattern}<enter>"));
        assert_eq!(screen.model().search.matches, matches, "{pattern}");
    }
}

#[test]
fn what_is_not_found_moves_nothing_and_says_so() {
    let mut screen = story_screen();
    screen.walk(&[("5G", 5, 1), ("/no such words<enter>", 5, 1)]);
    assert_eq!(screen.status(), "not found");
    screen.walk(&[("n", 5, 1), ("<esc>", 5, 1), ("/x<c-u><enter>", 5, 1)]);
    assert_eq!(screen.status(), "", "nothing was searched for");
    assert_eq!(screen.model().search.pattern, "");
}

#[test]
fn matches_behind_a_filter_are_left_out() {
    let mut screen = story_screen();
    screen.walk(&[
        ("F6/weight<enter>", 2, 2),
        ("n", 3, 2),
        ("n", 2, 2),
        ("F5n", 6, 6),
        ("F2n", 1, 1),
    ]);
    screen.press("'F3/odd<enter>n");
    assert_eq!(screen.status(), "every match is hidden by the filter; ' turns it off");
}

// ---- jumps and panes ----

#[test]
fn a_duplicate_leads_to_its_original_and_back() {
    let mut screen = story_screen();
    screen.walk(&[
        ("8Go", 11, 3),
        ("<c-o>", 8, 3),
        ("9Go", 5, 3),
        ("<c-o>", 9, 3),
        ("2Go", 3, 1),
        ("o", 2, 1),
        ("<c-o><c-o>", 2, 1),
    ]);
    screen.press("4Go");
    assert_eq!((screen.cursor(), screen.status()), (4, "it names no other entry"));
}

#[test]
fn a_jump_out_of_a_filter_turns_it_off() {
    let mut screen = story_screen();
    screen.walk(&[("F3", 8, 8), ("o", 11, 3)]);
    assert_eq!(screen.status(), "the filter is off: it hid that entry");
    screen.walk(&[("<c-o>", 8, 3)]);
}

#[test]
fn keys_go_to_the_pane_that_has_the_focus() {
    let mut screen = story_screen();
    screen.walk(&[("8G<tab>", 8, 1), ("j", 8, 1)]);
    assert_eq!((screen.model().focus, screen.model().detail.top), (Pane::Detail, (1, 0)));
    screen.walk(&[("<tab>", 8, 1), ("jj", 8, 1)]);
    assert_eq!((screen.model().focus, screen.model().why_top), (Pane::Why, 2));
    screen.walk(&[("<tab>j", 9, 2)]);
    assert_eq!(screen.model().why_top, 0, "another entry is explained from its start");
    screen.walk(&[("<s-tab>", 9, 2)]);
    assert_eq!(screen.model().focus, Pane::Why);
    screen.walk(&[("<esc>j", 10, 3), ("<enter>j", 10, 3), ("<esc>j", 11, 3)]);
}

#[test]
fn a_zoomed_pane_has_the_whole_screen_and_gives_it_back() {
    let mut screen = hundred();
    screen.walk(&[("50Gz", 50, 43)]);
    assert!(screen.model().panes().detail.is_empty());
    screen.walk(&[("z", 50, 43), ("<tab>z", 50, 43)]);
    assert!(screen.model().panes().list.is_empty());
    screen.walk(&[("+", 50, 43), ("z", 50, 43)]);
    assert_eq!((screen.model().focus, screen.model().zoomed), (Pane::Detail, false));
    screen.walk(&[("z<esc>", 50, 43), ("<esc>j", 51, 44)]);
}

#[test]
fn the_window_follows_the_cursor_to_another_size() {
    let mut screen = hundred();
    screen.walk(&[("50G", 50, 43)]);
    let (width, height) = screen.model().size;
    for (width, height) in
        [(width, height - 6), (width, height + 50), (79, 24), (0, 0), (width, height)]
    {
        screen.0.take(Msg::Resized { width, height });
        let (top, rows) = (screen.top(), screen.model().list_height());
        assert_eq!(screen.cursor(), 50);
        let seen = (top..top + rows).contains(&50);
        assert!(seen || rows == 0, "{width}x{height} begins at {top}");
    }
}

#[test]
fn the_focus_is_never_on_a_pane_that_has_no_room() {
    let mut screen = hundred();
    let small = Msg::Resized { width: 40, height: 8 };
    screen.press("<tab><tab>");
    screen.0.take(small);
    assert_eq!(screen.model().focus, Pane::List);
    screen.press("j<tab>j");
    assert_eq!((screen.model().focus, screen.cursor()), (Pane::List, 3));
    screen.press("<enter>");
    assert!(!screen.model().panes().detail.is_empty(), "Enter shows the detail alone");
    screen.press("<esc>j");
    assert_eq!((screen.model().focus, screen.cursor()), (Pane::List, 4));
}

#[test]
fn the_wheel_and_clicks_go_to_what_is_under_the_pointer() {
    let mut screen = hundred();
    let list = screen.model().panes().list;
    let (column, row) = (list.x + 3, list.y + 1);
    screen.0.take(Msg::Wheel { column, row, notches: 2 });
    assert_eq!((screen.cursor(), screen.top()), (9, 7));
    screen.0.take(Msg::Wheel { column, row, notches: -1 });
    assert_eq!((screen.cursor(), screen.top()), (9, 4));
    screen.0.take(Msg::Click { column, row: row + 4 });
    assert_eq!((screen.cursor(), screen.top()), (8, 4));
    let detail = screen.model().panes().detail;
    screen.0.take(Msg::Click { column: detail.x + 2, row: detail.y + 2 });
    assert_eq!((screen.model().focus, screen.cursor()), (Pane::Detail, 8));
    screen.0.take(Msg::Click { column: 0, row: 0 });
    assert_eq!(screen.model().focus, Pane::Detail);
}

// ---- knobs ----

fn chars_after(screen: &Screen) -> usize {
    screen.model().plan.as_ref().unwrap().chars[1]
}

#[test]
fn a_knob_is_chosen_nudged_undone_redone_and_reset() {
    let mut screen = story_screen();
    let budget = |screen: &Screen| screen.model().settings.budget_chars;
    let steps = [
        ("+", Budget::Percent(51)),
        ("3+", Budget::Percent(54)),
        ("-", Budget::Percent(53)),
        ("{", Budget::Percent(43)),
        ("2}", Budget::Percent(63)),
        ("99+", Budget::Percent(100)),
        ("+", Budget::Percent(100)),
        ("b", Budget::Percent(75)),
        ("b", Budget::Percent(50)),
        ("u", Budget::Percent(75)),
        ("u", Budget::Percent(100)),
        ("uu", Budget::Percent(43)),
        ("<c-r>", Budget::Percent(63)),
        ("x", Budget::Percent(50)),
        ("<c-r>", Budget::Percent(50)),
        ("u", Budget::Percent(63)),
        ("X", Budget::Percent(50)),
    ];
    for (keys, expected) in steps {
        screen.press(keys);
        assert_eq!(budget(&screen), expected, "after `{keys}`: {}", screen.status());
        assert_eq!(screen.model().landed, screen.model().asked);
    }
    let before = chars_after(&screen);
    screen.press("20-");
    assert!(chars_after(&screen) < before, "fewer characters stay within a smaller budget");
    screen.press("u");
    assert_eq!(chars_after(&screen), before);
}

#[test]
fn a_knob_that_changes_nothing_says_why() {
    let mut screen = story_screen();
    screen.press(":100%<enter>+");
    assert_eq!(
        screen.status(),
        "budget_chars is at its highest: it takes off, 1% to 100% of the session, or 100 and more characters"
    );
    screen.press("-");
    assert_eq!(screen.status(), "budget_chars 99%: nothing changes, the budget is met already");
    screen.press(":2%<enter>-");
    assert_eq!(screen.status(), "budget_chars 1%: nothing changes, all that is left is protected");
    screen.press(":100%<enter>>:9000<enter>+");
    assert_eq!(screen.status(), "max_message_chars 9100: nothing changes, the plan is the same");
    screen.press("<lt>:30%<enter>");
    assert_eq!(screen.status(), "", "this one cuts");
}

#[test]
fn the_mode_key_under_another_provider_gives_the_calls_back_to_the_rules_and_says_so() {
    let mut screen = story_screen();
    let mode = screen.model().settings.rules_mode;
    screen.press("pm");
    assert_eq!(screen.model().settings.provider, Provider::Rules);
    assert_eq!(screen.model().settings.rules_mode, mode);
    let said = format!("the rules decide, in mode {}; m again turns it", mode.name());
    assert_eq!(screen.status(), said);
}

#[test]
fn a_plan_that_is_long_in_coming_is_told_of_until_it_lands() {
    let mut model = common::model(story().session(), &[], (80, 24));
    open(&mut model);
    update(&mut model, Msg::Slow);
    assert!(model.is_slow);
    let mut screen = Screen(Headless::open(model));
    assert!(!screen.model().is_slow, "the plan has landed");
    screen.0.take(Msg::Slow);
    assert!(!screen.model().is_slow, "nothing is being decided");
}

#[test]
fn undo_and_redo_say_what_they_change_and_when_there_is_nothing() {
    let mut screen = story_screen();
    screen.press("u");
    assert_eq!(screen.status(), "nothing to undo");
    screen.press("b>+u");
    assert_eq!(screen.status(), "undone: max_message_chars 200");
    screen.press("u");
    assert_eq!(screen.status(), "undone: budget_chars 50%");
    screen.press("<c-r><c-r><c-r>");
    assert_eq!(screen.status(), "nothing to redo");
    assert_eq!(screen.model().settings.max_message_chars, 300);
}

#[test]
fn a_value_is_typed_or_refused_and_asked_for_again() {
    let mut screen = story_screen();
    screen.press(":<c-u>12,000<enter>");
    assert_eq!(screen.model().settings.budget_chars, Budget::Chars(12_000));
    screen.press(":<c-u>7<enter>");
    let prompt = screen.model().prompt.as_ref().unwrap();
    assert_eq!(
        prompt.error.as_deref(),
        Some("is too small; it takes off, 1% to 100% of the session, or 100 and more characters")
    );
    screen.press("00");
    assert_eq!(screen.model().prompt.as_ref().unwrap().error, None);
    screen.press("<enter>");
    assert_eq!(screen.model().settings.budget_chars, Budget::Chars(700));
    screen.press(":<c-u>nonsense<enter><esc>");
    assert_eq!(
        (screen.model().settings.budget_chars, &screen.model().prompt.is_some()),
        (Budget::Chars(700), &false)
    );
    screen.press("u");
    assert_eq!(screen.model().settings.budget_chars, Budget::Chars(12_000));
}

#[test]
fn the_first_press_on_a_request_of_texts_lets_the_rules_decide_and_the_next_turns_their_mode() {
    let request =
        br#"{"messages": [{"role": "user", "content": "Weigh it."}], "budget_chars": 400}"#;
    let mut screen = Screen::open(common::read(request), &[], (120, 40));
    assert!(!screen.model().settings.tool_pass);
    screen.press("m");
    assert!(screen.model().settings.tool_pass);
    assert_eq!(screen.model().settings.rules_mode, RulesMode::Lossless);
    for mode in ["recoverable", "stashed", "lossy", "lossless"] {
        screen.press("m");
        assert_eq!(screen.model().settings.rules_mode.name(), mode);
    }
    screen.press("p");
    assert_eq!(screen.model().settings.provider, Provider::Auto);
    screen.press("m");
    assert_eq!(screen.model().settings.provider, Provider::Rules);
    assert_eq!(screen.model().settings.rules_mode, RulesMode::Lossless, "the mode as it was");
}

#[test]
fn the_knob_list_nudges_sideways_and_closes() {
    let mut screen = story_screen();
    screen.press("Kll");
    assert_eq!(screen.model().settings.budget_chars, Budget::Percent(52));
    screen.press("jh");
    assert_eq!(screen.model().settings.max_message_chars, 100);
    screen.press("hh");
    assert_eq!(screen.model().settings.max_message_chars, 80, "the least it takes");
    assert_eq!(screen.model().overlay, Some(Overlay::Knobs));
    screen.press("K");
    assert_eq!(screen.model().overlay, None);
}

#[test]
fn a_typed_question_is_no_longer_the_entrys_that_it_was_taken_from() {
    let mut screen = story_screen();
    let question = |screen: &Screen| screen.model().settings.question.clone();
    assert_eq!(question(&screen), "Is the rounding half even?");
    assert_eq!(screen.model().settings.question_from, Some(11));
    screen.press("K6j:<c-u>weights<enter>");
    assert_eq!(question(&screen), "weights");
    assert_eq!(screen.model().settings.question_from, None);
    screen.press("<esc>Q");
    assert_eq!(screen.model().settings.question_from, Some(11));
}

// ---- pins ----

#[test]
fn a_pin_protects_an_entry_with_its_other_half_until_it_is_released() {
    let mut screen = story_screen();
    screen.press("3G<space>");
    assert_eq!(screen.model().pins, Pins::from([1, 2]));
    assert_eq!(screen.outcomes().get(1..3), Some("PP"));
    screen.press("k<space>");
    assert_eq!(screen.model().pins, Pins::new());
    assert_eq!(screen.outcomes(), "Pxxx.~.==..P");
    screen.press("8G<space>");
    assert_eq!(screen.outcomes().get(6..8), Some("PP"), "neither pass touches it");
    screen.press("6G<space>");
    assert_eq!(screen.outcomes().get(5..6), Some("P"));
}

// ---- plans ----

/// A screen that carries nothing out by itself.
struct Bare {
    model: Model,
    features: Features,
}

impl Bare {
    fn open(log: &Log) -> (Bare, Effects) {
        let session = log.session();
        let features = Features::new(&session);
        let mut model = common::model(session, &STORY_SETTINGS, (120, 40));
        let effects = open(&mut model);
        (Bare { model, features }, effects)
    }

    fn press(&mut self, keys: &str) -> Effects {
        let keys = Key::parse_all(keys).unwrap();
        let effects = keys.into_iter().flat_map(|key| update(&mut self.model, Msg::Key(key)));
        effects.filter(|effect| !matches!(effect, Effect::Highlight { .. })).collect()
    }

    /// The plan that was asked for, on its way back.
    fn answer(&self, effects: &Effects) -> Msg {
        let asked = effects.iter().find_map(|effect| match effect {
            Effect::Plan { generation, session, settings, pins, .. } => {
                let plan = plan(&session.session, &self.features, settings, pins, &Known::NOTHING);
                Some(Msg::Planned { generation: *generation, plan: Arc::new(plan), took: None })
            }
            _ => None,
        });
        asked.expect("a plan is asked for")
    }

    fn land(&mut self, msg: Msg) -> Effects {
        update(&mut self.model, msg)
    }
}

#[test]
fn a_plan_that_lands_late_is_not_shown() {
    let (mut screen, opening) = Bare::open(&story());
    let first = screen.answer(&opening);
    screen.land(first);
    let old = screen.model.plan.clone().unwrap();
    let (one, two) = (screen.press("20-"), screen.press("20-"));
    assert!(screen.model.is_deciding());
    assert!(Arc::ptr_eq(screen.model.plan.as_ref().unwrap(), &old), "the old plan stays");
    let (one, two) = (screen.answer(&one), screen.answer(&two));
    assert_eq!(screen.land(one), []);
    assert!(Arc::ptr_eq(screen.model.plan.as_ref().unwrap(), &old));
    screen.land(two);
    assert!(!screen.model.is_deciding());
    let now = screen.model.plan.clone().unwrap();
    assert!(now.chars[1] < old.chars[1]);
    assert_eq!(screen.model.before.unwrap().chars_after, old.chars[1]);
    // One that lands even later is older still.
    let late = screen.answer(&opening);
    assert_eq!(screen.land(late), []);
    assert!(Arc::ptr_eq(screen.model.plan.as_ref().unwrap(), &now));
}

#[test]
fn a_plan_for_the_session_before_it_grew_is_not_shown() {
    let (mut screen, opening) = Bare::open(&story());
    let mut log = story();
    log.user("One more.");
    let grown = Msg::Grown { session: Arc::new(log.session()), how: Growth::Appended };
    let first = screen.answer(&opening);
    let asked = update(&mut screen.model, grown);
    screen.land(first);
    assert!(screen.model.plan.is_none());
    screen.features.extend(&log.session());
    let second = screen.answer(&asked);
    screen.land(second);
    assert_eq!(screen.model.plan.as_ref().unwrap().decisions.len(), 13);
}

#[test]
fn the_cursor_stays_on_its_entry_when_a_plan_lands_under_a_filter() {
    let mut screen = story_screen();
    screen.walk(&[("F63G", 3, 2), ("5+", 4, 4), ("u", 4, 2), ("k", 3, 2)]);
    assert_eq!(screen.listed(), [2, 3, 4]);
    // A smaller budget drops more: the rows around the entry change, it stays.
    screen.press("{");
    assert_eq!((screen.listed(), screen.cursor()), (vec![2, 3, 4, 5], 3));
}

#[test]
fn a_knob_that_empties_the_filtered_list_and_back_loses_no_place() {
    let mut screen = story_screen();
    screen.walk(&[("F63G", 3, 2), ("2}", 0, 0), ("u", 3, 2)]);
}

#[test]
fn each_plan_has_its_tokens_counted() {
    let (mut screen, opening) = Bare::open(&story());
    let first = screen.answer(&opening);
    let effects = screen.land(first);
    let plan = screen.model.plan.clone().unwrap();
    assert!(
        matches!(&effects[..], [Effect::Count { plan: counted, .. }] if Arc::ptr_eq(counted, &plan))
    );
    assert!(!screen.model.token_sums.exact);
    let screen = story_screen();
    assert!(screen.model().token_sums.exact);
    let [before, after] = screen.model().token_sums.tokens;
    assert!(after < before);
}

// ---- a growing session ----

#[test]
fn appended_entries_are_scrolled_to_only_while_following_from_the_last_one() {
    let grown = |count| texts(count).session();
    let mut screen = hundred();
    screen.0.take(Msg::Watching(Watching::Live));
    screen.press("G");
    screen.grow(grown(103), Growth::Appended);
    assert_eq!((screen.cursor(), screen.listed().len()), (100, 103), "follow is off");
    assert_eq!(screen.status(), "3 new entries");
    screen.press("f");
    assert_eq!((screen.cursor(), screen.top()), (103, 94));
    screen.grow(grown(104), Growth::Appended);
    assert_eq!((screen.cursor(), screen.top(), screen.status()), (104, 95, "1 new entry"));
    screen.press("50G");
    screen.grow(grown(110), Growth::Appended);
    assert_eq!(screen.cursor(), 50, "who reads further up is left there");
    screen.press("Gf");
    screen.grow(grown(111), Growth::Appended);
    assert_eq!(screen.cursor(), 110);
    assert_eq!(screen.model().plan.as_ref().unwrap().decisions.len(), 111);
}

#[test]
fn following_a_filtered_list_shows_what_passes_the_filter() {
    let mut screen = hundred();
    screen.press("fF1G");
    screen.grow(texts(120).session(), Growth::Appended);
    let last = *screen.listed().last().unwrap();
    assert!(last > 100);
    assert_eq!(screen.cursor(), last);
}

#[test]
fn a_pin_a_search_and_a_typed_value_live_on_when_the_session_grows() {
    let mut screen = story_screen();
    screen.press("7G<space>/half even<enter>");
    screen.press(":<c-u>40%");
    let mut log = story();
    log.says("It is half even.");
    screen.grow(log.session(), Growth::Appended);
    assert_eq!(screen.model().pins, Pins::from([6, 7]));
    assert_eq!(screen.model().search.matches, [11, 12]);
    assert_eq!(screen.cursor(), 12);
    screen.press("<enter>");
    assert_eq!(screen.model().settings.budget_chars, Budget::Percent(40));
}

#[test]
fn a_file_that_was_written_anew_is_decided_from_the_start() {
    let mut screen = story_screen();
    screen.press("7G<space>8Go");
    let mut log = Log::default();
    log.user("Another session.");
    log.says("So it is.");
    screen.grow(log.session(), Growth::Reread("the file was replaced"));
    assert_eq!((screen.listed(), screen.cursor()), (vec![1, 2], 2));
    assert_eq!(screen.status(), "the file was replaced; read from the start");
    assert_eq!(screen.model().pins, Pins::new());
    assert!(screen.model().jumps.is_empty());
    assert_eq!(screen.model().settings.question, "Another session.");
    assert_eq!(screen.model().plan.as_ref().unwrap().decisions.len(), 2);
    assert_eq!(screen.model().detail.entry, Some(1));
}

#[test]
fn a_reread_under_a_filter_keeps_the_place_and_empty_sessions_do_no_harm() {
    let mut screen = story_screen();
    screen.press("F63G");
    screen.grow(story().session(), Growth::Reread("the file was replaced"));
    assert_eq!((screen.cursor(), screen.listed()), (3, vec![2, 3, 4]));
    let mut noise = Log::default();
    noise.record("progress", json!(null));
    screen.grow(noise.session(), Growth::Reread("the file was truncated"));
    assert_eq!(screen.listed(), [] as [usize; 0]);
    screen.press("'jkGgcCnN/x<enter><esc>F1t<enter>o<c-o> y<tab>jzG<esc>");
    screen.grow(story().session(), Growth::Appended);
    assert_eq!(screen.model().plan.as_ref().unwrap().decisions.len(), 12);
}

#[test]
fn what_became_of_the_file_is_said_and_the_session_stays() {
    let mut screen = story_screen();
    screen.0.take(Msg::Watching(Watching::Removed));
    assert_eq!(screen.status(), "the file is gone; what was read stays, and it is waited for");
    screen.0.take(Msg::Watching(Watching::Unreadable));
    assert!(screen.status().starts_with("the file holds no readable session now"));
    assert_eq!(screen.listed().len(), 12);
}

// ---- the rest ----

#[test]
fn effects_on_the_world_are_asked_for_and_nothing_else() {
    let (mut screen, opening) = Bare::open(&story());
    let first = screen.answer(&opening);
    screen.land(first);
    screen.press("5G");
    let text = "I will look at the rounding of every weight table now.";
    assert_eq!(screen.press("y"), [Effect::Copy(text.into())]);
    assert_eq!(screen.press("f"), [Effect::Watch]);
    assert_eq!(screen.press("f"), [], "it is watched already");
    assert_eq!(screen.press("MM"), [Effect::Mouse(false), Effect::Mouse(true)]);
    assert_eq!(screen.press("<c-z>"), [Effect::Suspend]);
    assert_eq!(screen.press("q"), [Effect::Quit]);
    assert_eq!(screen.press("<c-c>"), [Effect::Quit]);
    assert_eq!(update(&mut screen.model, Msg::Terminated), [Effect::Quit]);
    assert_eq!(screen.press("?q"), [], "over a list, q closes the list");
    assert_eq!(screen.press("/q<c-c>").len(), 1, "in a prompt, ^c gives up");
    assert!(screen.model.prompt.is_none());
}

#[test]
fn the_help_is_searched_and_closed() {
    let mut screen = story_screen();
    screen.press("?/undo<enter>");
    assert_eq!(screen.model().overlay, Some(Overlay::Help { top: 0, word: "undo".into() }));
    screen.press("j?");
    assert_eq!(screen.model().overlay, None);
    screen.press("<f1>/x<esc>");
    assert_eq!(screen.model().overlay, Some(Overlay::Help { top: 0, word: String::new() }));
}

#[test]
fn a_paste_goes_into_the_prompt_as_one_line_and_nowhere_else() {
    let mut screen = story_screen();
    screen.0.take(Msg::Paste("qqq".into()));
    assert!(!screen.0.has_quit());
    screen.press("/");
    screen.0.take(Msg::Paste("half\n\u{1b}even".into()));
    assert_eq!(screen.model().search.pattern, "halfeven");
}

#[test]
fn an_outcome_is_known_for_every_entry() {
    let screen = story_screen();
    assert_eq!(screen.model().outcome(5), Some(Outcome::Trimmed));
    assert_eq!(screen.model().outcome(99), None);
}
