//! What an analyzer makes of a text.

use quarry_analysis::{Analyzer, Token};
use quarry_base::error::{Error, Result};
use quarry_mapping::MappedField;
use quarry_query::view::ShardView;
use std::sync::Arc;

/// Words of the text that suggestions are made for.
const WORDS_MAX: usize = 10_000;

/// The mapped field, or the API's refusal.
pub fn field_named<'a>(view: &'a ShardView, name: &str) -> Result<&'a MappedField> {
    let missing = || Error::illegal_argument(format!("no mapping found for field [{name}]"));
    view.mapping.field_by_name(name).ok_or_else(missing)
}

/// An analyzer of the request by name, or the one that the field is searched with; `None`: the text is one word.
pub fn analyzer_of(view: &ShardView, field: &MappedField, name: Option<&str>) -> Result<Option<Arc<Analyzer>>> {
    match name {
        Some(name) => named_analyzer(view, name).map(Some),
        None => Ok(field.search_analyzer.clone().or_else(|| field.analyzer.clone())),
    }
}

pub fn named_analyzer(view: &ShardView, name: &str) -> Result<Arc<Analyzer>> {
    let missing = || Error::illegal_argument(format!("analyzer [{name}] doesn't exists"));
    view.analysis.analyzer(name).ok_or_else(missing)
}

/// The words of a text; one word without an analyzer.
pub fn words(field: &MappedField, analyzer: Option<&Analyzer>, text: &str) -> Result<Vec<Token>> {
    let mut words = Vec::new();
    match (analyzer, &field.normalizer) {
        (Some(analyzer), _) => {
            analyzer.analyze(text, &mut words)?;
        }
        (None, normalizer) => {
            let term = match normalizer {
                Some(normalizer) => normalizer.normalize(text)?,
                None => text.as_bytes().to_vec(),
            };
            words.push(Token { term, end_offset: super::utf16_length(text), ..Token::word() });
        }
    }
    if words.len() > WORDS_MAX {
        let count = words.len();
        return Err(Error::illegal_argument(format!(
            "suggestions are made for at most [{WORDS_MAX}] words, but the text has [{count}]"
        )));
    }
    Ok(words)
}
