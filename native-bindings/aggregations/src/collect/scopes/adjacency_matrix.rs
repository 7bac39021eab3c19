//! `adjacency_matrix`: one bucket for each filter, and one for each two of them, that documents match.

use crate::collect::tables::keyed_buckets::KeyedBuckets;
use crate::collect::{Batch, Collector, Context, build};
use crate::partial::{Partial, PartialTerms, TermKey};
use crate::plan::{AdjacencyMatrix, Aggregation};
use quarry_base::error::Result;
use quarry_codec::window::{WINDOW_WORDS, is_set};
use quarry_mapping::format::{Format, ValueType};
use quarry_query::view::SegmentView;
use quarry_query::weight::Weight;
use quarry_scores::scorer::WindowScorer;

pub struct AdjacencyMatrixCollector<'a> {
    plan: &'a AdjacencyMatrix,
    weights: &'a [Box<dyn Weight>],
    scorers: Vec<Option<Box<dyn WindowScorer + 'a>>>,
    /// Keys are pairs of filters: `left * filters + right`, left not above right.
    buckets: KeyedBuckets<'a>,
}

impl<'a> AdjacencyMatrixCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &'a AdjacencyMatrix, aggs: &'a [Aggregation]) -> Result<Self> {
        let weights = context.resolved.take_weights(plan.filters.len());
        Ok(AdjacencyMatrixCollector {
            plan,
            weights,
            scorers: Vec::new(),
            buckets: KeyedBuckets::new(context, build(context, aggs)?),
        })
    }
}

fn name(plan: &AdjacencyMatrix, pair: i64) -> String {
    let names = &plan.names;
    let (left, right) = (pair as usize / names.len(), pair as usize % names.len());
    if left == right {
        return names[left].clone();
    }
    format!("{}{}{}", names[left], plan.separator, names[right])
}

impl<'a> Collector<'a> for AdjacencyMatrixCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.scorers = self.weights.iter().map(|weight| weight.scorer(segment)).collect::<Result<_>>()?;
        self.buckets.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let mut matches = vec![[0u64; WINDOW_WORDS]; self.scorers.len()];
        for (scorer, bits) in self.scorers.iter_mut().zip(&mut matches) {
            if let Some(scorer) = scorer {
                scorer.matches(batch.window, bits)?;
            }
        }
        let mut found = Vec::new();
        self.buckets.begin();
        for (place, &doc) in batch.docs.iter().enumerate() {
            found.clear();
            found.extend((0..matches.len()).filter(|&filter| is_set(&matches[filter], doc)));
            for (nth, &left) in found.iter().enumerate() {
                for &right in &found[nth..] {
                    if self.plan.only_intersections && left == right {
                        continue;
                    }
                    let pair = (left * matches.len() + right) as i64;
                    self.buckets.add(&batch, place, pair)?;
                }
            }
        }
        self.buckets.send(&batch)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let plan = self.plan;
        let lists = self.buckets.finish_terms(owner_count, |pair| TermKey::Bytes(name(plan, pair).into_bytes()))?;
        let partial = |buckets| {
            let format = Some(Format::plain(ValueType::Text));
            Partial::Terms(PartialTerms { format, tuple_formats: Vec::new(), buckets, other: 0, error: Some(0) })
        };
        Ok(lists.into_iter().map(partial).collect())
    }
}
