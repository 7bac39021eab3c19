//! The checked query tree: one variant for each query type of the DSL.

use super::function_score::{DistanceFeatureQuery, FunctionScoreQuery, PinnedQuery, RankFeatureQuery, TermsSetQuery};
use super::geo::{GeoBoundingBoxQuery, GeoDistanceQuery, GeoGridQuery, GeoPolygonQuery, GeoShapeQuery};
use super::join::{HasChildQuery, HasParentQuery, ParentIdQuery};
use super::nested::NestedQuery;
use super::positional::{IntervalsQuery, SpanRoot};
use super::text::{CombinedFieldsQuery, MoreLikeThisQuery};
use super::vectors::{FoundQuery, KnnQuery};
use quarry_base::error::{Error, Result};
use quarry_script::ScriptSpec;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::sync::Arc;

/// A query of the DSL. Serialised as `{"match": {..}}`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Query {
    MatchAll(Boosted),
    MatchNone(Boosted),
    Match(MatchQuery),
    MatchPhrase(MatchPhraseQuery),
    MatchPhrasePrefix(MatchPhraseQuery),
    MatchBoolPrefix(MatchQuery),
    MultiMatch(MultiMatchQuery),
    Term(TermQuery),
    Terms(TermsQuery),
    Range(RangeQuery),
    Exists(ExistsQuery),
    Prefix(PatternQuery),
    Wildcard(PatternQuery),
    Regexp(RegexpQuery),
    Fuzzy(FuzzyQuery),
    Ids(IdsQuery),
    Bool(BoolQuery),
    ConstantScore(ConstantScoreQuery),
    DisMax(DisMaxQuery),
    Boosting(BoostingQuery),
    FunctionScore(FunctionScoreQuery),
    Pinned(PinnedQuery),
    DistanceFeature(DistanceFeatureQuery),
    RankFeature(RankFeatureQuery),
    TermsSet(TermsSetQuery),
    CombinedFields(CombinedFieldsQuery),
    MoreLikeThis(MoreLikeThisQuery),
    Span(SpanRoot),
    Intervals(IntervalsQuery),
    /// The same query on several fields, the best of them: what `query_string` makes of a pattern without a field.
    AnyField(AnyFieldQuery),
    Script(ScriptQuery),
    ScriptScore(ScriptScoreQuery),
    Nested(NestedQuery),
    HasChild(HasChildQuery),
    HasParent(HasParentQuery),
    ParentId(ParentIdQuery),
    GeoDistance(GeoDistanceQuery),
    GeoBoundingBox(GeoBoundingBoxQuery),
    GeoPolygon(GeoPolygonQuery),
    GeoShape(GeoShapeQuery),
    GeoGrid(GeoGridQuery),
    Percolate(PercolateQuery),
    Knn(KnnQuery),
    /// What an earlier search found: part of no request.
    Found(FoundQuery),
    /// A query with a `_name`: hits report it under `matched_queries`.
    Named(NamedQuery),
}

impl Query {
    /// Matches everything with score 1.
    pub fn match_all() -> Self {
        Query::MatchAll(Boosted { boost: 1.0 })
    }

    pub fn match_none() -> Self {
        Query::MatchNone(Boosted { boost: 1.0 })
    }

