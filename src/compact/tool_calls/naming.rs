//! How a text names a path, a URL or a command. What counts as naming is the reference's; its
//! patterns are walked by hand here, since they look at what stands around a name.

use std::collections::HashSet;

use memchr::{memchr_iter, memmem};

use crate::python::{is_space, is_word};

/// The endings that make a plain word a file name.
const ENDINGS: [&str; 16] = [
    "py", "ts", "tsx", "js", "jsx", "md", "json", "toml", "yml", "yaml", "sql", "css", "html",
    "sh", "go", "rs",
];

/// What a text refers to: its URLs, then its paths, then its file names, each kind in the order
/// of the text and each reference once. A URL or a file name with a directory gives a path too.
pub(super) fn refs(text: &str) -> Vec<&str> {
    let mut seen = HashSet::new();
    let all = urls(text).chain(paths(text)).chain(file_names(text));
    all.filter(|reference| seen.insert(*reference)).collect()
}

/// Whether a text holds `name` as a whole: no letter, number, `_`, `-` or, before it, `.` may
/// touch it. So `src/app.py` mentions `app.py`, and `webapp.py` does not.
///
/// This is the definition. The rules look for many names at once and are held against it.
#[cfg(test)]
pub(super) fn mentions(text: &str, name: &str) -> bool {
    let finder = memmem::Finder::new(name);
    let mut from = 0;
    // A place that overlaps one that failed may still be whole.
    while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest.as_bytes())) {
        let start = from + at;
        if stands_alone(text, start, start + name.len()) {
            return true;
        }
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// Whether a text names the file at `path`, by the whole path or by its last part alone. The last
/// part stands free within the path, so a text that mentions the path mentions its last part.
#[cfg(test)]
pub(super) fn names_file(text: &str, path: &str) -> bool {
    let name = file_name(path);
    !name.is_empty() && mentions(text, name)
}

/// The last part of a path; empty for a path of nothing but `/`.
pub(super) fn file_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Whether what lies at `start..end` of a text is a mention rather than a part of a longer name.
pub(super) fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    !before.is_some_and(|c| is_word_or_dash(c) || c == '.') && !after.is_some_and(is_word_or_dash)
}

/// `https?://\S+`
fn urls(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    memmem::find_iter(text.as_bytes(), "http").filter_map(move |start| {
        let scheme = &text[start + "http".len()..];
        let rest = scheme.strip_prefix('s').unwrap_or(scheme).strip_prefix("://")?;
        let length = rest.find(is_space).unwrap_or(rest.len());
        if start < from || length == 0 {
            return None;
        }
        from = text.len() - rest.len() + length;
        Some(&text[start..from])
    })
}

/// `[\w.~-]*/[\w.-]+(?:/[\w.-]+)*`
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    memchr_iter(b'/', text.as_bytes()).filter_map(move |slash| {
        if slash < from {
            return None;
        }
        let mut end = slash;
        while let Some(part) = text[end..].strip_prefix('/').map(path_part).filter(|part| *part > 0)
        {
            end += 1 + part;
        }
        if end == slash {
            return None;
        }
        let is_inside = |c: char| is_word_or_dash(c) || c == '.' || c == '~';
        let start = from + text[from..slash].trim_end_matches(is_inside).len();
        from = end;
        Some(&text[start..end])
    })
}

/// `\b[\w-]+\.(?:py|ts|…)\b`
fn file_names(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    memchr_iter(b'.', text.as_bytes()).filter_map(move |dot| {
        // Most dots end a sentence or divide a number.
        if dot < from || !text.as_bytes().get(dot + 1).is_some_and(u8::is_ascii_lowercase) {
            return None;
        }
        let ending = &text[dot + 1..];
        let ending = &ending[..ending.find(|c| !is_word(c)).unwrap_or(ending.len())];
        if !ENDINGS.contains(&ending) {
            return None;
        }
        let run = from + text[from..dot].trim_end_matches(is_word_or_dash).len();
        let start = run + first_word_boundary(text, run, dot)?;
        from = dot + 1 + ending.len();
        Some(&text[start..from])
    })
}

/// How far into `text[start..end]` it first changes between word characters and others.
fn first_word_boundary(text: &str, start: usize, end: usize) -> Option<usize> {
    let mut before = text[..start].chars().next_back().is_some_and(is_word);
    for (at, c) in text[start..end].char_indices() {
        if is_word(c) != before {
            return Some(at);
        }
        before = is_word(c);
    }
    None
}

/// Bytes at the beginning of a text that can be a part of a path.
fn path_part(text: &str) -> usize {
    text.find(|c| !is_word_or_dash(c) && c != '.').unwrap_or(text.len())
}

fn is_word_or_dash(c: char) -> bool {
    is_word(c) || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The right-hand sides are what CPython's patterns find.
    #[test]
    fn urls_come_first_then_paths_then_file_names() {
        for (text, found) in [
            ("app.py in src/app.py", &["src/app.py", "app.py"][..]),
            (
                "see https://a.b/c.md, or http://x",
                &["https://a.b/c.md,", "http://x", "/a.b/c.md", "/x", "c.md"],
            ),
            ("https:// http:/x httpss://y", &["/x", "/y"]),
            ("httphttp://a/http://b c", &["http://a/http://b", "/a/http", "/b"]),
            ("~/größe/会話.ts", &["~/größe/会話.ts", "会話.ts"]),
            ("a/b~c/d a/b//c/ /", &["a/b", "~c/d", "/c"]),
            ("x.pyc x.py_ x.Py .py -.py", &[]),
            ("-foo.py ---é-.rs", &["foo.py", "é-.rs"]),
            ("a.py-b.py", &["a.py", "-b.py"]),
            ("a.b.tsx c.yaml d.yml e.html5", &["b.tsx", "c.yaml", "d.yml"]),
            ("a.py a.py", &["a.py"]),
            ("http://a\u{1f}b/c", &["http://a", "/a", "b/c"]),
        ] {
            assert_eq!(refs(text), found, "{text}");
        }
    }

    #[test]
    fn a_mention_is_whole() {
        for text in
            ["app.py", "src/app.py", "~app.py.", "(app.py)", "web-app.py app.py", "🚚app.py"]
        {
            assert!(mentions(text, "app.py"), "{text}");
        }
        for text in ["webapp.py", ".app.py", "-app.py", "app.pyc", "app.py-", "éapp.py", "app.py²"]
        {
            assert!(!mentions(text, "app.py"), "{text}");
        }
    }

    #[test]
    fn a_mention_may_overlap_a_place_that_is_none() {
        assert!(mentions("xa/a/a", "a/a"));
        assert!(mentions("é é é", "é é"));
        assert!(!mentions("aaaa", "aa"));
    }

    #[test]
    fn a_name_of_nothing_is_mentioned_between_other_characters() {
        assert!(mentions("", ""));
        assert!(mentions("a, ", ""));
        assert!(!mentions("ab", ""));
    }

    #[test]
    fn a_file_is_named_by_its_last_part() {
        assert!(names_file("edit app.py now", "/r/src/app.py"));
        assert!(names_file("cd /r/src", "/r/src//"));
        assert!(!names_file("edit webapp.py", "/r/src/app.py"));
        assert!(!names_file("/ //", "//"));
    }
}
