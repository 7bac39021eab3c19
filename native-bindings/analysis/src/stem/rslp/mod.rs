//! Stemmers that are lists of rules, in steps: RSLP for Portuguese (V. M. Orengo and C. Huyck, A Stemming Algorithm
//! for the Portuguese Language, SPIRE 2001) and what was made of it for Galician.
//!
//! The lists beside this file: `[step] least words|endings condition...` begins a step, which is for words of so many
//! characters (0: as its rules need) that end in one of the conditions, if there are any. A rule is
//! `ending least replacement : exception...`: what is left of the word has so many characters, `-` is no replacement, and an
//! exception is a whole word, or with `endings` the end of one. The first rule that fits is the only one of its step.

use super::rules::{ends_with, fold};
use std::collections::HashMap;
use std::sync::LazyLock;

const GALICIAN_PLAIN: [(&str, char); 5] = [("á", 'a'), ("éê", 'e'), ("í", 'i'), ("ó", 'o'), ("ú", 'u')];
const PORTUGUESE_PLAIN: [(&str, char); 8] =
    [("àáâãäå", 'a'), ("ç", 'c'), ("èéêë", 'e'), ("ìíîï", 'i'), ("ñ", 'n'), ("òóôõö", 'o'), ("ùúûü", 'u'), ("ýÿ", 'y')];

static GALICIAN: LazyLock<Steps> = LazyLock::new(|| Steps::read(include_str!("galician.txt")));
static PORTUGUESE: LazyLock<Steps> = LazyLock::new(|| Steps::read(include_str!("portuguese.txt")));

pub fn galician(word: &mut Vec<char>) {
    let steps = &*GALICIAN;
    for step in ["plural", "unification", "adverb"] {
        steps.apply(step, word);
    }
    // Each application takes a different ending; a rule that leaves the length as it is ends the repetition.
    while steps.shortens("augmentative", word) {}
    if !steps.shortens("noun", word) {
        steps.apply("verb", word);
    }
    steps.apply("vowel", word);
    fold(word, &GALICIAN_PLAIN);
}

pub fn minimal_galician(word: &mut Vec<char>) {
    GALICIAN.apply("plural", word);
}

pub fn portuguese(word: &mut Vec<char>) {
    let steps = &*PORTUGUESE;
    for step in ["plural", "adverb", "feminine", "augmentative"] {
        steps.apply(step, word);
    }
    if !steps.shortens("noun", word) && !steps.shortens("verb", word) {
        steps.apply("vowel", word);
    }
    fold(word, &PORTUGUESE_PLAIN);
}

pub fn minimal_portuguese(word: &mut Vec<char>) {
    PORTUGUESE.apply("plural", word);
}

struct Steps(HashMap<&'static str, Step>);

impl Steps {
    fn read(text: &'static str) -> Self {
        let mut steps = HashMap::new();
        let mut last: Option<(&str, Step)> = None;
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(header) = line.strip_prefix('[') {
                steps.extend(last.take());
                let (name, rest) = header.split_once("] ").unwrap_or((header, ""));
                last = Some((name, Step::read(rest)));
            } else if let Some((_, step)) = &mut last {
                step.rules.push(Rule::read(line));
            }
        }
        steps.extend(last);
        Steps(steps)
    }

    fn apply(&self, step: &str, word: &mut Vec<char>) {
        if let Some(step) = self.0.get(step) {
            step.apply(word);
        }
    }

    /// Whether the word has another length afterwards.
    fn shortens(&self, step: &str, word: &mut Vec<char>) -> bool {
        let before = word.len();
        self.apply(step, word);
        word.len() != before
    }
}

#[derive(Default)]
struct Step {
    least: usize,
    has_whole_exceptions: bool,
    conditions: Vec<&'static str>,
    rules: Vec<Rule>,
}

impl Step {
    fn read(header: &'static str) -> Self {
        let mut parts = header.split_whitespace();
        let least = parts.next().and_then(|least| least.parse().ok()).unwrap_or(0);
        let has_whole_exceptions = parts.next() == Some("words");
        Step { least, has_whole_exceptions, conditions: parts.collect(), rules: Vec::new() }
    }

    fn apply(&self, word: &mut Vec<char>) {
        let is_for = self.conditions.is_empty() || self.conditions.iter().any(|ending| ends_with(word, ending));
        if word.len() < self.least || !is_for {
            return;
        }
        if let Some(rule) = self.rules.iter().find(|rule| rule.fits(word, self.has_whole_exceptions)) {
            word.truncate(word.len() - rule.ending_length);
            word.extend(rule.replacement.chars());
        }
    }
}

struct Rule {
    ending: &'static str,
    /// In characters.
    ending_length: usize,
    least: usize,
    replacement: &'static str,
    exceptions: Vec<&'static str>,
}

impl Rule {
    fn read(line: &'static str) -> Self {
        let (rule, exceptions) = line.split_once(" : ").unwrap_or((line, ""));
        let mut parts = rule.split_whitespace();
        let ending = parts.next().unwrap_or_default();
        Rule {
            ending,
            ending_length: ending.chars().count(),
            least: parts.next().and_then(|least| least.parse().ok()).unwrap_or(0),
            replacement: parts.next().filter(|&text| text != "-").unwrap_or_default(),
            exceptions: exceptions.split_whitespace().collect(),
        }
    }

    fn fits(&self, word: &[char], has_whole_exceptions: bool) -> bool {
        let is_exception = |exception: &&str| {
            ends_with(word, exception) && (!has_whole_exceptions || exception.chars().count() == word.len())
        };
        word.len() >= self.least + self.ending_length
            && ends_with(word, self.ending)
            && !self.exceptions.iter().any(is_exception)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(stem: fn(&mut Vec<char>), word: &str) -> String {
        let mut word = word.chars().collect();
        stem(&mut word);
        word.into_iter().collect()
    }

    #[test]
    fn every_line_is_a_rule() {
        for (steps, names) in [
            (&*GALICIAN, &["plural", "unification", "adverb", "augmentative", "noun", "verb", "vowel"]),
            (&*PORTUGUESE, &["plural", "adverb", "feminine", "augmentative", "noun", "verb", "vowel"]),
        ] {
            for name in names {
                let step = &steps.0[name];
                assert!(!step.rules.is_empty(), "{name}");
                for rule in &step.rules {
                    assert!(rule.ending_length > 0);
                    assert!(
                        rule.exceptions.iter().all(|exception| exception.ends_with(rule.ending)),
                        "{}",
                        rule.ending
                    );
                }
            }
        }
    }

    #[test]
    fn words() {
        for (stem, word, expected) in [
            (galician as fn(&mut Vec<char>), "cariñosa", "cariñ"),
            (galician, "correspondente", "correspond"),
            (galician, "corresponderá", "correspond"),
            (minimal_galician, "elefantes", "elefante"),
            (minimal_galician, "capitáns", "capitán"),
            (portuguese, "copiadora", "copi"),
            (portuguese, "boas", "boa"),
            (portuguese, "constitucionais", "constituc"),
            (minimal_portuguese, "questões", "questão"),
        ] {
            assert_eq!(stemmed(stem, word), expected, "{word}");
        }
    }
}
