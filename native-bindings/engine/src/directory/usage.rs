//! What takes how much of the disk: the sections of the segments that a view sees, by field and structure.

use quarry_mapping::keys::shown_name;
use quarry_query::view::ShardView;
use quarry_segment::metadata::SectionKind;
use quarry_segment::reader::SegmentReader;
use serde::Serialize;
use std::collections::BTreeMap;

/// Bytes of one field, in the words of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct FieldUsage {
    inverted_index: u64,
    stored_fields: u64,
    doc_values: u64,
    norms: u64,
    knn_vectors: u64,
}

/// `DiskUsage` of `src/native/searcher.ts`.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct DiskUsage {
    /// Of the segment files; what is beside the sections (headers, metadata, padding) is in here alone.
    store_bytes: u64,
    /// Those of the engine are under their own names: `_id`, `_source`, `_seq_no`, `_version`, `_primary_term`.
    fields: BTreeMap<String, FieldUsage>,
}

/// JSON.
pub fn disk_usage_json(view: &ShardView) -> String {
    let mut usage = DiskUsage::default();
    for segment in view.segments.iter() {
        usage.add(&segment.reader);
    }
    // Plain data always serializes.
    serde_json::to_string(&usage).unwrap_or_default()
}

impl DiskUsage {
    fn add(&mut self, segment: &SegmentReader) {
        self.store_bytes += segment.bytes();
        for (field, kind, bytes) in segment.section_sizes() {
            let name = shown_name(field.unwrap_or(name_of(kind)));
            *self.fields.entry(name).or_default().of(kind) += bytes;
        }
    }
}

impl FieldUsage {
    fn of(&mut self, kind: SectionKind) -> &mut u64 {
        match kind {
            SectionKind::Dictionary
            | SectionKind::Postings
            | SectionKind::Positions
            | SectionKind::Pairs
            | SectionKind::Weights
            | SectionKind::Ids => &mut self.inverted_index,
            SectionKind::Norms => &mut self.norms,
            SectionKind::Vectors | SectionKind::VectorGraph => &mut self.knn_vectors,
            SectionKind::StoredBlocks | SectionKind::StoredIndex => &mut self.stored_fields,
            SectionKind::Numeric
            | SectionKind::Ordinals
            | SectionKind::Presence
            | SectionKind::RangeBeginnings
            | SectionKind::RangeEnds
            | SectionKind::RangeBeginningsLower
            | SectionKind::RangeEndsLower
            | SectionKind::SeqNos
            | SectionKind::Versions
            | SectionKind::PrimaryTerms => &mut self.doc_values,
        }
    }
}

/// Stored fields lie in the same blocks as the source.
fn name_of(kind: SectionKind) -> &'static str {
    match kind {
        SectionKind::Ids => "_id",
        SectionKind::SeqNos => "_seq_no",
        SectionKind::Versions => "_version",
        SectionKind::PrimaryTerms => "_primary_term",
        _ => "_source",
    }
}
