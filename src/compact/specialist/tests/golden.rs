//! Answers that the reference gave (local-context-compiler 1.2.0), stage by stage, over sessions
//! of our own (tests/specialist/golden.json).

use serde::Deserialize;

use super::super::columns::NAMES;
use super::super::question::Question;
use super::super::{Part, PartKind, Prepared, Verdict, rank};

#[derive(Deserialize)]
struct Case {
    name: String,
    question: String,
    /// Message, role, kind, tool, body.
    parts: Vec<(usize, String, String, Option<String>, String)>,
    /// First byte, byte behind the last, characters.
    spans: Vec<(usize, usize, usize)>,
    /// The columns of each block; none where a case is about the verdicts alone.
    rows: Vec<Vec<f32>>,
    verdicts: Vec<(bool, Option<f64>)>,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../../../../tests/specialist/golden.json")).unwrap()
}

impl Case {
    fn prepared(&self) -> Prepared {
        Prepared::new(self.parts.iter().map(|(message, role, kind, tool, body)| Part {
            message: *message,
            role,
            kind: match kind.as_str() {
                "text" => PartKind::Text,
                "tool_use" => PartKind::ToolUse,
                _ => PartKind::ToolResult,
            },
            tool: tool.as_deref(),
            body: body.into(),
        }))
    }
}

#[test]
fn blocks_are_cut_where_the_reference_cuts_them() {
    for case in cases() {
        let session = case.prepared();
        let spans = session.blocks.iter().map(|block| &block.span);
        let spans: Vec<_> =
            spans.map(|span| (span.bytes.start, span.bytes.end, span.chars)).collect();
        assert_eq!(spans, case.spans, "{}", case.name);
    }
}

#[test]
fn columns_are_the_references_to_the_last_bit() {
    let mut compared = 0;
    for case in cases() {
        let session = case.prepared();
        let rows = Question::read(&session, &case.question).rows(&session);
        for (block, (row, want)) in rows.iter().zip(&case.rows).enumerate() {
            for ((name, value), want) in NAMES.iter().zip(row).zip(want) {
                assert_eq!(value, want, "{}: {name} of block {block}", case.name);
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 43);
}

#[test]
fn verdicts_are_the_references() {
    let mut gone = 0;
    for case in cases() {
        let verdicts = rank(&case.prepared(), &case.question).unwrap();
        assert_eq!(verdicts.len(), case.verdicts.len(), "{}", case.name);
        for (part, (verdict, want)) in verdicts.iter().zip(&case.verdicts).enumerate() {
            let want = Verdict { gone: want.0, score: want.1 };
            assert_eq!(*verdict, want, "{}: part {part}", case.name);
            gone += usize::from(want.gone);
        }
    }
    assert_eq!(gone, 5);
}
