//! Fields of JSON objects.

use serde_json::{Map, Value};

/// So many names are compared sooner than one is hashed.
const FEW: usize = 8;

/// The field of this name.
pub(super) fn field<'v>(fields: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if fields.len() > FEW {
        return fields.get(name);
    }
    fields.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_among_few_and_among_many() {
        for count in [0, 1, FEW, FEW + 1, 50] {
            let fields: Map<String, Value> =
                (0..count).map(|n| (format!("field {n}"), n.into())).collect();
            for name in ["field 0", "field 7", "field 8", "field", ""] {
                assert_eq!(field(&fields, name), fields.get(name), "{name} of {count}");
            }
        }
    }
}
