//! Numbers as they are read.

/// `241,310`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 call`, `1,204 calls`.
pub fn counted(number: usize, what: &str) -> String {
    counted_as(number, what, grouped)
}

/// The same with the number written otherwise: `1.2k calls`.
pub fn counted_as(number: usize, what: &str, written: fn(usize) -> String) -> String {
    format!("{} {what}{}", written(number), if number == 1 { "" } else { "s" })
}

/// Thousands and millions in short: `950`, `60.1k`, `1.2M`.
pub fn short(number: usize) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..999_950 => format!("{:.1}k", number as f64 / 1e3),
        _ => format!("{:.1}M", number as f64 / 1e6),
    }
}

/// The change from one number to another, `−50.7 %`; nothing when there was nothing.
pub fn change(before: usize, after: usize) -> String {
    if before == 0 || before == after {
        return "±0 %".into();
    }
    let percent = (after as f64 - before as f64) * 100.0 / before as f64;
    if percent < 0.0 { format!("−{:.1} %", -percent) } else { format!("+{percent:.1} %") }
}

/// A difference with its sign: `−3,200`, `+2`.
pub fn signed(before: usize, after: usize) -> String {
    let sign = if after < before { '−' } else { '+' };
    format!("{sign}{}", grouped(after.abs_diff(before)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!([grouped(0), grouped(999), grouped(1_234_567)], ["0", "999", "1,234,567"]);
        assert_eq!([counted(1, "call"), counted(1_204, "call")], ["1 call", "1,204 calls"]);
        assert_eq!([short(950), short(60_120), short(999_990)], ["950", "60.1k", "1.0M"]);
        assert_eq!(
            [change(200, 100), change(0, 0), change(100, 150)],
            ["−50.0 %", "±0 %", "+50.0 %"]
        );
        assert_eq!([signed(10, 4), signed(4, 1_004)], ["−6", "+1,000"]);
    }
}
