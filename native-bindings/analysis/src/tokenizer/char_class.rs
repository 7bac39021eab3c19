//! Tokenizers that cut where a character is not of a class: `letter`, `lowercase`, `whitespace`, `char_group`.

use super::super::char_sets::{is_digit, is_letter, is_punctuation, is_symbol, is_whitespace};
use super::super::params::Params;
use super::super::token::{TokenStream, WORD};
use super::{MAX_TOKEN_LENGTH_LIMIT, Tokenizer, WordScan};
use crate::filter::characters::case::lowercase;
use quarry_base::error::Result;
use quarry_base::limits::TOKEN_CHARS_MAX;

/// Which characters a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharClass {
    Letter,
    NotWhitespace,
}

impl CharClass {
    pub fn contains(self, character: char) -> bool {
        match self {
            CharClass::Letter => is_letter(character),
            CharClass::NotWhitespace => !is_whitespace(character),
        }
    }
}

/// Calls `found` with the bounds of each run of characters that `belongs`, cut at `max_length` UTF-16 code units.
pub fn runs(text: &str, max_length: usize, belongs: impl Fn(char) -> bool, mut found: impl FnMut(usize, usize)) {
    let mut start = None;
    let mut units = 0;
    for (at, character) in text.char_indices() {
        match (belongs(character), start) {
            (true, None) => {
                start = Some(at);
                units = character.len_utf16();
            }
            (true, Some(first)) if units >= max_length => {
                found(first, at);
                start = Some(at);
                units = character.len_utf16();
            }
            (true, Some(_)) => units += character.len_utf16(),
            (false, Some(first)) => {
                found(first, at);
                start = None;
            }
            (false, None) => {}
        }
    }
    if let Some(first) = start {
        found(first, text.len());
    }
}

#[derive(Debug)]
pub struct CharTokenizer {
    class: CharClass,
    lowercases: bool,
    max_token_length: usize,
}

impl CharTokenizer {
    pub fn letter(_params: &Params<'_>) -> Result<Self> {
        Ok(CharTokenizer { class: CharClass::Letter, lowercases: false, max_token_length: TOKEN_CHARS_MAX })
    }

    pub fn lowercase(_params: &Params<'_>) -> Result<Self> {
        Ok(CharTokenizer { class: CharClass::Letter, lowercases: true, max_token_length: TOKEN_CHARS_MAX })
    }

    pub fn whitespace(params: &Params<'_>) -> Result<Self> {
        let max_token_length = params.bounded("max_token_length", TOKEN_CHARS_MAX, 1, MAX_TOKEN_LENGTH_LIMIT)?;
        Ok(CharTokenizer { class: CharClass::NotWhitespace, lowercases: false, max_token_length })
    }
}

impl Tokenizer for CharTokenizer {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        let belongs = |character| self.class.contains(character);
        runs(text, self.max_token_length, belongs, |start, end| match self.lowercases {
            true => out.push(&lowercase(&text[start..end]), start, end, WORD),
            false => out.push(&text[start..end], start, end, WORD),
        });
        Ok(())
    }

    fn word_scan(&self) -> Option<WordScan> {
        (!self.lowercases).then_some(WordScan::Class { class: self.class, max_length: self.max_token_length })
    }
}

/// `char_group`: cuts at the characters of a list.
#[derive(Debug)]
pub struct CharGroup {
    separators: Vec<char>,
    classes: Vec<fn(char) -> bool>,
    max_token_length: usize,
}

impl CharGroup {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let max_token_length = params.bounded("max_token_length", TOKEN_CHARS_MAX, 1, MAX_TOKEN_LENGTH_LIMIT)?;
        let mut group = CharGroup { separators: Vec::new(), classes: Vec::new(), max_token_length };
        for entry in params.list("tokenize_on_chars")?.unwrap_or_default() {
            match class_named(&entry) {
                Some(class) => group.classes.push(class),
                None => group.separators.push(one_character(params, &entry)?),
            }
        }
        Ok(group)
    }
}

impl Tokenizer for CharGroup {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        let belongs = |character| {
            !self.separators.contains(&character) && !self.classes.iter().any(|contains| contains(character))
        };
        runs(text, self.max_token_length, belongs, |start, end| out.push(&text[start..end], start, end, WORD));
        Ok(())
    }
}

/// The classes that n-gram tokenizers and `char_group` share.
pub fn class_named(name: &str) -> Option<fn(char) -> bool> {
    Some(match name {
        "letter" => is_letter,
        "digit" => is_digit,
        "whitespace" => is_whitespace,
        "punctuation" => is_punctuation,
        "symbol" => is_symbol,
        _ => return None,
    })
}

fn one_character(params: &Params<'_>, entry: &str) -> Result<char> {
    let wrong = || params.wrong("tokenize_on_chars", format!("Invalid escaped char in [{entry}]"));
    let mut characters = entry.chars();
    let first = characters.next().ok_or_else(wrong)?;
    let character = if first == '\\' {
        match characters.next().ok_or_else(wrong)? {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            'b' => '\u{8}',
            '\\' => '\\',
            'u' => {
                let code = u32::from_str_radix(characters.as_str(), 16).ok();
                characters = "".chars();
                code.and_then(char::from_u32).ok_or_else(wrong)?
            }
            _ => return Err(wrong()),
        }
    } else {
        first
    };
    if characters.next().is_some() {
        return Err(wrong());
    }
    Ok(character)
}
