//! A query resolved against one shard: statistics taken, terms looked up and expanded, ready to make scorers.
//!
//! | file | what it weighs |
//! | --- | --- |
//! | [`term`] | one term |
//! | [`phrase`] | several terms at their positions |
//! | [`synonyms`] | terms at one position that count as one |
//! | [`top_terms`] | the best terms of a pattern |
//! | [`sets`] | everything whose matches all score the same |
//! | [`script`] | what scripts decide and score |
//! | [`compound`] | weights of weights |
//! | [`combined`] | terms over several fields that count as one |
//! | [`functions`] | scores from numbers of a document |
//! | [`nested`] | documents by their nested ones |
//! | [`join`] | documents by their children or parents |
//! | [`knn`] | the nearest vectors |
//! | [`positional`] | spans and intervals |
//! | [`profile`] | anything, and how long it takes |
mod combined;
mod compound;
mod functions;
mod join;
mod knn;
mod nested;
mod phrase;
mod positional;
mod profile;
mod script;
mod sets;
mod statistics;
mod synonyms;
mod term;
mod top_terms;

pub use profile::WatchedQuery;

use super::node::{Node, PercolateNode};
use super::resolve::Resolver;
use super::scorers::bits;
use super::view::{SegmentView, ShardView};
use quarry_base::control::{IsCancelled, cancelled};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::window::WINDOW;
use quarry_mapping::spec::DeclaredType;
use quarry_plan::query::Query;
use quarry_plan::request::{SearchLimits, SearchPlan};
use quarry_scores::bm25::Bm25;
use quarry_scores::scorer::WindowScorer;
use quarry_scores::similarity::rating::{self, Rating};
use quarry_scores::topk::{PhraseClause, TermClause};
use quarry_scores::totals::TermTotals;
use rapidhash::RapidHashMap;
use std::sync::Arc;

/// What the meaning of a query depends on besides the shard.
#[derive(Clone)]
pub struct QueryEnv<'c> {
    /// The moment `now` stands for.
    pub now_ms: i64,
    pub limits: SearchLimits,
    /// Asked by queries that walk documents before the search itself does.
    pub is_cancelled: IsCancelled<'c>,
    pub above: Above,
}

