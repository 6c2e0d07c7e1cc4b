//! The terminal and the threads around the screen: everything that happens comes in as one
//! message, the screen's state takes it, its effects are carried out, and it is drawn once.

pub mod headless;
pub mod highlight;
mod input;
mod jury;
mod terminal;
mod watcher;
pub mod workers;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use anyhow::Result;
use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;

use crate::app::action::{Effect, Msg};
use crate::app::model::Model;
use crate::app::{open, update};
use crate::session::{Format, Session, Source};
use crate::ui::{Theme, draw};
use terminal::Terminal;
use workers::Workers;

/// What the watcher needs to read the file again.
pub struct Watched {
    pub source: Source,
    pub path: PathBuf,
    pub format: Option<Format>,
    /// The session as it was told last, at first as it was opened, by which a reading tells
    /// whether the file only grew since then.
    pub opened: Option<Arc<Session>>,
}

/// Runs the screen until it is quit. The terminal is as it was before when this returns, panics
/// or is ended by a signal.
///
/// # Errors
/// When the terminal cannot be set up or drawn on.
pub fn run(mut model: Model, theme: Theme, watched: Option<Watched>, watch: bool) -> Result<()> {
    let (sender, messages) = channel();
    let mut terminal = Terminal::enter()?;
    input::read_keys(sender.clone());
    let signals = input::read_signals(sender.clone())?;
    let mut shell = Shell { workers: Workers::new(sender.clone()), sender, watched };
    if let Some((width, height)) = terminal.size() {
        update(&mut model, Msg::Resized { width, height });
    }
    let mut effects = open(&mut model);
    if watch {
        effects.push(Effect::Watch);
    }
    let ended = shell.turn(&mut model, &mut terminal, theme, &messages, effects);
    terminal.leave();
    ended?;
    input::end_by_signal(&signals);
    Ok(())
}

/// How long a plan may take before the screen says that one is being made.
const UNTOLD: Duration = Duration::from_millis(100);

/// What happens next; while a plan is asked for, that it takes long. `None` when nothing can
/// happen any more.
fn next(model: &Model, messages: &Receiver<Msg>) -> Option<Msg> {
    if !model.is_deciding() || model.is_slow {
        return messages.recv().ok();
    }
    match messages.recv_timeout(UNTOLD) {
        Err(RecvTimeoutError::Timeout) => Some(Msg::Slow),
        received => received.ok(),
    }
}

struct Shell {
    workers: Workers,
    sender: Sender<Msg>,
    /// `None` once the watcher has it, and for standard input.
    watched: Option<Watched>,
}

impl Shell {
    /// The loop: carry out, draw, wait for messages, take all that there are.
    fn turn(
        &mut self,
        model: &mut Model,
        terminal: &mut Terminal,
        theme: Theme,
        messages: &Receiver<Msg>,
        mut effects: Vec<Effect>,
    ) -> Result<()> {
        loop {
            for effect in effects.drain(..) {
                if effect == Effect::Quit {
                    return Ok(());
                }
                self.carry_out(effect, terminal)?;
            }
            terminal.draw(|frame| draw(model, frame, theme))?;
            let Some(first) = next(model, messages) else { return Ok(()) };
            effects.extend(update(model, first));
            while let Ok(next) = messages.try_recv() {
                effects.extend(update(model, next));
            }
        }
    }

    fn carry_out(&mut self, effect: Effect, terminal: &mut Terminal) -> Result<()> {
        match effect {
            Effect::Copy(text) => {
                execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))?;
            }
            Effect::Watch => {
                if let Some(watched) = self.watched.take() {
                    watcher::watch(watched, self.sender.clone());
                }
            }
            Effect::Mouse(taken) => terminal.take_mouse(taken)?,
            Effect::Suspend => terminal.suspend()?,
            Effect::Quit => {}
            work => self.workers.start(work),
        }
        Ok(())
    }
}
