//! Software versions as terms whose order is that of Semantic Versioning: `1.9` before `1.10-rc.1` before `1.10`. What is no
//! version comes behind all that are.
//!
//! ```text
//! version      numbers, joined by points, then the end of the main part, what is before the release, the build as it is
//! number       1, 128 plus its length, its digits
//! end          2 and identifiers joined by points (numbers as above), or 3
//! no version   4, the text as it is
//! ```

const NUMBER: u8 = 1;
const PRE_RELEASE: u8 = 2;
const RELEASE: u8 = 3;
const NO_VERSION: u8 = 4;
const LENGTH: u8 = 0x80;
/// Digits that a number of a version may have.
const DIGITS_MAX: usize = 0x7f;

/// The term of a text.
pub fn encode(text: &str) -> Vec<u8> {
    encode_version(text).unwrap_or_else(|| {
        let mut term = vec![NO_VERSION];
        term.extend_from_slice(text.as_bytes());
        term
    })
}

/// `None`: it is no version.
fn encode_version(text: &str) -> Option<Vec<u8>> {
    let (rest, build) = match text.split_once('+') {
        Some((rest, build)) => (rest, Some(build)),
        None => (text, None),
    };
    let (main, before_release) = match rest.split_once('-') {
        Some((main, identifiers)) => (main, Some(identifiers)),
        None => (rest, None),
    };
    let mut term = Vec::with_capacity(text.len() + 8);
    for (place, part) in main.split('.').enumerate() {
        if place > 0 {
            term.push(b'.');
        }
        push_number(part, &mut term)?;
    }
    term.push(if before_release.is_some() { PRE_RELEASE } else { RELEASE });
    for (place, part) in before_release.into_iter().flat_map(|it| it.split('.')).enumerate() {
        if place > 0 {
            term.push(b'.');
        }
        if !is_identifier(part) {
            return None;
        }
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            push_number(part, &mut term)?;
        } else {
            term.extend_from_slice(part.as_bytes());
        }
    }
    if let Some(build) = build {
        if !build.split('.').all(is_identifier) {
            return None;
        }
        term.push(b'+');
        term.extend_from_slice(build.as_bytes());
    }
    Some(term)
}

fn is_identifier(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// `None`: no number, or one with leading zeros.
fn push_number(digits: &str, term: &mut Vec<u8>) -> Option<()> {
    let is_number =
        !digits.is_empty() && digits.len() <= DIGITS_MAX && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    term.push(NUMBER);
    term.push(LENGTH + digits.len() as u8);
    term.extend_from_slice(digits.as_bytes());
    Some(())
}

/// The text of a term; of bytes that [`encode`] did not write, whatever can be shown.
pub fn decode(term: &[u8]) -> String {
    if let Some(text) = term.strip_prefix(&[NO_VERSION]) {
        return String::from_utf8_lossy(text).into_owned();
    }
    let mut text = Vec::with_capacity(term.len());
    let mut bytes = term.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            NUMBER => {
                // The length that follows is told by the digits.
                bytes.next();
            }
            PRE_RELEASE => text.push(b'-'),
            RELEASE => {}
            byte => text.push(byte),
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_order_is_that_of_semantic_versioning() {
        let ascending = [
            "0",
            "1",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.0+build.5",
            "1.2",
            "1.2.0",
            "1.2.3",
            "1.10",
            "2",
            "11.0",
            "",
            "01",
            "1.0.0-",
            "1.a",
            "v1.2",
        ];
        for pair in ascending.windows(2) {
            assert!(encode(pair[0]) < encode(pair[1]), "{pair:?}");
        }
        for text in ascending {
            assert_eq!(decode(&encode(text)), text);
        }
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in "\\PC{0,20}|[0-9]{1,3}(\\.[0-9]{1,4}){0,3}(-[a-z0-9.]{1,6})?(\\+[a-z0-9.]{1,6})?|.{0,8}") {
            prop_assert_eq!(decode(&encode(&text)), text);
        }

        #[test]
        fn numbers_are_compared_as_numbers(a in prop::collection::vec(0u64..2_000, 3), b in prop::collection::vec(0u64..2_000, 3)) {
            let version = |parts: &[u64]| encode(&parts.iter().map(u64::to_string).collect::<Vec<_>>().join("."));
            prop_assert_eq!(version(&a).cmp(&version(&b)), a.cmp(&b));
        }

        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            decode(&bytes);
        }
    }
}
