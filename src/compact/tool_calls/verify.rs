//! The promise that nothing is lost, checked from what went in and what came out, whoever decided.

use std::collections::HashMap;

use super::lines::comparable_lines;
use super::pointer::Pointer;
use super::recoverable::{Owners, is_own_pointer};
use super::transcript::{Output, Transcript, Turn};

/// What breaks the promise; empty when it holds. Messages, roles, texts, calls, result ids and
/// error flags must be as they were, and a result whose text changed must be a pointer to a later
/// unchanged result that holds the old text. Only messages that hold nothing may be missing. The
/// sentences are the reference's: they are part of its answer.
pub fn verify_lossless(before: &Transcript, after: &Transcript) -> Vec<String> {
    verify(before, after, |_, _| false)
}

/// What breaks the promise of mode recoverable: beside what [`verify_lossless`] takes, a result
/// may have given way to a note that names its own call's file, with the lines that were read, or
/// its own call's read-only command, where command pointers are allowed.
pub fn verify_recoverable(
    before: &Transcript,
    after: &Transcript,
    allow_command_pointers: bool,
) -> Vec<String> {
    let owners = Owners::of(before);
    verify(before, after, |old, note| {
        owners
            .of_result(old)
            .is_some_and(|call| is_own_pointer(call, &old.text, note, allow_command_pointers))
    })
}

/// What breaks the promise where, beside a pointer to a later result, `may_stand` says which text
/// may be in the place of a result.
pub(super) fn verify(
    before: &Transcript,
    after: &Transcript,
    may_stand: impl Fn(&Output, &str) -> bool,
) -> Vec<String> {
    let full =
        |transcript: &Transcript| transcript.turns.iter().filter(|turn| !turn.is_empty()).count();
    if full(before) != full(after) {
        return vec![format!("message count changed: {} -> {}", full(before), full(after))];
    }
    let violations = changed_messages(before, after);
    if violations.is_empty() { broken_pointers(before, after, may_stand) } else { violations }
}

fn changed_messages(before: &Transcript, after: &Transcript) -> Vec<String> {
    let old = before.turns.iter().enumerate().filter(|(_, turn)| !turn.is_empty());
    let new = after.turns.iter().filter(|turn| !turn.is_empty());
    let changes = |((message, old), new)| {
        changed_parts(old, new).into_iter().map(move |part| format!("message {message}: {part}"))
    };
    old.zip(new).flat_map(changes).collect()
}

fn changed_parts(old: &Turn, new: &Turn) -> Vec<&'static str> {
    let calls = old.calls.iter().map(|c| (c.id, c.tool, &*c.input));
    let results = old.results.iter().map(|r| (r.id, r.is_error));
    let checks = [
        (old.role == new.role, "role changed"),
        (old.text == new.text, "text changed"),
        (calls.eq(new.calls.iter().map(|c| (c.id, c.tool, &*c.input))), "tool calls changed"),
        (
            results.eq(new.results.iter().map(|r| (r.id, r.is_error))),
            "tool result ids or error flags changed",
        ),
    ];
    checks.into_iter().filter(|(same, _)| !same).map(|(_, what)| what).collect()
}

/// Both hold the same results by now, apart from their texts.
fn broken_pointers(
    before: &Transcript,
    after: &Transcript,
    may_stand: impl Fn(&Output, &str) -> bool,
) -> Vec<String> {
    let old: Vec<&Output> = before.results().map(|(_, result)| result).collect();
    let new: Vec<&Output> = after.results().map(|(_, result)| result).collect();
    let mut unchanged = Unchanged::default();
    for (n, (old, new)) in old.iter().zip(&new).enumerate() {
        if old.text == new.text {
            unchanged.by_id.entry(new.id).or_default().push((n, new));
        }
    }
    let mut violations = Vec::new();
    for (n, (old, new)) in old.iter().zip(&new).enumerate() {
        let is_new = old.text != new.text;
        if is_new && !may_stand(old, &new.text) && !unchanged.hold(n, old, &new.text) {
            violations.push(format!(
                "result {} changed and its note does not point at a later unchanged result that \
                 holds its exact text",
                old.id
            ));
        }
    }
    violations
}

/// The results that a pointer may name, by id, each with its number among all results.
#[derive(Default)]
struct Unchanged<'t> {
    by_id: HashMap<&'t str, Vec<(usize, &'t Output<'t>)>>,
    /// At which byte each line of a result starts, for those that a pointer named by lines.
    line_starts: HashMap<usize, Vec<usize>>,
}

