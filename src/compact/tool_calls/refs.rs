//! Answers that send only what is new: `ref_unchanged` and `ref_blocks`.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::apply::{Compacted, Kept};
use super::transcript::{Output, Transcript, Turn};
use crate::python::python_json_sorted;

/// Each message that equals a message of the input becomes `{"ref": its index}`. Equal messages
/// are taken in order: a reference never goes back behind an earlier one.
pub(super) fn ref_unchanged(source: &[Value], compacted: Vec<Value>) -> Vec<Value> {
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, message) in source.iter().enumerate() {
        places.entry(python_json_sorted(message)).or_default().push(place);
    }
    let mut next = 0;
    let refer = |message: Value| {
        let equal = places.get(&python_json_sorted(&message)).map_or(&[][..], Vec::as_slice);
        match equal.get(equal.partition_point(|place| *place < next)) {
            None => message,
            Some(place) => {
                next = place + 1;
                json!({"ref": place})
            }
        }
    };
    compacted.into_iter().map(refer).collect()
}

/// Each message becomes a reference to the one it was; a changed one adds the indexes of the
/// calls and results it keeps, and a patch in place of each result that was replaced.
pub(super) fn ref_blocks(before: &Transcript, compacted: &Compacted) -> Vec<Value> {
    let refer = |(kept, turn): (&Kept, &Turn)| {
        let old = &before.turns[kept.message];
        let mut block = json!({"ref": kept.message});
        let results: Vec<Value> = kept
            .results
            .iter()
            .zip(&turn.results)
            .map(|(&index, new)| refer_result(index, &old.results[index], new))
            .collect();
        let whole = kept.calls.len() == old.calls.len() && results.len() == old.results.len();
        if !whole || results.iter().any(Value::is_object) {
            block["toolUses"] = json!(kept.calls);
            block["toolResults"] = json!(results);
        }
        block
    };
    compacted.kept.iter().zip(&compacted.transcript.turns).map(refer).collect()
}

fn refer_result(index: usize, old: &Output, new: &Output) -> Value {
    if old.text == new.text {
        return json!(index);
    }
    let mut patch = Map::new();
    patch.insert("ref".to_owned(), json!(index));
    patch.insert("tool_use_id".to_owned(), json!(new.id));
    splice(&mut patch, &old.text, &new.text);
    Value::Object(patch)
}

/// `new` as the first `head` UTF-16 units of `old`, a text, and the last `tail` units of `old`.
fn splice(patch: &mut Map<String, Value>, old: &str, new: &str) {
    let same = |(a, b): &(char, char)| a == b;
    let head = |(a, _): (char, char)| a.len_utf8();
    let start: usize = old.chars().zip(new.chars()).take_while(same).map(head).sum();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end: usize =
        old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(same).map(head).sum();
    patch.insert("text".to_owned(), json!(&new_rest[..new_rest.len() - end]));
    for (name, part) in [("head", &old[..start]), ("tail", &old[old.len() - end..])] {
        if !part.is_empty() {
            patch.insert(name.to_owned(), json!(part.encode_utf16().count()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced(old: &str, new: &str) -> Value {
        let mut patch = Map::new();
        splice(&mut patch, old, new);
        Value::Object(patch)
    }

    #[test]
    fn a_splice_counts_utf16_units() {
        let want = json!({"text": "c", "head": 4, "tail": 3});
        assert_eq!(spliced("🚚éaab🚚z", "🚚éac🚚z"), want);
        assert_eq!(spliced("abc", "xyz"), json!({"text": "xyz"}));
    }

    #[test]
    fn head_and_tail_do_not_overlap() {
        assert_eq!(spliced("aaaa", "aa"), json!({"text": "", "head": 2}));
        assert_eq!(spliced("aba", "aba-ba"), json!({"text": "-ba", "head": 3}));
        assert_eq!(spliced("xaba", "xa"), json!({"text": "", "head": 2}));
    }

    #[test]
    fn equal_messages_are_referred_to_in_order() {
        let [a, b, c] = ["a", "b", "c"].map(|text| json!({"role": "user", "text": text}));
        let source = [a.clone(), b.clone(), a.clone(), b.clone()];
        let answer = ref_unchanged(&source, vec![a.clone(), c.clone(), a.clone(), b, a.clone()]);
        assert_eq!(answer, [json!({"ref": 0}), c, json!({"ref": 2}), json!({"ref": 3}), a]);
    }
}
