//! What a document must have to match a query.

use super::keys;
use quarry_mapping::Mapping;
use quarry_query::node::{BoolNode, Node, PhraseNode};
use std::cmp::Reverse;

/// Keys of one query; one that would need more is found by less telling ones.
const KEYS_MAX: usize = 1_024;

/// What every match has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Extracted {
    /// Nothing is known: the query is always looked at.
    Anything,
    /// One of these keys at least.
    OneOf(Keys),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keys {
    pub keys: Vec<u64>,
    rarity: Rarity,
}

/// How few documents have such a key; the rarer the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rarity {
    Presence,
    Range,
    /// A word or a number, of which the least telling one has so many bytes: long words are rare.
    Value(usize),
}

/// A number tells as much as a word of so many bytes.
const NUMBER_BYTES: usize = 4;

impl Keys {
    /// The more the fewer documents have one of them: one value is rarer than one of several, and any of these rarer than a range.
    fn tells(&self) -> (bool, bool, Reverse<usize>, Rarity) {
        let (is_value, is_range) = (matches!(self.rarity, Rarity::Value(_)), self.rarity == Rarity::Range);
        (is_value, is_range, Reverse(self.keys.len()), self.rarity)
    }
}

impl Extracted {
    fn presence(field: &str) -> Self {
        Extracted::one_of(vec![keys::presence(field)], Rarity::Presence)
    }

    fn one_of(keys: Vec<u64>, rarity: Rarity) -> Self {
        if keys.is_empty() { Extracted::Anything } else { Extracted::OneOf(Keys { keys, rarity }) }
    }

    /// The more telling one of two that both hold.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Extracted::Anything, known) | (known, Extracted::Anything) => known,
            (Extracted::OneOf(left), Extracted::OneOf(right)) => {
                Extracted::OneOf(if left.tells() >= right.tells() { left } else { right })
            }
        }
    }
}

/// `mapping`: that by which the node was resolved.
pub(super) fn extract(mapping: &Mapping, node: &Node) -> Extracted {
    Extractor { mapping }.of(node)
}

struct Extractor<'m> {
    mapping: &'m Mapping,
}

