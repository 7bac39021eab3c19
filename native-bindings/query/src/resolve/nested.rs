//! `nested`: documents by what their nested ones are.

use super::{Resolver, failed_to_create};
use crate::node::{NestedNode, Node};
use quarry_base::error::{Error, Result};
use quarry_mapping::Mapping;
use quarry_plan::nested::NestedQuery;

impl Resolver<'_> {
    pub(super) fn nested(&self, query: &NestedQuery) -> Result<Node> {
        if !self.env.limits.allow_expensive_queries {
            return Err(Error::illegal_argument(
                "[joining] queries cannot be executed when 'search.allow_expensive_queries' is set to false.",
            ));
        }
        let mapping = &self.view.mapping;
        if query.ignore_unmapped && !mapping.is_object(&query.path) {
            return Ok(Node::None);
        }
        check_nested(mapping, &query.path).map_err(failed_to_create)?;
        if query.path == self.scope {
            let reason = format!("[nested] the path [{}] is the one that the query is within already", query.path);
            return Err(failed_to_create(Error::illegal_argument(reason)));
        }
        let inner = Resolver { scope: &query.path, ..*self }.resolve(&query.query)?;
        if inner.is_none() {
            return Ok(Node::None);
        }
        let node = NestedNode {
            path: query.path.clone(),
            parent: self.scope.to_owned(),
            query: inner,
            score: query.score_mode,
        };
        Ok(Node::Nested(Box::new(node)).boosted(query.boost))
    }
}

/// Errors: the path is not that of a nested object.
pub(crate) fn check_nested(mapping: &Mapping, path: &str) -> Result<()> {
    if !mapping.is_object(path) {
        return Err(Error::illegal_state(format!("[nested] failed to find nested object under path [{path}]")));
    }
    if !mapping.is_nested(path) {
        return Err(Error::illegal_state(format!("[nested] nested object under path [{path}] is not of nested type")));
    }
    Ok(())
}
