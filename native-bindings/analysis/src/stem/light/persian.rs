//! Persian: endings of number and comparison, and the joiner before them.

use super::super::rules::ends_with;

/// In the order in which they are cut, each once. What is left has two characters or more.
const ENDINGS: [&str; 8] = ["ات", "ان", "ترين", "تر", "يي", "ي", "ها", "\u{200c}"];

pub fn stem(word: &mut Vec<char>) {
    for ending in ENDINGS {
        let length = ending.chars().count();
        if word.len() >= length + 2 && ends_with(word, ending) {
            word.truncate(word.len() - length);
        }
    }
}
