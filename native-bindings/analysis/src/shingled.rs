//! An analyzer whose words are several words each.

use super::Limits;
use super::chain::{Analyzer, Named};
use super::filter;
use quarry_base::error::{Error, Result};
use serde_json::json;
use std::sync::Arc;

impl Analyzer {
    /// The same analyzer with words of `size` words, as the parts of a `search_as_you_type` field have them.
    pub fn shingled(&self, size: u32) -> Result<Analyzer> {
        let parameters = json!({"min_shingle_size": size, "max_shingle_size": size, "output_unigrams": false});
        let parameters = parameters.as_object().cloned().unwrap_or_default();
        let shingle = filter::build("shingle", "shingle", &parameters, &Limits::default())?
            .ok_or_else(|| Error::internal("there is no filter that makes shingles"))?;
        let mut filters = self.filters.clone();
        filters.push(Named::new("shingle", Arc::new(shingle)));
        Ok(Analyzer {
            name: format!("{}_{size}gram", self.name),
            char_filters: self.char_filters.clone(),
            tokenizer: self.tokenizer.clone(),
            filters,
            is_custom: true,
            position_increment_gap: self.position_increment_gap,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Registry;
    use serde_json::json;

    #[test]
    fn words_of_two_words() {
        let registry = Registry::from_spec(&json!({})).unwrap();
        let analyzer = registry.analyzer("standard").unwrap().shingled(2).unwrap();
        let mut tokens = Vec::new();
        analyzer.analyze("Quick brown Fox", &mut tokens).unwrap();
        let terms: Vec<String> = tokens.iter().map(|token| String::from_utf8(token.term.clone()).unwrap()).collect();
        assert_eq!(terms, ["quick brown", "brown fox"]);
    }
}
