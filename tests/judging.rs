//! A judge in the inspector: asked only after a yes, its answers kept while the threshold turns.

#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use common::Log;
use compactscope::app::action::{Effect, Growth, Msg};
use compactscope::app::key::Key;
use compactscope::app::model::{Model, Overlay};
use compactscope::app::update::Effects;
use compactscope::app::{open, update};
use compactscope::compact::plan::{Known, Outcome, inquiry, plan};
use compactscope::compact::settings::Provider;
use compactscope::compact::tool_calls::{
    Course, Judge, JudgeError, JudgeRequest, Judgement, Reply,
};
use compactscope::compact::{Features, Pins};
use serde_json::{Value, json};

/// Says 0.6 of every call and 0.4 of every result.
struct Halfway;

impl Judge for Halfway {
    fn ask(&self, request: &JudgeRequest) -> Reply {
        let probability = |id: &String| if id.contains("call") { 0.6 } else { 0.4 };
        let answer = |id: &String| (id.clone(), json!({"noul": probability(id)}));
        let answers: serde_json::Map<String, Value> =
            request.questions.keys().map(answer).collect();
        Reply { answer: Ok(json!({"answers": answers})), took: Duration::from_millis(1) }
    }
}

/// Answers nothing.
struct Silent;

impl Judge for Silent {
    fn ask(&self, _: &JudgeRequest) -> Reply {
        Reply { answer: Err(JudgeError::Status(500)), took: Duration::ZERO }
    }
}

fn log() -> Log {
    let mut log = Log::default();
    log.user("Parcel weights are rounded wrongly. Find out why.");
    log.runs("a", "Bash", json!({"command": "run the suite"}), &"one more line\n".repeat(60));
    log.says("Done.");
    log
}

const ADDRESS: &str = "https://judge.example/v1";

const SETTINGS: [(&str, &str); 3] =
    [("budget_chars", "off"), ("preserve_recent", "1"), ("rules_mode", "lossless")];

fn screen() -> Model {
    let mut model = common::model(log().session(), &SETTINGS, (120, 40));
    let effects = open(&mut model);
    land(&mut model, effects);
    model
}

/// Carries out the plans that are asked for; gives the inquiry, if one is.
fn land(model: &mut Model, effects: Effects) -> Option<Effect> {
    let mut asked = None;
    for effect in effects {
        match effect {
            Effect::Plan { generation, session, settings, pins, judgement, .. } => {
                let session = &session.session;
                let answers = judgement.as_ref().map(|judgement| &judgement.answers);
                let known = Known { answers, ..Known::NOTHING };
                let plan = plan(session, &Features::new(session), &settings, &pins, &known);
                let plan = Arc::new(plan);
                update(model, Msg::Planned { generation, plan, took: None });
            }
            Effect::FindJudge(settings) => {
                update(model, Msg::JudgeFound { settings, address: Ok(ADDRESS.into()) });
            }
            Effect::Judge { .. } => asked = Some(effect),
            _ => {}
        }
    }
    asked
}

fn press(model: &mut Model, keys: &str) -> Option<Effect> {
    let mut asked = None;
    for key in Key::parse_all(keys).unwrap() {
        let effects = update(model, Msg::Key(key));
        asked = land(model, effects).or(asked);
    }
    asked
}

/// Chooses the judge in the knob list.
fn choose_jev(model: &mut Model) -> Option<Effect> {
    model.knob = model.setting_index("provider");
    press(model, "K<enter>jev<enter>")
}

/// What a judge says to an inquiry, on its way back.
fn answer(effect: &Effect, judge: &dyn Judge) -> Msg {
    let Effect::Judge { inquiry: number, session, settings, pins } = effect else {
        panic!("{effect:?} is no inquiry")
    };
    let session = &session.session;
    let inquiry = inquiry(session, &Features::new(session), settings, pins).unwrap();
    let course = Course { told: &|_, _| {}, stop: &AtomicBool::new(false) };
    let judgement: Judgement = inquiry.ask(judge, 1, &course);
    Msg::Judged {
        inquiry: *number,
        question: settings.question.clone(),
        answer: Ok(Arc::new(judgement)),
    }
}

fn take(model: &mut Model, msg: Msg) {
    let effects = update(model, msg);
    land(model, effects);
}

