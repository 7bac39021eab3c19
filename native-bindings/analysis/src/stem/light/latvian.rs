//! Latvian: one ending of number and case, and the softened consonant before it. After the light part of Kreslins, "A stemming
//! algorithm for Latvian" (1996).

use super::super::rules::ends_with;

/// An ending, how many vowels the word has more than at least, and whether it softened the consonant before it.
const ENDINGS: [(&str, usize, bool); 38] = [
    ("ajiem", 3, false),
    ("ajai", 3, false),
    ("ajam", 2, false),
    ("ajām", 2, false),
    ("ajos", 2, false),
    ("ajās", 2, false),
    ("iem", 2, true),
    ("ajā", 2, false),
    ("ais", 2, false),
    ("ai", 2, false),
    ("ei", 2, false),
    ("ām", 1, false),
    ("am", 1, false),
    ("ēm", 1, false),
    ("īm", 1, false),
    ("im", 1, false),
    ("um", 1, false),
    ("us", 1, true),
    ("as", 1, false),
    ("ās", 1, false),
    ("es", 1, false),
    ("os", 1, true),
    ("ij", 1, false),
    ("īs", 1, false),
    ("ēs", 1, false),
    ("is", 1, false),
    ("ie", 1, false),
    ("u", 1, true),
    ("a", 1, true),
    ("i", 1, true),
    ("e", 1, false),
    ("ā", 1, false),
    ("ē", 1, false),
    ("ī", 1, false),
    ("ū", 1, false),
    ("o", 1, false),
    ("s", 0, false),
    ("š", 0, false),
];
/// Letters that must be left.
const LEFT_MIN: usize = 3;
/// A softened end and the plain one; the first two only before `-u`.
const SOFTENED: [(&str, &str); 15] = [
    ("kš", "kst"),
    ("ņņ", "nn"),
    ("pj", "p"),
    ("bj", "b"),
    ("mj", "m"),
    ("vj", "v"),
    ("šņ", "sn"),
    ("žņ", "zn"),
    ("šļ", "sl"),
    ("žļ", "zl"),
    ("ļņ", "ln"),
    ("ļļ", "ll"),
    ("č", "c"),
    ("ļ", "l"),
    ("ņ", "n"),
];
const ONLY_BEFORE_U: usize = 2;

pub fn stem(word: &mut Vec<char>) {
    let vowels = word.iter().filter(|character| "aeiouāīēū".contains(**character)).count();
    let found = ENDINGS.iter().find(|(ending, more_than, _)| {
        vowels > *more_than && word.len() >= ending.chars().count() + LEFT_MIN && ends_with(word, ending)
    });
    let Some((ending, _, softens)) = found else { return };
    word.truncate(word.len() - ending.chars().count());
    if *softens {
        let from = if ending.starts_with('u') { 0 } else { ONLY_BEFORE_U };
        if let Some((soft, plain)) = SOFTENED[from..].iter().find(|(soft, _)| ends_with(word, soft)) {
            word.truncate(word.len() - soft.chars().count());
            word.extend(plain.chars());
        }
    }
}
