//! `snapshot FILE`: the screen as the terminal would show it, after some keys.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::ArgMatches;
use ratatui::buffer::Buffer;

use super::arguments::text;
use super::open::{self, Opened};
use super::{Refused, svg};
use crate::app::key::Key;
use crate::app::model::{Model, Opening};
use crate::shell::headless::Headless;
use crate::ui::{Palette, Theme};

pub fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let size = read_size(text(matches, "size"))?;
    let keys = Key::parse_all(text(matches, "keys"))
        .map_err(|error| Refused(format!("--keys: {error}")))?;
    let Opened { session, settings, defaults, said, .. } = open::open(matches)?;
    let model = Model::new(Opening {
        session: Arc::new(session),
        settings,
        defaults,
        said,
        size,
        follow: false,
        method: open::method(matches),
    });
    let palette = open::palette(matches);
    let mut screen = Headless::open(model);
    screen.press(&keys);
    let buffer = screen.draw(Theme::new(palette));
    let out = match text(matches, "as") {
        "svg" => svg::svg(&buffer),
        "ansi" => ansi(&buffer, palette),
        _ => plain(&buffer),
    };
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(out.as_bytes())?;
    stdout.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn read_size(size: &str) -> Result<(u16, u16), Refused> {
    /// The largest screen, so that a slip of the finger does not fill the memory.
    const MOST: u16 = 1000;
    let side = |text: &str| text.parse().ok().filter(|side| (1..=MOST).contains(side));
    size.split_once('x')
        .and_then(|(width, height)| Some((side(width)?, side(height)?)))
        .ok_or_else(|| Refused(format!("--size: `{size}` is no size; write 120x40")))
}

/// Rows of text, without blanks at their ends.
fn plain(buffer: &Buffer) -> String {
    rows(buffer)
        .map(|row| {
            let text: String = row.iter().map(|(symbol, _)| *symbol).collect();
            text.trim_end().to_string() + "\n"
        })
        .collect()
}

/// The cells of each row that start a character.
pub fn rows(buffer: &Buffer) -> impl Iterator<Item = Vec<(&str, &ratatui::buffer::Cell)>> {
    let area = buffer.area;
    (area.top()..area.bottom()).map(move |y| {
        let mut row = Vec::new();
        let mut x = area.left();
        while x < area.right() {
            let cell = &buffer[(x, y)];
            let symbol = cell.symbol();
            row.push((symbol, cell));
            x += u16::try_from(unicode_width::UnicodeWidthStr::width(symbol)).unwrap_or(1).max(1);
        }
        row
    })
}

fn ansi(buffer: &Buffer, palette: Palette) -> String {
    let mut out = String::new();
    for row in rows(buffer) {
        let mut style = String::new();
        for (symbol, cell) in row {
            let next = sgr(cell, palette);
            if next != style {
                out.push_str(&format!("\x1b[0{next}m"));
                style = next;
            }
            out.push_str(symbol);
        }
        out.push_str("\x1b[0m\n");
    }
    out
}

/// The parameters of a cell's style, each with its semicolon.
fn sgr(cell: &ratatui::buffer::Cell, palette: Palette) -> String {
    use ratatui::style::{Color, Modifier};
    let mut parameters = String::new();
    for (modifier, code) in [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ] {
        if cell.modifier.contains(modifier) {
            parameters.push_str(&format!(";{code}"));
        }
    }
    let color = match cell.fg {
        Color::Blue => 34,
        Color::Cyan => 36,
        Color::Magenta => 35,
        Color::Yellow => 33,
        Color::LightBlue => 94,
        Color::LightRed => 91,
        _ => return parameters,
    };
    if palette == Palette::Ansi {
        parameters.push_str(&format!(";{color}"));
    }
    parameters
}