fn outcome(model: &Model) -> Outcome {
    model.outcome(2).unwrap()
}

#[test]
fn nothing_is_asked_before_the_user_says_yes() {
    let mut model = screen();
    assert_eq!(choose_jev(&mut model), None);
    assert!(matches!(model.overlay, Some(Overlay::Consent { .. })));
    assert_eq!(model.settings.provider, Provider::Rules, "nothing has changed yet");
    assert_eq!(press(&mut model, "n"), None);
    assert_eq!(model.overlay, None);
    assert_eq!(model.settings.provider, Provider::Rules);
    assert!(choose_jev(&mut model).is_none(), "a no is no yes for later");
    assert!(press(&mut model, "y").is_some());
    assert_eq!(model.settings.provider, Provider::Jev);
}

#[test]
fn the_key_of_the_provider_never_reaches_a_judge() {
    let mut model = screen();
    for _ in 0..6 {
        assert_eq!(press(&mut model, "p"), None);
        assert!(!model.settings.provider.is_judge());
    }
    model.knob = model.setting_index("provider");
    for _ in 0..6 {
        assert_eq!(press(&mut model, "+"), None);
        assert!(!model.settings.provider.is_judge());
    }
}

#[test]
fn a_screen_opened_with_a_judge_asks_first_too() {
    let set = [SETTINGS[0], SETTINGS[1], ("provider", "jev")];
    let mut model = common::model(log().session(), &set, (120, 40));
    let effects = open(&mut model);
    assert_eq!(land(&mut model, effects), None);
    assert!(matches!(model.overlay, Some(Overlay::Consent { .. })));
    assert_eq!(outcome(&model), Outcome::Kept);
}

/// Opens with the judge, and with a budget or without.
fn opened_with_jev(budget: &str) -> (Model, Effects) {
    let set = [("budget_chars", budget), SETTINGS[1], ("provider", "jev")];
    let mut model = common::model(log().session(), &set, (120, 40));
    let effects = open(&mut model);
    (model, effects)
}

#[test]
fn who_says_no_is_told_what_becomes_of_the_calls() {
    let (mut model, effects) = opened_with_jev("off");
    land(&mut model, effects);
    press(&mut model, "n");
    let status = model.status.clone().unwrap();
    assert!(status.starts_with("nothing was sent; every call is kept"), "{status}");
    assert!(status.contains("p lets the rules decide"), "{status}");
    press(&mut model, "p");
    assert_eq!(model.settings.provider, Provider::Rules);
    choose_jev(&mut model);
    press(&mut model, "n");
    assert_eq!(model.status.as_deref(), Some("nothing was sent; the provider stays as it was"));
    let (mut model, effects) = opened_with_jev("25%");
    land(&mut model, effects);
    press(&mut model, "n");
    let status = model.status.clone().unwrap();
    assert!(!status.contains("every call is kept"), "the budget takes some: {status}");
    assert!(status.contains("only the budget still drops calls"), "{status}");
}

#[test]
fn nobody_is_asked_to_agree_where_the_judge_cannot_be_asked() {
    let missing = |settings: &Effect| {
        let Effect::FindJudge(settings) = settings else { panic!("{settings:?}") };
        Msg::JudgeFound { settings: settings.clone(), address: Err("no API key".into()) }
    };
    let mut model = screen();
    model.knob = model.setting_index("provider");
    let keys = Key::parse_all(":jev<enter>").unwrap();
    let effects = keys.into_iter().flat_map(|key| update(&mut model, Msg::Key(key)));
    let effects: Effects = effects.collect();
    assert_eq!(effects.len(), 1);
    update(&mut model, missing(&effects[0]));
    assert_eq!((&model.overlay, model.settings.provider), (&None, Provider::Rules));
    assert_eq!(model.status.as_deref(), Some("jev: no API key; the provider stays as it was"));
    let (mut model, effects) = opened_with_jev("off");
    let find = effects.into_iter().find(|it| matches!(it, Effect::FindJudge(_))).unwrap();
    update(&mut model, missing(&find));
    assert_eq!(model.overlay, None);
    let status = model.status.clone().unwrap();
    assert!(status.starts_with("jev: no API key; every call is kept"), "{status}");
}

