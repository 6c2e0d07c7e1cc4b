//! The line being typed: a search, a value, a word in the help.

use tui_input::{Input, InputRequest};

use super::super::key::Key;
use super::super::model::{Asks, Model, Overlay, Prompt};
use super::{Effects, find, judge, knobs};
use crate::compact::settings::{SETTINGS, Settings};

pub(super) fn search(model: &mut Model) {
    model.search.from = model.current();
    model.prompt = Some(Prompt { asks: Asks::Search, input: Input::default(), error: None });
}

pub(super) fn value(model: &mut Model) {
    model.prompt =
        Some(Prompt { asks: Asks::Value(model.knob), input: Input::default(), error: None });
}

pub(super) fn help_search(model: &mut Model) {
    model.prompt = Some(Prompt { asks: Asks::HelpSearch, input: Input::default(), error: None });
}

pub(super) fn paste(model: &mut Model, text: &str) -> Effects {
    if let Some(prompt) = &mut model.prompt {
        for c in text.chars().filter(|c| !c.is_control()) {
            prompt.input.handle(InputRequest::InsertChar(c));
        }
        return typed(model);
    }
    Vec::new()
}

pub(super) fn press(model: &mut Model, key: Key) -> Effects {
    match key {
        Key::Enter => return accept(model),
        Key::Esc => return give_up(model),
        Key::Ctrl('c') => {
            give_up(model);
            return Vec::new();
        }
        _ => {}
    }
    if key == Key::Up {
        take_present_value(model);
        return Vec::new();
    }
    let Some(prompt) = &mut model.prompt else { return Vec::new() };
    let request = match key {
        Key::Char(c) => InputRequest::InsertChar(c),
        Key::Backspace if prompt.input.value().is_empty() => return give_up(model),
        Key::Backspace | Key::Ctrl('h') => InputRequest::DeletePrevChar,
        Key::Delete | Key::Ctrl('d') => InputRequest::DeleteNextChar,
        Key::Left | Key::Ctrl('b') => InputRequest::GoToPrevChar,
        Key::Right | Key::Ctrl('f') => InputRequest::GoToNextChar,
        Key::Home | Key::Ctrl('a') => InputRequest::GoToStart,
        Key::End | Key::Ctrl('e') => InputRequest::GoToEnd,
        Key::Ctrl('w') => InputRequest::DeletePrevWord,
        Key::Ctrl('u') => InputRequest::DeleteLine,
        Key::Ctrl('k') => InputRequest::DeleteTillEnd,
        _ => return Vec::new(),
    };
    prompt.input.handle(request);
    prompt.error = None;
    typed(model)
}

/// Puts the value that a setting has into the prompt, to be edited.
fn take_present_value(model: &mut Model) {
    let settings = model.settings.clone();
    if let Some(Prompt { asks: Asks::Value(knob), input, error }) = &mut model.prompt {
        // A question may hold line feeds; the prompt is one line.
        let value = SETTINGS[*knob].value(&settings).replace(['\n', '\r', '\t'], " ");
        *input = Input::new(value);
        *error = None;
    }
}

/// A search shows its matches while it is typed.
fn typed(model: &mut Model) -> Effects {
    let Some(prompt) = &model.prompt else { return Vec::new() };
    let text = prompt.input.value().to_string();
    match prompt.asks {
        Asks::Search => find::search(model, &text),
        Asks::HelpSearch => {
            if let Some(Overlay::Help { word, top }) = &mut model.overlay {
                *word = text;
                *top = 0;
            }
            Vec::new()
        }
        Asks::Value(_) => Vec::new(),
    }
}

fn accept(model: &mut Model) -> Effects {
    let Some(prompt) = model.prompt.take() else { return Vec::new() };
    match prompt.asks {
        Asks::Search => {
            let search = &model.search;
            if search.done && search.matches.is_empty() && !search.pattern.is_empty() {
                model.status = Some("not found".into());
            }
            // Results of a search that is still running may move the cursor once, then no more.
            if model.search.done {
                model.search.from = None;
            }
            Vec::new()
        }
        Asks::HelpSearch => Vec::new(),
        Asks::Value(knob) => set_value(model, knob, prompt),
    }
}

fn set_value(model: &mut Model, knob: usize, mut prompt: Prompt) -> Effects {
    let mut settings = model.settings.clone();
    let setting = &SETTINGS[knob];
    if prompt.input.value().is_empty() {
        return Vec::new();
    }
    if let Err(error) = setting.set(&mut settings, prompt.input.value()) {
        // The name and the text stand before it.
        prompt.error = Some(format!("{}; it takes {}", error.why, error.range));
        model.prompt = Some(prompt);
        return Vec::new();
    }
    model.status = model.idle_knob(setting).map(|why| format!("{}: {why}", setting.name));
    if setting.name == "provider" && settings.provider.is_judge() {
        return judge::choose(model, Settings { tool_pass: true, ..settings });
    }
    knobs::turn(model, knob, settings)
}

fn give_up(model: &mut Model) -> Effects {
    match model.prompt.take().map(|prompt| prompt.asks) {
        Some(Asks::Search) => find::give_up(model),
        Some(Asks::HelpSearch) => {
            if let Some(Overlay::Help { word, .. }) = &mut model.overlay {
                word.clear();
            }
        }
        _ => {}
    }
    Vec::new()
}
