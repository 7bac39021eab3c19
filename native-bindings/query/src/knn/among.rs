//! Which documents of a segment count for a search of the nearest vectors.

use super::Filters;
use crate::scorers::bits;
use crate::view::SegmentView;
use crate::weight::{QueryEnv, Weight};
use quarry_base::error::Result;
use quarry_codec::window::WINDOW_WORDS;
use quarry_segment::nested::DocBits;
use quarry_segment::vectors::column::VectorColumn;

/// The live documents with a vector that filters match. Nested ones count where what they are part of does.
pub(super) struct Among<'a> {
    column: &'a VectorColumn,
    /// Where vectors are of nested documents: what these are part of.
    roots: Option<DocBits<'a>>,
    /// One bit for each document that counts, or is a root of some that do; `None`: all.
    bits: Option<Vec<u64>>,
    /// Where a filter is about nested documents: one bit for each that it matches.
    nested: Option<Vec<u64>>,
    /// Vectors that count.
    count: u32,
}

impl<'a> Among<'a> {
    /// Errors: `TaskCancelled`, and what the filter fails with.
    pub fn new(
        segment: &'a SegmentView,
        column: &'a VectorColumn,
        env: &QueryEnv,
        filters: Filters<'_>,
        of_nested: bool,
    ) -> Result<Self> {
        let roots = segment.reader.nested().filter(|_| of_nested).map(|nested| nested.roots());
        let Filters { whole, nested } = filters;
        if whole.is_none() && nested.is_none() && segment.deletions.is_none() {
            return Ok(Among { column, roots, bits: None, nested: None, count: column.count() });
        }
        let bits = match whole {
            Some(filter) => matching(segment, env, filter, true)?,
            None => live(segment, env)?,
        };
        let nested = nested.map(|filter| matching(segment, env, filter, false)).transpose()?;
        let mut among = Among { column, roots, bits: Some(bits), nested, count: 0 };
        among.count = column.docs().iter().filter(|&&doc| among.accepts_doc(doc)).count() as u32;
        Ok(among)
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// Every vector counts.
    pub fn is_all(&self) -> bool {
        self.bits.is_none()
    }

    /// Whether a vector counts.
    #[inline]
    pub fn accepts(&self, ordinal: u32) -> bool {
        self.accepts_doc(self.column.doc(ordinal))
    }

    #[inline]
    fn accepts_doc(&self, doc: u32) -> bool {
        let Some(bits) = &self.bits else { return true };
        let Some(root) = self.roots.map_or(Some(doc), |roots| roots.next(doc)) else { return false };
        has(bits, root) && self.nested.as_ref().is_none_or(|nested| has(nested, doc))
    }

    /// The vectors that count, ascending.
    pub fn ordinals(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.column.count()).filter(|&ordinal| self.accepts(ordinal))
    }
}

#[inline]
fn has(bits: &[u64], doc: u32) -> bool {
    bits.get(doc as usize / 64).is_some_and(|word| word >> (doc % 64) & 1 == 1)
}

/// Whole documents that are not deleted.
fn live(segment: &SegmentView, env: &QueryEnv) -> Result<Vec<u64>> {
    let mut all = Vec::with_capacity(segment.window_count() as usize * WINDOW_WORDS);
    for window in 0..segment.window_count() {
        env.check_cancelled()?;
        let mut own = [u64::MAX; WINDOW_WORDS];
        segment.retain_live(window, &mut own);
        all.extend_from_slice(&own);
    }
    Ok(all)
}

/// Those of them that a filter matches; or nested documents, also of deleted ones.
fn matching(segment: &SegmentView, env: &QueryEnv, filter: &dyn Weight, whole: bool) -> Result<Vec<u64>> {
    let windows = segment.window_count();
    let mut all = vec![0; windows as usize * WINDOW_WORDS];
    let Some(mut scorer) = filter.scorer(segment)? else { return Ok(all) };
    let mut docs = Vec::new();
    let mut window = scorer.next_window(0)?;
    while window < windows {
        env.check_cancelled()?;
        let mut own = bits::EMPTY;
        scorer.matches(window, &mut own)?;
        if whole {
            segment.retain_live(window, &mut own);
        }
        bits::list(&own, &mut docs);
        segment.check_computed(window, &docs)?;
        all[window as usize * WINDOW_WORDS..][..WINDOW_WORDS].copy_from_slice(&own);
        window = scorer.next_window(window + 1)?;
    }
    Ok(all)
}
