//! The queries that documents hold, as segments keep them: beside the source, under the name of their field.

use super::query_cache::{Key, QueryCache};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_plan as plan;
use quarry_plan::query::Query;
use quarry_query::view::SegmentView;
use quarry_segment::stored::{Record, StoredScratch};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The form of plans, which only grows; one of a later form cannot be read.
const VERSION: u32 = 1;
/// What all queries that are kept for the next search may take.
const BYTES_MAX: usize = 64 << 20;
/// A tree in memory takes so many times the bytes of its JSON.
const TREE_FACTOR: usize = 4;

/// A stored query, read.
#[derive(Debug)]
pub struct StoredQuery {
    pub query: Query,
    /// JSON.
    pub plan: Box<str>,
}

impl StoredQuery {
    /// Whether one of its texts may mean the moment of the search.
    pub(super) fn names_moment(&self) -> bool {
        self.plan.as_bytes().windows(4).any(|text| text[0] == b'"' && text[1..].eq_ignore_ascii_case(b"now"))
    }

    /// Whether what matches may depend on scores, and so on boosts.
    pub(super) fn names_least_score(&self) -> bool {
        self.plan.contains("\"min_score\"")
    }
}

pub static QUERIES: QueryCache<StoredQuery> = QueryCache::new(BYTES_MAX);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept<'a> {
    version: u32,
    #[serde(borrow)]
    query: &'a RawValue,
}

/// How a plan is kept.
pub fn write(plan: &str) -> Vec<u8> {
    format!("{{\"version\":{VERSION},\"query\":{plan}}}").into_bytes()
}

fn read(kept: &[u8]) -> Result<StoredQuery> {
    let kept: Kept<'_> = quarry_base::deep_json::from_slice(kept)
        .map_err(|error| Error::new(ErrorCode::Corrupt, format!("a stored query cannot be read: {error}")))?;
    if kept.version != VERSION {
        return Err(Error::illegal_state(format!(
            "a stored query is of form [{}], which this version does not know: index its document again",
            kept.version
        )));
    }
    let plan = kept.query.get();
    Ok(StoredQuery { query: plan::from_json(plan.as_bytes())?, plan: plan.into() })
}

/// The query that a document has in a field; `None` where it has none.
pub fn query_of(
    segment: &SegmentView,
    field: &Arc<str>,
    doc: u32,
    scratch: &mut StoredScratch,
) -> Result<Option<Arc<StoredQuery>>> {
    let key = Key { segment: segment.reader.id().uuid, doc, field: Arc::clone(field) };
    if let Some(known) = QUERIES.find(&key) {
        return Ok(Some(known));
    }
    let record = Record::parse(segment.reader.stored().get(doc, scratch)?)?;
    let Some((_, kept)) = record.fields().find(|(name, _)| *name == &**field) else { return Ok(None) };
    let stored = Arc::new(read(kept).map_err(|error| segment.reader.name_damage(error))?);
    QUERIES.keep(&segment.reader, key, Arc::clone(&stored), stored.plan.len() * TREE_FACTOR);
    Ok(Some(stored))
}
