//! What of a query can be found in the text of a field.

use quarry_base::error::Result;
use quarry_query::node::{Node, PhraseNode, TermBound};
use quarry_query::positional::{LeafTerms, PositionalNode, Tree};
use quarry_query::term_match::TermMatcher;

/// Something that single words are compared with.
pub(super) enum Word {
    Term(Vec<u8>),
    /// Sorted.
    Terms(Vec<Vec<u8>>),
    Pattern(TermMatcher),
    Range(Option<TermBound>, Option<TermBound>),
}

impl Word {
    pub(super) fn accepts(&mut self, term: &[u8]) -> Result<bool> {
        Ok(match self {
            Word::Term(own) => own == term,
            Word::Terms(terms) => terms.binary_search_by(|own| own.as_slice().cmp(term)).is_ok(),
            Word::Pattern(matcher) => matcher.accepts(term)?,
            Word::Range(from, to) => {
                let is_behind = from.as_ref().is_none_or(|from| {
                    if from.inclusive { term >= from.term.as_slice() } else { term > from.term.as_slice() }
                });
                let is_before = to
                    .as_ref()
                    .is_none_or(|to| if to.inclusive { term <= to.term.as_slice() } else { term < to.term.as_slice() });
                is_behind && is_before
            }
        })
    }
}

/// A query about places of words.
pub(super) struct Places {
    pub tree: Tree,
    /// What stands at each leaf of the tree, and whether it is marked where the tree finds something.
    pub leaves: Vec<(Vec<Word>, bool)>,
}

impl Places {
    /// `None`: no leaf is of a field that is wanted.
    fn of(node: &PositionalNode, is_wanted: &dyn Fn(&str) -> bool) -> Option<Self> {
        let own = node.tree.own_leaves();
        let mut leaves = Vec::with_capacity(node.leaves.len());
        for (place, leaf) in node.leaves.iter().enumerate() {
            let words = match &leaf.terms {
                LeafTerms::Terms(terms) => terms.iter().cloned().map(Word::Term).collect(),
                LeafTerms::Pattern { matcher, .. } => vec![Word::Pattern(matcher.clone())],
            };
            leaves.push((words, own.contains(&place) && is_wanted(&leaf.field)));
        }
        let is_shown = leaves.iter().any(|(_, is_marked)| *is_marked);
        is_shown.then(|| Places { tree: node.tree.clone(), leaves })
    }
}

/// The words and phrases of a query that fields are searched for, each with its boost.
#[derive(Default)]
pub(super) struct Wanted {
    pub words: Vec<(Word, f32)>,
    pub phrases: Vec<(PhraseNode, f32)>,
    pub places: Vec<(Places, f32)>,
}

impl Wanted {
    /// `is_wanted` decides on the fields of the query.
    pub(super) fn of(node: &Node, is_wanted: &dyn Fn(&str) -> bool) -> Self {
        let mut wanted = Wanted::default();
        wanted.add(node, 1.0, is_wanted);
        wanted
    }

    /// Whether a term is part of anything that is searched for.
    pub(super) fn names(&mut self, term: &[u8]) -> Result<bool> {
        for (word, _) in &mut self.words {
            if word.accepts(term)? {
                return Ok(true);
            }
        }
        if self.phrases.iter().any(|(phrase, _)| phrase_has(phrase, term)) {
            return Ok(true);
        }
        for word in self.places.iter_mut().flat_map(|(places, _)| &mut places.leaves).flat_map(|(words, _)| words) {
            if word.accepts(term)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn add(&mut self, node: &Node, boost: f32, is_wanted: &dyn Fn(&str) -> bool) {
        match node {
            Node::Boosted(inner, factor) => self.add(inner, boost * factor, is_wanted),
            Node::Constant(inner) => self.add(inner, boost, is_wanted),
            Node::Nested(nested) => self.add(&nested.query, boost, is_wanted),
            Node::Bool(inner) => {
                for clause in inner.must.iter().chain(&inner.filter).chain(&inner.should) {
                    self.add(clause, boost, is_wanted);
                }
            }
            Node::DisMax { nodes, .. } => nodes.iter().for_each(|node| self.add(node, boost, is_wanted)),
            Node::Boosting { positive, .. } => self.add(positive, boost, is_wanted),
            Node::ScriptScore(inner) => self.add(&inner.inner, boost, is_wanted),
            // What its functions are about decides on scores, not on matches.
            Node::FunctionScore(inner) => self.add(&inner.query, boost, is_wanted),
            Node::Covering { nodes, .. } => nodes.iter().for_each(|node| self.add(node, boost, is_wanted)),
            leaf => self.add_leaf(leaf, boost, is_wanted),
        }
    }

    fn add_leaf(&mut self, leaf: &Node, boost: f32, is_wanted: &dyn Fn(&str) -> bool) {
        match leaf {
            Node::Term { field, term, .. } if is_wanted(field) => self.words.push((Word::Term(term.clone()), boost)),
            Node::Synonyms { field, terms } if is_wanted(field) => {
                self.words.extend(terms.iter().map(|term| (Word::Term(term.clone()), boost)));
            }
            Node::Terms { field, terms } if is_wanted(field) => {
                self.words.push((Word::Terms(terms.clone()), boost));
            }
            Node::TermRange { field, from, to } if is_wanted(field) => {
                self.words.push((Word::Range(from.clone(), to.clone()), boost));
            }
            Node::Pattern { field, matcher } if is_wanted(field) => {
                self.words.push((Word::Pattern(matcher.clone()), boost));
            }
            Node::TopTerms(top) if is_wanted(&top.field) => {
                self.words.push((Word::Pattern(top.matcher.clone()), boost));
            }
            Node::Phrase(phrase) if is_wanted(&phrase.field) => self.phrases.push((phrase.clone(), boost)),
            Node::Combined(combined) if combined.fields.iter().any(|(field, _)| is_wanted(field)) => {
                self.words.extend(combined.terms.iter().map(|term| (Word::Term(term.clone()), boost)));
            }
            Node::Positional(node) => self.places.extend(Places::of(node, is_wanted).map(|places| (places, boost))),
            // Numbers, ids and the like leave no trace in a text.
            _ => {}
        }
    }
}

/// Whether a term may stand at one of the places of a phrase.
fn phrase_has(phrase: &PhraseNode, term: &[u8]) -> bool {
    let last = phrase.terms.len().saturating_sub(1);
    phrase.terms.iter().enumerate().any(|(slot, (alternatives, _))| {
        let is_prefix = slot == last && phrase.prefix_expansions.is_some();
        alternatives.iter().any(|own| if is_prefix { term.starts_with(own) } else { own == term })
    })
}
