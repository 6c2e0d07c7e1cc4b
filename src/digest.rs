//! SHA-256, by which the stash and the disk know a text again.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// The SHA-256 of some bytes as 64 lower-case hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// Whether a text has only digits that [`sha256`] writes.
pub fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_nothing_is_the_published_one() {
        // FIPS 180-4 test vector.
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b""), digest);
    }
}
