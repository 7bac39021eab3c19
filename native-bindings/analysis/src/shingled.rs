//! An analyzer whose words are several words each, as the parts of a `search_as_you_type` field have them.

use super::chain::{Analyzer, Named};
use super::filter::{FixedShingle, TokenFilter, edge_grams};
use quarry_base::error::Result;
use std::sync::Arc;

/// The longest beginning of a word that is a term of its own, in characters.
const PREFIX_MAX: usize = 20;

impl Analyzer {
    /// The same analyzer with words of `size` words. With `prefixes` the text's last words stand with nothing behind them as
    /// well, and every beginning of a word is a term: those of up to 20 characters, and the word itself.
    pub fn shingled(&self, size: u32, prefixes: bool) -> Result<Analyzer> {
        let mut filters = self.filters.clone();
        let shingles = TokenFilter::Stream(Box::new(FixedShingle::new(size as usize, prefixes)));
        filters.push(Named::new("shingle", Arc::new(shingles)));
        if prefixes {
            filters.push(Named::new("edge_ngram", Arc::new(edge_grams(1, PREFIX_MAX))));
        }
        Ok(Analyzer {
            name: self.name.clone(),
            char_filters: self.char_filters.clone(),
            tokenizer: self.tokenizer.clone(),
            filters,
            is_custom: false,
            // The parts do not know of the gap that fields leave by default.
            position_increment_gap: if self.is_custom { self.position_increment_gap } else { 0 },
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Registry, Token};
    use serde_json::json;

    fn shingled(analyzer: &str, size: u32, prefixes: bool, text: &str) -> (Vec<Token>, u32) {
        let registry = Registry::from_spec(&json!({})).unwrap();
        let analyzer = registry.analyzer(analyzer).unwrap().shingled(size, prefixes).unwrap();
        let mut tokens = Vec::new();
        let positions = analyzer.analyze(text, &mut tokens).unwrap();
        (tokens, positions)
    }

    fn texts(tokens: &[Token]) -> Vec<(&str, u32)> {
        tokens.iter().map(|token| (token.text(), token.position)).collect()
    }

    #[test]
    fn words_of_two_words() {
        let (tokens, positions) = shingled("standard", 2, false, "Quick brown Fox");
        assert_eq!(texts(&tokens), [("quick brown", 0), ("brown fox", 1)]);
        assert_eq!((tokens[1].start_offset, tokens[1].end_offset, tokens[1].position_length), (6, 15, 1));
        assert_eq!(positions, 2);
    }

    #[test]
    fn what_is_taken_out_leaves_a_gap() {
        let (tokens, _) = shingled("stop", 3, false, "fox the jumps");
        assert_eq!(texts(&tokens), [("fox  jumps", 0)]);
        let (tokens, _) = shingled("stop", 2, false, "fox the");
        assert_eq!(texts(&tokens), [("fox ", 0)]);
    }

    #[test]
    fn beginnings_of_words_reach_beyond_the_text() {
        let (tokens, positions) = shingled("standard", 2, true, "ab c");
        let expected = [("a", 0), ("ab", 0), ("ab ", 0), ("ab c", 0), ("c", 1), ("c ", 1)];
        assert_eq!(texts(&tokens), expected);
        assert_eq!(positions, 2);
        let (tokens, _) = shingled("standard", 2, true, "abcdefghijklmnopqrstuvwxyz");
        assert_eq!(tokens.last().unwrap().text(), "abcdefghijklmnopqrstuvwxyz ");
        assert_eq!(tokens.len(), 21);
    }
}
