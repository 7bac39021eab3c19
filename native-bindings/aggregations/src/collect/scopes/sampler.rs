//! `sampler` and `diversified_sampler`: only the best documents of each bucket go to the aggregations below.

use crate::budget::Budget;
use crate::collect::combined::key_source::{Cell, KeySource};
use crate::collect::{Batch, Children, Collector, Context, Owners, build};
use crate::partial::Partial;
use crate::plan::{Aggregation, CompositeKeys, Sampler};
use hashbrown::HashMap;
use quarry_base::error::{Error, Result};
use quarry_codec::window::WINDOW;
use quarry_query::view::SegmentView;
use rapidhash::quality::RandomState;
use std::cmp::Ordering;
use std::rc::Rc;

/// What a kept document takes.
const SAMPLE_BYTES: usize = 24;

pub struct SamplerCollector<'a> {
    plan: &'a Sampler,
    diversity: Option<KeySource<'a>>,
    segments: Vec<&'a SegmentView>,
    /// The best documents by bucket of the parent and value of the diversifying field.
    samples: HashMap<(u32, Cell), Vec<Sample>, RandomState>,
    budget: Rc<Budget>,
    children: Children<'a>,
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    score: f32,
    segment: u32,
    doc: u32,
}

/// What the API calls samplers that take values: in answers all of them are samplers.
const DIVERSIFIED: &str = "diversified_sampler";

impl Sample {
    /// Better ones first.
    fn order(&self, other: &Self) -> Ordering {
        let place = (self.segment, self.doc).cmp(&(other.segment, other.doc));
        other.score.total_cmp(&self.score).then(place)
    }
}

impl<'a> SamplerCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &'a Sampler, aggs: &'a [Aggregation]) -> Result<Self> {
        let keys = |source| KeySource::new(context, source, CompositeKeys::Terms, DIVERSIFIED);
        Ok(SamplerCollector {
            plan,
            diversity: plan.diversity.as_ref().map(|diversity| keys(&diversity.source)).transpose()?,
            segments: Vec::new(),
            samples: HashMap::default(),
            budget: Rc::clone(&context.budget),
            children: build(context, aggs)?,
        })
    }

    /// Documents that one list of samples keeps.
    fn most(&self) -> usize {
        let per_value = self.plan.diversity.as_ref().map_or(u32::MAX, |diversity| diversity.max_docs_per_value);
        per_value.min(self.plan.shard_size) as usize
    }

    /// The samples of each bucket of the parent, best first.
    fn chosen(&mut self) -> Vec<(u32, Sample)> {
        let mut owners: HashMap<u32, Vec<Sample>> = HashMap::new();
        for ((owner, _), samples) in self.samples.drain() {
            owners.entry(owner).or_default().extend(samples);
        }
        let mut chosen = Vec::new();
        for (owner, mut samples) in owners {
            samples.sort_by(Sample::order);
            samples.truncate(self.plan.shard_size as usize);
            chosen.extend(samples.into_iter().map(|sample| (owner, sample)));
        }
        chosen.sort_by_key(|(owner, sample)| (sample.segment, sample.doc, *owner));
        chosen
    }

    /// Shows the samples to the aggregations below; returns how many each bucket of the parent has.
    fn replay(&mut self, owner_count: usize) -> Result<Vec<u64>> {
        let chosen = self.chosen();
        let mut counts = vec![0; owner_count];
        chosen.iter().for_each(|(owner, _)| counts[*owner as usize] += 1);
        let mut rest = chosen.as_slice();
        for (number, segment) in self.segments.iter().enumerate() {
            let of_segment = rest.partition_point(|(_, sample)| sample.segment as usize <= number);
            let (mut here, after) = rest.split_at(of_segment);
            rest = after;
            self.children.start_segment(segment)?;
            while let Some((_, first)) = here.first() {
                let window = first.doc / WINDOW as u32;
                let of_window = here.partition_point(|(_, sample)| sample.doc / WINDOW as u32 <= window);
                let (now, later) = here.split_at(of_window);
                here = later;
                let docs: Vec<u16> = now.iter().map(|(_, sample)| (sample.doc % WINDOW as u32) as u16).collect();
                let owners: Vec<u32> = now.iter().map(|(owner, _)| *owner).collect();
                let scores: Vec<f32> = now.iter().map(|(_, sample)| sample.score).collect();
                let owners = Owners::Each(&owners);
                self.children.collect(Batch { window, docs: &docs, owners, scores: Some(&scores) })?;
            }
        }
        Ok(counts)
    }
}

/// Keeps the best `most`, sorted only when twice as many have come together.
fn keep(samples: &mut Vec<Sample>, sample: Sample, most: usize) {
    samples.push(sample);
    if samples.len() >= most.saturating_mul(2) {
        samples.sort_by(Sample::order);
        samples.truncate(most);
    }
}

impl<'a> Collector<'a> for SamplerCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.segments.push(segment);
        if let Some(source) = &mut self.diversity {
            source.start_segment(segment);
        }
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if let Some(source) = &mut self.diversity {
            source.load(&batch)?;
        }
        let most = self.most();
        let segment = self.segments.len() as u32 - 1;
        for (place, &doc) in batch.docs.iter().enumerate() {
            let key = match self.diversity.as_ref().map(|source| source.keys(place)) {
                None | Some([]) => None,
                Some([key]) => Some(*key),
                Some(_) => {
                    return Err(Error::illegal_argument("Sample diversifying key must be a single valued-field"));
                }
            };
            let score = batch.scores.map_or(0.0, |scores| scores[place]);
            let sample = Sample { score, segment, doc: batch.window * WINDOW as u32 + u32::from(doc) };
            let samples = self.samples.entry((batch.owners.of(place), key)).or_default();
            if samples.len() < most {
                self.budget.take_bytes(SAMPLE_BYTES)?;
            }
            keep(samples, sample, most);
        }
        Ok(())
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let most = self.most();
        for samples in self.samples.values_mut() {
            samples.sort_by(Sample::order);
            samples.truncate(most);
        }
        let counts = self.replay(owner_count)?;
        Ok(self.children.finish_buckets(&counts)?.into_iter().map(Partial::Single).collect())
    }
}
