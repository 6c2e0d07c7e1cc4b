//! A token estimate that needs no vocabulary.

use crate::compact::python::is_space;

/// The reference's estimate: the mean of characters / 4 and words / 0.75, rounded half to even.
/// 0 for a blank text, at least 1 for any other.
pub fn heuristic_tokens(text: &str) -> usize {
    let words = text.split(is_space).filter(|word| !word.is_empty()).count();
    if words == 0 {
        return 0;
    }
    let estimate = (text.chars().count() as f64 / 4.0 + words as f64 / 0.75) / 2.0;
    (estimate.round_ties_even() as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_is_nothing_and_a_letter_is_one() {
        assert_eq!(heuristic_tokens(""), 0);
        assert_eq!(heuristic_tokens(" \n\u{1c}\u{3000}"), 0);
        assert_eq!(heuristic_tokens("a"), 1);
    }

    #[test]
    fn halves_go_to_the_even_number() {
        // 20 characters and no word more than 3 words: (5 + 4) / 2 = 4.5.
        assert_eq!(heuristic_tokens("aaaaaa aaaaaa aaaaaa"), 4);
        // 28 characters and 3 words: (7 + 4) / 2 = 5.5.
        assert_eq!(heuristic_tokens("aaaaaaaaaa aaaaaaaa aaaaaaaa"), 6);
    }

    #[test]
    fn words_part_where_the_reference_parts_them() {
        assert_eq!(heuristic_tokens("a\u{1f}a\u{85}a\u{200b}a"), 3);
    }
}
