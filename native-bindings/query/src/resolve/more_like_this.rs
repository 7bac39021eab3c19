//! `more_like_this`: the words that tell most about some texts, any of which may match.

use super::compound::bool_node;
use super::field::{Target, require_searchable};
use super::min_should::minimum_should_match;
use super::text::full_text::Analysis;
use super::{Resolver, failed_to_create};
use crate::node::{BoolNode, Node};
use quarry_base::error::{Error, Result};
use quarry_mapping::MappedField;
use quarry_mapping::spec::FieldType;
use quarry_plan::text::{LikeDocument, MoreLikeThisQuery};
use serde_json::Value;
use std::collections::BTreeMap;

/// How often each word of a field is in the texts.
type Words = BTreeMap<Vec<u8>, u32>;

impl Resolver<'_> {
    pub(super) fn more_like_this(&self, query: &MoreLikeThisQuery) -> Result<Node> {
        let fields = self.like_fields(query)?;
        if fields.is_empty() {
            return Ok(Node::None);
        }
        let mut of_documents = Vec::new();
        for field in &fields {
            let words = self.words_of_documents(query, field, fields[0])?;
            of_documents.extend(self.telling_terms(query, &[field], words)?);
        }
        let of_texts = self.telling_terms(query, &fields, self.words_of_texts(query, fields[0])?)?;
        let mut should = Vec::new();
        for terms in [of_documents, of_texts] {
            if !terms.is_empty() {
                should.push(any_of(terms, &query.minimum_should_match)?);
            }
        }
        let must_not = self.like_ids(query).into_iter().collect();
        let node = BoolNode { should, must_not, min_should: 1, ..BoolNode::default() };
        Ok(bool_node(node).boosted(query.boost))
    }

    fn like_fields(&self, query: &MoreLikeThisQuery) -> Result<Vec<&MappedField>> {
        let Some(names) = &query.fields else {
            let fields = self.view.mapping.fields().iter();
            return Ok(fields.filter(|field| is_supported(field) && require_searchable(field).is_ok()).collect());
        };
        let mut fields = Vec::with_capacity(names.len());
        for name in names {
            match self.target(name) {
                Target::Mapped(field) if is_supported(field) => {
                    require_searchable(field)?;
                    fields.push(field);
                }
                Target::Unmapped => {}
                _ if query.fail_on_unsupported_field => {
                    return Err(failed_to_create(Error::illegal_argument(format!(
                        "more_like_this only supports text/keyword fields: [{name}]"
                    ))));
                }
                _ => {}
            }
        }
        Ok(fields)
    }

    /// The words of the texts as the first field would have them, without those that shall not be liked.
    fn words_of_texts(&self, query: &MoreLikeThisQuery, field: &MappedField) -> Result<Words> {
        let mut words = Words::new();
        query.like_texts.iter().try_for_each(|text| self.add_words(query, None, field, text, &mut words))?;
        self.without_unlike(query, field, field, words)
    }

    /// The words that documents have in a field, without those that shall not be liked.
    fn words_of_documents(&self, query: &MoreLikeThisQuery, field: &MappedField, first: &MappedField) -> Result<Words> {
        let mut words = Words::new();
        query.like_documents.iter().try_for_each(|document| self.add_document(query, field, document, &mut words))?;
        self.without_unlike(query, field, first, words)
    }

    /// Texts are, as those that are liked, texts of the first field alone.
    fn without_unlike(
        &self,
        query: &MoreLikeThisQuery,
        field: &MappedField,
        first: &MappedField,
        mut words: Words,
    ) -> Result<Words> {
        let mut unlike = Words::new();
        if field.id == first.id {
            query.unlike_texts.iter().try_for_each(|text| self.add_words(query, None, field, text, &mut unlike))?;
        }
        query
            .unlike_documents
            .iter()
            .try_for_each(|document| self.add_document(query, field, document, &mut unlike))?;
        words.retain(|word, _| !unlike.contains_key(word));
        Ok(words)
    }

    fn add_document(
        &self,
        query: &MoreLikeThisQuery,
        field: &MappedField,
        document: &LikeDocument,
        words: &mut Words,
    ) -> Result<()> {
        let name = &field.spec.name;
        if document.fields.as_ref().is_some_and(|fields| !fields.contains(name)) {
            return Ok(());
        }
        let path = field.spec.parent.as_ref().unwrap_or(name);
        let mut texts = Vec::new();
        if let Some(source) = &document.source {
            texts_at(source, path, &mut texts);
        }
        let analyzer = document.analyzers.get(name).map(String::as_str);
        texts.iter().try_for_each(|text| self.add_words(query, analyzer, field, text, words))
    }

    /// `analyzer` is that of the document in this field; else it is the query's, or the field's own.
    fn add_words(
        &self,
        query: &MoreLikeThisQuery,
        analyzer: Option<&str>,
        field: &MappedField,
        text: &str,
        words: &mut Words,
    ) -> Result<()> {
        let named = analyzer.or(query.analyzer.as_deref());
        let mut tokens = Vec::new();
        match (self.analysis_of(field, named, false)?, named, &field.analyzer) {
            (Analysis::Analyzer(_), None, Some(own)) => own.analyze(text, &mut tokens)?,
            (Analysis::Analyzer(analyzer), ..) => analyzer.analyze(text, &mut tokens)?,
            (Analysis::Whole | Analysis::Value, ..) => {
                *words.entry(self.keyword_term(field, text)?).or_default() += 1;
                return Ok(());
            }
        };
        for term in tokens.into_iter().map(|token| token.term) {
            if !is_noise(query, &term) {
                *words.entry(term).or_default() += 1;
            }
        }
        Ok(())
    }

    /// The words that are rare in the shard and frequent in what is liked, the most telling first. Each is looked for in that of
    /// the fields where most documents have it.
    fn telling_terms(&self, query: &MoreLikeThisQuery, fields: &[&MappedField], words: Words) -> Result<Vec<Node>> {
        let documents = self.scored_documents();
        let mut weighed: Vec<(f32, &str, Vec<u8>)> = Vec::new();
        for (word, frequency) in words {
            if frequency < query.min_term_freq {
                continue;
            }
            let (name, doc_freq) = self.most_frequent_in(fields, &word)?;
            if doc_freq == 0 || doc_freq < query.min_doc_freq || doc_freq > query.max_doc_freq {
                continue;
            }
            let idf = ((documents + 1) as f64 / (doc_freq + 1) as f64).ln() + 1.0;
            weighed.push((frequency as f32 * idf as f32, name, word));
        }
        weighed.sort_by(|left, right| right.0.total_cmp(&left.0));
        weighed.truncate(query.max_query_terms as usize);
        // Weights are told as multiples of the least of them: a term of that one has the boost itself.
        let least = weighed.last().map_or(1.0, |(weight, ..)| *weight);
        let boost = |weight: f32| if query.boost_terms > 0.0 { query.boost_terms * weight / least } else { 1.0 };
        Ok(weighed.into_iter().map(|(weight, name, word)| Node::term(name, word).boosted(boost(weight))).collect())
    }

    /// The first of the fields in which so many documents have the word as in no other, and how many these are.
    fn most_frequent_in<'f>(&self, fields: &[&'f MappedField], word: &[u8]) -> Result<(&'f str, u64)> {
        let mut best = ("", 0);
        for field in fields {
            let name = field.spec.name.as_str();
            let doc_freq = self.term_totals(name, word)?.doc_freq;
            if doc_freq > best.1 {
                best = (name, doc_freq);
            }
        }
        Ok(best)
    }

    /// The documents that shall not be found themselves.
    fn like_ids(&self, query: &MoreLikeThisQuery) -> Option<Node> {
        if query.include {
            return None;
        }
        let is_here =
            |document: &&LikeDocument| document.index.as_ref().is_none_or(|index| **index == *self.view.index);
        let ids = query.like_documents.iter().filter(is_here).filter_map(|document| document.id.as_ref());
        let ids: Vec<Vec<u8>> = ids.map(|id| id.clone().into_bytes()).collect();
        (!ids.is_empty()).then_some(Node::Ids { ids })
    }
}

