//! Merging what the query phases of several shards found, batch after batch.
//!
//! The order of the shards decides ties and the order in which doubles are added, so results are added in that order. What
//! comes of it does not depend on where one batch ends and the next begins.

use super::profile::ShardProfile;
use super::response::Totals;
use super::search::{FETCH_LIST, FETCH_RESULT, FetchedHits, SearchResult, ShardResult, finish};
use quarry_aggregations as aggs;
use quarry_aggregations::PartialAggregations;
use quarry_base::allocation;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::wire;
use quarry_plan::request::SearchPlan;
use quarry_query::breaker::{Reservation, measured};
use quarry_query::sort::groups::{GroupValue, first_of_groups};
use quarry_query::sort::hit::Hit;
use quarry_query::sort::merge::compare_hits;
use quarry_query::sort::value::{KeyOrder, SortValue};
use std::cmp::Ordering;

/// Takes the results of shards, in the order of the shards, and keeps what the answer needs of them: the best `from + size`
/// hits, and one partial result of each aggregation.
#[derive(Debug)]
pub struct Reducer {
    shards: usize,
    totals: Totals,
    orders: Vec<KeyOrder>,
    /// Of each sort key the first value: all others have to compare with it.
    first_values: Vec<Option<SortValue>>,
    /// In order, with the place of their shard.
    hits: Vec<(usize, Hit)>,
    aggregations: Result<Option<PartialAggregations>>,
    profiles: Vec<ShardProfile>,
    memory: Kept,
}

/// What is held from one call to the next, against the request breaker.
#[derive(Debug, Default)]
struct Kept {
    bytes: i64,
    reservation: Option<Reservation>,
}

impl Kept {
    /// So many bytes more, or less, of what the call on this thread took.
    fn add(&mut self, bytes: i64, limit: u64) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        let reservation = self.reservation.get_or_insert_with(|| Reservation::of(limit, "<reduce>"));
        reservation.hold_taken(u64::try_from(self.bytes).unwrap_or(0))
    }
}

impl Default for Reducer {
    fn default() -> Self {
        Reducer {
            shards: 0,
            totals: Totals::default(),
            orders: Vec::new(),
            first_values: Vec::new(),
            hits: Vec::new(),
            aggregations: Ok(None),
            profiles: Vec::new(),
            memory: Kept::default(),
        }
    }
}

impl Reducer {
    /// Merges the results of the next shards. The plan is the same in all calls.
    ///
    /// `IllegalArgument` when indices hold a sort key in types that do not compare.
    pub fn add(&mut self, plan: &SearchPlan, shards: Vec<ShardResult>) -> Result<()> {
        self.within(plan, |reducer| reducer.add_measured(plan, shards))
    }

    /// As [`Reducer::add`], of results as [`ShardResult::encode`] wrote them.
    pub fn add_encoded(&mut self, plan: &SearchPlan, shards: &[impl AsRef<[u8]>]) -> Result<()> {
        self.within(plan, |reducer| {
            let shards = shards.iter().map(|bytes| ShardResult::decode(bytes.as_ref()));
            reducer.add_measured(plan, shards.collect::<Result<_>>()?)
        })
    }

    /// What the call leaves here stays reserved.
    fn within(&mut self, plan: &SearchPlan, add: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let limit = plan.limits.request_breaker_bytes;
        measured(limit, || {
            let before = allocation::held();
            add(self)?;
            self.memory.add(allocation::held().wrapping_sub(before), limit)
        })
    }