impl Extractor<'_> {
    fn of(&self, node: &Node) -> Extracted {
        match node {
            Node::Boosted(inner, _) | Node::Constant(inner) => self.of(inner),
            Node::Bool(clauses) => self.of_bool(clauses),
            Node::DisMax { nodes, .. } => self.any(nodes),
            Node::Boosting { positive, .. } => self.of(positive),
            Node::FunctionScore(inner) => self.of(&inner.query),
            Node::ScriptScore(inner) => self.of(&inner.inner),
            Node::Nested(nested) => self.of(&nested.query),
            leaf => self.of_leaf(leaf),
        }
    }

    fn of_leaf(&self, node: &Node) -> Extracted {
        match node {
            Node::Term { field, term, .. } => self.terms(field, std::slice::from_ref(term)),
            Node::Synonyms { field, terms } | Node::Terms { field, terms } => self.terms(field, terms),
            Node::Phrase(phrase) => self.phrase(phrase),
            Node::Combined(combined) => {
                self.union(combined.fields.iter().map(|(field, _)| self.terms(field, &combined.terms)))
            }
            Node::Numbers { field, ranges } => self.numbers(field, ranges),
            Node::Boolean { field, value } => self.numbers(field, &[(*value, *value)]),
            Node::Exists { fields } => self.union(fields.iter().map(|field| self.presence(field))),
            Node::NumberBitmap { field, .. }
            | Node::Ranges { field, .. }
            | Node::Places { field, .. }
            | Node::Shapes { field, .. }
            | Node::TermRange { field, .. }
            | Node::Pattern { field, .. } => self.presence(field),
            Node::TopTerms(top) => self.presence(&top.field),
            _ => Extracted::Anything,
        }
    }

    fn of_bool(&self, clauses: &BoolNode) -> Extracted {
        let required = clauses.must.iter().chain(&clauses.filter).map(|node| self.of(node));
        let required = required.fold(Extracted::Anything, Extracted::and);
        if clauses.min_should == 0 { required } else { required.and(self.any(&clauses.should)) }
    }

    fn any(&self, nodes: &[Node]) -> Extracted {
        self.union(nodes.iter().map(|node| self.of(node)))
    }

    /// Of things of which one must hold.
    fn union(&self, parts: impl Iterator<Item = Extracted>) -> Extracted {
        let mut together: Option<Keys> = None;
        for part in parts {
            let Extracted::OneOf(part) = part else { return Extracted::Anything };
            let all = match together {
                None => part,
                Some(mut all) => {
                    all.keys.extend(part.keys);
                    all.rarity = all.rarity.min(part.rarity);
                    all
                }
            };
            if all.keys.len() > KEYS_MAX {
                return Extracted::Anything;
            }
            together = Some(all);
        }
        together.map_or(Extracted::Anything, Extracted::OneOf)
    }

    /// Whether the segment of the documents tells of the field: computed fields are not part of it, and a constant may be given
    /// to the mapping later.
    fn is_told(&self, field: &str) -> bool {
        let mapped = self.mapping.field_by_name(field);
        mapped.is_some_and(|mapped| !self.mapping.is_computed(mapped.id) && mapped.spec.constant.is_none())
    }

    fn presence(&self, field: &str) -> Extracted {
        if self.is_told(field) { Extracted::presence(field) } else { Extracted::Anything }
    }

    fn terms(&self, field: &str, terms: &[Vec<u8>]) -> Extracted {
        if terms.len() > KEYS_MAX || !self.is_told(field) {
            return self.presence(field);
        }
        let shortest = terms.iter().map(Vec::len).min().unwrap_or(0);
        let keys = terms.iter().map(|term| keys::term(field, term)).collect();
        Extracted::one_of(keys, Rarity::Value(shortest))
    }

    /// One of its words tells as much as all of them.
    fn phrase(&self, phrase: &PhraseNode) -> Extracted {
        let words = phrase.whole_terms().map(|(terms, _)| self.terms(&phrase.field, terms));
        words.fold(self.presence(&phrase.field), Extracted::and)
    }

    fn numbers(&self, field: &str, ranges: &[(i64, i64)]) -> Extracted {
        let is_place = self.mapping.field_by_name(field).is_some_and(|mapped| mapped.is_place());
        if is_place || ranges.len() > KEYS_MAX || !self.is_told(field) {
            return self.presence(field);
        }
        let are_points = ranges.iter().all(|(low, high)| low == high);
        let keys: Vec<u64> = ranges.iter().flat_map(|&(low, high)| keys::of_range(field, low, high)).collect();
        if keys.len() > KEYS_MAX {
            return self.presence(field);
        }
        Extracted::one_of(keys, if are_points { Rarity::Value(NUMBER_BYTES) } else { Rarity::Range })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_shards::mapping;
    use quarry_testing::mapping::field;
    use serde_json::json;

    #[test]
    fn the_rarest_part_is_what_a_query_is_found_by() {
        let mapping = mapping(vec![
            field("t", "text", json!({})),
            field("k", "keyword", json!({})),
            field("n", "long", json!({})),
        ]);
        let word = |word: &str| Node::term("t", word.as_bytes().to_vec());
        let either = || {
            let should = vec![word("rarity"), word("common")];
            Node::Bool(BoolNode { should, min_should: 1, ..BoolNode::default() })
        };
        let number = |low, high| Node::Numbers { field: "n".into(), ranges: vec![(low, high)] };
        let all_of = |must: Vec<Node>| match extract(&mapping, &Node::Bool(BoolNode { must, ..BoolNode::default() })) {
            Extracted::OneOf(found) => found.keys,
            Extracted::Anything => Vec::new(),
        };
        assert_eq!(all_of(vec![either(), Node::term("k", b"x".to_vec()), number(1, 9)]), [keys::term("k", b"x")]);
        assert_eq!(all_of(vec![word("a"), word("word"), Node::All]), [keys::term("t", b"word")]);
        assert_eq!(all_of(vec![number(1, 9), either()]), [keys::term("t", b"rarity"), keys::term("t", b"common")]);
        assert_eq!(all_of(vec![number(5, 5), word("abc")]), keys::of_range("n", 5, 5));
        assert_eq!(all_of(vec![Node::Exists { fields: vec!["k".into()] }]), [keys::presence("k")]);
        assert_eq!(all_of(vec![Node::term("gone", b"x".to_vec()), Node::All]), Vec::<u64>::new());
        let negated =
            Node::Bool(BoolNode { filter: vec![Node::All], must_not: vec![word("a")], ..BoolNode::default() });
        assert_eq!(extract(&mapping, &negated), Extracted::Anything);
    }
}
