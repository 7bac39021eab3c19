//! Names of fields by patterns in which `*` stands for any characters, dots included.

use quarry_mapping::keys::KEY_END;
use quarry_mapping::{MappedField, Mapping};

/// Whether the pattern means the name. No pattern means a hidden field.
pub fn matches_name(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    if name.contains(KEY_END) {
        return false;
    }
    let Some(mut left) = name.strip_prefix(head) else {
        return false;
    };
    let Some((middle, tail)) = rest.rsplit_once('*') else {
        return left.ends_with(rest);
    };
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        let Some(at) = left.find(part) else {
            return false;
        };
        left = &left[at + part.len()..];
    }
    left.ends_with(tail)
}

/// The field of a name, or those that a pattern means, in the mapping's order.
pub fn fields_like<'m>(mapping: &'m Mapping, pattern: &str) -> impl Iterator<Item = &'m MappedField> {
    let is_meant = move |field: &&MappedField| {
        matches_name(pattern, &field.spec.name)
            && (!mapping.is_key(field) || (pattern == field.spec.name && mapping.field_by_name(pattern).is_some()))
    };
    mapping.fields().iter().filter(is_meant)
}

#[cfg(test)]
mod tests {
    use super::matches_name;

    #[test]
    fn stars_take_any_characters() {
        for (pattern, name, expected) in [
            ("title", "title", true),
            ("title", "title2", false),
            ("ti*", "title", true),
            ("*", "", true),
            ("*.raw", "title.raw", true),
            ("a*b*c", "aXbXc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("**", "x", true),
            ("a*b*b", "ab", false),
        ] {
            assert_eq!(matches_name(pattern, name), expected, "{pattern} {name}");
        }
    }
}
