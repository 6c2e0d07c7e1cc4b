//! Colours and glyphs. ANSI names and the terminal's own background, so that a user's palette
//! applies; the mono palette sets no colour at all and tells everything by glyph and attribute.

use ratatui::style::{Color, Modifier, Style};

use crate::app::detail::{Token, Tone};
use crate::compact::plan::Outcome;

/// Which colours may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Palette {
    #[default]
    Ansi,
    /// No colour at all: NO_COLOR, or `--color never`.
    Mono,
}

/// Styles by meaning.
#[derive(Debug, Clone, Copy, Default)]
pub struct Theme {
    palette: Palette,
}

impl Theme {
    pub fn new(palette: Palette) -> Theme {
        Theme { palette }
    }

    /// The one place where a colour becomes none.
    fn style(self, color: Color, modifiers: Modifier) -> Style {
        let style = Style::new().add_modifier(modifiers);
        match self.palette {
            Palette::Ansi => style.fg(color),
            Palette::Mono => style,
        }
    }

    pub fn outcome(self, outcome: Outcome) -> Style {
        match outcome {
            Outcome::Kept => Style::new(),
            Outcome::Pinned => self.style(Color::LightBlue, Modifier::BOLD),
            Outcome::Deduped => self.style(Color::Cyan, Modifier::ITALIC),
            Outcome::Pointer => self.style(Color::Magenta, Modifier::UNDERLINED),
            Outcome::Trimmed => self.style(Color::Yellow, Modifier::empty()),
            Outcome::Dropped => Style::new().add_modifier(Modifier::DIM | Modifier::CROSSED_OUT),
        }
    }

    /// A cell of the minimap: the outcome's colour without the attributes of text.
    pub fn minimap(self, outcome: Outcome) -> Style {
        match outcome {
            Outcome::Dropped => Style::new().add_modifier(Modifier::DIM),
            _ => self.outcome(outcome).remove_modifier(Modifier::all()),
        }
    }

    pub fn tone(self, tone: Tone) -> Style {
        match tone {
            Tone::Kept => Style::new(),
            Tone::Note => self.outcome(Outcome::Pointer),
            Tone::Cut => self.outcome(Outcome::Dropped),
            Tone::Marker => self.quiet(),
        }
    }

    pub fn token(self, token: Token) -> Style {
        match token {
            Token::Plain => Style::new(),
            Token::Comment => Style::new().add_modifier(Modifier::DIM | Modifier::ITALIC),
            Token::Keyword => self.style(Color::Magenta, Modifier::empty()),
            Token::String => self.style(Color::Yellow, Modifier::empty()),
            Token::Number => self.style(Color::Cyan, Modifier::empty()),
            Token::Name => self.style(Color::Blue, Modifier::empty()),
            Token::Added => self.style(Color::Blue, Modifier::BOLD),
            Token::Removed => self.style(Color::Yellow, Modifier::ITALIC),
            Token::Hunk => self.style(Color::Cyan, Modifier::DIM),
        }
    }

    /// Frames, numbers, and other things that stand back.
    pub fn quiet(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The frame of the pane that has the focus.
    pub fn focus(self) -> Style {
        self.style(Color::Cyan, Modifier::BOLD)
    }

    /// The row or value that is chosen.
    pub fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub fn good(self) -> Style {
        self.style(Color::Cyan, Modifier::BOLD)
    }

    pub fn bad(self) -> Style {
        self.style(Color::LightRed, Modifier::BOLD | Modifier::REVERSED)
    }

    /// A tool result that is an error.
    pub fn error(self) -> Style {
        self.style(Color::LightRed, Modifier::BOLD)
    }

    pub fn gauge(self) -> Style {
        self.style(Color::Blue, Modifier::empty())
    }

    /// A key in the footer or the help.
    pub fn key(self) -> Style {
        self.style(Color::Cyan, Modifier::BOLD)
    }

    /// Where the search pattern stands.
    pub fn found(self) -> Style {
        self.style(Color::Yellow, Modifier::BOLD | Modifier::UNDERLINED)
    }
}

/// The glyph of an outcome.
pub fn glyph(outcome: Outcome) -> char {
    match outcome {
        Outcome::Kept => ' ',
        Outcome::Pinned => 'P',
        Outcome::Deduped => '=',
        Outcome::Pointer => '>',
        Outcome::Trimmed => '~',
        Outcome::Dropped => 'x',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mono_palette_sets_no_colour_and_tells_every_outcome_apart() {
        let theme = Theme::new(Palette::Mono);
        let styles = Outcome::ALL.map(|outcome| theme.outcome(outcome));
        for style in styles {
            assert_eq!((style.fg, style.bg), (None, None));
        }
        let glyphs: std::collections::BTreeSet<_> = Outcome::ALL.map(glyph).into();
        assert_eq!(glyphs.len(), Outcome::ALL.len());
        for token in [Token::Keyword, Token::String, Token::Added, Token::Removed, Token::Hunk] {
            assert_eq!(theme.token(token).fg, None);
        }
        for style in
            [theme.focus(), theme.good(), theme.bad(), theme.error(), theme.gauge(), theme.key()]
        {
            assert_eq!(style.fg, None);
        }
    }
}
