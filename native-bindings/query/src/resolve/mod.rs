//! The plan's query tree to [`Node`]s: fields looked up, text analysed, dates and numbers read.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`field`] | what a name or pattern means in this mapping |
//! | [`value`] | a JSON value as a number, a date, an address or a term of a field |
//! | [`term`], [`range`], [`pattern`], [`exists`] | queries on terms and values |
//! | [`text`] | queries on analysed text |
//! | [`spans`], [`intervals`] | queries on places of words |
//! | [`more_like_this`] | terms of texts and documents |
//! | [`functions`] | scores and matches that depend on numbers |
//! | [`geo`] | queries on places |
//! | [`script`] | queries that ask scripts |
//! | [`compound`], [`min_should`] | queries of queries |
//! | [`nested`], [`join`] | queries on nested documents, on children and parents |
//! | [`percolate`] | queries that documents hold |
//! | [`knn`] | the nearest vectors |
mod compound;
mod exists;
mod field;
mod functions;
mod geo;
mod intervals;
mod join;
mod knn;
mod min_should;
mod more_like_this;
mod nested;
mod pattern;
mod percolate;
mod range;
mod ranges;
mod script;
pub(super) use script::script_node;
mod spans;
mod term;
mod text;
mod value;

use super::node::Node;
use super::view::ShardView;
use super::weight::QueryEnv;
pub use join::side;
pub use knn::shown_path;
pub(super) use nested::check_nested;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_plan::query::Query;
use quarry_scores::totals::{FieldTotals, TermTotals};
use std::cell::Cell;

/// Resolves queries against one shard.
pub struct Resolver<'a> {
    view: &'a ShardView,
    env: &'a QueryEnv<'a>,
    /// Path of the nested documents that the query is about; empty for the root.
    scope: &'a str,
    /// Vectors are not looked for: all documents that have some match, by how near these are.
    compares_all: bool,
    /// Set where what a query becomes is told from statistics: it becomes something else over other documents.
    reads_statistics: Option<&'a Cell<bool>>,
}

impl<'a> Resolver<'a> {
    pub fn new(view: &'a ShardView, env: &'a QueryEnv<'a>) -> Self {
        Resolver { view, env, scope: "", compares_all: false, reads_statistics: None }
    }

    /// Of a query about the nested documents at a path.
    pub fn within(self, scope: &'a str) -> Self {
        Resolver { scope, ..self }
    }

    /// Of a query for the nested documents of a hit: all of them that it may be about.
    pub fn comparing_all(self) -> Self {
        Resolver { compares_all: true, ..self }
    }

    /// Tells whether what queries become depends on the documents: the cell is set then, and otherwise left alone.
    pub fn telling_statistics(self, read: &'a Cell<bool>) -> Self {
        Resolver { reads_statistics: Some(read), ..self }
    }

