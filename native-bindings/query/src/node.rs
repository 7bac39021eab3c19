//! A query resolved against a mapping: fields exist, text is analysed, values have the form in which segments hold them.
//!
//! Nothing here depends on a segment. [`super::weight`] takes statistics and makes scorers of it.

use super::functions::FunctionScoreNode;
use super::functions::feature::FeatureNode;
use super::join::JoinNode;
use super::number_bitmap::NumberBitmap;
use super::positional::PositionalNode;
use super::term_match::TermMatcher;
use quarry_geo::area::Area;
use quarry_geo::shape::{Figure, Relation};
use quarry_plan::nested::NestedScore;
use quarry_plan::vectors::FoundDocument;
use quarry_scores::totals::TermTotals;
use quarry_script::{Instance, Program};
use quarry_segment::column::range::RangeMatch;
use quarry_segment::vectors::elements::VectorValues;
use quarry_vectors::measure::Measure;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// One end of a range of terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermBound {
    pub term: Vec<u8>,
    pub inclusive: bool,
}

/// Several terms at consecutive or spaced positions.
#[derive(Debug, Clone, PartialEq)]
pub struct PhraseNode {
    pub field: String,
    /// The alternatives at a position (one, unless synonyms or a prefix expanded), and the position.
    pub terms: Vec<(Vec<Vec<u8>>, u32)>,
    pub slop: u32,
    /// The last position matches every term that starts with its one term, at most this many.
    pub prefix_expansions: Option<u32>,
}

impl PhraseNode {
    /// The positions whose terms are meant as they are: the last may stand for all that starts with its term.
    pub fn whole_terms(&self) -> impl Iterator<Item = &(Vec<Vec<u8>>, u32)> {
        let whole = self.terms.len().saturating_sub(usize::from(self.prefix_expansions.is_some()));
        self.terms.iter().take(whole)
    }
}

/// Clauses of a `bool`, with the number of `should` clauses that must match worked out.
#[derive(Debug, Default)]
pub struct BoolNode {
    pub must: Vec<Node>,
    pub filter: Vec<Node>,
    pub should: Vec<Node>,
    pub must_not: Vec<Node>,
    pub min_should: u32,
}

#[derive(Debug)]
pub enum Node {
    /// Every document; scores 1.
    All,
    None,
    /// Documents with the term; scores by the field's similarity, and by statistics instead of the term's own where there are.
    Term {
        field: String,
        term: Vec<u8>,
        statistics: Option<TermTotals>,
    },
    /// Documents with any of the terms, scored as if they were one term (synonyms).
    Synonyms {
        field: String,
        terms: Vec<Vec<u8>>,
    },
    Phrase(PhraseNode),
    /// Documents with a value in one of the ranges (ends included), which are sorted and disjoint; scores 1.
    Numbers {
        field: String,
        ranges: Vec<(i64, i64)>,
    },
    /// Documents with a value in the bitmap; scores 1.
    NumberBitmap {
        field: String,
        wanted: Arc<NumberBitmap>,
    },
    /// Documents with such a range; scores 1.
    Ranges {
        field: String,
        wanted: RangeMatch,
    },
    /// Documents whose places lie so to the area; scores 1.
    Places {
        field: String,
        area: Arc<Area>,
        relation: Relation,
    },
    /// Documents whose shapes lie so to the figure; scores 1.
    Shapes {
        field: String,
        figure: Arc<Figure>,
        relation: Relation,
    },
    /// Documents with this value of a boolean, scored as a term.
    Boolean {
        field: String,
        value: i64,
    },
    /// Documents with any of the terms (sorted); scores 1.
    Terms {
        field: String,
        terms: Vec<Vec<u8>>,
    },
    /// Documents with a term in the range; scores 1.
    TermRange {
        field: String,
        from: Option<TermBound>,
        to: Option<TermBound>,
    },
    /// Documents with a term that the matcher accepts; scores 1.
    Pattern {
        field: String,
        matcher: TermMatcher,
    },
    /// The best-matching terms of a pattern, each scored.
    TopTerms(TopTermsNode),
    /// Documents with a value for any of the fields; scores 1.
    Exists {
        fields: Vec<String>,
    },
    /// Documents with one of the ids; scores 1.
    Ids {
        ids: Vec<Vec<u8>>,
    },
    Bool(BoolNode),
    DisMax {
        nodes: Vec<Node>,
        tie_breaker: f32,
    },
    Boosting {
        positive: Box<Node>,
        negative: Box<Node>,
        negative_boost: f32,
    },
    /// Scores computed from other things than the text.
    FunctionScore(Box<FunctionScoreNode>),
    /// Documents with a value, scored by it.
    Feature(FeatureNode),
    /// Documents that match as many of the nodes as a value of theirs says; scores added.
    Covering {
        nodes: Vec<Node>,
        minimum: CoveringMinimum,
    },
    /// Any of the terms over several weighted fields, scored as if those were one.
    Combined(CombinedNode),
    /// Spans and intervals.
    Positional(Box<PositionalNode>),
    /// Documents with nested ones that match.
    Nested(Box<NestedNode>),
    /// Documents with children or parents that match.
    Join(Box<JoinNode>),
    /// Documents whose stored query matches.
    Percolate(PercolateNode),
    /// The documents of the shard with the nearest vectors; score by nearness.
    Knn(Box<KnnNode>),
    /// Every document with a vector; score by nearness.
    Near(NearNode),
    /// Documents with the scores that an earlier search gave them.
    Found(FoundNode),
    /// Every match scores 1.
    Constant(Box<Node>),
    Boosted(Box<Node>, f32),
    /// Documents for which a script is true; scores 1.
    Script(ScriptNode),
    /// Matches of a query with scores that a script computes.
    ScriptScore(ScriptScoreNode),
}

