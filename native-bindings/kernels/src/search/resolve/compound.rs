//! Queries of queries.

use super::min_should::minimum_should_match;
use super::{Resolver, is_value_error};
use crate::error::Result;
use crate::search::node::{BoolNode, Node};
use crate::search::plan::query::{AnyFieldQuery, BoolQuery, BoostingQuery, DisMaxQuery, Query};

impl Resolver<'_> {
    fn resolve_all(&self, queries: &[Query]) -> Result<Vec<Node>> {
        queries.iter().map(|query| self.resolve(query)).collect()
    }

    pub(super) fn bool_query(&self, query: &BoolQuery) -> Result<Node> {
        let mut node = BoolNode {
            must: self.resolve_all(&query.must)?,
            filter: self.resolve_all(&query.filter)?,
            should: self.resolve_all(&query.should)?,
            must_not: self.resolve_all(&query.must_not)?,
            min_should: 0,
        };
        let has_positive = !(node.must.is_empty() && node.filter.is_empty() && node.should.is_empty());
        if !has_positive {
            if node.must_not.is_empty() {
                return Ok(Node::All.boosted(query.boost));
            }
            if !query.adjust_pure_negative {
                return Ok(Node::None);
            }
            node.filter.push(Node::All);
        }
        let minimum = query.minimum_should_match.as_ref().filter(|_| !node.should.is_empty());
        if let Some(specification) = minimum {
            node.min_should = minimum_should_match(node.should.len(), specification)?;
        }
        Ok(bool_node(node).boosted(query.boost))
    }

    pub(super) fn dis_max(&self, query: &DisMaxQuery) -> Result<Node> {
        let nodes = self.resolve_all(&query.queries)?;
        Ok(dis_max(nodes, query.tie_breaker).boosted(query.boost))
    }

    pub(super) fn boosting(&self, query: &BoostingQuery) -> Result<Node> {
        let positive = Box::new(self.resolve(&query.positive)?);
        let negative = Box::new(self.resolve(&query.negative)?);
        let negative_boost = query.negative_boost;
        Ok(Node::Boosting { positive, negative, negative_boost }.boosted(query.boost))
    }

    /// The same query on each field, the best of them.
    pub(super) fn any_field(&self, query: &AnyFieldQuery) -> Result<Node> {
        let mut nodes = Vec::new();
        for (field, boost) in self.expand_fields(&query.fields) {
            match self.resolve(&query.query.with_field(&field)?) {
                Ok(node) => nodes.push(node.boosted(boost)),
                Err(error) if query.lenient && is_value_error(error.code) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(dis_max(nodes, 0.0).boosted(query.boost))
    }
}

/// Clauses that cannot match are taken out, and what is decided by that.
pub(super) fn bool_node(mut node: BoolNode) -> Node {
    if node.must.iter().chain(&node.filter).any(Node::is_none) {
        return Node::None;
    }
    node.should.retain(|clause| !clause.is_none());
    node.must_not.retain(|clause| !clause.is_none());
    let has_required = !(node.must.is_empty() && node.filter.is_empty());
    if !has_required {
        node.min_should = node.min_should.max(1);
    }
    if node.min_should as usize > node.should.len() {
        return Node::None;
    }
    let is_single = node.filter.is_empty() && node.must_not.is_empty() && node.must.len() + node.should.len() == 1;
    if is_single {
        return node.must.pop().or_else(|| node.should.pop()).unwrap_or(Node::None);
    }
    Node::Bool(node)
}

pub(super) fn dis_max(mut nodes: Vec<Node>, tie_breaker: f32) -> Node {
    nodes.retain(|node| !node.is_none());
    if nodes.len() > 1 {
        return Node::DisMax { nodes, tie_breaker };
    }
    nodes.pop().unwrap_or(Node::None)
}