    /// The queries that this one consists of.
    pub fn parts(&self) -> Vec<&Query> {
        match self {
            Query::Named(inner) => vec![&inner.query],
            Query::Bool(inner) => {
                inner.must.iter().chain(&inner.filter).chain(&inner.should).chain(&inner.must_not).collect()
            }
            Query::Nested(inner) => vec![&inner.query],
            Query::HasChild(inner) => vec![&inner.query],
            Query::HasParent(inner) => vec![&inner.query],
            Query::ConstantScore(inner) => vec![&inner.filter],
            Query::DisMax(inner) => inner.queries.iter().collect(),
            Query::FunctionScore(inner) => {
                let filters = inner.functions.iter().filter_map(|function| function.filter.as_ref());
                std::iter::once(inner.query.as_ref()).chain(filters).collect()
            }
            Query::Pinned(inner) => vec![&inner.organic],
            Query::Boosting(inner) => vec![&inner.positive, &inner.negative],
            Query::ScriptScore(inner) => vec![&inner.query],
            Query::Knn(inner) => inner.filter.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The field of a query on one field.
    pub fn field(&self) -> Option<&str> {
        Some(match self {
            Query::Prefix(inner) | Query::Wildcard(inner) => &inner.field,
            Query::Regexp(inner) => &inner.field,
            Query::Fuzzy(inner) => &inner.field,
            Query::Range(inner) => &inner.field,
            Query::Term(inner) => &inner.field,
            Query::Terms(inner) => &inner.field,
            Query::Match(inner) | Query::MatchBoolPrefix(inner) => &inner.field,
            Query::MatchPhrase(inner) | Query::MatchPhrasePrefix(inner) => &inner.field,
            Query::Exists(inner) => &inner.field,
            Query::TermsSet(inner) => &inner.field,
            Query::DistanceFeature(inner) => &inner.field,
            Query::RankFeature(inner) => &inner.field,
            Query::Intervals(inner) => &inner.field,
            Query::GeoDistance(inner) => &inner.field,
            Query::GeoBoundingBox(inner) => &inner.field,
            Query::GeoPolygon(inner) => &inner.field,
            Query::GeoShape(inner) => &inner.field,
            Query::GeoGrid(inner) => &inner.field,
            Query::Knn(inner) => &inner.field,
            _ => return None,
        })
    }

    /// The same query on another field. Only for queries on one field.
    pub fn with_field(&self, name: &str) -> Result<Query> {
        let mut query = self.clone();
        let field = match &mut query {
            Query::Prefix(inner) | Query::Wildcard(inner) => &mut inner.field,
            Query::Regexp(inner) => &mut inner.field,
            Query::Fuzzy(inner) => &mut inner.field,
            Query::Range(inner) => &mut inner.field,
            Query::Term(inner) => &mut inner.field,
            Query::Terms(inner) => &mut inner.field,
            Query::Match(inner) | Query::MatchBoolPrefix(inner) => &mut inner.field,
            Query::MatchPhrase(inner) | Query::MatchPhrasePrefix(inner) => &mut inner.field,
            Query::Exists(inner) => &mut inner.field,
            Query::TermsSet(inner) => &mut inner.field,
            Query::DistanceFeature(inner) => &mut inner.field,
            Query::RankFeature(inner) => &mut inner.field,
            Query::Intervals(inner) => &mut inner.field,
            Query::GeoDistance(inner) => &mut inner.field,
            Query::GeoBoundingBox(inner) => &mut inner.field,
            Query::GeoPolygon(inner) => &mut inner.field,
            Query::GeoShape(inner) => &mut inner.field,
            Query::GeoGrid(inner) => &mut inner.field,
            Query::Knn(inner) => &mut inner.field,
            _ => return Err(Error::illegal_argument("only a query on one field can be put to several")),
        };
        name.clone_into(field);
        Ok(query)
    }
}

fn one() -> f32 {
    1.0
}

fn yes() -> bool {
    true
}

fn ten_thousand() -> u32 {
    10_000
}

fn fifty() -> u32 {
    50
}

/// The only parameter of `match_all` and `match_none`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boosted {
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    #[default]
    Or,
    And,
}

/// What a query whose text analyses to nothing matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ZeroTerms {
    #[default]
    None,
    All,
}

/// Allowed edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fuzziness {
    Edits(u8),
    /// 0 edits below `low` characters, 1 below `high`, else 2.
    Auto {
        low: u32,
        high: u32,
    },
}

impl Fuzziness {
    /// Edits allowed for a term of `characters` characters.
    pub fn edits(self, characters: usize) -> u8 {
        match self {
            Fuzziness::Edits(edits) => edits,
            Fuzziness::Auto { low, .. } if characters < low as usize => 0,
            Fuzziness::Auto { high, .. } if characters < high as usize => 1,
            Fuzziness::Auto { .. } => 2,
        }
    }
}

