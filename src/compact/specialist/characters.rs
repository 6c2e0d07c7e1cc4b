//! Classes of characters as the reference's regular expressions have them.

use std::sync::OnceLock;

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// `\w`: letters and numbers of every script, and the underscore. `char::is_alphanumeric` is a
/// wider set: it takes some marks and symbols.
#[inline]
pub(super) fn is_word(c: char) -> bool {
    if c.is_ascii() { is_ascii_word(c as u8) } else { is_word_beyond_ascii(c) }
}

#[inline]
pub(super) fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// `str.isalpha` of one character.
pub(super) fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    c.general_category_group() == GeneralCategoryGroup::Letter
}

/// `str.isdigit` of one character: decimal digits, and digits in a circle, superscripts and the
/// like, which Unicode files under No.
pub(super) fn is_digit(c: char) -> bool {
    is_decimal(c) || (!c.is_ascii() && OTHER_DIGITS.iter().any(|range| range.contains(&c)))
}

/// `\d`.
pub(super) fn is_decimal(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    c.general_category() == GeneralCategory::DecimalNumber
}

/// Characters of category No whose Numeric_Type is Digit (Unicode 14, DerivedNumericType.txt).
const OTHER_DIGITS: [std::ops::RangeInclusive<char>; 20] = [
    '\u{b2}'..='\u{b3}',
    '\u{b9}'..='\u{b9}',
    '\u{1369}'..='\u{1371}',
    '\u{19da}'..='\u{19da}',
    '\u{2070}'..='\u{2070}',
    '\u{2074}'..='\u{2079}',
    '\u{2080}'..='\u{2089}',
    '\u{2460}'..='\u{2468}',
    '\u{2474}'..='\u{247c}',
    '\u{2488}'..='\u{2490}',
    '\u{24ea}'..='\u{24ea}',
    '\u{24f5}'..='\u{24fd}',
    '\u{24ff}'..='\u{24ff}',
    '\u{2776}'..='\u{277e}',
    '\u{2780}'..='\u{2788}',
    '\u{278a}'..='\u{2792}',
    '\u{10a40}'..='\u{10a43}',
    '\u{10e60}'..='\u{10e68}',
    '\u{11052}'..='\u{1105a}',
    '\u{1f100}'..='\u{1f10a}',
];

fn is_word_beyond_ascii(c: char) -> bool {
    static WORDS: Class = Class::new(is_letter_or_number);
    WORDS.has(c)
}

/// Whether lower-casing changes a character.
pub(super) fn has_lower_case(c: char) -> bool {
    static CASED: Class = Class::new(|c| !c.to_lowercase().eq([c]));
    CASED.has(c)
}

/// A class of characters. Categories are searched for; one bit for each character of the basic
/// plane is looked up.
struct Class {
    has: fn(char) -> bool,
    bits: OnceLock<Box<[u64]>>,
}

impl Class {
    const fn new(has: fn(char) -> bool) -> Class {
        Class { has, bits: OnceLock::new() }
    }

    #[inline]
    fn has(&self, c: char) -> bool {
        let code = c as usize;
        if code > 0xffff {
            return (self.has)(c);
        }
        self.bits.get_or_init(|| self.all())[code / 64] >> (code % 64) & 1 == 1
    }

    fn all(&self) -> Box<[u64]> {
        let mut bits = vec![0; 0x10000 / 64].into_boxed_slice();
        for c in ('\0'..='\u{ffff}').filter(|c| (self.has)(*c)) {
            bits[c as usize / 64] |= 1 << (c as usize % 64);
        }
        bits
    }
}

fn is_letter_or_number(c: char) -> bool {
    let group = c.general_category_group();
    matches!(group, GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_characters_are_letters_numbers_and_the_underscore() {
        assert!("aZ0_éß会²½Ⅳ𝔸".chars().all(is_word));
        // U+24B6 and U+0345 are alphanumeric for the standard library, but So and Mn.
        assert!(!" -.'/~@\u{24b6}\u{345}🚚".chars().any(is_word));
    }

    #[test]
    fn digits_are_more_than_decimals_and_fewer_than_numbers() {
        assert!("7٣²①".chars().all(is_digit));
        assert!(!"½Ⅳ一x".chars().any(is_digit));
        assert!("7٣".chars().all(is_decimal));
        assert!(!"²①".chars().any(is_decimal));
    }
}
