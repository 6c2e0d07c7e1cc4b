//! A screen as a picture.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use super::snapshot::rows;

/// Width and height of a cell, in pixels.
const CELL: (f64, f64) = (8.4, 18.0);
const BACKGROUND: &str = "#1d1f21";
const FOREGROUND: &str = "#d0d4d8";

/// An SVG document of the screen on a dark ground.
pub fn svg(buffer: &Buffer) -> String {
    let (width, height) =
        (f64::from(buffer.area.width) * CELL.0, f64::from(buffer.area.height) * CELL.1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, \
         monospace\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" fill=\"{BACKGROUND}\"/>\n"
    );
    for (y, row) in rows(buffer).enumerate() {
        draw_row(&mut out, y, &row);
    }
    out.push_str("</svg>\n");
    out
}

/// Neighbouring cells of one style are one piece of text, stretched to its columns so that fonts
/// of other widths keep the grid.
fn draw_row(out: &mut String, y: usize, row: &[(&str, &Cell)]) {
    let mut x = 0;
    let mut at = 0;
    while at < row.len() {
        let style = look(row[at].1);
        let run = row[at..].iter().take_while(|(_, cell)| look(cell) == style).count();
        let text: String = row[at..at + run].iter().map(|(symbol, _)| *symbol).collect();
        let columns: usize =
            row[at..at + run].iter().map(|(symbol, _)| symbol.width().max(1)).sum();
        draw_run(out, (x, y), columns, &text, style);
        x += columns;
        at += run;
    }
}

type Look = (Color, Modifier);

fn look(cell: &Cell) -> Look {
    (cell.fg, cell.modifier)
}

fn draw_run(out: &mut String, (x, y): (usize, usize), columns: usize, text: &str, look: Look) {
    let (color, modifier) = look;
    let (left, top) = (x as f64 * CELL.0, y as f64 * CELL.1);
    let width = columns as f64 * CELL.0;
    let mut ink = ink(color);
    if modifier.contains(Modifier::REVERSED) {
        let _ = writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{ink}\"/>",
            CELL.1
        );
        ink = BACKGROUND;
    }
    if text.trim().is_empty() {
        return;
    }
    let mut style = String::new();
    let mut decoration = Vec::new();
    for (flag, attribute) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::DIM, " opacity=\"0.6\""),
    ] {
        if modifier.contains(flag) {
            style.push_str(attribute);
        }
    }
    for (flag, line) in
        [(Modifier::UNDERLINED, "underline"), (Modifier::CROSSED_OUT, "line-through")]
    {
        if modifier.contains(flag) {
            decoration.push(line);
        }
    }
    if !decoration.is_empty() {
        let _ = write!(style, " text-decoration=\"{}\"", decoration.join(" "));
    }
    let _ = writeln!(
        out,
        "<text x=\"{left:.1}\" y=\"{:.1}\" textLength=\"{width:.1}\" xml:space=\"preserve\" \
         fill=\"{ink}\"{style}>{}</text>",
        top + CELL.1 - 4.5,
        escaped(text)
    );
}

fn ink(color: Color) -> &'static str {
    match color {
        Color::Blue => "#81a2be",
        Color::LightBlue => "#8abeff",
        Color::Cyan => "#8abeb7",
        Color::Magenta => "#b294bb",
        Color::Yellow => "#f0c674",
        Color::LightRed => "#cc6666",
        _ => FOREGROUND,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
