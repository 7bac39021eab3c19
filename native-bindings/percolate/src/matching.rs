//! Which documents a query matches, told from their terms and numbers where that is enough: no weights are made, and what cannot
//! match any more is not looked at.

use quarry_base::error::Result;
use quarry_codec::window::WindowBits;
use quarry_query::node::{BoolNode, Node, PhraseNode};
use quarry_query::scorers::bits;
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::{QueryEnv, weigh};

/// Some documents of one segment.
pub(super) trait DocumentSet {
    fn is_empty(&self) -> bool;
    fn or(&mut self, other: &Self);
    fn and(&mut self, other: &Self);
    fn and_not(&mut self, other: &Self);
}

/// What tells which documents of a segment of one window have what.
pub(super) trait Index {
    type Set: DocumentSet;

    fn none(&self) -> Self::Set;

    fn all(&self) -> Self::Set;

    fn of_window(&self, bits: &WindowBits) -> Self::Set;

    fn to_window(&self, set: &Self::Set) -> WindowBits;

    /// Those with the term.
    fn term(&self, field: &str, term: &[u8]) -> Result<Self::Set>;

    /// Those with a number in one of the ranges (ends included); `None`: that is not known.
    fn numbers(&self, field: &str, ranges: &[(i64, i64)]) -> Option<Self::Set>;

    /// Those with the phrase; `None`: that is not known.
    fn phrase(&self, phrase: &PhraseNode) -> Result<Option<Self::Set>>;
}

/// Puts queries to the documents of a segment of one window.
pub(super) struct Matching<'a, I> {
    pub view: &'a ShardView,
    pub env: &'a QueryEnv<'a>,
    pub segment: &'a SegmentView,
    pub index: &'a I,
}

impl<I: Index> Matching<'_, I> {
    /// Those that match, also such that are no documents by themselves.
    pub fn of(&self, node: &Node) -> Result<I::Set> {
        let known = match node {
            Node::All => Some(self.index.all()),
            Node::None => Some(self.index.none()),
            Node::Boosted(inner, _) | Node::Constant(inner) => Some(self.of(inner)?),
            Node::Term { field, term, .. } => Some(self.index.term(field, term)?),
            Node::Synonyms { field, terms } | Node::Terms { field, terms } => Some(self.any_term(field, terms)?),
            Node::Numbers { field, ranges } => self.index.numbers(field, ranges),
            Node::Boolean { field, value } => self.index.numbers(field, &[(*value, *value)]),
            Node::Phrase(phrase) => self.index.phrase(phrase)?,
            Node::Bool(clauses) if clauses.min_should <= 1 => Some(self.of_bool(clauses)?),
            Node::DisMax { nodes, .. } => Some(self.any(nodes)?),
            Node::Boosting { positive, .. } => Some(self.of(positive)?),
            _ => None,
        };
        known.map_or_else(|| self.weighed(node), Ok)
    }

    /// By the scorer of the node.
    fn weighed(&self, node: &Node) -> Result<I::Set> {
        let mut matched = bits::EMPTY;
        let weight = weigh(self.view, self.env, node, None)?;
        if let Some(mut scorer) = weight.scorer(self.segment)?
            && scorer.next_window(0)? == 0
        {
            scorer.matches(0, &mut matched)?;
        }
        Ok(self.index.of_window(&matched))
    }

    fn of_bool(&self, clauses: &BoolNode) -> Result<I::Set> {
        let mut matched = self.index.all();
        // What is told without a scorer comes first: most queries that do not match end there.
        for is_told in [true, false] {
            let required = clauses.must.iter().chain(&clauses.filter);
            for node in required.filter(|node| is_told_by_values(node) == is_told) {
                matched.and(&self.of(node)?);
                if matched.is_empty() {
                    return Ok(matched);
                }
            }
            if is_told && clauses.min_should == 1 {
                matched.and(&self.any(&clauses.should)?);
            }
        }
        for node in &clauses.must_not {
            if matched.is_empty() {
                break;
            }
            matched.and_not(&self.of(node)?);
        }
        Ok(matched)
    }

    fn any(&self, nodes: &[Node]) -> Result<I::Set> {
        let mut matched = self.index.none();
        for node in nodes {
            matched.or(&self.of(node)?);
        }
        Ok(matched)
    }

    fn any_term(&self, field: &str, terms: &[Vec<u8>]) -> Result<I::Set> {
        let mut matched = self.index.none();
        for term in terms {
            matched.or(&self.index.term(field, term)?);
        }
        Ok(matched)
    }
}

/// Whether a node asks for terms or numbers alone.
pub(super) fn is_told_by_values(node: &Node) -> bool {
    match node {
        Node::Boosted(inner, _) | Node::Constant(inner) => is_told_by_values(inner),
        Node::All
        | Node::None
        | Node::Term { .. }
        | Node::Synonyms { .. }
        | Node::Terms { .. }
        | Node::Numbers { .. }
        | Node::Boolean { .. } => true,
        _ => false,
    }
}
