//! A query resolved against one shard: fields looked up, text analysed, statistics taken, terms expanded.

use super::plan::query::Query;
use super::plan::request::SearchLimits;
use super::scorer::WindowScorer;
use super::view::{SegmentView, ShardView};
use crate::error::Result;

/// What the meaning of a query depends on besides the shard.
#[derive(Debug, Clone)]
pub struct QueryEnv {
    /// The moment `now` stands for.
    pub now_ms: i64,
    pub limits: SearchLimits,
}

/// A query that is ready to run over the segments of the view it was compiled for.
pub trait Weight {
    /// The scorer of one segment; `None` when nothing in it can match.
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>>;
}

/// Resolves a query. Without `scoring` its scorers only match and their scores mean nothing.
///
/// Errors: `QueryShard` when the query does not fit the mapping, `IllegalArgument`, `TooManyClauses`.
pub fn compile(_view: &ShardView, _env: &QueryEnv, _query: &Query, _scoring: bool) -> Result<Box<dyn Weight>> {
    todo!()
}
