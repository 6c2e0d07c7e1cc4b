//! The screen without a terminal: the same update and draw, one step after the other.

use std::collections::VecDeque;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::jury;
use super::workers::{self, Planner};
use crate::app::action::{Effect, Msg};
use crate::app::key::Key;
use crate::app::model::Model;
use crate::app::update::Effects;
use crate::app::{counts, open, update};
use crate::judge::Environment;
use crate::ui::{Theme, draw};

/// A screen on which everything that a message asks for is done before the next one.
pub struct Headless {
    pub model: Model,
    planner: Planner,
    judges: Environment,
    quit: bool,
}

impl Headless {
    /// Opens the screen; the first plan has landed.
    pub fn open(model: Model) -> Headless {
        Headless::among(Environment::of_this_process(), model)
    }

    /// The same where these judges are set up.
    pub fn among(judges: Environment, mut model: Model) -> Headless {
        let effects = open(&mut model);
        let mut screen = Headless { model, planner: Planner::default(), judges, quit: false };
        screen.settle(effects);
        screen
    }

    /// Presses keys one after the other, until one of them quits.
    pub fn press(&mut self, keys: &[Key]) {
        for key in keys {
            self.take(Msg::Key(*key));
        }
    }

    /// Takes one thing that happened. A screen that was quit takes nothing any more.
    pub fn take(&mut self, msg: Msg) {
        if !self.quit {
            let effects = update(&mut self.model, msg);
            self.settle(effects);
        }
    }

    pub fn has_quit(&self) -> bool {
        self.quit
    }

    /// The cells of the screen as it stands.
    pub fn draw(&self, theme: Theme) -> Buffer {
        let (width, height) = self.model.size;
        let Ok(mut terminal) = Terminal::new(TestBackend::new(width, height));
        let Ok(_) = terminal.draw(|frame| draw(&self.model, frame, theme));
        terminal.backend().buffer().clone()
    }

    /// Carries out what is asked for until nothing is.
    fn settle(&mut self, effects: Effects) {
        let mut waiting = VecDeque::from(effects);
        while let Some(effect) = waiting.pop_front() {
            if effect == Effect::Quit {
                self.quit = true;
                return;
            }
            if let Some(answer) = self.carry_out(&effect) {
                waiting.extend(update(&mut self.model, answer));
            }
        }
    }

    fn carry_out(&mut self, effect: &Effect) -> Option<Msg> {
        match effect {
            Effect::Plan { .. } => self.planner.answer(effect, false),
            Effect::Find { .. } => workers::find(effect),
            Effect::Highlight { .. } => workers::paint(effect),
            Effect::Recover { .. } => workers::recover(effect),
            Effect::Count { session, plan, method } => {
                let pieces = counts::pieces(&session.session, plan);
                let unknown =
                    pieces.into_iter().filter(|piece| self.model.counts.get(piece).is_none());
                let counts = unknown
                    .map(|piece| workers::count_piece(&session.session, piece, *method))
                    .collect();
                Some(Msg::Counted { epoch: session.epoch, counts })
            }
            Effect::FindJudge(_) => jury::find(effect, &self.judges),
            Effect::Judge { inquiry, settings, .. } => Some(Msg::Judged {
                inquiry: *inquiry,
                question: settings.question.clone(),
                answer: Err("no judge is asked without a terminal".into()),
            }),
            // The world outside the screen stays as it is.
            Effect::StopJudging
            | Effect::Copy(_)
            | Effect::Watch
            | Effect::Mouse(_)
            | Effect::Suspend
            | Effect::Quit => None,
        }
    }
}
