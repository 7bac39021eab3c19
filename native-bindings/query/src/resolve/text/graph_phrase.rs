//! Phrases over texts with several readings.

use super::token_graph::{Stretch, Words, whole_readings, with_positions};
use crate::node::{BoolNode, Node, PhraseNode};
use crate::positional::spans::SpanTree;
use crate::positional::{LeafTerms, PositionalNode, Tree};
use crate::resolve::Resolver;
use crate::resolve::compound::bool_node;
use crate::resolve::spans::LeafList;
use crate::term_match::TermMatcher;
use quarry_base::error::Result;

/// What a phrase is asked with.
#[derive(Debug, Clone, Copy)]
pub(in crate::resolve) struct PhraseOptions {
    pub slop: u32,
    /// The last word is a prefix of so many terms.
    pub prefix_expansions: Option<u32>,
}

/// Words of one reading as a phrase.
pub(in crate::resolve) fn phrase_of(field: &str, words: &[Words], options: PhraseOptions) -> Node {
    Node::Phrase(PhraseNode {
        field: field.to_owned(),
        terms: with_positions(words),
        slop: options.slop,
        prefix_expansions: options.prefix_expansions,
    })
}

/// The words at one place, any of which may stand there.
pub(in crate::resolve) fn any_term(field: &str, words: &Words) -> Node {
    match words.terms.as_slice() {
        [term] => Node::term(field, term.clone()),
        terms => Node::Synonyms { field: field.to_owned(), terms: terms.to_vec() },
    }
}

impl Resolver<'_> {
    /// Where words must follow each other, any reading of each stretch behind any of the one before; with a slop each whole
    /// reading is a phrase of its own, as the API has it.
    pub(in crate::resolve) fn graph_phrase(
        &self,
        field: &str,
        stretches: &[Stretch],
        options: PhraseOptions,
    ) -> Result<Node> {
        if options.slop == 0 {
            let prefixes = options.prefix_expansions.map(|_| Prefixes::Terms(self.env.limits.max_clauses));
            return Ok(near_node(field, stretches, prefixes));
        }
        let readings = whole_readings(stretches, self.env.limits.max_clauses)?;
        let clause = |words: &Vec<Words>| match (words.as_slice(), options.prefix_expansions) {
            ([only], None) => Node::Synonyms { field: field.to_owned(), terms: only.terms.clone() },
            ([only], Some(_)) => prefixes(field, only),
            (words, _) => phrase_of(field, words, options),
        };
        Ok(bool_node(BoolNode { should: readings.iter().map(clause).collect(), ..BoolNode::default() }))
    }
}

/// The stretches right behind one another. `prefixes`: the last word is a prefix, and of what.
pub(in crate::resolve) fn near_node(field: &str, stretches: &[Stretch], prefixes: Option<Prefixes<'_>>) -> Node {
    let mut spans = Spans { field, leaves: LeafList::default() };
    let last = stretches.len().saturating_sub(1);
    let parts = stretches.iter().enumerate().map(|(number, stretch)| {
        let prefixes = prefixes.filter(|_| number == last);
        match stretch {
            Stretch::Words(words) => (i64::from(words.gap), spans.word(words, prefixes)),
            Stretch::Readings(readings) => {
                // They begin at one place, so the same words are missing before each.
                let gap = readings.iter().flatten().next().map_or(0, |word| i64::from(word.gap));
                let ways = readings.iter().map(|words| spans.reading(words, prefixes));
                (gap, SpanTree::Or(ways.collect()))
            }
        }
    });
    let tree = near(parts.collect());
    let leaves = spans.leaves.leaves;
    Node::Positional(Box::new(PositionalNode { field: field.to_owned(), leaves, tree: Tree::Spans(tree) }))
}

/// What stands for a prefix.
#[derive(Debug, Clone, Copy)]
pub(in crate::resolve) enum Prefixes<'f> {
    /// The terms that begin with it, so many at most.
    Terms(u32),
    /// The same text as a term of a field with beginnings of words, at the same places.
    Field(&'f str),
}

fn prefixes(field: &str, words: &Words) -> Node {
    let matching =
        |term: &Vec<u8>| Node::Pattern { field: field.to_owned(), matcher: TermMatcher::Prefix(term.clone()) };
    bool_node(BoolNode { should: words.terms.iter().map(matching).collect(), ..BoolNode::default() })
}

/// Builds a tree of spans.
struct Spans<'f> {
    field: &'f str,
    leaves: LeafList,
}

impl Spans<'_> {
    fn word(&mut self, words: &Words, prefixes: Option<Prefixes<'_>>) -> SpanTree {
        let mut leaf = |term: &Vec<u8>| {
            SpanTree::Leaf(match prefixes {
                Some(Prefixes::Terms(most)) => {
                    let matcher = TermMatcher::Prefix(term.clone());
                    self.leaves.add(self.field, LeafTerms::Pattern { matcher, most, is_cut: false })
                }
                Some(Prefixes::Field(field)) => self.leaves.add_term(field, term.clone()),
                None => self.leaves.add_term(self.field, term.clone()),
            })
        };
        match words.terms.as_slice() {
            [only] => leaf(only),
            several => SpanTree::Or(several.iter().map(leaf).collect()),
        }
    }

    fn reading(&mut self, words: &[Words], prefixes: Option<Prefixes<'_>>) -> SpanTree {
        let last = words.len().saturating_sub(1);
        let parts = words.iter().enumerate();
        near(parts.map(|(at, word)| (i64::from(word.gap), self.word(word, prefixes.filter(|_| at == last)))).collect())
    }
}

/// The parts right behind one another, each behind its gap.
fn near(mut parts: Vec<(i64, SpanTree)>) -> SpanTree {
    if parts.len() == 1 {
        return parts.pop().map_or(SpanTree::Nothing, |(_, part)| part);
    }
    let (mut gaps, clauses): (Vec<i64>, Vec<SpanTree>) = parts.into_iter().unzip();
    // What stands before the first word is not asked for.
    if let Some(first) = gaps.first_mut() {
        *first = 0;
    }
    SpanTree::Near { clauses, gaps, slop: 0, in_order: true }
}
