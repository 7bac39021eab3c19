//! `multi_terms`: one bucket for each combination of the values of several fields.

use super::bucket_table::ChildBatch;
use super::key_source::{Cell, KeySource};
use super::terms_end::{Cut, known_format};
use super::tuples::Tuples;
use super::{Batch, Budget, Children, Collector, Context, build};
use crate::aggs::partial::{Partial, PartialTerms, TermBucket, TermKey};
use crate::aggs::plan::{Aggregation, CompositeKeys, MultiTerms};
use crate::error::Result;
use crate::search::view::SegmentView;
use hashbrown::HashMap;
use rapidhash::quality::RandomState;
use std::rc::Rc;

pub struct MultiTermsCollector<'a> {
    tuples: Tuples<'a>,
    cut: Cut<'a>,
    places: HashMap<(u32, Box<[Cell]>), u32, RandomState>,
    counts: Vec<u64>,
    budget: Rc<Budget>,
    batch: ChildBatch,
    children: Children<'a>,
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
        })
    }
}

impl<'a> Collector<'a> for MultiTermsCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.tuples.start_segment(segment);
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
        let sources = &self.tuples.sources;
        let key = |tuple: &[Cell]| {
            let parts = tuple.iter().zip(sources).filter_map(|(cell, source)| cell.map(|cell| source.key(cell)));
            TermKey::Tuple(parts.collect())
        };
        let mut keys: Vec<Option<(u32, TermKey)>> = vec![None; self.counts.len()];
        for ((owner, tuple), bucket) in &self.places {
            keys[*bucket as usize] = Some((*owner, key(tuple)));
        }
        let buckets = self.children.finish_buckets(&self.counts)?;
        let mut lists: Vec<Vec<TermBucket>> = (0..owner_count).map(|_| Vec::new()).collect();
        for (key, bucket) in keys.into_iter().zip(buckets) {
            if let Some((owner, key)) = key {
                lists[owner as usize].push(TermBucket { key, bucket, error: 0 });
            }
        }
        let formats: Option<Vec<_>> = sources.iter().map(|source| known_format(&source.source)).collect();
        let tuple_formats = formats.unwrap_or_default();
        let partial =
            |list| Partial::Terms(PartialTerms { tuple_formats: tuple_formats.clone(), ..self.cut.apply(list) });
        Ok(lists.into_iter().map(partial).collect())
    }
}
