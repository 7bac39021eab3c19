//! Filters that write a character by a simpler one: `asciifolding`, `decimal_digit`, `cjk_width`.

use super::fold_table::FOLDS;
use crate::char_sets::{is_digit, ranges};
use crate::filter::{StreamFilter, TermFilter, TokenFilter};
use crate::params::Params;
use crate::token::{Token, TokenStream};
use quarry_base::error::Result;
use std::collections::HashMap;
use std::sync::OnceLock;
use unicode_normalization::UnicodeNormalization;

/// `text` with ASCII letters, digits and punctuation where there is an equivalent.
pub fn fold(text: &str) -> String {
    static TABLE: OnceLock<HashMap<char, &'static str>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        FOLDS.iter().flat_map(|&(ascii, characters)| characters.chars().map(move |from| (from, ascii))).collect()
    });
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        match table.get(&character) {
            Some(ascii) if !character.is_ascii() => folded.push_str(ascii),
            _ => folded.push(character),
        }
    }
    folded
}

pub fn ascii_folding(params: &Params<'_>) -> Result<TokenFilter> {
    if params.flag("preserve_original", false)? {
        Ok(TokenFilter::stream(FoldBesideOriginal))
    } else {
        Ok(TokenFilter::term(AsciiFolding))
    }
}

#[derive(Debug)]
pub struct AsciiFolding;

impl TermFilter for AsciiFolding {
    fn apply(&self, token: &mut Token) -> bool {
        if !token.term.is_ascii() {
            let folded = fold(token.text());
            token.set_text(&folded);
        }
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}

/// `preserve_original`: the original follows its folded form at the same position.
#[derive(Debug)]
struct FoldBesideOriginal;

impl StreamFilter for FoldBesideOriginal {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let mut out = Vec::with_capacity(stream.tokens.len());
        for token in std::mem::take(&mut stream.tokens) {
            let folded = fold(token.text()).into_bytes();
            if folded != token.term {
                out.push(Token { term: folded, ..token.clone() });
            }
            out.push(token);
        }
        stream.tokens = out;
        Ok(())
    }
}

/// Digits of all scripts to `0` to `9`.
#[derive(Debug)]
pub struct DecimalDigit;

impl TermFilter for DecimalDigit {
    fn apply(&self, token: &mut Token) -> bool {
        if !token.term.is_ascii() {
            let digits: String = token.text().chars().map(ascii_digit).collect();
            token.set_text(&digits);
        }
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}

fn ascii_digit(character: char) -> char {
    static DIGITS: OnceLock<Vec<(u32, u32)>> = OnceLock::new();
    if !is_digit(character) {
        return character;
    }
    // Every script's digits are ten code points in a row, zero first.
    let runs = DIGITS.get_or_init(|| ranges(r"\p{Nd}"));
    let code = character as u32;
    let first = runs.iter().rev().find(|&&(first, _)| first <= code).map_or(code, |&(first, _)| first);
    char::from_digit((code - first) % 10, 10).unwrap_or(character)
}

/// Full-width ASCII to ASCII, half-width katakana to full width.
#[derive(Debug)]
pub struct CjkWidth;

impl TermFilter for CjkWidth {
    fn apply(&self, token: &mut Token) -> bool {
        if !token.term.is_ascii() {
            let has_forms = |character| matches!(character, '\u{FF01}'..='\u{FF5E}' | '\u{FF65}'..='\u{FF9F}');
            let widened: String = if token.text().contains(has_forms) {
                let single = |c: char| if has_forms(c) { c.nfkd().next().unwrap_or(c) } else { c };
                token.text().chars().map(single).nfc().collect()
            } else {
                return true;
            };
            token.set_text(&widened);
        }
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}
