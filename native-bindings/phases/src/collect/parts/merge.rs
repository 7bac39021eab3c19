//! What several threads found of one shard as what one thread would have found.

use super::super::{Collected, Part, page_of};
use quarry_aggregations::parts::merge_parts;
use quarry_base::error::{Error, Result};
use quarry_query::sort::hit::Hit;
use quarry_query::sort::key::ResolvedKey;
use quarry_query::sort::merge::compare_hits;
use quarry_query::sort::value::KeyOrder;
use std::cmp::Ordering;

/// `alone`: the search with its aggregations as they were asked for.
pub fn merge(alone: &Part<'_>, parts: Vec<Collected>) -> Result<Collected> {
    let mut parts = parts.into_iter();
    let first = parts.next().ok_or_else(|| Error::internal("a search without parts"))?;
    let mut aggregations: Vec<_> = first.aggregations.into_iter().collect();
    let mut merged = Collected { aggregations: None, ..first };
    for part in parts {
        merged.total += part.total;
        merged.is_lower_bound |= part.is_lower_bound;
        merged.timed_out |= part.timed_out;
        merged.max_score = match (merged.max_score, part.max_score) {
            (Some(left), Some(right)) => Some(left.max(right)),
            (left, right) => left.or(right),
        };
        merged.hits.extend(part.hits);
        aggregations.extend(part.aggregations);
    }
    merged.hits = first_hits(alone, merged.hits)?;
    if !alone.aggregations.is_empty() {
        merged.aggregations = Some(merge_parts(alone.aggregations, aggregations)?);
    }
    Ok(merged)
}

/// In the order of the search, and of documents where that says nothing.
fn first_hits(alone: &Part<'_>, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let orders: Vec<KeyOrder> = alone.keys.iter().map(ResolvedKey::key_order).collect();
    let mut failure = None;
    hits.sort_by(|left, right| {
        let compared = compare_hits(&orders, left, right).unwrap_or_else(|error| {
            failure = Some(error);
            Ordering::Equal
        });
        compared.then(left.doc.cmp(&right.doc))
    });
    hits.truncate(page_of(alone.plan));
    failure.map_or(Ok(hits), Err)
}
