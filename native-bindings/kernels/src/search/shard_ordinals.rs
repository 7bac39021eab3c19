//! One numbering of a field's terms over all segments of a shard, in the order of the terms.
//!
//! Aggregations count by number and look up the terms of the buckets that they show, not of all that they meet. With one segment
//! its ordinals are the numbering. Over several it is made by merging their dictionaries, and kept with the view: from the second
//! time on that a field is asked for, since a single search may meet few of its terms.

use crate::error::{Error, Result};
use crate::postings::reader::FieldPostingsReader;
use crate::segment::reader::FieldReader;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex, PoisonError};

/// Terms of all segments together of fields that are merged: 12 bytes each while the view lives, and 0.1 microseconds once.
const MERGED_TERMS_MAX: usize = 4 << 20;
/// Fields of a view that are merged.
const MERGED_FIELDS_MAX: usize = 32;

/// The numbering for one search.
#[derive(Debug)]
pub enum ShardOrdinals {
    /// Only this segment, by its place, has the field.
    One {
        segment: usize,
        count: u32,
    },
    Merged(Arc<Merged>),
}

/// The segments' dictionaries as one.
#[derive(Debug)]
pub struct Merged {
    /// By segment and ordinal: number in the shard.
    numbers: Vec<Box<[u32]>>,
    /// By number: a segment that has the term, and its ordinal there.
    places: Vec<(u32, u32)>,
}

/// Merged numberings of a view, by field.
#[derive(Debug, Default)]
pub struct OrdinalCache {
    fields: Mutex<HashMap<String, Asked>>,
}

#[derive(Debug)]
enum Asked {
    Once,
    Merged(Arc<Merged>),
}

impl OrdinalCache {
    /// The numbering of a field's terms, whose `readers` are those of the view's segments, by place. `None` where it is not
    /// worth its price.
    pub fn of(&self, field: &str, readers: &[Option<&FieldReader>]) -> Result<Option<ShardOrdinals>> {
        let counts = || readers.iter().enumerate().filter_map(|(place, reader)| Some((place, term_count((*reader)?)?)));
        match (counts().next(), counts().nth(1)) {
            (None, _) => return Ok(None),
            (Some((segment, count)), None) => return Ok(Some(ShardOrdinals::One { segment, count })),
            (Some(_), Some(_)) => {}
        }
        if counts().map(|(_, count)| count as usize).sum::<usize>() > MERGED_TERMS_MAX {
            return Ok(None);
        }
        let mut fields = self.fields.lock().unwrap_or_else(PoisonError::into_inner);
        match fields.get(field) {
            Some(Asked::Merged(merged)) => return Ok(Some(ShardOrdinals::Merged(Arc::clone(merged)))),
            Some(Asked::Once) => {}
            None if fields.len() < MERGED_FIELDS_MAX => {
                fields.insert(field.to_owned(), Asked::Once);
                return Ok(None);
            }
            None => return Ok(None),
        }
        let merged = Arc::new(Merged::new(readers)?);
        fields.insert(field.to_owned(), Asked::Merged(Arc::clone(&merged)));
        Ok(Some(ShardOrdinals::Merged(merged)))
    }
}

/// `None` where documents have no terms of the field to count.
fn term_count(reader: &FieldReader) -> Option<u32> {
    reader.ordinals()?;
    Some(reader.postings()?.term_count())
}

impl ShardOrdinals {
    /// Distinct terms.
    pub fn count(&self) -> u32 {
        match self {
            ShardOrdinals::One { count, .. } => *count,
            ShardOrdinals::Merged(merged) => merged.places.len() as u32,
        }
    }

    /// Numbers by the ordinals of a segment; `None` where they are the same.
    pub fn of_segment(&self, segment: usize) -> Option<&[u32]> {
        match self {
            ShardOrdinals::One { .. } => None,
            ShardOrdinals::Merged(merged) => Some(merged.numbers.get(segment).map_or(&[], |numbers| numbers)),
        }
    }

    /// Writes the term with this number, from the readers that the numbering was asked for with.
    pub fn term(&self, number: u32, readers: &[Option<&FieldReader>], term: &mut Vec<u8>) -> Result<()> {
        let place = match self {
            ShardOrdinals::One { segment, .. } => Some((*segment, number)),
            ShardOrdinals::Merged(merged) => {
                merged.places.get(number as usize).map(|&(segment, ordinal)| (segment as usize, ordinal))
            }
        };
        let found = place.and_then(|(segment, ordinal)| Some(((*readers.get(segment)?)?.postings()?, ordinal)));
        let (postings, ordinal) = found.ok_or_else(|| Error::internal("a term is in no segment"))?;
        postings.term(ordinal, term).map(drop)
    }
}

impl Merged {
    fn new(readers: &[Option<&FieldReader>]) -> Result<Self> {
        let with_terms = |reader: &Option<&'_ FieldReader>| reader.is_some_and(|reader| term_count(reader).is_some());
        let postings: Vec<Option<&FieldPostingsReader>> = readers
            .iter()
            .map(|reader| reader.filter(|_| with_terms(reader)).and_then(FieldReader::postings))
            .collect();
        let mut numbers: Vec<Vec<u32>> = postings
            .iter()
            .map(|postings| Vec::with_capacity(postings.map_or(0, |postings| postings.term_count() as usize)))
            .collect();
        let mut places = Vec::new();
        let mut walks = postings.iter().map(|postings| postings.map(|postings| postings.terms_from(b"")).transpose());
        let mut walks = walks.by_ref().collect::<Result<Vec<_>>>()?;
        // The least term of each segment that has more of them; the least of all is on top.
        let mut heads: BinaryHeap<Reverse<(Vec<u8>, usize)>> = BinaryHeap::new();
        for (segment, walk) in walks.iter_mut().enumerate() {
            if let Some((term, _)) = walk.as_mut().map_or(Ok(None), |walk| walk.next())? {
                heads.push(Reverse((term.to_vec(), segment)));
            }
        }
        let mut last: Option<Vec<u8>> = None;
        while let Some(Reverse((term, segment))) = heads.pop() {
            if last.as_ref() != Some(&term) {
                places.push((segment as u32, numbers[segment].len() as u32));
            }
            numbers[segment].push(places.len() as u32 - 1);
            let mut spare = last.replace(term).unwrap_or_default();
            if let Some((next, _)) = walks[segment].as_mut().map_or(Ok(None), |walk| walk.next())? {
                spare.clear();
                spare.extend_from_slice(next);
                heads.push(Reverse((spare, segment)));
            }
        }
        Ok(Merged { numbers: numbers.into_iter().map(Vec::into_boxed_slice).collect(), places })
    }
}