    fn add_measured(&mut self, plan: &SearchPlan, shards: Vec<ShardResult>) -> Result<()> {
        let mut aggregations = Vec::new();
        for shard in shards {
            if self.shards == 0 {
                self.first_values.resize(shard.orders.len(), None);
                self.orders = shard.orders;
            }
            let place = self.shards;
            self.shards += 1;
            self.totals.add(&shard.collected);
            self.check_comparable(&shard.collected.hits)?;
            self.hits.extend(shard.collected.hits.into_iter().map(|hit| (place, hit)));
            aggregations.extend(shard.collected.aggregations);
            self.profiles.extend(shard.collected.profile);
        }
        self.keep_best(plan);
        self.merge_aggregations(plan, aggregations);
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn kept_bytes(&self) -> u64 {
        u64::try_from(self.memory.bytes).unwrap_or(0)
    }

    /// What was added, before its hits are fetched.
    pub fn finish(self, plan: &SearchPlan) -> Reduced {
        Reduced {
            totals: self.totals.capped(plan),
            hits: self.hits.into_iter().skip(plan.from as usize).collect(),
            aggregations: self.aggregations,
            profiles: self.profiles,
            _memory: self.memory,
        }
    }

    /// Indices may hold a field in types that do not compare: found before sorting, which cannot fail.
    fn check_comparable(&mut self, hits: &[Hit]) -> Result<()> {
        for (key, (order, first)) in self.orders.iter().zip(&mut self.first_values).enumerate() {
            for value in hits.iter().filter_map(|hit| hit.sort.get(key)) {
                if *value == SortValue::Missing {
                    continue;
                }
                match first {
                    Some(first) => {
                        order.compare(first, value)?;
                    }
                    None => *first = Some(value.clone()),
                }
            }
        }
        Ok(())
    }

    fn keep_best(&mut self, plan: &SearchPlan) {
        let orders = &self.orders;
        // Stable, so that equal hits stay in the order of shards and documents.
        self.hits.sort_by(|(_, left), (_, right)| compare_hits(orders, left, right).unwrap_or(Ordering::Equal));
        if plan.collapse.is_some() {
            self.hits = first_of_groups(std::mem::take(&mut self.hits), usize::MAX, |(_, hit)| hit);
        }
        self.hits.truncate(plan.from as usize + plan.size as usize);
    }

    fn merge_aggregations(&mut self, plan: &SearchPlan, further: Vec<PartialAggregations>) {
        if further.is_empty() {
            return;
        }
        let Some(requested) = &plan.aggregations else { return };
        let merged = std::mem::replace(&mut self.aggregations, Ok(None));
        self.aggregations = merged.and_then(|merged| {
            let all = merged.into_iter().chain(further).collect();
            aggs::reduce(&aggs::read_plan(requested)?, all).map(Some)
        });
    }
}

/// Merges the results of all shards at once.
pub fn reduce(plan: &SearchPlan, shards: Vec<ShardResult>) -> Result<Reduced> {
    let mut reducer = Reducer::default();
    reducer.add(plan, shards)?;
    Ok(reducer.finish(plan))
}

/// The merged answer of several shards, before its hits are fetched.
#[derive(Debug)]
pub struct Reduced {
    totals: Totals,
    /// Hits to show, in order, with the place of their shard.
    hits: Vec<(usize, Hit)>,
    /// An error: they cannot be merged, which is told when the hits are there.
    aggregations: Result<Option<PartialAggregations>>,
    profiles: Vec<ShardProfile>,
    /// Reserved until the answer is written.
    _memory: Kept,
}

impl Reduced {
    /// The encoded list of documents to fetch from the shard that was added at this place; empty for none.
    pub fn fetch_list(&self, shard: usize) -> Result<Vec<u8>> {
        let hits: Vec<&Hit> = self.hits.iter().filter(|(place, _)| *place == shard).map(|(_, hit)| hit).collect();
        let mut out = Vec::new();
        if !hits.is_empty() {
            wire::encode(FETCH_LIST, &hits, &mut out)?;
        }
        Ok(out)
    }

    /// With `collapse`: a JSON array of the values that the shown hits stand for.
    pub fn groups(&self) -> String {
        let mut out = vec![b'['];
        for (place, (_, hit)) in self.hits.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            hit.group.as_ref().unwrap_or(&GroupValue::Missing).write_json(&mut out);
        }
        out.push(b']');
        String::from_utf8_lossy(&out).into_owned()
    }

    /// The finished response pieces; `fetched` holds what [`fetch_phase`] returned at each shard's place. Hits of a shard with none, which
    /// failed to fetch them, are left out.
    /// `members` has further members of each shown hit as JSON text (`,"name":value`); it may be empty.
    pub fn render(
        self,
        plan: &SearchPlan,
        fetched: &[impl AsRef<[u8]>],
        members: &[impl AsRef<[u8]>],
    ) -> Result<SearchResult> {
        measured(plan.limits.request_breaker_bytes, || self.render_measured(plan, fetched, members))
    }

    fn render_measured(
        self,
        plan: &SearchPlan,
        fetched: &[impl AsRef<[u8]>],
        members: &[impl AsRef<[u8]>],
    ) -> Result<SearchResult> {
        let failed = |shard: usize| fetched.get(shard).is_some_and(|bytes| bytes.as_ref().is_empty());
        let mut lists = Vec::with_capacity(fetched.len());
        let mut has_lookups = false;
        for bytes in fetched.iter().map(AsRef::as_ref) {
            let list: FetchedHits =
                if bytes.is_empty() { FetchedHits::default() } else { wire::decode(FETCH_RESULT, bytes)? };
            has_lookups |= list.has_lookups;
            lists.push(list.hits.into_iter());
        }
        let mut rendered = Vec::new();
        for (place, (shard, _)) in self.hits.iter().enumerate().filter(|(_, (shard, _))| !failed(*shard)) {
            let hit = lists.get_mut(*shard).and_then(Iterator::next);
            let hit = hit.ok_or_else(|| Error::new(ErrorCode::Internal, "a shard did not fetch all of its hits"))?;
            if !rendered.is_empty() {
                rendered.push(b',');
            }
            match (members.get(place), hit.strip_suffix('}')) {
                (Some(more), Some(open)) => {
                    rendered.extend_from_slice(open.as_bytes());
                    rendered.extend_from_slice(more.as_ref());
                    rendered.push(b'}');
                }
                _ => rendered.extend_from_slice(hit.as_bytes()),
            }
        }
        let result = finish(plan, &self.totals, &rendered, self.aggregations?, &self.profiles)?;
        Ok(SearchResult { has_lookups, ..result })
    }
}
