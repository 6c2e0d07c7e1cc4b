//! Colours for code, JSON and diffs, made on a thread with syntect.

use std::path::Path;
use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::app::detail::{Highlighting, Token, shown_text};
use crate::sanitise;
use crate::session::{Entry, Kind, Session};

/// A text longer than this stays plain: its colours would come too late to be of use.
const MOST_BYTES: usize = 512 * 1024;
/// Lines longer than this stay plain; minified code has nothing to read in it.
const LONGEST_LINE: usize = 4096;

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// Scopes and what they are drawn as; of those that fit, the longest counts.
static TOKENS: LazyLock<Vec<(Scope, Token)>> = LazyLock::new(|| {
    let tokens = [
        ("comment", Token::Comment),
        ("string", Token::String),
        ("constant.numeric", Token::Number),
        ("constant.language", Token::Number),
        ("constant.character", Token::Number),
        ("keyword", Token::Keyword),
        ("storage", Token::Keyword),
        ("entity.name", Token::Name),
        ("support.function", Token::Name),
        ("support.type", Token::Name),
        ("variable.function", Token::Name),
        ("markup.inserted", Token::Added),
        ("markup.deleted", Token::Removed),
        ("meta.diff.range", Token::Hunk),
        ("meta.diff.header", Token::Hunk),
    ];
    let scoped = |(scope, token)| Scope::new(scope).ok().map(|scope| (scope, token));
    tokens.into_iter().filter_map(scoped).collect()
});

/// The colours of an entry as the detail pane shows it; `None` for plain text.
pub fn highlight(session: &Session, index: usize) -> Option<Highlighting> {
    let entry = session.entries.get(index)?;
    let text = shown_text(entry);
    if text.len() > MOST_BYTES {
        return None;
    }
    let syntax = syntax_of(session, entry, &text)?;
    let mut painter = Painter { state: ParseState::new(syntax), stack: ScopeStack::new() };
    Some(text.split('\n').map(|line| painter.line(line)).collect())
}

struct Painter {
    state: ParseState,
    stack: ScopeStack,
}

impl Painter {
    /// The spans of one line, counted in bytes of the sanitised line.
    fn line(&mut self, raw: &str) -> Vec<(usize, Token)> {
        let text = sanitise::line(raw);
        let (number, code) = split_line_number(&text);
        let mut spans = Vec::new();
        if number > 0 {
            spans.push((number, Token::Comment));
        }
        if code.len() > LONGEST_LINE {
            return spans;
        }
        let parsed = self.state.parse_line(&format!("{code}\n"), &SYNTAXES);
        let Ok(operations) = parsed else { return spans };
        let mut start = 0;
        for (at, operation) in operations {
            let at = at.min(code.len());
            if at > start {
                spans.push((at - start, token(&self.stack)));
                start = at;
            }
            if self.stack.apply(&operation).is_err() {
                return spans;
            }
        }
        if start < code.len() {
            spans.push((code.len() - start, token(&self.stack)));
        }
        spans
    }
}

/// Bytes of a line number that a reading tool puts before a line (`   12→`, `   12\t`), and the
/// rest.
fn split_line_number(line: &str) -> (usize, &str) {
    let digits = line.trim_start();
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == digits.len() {
        return (0, line);
    }
    // A tab is expanded by now: at least two blanks, or one before the text.
    let code = rest
        .strip_prefix('→')
        .or_else(|| rest.strip_prefix(' ').filter(|_| digits.len() < line.len()));
    code.map_or((0, line), |code| (line.len() - code.len(), code))
}

/// What the innermost scope that has a colour is.
fn token(stack: &ScopeStack) -> Token {
    for scope in stack.as_slice().iter().rev() {
        let fitting = TOKENS.iter().filter(|(prefix, _)| prefix.is_prefix_of(*scope));
        if let Some((_, token)) = fitting.max_by_key(|(prefix, _)| prefix.len()) {
            return *token;
        }
    }
    Token::Plain
}

/// JSON for a call; for a result a diff where it reads as one, else the language of the file
/// that its call names.
fn syntax_of(session: &Session, entry: &Entry, text: &str) -> Option<&'static SyntaxReference> {
    match entry.kind {
        Kind::Call { .. } => SYNTAXES.find_syntax_by_extension("json"),
        Kind::Result { call, .. } => {
            if is_diff(text) {
                return SYNTAXES.find_syntax_by_extension("diff");
            }
            if text.starts_with('{') || text.starts_with('[') {
                return SYNTAXES.find_syntax_by_extension("json");
            }
            let path = call.and_then(|call| path_of(&session.entries[call].content))?;
            syntax_of_path(&path)
        }
        Kind::Text | Kind::Thinking => SYNTAXES.find_syntax_by_extension("md"),
        Kind::Image | Kind::Notice { .. } => None,
    }
}

fn is_diff(text: &str) -> bool {
    let mut lines = text.lines().take(12);
    text.starts_with("diff ")
        || text.starts_with("--- ")
        || lines.any(|line| line.starts_with("@@ "))
}

fn path_of(input: &str) -> Option<String> {
    let input: serde_json::Value = serde_json::from_str(input).ok()?;
    ["file_path", "path", "filename", "notebook_path"]
        .iter()
        .find_map(|name| Some(input.get(*name)?.as_str()?.to_string()))
}

/// By extension; kin of a language that has no syntax of its own share that language's.
fn syntax_of_path(path: &str) -> Option<&'static SyntaxReference> {
    let extension = Path::new(path).extension()?.to_str()?.to_lowercase();
    let kin = match extension.as_str() {
        "ts" | "tsx" | "jsx" | "mjs" | "cjs" => "js",
        "jsonl" | "ipynb" => "json",
        "toml" | "cfg" | "conf" | "ini" => "yaml",
        "zsh" | "fish" => "sh",
        "kt" | "swift" => "scala",
        other => other,
    };
    SYNTAXES.find_syntax_by_extension(kin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_number_stands_apart_from_the_code() {
        assert_eq!(split_line_number("    12→let x"), ("    12→".len(), "let x"));
        assert_eq!(split_line_number("     7  fn main"), (7, " fn main"));
        assert_eq!(split_line_number("12 apples"), (0, "12 apples"));
        assert_eq!(split_line_number("no number"), (0, "no number"));
    }

    #[test]
    fn spans_cover_no_more_than_their_line() {
        let syntax = SYNTAXES.find_syntax_by_extension("rs").unwrap();
        let mut painter = Painter { state: ParseState::new(syntax), stack: ScopeStack::new() };
        for line in ["/* open", "still */ let s = \"a\"; // end", "", "\tlet n = 1;"] {
            let spans = painter.line(line);
            let covered: usize = spans.iter().map(|(length, _)| length).sum();
            assert!(covered <= sanitise::line(line).len(), "{line}: {spans:?}");
        }
    }
}
