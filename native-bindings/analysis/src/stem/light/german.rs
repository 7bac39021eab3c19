//! German: umlauts, then the endings of declension and comparison. After Savoy, "Light stemming approaches for the French,
//! Portuguese, German and Hungarian languages" (2006).

use super::super::rules::{Rule, first, fold, rule};

const PLAIN: [(&str, char); 4] = [("äàáâ", 'a'), ("öòóô", 'o'), ("ïìíî", 'i'), ("üùúû", 'u')];
const DECLENSION: [Rule; 4] = [
    rule(5, &["ern"], 3, ""),
    rule(4, &["em", "en", "er", "es"], 2, ""),
    rule(3, &["e"], 1, ""),
    rule(3, &["bs", "ds", "fs", "gs", "hs", "ks", "ls", "ms", "ns", "ts"], 1, ""),
];
const COMPARISON: [Rule; 3] = [
    rule(5, &["est"], 3, ""),
    rule(4, &["er", "en"], 2, ""),
    rule(4, &["bst", "dst", "fst", "gst", "hst", "kst", "lst", "mst", "nst", "tst"], 2, ""),
];

pub fn stem(word: &mut Vec<char>) {
    fold(word, &PLAIN);
    first(word, &DECLENSION);
    first(word, &COMPARISON);
}
