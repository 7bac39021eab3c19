//! `classic`: words, and what English texts have beside them, as Lucene cut texts before it followed Unicode.
//!
//! The expressions are over kinds of characters, so that their automaton is small: a text is first written with one byte
//! for each character.

use super::super::char_sets::{is_digit, is_letter};
use super::super::offsets::utf16_length;
use super::super::params::Params;
use super::super::token::TokenStream;
use super::automaton::Longest;
use super::{MAX_TOKEN_LENGTH_LIMIT, Tokenizer};
use quarry_base::error::Result;
use quarry_base::limits::TOKEN_CHARS_MAX;
use std::sync::LazyLock;

pub const APOSTROPHE: &str = "<APOSTROPHE>";
pub const ACRONYM: &str = "<ACRONYM>";
/// A host with a dot too many.
const ACRONYM_DEP: &str = "<ACRONYM_DEP>";
const EMAIL: &str = "<EMAIL>";
const HOST: &str = "<HOST>";

/// Types of tokens that expressions find, in the order in which they are preferred.
const KINDS: [&str; 8] = ["<ALPHANUM>", APOSTROPHE, ACRONYM, "<COMPANY>", HOST, "<NUM>", "<CJ>", ACRONYM_DEP];

/// Written for a letter, a digit, a Thai sign that is none, a Chinese or Japanese character; other ASCII stands for itself.
const LETTER: u8 = b'a';
const DIGIT: u8 = b'0';
const THAI: u8 = b't';
const CJ: u8 = b'c';
const OTHER: u8 = b' ';

static PATTERNS: LazyLock<Longest> = LazyLock::new(|| {
    let word = "[at0]+";
    let has_digit = "[a0]*0[a0]*";
    let joint = "[_/.,-]";
    let number = [
        format!("{word}{joint}{has_digit}"),
        format!("{has_digit}{joint}{word}"),
        format!("{word}(?:{joint}{has_digit}{joint}{word})+"),
        format!("{has_digit}(?:{joint}{word}{joint}{has_digit})+"),
        format!("{word}{joint}{has_digit}(?:{joint}{word}{joint}{has_digit})+"),
        format!("{has_digit}{joint}{word}(?:{joint}{has_digit}{joint}{word})+"),
    ];
    let patterns = [
        word.to_owned(),
        "a+(?:'a+)+".to_owned(),
        r"a\.(?:a\.)+".to_owned(),
        "a+[&@]a+".to_owned(),
        format!(r"{word}(?:\.{word})+"),
        number.join("|"),
        "c".to_owned(),
        format!(r"{word}\.(?:{word}\.)+"),
    ];
    Longest::new(&patterns).expect("the patterns are valid constants")
});

fn class_of(character: char) -> u8 {
    match character {
        '\u{3040}'..='\u{312F}' | '\u{31F0}'..='\u{31FF}' | '\u{3300}'..='\u{337F}' | '\u{3400}'..='\u{4DBF}' => CJ,
        '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF65}'..='\u{FF9F}' => CJ,
        '\'' | '.' | '&' | '@' | '_' | '-' | '/' | ',' => character as u8,
        // Its Unicode had no characters beyond the first plane.
        '\u{10000}'.. => OTHER,
        _ if is_letter(character) => LETTER,
        _ if is_digit(character) => DIGIT,
        '\u{E00}'..='\u{E59}' => THAI,
        _ => OTHER,
    }
}

/// Addresses: `word([._-]word)*@word([.-]word)+`. An expression would read on to the end of the words before `@` from each of
/// them, so their end is found once for all.
struct Addresses<'a> {
    classes: &'a [u8],
    /// Where the words end that were looked at last, joined as they may be before `@`.
    words_end: usize,
    /// Where the address ends that these words begin.
    end: Option<usize>,
}

impl Addresses<'_> {
    /// The end of the address from this place on, if one is there. Places must ascend.
    fn at(&mut self, start: usize) -> Option<usize> {
        if word_end(self.classes, start) == start {
            return None;
        }
        if start >= self.words_end {
            self.words_end = joined_end(self.classes, start, b"._-");
            self.end = self.host_end();
        }
        self.end
    }

    /// Where a host ends that stands with its `@` behind the words.
    fn host_end(&self) -> Option<usize> {
        let host = self.words_end + 1;
        let first_end = word_end(self.classes, host);
        let end = joined_end(self.classes, host, b".-");
        (self.classes.get(self.words_end) == Some(&b'@') && host < first_end && first_end < end).then_some(end)
    }
}

/// The end of the word that begins at `start`; `start` where none does.
fn word_end(classes: &[u8], start: usize) -> usize {
    let rest = classes.get(start..).unwrap_or_default();
    start + rest.iter().take_while(|class| matches!(**class, LETTER | DIGIT | THAI)).count()
}

/// The end of words from `start` on between which one of `joints` stands.
fn joined_end(classes: &[u8], start: usize, joints: &[u8]) -> usize {
    let mut end = word_end(classes, start);
    while classes.get(end).is_some_and(|class| joints.contains(class)) {
        let next = word_end(classes, end + 1);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    end
}

#[derive(Debug)]
pub struct Classic {
    max_token_length: usize,
}

impl Classic {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let max_token_length = params.bounded("max_token_length", TOKEN_CHARS_MAX, 1, MAX_TOKEN_LENGTH_LIMIT)?;
        Ok(Classic { max_token_length })
    }
}

impl Tokenizer for Classic {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        let mut places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        places.push(text.len());
        let classes: Vec<u8> = text.chars().map(class_of).collect();
        let mut search = PATTERNS.over(&classes);
        let mut addresses = Addresses { classes: &classes, words_end: 0, end: None };
        let mut at = 0;
        while at < classes.len() {
            // No expression matches as much as an address.
            let (found_end, kind) = match addresses.at(at) {
                Some(end) => (end, EMAIL),
                None => match search.at(at)? {
                    Some(found) => (found.end, KINDS[found.pattern]),
                    None => {
                        at += 1;
                        continue;
                    }
                },
            };
            let (start, end) = (places[at], places[found_end]);
            at = found_end;
            let word = &text[start..end];
            if utf16_length(word) as usize > self.max_token_length {
                // What is too long leaves an empty position.
                out.positions += 1;
            } else if kind == ACRONYM_DEP {
                out.push(word.strip_suffix('.').unwrap_or(word), start, end, HOST);
            } else {
                out.push(word, start, end, kind);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// As the expression has it, tried at each place.
        #[test]
        fn addresses(classes in "([a0t]|[._@-]|[a0]@a|a[.-]a|[&, ]){0,12}") {
            let address = regex::Regex::new("^[at0]+(?:[._-][at0]+)*@[at0]+(?:[.-][at0]+)+").unwrap();
            let mut found = Addresses { classes: classes.as_bytes(), words_end: 0, end: None };
            for start in 0..classes.len() {
                let expected = address.find(&classes[start..]).map(|address| start + address.end());
                proptest::prop_assert_eq!(found.at(start), expected, "{} at {}", classes, start);
            }
        }
    }
}
