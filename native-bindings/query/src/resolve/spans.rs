//! Span queries.

use super::field::{Target, require_searchable};
use super::value::text_of;
use super::{Resolver, failed_to_create};
use crate::node::{Node, TopTermsNode};
use crate::positional::spans::SpanTree;
use crate::positional::{LeafSpec, LeafTerms, PositionalNode, Tree};
use crate::term_match::TermMatcher;
use quarry_base::error::{Error, Result};
use quarry_mapping::spec::{FieldType, IndexOptions};
use quarry_plan::positional::{SpanQuery, SpanRoot};
use quarry_plan::query::Query;
use serde_json::Value;

/// Collects the leaves of a tree.
#[derive(Default)]
pub(super) struct LeafList {
    pub leaves: Vec<LeafSpec>,
}

impl LeafList {
    pub fn add(&mut self, field: &str, terms: LeafTerms) -> usize {
        self.leaves.push(LeafSpec { field: field.to_owned(), terms });
        self.leaves.len() - 1
    }

    /// The same word is one leaf.
    pub fn add_term(&mut self, field: &str, term: Vec<u8>) -> usize {
        let is_same = |leaf: &LeafSpec| {
            leaf.field == field && matches!(&leaf.terms, LeafTerms::Terms(terms) if *terms == [term.clone()])
        };
        match self.leaves.iter().position(is_same) {
            Some(place) => place,
            None => self.add(field, LeafTerms::Terms(vec![term])),
        }
    }
}

