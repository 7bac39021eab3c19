//! Terms of the hidden field beside one whose objects are flattened: the path of a leaf, a character that no path has, and
//! the leaf's text or number.

/// Ends the path.
pub const KEY_END: char = '\0';

/// A name of the engine's own lists as users may see it: `labels._keyed`.
pub fn shown_name(name: &str) -> String {
    name.replace(KEY_END, "._")
}

/// What all terms of a path begin with.
pub fn key_prefix(path: &str) -> Vec<u8> {
    format!("{path}{KEY_END}").into_bytes()
}

/// A number in sortable form under a path.
pub fn number_term(path: &str, number: i64) -> Vec<u8> {
    let mut term = key_prefix(path);
    term.extend_from_slice(&(number ^ i64::MIN).to_be_bytes());
    term
}

/// The number of a term without its path; `None` for what [`number_term`] did not write.
pub fn term_number(rest: &[u8]) -> Option<i64> {
    Some(i64::from_be_bytes(rest.try_into().ok()?) ^ i64::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_in_their_order() {
        let mut before = Vec::new();
        for number in [i64::MIN, -1, 0, 7, i64::MAX] {
            let term = number_term("a.b", number);
            assert_eq!(term.strip_prefix(key_prefix("a.b").as_slice()).and_then(term_number), Some(number));
            assert!(term > before);
            before = term;
        }
        assert_eq!(term_number(b"short"), None);
    }
}
