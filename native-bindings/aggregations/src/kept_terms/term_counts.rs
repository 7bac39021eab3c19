//! Documents of each term of a segment's field, for searches that match a whole segment: made once, and kept for later ones.

use super::term_hashes::Known;
use crate::budget::Budget;
use crate::kept_terms;
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_codec::window::is_set;
use quarry_query::segment_cache::SegmentCache;
use quarry_segment::column::ordinal::{OrdinalColumn, OrdinalWindow};
use quarry_segment::reader::SegmentReader;
use std::sync::Arc;

/// What all counts that are kept may take.
const BYTES_MAX: usize = 64 << 20;

pub static TERM_COUNTS: SegmentCache<Known, Arc<[u32]>> = SegmentCache::new(BYTES_MAX);

/// By ordinal; deleted documents are counted. Errors: `TaskCancelled`; `CircuitBreaking` where there is no memory for them.
pub fn of(segment: &SegmentReader, field: &str, column: &OrdinalColumn, budget: &Budget) -> Result<Arc<[u32]>> {
    let known = Known::of(segment, field);
    if let Some(counts) = TERM_COUNTS.find(&known, |_| true) {
        return Ok(counts);
    }
    budget.take_bytes(column.ordinal_count() as usize * size_of::<u32>())?;
    let mut counts = vec![0; column.ordinal_count() as usize];
    let mut window = OrdinalWindow::default();
    for number in 0..column.window_count() {
        interrupt::check()?;
        column.decode_window(number, &mut window);
        if window.is_single_valued() {
            let docs = (0u16..).zip(&window.ordinals).filter(|(doc, _)| is_set(&window.present, *doc));
            docs.for_each(|(_, &ordinal)| counts[ordinal as usize] += 1);
        } else {
            window.ordinals.iter().for_each(|&ordinal| counts[ordinal as usize] += 1);
        }
    }
    let counts: Arc<[u32]> = counts.into();
    kept_terms::count();
    TERM_COUNTS.keep([segment], known, Arc::clone(&counts), size_of_val(&*counts));
    Ok(counts)
}