    /// Errors: `QueryShard` when the query does not fit the mapping; `IllegalArgument`.
    pub fn resolve(&self, query: &Query) -> Result<Node> {
        if let Some(query) = self.without_alias(query)? {
            return self.resolve(&query);
        }
        let node = match query {
            Query::MatchAll(all) => Node::All.boosted(all.boost),
            Query::MatchNone(_) => Node::None,
            Query::Match(query) => self.match_query(query)?,
            Query::MatchBoolPrefix(query) => self.match_bool_prefix(query)?,
            Query::MatchPhrase(query) => self.match_phrase(query, false)?,
            Query::MatchPhrasePrefix(query) => self.match_phrase(query, true)?,
            Query::MultiMatch(query) => self.multi_match(query)?,
            Query::Term(query) => self.term(query)?,
            Query::Terms(query) => self.terms(query)?,
            Query::Range(query) => self.range(query)?,
            Query::Exists(query) => self.exists(query)?,
            Query::Prefix(query) => self.prefix(query)?,
            Query::Wildcard(query) => self.wildcard(query)?,
            Query::Regexp(query) => self.regexp(query)?,
            Query::Fuzzy(query) => self.fuzzy(query)?,
            Query::Ids(query) => self.ids(query),
            Query::Bool(query) => self.bool_query(query)?,
            Query::ConstantScore(query) => self.resolve(&query.filter)?.constant().boosted(query.boost),
            Query::DisMax(query) => self.dis_max(query)?,
            Query::Boosting(query) => self.boosting(query)?,
            Query::FunctionScore(query) => self.function_score(query)?,
            Query::Pinned(query) => self.pinned(query)?,
            Query::DistanceFeature(query) => self.distance_feature(query)?,
            Query::RankFeature(query) => self.rank_feature(query)?,
            Query::TermsSet(query) => self.terms_set(query)?,
            Query::CombinedFields(query) => self.combined_fields(query)?,
            Query::MoreLikeThis(query) => self.more_like_this(query)?,
            Query::Span(query) => self.span(query)?,
            Query::Intervals(query) => self.intervals(query)?,
            Query::AnyField(query) => self.any_field(query)?,
            Query::Script(query) => self.script(query)?,
            Query::ScriptScore(query) => self.script_score(query)?,
            Query::Nested(query) => self.nested(query)?,
            Query::HasChild(query) => self.has_child(query)?,
            Query::HasParent(query) => self.has_parent(query)?,
            Query::ParentId(query) => self.parent_id(query)?,
            Query::GeoDistance(query) => self.geo_distance(query)?,
            Query::GeoBoundingBox(query) => self.geo_bounding_box(query)?,
            Query::GeoPolygon(query) => self.geo_polygon(query)?,
            Query::GeoShape(query) => self.geo_shape(query)?,
            Query::GeoGrid(query) => self.geo_grid(query)?,
            Query::Percolate(query) => self.percolate(query)?,
            Query::Knn(query) => self.knn(query)?,
            Query::Found(query) => self.found(query)?,
            Query::Named(named) => self.resolve(&named.query)?,
        };
        Ok(node)
    }

    /// The same query on the field itself, where it names it by an alias.
    fn without_alias(&self, query: &Query) -> Result<Option<Query>> {
        let mapping = &self.view.mapping;
        let Some(name) = query.field().filter(|_| mapping.has_aliases()) else { return Ok(None) };
        match mapping.field_by_name(name) {
            Some(field) if field.spec.name != name => query.with_field(&field.spec.name).map(Some),
            _ => Ok(None),
        }
    }

    /// The view, for its statistics: no query reads them past this.
    fn counted(&self) -> &'a ShardView {
        if let Some(read) = self.reads_statistics {
            read.set(true);
        }
        self.view
    }

    /// Documents with the term, deleted ones included.
    fn term_totals(&self, field: &str, term: &[u8]) -> Result<TermTotals> {
        self.counted().term_totals(field, term)
    }

    fn field_stats(&self, field: &str) -> FieldTotals {
        self.counted().field_stats(field)
    }

    /// Documents of any kind, deleted ones included.
    fn scored_documents(&self) -> u64 {
        self.counted().scored_documents()
    }

    /// `search.allow_expensive_queries: false` refuses queries that walk a dictionary.
    fn check_expensive(&self, query: &str) -> Result<()> {
        if self.env.limits.allow_expensive_queries {
            return Ok(());
        }
        let (on, hint) = match query {
            "range" => (" on [text] or [keyword] fields", ""),
            "prefix" => ("", " For optimised prefix queries on text fields please enable [index_prefixes]."),
            _ => ("", ""),
        };
        Err(Error::illegal_argument(format!(
            "[{query}] queries{on} cannot be executed when 'search.allow_expensive_queries' is set to false.{hint}"
        )))
    }
}

/// How the API reports that a query does not fit a field.
fn failed_to_create(cause: Error) -> Error {
    Error::new(ErrorCode::QueryShard, format!("failed to create query: {}", cause.reason)).caused_by(cause)
}

/// Errors that a lenient query takes as "no match".
fn is_value_error(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::QueryShard | ErrorCode::IllegalArgument | ErrorCode::NumberFormat | ErrorCode::Parse)
}
