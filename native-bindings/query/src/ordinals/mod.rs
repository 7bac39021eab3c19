//! One number for each term of a field over all segments of a shard, in the order of the terms: joins tell parents apart by it,
//! aggregations buckets.

pub mod of_shard;

use crate::breaker::{self, Keeper, Kept, Reservation};
use crate::segment_cache::SegmentCache;
use crate::view::ShardView;
use crate::weight::QueryEnv;
use quarry_base::allocation;
use quarry_base::error::Result;
use quarry_postings::TermIterator;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// What the numbers that are kept for later searches may take, of all shards together.
const BYTES_MAX: usize = 128 << 20;
/// Terms after which the cancellation is looked at.
const TERMS_BETWEEN_LOOKS: u32 = 1 << 16;

/// Numbers of the terms of one field, in the order of the terms.
#[derive(Debug)]
pub struct Ordinals {
    /// By segment: the number of each of the segment's own ordinals. Empty where the segment lacks the field.
    segments: Vec<Vec<u32>>,
    pub count: u32,
}

impl Ordinals {
    /// Of the field's terms in all segments of a view: as they were numbered before, or numbered now.
    ///
    /// Errors: damage; `TaskCancelled`; `CircuitBreaking` when there is no memory for them.
    pub fn of(view: &ShardView, env: &QueryEnv, field: &str) -> Result<Arc<Self>> {
        let known = Known {
            field: field.into(),
            segments: view.segments.iter().map(|segment| segment.reader.id().uuid).collect(),
        };
        if let Some(ordinals) = ORDINALS.find(&known, |_| true) {
            return Ok(ordinals);
        }
        let number = || Self::number(view, env, field).map(Arc::new);
        // Numbers that are too many to be kept are the search's own.
        let may_be_kept = ORDINALS.has_room_for(bytes_of(view, field));
        let ordinals = if may_be_kept { allocation::apart(number) } else { number() }?;
        allocation::check()?;
        let readers = view.segments.iter().map(|segment| &*segment.reader);
        breaker::count_kept(Keeper::Ordinals, Kept { bytes: kept_bytes, give_up: give_up_kept });
        ORDINALS.keep(readers, known, Arc::clone(&ordinals), ordinals.bytes());
        Ok(ordinals)
    }

    fn number(view: &ShardView, env: &QueryEnv, field: &str) -> Result<Self> {
        let postings: Vec<_> = view.segments.iter().map(|segment| segment.field(field)?.postings()).collect();
        let mut memory = Reservation::of(env.limits.request_breaker_bytes, "<ordinals>");
        memory.take(bytes_of(view, field) as u64)?;
        let mut segments = vec![Vec::new(); view.segments.len()];
        let mut sources: Vec<Option<TermIterator<'_>>> = Vec::with_capacity(postings.len());
        let mut waiting = BinaryHeap::new();
        for (place, postings) in postings.iter().enumerate() {
            sources.push(postings.map(|postings| postings.terms_from(b"")).transpose()?);
            if let Some(postings) = postings {
                segments[place].reserve_exact(postings.term_count() as usize);
            }
            advance(&mut sources, place, &mut waiting)?;
        }
        let (mut count, mut last) = (0u32, Vec::new());
        while let Some(Reverse((term, place))) = waiting.pop() {
            if count == 0 || last != term {
                count += 1;
                last = term;
                if count.is_multiple_of(TERMS_BETWEEN_LOOKS) {
                    env.check_cancelled()?;
                }
            }
            segments[place].push(count - 1);
            advance(&mut sources, place, &mut waiting)?;
        }
        Ok(Ordinals { segments, count })
    }

    /// By the ordinals of a segment of the view.
    #[inline]
    pub fn of_segment(&self, place: usize) -> &[u32] {
        self.segments.get(place).map_or(&[], Vec::as_slice)
    }

    /// A segment that has the term with a number, by its place, and the term's ordinal there.
    #[inline]
    pub fn place_of(&self, number: u32) -> Option<(usize, u32)> {
        // Both ascend with the terms.
        let ordinal_in = |numbers: &Vec<u32>| numbers.binary_search(&number).ok();
        let mut segments = self.segments.iter().enumerate();
        segments.find_map(|(place, numbers)| Some((place, ordinal_in(numbers)? as u32)))
    }

    fn bytes(&self) -> usize {
        self.segments.iter().map(|numbers| numbers.len() * size_of::<u32>()).sum()
    }
}

/// What the numbers of the field's terms take.
fn bytes_of(view: &ShardView, field: &str) -> usize {
    let postings = view.segments.iter().filter_map(|segment| segment.field(field)?.postings());
    postings.map(|postings| postings.term_count() as usize * size_of::<u32>()).sum()
}

/// Puts the next term of a segment among those that wait.
fn advance(
    sources: &mut [Option<TermIterator<'_>>],
    place: usize,
    waiting: &mut BinaryHeap<Reverse<(Vec<u8>, usize)>>,
) -> Result<()> {
    if let Some(terms) = &mut sources[place]
        && let Some((term, _)) = terms.next()?
    {
        waiting.push(Reverse((term.to_vec(), place)));
    }
    Ok(())
}

/// Segments never change, so neither do the numbers of a row of them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Known {
    field: Box<str>,
    segments: Vec<[u8; 16]>,
}

/// What all that is kept takes.
fn kept_bytes() -> u64 {
    ORDINALS.bytes() as u64
}

/// Keeps nothing more of it; searches that use some go on to do so.
fn give_up_kept() {
    ORDINALS.give_up();
}

pub static ORDINALS: SegmentCache<Known, Arc<Ordinals>> = SegmentCache::new(BYTES_MAX);