impl Resolver<'_> {
    pub(super) fn span(&self, root: &SpanRoot) -> Result<Node> {
        let mut leaves = LeafList::default();
        let mut query = &root.query;
        // Alone, what is masked scores by the field that it is in.
        while let SpanQuery::FieldMasking { query: masked, .. } = query {
            query = masked;
        }
        let (field, tree) = self.span_tree(query, &mut leaves)?;
        let Some(field) = field else { return Ok(Node::None) };
        if matches!(tree, SpanTree::Nothing) {
            return Ok(Node::None);
        }
        let node = PositionalNode { field, leaves: leaves.leaves, tree: Tree::Spans(tree) };
        Ok(Node::Positional(Box::new(node)).boosted(root.boost))
    }

    /// The tree and the field that it is about.
    fn span_tree(&self, query: &SpanQuery, leaves: &mut LeafList) -> Result<(Option<String>, SpanTree)> {
        match query {
            SpanQuery::Term { field, value } => self.span_term(field, value, leaves),
            SpanQuery::Or { clauses } => {
                let (field, _, clauses) = self.span_clauses(clauses, leaves)?;
                Ok((field, SpanTree::Or(clauses)))
            }
            SpanQuery::Near { clauses, slop, in_order } => {
                let (field, gaps, mut clauses) = self.span_clauses(clauses, leaves)?;
                if clauses.len() == 1 && gaps.iter().all(|gap| *gap == 0) {
                    return Ok((field, clauses.pop().unwrap_or(SpanTree::Nothing)));
                }
                Ok((field, SpanTree::Near { clauses, gaps, slop: (*slop).into(), in_order: *in_order }))
            }
            SpanQuery::Gap { field, .. } => {
                let reason = format!("[span_gap] of field [{field}] can only stand inside a [span_near]");
                Err(failed_to_create(Error::illegal_argument(reason)))
            }
            SpanQuery::Not { include, exclude, pre, post } => {
                let (field, include) = self.span_tree(include, leaves)?;
                let (other, exclude) = self.span_tree(exclude, leaves)?;
                same_field(field.as_ref(), other.as_ref())?;
                let (include, exclude) = (Box::new(include), Box::new(exclude));
                Ok((field, SpanTree::Not { include, exclude, before: (*pre).into(), after: (*post).into() }))
            }
            SpanQuery::First { query, end } => {
                let (field, inner) = self.span_tree(query, leaves)?;
                Ok((field, SpanTree::Within { inner: Box::new(inner), end: (*end).into() }))
            }
            SpanQuery::Containing { big, little } => {
                let (field, big, little) = self.span_pair(big, little, leaves)?;
                Ok((field, SpanTree::Containing { big, little }))
            }
            SpanQuery::Within { big, little } => {
                let (field, big, little) = self.span_pair(big, little, leaves)?;
                Ok((field, SpanTree::ContainedBy { little, big }))
            }
            SpanQuery::Multi { query } => self.span_multi(query, leaves),
            SpanQuery::FieldMasking { query, field } => {
                let (_, tree) = self.span_tree(query, leaves)?;
                Ok((Some(field.clone()), tree))
            }
        }
    }

    fn span_pair(
        &self,
        big: &SpanQuery,
        little: &SpanQuery,
        leaves: &mut LeafList,
    ) -> Result<(Option<String>, Box<SpanTree>, Box<SpanTree>)> {
        let (field, big) = self.span_tree(big, leaves)?;
        let (other, little) = self.span_tree(little, leaves)?;
        same_field(field.as_ref(), other.as_ref())?;
        Ok((field, Box::new(big), Box::new(little)))
    }

    /// The clauses, and before each how many places count as filled.
    #[allow(clippy::type_complexity)]
    fn span_clauses(
        &self,
        clauses: &[SpanQuery],
        leaves: &mut LeafList,
    ) -> Result<(Option<String>, Vec<i64>, Vec<SpanTree>)> {
        let mut field: Option<String> = None;
        let (mut gaps, mut trees, mut gap) = (Vec::new(), Vec::new(), 0);
        for clause in clauses {
            if let SpanQuery::Gap { width, .. } = clause {
                gap += i64::from(*width);
                continue;
            }
            let (own, tree) = self.span_tree(clause, leaves)?;
            same_field(field.as_ref(), own.as_ref())?;
            field = field.or(own);
            gaps.push(std::mem::take(&mut gap));
            trees.push(tree);
        }
        Ok((field, gaps, trees))
    }

    fn span_term(&self, name: &str, value: &Value, leaves: &mut LeafList) -> Result<(Option<String>, SpanTree)> {
        let Some(field) = self.span_field(name)? else { return Ok((Some(name.to_owned()), SpanTree::Nothing)) };
        let text = text_of(value);
        let Target::Mapped(mapped) = self.target(&field) else { return Ok((Some(field), SpanTree::Nothing)) };
        let term = match mapped.spec.field_type {
            FieldType::Keyword => self.keyword_term(mapped, &text)?,
            _ => text.into_bytes(),
        };
        let leaf = leaves.add_term(&field, term);
        Ok((Some(field), SpanTree::Leaf(leaf)))
    }

    /// The field's own name, where it has positions; `None` when it is not mapped.
    fn span_field(&self, name: &str) -> Result<Option<String>> {
        let field = match self.target(name) {
            Target::Mapped(field) => field,
            _ => return Ok(None),
        };
        require_searchable(field)?;
        let own = &field.spec.name;
        if field.spec.field_type == FieldType::Text && field.spec.index_options >= IndexOptions::Positions {
            return Ok(Some(own.clone()));
        }
        Err(failed_to_create(Error::new(
            quarry_base::error::ErrorCode::IllegalState,
            format!("field \"{own}\" was indexed without position data; cannot run SpanTermQuery (term={own})"),
        )))
    }

    fn span_multi(&self, query: &Query, leaves: &mut LeafList) -> Result<(Option<String>, SpanTree)> {
        let name = match query {
            Query::Prefix(inner) | Query::Wildcard(inner) => &inner.field,
            Query::Regexp(inner) => &inner.field,
            Query::Fuzzy(inner) => &inner.field,
            Query::Range(inner) => &inner.field,
            _ => return Err(Error::internal("[span_multi] of a query that is none on terms")),
        };
        if self.span_field(name)?.is_none() {
            return Ok((Some(name.clone()), SpanTree::Nothing));
        }
        let mut node = self.resolve(query)?;
        while let Node::Boosted(inner, _) = node {
            node = *inner;
        }
        let most = self.env.limits.max_clauses;
        let (field, terms) = match node {
            Node::Pattern { field, matcher } => (field, LeafTerms::Pattern { matcher, most, is_cut: false }),
            Node::TopTerms(TopTermsNode { field, matcher, limit, .. }) => {
                let is_cut = limit < most;
                (field, LeafTerms::Pattern { matcher, most: limit.min(most), is_cut })
            }
            Node::TermRange { field, from, to } => {
                (field, LeafTerms::Pattern { matcher: TermMatcher::Between { from, to }, most, is_cut: false })
            }
            Node::Term { field, term, .. } => (field, LeafTerms::Terms(vec![term])),
            _ => return Ok((Some(name.clone()), SpanTree::Nothing)),
        };
        let leaf = leaves.add(&field, terms);
        Ok((Some(field), SpanTree::Leaf(leaf)))
    }
}

fn same_field(left: Option<&String>, right: Option<&String>) -> Result<()> {
    match (left, right) {
        (Some(left), Some(right)) if left != right => {
            Err(failed_to_create(Error::illegal_argument("Clauses must have same field.")))
        }
        _ => Ok(()),
    }
}
