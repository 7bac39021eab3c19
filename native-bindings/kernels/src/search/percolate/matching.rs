//! Which documents a query matches, told from their terms where that is enough: no weights are made, and what cannot match any
//! more is not looked at.

use super::keys;
use super::percolated::has_key;
use crate::error::Result;
use crate::search::node::{BoolNode, Node, PhraseNode};
use crate::search::scorers::bits;
use crate::search::view::{SegmentView, ShardView};
use crate::search::weight::{QueryEnv, weigh};
use crate::window::WindowBits;

/// The documents of a segment of one window.
pub(super) struct Matching<'a> {
    pub view: &'a ShardView,
    pub env: &'a QueryEnv<'a>,
    pub segment: &'a SegmentView,
    /// Keys of all terms of the segment, ascending; `None`: they are not known.
    pub keys: Option<&'a [u64]>,
}

impl Matching<'_> {
    /// Those that match, also such that are no documents by themselves.
    pub fn of(&self, node: &Node) -> Result<WindowBits> {
        match node {
            Node::All => Ok(self.all()),
            Node::None => Ok(bits::EMPTY),
            Node::Boosted(inner, _) | Node::Constant(inner) => self.of(inner),
            Node::Term { field, term, .. } => self.terms(field, std::slice::from_ref(term)),
            Node::Synonyms { field, terms } | Node::Terms { field, terms } => self.terms(field, terms),
            Node::Bool(clauses) if clauses.min_should <= 1 => self.of_bool(clauses),
            Node::DisMax { nodes, .. } => self.any(nodes),
            Node::Boosting { positive, .. } => self.of(positive),
            Node::Phrase(phrase) if self.lacks_a_word(phrase) => Ok(bits::EMPTY),
            other => self.weighed(other),
        }
    }

    fn all(&self) -> WindowBits {
        let mut all = bits::EMPTY;
        bits::fill(0, self.segment.max_doc(), &mut all);
        all
    }

    /// By the scorer of the node.
    fn weighed(&self, node: &Node) -> Result<WindowBits> {
        let mut matched = bits::EMPTY;
        let weight = weigh(self.view, self.env, node, None)?;
        if let Some(mut scorer) = weight.scorer(self.segment)?
            && scorer.next_window(0)? == 0
        {
            scorer.matches(0, &mut matched)?;
        }
        Ok(matched)
    }

    fn of_bool(&self, clauses: &BoolNode) -> Result<WindowBits> {
        let mut matched = self.all();
        // What is told by terms comes first: most queries that do not match end there.
        for of_terms in [true, false] {
            let required = clauses.must.iter().chain(&clauses.filter);
            for node in required.filter(|node| is_of_terms(node) == of_terms) {
                bits::and(&mut matched, &self.of(node)?);
                if bits::is_empty(&matched) {
                    return Ok(matched);
                }
            }
        }
        if clauses.min_should == 1 {
            bits::and(&mut matched, &self.any(&clauses.should)?);
        }
        for node in &clauses.must_not {
            if bits::is_empty(&matched) {
                break;
            }
            bits::and_not(&mut matched, &self.of(node)?);
        }
        Ok(matched)
    }

    fn any(&self, nodes: &[Node]) -> Result<WindowBits> {
        let mut matched = bits::EMPTY;
        for node in nodes {
            bits::or(&mut matched, &self.of(node)?);
        }
        Ok(matched)
    }

    fn terms(&self, field: &str, terms: &[Vec<u8>]) -> Result<WindowBits> {
        let mut matched = bits::EMPTY;
        let Some(postings) = self.segment.field(field).and_then(|field| field.postings()) else { return Ok(matched) };
        for term in terms.iter().filter(|term| self.may_have(field, term)) {
            if let Some(entry) = postings.lookup(term)? {
                postings.or_documents(&entry, &mut matched)?;
            }
        }
        Ok(matched)
    }

    fn may_have(&self, field: &str, term: &[u8]) -> bool {
        self.keys.is_none_or(|known| has_key(known, keys::term(field, term)))
    }

    /// Whether no document has any of the words that may stand at one of the places.
    fn lacks_a_word(&self, phrase: &PhraseNode) -> bool {
        let whole = phrase.terms.len() - usize::from(phrase.prefix_expansions.is_some() && !phrase.terms.is_empty());
        let mut places = phrase.terms.iter().take(whole);
        places.any(|(words, _)| !words.iter().any(|word| self.may_have(&phrase.field, word)))
    }
}

/// Whether a node asks for terms alone.
fn is_of_terms(node: &Node) -> bool {
    match node {
        Node::Boosted(inner, _) | Node::Constant(inner) => is_of_terms(inner),
        Node::All | Node::None | Node::Term { .. } | Node::Synonyms { .. } | Node::Terms { .. } => true,
        _ => false,
    }
}
