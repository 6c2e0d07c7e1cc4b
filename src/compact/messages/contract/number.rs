//! Numbers as JavaScript prints them.

use serde_json::Number;

/// Rounded to that many decimals as C's printf rounds (the exact double, ties to even), without
/// trailing zeros. For numbers from 0 up.
pub(super) fn rounded(value: f64, decimals: usize) -> Number {
    let fixed = format!("{value:.decimals$}");
    let short = match fixed.contains('.') {
        true => fixed.trim_end_matches('0').trim_end_matches('.'),
        false => &fixed,
    };
    Number::from_string_unchecked(short.to_owned())
}

/// In full, in as few digits as read back the same: `1`, `0.9`. Right from 1e-6 to 1e21, where
/// JavaScript writes no exponent.
pub(super) fn plain(value: f64) -> Number {
    Number::from_string_unchecked(value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_takes_the_exact_double_and_ties_to_even() {
        let shown = |value, decimals| rounded(value, decimals).to_string();
        assert_eq!(shown(9.0 / 17.0, 6), "0.529412");
        // 1/128 and 3/128 end in a 5 at the seventh decimal, exactly.
        assert_eq!(shown(0.0078125, 6), "0.007812");
        assert_eq!(shown(0.0234375, 6), "0.023438");
        assert_eq!(shown(0.03125, 4), "0.0312");
        // The double nearest to 0.00015 lies below it.
        assert_eq!(shown(0.00015, 4), "0.0001");
        assert_eq!(shown(1.0, 6), "1");
        assert_eq!(shown(0.0, 4), "0");
        assert_eq!(shown(0.500_000_4, 6), "0.5");
        assert_eq!(shown(10.0, 0), "10");
    }

    #[test]
    fn plain_numbers_have_no_needless_fraction() {
        assert_eq!(plain(1.0).to_string(), "1");
        assert_eq!(plain(0.9).to_string(), "0.9");
        assert_eq!(plain(0.517_000_000_000_000_1).to_string(), "0.5170000000000001");
    }
}
