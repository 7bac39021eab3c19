//! Whether the documents of a segment stand in the order of a request's keys.

use super::key::{KeySource, ResolvedKey};
use crate::view::SegmentView;
use quarry_base::error::Result;
use quarry_plan::request::{Missing, SortMode, SortOrder};
use quarry_segment::index_sort::{MissingValue, SortField};

/// They do where the keys are the first fields of the segment's sort, perhaps followed by the number of the document.
pub(super) fn is_in_order(segment: &SegmentView, keys: &[ResolvedKey]) -> Result<bool> {
    let mut fields = segment.reader.sort().map_or(&[][..], |sort| sort.fields()).iter();
    for key in keys {
        if matches!(key.source, KeySource::Doc | KeySource::ShardDoc) {
            // No two documents tie: whatever follows decides nothing.
            return Ok(key.order == SortOrder::Ascending);
        }
        match fields.next() {
            Some(field) if !segment.computes(&field.name) && sorts_alike(key, field)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn sorts_alike(key: &ResolvedKey, field: &SortField) -> Result<bool> {
    let mode = if field.by_greatest { SortMode::Max } else { SortMode::Min };
    if key.mode != mode || (key.order == SortOrder::Descending) != field.descending || key.nested.is_some() {
        return Ok(false);
    }
    match (&key.source, field.missing) {
        (KeySource::Number { field: name, value_type }, MissingValue::Number(missing)) => {
            let is_same_number = key.compared_as.is_none_or(|compared_as| compared_as == *value_type);
            Ok(*name == field.name && is_same_number && key.sorts_missing_as(missing)?)
        }
        (KeySource::Term { field: name, .. }, MissingValue::FirstTerm) => {
            Ok(*name == field.name && key.missing == Missing::First)
        }
        (KeySource::Term { field: name, .. }, MissingValue::LastTerm) => {
            Ok(*name == field.name && key.missing == Missing::Last)
        }
        _ => Ok(false),
    }
}
