//! Queries of queries.

use super::field::Target;
use super::min_should::minimum_should_match;
use super::{Resolver, failed_to_create, is_value_error};
use crate::node::{BoolNode, Node};
use quarry_base::error::{Error, Result};
use quarry_plan::query::{AnyFieldQuery, BoolQuery, BoostingQuery, DisMaxQuery, Query};

impl Resolver<'_> {
    fn resolve_all(&self, queries: &[Query]) -> Result<Vec<Node>> {
        queries.iter().map(|query| self.resolve(query)).collect()
    }

    /// The clauses of a `bool`, without those that are to be dropped.
    fn clauses(&self, query: &BoolQuery, clauses: &[Query]) -> Result<Vec<Node>> {
        if !query.drops_empty {
            return self.resolve_all(clauses);
        }
        let mut nodes = Vec::with_capacity(clauses.len());
        for clause in clauses {
            if !self.asks_nothing(clause)? {
                nodes.push(self.resolve(clause)?);
            }
        }
        Ok(nodes)
    }

    /// Whether nothing is left of a query string, or of a part of it, once its words are analysed.
    fn asks_nothing(&self, query: &Query) -> Result<bool> {
        match query {
            Query::MultiMatch(query) => self.has_no_words(query),
            Query::Bool(query) if query.drops_empty => self.asks_nothing_of(query),
            _ => Ok(false),
        }
    }

    fn asks_nothing_of(&self, query: &BoolQuery) -> Result<bool> {
        let should = if query.is_negation { &[] } else { query.should.as_slice() };
        for clause in query.must.iter().chain(&query.filter).chain(should).chain(&query.must_not) {
            if !self.asks_nothing(clause)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn bool_query(&self, query: &BoolQuery) -> Result<Node> {
        if query.drops_empty && self.asks_nothing_of(query)? {
            return Ok(Node::None);
        }
        let mut node = BoolNode {
            must: self.clauses(query, &query.must)?,
            filter: self.clauses(query, &query.filter)?,
            should: self.clauses(query, &query.should)?,
            must_not: self.clauses(query, &query.must_not)?,
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
        // Where only exclusions are given, everything but them is found whatever the minimum.
        if has_positive && let Some(specification) = &query.minimum_should_match {
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

    /// Refuses a part of the other scores that is none, where there are several fields to take the best of.
    pub(super) fn check_tie_breaker(&self, fields: &[(String, f32)], tie_breaker: f32) -> Result<()> {
        let mapped = fields.iter().filter(|(field, _)| !matches!(self.target(field), Target::Unmapped));
        if mapped.count() < 2 || (0.0..=1.0).contains(&tie_breaker) {
            return Ok(());
        }
        Err(failed_to_create(Error::illegal_argument("tieBreakerMultiplier must be in [0, 1]")))
    }

    /// The same query on each field, the best of them.
    pub(super) fn any_field(&self, query: &AnyFieldQuery) -> Result<Node> {
        let fields = self.expand_fields(&query.fields);
        self.check_tie_breaker(&fields, query.tie_breaker)?;
        let mut nodes = Vec::new();
        for (field, boost) in fields {
            match self.resolve(&query.query.with_field(&field)?) {
                Ok(node) => nodes.push(node.boosted(boost)),
                Err(error) if query.lenient && is_value_error(error.code) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(dis_max(nodes, query.tie_breaker).boosted(query.boost))
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
