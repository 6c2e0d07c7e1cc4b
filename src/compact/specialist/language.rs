//! The language of a text, guessed from words that only one of four languages has.

use super::words::terms;

/// A language that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Portuguese,
    Spanish,
    French,
    German,
}

/// A text with fewer words is not judged.
const LEAST_WORDS: usize = 12;
/// Fewer words of a language say nothing.
const LEAST_HITS: u32 = 3;

/// How many words of each language a text has.
#[derive(Debug, Default)]
pub(super) struct Tally {
    words: usize,
    /// Portuguese, Spanish, French, German.
    hits: [u32; 4],
}

impl Tally {
    /// Counts a word, in lower case, that speaks for `languages` ([`of_word`]).
    #[inline]
    pub fn count(&mut self, languages: u8) {
        self.words += 1;
        if languages != 0 {
            for (language, hits) in self.hits.iter_mut().enumerate() {
                *hits += u32::from(languages >> language & 1);
            }
        }
    }

    /// The language that clearly leads; `None` where none does, as for English.
    pub fn language(&self) -> Option<Language> {
        const ALL: [Language; 4] =
            [Language::Portuguese, Language::Spanish, Language::French, Language::German];
        let best = (0..4).max_by_key(|language| self.hits[*language])?;
        let others = (0..4).filter(|language| *language != best);
        let second = others.map(|language| self.hits[language]).max().unwrap_or(0);
        let clear = self.hits[best] >= LEAST_HITS && 2 * self.hits[best] > 3 * second;
        (self.words >= LEAST_WORDS && clear).then_some(ALL[best])
    }
}

/// The language of a text. Words are read before they are put in lower case.
pub(super) fn language_of(text: &str) -> Option<Language> {
    let mut tally = Tally::default();
    for word in terms(text) {
        tally.count(of_word(&word.to_ascii_lowercase()));
    }
    tally.language()
}

/// The languages that a word in lower case speaks for, one bit each.
///
/// Words with letters beyond ASCII are in the reference's lists too, but no word it reads has any.
pub(super) fn of_word(word: &str) -> u8 {
    const PT: u8 = 1;
    const ES: u8 = 2;
    const FR: u8 = 4;
    const DE: u8 = 8;
    match word {
        "nao" | "sao" | "cerca" | "tambem" | "muito" | "qual" | "quando" | "onde" | "ainda"
        | "depois" | "pode" | "ser" | "estar" => PT,
        "porque" | "sobre" | "cada" => PT | ES,
        "entre" => PT | ES | FR,
        "para" | "pero" | "tambien" | "cuando" | "donde" | "muy" => ES,
        "pour" | "mais" | "parce" | "quand" | "dont" | "sur" | "tres" | "avec" | "chaque" => FR,
        "und" | "nicht" | "auch" | "wenn" | "wo" | "zwischen" | "uber" | "sehr" | "jede"
        | "sein" => DE,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str = "a b c d e f g h i j k l";

    #[test]
    fn a_language_must_lead_clearly() {
        let told = |words: &str| language_of(&format!("{words} {REST}"));
        assert_eq!(told("Und NICHT wenn"), Some(Language::German));
        assert_eq!(told("pour mais entre"), Some(Language::French));
        assert_eq!(told("und nicht"), None);
        assert_eq!(told("porque sobre cada"), None);
        assert_eq!(told("para porque sobre cada"), None);
        assert_eq!(told("quando onde ainda porque sobre"), Some(Language::Portuguese));
        assert_eq!(told("the quick brown fox"), None);
    }

    #[test]
    fn few_words_are_not_judged() {
        assert_eq!(language_of("und nicht wenn auch sehr jede a b c d e"), None);
        assert_eq!(
            language_of("und nicht wenn auch sehr jede a b c d e f"),
            Some(Language::German)
        );
    }
}
