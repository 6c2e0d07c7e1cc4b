//! Words: what the pass reads of a text, and the numbers they go by.

use std::collections::HashMap;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Words of more than this many characters can become topic terms.
const SHORT_WORD: usize = 3;

/// Every word met so far, numbered by first appearance and counted.
#[derive(Default)]
pub(super) struct Vocabulary {
    ids: HashMap<Box<str>, u32>,
    counts: Vec<u64>,
    /// The text that a word was last seen in, so that a set takes it once.
    last_text: Vec<usize>,
    texts: usize,
    lowered: String,
}

impl Vocabulary {
    /// Counts every word of `text` and appends the text's word set to `set`, in order of first
    /// appearance.
    pub fn read(&mut self, text: &str, set: &mut Vec<u32>) {
        self.texts += 1;
        let mut lowered = std::mem::take(&mut self.lowered);
        lower_case(text, &mut lowered);
        each_word(&lowered, |word| {
            let id = self.number(word);
            self.counts[id as usize] += 1;
            if self.last_text[id as usize] != self.texts {
                self.last_text[id as usize] = self.texts;
                set.push(id);
            }
        });
        self.lowered = lowered;
    }

    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// The `most` words of more than three characters that were counted most often, ties in
    /// code-point order.
    pub fn most_frequent(&self, most: usize) -> Vec<(&str, u32)> {
        let mut long: Vec<(u64, &str, u32)> = self
            .ids
            .iter()
            .filter(|(word, _)| word.chars().nth(SHORT_WORD).is_some())
            .map(|(word, &id)| (self.counts[id as usize], &**word, id))
            .collect();
        let rank = |a: &(u64, &str, u32), b: &(u64, &str, u32)| b.0.cmp(&a.0).then(a.1.cmp(b.1));
        if long.len() > most {
            long.select_nth_unstable_by(most, rank);
            long.truncate(most);
        }
        long.sort_unstable_by(rank);
        long.into_iter().map(|(_, word, id)| (word, id)).collect()
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(&id) = self.ids.get(word) {
            return id;
        }
        let id = self.counts.len() as u32;
        self.ids.insert(word.into(), id);
        self.counts.push(0);
        self.last_text.push(0);
        id
    }
}

/// Full Unicode lower case of the whole text: a final sigma depends on its neighbours.
fn lower_case(text: &str, lowered: &mut String) {
    if text.is_ascii() {
        lowered.clear();
        lowered.push_str(text);
        lowered.make_ascii_lowercase();
    } else {
        *lowered = text.to_lowercase();
    }
}

/// Every maximal run of letters and numbers; `_`, `-` and marks separate.
fn each_word(lowered: &str, mut each: impl FnMut(&str)) {
    let mut start = None;
    for (at, character) in lowered.char_indices() {
        match (is_word_character(character), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                each(&lowered[from..at]);
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        each(&lowered[from..]);
    }
}

/// `\p{L}` or `\p{N}`. `char::is_alphanumeric` is a wider set: it takes some marks and symbols.
#[inline]
fn is_word_character(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric();
    }
    matches!(
        character.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut lowered = String::new();
        lower_case(text, &mut lowered);
        let mut words = Vec::new();
        each_word(&lowered, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn underscores_hyphens_and_punctuation_separate_words() {
        assert_eq!(words("DE-4471, snake_case: done."), ["de", "4471", "snake", "case", "done"]);
        assert_eq!(words("last word"), ["last", "word"]);
        assert!(words(" …!? ").is_empty());
    }

    #[test]
    fn letters_and_numbers_of_every_script_make_words() {
        assert_eq!(words("größe x² Ⅳ ½ 会話テスト 🚚"), ["größe", "x²", "ⅳ", "½", "会話テスト"]);
    }

    #[test]
    fn marks_and_circled_letters_are_no_word_characters() {
        // U+24B6 and U+0345 are alphanumeric for the standard library, but So and Mn.
        assert_eq!(words("a\u{24b6}b"), ["a", "b"]);
        assert_eq!(words("e\u{345}f"), ["e", "f"]);
        // The dotted capital I lower-cases to an i and a combining dot.
        assert_eq!(words("\u{130}x"), ["i", "x"]);
    }

    #[test]
    fn a_final_sigma_is_lower_cased_by_its_place_in_the_word() {
        assert_eq!(words("ΟΔΥΣΣΕΥΣ ΣΑΣ"), ["οδυσσευς", "σας"]);
    }

    #[test]
    fn a_set_holds_each_word_once_and_counts_hold_every_occurrence() {
        let mut vocabulary = Vocabulary::default();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        vocabulary.read("beta alpha beta", &mut first);
        vocabulary.read("Alpha gamma", &mut second);
        assert_eq!((first, second), (vec![0, 1], vec![1, 2]));
        assert_eq!(vocabulary.counts, [2, 2, 1]);
    }

    #[test]
    fn frequent_words_are_long_and_tie_in_code_point_order() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.read("the the the zebra zebra apple éclair four été", &mut Vec::new());
        let words = |most| -> Vec<_> {
            vocabulary.most_frequent(most).into_iter().map(|(word, _)| word).collect()
        };
        assert_eq!(words(25), ["zebra", "apple", "four", "éclair"]);
        assert_eq!(words(2), ["zebra", "apple"]);
    }
}