/// How fuzzy terms are found and how many; shared by every query with `fuzziness`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzyOptions {
    pub fuzziness: Fuzziness,
    #[serde(default)]
    pub prefix_length: u32,
    #[serde(default = "fifty")]
    pub max_expansions: u32,
    #[serde(default = "yes")]
    pub transpositions: bool,
    #[serde(default)]
    pub rewrite: Rewrite,
}

/// How a query over many terms scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rewrite {
    /// The query's own default.
    #[default]
    Default,
    /// Every match scores the boost.
    ConstantScore,
    /// A `bool` of `should` term queries.
    ScoringBoolean,
    TopTerms(u32),
    TopTermsBoost(u32),
    TopTermsBlendedFreqs(u32),
}

/// `match` and `match_bool_prefix`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchQuery {
    pub field: String,
    /// String, number or boolean as the request had it.
    pub query: Value,
    #[serde(default)]
    pub operator: Operator,
    pub minimum_should_match: Option<String>,
    pub fuzzy: Option<FuzzyOptions>,
    pub analyzer: Option<String>,
    #[serde(default)]
    pub lenient: bool,
    #[serde(default)]
    pub zero_terms: ZeroTerms,
    /// Synonyms of several words match as phrases; else each of their words must be there.
    #[serde(default = "yes")]
    pub synonym_phrases: bool,
    /// Terms that the last word of `match_bool_prefix` expands to; unused by `match`.
    #[serde(default = "fifty")]
    pub max_expansions: u32,
    #[serde(default = "one")]
    pub boost: f32,
}

/// `match_phrase` and `match_phrase_prefix`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchPhraseQuery {
    pub field: String,
    pub query: Value,
    #[serde(default)]
    pub slop: u32,
    /// Words that the analyzer took out leave no place in a phrase.
    #[serde(default)]
    pub ignores_gaps: bool,
    pub analyzer: Option<String>,
    #[serde(default)]
    pub zero_terms: ZeroTerms,
    /// Terms the last word of `match_phrase_prefix` expands to.
    #[serde(default = "fifty")]
    pub max_expansions: u32,
    #[serde(default)]
    pub lenient: bool,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MultiMatchType {
    #[default]
    BestFields,
    MostFields,
    CrossFields,
    Phrase,
    PhrasePrefix,
    BoolPrefix,
}

