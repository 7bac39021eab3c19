//! Where a sentence may end (Unicode Standard Annex 29): behind a full stop, a question or exclamation mark, or the end of a line.

/// The first byte from `at` on that may be part of a character at which a sentence ends; the length where there is none. Letters of
/// western languages, dashes and quotation marks are known not to be, other characters than those of ASCII are not looked into.
pub(super) fn next_possible(bytes: &[u8], at: usize) -> usize {
    let mut at = at.min(bytes.len());
    while let Some(&byte) = bytes.get(at) {
        match CLASSES[usize::from(byte)] {
            Class::Inside => at += 1,
            Class::Punctuation if is_dash_or_quote(&bytes[at..]) => at += 3,
            Class::Punctuation | Class::Possible => break,
        }
    }
    at
}

#[derive(Clone, Copy)]
enum Class {
    /// Ends no sentence.
    Inside,
    /// The first of three bytes: General Punctuation, and more.
    Punctuation,
    Possible,
}

/// U+00C0 to U+02FF: letters, the signs of times and division, and letters that modify others.
const LATIN: std::ops::RangeInclusive<u8> = 0xc3..=0xcb;

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Possible; 256];
    let mut byte = 0;
    while byte < 256 {
        let is_end = matches!(byte as u8, b'.' | b'!' | b'?' | b'\r' | b'\n');
        let is_latin = *LATIN.start() <= byte as u8 && byte as u8 <= *LATIN.end();
        // Bytes that go on a character follow one that was passed over.
        let goes_on = 0x80 <= byte && byte < 0xc0;
        if (byte < 0x80 && !is_end) || is_latin || goes_on {
            classes[byte] = Class::Inside;
        }
        byte += 1;
    }
    classes[0xe2] = Class::Punctuation;
    classes
};

/// U+2010 to U+201F.
fn is_dash_or_quote(bytes: &[u8]) -> bool {
    matches!(bytes, [0xe2, 0x80, 0x90..=0x9f, ..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_segmentation::UnicodeSegmentation;

    /// Every character that is passed over, held against the rules: behind it no sentence ends, whatever follows.
    #[test]
    fn no_sentence_ends_behind_what_is_passed_over() {
        for character in (0..0x1_0000).filter_map(char::from_u32) {
            let mut bytes = [0; 4];
            let encoded = character.encode_utf8(&mut bytes);
            if next_possible(encoded.as_bytes(), 0) == 0 {
                continue;
            }
            for behind in [" A", "A", " a", "1", "\u{300} B"] {
                let text = format!("ab{character}{behind}");
                assert_eq!(text.split_sentence_bounds().count(), 1, "{text:?}");
            }
        }
        assert_eq!(next_possible("a é–“b” c. d".as_bytes(), 0), "a é–“b” c".len());
        assert_eq!(next_possible("abc".as_bytes(), 5), 3);
    }
}
