//! Hungarian: case, possessive, number. After Savoy, "Light stemming approaches for the French, Portuguese, German and Hungarian
//! languages" (2006).

use super::super::rules::{Rule, ends_with, first, fold, rule};

const PLAIN: [(&str, char); 5] = [("á", 'a'), ("ëé", 'e'), ("í", 'i'), ("óőõö", 'o'), ("úűũûü", 'u')];

const LONG_CASES: [Rule; 2] = [
    rule(6, &["kent"], 4, ""),
    rule(5, &["nak", "nek", "val", "vel", "ert", "rol", "ban", "ben", "bol", "nal", "nel", "hoz", "hez", "tol"], 3, ""),
];
const CASES: [Rule; 1] = [rule(4, &["at", "et", "ot", "va", "ve", "ra", "re", "ba", "be", "ul", "ig"], 2, "")];
const LAST_CASES: [Rule; 1] = [rule(4, &["t", "n"], 1, "")];

pub fn stem(word: &mut Vec<char>) {
    fold(word, &PLAIN);
    without_case(word);
    without_possessive(word);
    let length = word.len();
    match word[..] {
        [.., 'a' | 'o' | 'e', 'k'] if length > 4 => cut(word, 2),
        [.., 'k'] if length > 3 => cut(word, 1),
        _ => {}
    }
    if word.len() > 3 && matches!(word.last(), Some('a' | 'e' | 'i' | 'o')) {
        cut(word, 1);
    }
}

fn without_case(word: &mut Vec<char>) {
    if first(word, &LONG_CASES) {
        return;
    }
    let length = word.len();
    match word[..] {
        [.., before, doubled, 'a' | 'e', 'l'] if length > 5 && before == doubled && !is_vowel(doubled) => {
            return cut(word, 3);
        }
        _ => {}
    }
    if first(word, &CASES) {
        return;
    }
    match word[..] {
        [.., before, 'o' | 'e', 'n'] if length > 4 && !is_vowel(before) => return cut(word, 2),
        _ => {}
    }
    if first(word, &LAST_CASES) {
        return;
    }
    match word[..] {
        [.., before, doubled, 'a' | 'e'] if length > 4 && before == doubled && !is_vowel(doubled) => cut(word, 2),
        _ => {}
    }
}

/// Endings of whose owner is how many, after a vowel or after none.
fn without_possessive(word: &mut Vec<char>) {
    let length = word.len();
    let ends = |endings: &[&str]| endings.iter().any(|ending| ends_with(word, ending));
    let follows_vowel = |ending: usize| length > ending && is_vowel(word[length - ending - 1]);
    let longer_by = if length > 6 && (ends(&["itek", "itok"]) || (!follows_vowel(4) && ends(&["atok", "otok", "etek"])))
    {
        4
    } else if length > 5
        && (ends(&["ink"])
            || (!follows_vowel(3) && ends(&["unk", "tok", "tek"]))
            || (follows_vowel(3) && ends(&["juk"])))
    {
        3
    } else if length > 4
        && (ends(&["im", "id", "ik"])
            || (!follows_vowel(2) && ends(&["am", "em", "om", "ad", "ed", "od", "uk"]))
            || (follows_vowel(2) && ends(&["nk", "ja", "je"])))
    {
        2
    } else if length > 3
        && (ends(&["i"]) || (!follows_vowel(1) && ends(&["a", "e"])) || (follows_vowel(1) && ends(&["m", "d"])))
    {
        1
    } else {
        0
    };
    cut(word, longer_by);
}

fn cut(word: &mut Vec<char>, length: usize) {
    word.truncate(word.len() - length);
}

fn is_vowel(character: char) -> bool {
    matches!(character, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}
