//! The characters and tokens that a report tells: of texts, then calls with their inputs
//! ASCII-escaped, then results, message by message, each on a line of its own.

use std::borrow::Cow;

use super::apply::Compacted;
use super::index::Index;
use super::transcript::{Call, Transcript};
use crate::python::ascii_json;
use crate::tokens::{Method, Size, count};

/// Before the pass and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counted {
    pub chars: [usize; 2],
    pub tokens: [usize; 2],
}

/// Counts both transcripts. `index` is that of `before`, and `compacted` is what is left of it,
/// whose texts it borrows.
pub(super) fn counted(
    before: &Transcript,
    index: &Index,
    compacted: &Compacted,
    method: Method,
) -> Counted {
    match method {
        Method::O200kBase => {
            // How a text is divided into tokens depends on what stands beside it.
            let texts = [before, &compacted.transcript].map(joined);
            Counted {
                chars: texts.each_ref().map(|text| text.chars().count()),
                tokens: texts.each_ref().map(|text| count(text, method)),
            }
        }
        Method::Heuristic => {
            let sizes = sizes(before, index, compacted);
            Counted { chars: sizes.map(|size| size.chars), tokens: sizes.map(Size::tokens) }
        }
    }
}

fn joined(transcript: &Transcript) -> String {
    let mut parts: Vec<Cow<str>> = Vec::new();
    for turn in &transcript.turns {
        parts.push(Cow::Borrowed(&turn.text));
        for Call { id, tool, input } in &turn.calls {
            parts.push(Cow::Owned(format!("{id} {tool} {}", ascii_json(input))));
        }
        parts.extend(turn.results.iter().map(|result| Cow::Borrowed(&*result.text)));
    }
    parts.join("\n")
}

/// The sizes of both, where every text that is in both is read once.
fn sizes(before: &Transcript, index: &Index, compacted: &Compacted) -> [Size; 2] {
    let (mut old, mut new) = (Lines::default(), Lines::default());
    let mut left = compacted.kept.iter().zip(&compacted.transcript.turns).peekable();
    let mut results = 0..;
    for (message, turn) in before.turns.iter().enumerate() {
        let stays = left.next_if(|(kept, _)| kept.message == message);
        let text = Size::of(&turn.text);
        old.add(text);
        if stays.is_some() {
            new.add(text);
        }
        for (place, call) in turn.calls.iter().enumerate() {
            let call = size_of_call(call);
            old.add(call);
            if stays.is_some_and(|(kept, _)| kept.calls.binary_search(&place).is_ok()) {
                new.add(call);
            }
        }
        for (place, (result, number)) in turn.results.iter().zip(results.by_ref()).enumerate() {
            let size = index.result_size(number);
            old.add(size);
            let Some((kept, turn)) = stays else { continue };
            let Ok(place) = kept.results.binary_search(&place) else { continue };
            let text = &*turn.results[place].text;
            new.add(if std::ptr::eq(text, &*result.text) { size } else { Size::of(text) });
        }
    }
    [old.size(), new.size()]
}

fn size_of_call(Call { id, tool, input }: &Call) -> Size {
    let is_plain = input.bytes().all(|byte| byte <= b'~');
    let mut size = if is_plain { Size::of(input) } else { Size::of(&ascii_json(input)) };
    size += Size::of(id);
    size += Size::of(tool);
    // The spaces between them.
    size += Size { chars: 2, words: 0 };
    size
}

/// Texts on lines of their own.
#[derive(Default)]
struct Lines {
    count: usize,
    texts: Size,
}

impl Lines {
    fn add(&mut self, text: Size) {
        self.count += 1;
        self.texts += text;
    }

    fn size(self) -> Size {
        Size { chars: self.texts.chars + self.count.saturating_sub(1), ..self.texts }
    }
}

#[cfg(test)]
mod tests {
    use super::super::apply::Kept;
    use super::super::transcript::{Output, Turn};
    use super::*;

    #[test]
    fn sizes_are_those_of_the_joined_texts() {
        let call =
            |id| Call {
                id, tool: "T \u{3000}t", input: r#"{"é\u{3000} \u{7f}": "🚚 a"}"#.into()
            };
        let result = |text: &'static str| Output { id: "a", text: text.into(), is_error: false };
        let turn = |text: &'static str, results| Turn {
            role: "user",
            text: text.into(),
            calls: vec![call("a"), call("b")],
            results,
        };
        let before = Transcript {
            turns: vec![
                turn("one two", vec![result("x y\n"), result("\u{3000}z")]),
                turn("gone", vec![result("gone as well")]),
                turn("", vec![result("")]),
            ],
        };
        let (first, last) = (&before.turns[0], &before.turns[2]);
        let borrowed = |turn: &Turn<'static>, calls: &[usize], results| Turn {
            calls: calls.iter().map(|&index| turn.calls[index].clone()).collect(),
            results,
            ..turn.clone()
        };
        let compacted = Compacted {
            transcript: Transcript {
                turns: vec![
                    borrowed(first, &[1], vec![result("a note")]),
                    borrowed(last, &[0, 1], last.results.clone()),
                ],
            },
            kept: vec![
                Kept { message: 0, calls: vec![1], results: vec![1] },
                Kept { message: 2, calls: vec![0, 1], results: vec![0] },
            ],
        };
        let texts = [&before, &compacted.transcript].map(joined);
        assert_eq!(
            sizes(&before, &Index::build(&before), &compacted),
            texts.each_ref().map(|text| Size::of(text))
        );
        assert!(texts[1].contains("a note") && texts[0].contains("gone"));
    }
}
