//! Values that take any JSON in their place: what is not of the wanted type reads as absent.
//! A record is thus never lost because one of its fields is not what it used to be.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

/// The key under which serde_json hands over a number as a map, so that no digit is lost.
pub(super) const NUMBER_KEY: &str = "$serde_json::private::Number";

/// Methods of a [`Visitor`] whose value has a `Default`: that is the answer to the types named.
macro_rules! absent {
    ($lifetime:lifetime: $($kind:ident)*) => {
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("any value")
        }
        $($crate::session::formats::loose::absent_as!($kind $lifetime);)*
    };
}

macro_rules! absent_as {
    (bool $lifetime:lifetime) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
    (null $lifetime:lifetime) => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
    (text $lifetime:lifetime) => {
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
    (list $lifetime:lifetime) => {
        fn visit_seq<A: serde::de::SeqAccess<$lifetime>>(
            self,
            mut items: A,
        ) -> Result<Self::Value, A::Error> {
            while items.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
    // Numbers that fit a machine word arrive so, others as maps.
    (number $lifetime:lifetime) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
    (map $lifetime:lifetime) => {
        fn visit_map<A: serde::de::MapAccess<$lifetime>>(
            self,
            mut members: A,
        ) -> Result<Self::Value, A::Error> {
            use serde::de::IgnoredAny;
            while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
}

pub(super) use {absent, absent_as};

/// A string, borrowed where it holds no escape.
#[derive(Debug, Default)]
pub(super) struct Text<'a>(pub Option<Cow<'a, str>>);

impl Text<'_> {
    pub fn as_deref(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            absent!('de: bool number null list map);
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

/// `true`; anything else is not.
#[derive(Debug, Default)]
pub(super) struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FlagVisitor;
        impl<'de> Visitor<'de> for FlagVisitor {
            type Value = Flag;
            absent!('de: number null text list map);
            fn visit_bool<E>(self, flag: bool) -> Result<Flag, E> {
                Ok(Flag(flag))
            }
        }
        deserializer.deserialize_any(FlagVisitor)
    }
}

/// A whole number that is not negative.
#[derive(Debug, Default)]
pub(super) struct Count(pub Option<u64>);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor;
        impl<'de> Visitor<'de> for CountVisitor {
            type Value = Count;
            absent!('de: bool null text list);
            fn visit_i64<E>(self, count: i64) -> Result<Count, E> {
                Ok(Count(u64::try_from(count).ok()))
            }
            fn visit_u64<E>(self, count: u64) -> Result<Count, E> {
                Ok(Count(Some(count)))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Count, E> {
                Ok(Count(None))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Count, A::Error> {
                let mut count = Count::default();
                while let Some(Text(key)) = members.next_key()? {
                    if key.as_deref() == Some(NUMBER_KEY) {
                        let Text(literal) = members.next_value()?;
                        count.0 = literal.and_then(|literal| literal.parse().ok());
                    } else {
                        members.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(count)
            }
        }
        deserializer.deserialize_any(CountVisitor)
    }
}

/// Skips whatever comes, and says only whether it was there.
#[derive(Debug, Default)]
pub(super) struct Present(pub bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Present(true))
    }
}