fn is_supported(field: &MappedField) -> bool {
    matches!(field.spec.field_type, FieldType::Text | FieldType::Keyword)
}

fn is_noise(query: &MoreLikeThisQuery, term: &[u8]) -> bool {
    let text = String::from_utf8_lossy(term);
    let length = text.chars().count() as u32;
    length < query.min_word_length
        || (query.max_word_length > 0 && length > query.max_word_length)
        || query.stop_words.iter().any(|word| **word == *text)
}

fn any_of(should: Vec<Node>, minimum: &str) -> Result<Node> {
    let min_should = minimum_should_match(should.len(), minimum)?;
    Ok(bool_node(BoolNode { should, min_should, ..BoolNode::default() }))
}

/// The scalars at a path, through objects and arrays; names may hold dots.
fn texts_at(value: &Value, path: &str, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| texts_at(item, path, out)),
        Value::Object(members) => {
            for (name, value) in members {
                if name == path {
                    scalars(value, out);
                } else if let Some(rest) = path.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.')) {
                    texts_at(value, rest, out);
                }
            }
        }
        _ => {}
    }
}

fn scalars(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| scalars(item, out)),
        Value::String(text) => out.push(text.clone()),
        Value::Null | Value::Object(_) => {}
        other => out.push(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_are_found_through_objects_and_arrays() {
        let source = json!({"a": [{"b": "x"}, {"b": ["y", 3]}], "a.b": "z", "c": null});
        let mut found = Vec::new();
        texts_at(&source, "a.b", &mut found);
        assert_eq!(found, ["x", "y", "3", "z"]);
    }
}
