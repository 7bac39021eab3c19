//! Two small English rules: the plural ("S-stemmer") of Harman, "How effective is suffixing?" (1991), and the possessive.

/// Cuts the plural's `s`: `-ies` to `-y` (not after a or e), `-es` and `-s` otherwise, never `-us` or `-ss`.
pub fn minimal(word: &mut Vec<u8>) {
    let length = word.len();
    if length < 3 || word[length - 1] != b's' {
        return;
    }
    match word[length - 2] {
        b'u' | b's' => return,
        b'e' => {
            let before = word[length - 3];
            if length > 3 && before == b'i' && !matches!(word[length - 4], b'a' | b'e') {
                word.truncate(length - 2);
                word[length - 3] = b'y';
                return;
            }
            if matches!(before, b'i' | b'a' | b'o' | b'e') {
                return;
            }
        }
        _ => {}
    }
    word.truncate(length - 1);
}

/// Cuts `'s` (with any of three apostrophes, in either case) from the end.
pub fn without_possessive(word: &mut Vec<u8>) {
    let Some((b's' | b'S', stem)) = word.split_last() else { return };
    let apostrophe = ["'", "\u{2019}", "\u{FF07}"].into_iter().find(|apostrophe| stem.ends_with(apostrophe.as_bytes()));
    if let Some(apostrophe) = apostrophe {
        word.truncate(stem.len() - apostrophe.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(rule: fn(&mut Vec<u8>), word: &str) -> String {
        let mut bytes = word.as_bytes().to_vec();
        rule(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn plurals() {
        for (word, stem) in [
            ("queries", "query"),
            ("phrases", "phrase"),
            ("corpus", "corpus"),
            ("stress", "stress"),
            ("kings", "king"),
            ("panels", "panel"),
            ("congress", "congress"),
            ("serious", "serious"),
            ("shoes", "shoes"),
            ("is", "is"),
        ] {
            assert_eq!(applied(minimal, word), stem);
        }
    }

    #[test]
    fn possessives() {
        for (word, stem) in [("dog's", "dog"), ("dog\u{2019}S", "dog"), ("dogs'", "dogs'"), ("'s", ""), ("s", "s")] {
            assert_eq!(applied(without_possessive, word), stem);
        }
    }
}
