//! `combined_fields`: several fields as if they were one.

use super::full_text::{Analysis, combine_clauses, zero_terms};
use super::graph_phrase::{PhraseOptions, phrase_of};
use super::token_graph::{Stretch, Words, read_text};
use crate::node::{BoolNode, CombinedNode, Node};
use crate::resolve::compound::bool_node;
use crate::resolve::field::{Target, require_searchable};
use crate::resolve::{Resolver, failed_to_create};
use quarry_analysis::Analyzer;
use quarry_base::error::{Error, Result};
use quarry_mapping::similarity::SimilaritySpec;
use quarry_plan::text::CombinedFieldsQuery;
use std::sync::Arc;

impl Resolver<'_> {
    pub(in crate::resolve) fn combined_fields(&self, query: &CombinedFieldsQuery) -> Result<Node> {
        let mut fields: Vec<(String, f32)> = Vec::new();
        let mut shared: Option<Arc<Analyzer>> = None;
        for (name, boost) in self.expand_fields(&query.fields) {
            let Target::Mapped(field) = self.target(&name) else { continue };
            let Analysis::Analyzer(analyzer) = self.analysis_of(field, None, false)? else {
                return Err(refused(format!(
                    "Field [{name}] of type [{}] does not support [combined_fields] queries",
                    field.spec.type_name()
                )));
            };
            require_searchable(field)?;
            if field.spec.similarity.is_some() {
                return Err(refused("[combined_fields] queries cannot be used with per-field similarities".into()));
            }
            if shared.as_ref().is_some_and(|known| !Arc::ptr_eq(known, &analyzer)) {
                return Err(refused("All fields in [combined_fields] query must have the same search analyzer".into()));
            }
            shared = Some(analyzer);
            fields.push((field.spec.name.clone(), boost));
        }
        let limit = self.env.limits.max_clauses as usize;
        if fields.len() > limit {
            return Err(refused(format!(
                "field expansion for [combined_fields] matches too many fields, limit: {limit}, got: {}",
                fields.len()
            )));
        }
        let Some(analyzer) = shared else { return Ok(Node::None) };
        if !matches!(self.view.mapping.spec().default_similarity, None | Some(SimilaritySpec::Bm25 { .. })) {
            return Err(refused("[combined_fields] queries can only be used with the [BM25] similarity".into()));
        }
        let text = read_text(&analyzer, &query.query, self.env.limits.max_clauses)?;
        if text.is_empty() {
            return Ok(zero_terms(query.zero_terms).boosted(query.boost));
        }
        let clause = |stretch| match stretch {
            Stretch::Words(words) => combined(&fields, words.terms),
            Stretch::Readings(readings) => any_reading(&fields, &readings, query.synonym_phrases),
        };
        let mut clauses: Vec<Node> = text.into_iter().map(clause).collect();
        if clauses.len() == 1 {
            return Ok(clauses.pop().unwrap_or(Node::None).boosted(query.boost));
        }
        let node = combine_clauses(clauses, query.operator, query.minimum_should_match.as_deref())?;
        Ok(node.boosted(query.boost))
    }
}

fn combined(fields: &[(String, f32)], terms: Vec<Vec<u8>>) -> Node {
    Node::Combined(CombinedNode { fields: fields.to_vec(), terms })
}

/// Several words are a phrase in any of the fields, or words that are all in some of them.
fn any_reading(fields: &[(String, f32)], readings: &[Vec<Words>], as_phrases: bool) -> Node {
    let options = PhraseOptions { slop: 0, prefix_expansions: None };
    let any = |should| bool_node(BoolNode { should, ..BoolNode::default() });
    let node = |reading: &Vec<Words>| match reading.as_slice() {
        [word] => combined(fields, word.terms.clone()),
        words if as_phrases => {
            any(fields.iter().map(|(field, boost)| phrase_of(field, words, options).boosted(*boost)).collect())
        }
        words => {
            let must = words.iter().map(|word| combined(fields, word.terms.clone())).collect();
            bool_node(BoolNode { must, ..BoolNode::default() })
        }
    };
    any(readings.iter().map(node).collect())
}

fn refused(reason: String) -> Error {
    failed_to_create(Error::illegal_argument(reason))
}
