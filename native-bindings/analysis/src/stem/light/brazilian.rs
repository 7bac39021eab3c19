//! Brazilian Portuguese: Snowball-like regions, endings of nouns, else of verbs, else the last vowel; accents go first.

use super::super::rules::fold;

const PLAIN: [(&str, char); 7] =
    [("áâã", 'a'), ("éê", 'e'), ("í", 'i'), ("óôõ", 'o'), ("úü", 'u'), ("ç", 'c'), ("ñ", 'n')];
const SHORTEST: usize = 3;
const LONGEST: usize = 29;

/// Endings of the second region, and what stands for them.
const NOUNS: [(&str, &str); 39] = [
    ("uciones", "u"),
    ("imentos", ""),
    ("amentos", ""),
    ("adores", ""),
    ("adoras", ""),
    ("logias", "logias"),
    ("encias", "ente"),
    ("idades", ""),
    ("acoes", ""),
    ("imento", ""),
    ("amento", ""),
    ("adora", ""),
    ("ismos", ""),
    ("istas", ""),
    ("logia", "log"),
    ("ucion", "u"),
    ("encia", "ente"),
    ("mente", ""),
    ("idade", ""),
    ("acao", ""),
    ("ezas", ""),
    ("icos", ""),
    ("icas", ""),
    ("ismo", ""),
    ("avel", ""),
    ("ivel", ""),
    ("ista", ""),
    ("osos", ""),
    ("osas", ""),
    ("ador", ""),
    ("ivas", ""),
    ("ivos", ""),
    ("eza", ""),
    ("ico", ""),
    ("ica", ""),
    ("oso", ""),
    ("osa", ""),
    ("iva", ""),
    ("ivo", ""),
];
/// Endings of verbs, longest first.
const VERBS: &str = "issemos essemos assemos ariamos eriamos iriamos \
    iremos eremos aremos avamos iramos eramos aramos asseis esseis isseis arieis erieis irieis \
    irmos iamos armos ermos areis ereis ireis asses esses isses astes assem essem issem ardes erdes irdes ariam eriam iriam \
    arias erias irias estes istes aveis \
    aria eria iria asse esse isse aste este iste arei erei irei aram eram iram avam arem erem irem ando endo indo arao erao \
    irao adas idas aras eras iras avas ares eres ires ados idos amos emos imos ieis \
    ada ida ara era iam ado ido ias ais eis ear \
    ia ei am em ar er ir as es is eu iu ou";

pub fn stem(word: &mut Vec<char>) {
    let mut text = word.clone();
    fold(&mut text, &PLAIN);
    if !(SHORTEST..=LONGEST).contains(&text.len()) {
        return;
    }
    let mut text: String = text.into_iter().collect();
    if text.chars().all(char::is_alphabetic) {
        cut_endings(&mut text);
    }
    *word = text.chars().collect();
}

fn cut_endings(text: &mut String) {
    let whole = text.clone();
    let first = behind_first_consonant(&whole);
    let second = behind_first_consonant(first);
    let verbal = verbal_region(&whole);
    if cut_noun(text, first, second, verbal) || cut_verb(text, verbal) {
        if verbal.ends_with("ci") {
            cut(text, "i");
        }
    } else if let Some(ending) = ["os", "a", "i", "o"].into_iter().find(|ending| verbal.ends_with(ending)) {
        cut(text, ending);
    }
    if verbal.ends_with('e') {
        cut(text, "e");
        if verbal.ends_with("gue") {
            cut(text, "u");
        } else if verbal.ends_with("cie") {
            cut(text, "i");
        }
    }
}

fn cut_noun(text: &mut String, first: &str, second: &str, verbal: &str) -> bool {
    if first.ends_with("amente") {
        return cut(text, "amente");
    }
    if let Some((ending, instead)) = NOUNS.iter().find(|(ending, _)| second.ends_with(ending)) {
        cut(text, ending);
        text.push_str(instead);
        return true;
    }
    for (ending, in_region) in [("eiras", "iras"), ("eira", "ira")] {
        if text.ends_with(ending) && verbal.ends_with(in_region) {
            cut(text, in_region);
            text.push_str("ir");
            return true;
        }
    }
    false
}

fn cut_verb(text: &mut String, verbal: &str) -> bool {
    match VERBS.split_whitespace().find(|ending| verbal.ends_with(ending)) {
        Some(ending) => cut(text, ending),
        // Such a word keeps its ending, and loses no other.
        None => verbal.ends_with("ira"),
    }
}

/// Whether the ending was there.
fn cut(text: &mut String, ending: &str) -> bool {
    let Some(length) = text.strip_suffix(ending).map(str::len) else { return false };
    text.truncate(length);
    true
}

fn is_vowel(character: char) -> bool {
    matches!(character, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// What follows the first consonant behind a vowel; empty where the last letter would have to be one of them.
fn behind_first_consonant(text: &str) -> &str {
    let mut places = text.char_indices().peekable();
    let mut vowel_seen = false;
    while let Some((at, character)) = places.next() {
        if places.peek().is_none() {
            break;
        }
        if vowel_seen && !is_vowel(character) {
            return &text[at + character.len_utf8()..];
        }
        vowel_seen |= is_vowel(character);
    }
    ""
}

/// Where endings of verbs may begin: behind the first vowel after two consonants, behind the first consonant after two vowels,
/// else behind the third letter.
fn verbal_region(text: &str) -> &str {
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let last = letters.len().saturating_sub(1);
    let behind = |wanted: bool| {
        let found = letters.get(2..last)?.iter().find(|(_, character)| is_vowel(*character) == wanted)?;
        Some(&text[found.0 + found.1.len_utf8()..])
    };
    let second_is_vowel = letters.get(1).is_some_and(|(_, character)| is_vowel(*character));
    let first_is_vowel = letters.first().is_some_and(|(_, character)| is_vowel(*character));
    let region = match (first_is_vowel, second_is_vowel) {
        (_, false) => behind(true),
        (true, true) => behind(false),
        (false, true) => None,
    };
    region.or_else(|| letters.get(3).map(|(at, _)| &text[*at..])).unwrap_or("")
}
