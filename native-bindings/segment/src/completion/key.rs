//! A term of a completion field:
//!
//! ```text
//! with contexts: number of the context (1 byte), value of the context, 0x1d
//! form (what the analyzer made of the input), 0x00, input, weight (4 bytes, big-endian)
//! ```
//!
//! Neither form nor input hold 0x00, no context value holds 0x1d, so that a term can be read from both ends.

use quarry_base::error::{Error, Result};

/// Between the words of a form.
pub const WORD_END: u8 = 0x1f;
pub const CONTEXT_END: u8 = 0x1d;
pub const FORM_END: u8 = 0x00;
const WEIGHT_BYTES: usize = 4;
/// Code points that inputs may not hold: they have a meaning in terms, here or in the API.
const RESERVED: [char; 4] = ['\u{0}', '\u{1d}', '\u{1e}', '\u{1f}'];

/// A term taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key<'a> {
    /// Number and value.
    pub context: Option<(u8, &'a [u8])>,
    pub form: &'a [u8],
    pub input: &'a str,
    pub weight: u32,
}

/// The bytes that all terms of a context begin with.
pub fn context_prefix(number: u8, value: &[u8]) -> Vec<u8> {
    let mut prefix = Vec::with_capacity(value.len() + 2);
    prefix.push(number);
    prefix.extend_from_slice(value);
    prefix.push(CONTEXT_END);
    prefix
}

/// `context` as [`context_prefix`] gives it; empty without contexts.
pub fn encode(context: &[u8], form: &[u8], input: &str, weight: u32) -> Vec<u8> {
    let mut term = Vec::with_capacity(context.len() + form.len() + input.len() + 1 + WEIGHT_BYTES);
    term.extend_from_slice(context);
    term.extend_from_slice(form);
    term.push(FORM_END);
    term.extend_from_slice(input.as_bytes());
    term.extend_from_slice(&weight.to_be_bytes());
    term
}

/// Errors: `Corrupt` for what [`encode`] cannot have made.
pub fn decode(term: &[u8], has_contexts: bool) -> Result<Key<'_>> {
    let damaged = || Error::corrupt("a term of a completion field is not one");
    let weight = weight_of(term)?;
    let before = &term[..term.len() - WEIGHT_BYTES];
    let end = before.iter().rposition(|&byte| byte == FORM_END).ok_or_else(damaged)?;
    let input = std::str::from_utf8(&before[end + 1..]).map_err(|_| damaged())?;
    let mut form = &before[..end];
    let mut context = None;
    if has_contexts {
        let after = context_bytes(form).ok_or_else(damaged)?;
        context = Some((form[0], &form[1..after - 1]));
        form = &form[after..];
    }
    Ok(Key { context, form, input, weight })
}

/// Length of the context that a term begins with.
pub fn context_bytes(term: &[u8]) -> Option<usize> {
    let value = term.get(1..)?.iter().position(|&byte| byte == CONTEXT_END)?;
    Some(value + 2)
}

pub fn weight_of(term: &[u8]) -> Result<u32> {
    match term.last_chunk() {
        Some(&weight) => Ok(u32::from_be_bytes(weight)),
        None => Err(Error::corrupt("a term of a completion field has no weight")),
    }
}

/// Refuses texts that cannot be part of a term. `what` as messages call it.
pub fn check_reserved(text: &str, what: &str) -> Result<()> {
    let place = text.chars().position(|character| RESERVED.contains(&character));
    let Some(reserved) = text.chars().find(|character| RESERVED.contains(character)) else { return Ok(()) };
    Err(Error::illegal_argument(format!(
        "Illegal {what} [{text}] UTF-16 codepoint [0x{:x}] at position {} is a reserved character",
        u32::from(reserved),
        place.unwrap_or_default()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_term_is_read_as_it_was_written(
            context in proptest::option::of((0..40u8, "[a-z\u{0}]{0,4}")),
            form in "[a-z\u{1f}]{0,6}",
            input in "[a-zé ]{0,6}",
            weight: u32,
        ) {
            let prefix = context.as_ref().map(|(number, value)| context_prefix(*number, value.as_bytes()));
            let term = encode(&prefix.unwrap_or_default(), form.as_bytes(), &input, weight);
            let key = decode(&term, context.is_some()).unwrap();
            let expected = context.as_ref().map(|(number, value)| (*number, value.as_bytes()));
            prop_assert_eq!(key, Key { context: expected, form: form.as_bytes(), input: &input, weight });
        }

        #[test]
        fn any_bytes_are_read_or_refused(term: Vec<u8>, has_contexts: bool) {
            let _ = decode(&term, has_contexts);
        }
    }

    #[test]
    fn reserved_characters_are_named_with_their_place() {
        assert!(check_reserved("fine", "input").is_ok());
        let refused = check_reserved("a\u{1f}b", "input").unwrap_err();
        assert!(refused.reason.contains("[0x1f] at position 1 is a reserved character"), "{}", refused.reason);
    }
}