/// Weighs the percolation of a node by its boost.
pub type WeighPercolation = fn(&ShardView, &QueryEnv<'_>, &PercolateNode, Boost) -> Result<Box<dyn Weight>>;

/// What crates above do for queries.
#[derive(Clone, Copy)]
pub struct Above {
    /// Weighs a `percolate` query.
    pub percolate: WeighPercolation,
    /// Runs a search within a search; what it finds is the `hits` object as JSON.
    pub search: fn(&ShardView, &SearchPlan, IsCancelled<'_>) -> Result<Vec<u8>>,
}

impl Above {
    /// For queries that are not run: percolations match nothing, and there are no searches within.
    pub const NOTHING: Above = Above {
        percolate: |_, _, _, _| Ok(sets::nothing()),
        search: |_, _, _| Err(Error::internal("this query cannot hold a search")),
    };
}

impl QueryEnv<'_> {
    /// `TaskCancelled` when nobody wants the answer.
    pub fn check_cancelled(&self) -> Result<()> {
        if (self.is_cancelled)() { Err(cancelled()) } else { Ok(()) }
    }
}

/// A query that is ready to run over the segments of the view it was compiled for.
pub trait Weight {
    /// The scorer of one segment; `None` when nothing in it can match.
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>>;

    /// Every document of every segment matches.
    fn matches_all(&self) -> bool {
        false
    }

    /// What the specialised executors can run instead of the scorer; `None` where they cannot.
    fn shortcut<'a>(&'a self, _segment: &'a SegmentView) -> Option<Shortcut<'a>> {
        None
    }
}

/// A query that has an executor of its own, in one segment.
pub enum Shortcut<'a> {
    /// Nothing in the segment matches.
    Nothing,
    /// Any of the terms, scores added.
    Union(Vec<TermClause<'a>>),
    /// All of the terms, scores added.
    Intersection(Vec<TermClause<'a>>),
    Phrase(PhraseClause<'a>),
    /// Any of the terms of any of the unions; the best union's score counts.
    BestOf(Vec<Vec<TermClause<'a>>>),
}

/// Resolves a query. Without `scoring` its scorers only match and their scores mean nothing.
///
/// Errors: `QueryShard` when the query does not fit the mapping, `IllegalArgument`, `TooManyClauses`.
pub fn compile(view: &ShardView, env: &QueryEnv, query: &Query, scoring: bool) -> Result<Box<dyn Weight>> {
    let node = Resolver::new(view, env).resolve(query)?;
    Builder::new(view, env).build(&node, scoring.then_some(1.0))
}

/// As [`compile`], of a query about the nested documents at a path (empty: the root).
pub fn compile_within(
    view: &ShardView,
    env: &QueryEnv,
    query: &Query,
    scoring: bool,
    scope: &str,
) -> Result<Box<dyn Weight>> {
    let node = Resolver::new(view, env).within(scope).resolve(query)?;
    Builder::new(view, env).build(&node, scoring.then_some(1.0))
}

/// As [`compile_within`] with scores, of a query for nested documents that hits show: vectors are compared with all of theirs.
pub fn compile_shown(view: &ShardView, env: &QueryEnv, query: &Query, scope: &str) -> Result<Box<dyn Weight>> {
    let node = Resolver::new(view, env).within(scope).comparing_all().resolve(query)?;
    Builder::new(view, env).build(&node, Some(1.0))
}

/// As [`compile`], to learn how long its parts take.
pub fn compile_watched(view: &ShardView, env: &QueryEnv, query: &Query, scoring: bool) -> Result<WatchedQuery> {
    WatchedQuery::new(view, env, query, scoring)
}

/// As [`compile`], of a resolved query, as `score_of` takes it.
pub fn weigh(view: &ShardView, env: &QueryEnv, node: &Node, boost: Option<f32>) -> Result<Box<dyn Weight>> {
    Builder::new(view, env).build(node, boost)
}

/// The score of one document of a segment, or `None` where the node does not match it. Without `boost` scores mean nothing.
pub(crate) fn score_of(
    view: &ShardView,
    env: &QueryEnv,
    node: &Node,
    boost: Option<f32>,
    segment: &SegmentView,
    doc: u32,
) -> Result<Option<f32>> {
    let weight = weigh(view, env, node, boost)?;
    let Some(mut scorer) = weight.scorer(segment)? else { return Ok(None) };
    let (window, local) = (doc / WINDOW as u32, (doc % WINDOW as u32) as u16);
    if scorer.next_window(window)? != window {
        return Ok(None);
    }
    let mut matched = bits::EMPTY;
    scorer.matches(window, &mut matched)?;
    if !bits::contains(&matched, local) {
        return Ok(None);
    }
    let mut score = [0f32];
    scorer.score(window, &[local], &mut score)?;
    Ok(Some(score[0]))
}

/// The score that a clause multiplies its own with; `None` where nobody asks for scores.
pub type Boost = Option<f32>;

/// Builds weights, counting clauses and sharing what they have in common.
pub struct Builder<'a> {
    view: &'a ShardView,
    env: &'a QueryEnv<'a>,
    clauses: u32,
    /// By field.
    references: RapidHashMap<String, Arc<Bm25>>,
    /// Set where parts of the query are watched.
    profiler: Option<profile::Profiler>,
}

impl<'a> Builder<'a> {
    fn new(view: &'a ShardView, env: &'a QueryEnv<'a>) -> Self {
        Builder { view, env, clauses: 0, references: RapidHashMap::default(), profiler: None }
    }

    fn build(&mut self, node: &Node, boost: Boost) -> Result<Box<dyn Weight>> {
        if self.profiler.is_some() && !matches!(node, Node::Boosted(..)) {
            return self.build_watched(node, boost);
        }
        self.build_node(node, boost)
    }

    fn build_node(&mut self, node: &Node, boost: Boost) -> Result<Box<dyn Weight>> {
        match node {
            // As a filter: what adds to scores, or asks for a least one, has nothing to do with the boost.
            Node::Boosted(inner, 0.0) => self.constant(inner, boost.map(|_| 0.0)),
            Node::Boosted(inner, factor) => self.build(inner, boost.map(|boost| boost * factor)),
            Node::Constant(inner) => self.constant(inner, boost),
            Node::Bool(inner) => self.boolean(inner, boost),
            Node::DisMax { nodes, tie_breaker } => self.dis_max(nodes, *tie_breaker, boost),
            Node::Boosting { positive, negative, negative_boost } => {
                self.boosting(positive, negative, *negative_boost, boost)
            }
            Node::FunctionScore(inner) => self.function_score(inner, boost),
            Node::Nested(nested) => self.nested(nested, boost),
            Node::Join(join) => self.join(join, boost),
            Node::Percolate(inner) => (self.env.above.percolate)(self.view, self.env, inner, boost),
            Node::Knn(inner) => self.knn(inner, boost),
            Node::Near(inner) => Ok(self.near(inner, boost)),
            Node::Found(inner) => self.found(inner, boost),
            Node::Covering { nodes, minimum } => self.covering(nodes, minimum, boost),
            Node::Script(inner) => {
                self.count_clauses(1)?;
                self.script(inner, boost)
            }
            Node::ScriptScore(inner) => self.script_score(inner, boost),
            leaf => {
                self.count_clauses(1)?;
                self.leaf(leaf, boost)
            }
        }
    }

    fn leaf(&mut self, node: &Node, boost: Boost) -> Result<Box<dyn Weight>> {
        if boost.is_some() && self.scores_alike(node) {
            return self.constant(node, boost);
        }
        match node {
            Node::Term { field, term, statistics } => self.term(field, term, *statistics, boost),
            Node::Synonyms { field, terms } => self.synonyms(field, terms, boost),
            Node::Phrase(phrase) => self.phrase(phrase, boost),
            Node::TopTerms(top) => self.top_terms(top, boost),
            Node::Boolean { field, value } => self.boolean_value(field, *value, boost),
            Node::Feature(feature) => self.feature(feature, boost),
            Node::Combined(combined) => self.combined(combined, boost),
            Node::Positional(positional) => self.positional(positional, boost),
            set => self.set(set, boost),
        }
    }

    /// Whether the field of a node on text has nothing to score by.
    fn scores_alike(&self, node: &Node) -> bool {
        let field = match node {
            Node::Term { field, .. } | Node::Synonyms { field, .. } => field,
            Node::Phrase(phrase) => &phrase.field,
            Node::TopTerms(top) => &top.field,
            _ => return false,
        };
        let declared = self.view.mapping.field_by_name(field).and_then(|field| field.spec.declared_type);
        declared == Some(DeclaredType::MatchOnlyText)
    }

    fn count_clauses(&mut self, more: u32) -> Result<()> {
        self.clauses = self.clauses.saturating_add(more);
        let most = self.env.limits.max_clauses;
        if self.clauses <= most {
            return Ok(());
        }
        Err(too_many_clauses(most))
    }

    /// How matches of terms of a field score, by the field's similarity and its statistics over the shard.
    fn rating(&mut self, field: &str, terms: &[TermTotals], boost: Boost) -> Result<Rating> {
        let (similarity, totals) = (self.view.mapping.similarity_of(field), self.view.field_stats(field));
        let reference = match self.references.get(field) {
            Some(known) => Arc::clone(known),
            None => {
                let reference = Arc::new(rating::reference(similarity, totals));
                self.references.insert(field.to_owned(), Arc::clone(&reference));
                reference
            }
        };
        Rating::new(similarity, reference, totals, terms, boost)
    }
}

/// A query has more terms than are allowed.
pub(super) fn too_many_clauses(most: u32) -> Error {
    let reason = format!("Query contains too many nested clauses; maxClauseCount is set to {most}");
    Error::new(ErrorCode::TooManyClauses, reason)
}
