//! Columns that were computed before, for the whole process.

use super::ComputedColumn;
use super::wanted::{Identity, WantedField, identity_of_terms};
use crate::segment_cache::SegmentCache;
use crate::view::SegmentView;
use quarry_segment::directory::live_docs::LiveDocs;
use std::sync::Arc;

/// What all columns that are kept may take, until the node says otherwise (`indices.breaker.fielddata.limit`).
const BYTES_MAX: usize = 256 << 20;

/// Which column of which segment.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Known {
    segment: [u8; 16],
    identity: Identity,
}

impl Known {
    pub(super) fn new(segment: &SegmentView, field: &WantedField) -> Self {
        Known { segment: segment.reader.id().uuid, identity: field.identity }
    }

    /// The terms of a text field by document.
    pub(super) fn of_terms(segment: &SegmentView, field: &str) -> Self {
        Known { segment: segment.reader.id().uuid, identity: identity_of_terms(field) }
    }
}

#[derive(Debug, Clone)]
pub struct Computed {
    column: Arc<ComputedColumn>,
    /// Live documents that it was computed for.
    live: u32,
}

pub static COLUMNS: SegmentCache<Known, Computed> = SegmentCache::new(BYTES_MAX);

fn live_count(segment: &SegmentView) -> u32 {
    segment.live.as_deref().map_or(segment.max_doc(), LiveDocs::live_count)
}

/// A column that was computed for these documents at least: deletions only take some away.
pub(super) fn find(known: &Known, segment: &SegmentView) -> Option<Arc<ComputedColumn>> {
    COLUMNS.find(known, |computed| computed.live >= live_count(segment)).map(|computed| computed.column)
}

pub(super) fn keep(known: Known, segment: &SegmentView, column: ComputedColumn) -> Arc<ComputedColumn> {
    let column = Arc::new(column);
    if column.failed.is_some() {
        // Limits of scripts may change, and what failed on them should not fail for ever.
        COLUMNS.note_built();
    } else {
        let computed = Computed { column: Arc::clone(&column), live: live_count(segment) };
        COLUMNS.keep([&*segment.reader], known, computed, column.bytes);
    }
    column
}
