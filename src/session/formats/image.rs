//! Images in words: a session holds their bytes in base64, a row needs their size alone.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::loose::{Text, absent};

/// Where an image's bytes are: inline in base64, or elsewhere.
#[derive(Default)]
pub(super) struct ImageSource<'a> {
    media_type: Text<'a>,
    bytes: Option<usize>,
    url: Text<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for ImageSource<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ImageVisitor)
    }
}

struct ImageVisitor;

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum ImageKey {
    MediaType,
    Data,
    Url,
    #[serde(other)]
    Other,
}

impl<'de> Visitor<'de> for ImageVisitor {
    type Value = ImageSource<'de>;
    absent!('de: bool number null text list);

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<ImageSource<'de>, A::Error> {
        let mut source = ImageSource::default();
        while let Some(key) = members.next_key()? {
            match key {
                ImageKey::MediaType => source.media_type = members.next_value()?,
                ImageKey::Data => {
                    source.bytes = members.next_value::<Text>()?.as_deref().map(decoded_size);
                }
                ImageKey::Url => source.url = members.next_value()?,
                ImageKey::Other => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(source)
    }
}

impl ImageSource<'_> {
    pub fn describe(&self) -> Arc<str> {
        let kind = self.media_type.as_deref().unwrap_or("image");
        match (self.bytes, self.url.as_deref()) {
            (Some(bytes), _) => format!("{kind}, {} bytes", grouped(bytes)).into(),
            (None, Some(url)) => format!("{kind} at {url}").into(),
            (None, None) => kind.into(),
        }
    }
}

/// Bytes that base64 text stands for: three for every four characters, padding aside.
pub(super) fn decoded_size(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

/// A number in groups of three: `12,345`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
