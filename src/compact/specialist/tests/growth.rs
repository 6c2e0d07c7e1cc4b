//! A session that grows is read as it would be from the start.

use proptest::prelude::*;

use super::super::{Prepared, rank};
use super::sessions;

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn what_is_appended_is_read_as_if_it_had_been_there(
        parts in sessions::parts(14),
        at in any::<prop::sample::Index>(),
        question in sessions::question(),
    ) {
        let whole = Prepared::new(parts.iter().map(|part| part.part()));
        let (first, rest) = parts.split_at(at.index(parts.len()));
        let mut grown = Prepared::new(first.iter().map(|part| part.part()));
        let _ = rank(&grown, &question);
        grown.extend(rest.iter().map(|part| part.part()));
        prop_assert_eq!(&grown.blocks, &whole.blocks);
        prop_assert_eq!(&grown.rows, &whole.rows);
        prop_assert_eq!(rank(&grown, &question), rank(&whole, &question));
    }
}

#[test]
fn nothing_is_ranked_without_a_question_or_a_block_of_some_length() {
    use super::super::{Part, PartKind, RankError};
    let part = |body: &'static str| Part {
        message: 0,
        role: "user",
        kind: PartKind::Text,
        tool: None,
        body: body.into(),
    };
    let long = Prepared::new([part(
        "A block of eighty characters or more is judged, and this one has more than that.",
    )]);
    assert!(rank(&long, "why").is_ok());
    assert_eq!(rank(&long, " \u{1f}\n"), Err(RankError::NoQuestion));
    for body in ["short", ""] {
        let short = Prepared::new([part(body)]);
        assert_eq!(rank(&short, "why"), Err(RankError::NothingToRank));
    }
    assert_eq!(rank(&Prepared::default(), "why"), Err(RankError::NothingToRank));
}
