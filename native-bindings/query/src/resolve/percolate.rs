//! `percolate`: documents whose stored query matches a document of the request.

use super::Resolver;
use crate::node::{Node, PercolateNode};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_mapping::spec::DeclaredType;
use quarry_plan::query::PercolateQuery;
use std::sync::Arc;

impl Resolver<'_> {
    pub(super) fn percolate(&self, query: &PercolateQuery) -> Result<Node> {
        if !self.env.limits.allow_expensive_queries {
            return Err(Error::illegal_argument(
                "[percolate] queries cannot be executed when 'search.allow_expensive_queries' is set to false.",
            ));
        }
        let name = &query.field;
        let refused = |reason: String| Err(Error::new(ErrorCode::QueryShard, reason));
        let Some(field) = self.view.mapping.field_by_name(name) else {
            return refused(format!("field [{name}] does not exist"));
        };
        if field.spec.declared_type != Some(DeclaredType::Percolator) {
            let kind = field.spec.type_name();
            return refused(format!("expected field [{name}] to be of type [percolator], but is of type [{kind}]"));
        }
        let node = PercolateNode {
            field: field.spec.name.clone(),
            scope: self.scope.to_owned(),
            documents: Arc::clone(&query.documents),
        };
        Ok(Node::Percolate(node).boosted(query.boost))
    }
}
