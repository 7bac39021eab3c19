//! Normalizations: one spelling for what a script or a language writes in several ways.
mod arabic;
mod indic;
mod latin;

#[cfg(test)]
mod tests;

use crate::filter::{TermFilter, TokenFilter};
use crate::token::Token;

/// Rewrites the characters of a word.
type Rewrite = fn(Vec<char>) -> Vec<char>;

/// The filter of that name; `None` when there is none.
pub fn named(kind: &str) -> Option<TokenFilter> {
    let rewrite: Rewrite = match kind {
        "arabic_normalization" => arabic::arabic,
        "bengali_normalization" => indic::bengali,
        "german_normalization" => latin::german,
        "hindi_normalization" => indic::hindi,
        "indic_normalization" => indic::composed,
        "persian_normalization" => arabic::persian,
        "scandinavian_folding" => latin::scandinavian_folding,
        "scandinavian_normalization" => latin::scandinavian,
        "serbian_normalization" => latin::serbian,
        "sorani_normalization" => arabic::sorani,
        _ => return None,
    };
    let heeds_keywords = matches!(kind, "bengali_normalization" | "hindi_normalization");
    Some(TokenFilter::term(Normalization { rewrite, heeds_keywords }))
}

#[derive(Debug)]
struct Normalization {
    rewrite: Rewrite,
    /// It rewrites so much that words excluded from stemming are left alone too.
    heeds_keywords: bool,
}

impl TermFilter for Normalization {
    fn apply(&self, token: &mut Token) -> bool {
        if token.keyword && self.heeds_keywords {
            return true;
        }
        let rewritten: String = (self.rewrite)(token.text().chars().collect()).into_iter().collect();
        token.set_text(&rewritten);
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}
