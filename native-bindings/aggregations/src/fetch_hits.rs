//! Fetches the hits of `top_hits`, on the shard that has them, once the buckets that it hands on are known.

use super::collect::{Resolved, SortedHits};
use super::partial::{Partial, PartialTopHits};
use super::plan::{Aggregation, Kind};
use quarry_base::control::Control;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_fetch::Fetcher;
use quarry_fetch::named::{NamedQueries, NamedRequest};
use quarry_query::view::ShardView;
use quarry_query::weight::QueryEnv;

/// Bytes of hits that the aggregations of one search may hold on a shard.
const HIT_BYTES_MAX: usize = 256 << 20;

pub struct HitFetch<'f, 'c> {
    pub view: &'f ShardView,
    pub env: &'f QueryEnv<'f>,
    pub named: NamedRequest<'f>,
    pub control: &'f mut Control<'c>,
    bytes: usize,
}

impl<'f, 'c> HitFetch<'f, 'c> {
    pub fn new(
        view: &'f ShardView,
        env: &'f QueryEnv<'f>,
        named: NamedRequest<'f>,
        control: &'f mut Control<'c>,
    ) -> Self {
        HitFetch { view, env, named, control, bytes: 0 }
    }

    /// Renders every hit of one level's results and of what is below it.
    pub fn run(&mut self, plan: &[Aggregation], level: &mut [Partial], resolved: &Resolved<'_>) -> Result<()> {
        let mut sorts = resolved.sorts().iter();
        self.level(plan, vec![level], &mut sorts)
    }

    /// All results of one level of the plan at once: each `top_hits` has one fetcher for the hits of all buckets.
    fn level<'s>(
        &mut self,
        plan: &[Aggregation],
        mut levels: Vec<&mut [Partial]>,
        sorts: &mut impl Iterator<Item = &'s SortedHits<'s>>,
    ) -> Result<()> {
        for (place, aggregation) in plan.iter().enumerate() {
            let partials = levels.iter_mut().filter_map(|level| level.get_mut(place));
            if matches!(aggregation.kind, Kind::TopHits(_)) {
                let hits = partials.filter_map(|partial| match partial {
                    Partial::TopHits(hits) => Some(hits),
                    _ => None,
                });
                let mut hits: Vec<&mut PartialTopHits> = hits.collect();
                if let Some(sort) = sorts.next() {
                    self.fetch(sort, &mut hits)?;
                }
            } else if matches!(aggregation.kind, Kind::TopMetrics(_)) {
                // Its values were read when they were found.
                sorts.next();
            } else {
                self.level(&aggregation.aggs, partials.flat_map(below).collect(), sorts)?;
            }
        }
        Ok(())
    }

    fn fetch(&mut self, sort: &SortedHits<'_>, buckets: &mut [&mut PartialTopHits]) -> Result<()> {
        let Some(plan) = sort.fetch else { return Ok(()) };
        let docs = buckets.iter().flat_map(|bucket| bucket.hits.iter().map(|hit| hit.hit.doc));
        let named = NamedQueries::run(self.view, self.env, self.named, docs)?;
        let mut fetcher = Fetcher::new(self.view, self.env, self.named, plan, &sort.keys, named)?.of_any_hits();
        let mut rendered = Vec::new();
        for found in buckets.iter_mut().flat_map(|bucket| bucket.hits.iter_mut()) {
            // A search that is out of time still shows what it found.
            self.control.should_stop()?;
            rendered.clear();
            fetcher.render(&found.hit, &mut rendered)?;
            found.json = std::str::from_utf8(&rendered)
                .map_err(|_| Error::corrupt("a stored document is not UTF-8"))?
                .to_owned();
            self.bytes += rendered.len();
            if self.bytes > HIT_BYTES_MAX {
                return Err(Error::new(
                    ErrorCode::CircuitBreaking,
                    format!("the hits of top_hits aggregations take more than [{HIT_BYTES_MAX}] bytes on one shard"),
                ));
            }
        }
        Ok(())
    }
}

/// The results below a bucket aggregation, bucket by bucket.
fn below(partial: &mut Partial) -> Vec<&mut [Partial]> {
    partial.buckets_mut().into_iter().map(|bucket| bucket.aggs.as_mut_slice()).collect()
}
