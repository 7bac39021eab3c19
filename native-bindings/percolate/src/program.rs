//! Stored queries in short. What asks for terms, numbers and exact phrases alone becomes a few steps in one row of all of them, which is read
//! from its beginning to its end, where a tree of nodes is fetched from memory piece by piece.

use super::few::Documents;
use super::matching::is_told_by_values;
use super::names::Names;
use super::numbered::Numbered;
use quarry_base::error::Result;
use quarry_query::node::{BoolNode, Node, PhraseNode};
use std::ops::Range;

/// A part of a query. `end` is the step after the last of what it holds.
#[derive(Debug, Clone)]
enum Step {
    All,
    Nothing,
    /// A word of a field.
    Term(u32),
    /// Numbers of a field within some of the ranges.
    Numbers {
        field: u32,
        ranges: Range<u32>,
    },
    /// Some of the slots.
    Phrase {
        slots: Range<u32>,
    },
    AllOf {
        end: u32,
    },
    AnyOf {
        end: u32,
    },
    NoneOf {
        end: u32,
    },
}

/// A place of a phrase: the words of which one stands there.
#[derive(Debug, Clone)]
struct PhraseSlot {
    words: Range<u32>,
    position: u32,
}

/// Queries as steps, one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Programs {
    names: Names,
    steps: Vec<Step>,
    ranges: Vec<(i64, i64)>,
    slots: Vec<PhraseSlot>,
    words: Vec<u32>,
}

/// Whether steps tell which documents match.
pub(super) fn is_told(node: &Node) -> bool {
    match node {
        Node::Boosted(inner, _) | Node::Constant(inner) => is_told(inner),
        Node::Boosting { positive, .. } => is_told(positive),
        Node::Phrase(phrase) => phrase.slop == 0 && phrase.prefix_expansions.is_none(),
        Node::DisMax { nodes, .. } => nodes.iter().all(is_told),
        Node::Bool(BoolNode { must, filter, should, must_not, min_should }) => {
            *min_should <= 1 && [must, filter, should, must_not].into_iter().flatten().all(is_told)
        }
        node => is_told_by_values(node),
    }
}

impl Programs {
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// What they take.
    pub fn bytes(&self) -> usize {
        self.names.bytes()
            + size_of_val(&*self.steps)
            + size_of_val(&*self.ranges)
            + size_of_val(&*self.slots)
            + size_of_val(&*self.words)
    }

    /// Adds a query that [`is_told`]; gives its first step.
    pub fn add(&mut self, node: &Node) -> u32 {
        let first = self.next();
        self.node(node);
        first
    }

