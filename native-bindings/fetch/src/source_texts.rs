//! The texts of a field in a document's source, and their tokens.

use super::field_values::collect_at;
use quarry_analysis::{Spans, Token, Utf16Index};
use quarry_base::error::Result;
use quarry_mapping::MappedField;
use serde_json::Value;

/// Every value at a dotted path that has a text.
pub fn texts_at(source: &Value, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect_at(source, path, &mut found);
    found.into_iter().filter_map(text_of).collect()
}

pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Code units of a text.
pub(super) fn units(text: &str) -> u32 {
    text.encode_utf16().count() as u32
}

/// The tokens of a field of a document, as they were indexed.
pub fn tokens(field: &MappedField, document: &Value) -> Result<Vec<Token>> {
    let path = field.spec.parent.as_deref().unwrap_or(&field.spec.name);
    let mut texts = texts_at(document, path);
    if let Some(limit) = field.spec.ignore_above {
        texts.retain(|text| text.chars().count() <= limit as usize);
    }
    let mut base = 0;
    let mut placed = Vec::with_capacity(texts.len());
    for text in texts {
        let length = units(&text);
        placed.push((text, base));
        // Values stand apart by one place, as if a character were between them.
        base += length + 1;
    }
    analyzed(field, &placed)
}

/// As [`analyzed`], of the tokens whose terms are wanted; of others as well where that takes no less.
pub(super) fn analyzed_where(
    field: &MappedField,
    values: &[(String, u32)],
    mut is_wanted: impl FnMut(&[u8]) -> Result<bool>,
) -> Result<Vec<Token>> {
    let Some(per_word) = field.analyzer.as_ref().and_then(|analyzer| analyzer.per_word()) else {
        return analyzed(field, values);
    };
    let (mut tokens, mut spans, mut filtered) = (Vec::new(), Spans::new(), Token::word());
    let mut position = 0;
    for (place, (value, base)) in values.iter().enumerate() {
        if place > 0 {
            position += field.spec.position_increment_gap;
        }
        spans.clear();
        per_word.words(value, &mut spans)?;
        let index = Utf16Index::new(value);
        for (number, &(start, end)) in (position..).zip(&spans) {
            filtered.term.clear();
            filtered.term.extend_from_slice(&value.as_bytes()[start as usize..end as usize]);
            filtered.keyword = false;
            if per_word.filter(&mut filtered) && is_wanted(&filtered.term)? {
                let [start_offset, end_offset] = [start, end].map(|at| base + index.units(at as usize));
                tokens.push(Token { position: number, start_offset, end_offset, ..filtered.clone() });
            }
        }
        position += spans.len() as u32;
    }
    Ok(tokens)
}

/// The tokens of all values, with offsets in the joined text.
pub fn analyzed(field: &MappedField, values: &[(String, u32)]) -> Result<Vec<Token>> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut position = 0;
    for (place, (value, base)) in values.iter().enumerate() {
        let from = tokens.len();
        if place > 0 {
            position += field.spec.position_increment_gap;
        }
        let taken = match (&field.analyzer, &field.normalizer) {
            (Some(analyzer), _) => analyzer.analyze(value, &mut tokens)?,
            (None, normalizer) => {
                let term = match normalizer {
                    Some(normalizer) => normalizer.normalize(value)?,
                    None => value.clone().into_bytes(),
                };
                tokens.push(Token { term, end_offset: units(value), ..Token::word() });
                1
            }
        };
        for token in tokens.iter_mut().skip(from) {
            token.position += position;
            token.start_offset += base;
            token.end_offset += base;
        }
        position += taken;
    }
    Ok(tokens)
}
