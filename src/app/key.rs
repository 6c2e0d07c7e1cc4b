//! A key, whatever library read it, and how it is written.

/// One key press. Shift is part of the character; alt is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Ctrl(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    F(u8),
}

/// Names inside `<…>`, as `snapshot --keys` and the help write them.
const NAMES: [(&str, Key); 18] = [
    ("enter", Key::Enter),
    ("cr", Key::Enter),
    ("esc", Key::Esc),
    ("tab", Key::Tab),
    ("s-tab", Key::BackTab),
    ("backspace", Key::Backspace),
    ("del", Key::Delete),
    ("up", Key::Up),
    ("down", Key::Down),
    ("left", Key::Left),
    ("right", Key::Right),
    ("pgup", Key::PageUp),
    ("pgdn", Key::PageDown),
    ("home", Key::Home),
    ("end", Key::End),
    ("space", Key::Char(' ')),
    ("lt", Key::Char('<')),
    ("f1", Key::F(1)),
];

impl Key {
    /// Reads `jjm+<enter><c-d>`: plain characters, and names in angle brackets.
    ///
    /// # Errors
    /// The unknown name, or the `<` that is never closed.
    pub fn parse_all(text: &str) -> Result<Vec<Key>, String> {
        let mut keys = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if c != '<' {
                keys.push(Key::Char(c));
                rest = &rest[c.len_utf8()..];
                continue;
            }
            let Some(end) = rest.find('>') else {
                return Err(format!("`{rest}` is not closed; write <lt> for a plain <"));
            };
            let name = &rest[1..end];
            keys.push(Key::named(name).ok_or_else(|| format!("`<{name}>` is no key"))?);
            rest = &rest[end + 1..];
        }
        Ok(keys)
    }

    fn named(name: &str) -> Option<Key> {
        let name = name.to_lowercase();
        if let Some((_, key)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Some(*key);
        }
        let mut ctrl = name.strip_prefix("c-")?.chars();
        match (ctrl.next(), ctrl.next()) {
            (Some(c), None) => Some(Key::Ctrl(c)),
            _ => None,
        }
    }

    /// How the footer, the help and the README write it.
    pub fn label(self) -> String {
        match self {
            Key::Char(' ') => "space".into(),
            Key::Char(c) => c.into(),
            Key::Ctrl(c) => format!("^{c}"),
            Key::F(n) => format!("F{n}"),
            Key::BackTab => "S-Tab".into(),
            _ => {
                NAMES.iter().find(|(_, key)| *key == self).map_or_else(String::new, |(name, _)| {
                    let mut letters = name.chars();
                    letters.next().map_or_else(String::new, |first| {
                        first.to_uppercase().collect::<String>() + letters.as_str()
                    })
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_the_snapshot_command_writes_them() {
        assert_eq!(
            Key::parse_all("j3<c-d><lt><space><F1>é").unwrap(),
            [
                Key::Char('j'),
                Key::Char('3'),
                Key::Ctrl('d'),
                Key::Char('<'),
                Key::Char(' '),
                Key::F(1),
                Key::Char('é')
            ]
        );
    }

    #[test]
    fn an_unknown_or_unclosed_name_is_refused() {
        assert!(Key::parse_all("<nope>").is_err());
        assert!(Key::parse_all("j<").is_err());
        assert!(Key::parse_all("<c-xy>").is_err());
    }
}
