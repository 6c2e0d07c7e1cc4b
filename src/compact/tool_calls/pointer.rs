//! The note that stands where an output was, and names the result that still holds it.

use std::fmt;

/// A lossless pointer. Its wording is the reference's: other programs read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pointer<'a> {
    /// The result `id` has the same comparable lines.
    Identical { id: &'a str },
    /// The output is exactly the lines `first` to `last` of the result `id`, counting from 1.
    Lines { id: &'a str, first: usize, last: usize },
}

impl<'a> Pointer<'a> {
    /// Unicode scalar values of the shortest pointer, without the id in it.
    pub const SHORTEST: usize = "[output = lines 1-1 of ]".len();

    /// Reads a pointer back, `None` for any other text.
    pub fn parse(note: &'a str) -> Option<Pointer<'a>> {
        let body = note.strip_prefix('[')?.strip_suffix(']')?;
        let pointer = if let Some(id) = body.strip_prefix("identical output kept at ") {
            Pointer::Identical { id }
        } else {
            let (range, id) = body.strip_prefix("output = lines ")?.split_once(" of ")?;
            let (first, last) = range.split_once('-')?;
            Pointer::Lines { id, first: line_number(first)?, last: line_number(last)? }
        };
        // A note is one line; an id that breaks it could not be read back.
        (!pointer.id().is_empty() && !pointer.id().contains('\n')).then_some(pointer)
    }

    pub fn id(&self) -> &'a str {
        match self {
            Pointer::Identical { id } | Pointer::Lines { id, .. } => id,
        }
    }
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pointer::Identical { id } => write!(f, "[identical output kept at {id}]"),
            Pointer::Lines { id, first, last } => {
                write!(f, "[output = lines {first}-{last} of {id}]")
            }
        }
    }
}

fn line_number(digits: &str) -> Option<usize> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    plain.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_writes() {
        for pointer in [
            Pointer::Identical { id: "toolu_1" },
            Pointer::Identical { id: "] of [" },
            Pointer::Lines { id: "a of b", first: 1, last: 120 },
        ] {
            assert_eq!(Pointer::parse(&pointer.to_string()), Some(pointer));
        }
    }

    #[test]
    fn other_texts_are_no_pointers() {
        for note in [
            "",
            "[identical output kept at ]",
            "[identical output kept at a\nb]",
            "[output = lines 01-2 of a]",
            "[output = lines +1-2 of a]",
            "[output = lines 0-2 of a]",
            "[output = lines 1-99999999999999999999999 of a]",
            "[output = lines 1-2]",
            "identical output kept at a",
        ] {
            assert_eq!(Pointer::parse(note), None, "{note}");
        }
    }
}
