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
const HOST: &str = "<HOST>";

/// Types of tokens, in the order in which they are preferred.
const KINDS: [&str; 9] =
    ["<ALPHANUM>", APOSTROPHE, ACRONYM, "<COMPANY>", "<EMAIL>", HOST, "<NUM>", "<CJ>", "<ACRONYM_DEP>"];
const ACRONYM_DEP: usize = 8;

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
        format!(r"{word}(?:[._-]{word})*@{word}(?:[.-]{word})+"),
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
        let mut at = 0;
        while at < classes.len() {
            let Some(found) = search.at(at)? else {
                at += 1;
                continue;
            };
            let (start, end) = (places[at], places[found.end]);
            at = found.end;
            let word = &text[start..end];
            if utf16_length(word) as usize > self.max_token_length {
                // What is too long leaves an empty position.
                out.positions += 1;
            } else if found.pattern == ACRONYM_DEP {
                out.push(word.strip_suffix('.').unwrap_or(word), start, end, HOST);
            } else {
                out.push(word, start, end, KINDS[found.pattern]);
            }
        }
        Ok(())
    }
}