    fn next(&self) -> u32 {
        self.steps.len() as u32
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::All => self.steps.push(Step::All),
            Node::Boosted(inner, _) | Node::Constant(inner) => self.node(inner),
            Node::Boosting { positive, .. } => self.node(positive),
            Node::Term { field, term, .. } => self.terms(field, std::slice::from_ref(term)),
            Node::Synonyms { field, terms } | Node::Terms { field, terms } => self.terms(field, terms),
            Node::Numbers { field, ranges } => self.numbers(field, ranges),
            Node::Boolean { field, value } => self.numbers(field, &[(*value, *value)]),
            Node::Phrase(phrase) => self.phrase(phrase),
            Node::DisMax { nodes, .. } => self.any(nodes),
            Node::Bool(clauses) => self.bool(clauses),
            _ => self.steps.push(Step::Nothing),
        }
    }

    fn terms(&mut self, field: &str, terms: &[Vec<u8>]) {
        let field = self.names.field(field);
        let numbers: Vec<u32> = terms.iter().map(|term| self.names.term(field, term)).collect();
        match numbers[..] {
            [] => self.steps.push(Step::Nothing),
            [term] => self.steps.push(Step::Term(term)),
            _ => self.group(
                |end| Step::AnyOf { end },
                |programs| {
                    programs.steps.extend(numbers.iter().map(|&term| Step::Term(term)));
                },
            ),
        }
    }

    fn numbers(&mut self, field: &str, ranges: &[(i64, i64)]) {
        let from = self.ranges.len() as u32;
        self.ranges.extend_from_slice(ranges);
        let field = self.names.field(field);
        self.steps.push(Step::Numbers { field, ranges: from..self.ranges.len() as u32 });
    }

    fn phrase(&mut self, phrase: &PhraseNode) {
        let field = self.names.field(&phrase.field);
        let from = self.slots.len() as u32;
        for (terms, position) in &phrase.terms {
            let first = self.words.len() as u32;
            self.words.extend(terms.iter().map(|term| self.names.term(field, term)));
            self.slots.push(PhraseSlot { words: first..self.words.len() as u32, position: *position });
        }
        self.steps.push(Step::Phrase { slots: from..self.slots.len() as u32 });
    }

    /// What is told without phrases comes first: most queries that do not match end there.
    fn bool(&mut self, clauses: &BoolNode) {
        let required = || clauses.must.iter().chain(&clauses.filter);
        self.group(
            |end| Step::AllOf { end },
            |programs| {
                required().filter(|node| is_told_by_values(node)).for_each(|node| programs.node(node));
                if clauses.min_should == 1 {
                    programs.any(&clauses.should);
                }
                required().filter(|node| !is_told_by_values(node)).for_each(|node| programs.node(node));
                if !clauses.must_not.is_empty() {
                    programs.each_in(|end| Step::NoneOf { end }, &clauses.must_not);
                }
            },
        );
    }

    fn any(&mut self, nodes: &[Node]) {
        self.each_in(|end| Step::AnyOf { end }, nodes);
    }

    fn each_in(&mut self, kind: impl FnOnce(u32) -> Step, nodes: &[Node]) {
        self.group(kind, |programs| nodes.iter().for_each(|node| programs.node(node)));
    }

    fn group(&mut self, kind: impl FnOnce(u32) -> Step, add: impl FnOnce(&mut Self)) {
        let at = self.steps.len();
        self.steps.push(Step::Nothing);
        add(self);
        self.steps[at] = kind(self.next());
    }

    /// The documents that match the query whose first step this is, also such that are no documents by themselves.
    pub fn matching(&self, first: u32, documents: &Numbered) -> Result<Documents> {
        self.at(&mut (first as usize), documents)
    }

    /// Goes to the step after this one and all that it holds.
    fn at(&self, at: &mut usize, documents: &Numbered) -> Result<Documents> {
        let step = &self.steps[*at];
        *at += 1;
        Ok(match step {
            Step::All => documents.all(),
            Step::Nothing => 0,
            Step::Term(term) => documents.term(*term),
            Step::Numbers { field, ranges } => documents.numbers(*field, &self.ranges[bounds(ranges)]),
            Step::Phrase { slots } => self.phrase_in(&self.slots[bounds(slots)], documents)?,
            Step::AllOf { end } => self.all_of(at, *end as usize, documents)?,
            Step::AnyOf { end } => self.any_of(at, *end as usize, documents)?,
            Step::NoneOf { end } => documents.all() & !self.any_of(at, *end as usize, documents)?,
        })
    }

    fn all_of(&self, at: &mut usize, end: usize, documents: &Numbered) -> Result<Documents> {
        let mut matched = documents.all();
        while *at < end && matched != 0 {
            matched &= self.at(at, documents)?;
        }
        *at = end;
        Ok(matched)
    }

    fn any_of(&self, at: &mut usize, end: usize, documents: &Numbered) -> Result<Documents> {
        let mut matched = 0;
        while *at < end && matched != documents.all() {
            matched |= self.at(at, documents)?;
        }
        *at = end;
        Ok(matched)
    }

    fn phrase_in(&self, slots: &[PhraseSlot], documents: &Numbered) -> Result<Documents> {
        let words = |slot: &PhraseSlot| &self.words[bounds(&slot.words)];
        let is_there = |slot: &PhraseSlot| words(slot).iter().any(|&word| documents.term(word) != 0);
        if !slots.iter().all(is_there) {
            return Ok(0);
        }
        documents.phrase(slots.iter().map(|slot| (words(slot), slot.position)))
    }
}

fn bounds(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
