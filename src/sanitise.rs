//! The one gate that session text passes before it is drawn or printed.
//!
//! Session text is hostile: it may hold escape sequences that set the clipboard or the title, move
//! the cursor, or turn the reading direction. What comes out here has no control character, no
//! escape sequence and no invisible character, and every character has the width that it draws.

use std::borrow::Cow;

/// Columns between tab stops.
const TAB: usize = 4;
/// Stands for a character that would act on the terminal or could not be seen.
const HIDDEN: char = '\u{fffd}';
/// Stands for an escape sequence that carried a command or a text of its own.
const ESCAPE: char = '\u{241b}';

/// One line of session text as it may be drawn. Colours and cursor moves (CSI) are taken out,
/// other escape sequences become `␛`, control characters their pictures (`␀`, `␍`), direction and
/// invisible characters `�`; tabs are expanded to stops of four columns.
pub fn line(text: &str) -> Cow<'_, str> {
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut drawn = String::with_capacity(text.len());
    let mut column = 0;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let kept = match c {
            '\t' => {
                let stop = TAB - column % TAB;
                drawn.extend(std::iter::repeat_n(' ', stop));
                column += stop;
                continue;
            }
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_csi(&mut rest),
            _ => visible(c),
        };
        if let Some(c) = kept {
            drawn.push(c);
            column += unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
        }
    }
    Cow::Owned(drawn)
}

/// Text of several lines, each through [`line`].
pub fn lines(text: &str) -> String {
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// JSON text in which whatever could act on a terminal is written as an escape: the same JSON.
/// Outside of strings there is only ASCII, so an escape can stand wherever such a character does.
pub fn json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || visible(c) == Some(c) {
            safe.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            safe.push_str(&format!("\\u{unit:04x}"));
        }
    }
    safe
}

/// The first line of a text that has something to show, for a preview of at most `chars`
/// characters; looks only as far into the text as that needs.
pub fn preview(text: &str, chars: usize) -> String {
    let mut shown = String::new();
    let start = text.trim_start();
    for part in start.split('\n').take(8) {
        let part = head(part, chars.saturating_mul(4));
        let part = line(part);
        let part = part.trim();
        if !part.is_empty() && !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(part);
        if shown.chars().nth(chars).is_some() {
            break;
        }
    }
    shown.chars().take(chars).collect()
}

/// At most so many bytes from the start of a text, whole characters.
fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Reads past an escape sequence; what stands in its place.
fn skip_escape(rest: &mut std::str::Chars<'_>) -> Option<char> {
    match rest.clone().next() {
        Some('[') => {
            rest.next();
            skip_csi(rest)
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_string(rest);
            Some(ESCAPE)
        }
        Some(' '..='~') => {
            rest.next();
            Some(ESCAPE)
        }
        _ => Some(ESCAPE),
    }
}

/// Parameters and the final byte of a control sequence; a broken one ends where it breaks.
fn skip_csi(rest: &mut std::str::Chars<'_>) -> Option<char> {
    loop {
        match rest.clone().next() {
            Some(' '..='?') => rest.next(),
            Some('@'..='~') => {
                rest.next();
                return None;
            }
            _ => return Some(ESCAPE),
        };
    }
}

/// The text of an operating system command and its kin: up to BEL or ST. One that has no end on
/// its line hides nothing: its text stays to be read.
fn skip_string(rest: &mut std::str::Chars<'_>) {
    let mut ahead = rest.clone();
    while let Some(c) = ahead.next() {
        let ended = match c {
            '\u{7}' | '\u{9c}' => true,
            '\u{1b}' => ahead.clone().next() == Some('\\') && ahead.next().is_some(),
            _ => continue,
        };
        if ended {
            *rest = ahead;
        }
        return;
    }
}

/// The character that is drawn for `c`; `None` for what only changes how others are joined.
fn visible(c: char) -> Option<char> {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32),
        '\u{7f}' => Some('\u{2421}'),
        // The line and paragraph separators break a line in some terminals only.
        '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\u{2424}'),
        // Joiners and presentation selectors: terminals disagree on the width of what they join.
        '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => None,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => Some(HIDDEN),
        // Noncharacters: no document format takes them.
        '\u{fdd0}'..='\u{fdef}' => Some(HIDDEN),
        _ if c as u32 & 0xfffe == 0xfffe => Some(HIDDEN),
        _ => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_cursor_moves_leave_no_litter() {
        assert_eq!(line("a\u{1b}[31mred\u{1b}[0m b\u{1b}[2Jc\u{1b}[?25ld"), "ared bcd");
        assert_eq!(line("x\u{9b}31my"), "xy");
    }

    #[test]
    fn a_title_or_clipboard_command_shows_as_one_mark_without_its_text() {
        assert_eq!(line("a\u{1b}]0;title\u{7}b"), "a␛b");
        assert_eq!(line("a\u{1b}]52;c;aGk=\u{1b}\\b"), "a␛b");
        assert_eq!(line("a\u{1b}Pq#0\u{9c}b"), "a␛b");
    }

    #[test]
    fn a_broken_sequence_hides_nothing_after_it() {
        assert_eq!(line("\u{1b}]0;never ends"), "␛0;never ends");
        assert_eq!(line("\u{1b}[31\u{1b}[0mtext"), "␛text");
        assert_eq!(line("end\u{1b}"), "end␛");
    }

    #[test]
    fn control_characters_are_pictures_and_carriage_returns_overwrite_nothing() {
        assert_eq!(line("a\rb\u{8}\0c\u{7f}\r"), "a␍b␈␀c␡");
    }

    #[test]
    fn direction_and_invisible_characters_are_marked() {
        assert_eq!(line("a\u{202e}b\u{200b}c\u{e0041}d\u{feff}"), "a�b�c�d�");
        assert_eq!(line("x\u{2028}y\u{85}z"), "x␤y␤z");
        assert_eq!(line("\u{ffff}a\u{1fffe}\u{fdd0}"), "�a��");
    }

    #[test]
    fn tabs_go_to_the_next_stop_whatever_the_width_before_them() {
        assert_eq!(line("780\tcode"), "780 code");
        assert_eq!(line("数\tx"), "数  x");
        assert_eq!(line("\tx"), "    x");
    }

    #[test]
    fn json_stays_the_same_json() {
        let text = "{\"a\": \"x\u{9b}31m\u{202e}\u{e0041}é🚚\"}";
        let safe = json(text);
        assert_eq!(safe, r#"{"a": "x\u009b31m\u202e\udb40\udc41é🚚"}"#);
        let parse = |json| serde_json::from_str::<serde_json::Value>(json).unwrap();
        assert_eq!(parse(&safe), parse(text));
    }

    #[test]
    fn a_preview_is_the_first_text_on_one_line() {
        assert_eq!(preview("\n\n  first\n\n second\u{1b}[1m!\n", 40), "first second!");
        assert_eq!(preview(&"で".repeat(40), 5), "ででででで");
        assert_eq!(preview("", 5), "");
    }
}
