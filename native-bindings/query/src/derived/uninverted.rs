//! Field data: the terms of a text field by document, for sorts and aggregations, where the mapping asks for it. Made of the
//! inverted index when a search first wants it, and kept like computed columns.

use super::{ComputedColumn, cache};
use crate::view::ShardView;
use quarry_base::control::{IsCancelled, cancelled};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_postings::{DecodedTerm, FieldPostingsReader};
use quarry_segment::column::ordinal::{OrdinalColumnData, OrdinalColumnWriter};
use quarry_segment::reader::FieldReader;
use std::collections::BTreeMap;

/// What the field data of one field of one segment may take while it is made.
const BYTES_MAX: usize = 512 << 20;
/// Terms between two looks at the cancellation.
const CHECK_EVERY: u32 = 1_024;

/// The field with a column of its terms; `None` where the segment has none.
pub(super) fn compute(field: &FieldReader, max_doc: u32, is_cancelled: IsCancelled<'_>) -> Result<ComputedColumn> {
    let Some(postings) = field.postings() else { return Ok(ComputedColumn { reader: None, failed: None, bytes: 0 }) };
    let entries = usize::try_from(field.stats().sum_doc_freq).unwrap_or(usize::MAX);
    let needed = entries.saturating_add(max_doc as usize).saturating_mul(size_of::<u32>());
    let limit = BYTES_MAX.min(cache::COLUMNS.bytes_max());
    if needed > limit {
        let name = field.name();
        return Err(Error::new(
            ErrorCode::CircuitBreaking,
            format!(
                "[fielddata] Data too large, data for [{name}] would be [{needed}], which is larger than the limit of [{limit}]"
            ),
        ));
    }
    let column = ordinals_by_document(postings, entries, max_doc, is_cancelled)?;
    let bytes = column.bytes.len();
    let reader = Some(field.with_ordinals(column, max_doc)?);
    Ok(ComputedColumn { reader, failed: None, bytes })
}

/// By counting sort: terms come in order, so that those of a document do as well.
fn ordinals_by_document(
    postings: &FieldPostingsReader,
    entries: usize,
    max_doc: u32,
    is_cancelled: IsCancelled<'_>,
) -> Result<OrdinalColumnData> {
    let mut counts = vec![0u32; max_doc as usize];
    each_document(postings, is_cancelled, |_, doc| counts[doc as usize] += 1)?;
    let mut ends = counts;
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    let mut ordinals = vec![0u32; start as usize];
    if ordinals.len() != entries {
        return Err(Error::corrupt("the postings of a field are not as many as its statistics say"));
    }
    each_document(postings, is_cancelled, |ordinal, doc| {
        let place = &mut ends[doc as usize];
        ordinals[*place as usize] = ordinal;
        *place += 1;
    })?;
    let mut column = OrdinalColumnWriter::new();
    let mut start = 0;
    for (doc, &end) in ends.iter().enumerate() {
        if end > start {
            column.add(doc as u32, &ordinals[start as usize..end as usize]);
        }
        start = end;
    }
    Ok(column.finish(max_doc))
}

fn each_document(
    postings: &FieldPostingsReader,
    is_cancelled: IsCancelled<'_>,
    mut found: impl FnMut(u32, u32),
) -> Result<()> {
    let mut decoded = DecodedTerm::default();
    let mut terms = postings.terms_from(b"")?;
    while let Some((_, entry)) = terms.next()? {
        if entry.ordinal % CHECK_EVERY == 0 && is_cancelled() {
            return Err(cancelled());
        }
        postings.read_term(&entry, &mut decoded)?;
        decoded.docs.iter().for_each(|&doc| found(entry.ordinal, doc));
    }
    Ok(())
}

/// Gives up the field data of a shard: what is wanted again is made again.
pub fn forget(view: &ShardView) {
    for field in view.mapping.fields().iter().filter(|field| field.spec.fielddata) {
        for segment in view.segments.iter() {
            cache::COLUMNS.forget(&cache::Known::of_terms(segment, &field.spec.name));
        }
    }
}

/// What the field data of a shard takes, by name of the field.
pub fn memory_of(view: &ShardView) -> BTreeMap<String, usize> {
    let mut bytes = BTreeMap::new();
    for field in view.mapping.fields().iter().filter(|field| field.spec.fielddata) {
        let name = &field.spec.name;
        let of_segments =
            view.segments.iter().map(|segment| cache::COLUMNS.bytes_of(&cache::Known::of_terms(segment, name)));
        let sum: usize = of_segments.sum();
        if sum > 0 {
            bytes.insert(name.clone(), sum);
        }
    }
    bytes
}
