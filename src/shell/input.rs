//! Keys, the wheel, pastes, resizes and signals, as messages.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::Sender;
use std::thread;

use crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

use crate::app::action::Msg;
use crate::app::key::Key;

/// Reads the terminal on a thread of its own until it closes.
pub(super) fn read_keys(sender: Sender<Msg>) {
    thread::spawn(move || {
        while let Ok(event) = event::read() {
            if let Some(msg) = message(event)
                && sender.send(msg).is_err()
            {
                return;
            }
        }
        // The terminal is gone: there is nobody to draw for.
        let _ = sender.send(Msg::Terminated);
    });
}

/// The signal that ended the screen, 0 for none.
pub(super) type Ended = Arc<AtomicI32>;

/// Signals that end the screen or suspend it.
pub(super) fn read_signals(sender: Sender<Msg>) -> io::Result<Ended> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGTSTP])?;
    let ended = Ended::default();
    let noted = ended.clone();
    thread::spawn(move || {
        for signal in signals.forever() {
            let msg = if signal == SIGTSTP {
                Msg::Key(Key::Ctrl('z'))
            } else {
                noted.store(signal, Ordering::SeqCst);
                Msg::Terminated
            };
            if sender.send(msg).is_err() {
                return;
            }
        }
    });
    Ok(ended)
}

/// Ends as the signal would have ended the program, so that whoever sent it sees that.
pub(super) fn end_by_signal(ended: &Ended) {
    let signal = ended.load(Ordering::SeqCst);
    if signal != 0 {
        // It returns only when the default is to do nothing.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
}

fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => key_of(key).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resized { width, height }),
        Event::Mouse(mouse) => {
            let (column, row) = (mouse.column, mouse.row);
            match mouse.kind {
                MouseEventKind::ScrollDown => Some(Msg::Wheel { column, row, notches: 1 }),
                MouseEventKind::ScrollUp => Some(Msg::Wheel { column, row, notches: -1 }),
                MouseEventKind::Down(MouseButton::Left) => Some(Msg::Click { column, row }),
                _ => None,
            }
        }
        Event::FocusGained | Event::FocusLost => None,
    }
}

/// Shift is left out: terminals disagree about sending it beside the shifted character.
fn key_of(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char(c) if ctrl => Key::Ctrl(c.to_ascii_lowercase()),
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::F(n) => Key::F(n),
        _ => return None,
    })
}
