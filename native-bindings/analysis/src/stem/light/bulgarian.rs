//! Bulgarian: article, plural, then the last vowel. After Savoy, "Searching strategies for the Bulgarian language" (2007).

use super::super::rules::{Rule, first, rule};

const SHORTEST: usize = 4;
const PLURAL_OF_PLACES: [Rule; 1] = [rule(5, &["ища"], 3, "")];
const ARTICLE: [Rule; 3] =
    [rule(6, &["ият"], 3, ""), rule(5, &["ът", "то", "те", "та", "ия"], 2, ""), rule(4, &["ят"], 2, "")];
const LONG_PLURALS: [Rule; 6] = [
    rule(6, &["овци", "ове"], 3, ""),
    rule(6, &["еве"], 3, "й"),
    rule(5, &["ища"], 3, ""),
    rule(5, &["та"], 2, ""),
    rule(5, &["ци"], 2, "к"),
    rule(5, &["зи"], 2, "г"),
];
const SHORT_PLURALS: [Rule; 2] = [rule(4, &["си"], 2, "х"), rule(4, &["и"], 1, "")];

pub fn stem(word: &mut Vec<char>) {
    if word.len() < SHORTEST || first(word, &PLURAL_OF_PLACES) {
        return;
    }
    first(word, &ARTICLE);
    plural(word);
    if word.len() >= SHORTEST {
        first(word, &[rule(1, &["я"], 1, "")]);
        first(word, &[rule(1, &["а", "о", "е"], 1, "")]);
    }
    first(word, &[rule(4, &["ен"], 2, "н")]);
    if let [.., 'ъ', last] = word[..]
        && word.len() > 5
    {
        word.truncate(word.len() - 2);
        word.push(last);
    }
}

fn plural(word: &mut Vec<char>) {
    if first(word, &LONG_PLURALS) {
        return;
    }
    if let [.., 'е', middle, 'и'] = word[..]
        && word.len() > 5
    {
        word.truncate(word.len() - 3);
        word.extend(['я', middle]);
        return;
    }
    first(word, &SHORT_PLURALS);
}
