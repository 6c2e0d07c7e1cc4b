//! Paths as texts, in the way of Python's `posixpath`: nothing here looks at a disk.

/// Directories that hold devices, processes and the kernel's own files: reading one again gives
/// something else.
const SPECIAL: [&str; 3] = ["/dev", "/proc", "/sys"];
/// Directories that may be emptied before an agent reads again.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/var/folders"];

/// The directory that macOS keeps others in.
const PRIVATE: &str = "/private";

pub fn is_special(path: &str) -> bool {
    lies_in_one_of(without_private(path), &SPECIAL)
}

pub fn is_temporary(path: &str) -> bool {
    lies_in_one_of(without_private(path), &TEMPORARY) || lies_in_one_of(path, &["/dev/shm"])
}

/// A line feed at the very end does not count, as for `$` in a pattern.
fn lies_in_one_of(path: &str, directories: &[&str]) -> bool {
    directories
        .iter()
        .filter_map(|directory| path.strip_prefix(directory))
        .any(|rest| rest.is_empty() || rest.starts_with('/') || rest == "\n")
}

fn without_private(path: &str) -> &str {
    match path.strip_prefix(PRIVATE) {
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}

/// What two paths are compared by where one may lie in the other: macOS names some directories
/// with and without `/private`. The reference takes those letters away wherever they begin a path.
pub fn comparable(path: &str) -> &str {
    path.strip_prefix(PRIVATE).unwrap_or(path)
}

/// Whether a path is a directory or lies in it.
pub fn lies_in(path: &str, directory: &str) -> bool {
    let directory = comparable(directory).trim_end_matches('/');
    comparable(path)
        .strip_prefix(directory)
        .is_some_and(|rest| directory.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

pub fn after_last_slash(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}

/// `posixpath.join` of two.
pub fn join(directory: &str, path: &str) -> String {
    if path.starts_with('/') || directory.is_empty() {
        path.to_owned()
    } else if directory.ends_with('/') {
        format!("{directory}{path}")
    } else {
        format!("{directory}/{path}")
    }
}

/// `posixpath.normpath`: `.`, `..` and doubled slashes are taken out of the text.
pub fn normal(path: &str) -> String {
    let root = match path.len() - path.trim_start_matches('/').len() {
        0 => "",
        // A path may begin with exactly two slashes and mean something else by it.
        2 => "//",
        _ => "/",
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match parts.last() {
            _ if part != ".." => parts.push(part),
            Some(&last) if last != ".." => {
                parts.pop();
            }
            None if !root.is_empty() => {}
            _ => parts.push(part),
        }
    }
    let normal = format!("{root}{}", parts.join("/"));
    if normal.is_empty() { ".".to_owned() } else { normal }
}

/// `posixpath.dirname`
pub fn directory(path: &str) -> &str {
    let head = &path[..path.rfind('/').map_or(0, |slash| slash + 1)];
    let trimmed = head.trim_end_matches('/');
    if trimmed.is_empty() { head } else { trimmed }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The right-hand sides are what CPython's `posixpath` answers.
    #[test]
    fn paths_are_normal_as_in_python() {
        for (path, normal_path) in [
            ("", "."),
            ("/", "/"),
            ("//", "//"),
            ("///a//b/./", "/a/b"),
            ("//a/../..", "//"),
            ("/../a", "/a"),
            ("a/../../b", "../b"),
            ("../../a/..", "../.."),
            ("a/..", "."),
        ] {
            assert_eq!(normal(path), normal_path, "{path}");
        }
    }

    #[test]
    fn paths_are_joined_and_parted_as_in_python() {
        assert_eq!(join("/a", "b"), "/a/b");
        assert_eq!(join("/a/", ""), "/a/");
        assert_eq!(join("/a", "/b"), "/b");
        assert_eq!(join("", "b"), "b");
        for (path, parent) in
            [("/a/b", "/a"), ("/a", "/"), ("a", ""), ("//a", "//"), ("/a//b", "/a")]
        {
            assert_eq!(directory(path), parent, "{path}");
        }
    }

    #[test]
    fn special_and_temporary_directories_end_where_their_names_do() {
        for path in ["/tmp", "/tmp/x", "/private/tmp", "/var/folders/x", "/dev/shm/a", "/tmp\n"] {
            assert!(is_temporary(path), "{path}");
        }
        for path in
            ["/tmpx", "tmp/x", "/var/x", "/private/dev/shm", "/private//tmp", "/tmp\n\n", ""]
        {
            assert!(!is_temporary(path), "{path}");
        }
        assert!(is_special("/dev/null") && is_special("/private/proc") && !is_special("/device"));
    }

    #[test]
    fn a_path_lies_in_its_directory_and_in_itself() {
        for (path, directory) in [
            ("/a/b", "/a"),
            ("/a", "/a/"),
            ("/a", "/"),
            ("/private/a/b", "/a"),
            ("/a/b", "/private/a"),
            ("/x", "/private"),
            ("/privatefoo/x", "/privatefoo"),
        ] {
            assert!(lies_in(path, directory), "{path} {directory}");
        }
        for (path, directory) in [("/ab", "/a"), ("/a", "/a/b"), ("/privatefoo", "/foo")] {
            assert!(!lies_in(path, directory), "{path} {directory}");
        }
    }
}
