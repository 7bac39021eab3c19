//! French: plural, the longer endings of nouns and adjectives, then accents and doubled letters. After Savoy, "Light stemming
//! approaches for the French, Portuguese, German and Hungarian languages" (2006).

use super::super::rules::{Rule, ends_with, first, fold, rule};

const PLAIN: [(&str, char); 6] = [("àáâ", 'a'), ("ô", 'o'), ("èéê", 'e'), ("ùû", 'u'), ("î", 'i'), ("ç", 'c')];
/// From here on the shape of shorter words is left alone.
const LONG: usize = 4;

const VERBAL: [Rule; 8] = [
    rule(9, &["issement"], 7, "r"),
    rule(8, &["issant"], 5, "r"),
    rule(11, &["ficatrice"], 7, "er"),
    rule(10, &["ficateur"], 6, "er"),
    rule(9, &["catrice"], 7, "quer"),
    rule(8, &["cateur"], 6, "quer"),
    rule(8, &["atrice"], 6, "er"),
    rule(7, &["ateur"], 5, "er"),
];
const AGENTS: [Rule; 9] = [
    rule(5, &["ième"], 4, ""),
    rule(7, &["teuse"], 3, "r"),
    rule(6, &["teur"], 2, "r"),
    rule(5, &["euse"], 2, ""),
    rule(8, &["ère"], 3, "er"),
    rule(7, &["ive"], 2, "f"),
    rule(4, &["folle", "molle"], 3, "u"),
    rule(9, &["nnelle"], 5, ""),
    rule(9, &["nnel"], 3, ""),
];
const ABSTRACT: [Rule; 5] = [
    rule(8, &["esse"], 3, ""),
    rule(7, &["inage"], 3, ""),
    rule(9, &["isateur"], 7, ""),
    rule(8, &["ation"], 5, ""),
    rule(8, &["ition"], 5, ""),
];

pub fn stem(word: &mut Vec<char>) {
    plural(word);
    ending(word);
    shape(word);
}

fn plural(word: &mut Vec<char>) {
    if word.len() > 5 && ends_with(word, "x") {
        let is_al = ends_with(word, "aux") && !ends_with(word, "eaux");
        first(word, &[if is_al { rule(5, &["x"], 2, "l") } else { rule(5, &["x"], 1, "") }]);
    }
    first(word, &[rule(3, &["x"], 1, "")]);
    first(word, &[rule(3, &["s"], 1, "")]);
}

fn ending(word: &mut Vec<char>) {
    if first(word, &VERBAL[..2]) {
        return;
    }
    if first(word, &[rule(6, &["ement"], 4, "")]) {
        first(word, &[rule(3, &["ive"], 2, "f")]);
        return;
    }
    if first(word, &VERBAL[2..]) {
        return;
    }
    first(word, &[rule(6, &["trice"], 4, "eur")]);
    if first(word, &AGENTS) {
        return;
    }
    first(word, &[rule(4, &["ète"], 3, "et")]);
    first(word, &[rule(8, &["ique"], 4, "")]);
    if first(word, &ABSTRACT[..2]) {
        return;
    }
    if first(word, &[rule(9, &["isation"], 7, "")]) {
        first(word, &[rule(5, &["ual"], 2, "el")]);
        return;
    }
    first(word, &ABSTRACT[2..]);
}

fn shape(word: &mut Vec<char>) {
    if word.len() > LONG {
        fold(word, &PLAIN);
        word.dedup_by(|next, before| next == before && next.is_alphabetic());
    }
    first(word, &[rule(LONG, &["ie"], 2, "")]);
    if word.len() > LONG {
        for ending in ['r', 'e', 'e'] {
            word.pop_if(|last| *last == ending);
        }
        if let [.., before, last] = word[..]
            && before == last
            && last.is_alphabetic()
        {
            word.pop();
        }
    }
}
