//! Stemmers that cut the plural and little else: French after Savoy, "A stemming procedure and stopword list for general French
//! corpora" (1999), German after the same, "Morphologie et recherche d'information".

use super::super::rules::{Rule, first, fold, rule};

const GERMAN_PLAIN: [(&str, char); 3] = [("ä", 'a'), ("ö", 'o'), ("ü", 'u')];
const GERMAN_ENDINGS: [Rule; 3] =
    [rule(6, &["nen"], 3, ""), rule(5, &["en", "se", "es", "er"], 2, ""), rule(4, &["n", "e", "s", "r"], 1, "")];

pub fn german(word: &mut Vec<char>) {
    if word.len() > 4 {
        fold(word, &GERMAN_PLAIN);
        first(word, &GERMAN_ENDINGS);
    }
}

pub fn french(word: &mut Vec<char>) {
    if word.len() < 6 {
        return;
    }
    if let [.., 'a', second @ 'u', 'x'] = &mut word[..] {
        *second = 'l';
    }
    if word.last() == Some(&'x') {
        word.pop();
        return;
    }
    for ending in ['s', 'r', 'e', 'é'] {
        if word.last() == Some(&ending) {
            word.pop();
        }
    }
    if let [.., before, last] = word[..]
        && before == last
        && last.is_alphabetic()
    {
        word.pop();
    }
}
