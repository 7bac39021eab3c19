//! `lowercase`, `uppercase`: character by character, as Java's `Character` does it.

use crate::filter::{TermFilter, TokenFilter, wrong};
use crate::params::Params;
use crate::token::Token;
use quarry_base::error::Result;

/// One character for one: the only character whose full mapping has two, `İ`, becomes `i`.
pub fn lower(character: char) -> char {
    let mut mapped = character.to_lowercase();
    match (mapped.next(), mapped.len()) {
        (Some(only), 0) => only,
        _ => 'i',
    }
}

pub fn lowercase(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().map(lower).collect() }
}

/// One character for one: where the full mapping has several characters the simple one applies (iota subscripts have a
/// title-case form eight code points on) or none does (`ß`).
fn upper(character: char) -> char {
    let mut mapped = character.to_uppercase();
    if let (Some(only), 0) = (mapped.next(), mapped.len()) {
        return only;
    }
    let shift = match character {
        '\u{1F80}'..='\u{1F87}' | '\u{1F90}'..='\u{1F97}' | '\u{1FA0}'..='\u{1FA7}' => 8,
        '\u{1FB3}' | '\u{1FC3}' | '\u{1FF3}' => 9,
        _ => 0,
    };
    char::from_u32(character as u32 + shift).unwrap_or(character)
}

pub fn lowercase_filter(params: &Params<'_>) -> Result<TokenFilter> {
    match params.text("language")?.as_deref() {
        None => Ok(TokenFilter::term(Lowercase)),
        Some("turkish") => Ok(TokenFilter::term(TurkishLowercase)),
        Some("greek") => Ok(TokenFilter::term(GreekLowercase)),
        Some("irish") => Ok(TokenFilter::term(IrishLowercase)),
        Some(other) => Err(wrong(format!("language [{other}] not support for lower case"))),
    }
}

#[derive(Debug)]
pub struct Lowercase;

impl TermFilter for Lowercase {
    fn apply(&self, token: &mut Token) -> bool {
        if token.term.is_ascii() {
            token.term.make_ascii_lowercase();
        } else {
            let lowered = lowercase(token.text());
            token.set_text(&lowered);
        }
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}

/// Turkish and Azeri: `I` becomes `ı`, `İ` becomes `i`, also when the dot is a combining mark of its own.
#[derive(Debug)]
struct TurkishLowercase;

impl TermFilter for TurkishLowercase {
    fn apply(&self, token: &mut Token) -> bool {
        let mut lowered = String::with_capacity(token.term.len() + 1);
        let mut rest = token.text().chars().peekable();
        while let Some(character) = rest.next() {
            lowered.push(match character {
                'I' if rest.next_if_eq(&'\u{307}').is_some() => 'i',
                'I' => 'ı',
                other => lower(other),
            });
        }
        token.set_text(&lowered);
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}

/// Greek: without accents, and one sigma.
#[derive(Debug)]
struct GreekLowercase;

impl TermFilter for GreekLowercase {
    fn apply(&self, token: &mut Token) -> bool {
        let plain = |character| match lower(character) {
            'ά' => 'α',
            'έ' => 'ε',
            'ή' => 'η',
            'ί' | 'ϊ' | 'ΐ' => 'ι',
            'ό' => 'ο',
            'ύ' | 'ϋ' | 'ΰ' => 'υ',
            'ώ' => 'ω',
            'ς' => 'σ',
            other => other,
        };
        let lowered: String = token.text().chars().map(plain).collect();
        token.set_text(&lowered);
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}

/// Irish: the `n` and `t` before a capital vowel are kept apart from it (`nAthair` becomes `n-athair`).
#[derive(Debug)]
struct IrishLowercase;

impl TermFilter for IrishLowercase {
    fn apply(&self, token: &mut Token) -> bool {
        let mut characters = token.text().chars();
        let is_prefixed = matches!(characters.next(), Some('n' | 't'))
            && characters.next().is_some_and(|second| "AEIOUÁÉÍÓÚ".contains(second));
        let mut lowered = lowercase(token.text());
        if is_prefixed {
            lowered.insert(1, '-');
        }
        token.set_text(&lowered);
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}

#[derive(Debug)]
pub struct Uppercase;

impl TermFilter for Uppercase {
    fn apply(&self, token: &mut Token) -> bool {
        if token.term.is_ascii() {
            token.term.make_ascii_uppercase();
        } else {
            let raised: String = token.text().chars().map(upper).collect();
            token.set_text(&raised);
        }
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}