impl Unchanged<'_> {
    /// Whether `note`, in place of the result `old` with this number, names what holds it.
    fn hold(&mut self, number: usize, old: &Output, note: &str) -> bool {
        let Some(pointer) = Pointer::parse(note) else { return false };
        let named = self.by_id.get(pointer.id()).map_or(&[][..], Vec::as_slice);
        let later =
            |(n, result): &&(usize, &Output)| *n > number && result.is_error == old.is_error;
        let Some((target, result)) = named.iter().find(later) else { return false };
        match pointer {
            Pointer::Identical { .. } => {
                comparable_lines(&old.text).eq(comparable_lines(&result.text))
            }
            Pointer::Lines { first, last, .. } => {
                let starts =
                    self.line_starts.entry(*target).or_insert_with(|| line_starts(&result.text));
                lines(&result.text, starts, first, last) == Some(&*old.text)
            }
        }
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// The lines `first` to `last` of a text, counting from 1; `None` when it has not got them.
fn lines<'t>(text: &'t str, starts: &[usize], first: usize, last: usize) -> Option<&'t str> {
    let start = *starts.get(first.checked_sub(1)?)?;
    let end = match starts.get(last) {
        Some(next) => next - 1,
        None if last == starts.len() => text.len(),
        None => return None,
    };
    text.get(start..end)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::compact::tool_calls::Call;

    const OLD: &str = "one\ntwo";

    fn transcript<'a>(results: &[(&'a str, &'a str, bool)]) -> Transcript<'a> {
        let turn = |(id, text, is_error): &(&'a str, &'a str, bool)| Turn {
            role: "user",
            text: Cow::Borrowed(" "),
            calls: vec![Call { id, tool: "Read", input: Cow::Borrowed("{}") }],
            results: vec![Output { id, text: Cow::Borrowed(text), is_error: *is_error }],
        };
        Transcript { turns: results.iter().map(turn).collect() }
    }

    /// Verifies `note` in place of `OLD`, with one result before it and one after it.
    fn holds(note: &str, later: &str, later_is_error: bool) -> bool {
        let before =
            transcript(&[("b", later, false), ("a", OLD, false), ("c", later, later_is_error)]);
        let after =
            transcript(&[("b", later, false), ("a", note, false), ("c", later, later_is_error)]);
        verify_lossless(&before, &after).is_empty()
    }

    #[test]
    fn a_pointer_must_name_a_later_result_that_holds_the_text() {
        assert!(holds("[identical output kept at c]", OLD, false));
        assert!(!holds("[identical output kept at b]", OLD, false));
        assert!(!holds("[identical output kept at d]", OLD, false));
        assert!(!holds("[identical output kept at c]", OLD, true));
        assert!(!holds("[identical output kept at c]", "one\ntwo\n", false));
        assert!(!holds("one", OLD, false));
    }

    #[test]
    fn a_line_range_must_be_exact() {
        let later = "zero\none\ntwo";
        assert!(holds("[output = lines 2-3 of c]", later, false));
        for note in ["1-2", "2-4", "3-2", "9-9", "2-18446744073709551615"] {
            assert!(!holds(&format!("[output = lines {note} of c]"), later, false), "{note}");
        }
    }

    #[test]
    fn a_pointer_must_not_name_a_replaced_result() {
        let before = transcript(&[("a", OLD, false), ("b", OLD, false), ("c", OLD, false)]);
        let (to_b, to_c) = ("[identical output kept at b]", "[identical output kept at c]");
        let after = transcript(&[("a", to_b, false), ("b", to_c, false), ("c", OLD, false)]);
        let violations = verify_lossless(&before, &after);
        assert_eq!(violations.len(), 1);
        assert!(violations[0].starts_with("result a changed"), "{violations:?}");
    }

    #[test]
    fn anything_but_a_result_must_be_as_it_was() {
        let before = transcript(&[("a", OLD, false)]);
        type Change = fn(&mut Turn<'static>);
        let changes: [(Change, &str); 6] = [
            (|turn| turn.role = "tool", "message 0: role changed"),
            (|turn| turn.text = Cow::Borrowed(""), "message 0: text changed"),
            (|turn| turn.calls[0].tool = "Edit", "message 0: tool calls changed"),
            (|turn| turn.calls[0].input = Cow::Borrowed("{ }"), "message 0: tool calls changed"),
            (
                |turn| turn.results[0].is_error = true,
                "message 0: tool result ids or error flags changed",
            ),
            (|turn| turn.results.clear(), "message 0: tool result ids or error flags changed"),
        ];
        for (change, violation) in changes {
            let mut after = transcript(&[("a", OLD, false)]);
            change(&mut after.turns[0]);
            assert_eq!(verify_lossless(&before, &after), [violation]);
        }
        let gone = verify_lossless(&before, &Transcript::default());
        assert_eq!(gone, ["message count changed: 1 -> 0"]);
    }
}