/// A field name or pattern with `*`, and its weight.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedField {
    pub field: String,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultiMatchQuery {
    pub query: Value,
    /// Empty: `index.query.default_field`, which TypeScript fills in, so never empty in a plan.
    pub fields: Vec<WeightedField>,
    /// Of a quoted text: fields whose names end in this instead, where they are mapped.
    pub field_suffix: Option<String>,
    #[serde(rename = "type", default)]
    pub kind: MultiMatchType,
    /// `None`: what the type implies (0 for best fields, 1 for most fields).
    pub tie_breaker: Option<f32>,
    #[serde(default)]
    pub operator: Operator,
    pub minimum_should_match: Option<String>,
    pub fuzzy: Option<FuzzyOptions>,
    pub analyzer: Option<String>,
    #[serde(default)]
    pub lenient: bool,
    #[serde(default)]
    pub zero_terms: ZeroTerms,
    #[serde(default)]
    pub slop: u32,
    /// Words that the analyzer took out leave no place in a phrase.
    #[serde(default)]
    pub ignores_gaps: bool,
    /// As that of [`MatchQuery`].
    #[serde(default = "yes")]
    pub synonym_phrases: bool,
    #[serde(default = "fifty")]
    pub max_expansions: u32,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermQuery {
    pub field: String,
    pub value: Value,
    #[serde(default)]
    pub case_insensitive: bool,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermsQuery {
    pub field: String,
    pub values: Vec<Value>,
    /// Numbers instead of `values`: a roaring bitmap in base64.
    pub bitmap: Option<String>,
    #[serde(default = "one")]
    pub boost: f32,
}

/// One end of a range.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    pub value: Value,
    pub inclusive: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeQuery {
    pub field: String,
    pub from: Option<Bound>,
    pub to: Option<Bound>,
    pub format: Option<String>,
    pub time_zone: Option<String>,
    #[serde(default)]
    pub relation: Relation,
    #[serde(default = "one")]
    pub boost: f32,
}

/// How ranges of documents lie to that of the query; to a single value all of it is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    #[default]
    Intersects,
    /// All of the query's range.
    Contains,
    /// All of the document's lies in that of the query.
    Within,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExistsQuery {
    /// A field, an object path, or a pattern with `*`.
    pub field: String,
    #[serde(default = "one")]
    pub boost: f32,
}

/// `prefix` and `wildcard`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternQuery {
    pub field: String,
    pub value: String,
    #[serde(default)]
    pub case_insensitive: bool,
    #[serde(default)]
    pub rewrite: Rewrite,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegexpQuery {
    pub field: String,
    pub value: String,
    /// Names of Lucene's flags (`COMPLEMENT`, `INTERVAL`, ...), already checked; empty means all.
    #[serde(default)]
    pub flags: Vec<String>,
    #[serde(default = "ten_thousand")]
    pub max_determinized_states: u32,
    /// The pattern goes through the field's analysis of terms, as a `query_string` has it.
    #[serde(default)]
    pub is_normalized: bool,
    #[serde(default)]
    pub case_insensitive: bool,
    #[serde(default)]
    pub rewrite: Rewrite,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzyQuery {
    pub field: String,
    pub value: Value,
    /// A text of a query string: the field's analyzer makes characters of it what they are in its terms.
    #[serde(default)]
    pub is_normalized: bool,
    /// Instead of the field's.
    #[serde(default)]
    pub analyzer: Option<String>,
    pub fuzzy: FuzzyOptions,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdsQuery {
    pub values: Vec<String>,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoolQuery {
    #[serde(default)]
    pub must: Vec<Query>,
    #[serde(default)]
    pub filter: Vec<Query>,
    #[serde(default)]
    pub should: Vec<Query>,
    #[serde(default)]
    pub must_not: Vec<Query>,
    pub minimum_should_match: Option<String>,
    /// A `bool` of only `must_not` clauses matches everything but them.
    #[serde(default = "yes")]
    pub adjust_pure_negative: bool,
    /// Clauses whose text analyses to nothing ask for nothing, as words left out of a query string do.
    #[serde(default)]
    pub drops_empty: bool,
    /// Everything but what `must_not` names: where that asks for nothing, so does this.
    #[serde(default)]
    pub is_negation: bool,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstantScoreQuery {
    pub filter: Box<Query>,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisMaxQuery {
    pub queries: Vec<Query>,
    #[serde(default)]
    pub tie_breaker: f32,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoostingQuery {
    pub positive: Box<Query>,
    pub negative: Box<Query>,
    pub negative_boost: f32,
    #[serde(default = "one")]
    pub boost: f32,
}

/// Documents whose stored query matches one of these.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PercolateQuery {
    /// Of type `percolator`.
    pub field: String,
    /// JSON objects.
    #[serde(deserialize_with = "shared_texts")]
    pub documents: Arc<Vec<String>>,
    /// Tells several of these apart.
    pub name: Option<String>,
    #[serde(default = "one")]
    pub boost: f32,
}

fn shared_texts<'de, D: Deserializer<'de>>(plan: D) -> std::result::Result<Arc<Vec<String>>, D::Error> {
    Vec::deserialize(plan).map(Arc::new)
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedQuery {
    pub name: String,
    pub query: Box<Query>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnyFieldQuery {
    pub fields: Vec<WeightedField>,
    /// Its own field is not looked at.
    pub query: Box<Query>,
    /// Fields that the query does not fit are left out.
    #[serde(default)]
    pub lenient: bool,
    /// What the scores of the other fields count beside the best.
    #[serde(default)]
    pub tie_breaker: f32,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptQuery {
    pub script: ScriptSpec,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptScoreQuery {
    pub query: Box<Query>,
    pub script: ScriptSpec,
    /// Matches with a lower score are none.
    pub min_score: Option<f32>,
    #[serde(default = "one")]
    pub boost: f32,
}
