//! Swedish and Finnish after Savoy, "Report on CLEF-2003 monolingual tracks" (2003); Norwegian in the manner of Swedish, for
//! its two written forms.

use super::super::rules::{Rule, ends_with, first, fold, rule};

const SWEDISH: [Rule; 5] = [
    rule(7, &["elser", "heten"], 5, ""),
    rule(6, &["arne", "erna", "ande", "else", "aste", "orna", "aren"], 4, ""),
    rule(5, &["are", "ast", "het"], 3, ""),
    rule(4, &["ar", "er", "or", "en", "at", "te", "et"], 2, ""),
    rule(3, &["t", "a", "e", "n"], 1, ""),
];
const BOKMAAL: [Rule; 7] = [
    rule(7, &["heter", "heten"], 5, ""),
    rule(5, &["dom", "het"], 3, ""),
    rule(7, &["elser", "elsen"], 5, ""),
    rule(6, &["ende", "else", "este", "eren"], 4, ""),
    rule(5, &["ere", "est", "ene"], 3, ""),
    rule(4, &["er", "en", "et", "st", "te"], 2, ""),
    rule(3, &["a", "e", "n"], 1, ""),
];
const NYNORSK: [Rule; 9] = [
    rule(7, &["heita"], 5, ""),
    rule(8, &["heiter", "leiken", "leikar"], 6, ""),
    rule(5, &["dom"], 3, ""),
    rule(6, &["heit", "semd", "leik"], 4, ""),
    rule(7, &["elser", "elsen"], 5, ""),
    rule(6, &["ande", "else", "aste", "aren"], 4, ""),
    rule(5, &["are", "ast", "ene", "ane"], 3, ""),
    rule(4, &["er", "en", "et", "ar", "te"], 2, ""),
    rule(3, &["a", "e", "n"], 1, ""),
];
const MINIMAL_BOKMAAL: [Rule; 3] =
    [rule(5, &["ene"], 3, ""), rule(4, &["er", "en", "et"], 2, ""), rule(3, &["a", "e"], 1, "")];
const MINIMAL_NYNORSK: [Rule; 3] =
    [rule(5, &["ene", "ane"], 3, ""), rule(4, &["er", "en", "et", "ar"], 2, ""), rule(3, &["a", "e"], 1, "")];

pub fn swedish(word: &mut Vec<char>) {
    without_genitive(word, &SWEDISH);
}

pub fn norwegian(word: &mut Vec<char>) {
    without_genitive(word, &BOKMAAL);
}

pub fn nynorsk(word: &mut Vec<char>) {
    without_genitive(word, &NYNORSK);
}

pub fn minimal_norwegian(word: &mut Vec<char>) {
    without_genitive(word, &MINIMAL_BOKMAAL);
}

pub fn minimal_nynorsk(word: &mut Vec<char>) {
    without_genitive(word, &MINIMAL_NYNORSK);
}

fn without_genitive(word: &mut Vec<char>, rules: &[Rule]) {
    if word.len() > 4 && word.last() == Some(&'s') {
        word.pop();
    }
    first(word, rules);
}

const FINNISH_PARTICLES: [Rule; 2] = [rule(8, &["kin"], 3, ""), rule(8, &["ko"], 2, "")];
const FINNISH_DERIVED: [Rule; 2] = [rule(11, &["dellinen"], 8, ""), rule(11, &["dellisuus"], 9, "")];
const FINNISH_ADVERBS: [Rule; 3] =
    [rule(5, &["lla", "tse", "sti"], 3, ""), rule(5, &["ni"], 2, ""), rule(5, &["aa"], 1, "")];
const FINNISH_CASES: [Rule; 6] = [
    rule(8, &["nnen"], 4, "s"),
    rule(8, &["ntena"], 5, "s"),
    rule(8, &["tten"], 4, ""),
    rule(8, &["eiden"], 5, ""),
    rule(6, &["neen", "niin", "seen", "teen", "inen"], 4, ""),
    rule(6, &["han", "hen", "hin", "hon", "hun", "hyn"], 3, ""),
];
const FINNISH_LATER_CASES: [Rule; 9] = [
    rule(6, &["den"], 3, "s"),
    rule(6, &["ksen"], 4, "s"),
    rule(6, &["ssa", "sta", "lla", "lta", "tta", "ksi", "lle"], 3, ""),
    rule(5, &["na", "ne"], 2, ""),
    rule(5, &["nei"], 3, ""),
    rule(4, &["ja", "ta"], 2, ""),
    rule(4, &["a"], 1, ""),
    rule(4, &["an", "en", "in", "on", "un", "yn"], 2, ""),
    rule(4, &["n"], 1, ""),
];
const FINNISH_ENDINGS: [Rule; 2] = [rule(4, &["ei", "at"], 2, ""), rule(3, &["t", "s", "j", "e", "a", "i"], 1, "")];

pub fn finnish(word: &mut Vec<char>) {
    if word.len() < 4 {
        return;
    }
    fold(word, &[("äå", 'a'), ("ö", 'o')]);
    while first(word, &FINNISH_PARTICLES) {}
    first(word, &FINNISH_DERIVED);
    first(word, &FINNISH_ADVERBS);
    if !first(word, &FINNISH_CASES) {
        first(word, &FINNISH_LATER_CASES);
    }
    if word.len() > 5 && ends_with(word, "hde") {
        word.truncate(word.len() - 3);
        word.extend("ksi".chars());
    }
    first(word, &FINNISH_ENDINGS);
    without_finnish_doubles(word);
}

/// Last vowels of long words, and the second of two equal stops with the same one before.
fn without_finnish_doubles(word: &mut Vec<char>) {
    if word.len() > 8 && matches!(word.last(), Some('e' | 'o' | 'u')) {
        word.pop();
    }
    if word.len() <= 4 {
        return;
    }
    if word.last() == Some(&'i') {
        word.pop();
    }
    if word.len() > 4 {
        word.dedup_by(|next, kept| next == kept && matches!(kept, 'k' | 'p' | 't'));
    }
}
