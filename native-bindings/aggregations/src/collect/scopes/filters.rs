//! `filter`, `filters` and `missing`.

use crate::collect::tables::bucket_table::ChildBatch;
use crate::collect::tables::entry;
use crate::collect::{Batch, Children, Collector, Context};
use crate::partial::{Partial, PartialBuckets};
use crate::plan::Missing;
use quarry_base::error::Result;
use quarry_codec::window::{WINDOW_WORDS, is_set};
use quarry_mapping::format::{Format, ValueType};
use quarry_query::view::SegmentView;
use quarry_query::weight::Weight;
use quarry_scores::scorer::WindowScorer;
use quarry_segment::reader::FieldReader;

/// Counts per bucket, with the documents passed on to the children.
struct Sink<'a> {
    counts: Vec<u64>,
    batch: ChildBatch,
    children: Children<'a>,
}

impl<'a> Sink<'a> {
    fn new(children: Children<'a>) -> Self {
        Sink { counts: Vec::new(), batch: ChildBatch::default(), children }
    }

    #[inline]
    fn take(&mut self, batch: &Batch<'_>, place: usize, bucket: u32) {
        *entry(&mut self.counts, bucket) += 1;
        if !self.children.is_empty() {
            self.batch.push(batch, place, bucket);
        }
    }

    fn send(&mut self, batch: &Batch<'_>) -> Result<()> {
        self.batch.send(batch.window, batch.scores.is_some(), &mut self.children)?;
        self.batch.clear();
        Ok(())
    }
}

/// One bucket for each of the parent's: the documents that the query matches.
pub struct FilterCollector<'a> {
    weight: &'a dyn Weight,
    scorer: Option<Box<dyn WindowScorer + 'a>>,
    sink: Sink<'a>,
}

impl<'a> FilterCollector<'a> {
    pub fn new(weights: &'a [Box<dyn Weight>], children: Children<'a>) -> Self {
        FilterCollector { weight: weights[0].as_ref(), scorer: None, sink: Sink::new(children) }
    }
}

impl<'a> Collector<'a> for FilterCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.scorer = self.weight.scorer(segment)?;
        self.sink.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let Some(scorer) = &mut self.scorer else { return Ok(()) };
        let mut bits = [0u64; WINDOW_WORDS];
        scorer.matches(batch.window, &mut bits)?;
        for (place, &doc) in batch.docs.iter().enumerate() {
            if is_set(&bits, doc) {
                self.sink.take(&batch, place, batch.owners.of(place));
            }
        }
        self.sink.send(&batch)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.sink.counts.resize(owner_count, 0);
        Ok(self.sink.children.finish_buckets(&self.sink.counts)?.into_iter().map(Partial::Single).collect())
    }
}

/// One bucket for each query (a document may fall in several), and where asked one for what no query matches.
pub struct FiltersCollector<'a> {
    weights: &'a [Box<dyn Weight>],
    scorers: Vec<Option<Box<dyn WindowScorer + 'a>>>,
    other: bool,
    sink: Sink<'a>,
}

impl<'a> FiltersCollector<'a> {
    pub fn new(weights: &'a [Box<dyn Weight>], other: bool, children: Children<'a>) -> Self {
        FiltersCollector { weights, scorers: Vec::new(), other, sink: Sink::new(children) }
    }

    fn width(&self) -> usize {
        self.weights.len() + usize::from(self.other)
    }
}

impl<'a> Collector<'a> for FiltersCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.scorers = self.weights.iter().map(|weight| weight.scorer(segment)).collect::<Result<_>>()?;
        self.sink.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let width = self.width() as u32;
        let mut matches = vec![[0u64; WINDOW_WORDS]; self.scorers.len()];
        for (scorer, bits) in self.scorers.iter_mut().zip(&mut matches) {
            if let Some(scorer) = scorer {
                scorer.matches(batch.window, bits)?;
            }
        }
        for (place, &doc) in batch.docs.iter().enumerate() {
            let first = batch.owners.of(place) * width;
            let mut found = false;
            for (filter, bits) in matches.iter().enumerate() {
                if is_set(bits, doc) {
                    found = true;
                    self.sink.take(&batch, place, first + filter as u32);
                }
            }
            if self.other && !found {
                self.sink.take(&batch, place, first + width - 1);
            }
        }
        self.sink.send(&batch)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let width = self.width();
        self.sink.counts.resize(owner_count * width, 0);
        let mut buckets = self.sink.children.finish_buckets(&self.sink.counts)?.into_iter();
        let partials = (0..owner_count).map(|_| {
            let format = Format::plain(ValueType::Text);
            Partial::Buckets(PartialBuckets {
                format,
                ends: Vec::new(),
                buckets: buckets.by_ref().take(width).collect(),
            })
        });
        Ok(partials.collect())
    }
}

/// The documents without a value of a field.
pub struct MissingCollector<'a> {
    /// `None`: the mapping has no such field.
    field: Option<&'a str>,
    /// A substitute stands in for missing values, or the field is `_index` or a constant, which every document has.
    lacks_nothing: bool,
    reader: Option<&'a FieldReader>,
    sink: Sink<'a>,
}

impl<'a> MissingCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &'a Missing, children: Children<'a>) -> Self {
        let mapping = &context.view.mapping;
        let mapped = mapping.readable_field(&plan.field);
        let is_constant = mapped.is_some_and(|field| field.spec.constant.is_some());
        let lacks_nothing = plan.has_substitute || is_constant || plan.field == "_index";
        let field = mapped.map(|field| mapping.presence_of(field).spec.name.as_str());
        MissingCollector { field, lacks_nothing, reader: None, sink: Sink::new(children) }
    }
}

impl<'a> Collector<'a> for MissingCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.reader = self.field.and_then(|field| segment.field(field));
        self.sink.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.lacks_nothing {
            return Ok(());
        }
        let mut present = [0u64; WINDOW_WORDS];
        if let Some(reader) = self.reader {
            reader.has_value(batch.window, &mut present);
        }
        for (place, &doc) in batch.docs.iter().enumerate() {
            if !is_set(&present, doc) {
                self.sink.take(&batch, place, batch.owners.of(place));
            }
        }
        self.sink.send(&batch)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.sink.counts.resize(owner_count, 0);
        Ok(self.sink.children.finish_buckets(&self.sink.counts)?.into_iter().map(Partial::Single).collect())
    }
}
