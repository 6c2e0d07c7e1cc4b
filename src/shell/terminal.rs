//! The terminal: taken over, drawn on, and given back whatever happens.

use std::io::{self, Stdout, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute, queue, style};
use ratatui::backend::CrosstermBackend;
use ratatui::{Frame, Terminal as Screen};
use signal_hook::consts::SIGTSTP;

/// Presses and wheel only: reporting every movement would flood a slow line.
const TAKE_MOUSE: &[u8] = b"\x1b[?1000h\x1b[?1006h";
const LEAVE_MOUSE: &[u8] = b"\x1b[?1006l\x1b[?1000l";

/// Whether the terminal is taken over at this moment; the panic hook asks it from any thread.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while the screen runs; dropping it gives the terminal back.
pub(super) struct Terminal {
    screen: Screen<CrosstermBackend<Stdout>>,
    mouse: bool,
}

impl Terminal {
    pub(super) fn enter() -> io::Result<Terminal> {
        // Our theme alone decides about colour: with NO_COLOR set, crossterm would write empty
        // colour commands, which reset reverse and bold too.
        style::force_color_output(true);
        restore_on_panic();
        take_over(true)?;
        let screen = Screen::new(CrosstermBackend::new(io::stdout()));
        match screen {
            Ok(screen) => Ok(Terminal { screen, mouse: true }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    pub(super) fn size(&self) -> Option<(u16, u16)> {
        self.screen.size().ok().map(|size| (size.width, size.height))
    }

    /// Draws a frame in one piece.
    pub(super) fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        // A panic on another thread has given it back: nothing is drawn over the shell.
        if !TAKEN.load(Ordering::SeqCst) {
            return Ok(());
        }
        queue!(io::stdout(), BeginSynchronizedUpdate)?;
        self.screen.draw(render)?;
        execute!(io::stdout(), EndSynchronizedUpdate)
    }

    /// Takes the mouse, or leaves it to the terminal so that text can be selected.
    pub(super) fn take_mouse(&mut self, taken: bool) -> io::Result<()> {
        self.mouse = taken;
        io::stdout().write_all(if taken { TAKE_MOUSE } else { LEAVE_MOUSE })?;
        io::stdout().flush()
    }

    /// Gives the terminal back, stops until it is continued, and takes it over again.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        give_back();
        signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
        take_over(self.mouse)?;
        // Draws all anew. `clear` would ask the terminal where the cursor is, and the thread that
        // reads the keys would take the answer.
        let size = self.screen.size()?;
        self.screen.resize(size.into())
    }

    pub(super) fn leave(self) {}
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

fn take_over(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
    if mouse {
        io::stdout().write_all(TAKE_MOUSE)?;
    }
    io::stdout().flush()
}

/// Undoes everything, once; errors are passed over, since there is nobody left to tell.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        let _ = out.write_all(LEAVE_MOUSE);
        let _ = execute!(
            out,
            EndSynchronizedUpdate,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            cursor::Show
        );
        let _ = disable_raw_mode();
    }
}

/// A panic on any thread ends the program, with the terminal given back before it is told.
fn restore_on_panic() {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        give_back();
        tell(info);
        std::process::exit(101);
    }));
}
