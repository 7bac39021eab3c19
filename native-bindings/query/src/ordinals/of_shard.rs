//! Terms by number, for aggregations.
//!
//! They count by number and look up the terms of the buckets that they show, not of all that they meet. With one segment its
//! ordinals are the numbers. Over several the dictionaries have to be merged ([`Ordinals`]): from the second time on that a field
//! of a view is asked for, since a single search may meet few of its terms.

use super::Ordinals;
use crate::view::{SegmentView, ShardView};
use crate::weight::QueryEnv;
use hashbrown::HashSet;
use quarry_base::error::{Error, Result};
use quarry_segment::reader::FieldReader;
use std::sync::{Arc, Mutex, PoisonError};

/// Terms of all segments together of fields that are merged: 0.1 microseconds each.
const MERGED_TERMS_MAX: u64 = 4 << 20;
/// Fields of a view that are merged.
const MERGED_FIELDS_MAX: usize = 32;

/// The numbers for one search.
#[derive(Debug)]
pub enum ShardOrdinals {
    /// Only this segment, by its place, has the field.
    One {
        segment: usize,
        count: u32,
    },
    Merged(Arc<Ordinals>),
}

/// Fields of a view that were asked for before.
#[derive(Debug, Default)]
pub struct AskedFields(Mutex<HashSet<String>>);

impl AskedFields {
    fn is_again(&self, field: &str) -> bool {
        let mut fields = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !fields.contains(field) && fields.len() < MERGED_FIELDS_MAX {
            fields.insert(field.to_owned());
            return false;
        }
        fields.contains(field)
    }
}

impl ShardOrdinals {
    /// Numbers of a field's terms. `None` where they are not worth their price.
    ///
    /// Errors: what [`Ordinals::of`] says.
    pub fn of(view: &ShardView, env: &QueryEnv<'_>, field: &str) -> Result<Option<Self>> {
        let counts = || view.segments.iter().filter_map(|segment| Some((segment, term_count(segment, field)?)));
        match (counts().next(), counts().nth(1)) {
            (None, _) => return Ok(None),
            (Some((segment, count)), None) => return Ok(Some(ShardOrdinals::One { segment: segment.ordinal, count })),
            (Some(_), Some(_)) => {}
        }
        // Numbers are known by the segments, which do not tell what a search computes.
        let is_computed = view.segments.iter().any(|segment| segment.computes(field));
        let terms: u64 = counts().map(|(_, count)| u64::from(count)).sum();
        if is_computed || terms > MERGED_TERMS_MAX || !view.asked_fields.is_again(field) {
            return Ok(None);
        }
        Ordinals::of(view, env, field).map(|ordinals| Some(ShardOrdinals::Merged(ordinals)))
    }

    /// Distinct terms.
    #[inline]
    pub fn count(&self) -> u32 {
        match self {
            ShardOrdinals::One { count, .. } => *count,
            ShardOrdinals::Merged(ordinals) => ordinals.count,
        }
    }

    /// Numbers by the ordinals of a segment; `None` where they are the same.
    #[inline]
    pub fn of_segment(&self, segment: usize) -> Option<&[u32]> {
        match self {
            ShardOrdinals::One { .. } => None,
            ShardOrdinals::Merged(ordinals) => Some(ordinals.of_segment(segment)),
        }
    }

    /// Writes the term with this number. `readers`: of the view's segments, by place.
    #[inline]
    pub fn term(&self, number: u32, readers: &[Option<&FieldReader>], term: &mut Vec<u8>) -> Result<()> {
        let place = match self {
            ShardOrdinals::One { segment, .. } => Some((*segment, number)),
            ShardOrdinals::Merged(ordinals) => ordinals.place_of(number),
        };
        let found = place.and_then(|(segment, ordinal)| Some(((*readers.get(segment)?)?.postings()?, ordinal)));
        let (postings, ordinal) = found.ok_or_else(|| Error::internal("a term is in no segment"))?;
        postings.term(ordinal, term).map(drop)
    }
}

/// `None` where documents of the segment have no terms of the field to count.
#[inline]
pub fn term_count(segment: &SegmentView, field: &str) -> Option<u32> {
    let reader = segment.field(field)?;
    reader.ordinals()?;
    Some(reader.postings()?.term_count())
}
