//! `combined_fields`: several fields as if they were one.

use super::field::{Target, require_searchable};
use super::full_text::{Analysis, analyze, combine_clauses, zero_terms};
use super::{Resolver, failed_to_create};
use crate::analysis::Analyzer;
use crate::error::{Error, Result};
use crate::search::node::{CombinedNode, Node};
use crate::search::plan::text::CombinedFieldsQuery;
use std::sync::Arc;

impl Resolver<'_> {
    pub(super) fn combined_fields(&self, query: &CombinedFieldsQuery) -> Result<Node> {
        let mut fields: Vec<(String, f32)> = Vec::new();
        let mut shared: Option<Arc<Analyzer>> = None;
        for (name, boost) in self.expand_fields(&query.fields) {
            let Target::Mapped(field) = self.target(&name) else { continue };
            let Analysis::Analyzer(analyzer) = self.analysis_of(field, None, false)? else {
                return Err(refused(format!(
                    "Field [{name}] of type [{}] does not support [combined_fields] queries",
                    field.spec.field_type.name()
                )));
            };
            require_searchable(field)?;
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
        let positions = analyze(&analyzer, &query.query)?;
        if positions.is_empty() {
            return Ok(zero_terms(query.zero_terms).boosted(query.boost));
        }
        let clause = |terms| Node::Combined(CombinedNode { fields: fields.clone(), terms });
        let mut clauses: Vec<Node> = positions.into_iter().map(|position| clause(position.terms)).collect();
        if clauses.len() == 1 {
            return Ok(clauses.pop().unwrap_or(Node::None).boosted(query.boost));
        }
        let node = combine_clauses(clauses, query.operator, query.minimum_should_match.as_deref())?;
        Ok(node.boosted(query.boost))
    }
}

fn refused(reason: String) -> Error {
    failed_to_create(Error::illegal_argument(reason))
}
