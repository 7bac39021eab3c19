//! The plan of a search: what `src/search/` (TypeScript) hands down after it has checked the request.
//!
//! The TypeScript side owns the DSL (names, types, limits, the place of an error). Whatever depends on a shard's mapping
//! (field types, analysis of query text, dates relative to now, wildcard field names) is resolved here at execution. Both
//! sides name members alike; an unknown member is an error, so that the two cannot drift apart unnoticed.
pub mod function_score;
pub mod geo;
pub mod highlight;
pub mod join;
pub mod kept_plans;
pub mod nested;
pub mod positional;
pub mod query;
pub mod request;
pub mod text;
pub mod vectors;

use quarry_base::deep_json::FromJson;
use quarry_base::error::{Error, ErrorCode, Result};

quarry_base::from_json!(
    query::Query,
    request::CountPlan,
    request::FetchPlan,
    request::QueryCheckPlan,
    request::SearchPlan,
    request::SortKey,
);

/// Reads a plan from the JSON that TypeScript wrote.
pub fn from_json<T: FromJson>(json: &[u8]) -> Result<T> {
    T::from_json(json).map_err(|error| Error::new(ErrorCode::Internal, format!("search plan cannot be read: {error}")))
}
