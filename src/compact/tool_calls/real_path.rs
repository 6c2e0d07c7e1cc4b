//! Following the links of a path, in the way of Python's `os.path.realpath`.

use std::collections::HashMap;

use super::paths;

/// The path with every link followed, as far as it exists: what is missing stays as it was named.
/// A link that leads to itself stays too, with all that was to follow it. `current` is the working
/// directory, free of links, for a path that is not absolute; `target_of` tells where a link leads
/// and is `None` for what is no link. Links are followed however many there are.
pub fn real_path(
    path: &str,
    current: impl FnOnce() -> String,
    target_of: impl Fn(&str) -> Option<String>,
) -> String {
    let path = if path.starts_with('/') { path.to_owned() } else { paths::join(&current(), path) };
    let mut walk = Walk::default();
    walk.enter(&path);
    while let Some(step) = walk.ahead.pop() {
        match step {
            Step::Into(part) => match &*part {
                "" | "." => {}
                ".." => walk.real.truncate(walk.real.rfind('/').unwrap_or(0)),
                _ => {
                    let parent = walk.real.len();
                    // Added in place: a copy at each step would cost the square of a long path.
                    walk.real.push('/');
                    walk.real.push_str(&part);
                    if let Some(target) = target_of(&walk.real) {
                        let link = walk.real.clone();
                        walk.real.truncate(parent);
                        if let Some(stuck) = walk.follow(link, &target) {
                            return stuck;
                        }
                    }
                }
            },
            Step::Arrived(link) => {
                walk.links.insert(link, Some(walk.real.clone()));
            }
        }
    }
    if walk.real.is_empty() { "/".to_owned() } else { walk.real }
}

#[derive(Default)]
struct Walk {
    /// Where it is: a path without links and without a slash at the end; empty at the root.
    real: String,
    /// What is still to do, the next step last.
    ahead: Vec<Step>,
    /// Where each link leads; `None` as long as that is not known.
    links: HashMap<String, Option<String>>,
}

enum Step {
    /// Into a part of a path.
    Into(String),
    /// The end of what a link stands for.
    Arrived(String),
}

impl Walk {
    fn enter(&mut self, path: &str) {
        if path.starts_with('/') {
            self.real.clear();
        }
        self.ahead.extend(path.split('/').rev().map(|part| Step::Into(part.to_owned())));
    }

    /// Goes where a link leads. A link that is met again on its own way leads nowhere: then this
    /// is the whole path, as far as it came.
    fn follow(&mut self, link: String, target: &str) -> Option<String> {
        match self.links.get(&link) {
            Some(Some(known)) => self.real.clone_from(known),
            Some(None) => return Some(self.stuck_at(&link)),
            None => {
                self.links.insert(link.clone(), None);
                self.ahead.push(Step::Arrived(link));
                self.enter(target);
            }
        }
        None
    }

    fn stuck_at(&self, link: &str) -> String {
        let parts = self.ahead.iter().rev().filter_map(|step| match step {
            Step::Into(part) => Some(part.as_str()),
            Step::Arrived(_) => None,
        });
        let path: Vec<&str> = std::iter::once(link).chain(parts).collect();
        paths::normal(&path.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The right-hand sides are what CPython's `os.path.realpath` answers over such links.
    #[test]
    fn links_are_followed_as_python_follows_them() {
        let links = [
            ("/w/a", "b"),
            ("/w/b", "/x/./y//z"),
            ("/w/up", ".."),
            ("/w/out", "../../.."),
            ("/w/self", "self"),
            ("/w/one", "two/c"),
            ("/w/two", "one/d"),
            ("/x/y", "/w"),
        ];
        let target_of =
            |path: &str| links.iter().find(|link| link.0 == path).map(|link| link.1.to_owned());
        for (path, real) in [
            ("/", "/"),
            ("//w/.//n", "/w/n"),
            ("/w/n/../m", "/w/m"),
            ("/w/a", "/w/z"),
            ("/w/a/a/b", "/w/z/a/b"),
            ("/w/up/x/y/up", "/"),
            ("/w/out/w/a", "/w/z"),
            ("/w/self", "/w/self"),
            ("/w/self/../n", "/w/n"),
            ("/w/one/e", "/w/one/d/c/e"),
            ("n/../a", "/w/z"),
        ] {
            assert_eq!(real_path(path, || "/w".to_owned(), target_of), real, "{path}");
        }
    }

    #[test]
    fn a_long_chain_of_links_is_followed_to_its_end() {
        let target_of = |path: &str| {
            let number: u32 = path.strip_prefix("/l")?.parse().ok()?;
            Some(if number == 0 { "end".to_owned() } else { format!("l{}", number - 1) })
        };
        assert_eq!(real_path("/l50000", String::new, target_of), "/end");
    }

    #[test]
    fn a_path_of_a_million_parts_is_walked_without_a_copy_at_each() {
        let path = "/a".repeat(1_000_000);
        assert!(real_path(&path, String::new, |_| None) == path);
    }
}