/// A compiled script with its parameters.
#[derive(Debug, Clone)]
pub struct ScriptNode {
    pub program: Arc<Program>,
    pub params: Arc<serde_json::Value>,
    /// Path of the nested documents that it is about; empty for the roots.
    pub scope: Arc<str>,
}

impl ScriptNode {
    pub fn instance(&self) -> quarry_base::error::Result<Instance> {
        Instance::new(Arc::clone(&self.program), &self.params)
    }
}

/// How many nodes a document of a `Covering` has to match.
#[derive(Debug, Clone)]
pub enum CoveringMinimum {
    /// A numeric field; documents without a value do not match.
    Field(String),
    Script(ScriptNode),
}

#[derive(Debug)]
pub struct ScriptScoreNode {
    pub inner: Box<Node>,
    pub script: ScriptNode,
    pub min_score: Option<f32>,
}

/// What nested documents at a path are to match, and what their parents score by that.
#[derive(Debug)]
pub struct NestedNode {
    pub path: String,
    /// Path of the documents that match by them; empty for the root.
    pub parent: String,
    pub query: Node,
    pub score: NestedScore,
}

/// A vector to compare others with, as their field has them: fractions with length 1 where only the angle counts.
#[derive(Debug, Clone)]
pub enum SoughtVector {
    Floats(Arc<[f32]>),
    Bytes(Arc<[u8]>),
}

impl SoughtVector {
    pub fn values(&self) -> VectorValues<'_> {
        match self {
            SoughtVector::Floats(values) => VectorValues::Floats(values),
            SoughtVector::Bytes(values) => VectorValues::Bytes(values),
        }
    }
}

/// All vectors of a field, by how near they are to one.
#[derive(Debug)]
pub struct NearNode {
    pub field: String,
    pub vector: SoughtVector,
    pub measure: Measure,
    /// As a request gives it ([`Measure::least_score`]).
    pub similarity: Option<f32>,
}

/// Which vectors are looked for.
#[derive(Debug)]
pub struct KnnNode {
    pub field: String,
    pub vector: SoughtVector,
    pub measure: Measure,
    /// Of nested documents, of which the nearest one of each of their parents counts.
    pub nested: Option<NestedVectors>,
    pub k: u32,
    /// Not fewer.
    pub num_candidates: u32,
    /// How many times `k` are compared by their vectors where the search went by codes; not less than 1.
    pub oversample: f32,
    /// Of whole documents, also where the vectors are of nested ones.
    pub filter: Option<Node>,
    /// Of the nested documents that have the vectors.
    pub nested_filter: Option<Node>,
    /// As a request gives it ([`Measure::least_score`]).
    pub similarity: Option<f32>,
    /// Vectors and codes that were compared so far: who profiles the search shows it.
    pub compared: AtomicU64,
}

/// Where vectors are that nested documents have.
#[derive(Debug)]
pub struct NestedVectors {
    /// Path of the documents around; empty for the root.
    pub parent: String,
}

#[derive(Debug)]
pub struct FoundNode {
    pub documents: Arc<[FoundDocument]>,
}

/// What is put to the queries of a percolator field.
#[derive(Debug, Clone, PartialEq)]
pub struct PercolateNode {
    pub field: String,
    /// Path of the nested documents that hold the queries; empty for the roots.
    pub scope: String,
    /// JSON objects.
    pub documents: Arc<Vec<String>>,
}

/// Fields that count as one, with how often each of their words counts.
#[derive(Debug, Clone, PartialEq)]
pub struct CombinedNode {
    pub fields: Vec<(String, f32)>,
    pub terms: Vec<Vec<u8>>,
}

/// How the terms that a pattern expands to are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopTermsScoring {
    /// Each by its own statistics.
    Own,
    /// All with the largest document frequency among them, and all their occurrences.
    Blended,
    /// Each match of a term scores the term's boost.
    Boost,
}

/// A pattern that is expanded to its `limit` nearest terms over the whole shard.
#[derive(Debug)]
pub struct TopTermsNode {
    pub field: String,
    pub matcher: TermMatcher,
    pub limit: u32,
    pub scoring: TopTermsScoring,
}

impl Node {
    pub fn boosted(self, boost: f32) -> Node {
        if boost == 1.0 { self } else { Node::Boosted(Box::new(self), boost) }
    }

    pub fn constant(self) -> Node {
        Node::Constant(Box::new(self))
    }

    pub fn term(field: &str, term: Vec<u8>) -> Node {
        Node::Term { field: field.to_owned(), term, statistics: None }
    }

    pub fn is_none(&self) -> bool {
        matches!(self, Node::None)
    }
}
