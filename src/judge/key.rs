//! The API key.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::Value;
use ureq::http::HeaderValue;

/// A key that a header can carry. It shows itself nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

/// The most bytes of a key file; what is longer is something else.
const FILE_BYTES: u64 = 4096;

impl Key {
    /// Takes white space off both ends. `None` for what is then empty, or not all visible ASCII.
    pub fn new(text: &str) -> Option<Key> {
        let text = text.trim();
        let visible = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        visible.then(|| Key(text.to_owned()))
    }

    /// The `Authorization` header. It is marked as sensitive, so that no logger prints it.
    pub(super) fn bearer(&self) -> Option<HeaderValue> {
        let mut header = HeaderValue::from_str(&format!("Bearer {}", self.0)).ok()?;
        header.set_sensitive(true);
        Some(header)
    }

    /// Strikes the key out of every text in a response: a server may send back what it was sent.
    pub(super) fn strike_out(&self, response: &mut Value) {
        match response {
            Value::String(text) if text.contains(&self.0) => *text = text.replace(&self.0, "[key]"),
            Value::Array(items) => items.iter_mut().for_each(|item| self.strike_out(item)),
            Value::Object(members) => members.values_mut().for_each(|it| self.strike_out(it)),
            _ => {}
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The text of a key file.
///
/// # Errors
/// What kept it from being read, [`io::ErrorKind::NotFound`] among it.
pub(super) fn read(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(file)?.take(FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_is_what_a_header_can_carry() {
        assert_eq!(Key::new(" sk-1\n"), Key::new("sk-1"));
        for text in ["", " \n", "a\nb", "a b", "schlüssel", "a\0"] {
            assert_eq!(Key::new(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_key_does_not_show_itself() {
        let key = Key::new("sk-secret").unwrap();
        let shown = format!("{key:?} {:?}", key.bearer());
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn a_key_that_comes_back_is_struck_out() {
        let mut response =
            json!({"model": "m Bearer sk-1!", "list": [{"a": "sk-1"}, 1], "b": "sk"});
        Key::new("sk-1").unwrap().strike_out(&mut response);
        let struck = json!({"model": "m Bearer [key]!", "list": [{"a": "[key]"}, 1], "b": "sk"});
        assert_eq!(response, struck);
    }
}
