//! The best completions of a segment.

use super::ranges::TermRange;
use crate::check_cancelled;
use quarry_base::control::IsCancelled;
use quarry_base::error::Result;
use quarry_postings::{DecodedTerm, FieldPostingsReader};
use quarry_query::view::SegmentView;
use quarry_segment::completion::key;
use quarry_segment::completion::weights::{BestTerms, Weights};
use rapidhash::{RapidHashMap, RapidHashSet};
use std::collections::BTreeSet;

/// Terms between two looks at the cancellation.
const CHECK_EVERY: usize = 1_024;

/// What is asked of a segment.
pub struct Wish<'a> {
    pub count: usize,
    /// Each input once.
    pub skip_duplicates: bool,
    pub has_contexts: bool,
    pub is_cancelled: IsCancelled<'a>,
}

/// A document, by the best of its inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    pub input: String,
    pub score: f32,
    /// Number in the shard.
    pub doc: u32,
    /// Contexts in which it was found: number and value.
    pub contexts: BTreeSet<(u8, Vec<u8>)>,
}

pub fn of_segment(
    segment: &SegmentView,
    postings: &FieldPostingsReader,
    weights: &Weights,
    ranges: &[TermRange],
    wish: &Wish<'_>,
) -> Result<Vec<Completion>> {
    let mut best = BestTerms::new(weights);
    ranges.iter().for_each(|range| best.add(range.terms.clone(), range.boost));
    let mut found: Vec<Completion> = Vec::new();
    let mut places: RapidHashMap<u32, usize> = RapidHashMap::default();
    let mut seen: RapidHashSet<String> = RapidHashSet::default();
    let mut term = Vec::new();
    let mut decoded = DecodedTerm::default();
    for (count, of) in best.enumerate() {
        if count % CHECK_EVERY == 0 {
            check_cancelled(wish.is_cancelled)?;
        }
        let entry = postings.term(of.ordinal, &mut term)?;
        let key = key::decode(&term, wish.has_contexts).map_err(|error| segment.reader.name_damage(error))?;
        if wish.skip_duplicates && seen.contains(key.input) {
            continue;
        }
        postings.read_term(&entry, &mut decoded)?;
        let context = key.context.map(|(number, value)| (number, value.to_vec()));
        for &doc in decoded.docs.iter().filter(|&&doc| segment.live.as_ref().is_none_or(|live| live.is_live(doc))) {
            let place = match places.get(&doc) {
                Some(&place) => place,
                None if found.len() == wish.count => return Ok(found),
                None => {
                    let (input, doc) = (key.input.to_owned(), segment.doc_base + doc);
                    found.push(Completion { input, score: of.score, doc, contexts: BTreeSet::new() });
                    found.len() - 1
                }
            };
            places.insert(doc, place);
            found[place].contexts.extend(context.clone());
            if wish.skip_duplicates {
                seen.insert(key.input.to_owned());
                break;
            }
        }
    }
    Ok(found)
}