#[test]
fn turning_the_threshold_decides_by_the_same_answers() {
    let mut model = screen();
    choose_jev(&mut model);
    let asked = press(&mut model, "y").unwrap();
    assert_eq!(outcome(&model), Outcome::Kept, "nobody has judged it yet");
    take(&mut model, answer(&asked, &Halfway));
    assert_eq!(outcome(&model), Outcome::Trimmed);
    model.knob = model.setting_index("threshold");
    assert_eq!(press(&mut model, "<esc>4-"), None, "nobody is asked again");
    assert_eq!(outcome(&model), Outcome::Kept);
    assert_eq!(press(&mut model, "8+"), None);
    assert_eq!(outcome(&model), Outcome::Dropped);
}

#[test]
fn what_was_not_judged_is_kept() {
    let mut model = screen();
    choose_jev(&mut model);
    let asked = press(&mut model, "y").unwrap();
    take(&mut model, answer(&asked, &Silent));
    assert_eq!(outcome(&model), Outcome::Kept);
    let plan = model.plan.clone().unwrap();
    assert_eq!(plan.decisions[2].reason(), "not_judged_fail_safe");
    assert!(model.status.as_deref().unwrap().contains("status 500"), "{:?}", model.status);
}

#[test]
fn escape_stops_an_inquiry_and_what_was_said_still_counts() {
    let mut model = screen();
    choose_jev(&mut model);
    let asked = press(&mut model, "y").unwrap();
    take(&mut model, Msg::Judging { inquiry: 1, done: 1, of: 9 });
    assert_eq!(model.judging.progress, Some((1, 9)));
    // Out of the knob list first.
    press(&mut model, "<esc>");
    assert_eq!(update(&mut model, Msg::Key(Key::Esc)), [Effect::StopJudging]);
    take(&mut model, answer(&asked, &Halfway));
    assert_eq!(model.judging.progress, None);
    assert_eq!(outcome(&model), Outcome::Trimmed);
    assert_ne!(update(&mut model, Msg::Key(Key::Esc)), [Effect::StopJudging]);
}

#[test]
fn answers_to_an_older_inquiry_are_not_taken() {
    let mut model = screen();
    choose_jev(&mut model);
    let old = press(&mut model, "y").unwrap();
    let new = press(&mut model, "<esc>r").unwrap();
    take(&mut model, answer(&old, &Halfway));
    assert_eq!(outcome(&model), Outcome::Kept);
    take(&mut model, answer(&new, &Halfway));
    assert_eq!(outcome(&model), Outcome::Trimmed);
}

#[test]
fn another_question_makes_answers_stale_until_the_judge_is_asked_again() {
    let mut model = screen();
    choose_jev(&mut model);
    let asked = press(&mut model, "y").unwrap();
    take(&mut model, answer(&asked, &Halfway));
    assert!(!model.judging.is_stale(&model.settings));
    model.knob = model.setting_index("question");
    assert_eq!(press(&mut model, "<esc>:Something else<enter>"), None);
    assert!(model.judging.is_stale(&model.settings));
    let asked = press(&mut model, "r").expect("the session's text may be sent by now");
    take(&mut model, answer(&asked, &Halfway));
    assert!(!model.judging.is_stale(&model.settings));
}

#[test]
fn a_file_that_is_read_anew_takes_another_yes() {
    let mut model = screen();
    choose_jev(&mut model);
    let asked = press(&mut model, "y").unwrap();
    take(&mut model, answer(&asked, &Halfway));
    let session = Arc::new(log().session());
    take(&mut model, Msg::Grown { session, how: Growth::Reread("the file was replaced") });
    assert_eq!(outcome(&model), Outcome::Kept, "those answers were about another session");
    assert_eq!(press(&mut model, "<esc>r"), None);
    assert!(matches!(model.overlay, Some(Overlay::Consent { .. })));
}

#[test]
fn pins_are_left_out_of_an_inquiry() {
    let session = log().session();
    let settings = common::settings(&session, &[SETTINGS[1], ("provider", "jev")]);
    let requests =
        |pins| inquiry(&session, &Features::new(&session), &settings, &pins).unwrap().requests();
    assert_eq!(requests(Pins::new()), 1);
    assert_eq!(requests(Pins::from([1, 2])), 0);
}
