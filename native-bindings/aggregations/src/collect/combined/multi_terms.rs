//! `multi_terms`: one bucket for each combination of the values of several fields.

use super::key_source::{Cell, KeySource};
use super::tuples::Tuples;
use crate::budget::Budget;
use crate::collect::tables::bucket_table::ChildBatch;
use crate::collect::terms::add_empty;
use crate::collect::terms::end::{Cut, TermsEnd, known_format};
use crate::collect::{Batch, Children, Collector, Context, Owners, build};
use crate::partial::{Partial, PartialTerms, TermBucket, TermKey};
use crate::plan::{Aggregation, CompositeKeys, MultiTerms};
use hashbrown::{HashMap, HashSet};
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_query::scorers::bits;
use quarry_query::view::SegmentView;
use rapidhash::quality::RandomState;
use std::rc::Rc;

/// The bucket of the parent whose empty buckets are counted while combinations are gathered, so that these are bounded.
const FIRST_OWNER: u32 = 0;

pub struct MultiTermsCollector<'a> {
    tuples: Tuples<'a>,
    cut: Cut<'a>,
    places: HashMap<(u32, Box<[Cell]>), u32, RandomState>,
    counts: Vec<u64>,
    budget: Rc<Budget>,
    batch: ChildBatch,
    children: Children<'a>,
    /// Of the shard, where combinations that no document of the search has are wanted.
    segments: Vec<&'a SegmentView>,
}

impl<'a> MultiTermsCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &'a MultiTerms, name: &str, aggs: &'a [Aggregation]) -> Result<Self> {
        let sources = plan.sources.iter().map(|source| KeySource::new(context, source, CompositeKeys::Terms, name));
        Ok(MultiTermsCollector {
            tuples: Tuples::new(sources.collect::<Result<_>>()?, vec![false; plan.sources.len()]),
            cut: Cut::new(plan.cut(), aggs)?,
            places: HashMap::default(),
            counts: Vec::new(),
            budget: Rc::clone(&context.budget),
            batch: ChildBatch::default(),
            children: build(context, aggs)?,
            segments: Vec::new(),
        })
    }

    /// The combinations of all documents of the shard, whatever the search finds.
    fn all_tuples(&mut self) -> Result<HashSet<Box<[Cell]>, RandomState>> {
        let mut all: HashSet<Box<[Cell]>, RandomState> = HashSet::default();
        let mut docs = Vec::new();
        for segment in std::mem::take(&mut self.segments) {
            self.tuples.start_segment(segment);
            for window in 0..segment.window_count() {
                interrupt::check()?;
                let mut live = bits::EMPTY;
                bits::fill(window, segment.max_doc(), &mut live);
                segment.retain_live(window, &mut live);
                bits::list(&live, &mut docs);
                let batch = Batch { window, docs: &docs, owners: Owners::Root, scores: None };
                self.tuples.for_each(&batch, |_, _, tuple| {
                    if all.contains(tuple) {
                        return Ok(());
                    }
                    let key = (FIRST_OWNER, Box::from(tuple));
                    if !self.places.contains_key(&key) {
                        self.budget.take()?;
                    }
                    all.insert(key.1);
                    Ok(())
                })?;
            }
        }
        Ok(all)
    }
}

impl<'a> Collector<'a> for MultiTermsCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.tuples.start_segment(segment);
        if self.cut.wants_empty() {
            self.segments.push(segment);
        }
        self.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let (places, counts, budget, sent) = (&mut self.places, &mut self.counts, &self.budget, &mut self.batch);
        let nested = !self.children.is_empty();
        sent.clear();
        self.tuples.for_each(&batch, |_, place, tuple| {
            let owner = batch.owners.of(place);
            let key = (owner, Box::from(tuple));
            let bucket = match places.get(&key) {
                Some(&bucket) => bucket,
                None => {
                    budget.take()?;
                    counts.push(0);
                    let bucket = counts.len() as u32 - 1;
                    places.insert(key, bucket);
                    bucket
                }
            };
            counts[bucket as usize] += 1;
            if nested {
                sent.push(&batch, place, bucket);
            }
            Ok(())
        })?;
        self.batch.send(batch.window, batch.scores.is_some(), &mut self.children)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let all = self.all_tuples()?;
        let sources = &self.tuples.sources;
        let key = |tuple: &[Cell]| {
            let parts = tuple.iter().zip(sources).filter_map(|(cell, source)| cell.map(|cell| source.key(cell)));
            TermKey::Tuple(parts.collect())
        };
        let mut keys: Vec<Option<(u32, TermKey)>> = vec![None; self.counts.len()];
        for ((owner, tuple), bucket) in &self.places {
            keys[*bucket as usize] = Some((*owner, key(tuple)));
        }
        // The last one stands for all that no document has.
        self.counts.push(0);
        let mut buckets = self.children.finish_buckets(&self.counts)?;
        let empty = buckets.pop().unwrap_or_default();
        let mut lists: Vec<Vec<TermBucket>> = (0..owner_count).map(|_| Vec::new()).collect();
        for (key, bucket) in keys.into_iter().zip(buckets) {
            if let Some((owner, key)) = key {
                lists[owner as usize].push(TermBucket { key, bucket, error: 0 });
            }
        }
        for (owner, list) in lists.iter_mut().enumerate().filter(|_| !all.is_empty()) {
            if owner != FIRST_OWNER as usize {
                (list.len()..all.len()).try_for_each(|_| self.budget.take())?;
            }
            add_empty(list, all.iter().map(|tuple| key(tuple)), &empty.aggs);
        }
        let formats: Option<Vec<_>> = sources.iter().map(|source| known_format(&source.source)).collect();
        let tuple_formats = formats.unwrap_or_default();
        let partial =
            |list| Partial::Terms(PartialTerms { tuple_formats: tuple_formats.clone(), ..self.cut.apply(list) });
        Ok(lists.into_iter().map(partial).collect())
    }
}
