//! Italian and Spanish after Savoy, "Report on CLEF-2001 experiments" (2001); Portuguese after the same, "Light stemming
//! approaches for the French, Portuguese, German and Hungarian languages" (2006).

use super::super::rules::{Rule, first, fold, rule};

pub const PLAIN: [(&str, char); 5] = [("àáâä", 'a'), ("òóôö", 'o'), ("èéêë", 'e'), ("ùúûü", 'u'), ("ìíîï", 'i')];
const PORTUGUESE_PLAIN: [(&str, char); 6] =
    [("àáâäã", 'a'), ("òóôöõ", 'o'), ("èéêë", 'e'), ("ùúûü", 'u'), ("ìíîï", 'i'), ("ç", 'c')];

const ITALIAN_ENDINGS: [Rule; 2] =
    [rule(5, &["ie", "he", "ii", "hi", "ia", "io"], 2, ""), rule(5, &["e", "i", "a", "o"], 1, "")];

pub fn italian(word: &mut Vec<char>) {
    if word.len() > 5 {
        fold(word, &PLAIN);
        first(word, &ITALIAN_ENDINGS);
    }
}

const SPANISH_ENDINGS: [Rule; 4] = [
    rule(4, &["o", "a", "e"], 1, ""),
    rule(4, &["eses"], 2, ""),
    rule(4, &["ces"], 3, "z"),
    rule(4, &["os", "as", "es"], 2, ""),
];

pub fn spanish(word: &mut Vec<char>) {
    if word.len() > 4 {
        fold(word, &PLAIN);
        first(word, &SPANISH_ENDINGS);
    }
}

const PORTUGUESE_PLURALS: [Rule; 9] = [
    rule(4, &["res", "ses", "les", "zes"], 2, ""),
    rule(3, &["ns"], 2, "m"),
    rule(4, &["eis", "éis"], 3, "el"),
    rule(4, &["ais"], 2, "l"),
    rule(4, &["óis"], 3, "ol"),
    rule(4, &["is"], 1, "l"),
    rule(3, &["ões", "ães"], 3, "ão"),
    rule(6, &["mente"], 5, ""),
    rule(3, &["s"], 1, ""),
];
const PORTUGUESE_FEMININES: [Rule; 6] = [
    rule(7, &["inha", "iaca", "eira"], 1, "o"),
    rule(6, &["osa", "ica", "ida", "ada", "iva", "ama"], 1, "o"),
    rule(6, &["ona"], 3, "ão"),
    rule(6, &["ora"], 1, ""),
    rule(6, &["esa"], 3, "ês"),
    rule(6, &["na"], 1, "o"),
];

pub fn portuguese(word: &mut Vec<char>) {
    if word.len() < 4 {
        return;
    }
    first(word, &PORTUGUESE_PLURALS);
    first(word, &PORTUGUESE_FEMININES);
    first(word, &[rule(4, &["e", "a", "o"], 1, "")]);
    fold(word, &PORTUGUESE_PLAIN);
}
