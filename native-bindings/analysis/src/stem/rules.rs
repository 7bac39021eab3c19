//! Endings of words and what becomes of them: what light stemmers are made of.

/// Words of more than `longer_than` characters that end with one of `endings` lose `cut` characters and get `added`.
pub struct Rule {
    longer_than: usize,
    endings: &'static [&'static str],
    cut: usize,
    added: &'static str,
}

pub const fn rule(longer_than: usize, endings: &'static [&'static str], cut: usize, added: &'static str) -> Rule {
    Rule { longer_than, endings, cut, added }
}

/// Applies the first rule that fits; whether there was one.
pub fn first(word: &mut Vec<char>, rules: &[Rule]) -> bool {
    let fits = |rule: &&Rule| {
        word.len() > rule.longer_than.max(rule.cut) && rule.endings.iter().any(|ending| ends_with(word, ending))
    };
    let Some(rule) = rules.iter().find(fits) else { return false };
    word.truncate(word.len() - rule.cut);
    word.extend(rule.added.chars());
    true
}

pub fn ends_with(word: &[char], ending: &str) -> bool {
    let mut rest = word.iter().rev();
    ending.chars().rev().all(|character| rest.next() == Some(&character))
}

/// Puts one character for each of a class of characters.
pub fn fold(word: &mut [char], classes: &[(&str, char)]) {
    for character in word {
        if let Some((_, plain)) = classes.iter().find(|(class, _)| class.contains(*character)) {
            *character = *plain;
        }
    }
}
