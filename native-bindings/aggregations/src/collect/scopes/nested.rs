//! `nested` and `reverse_nested`: from documents to their nested ones, and back.
//!
//! Children stand before their parents, and collectors take one batch of each window. What belongs to a window is held back
//! until nothing more can come: going down, until a parent's children reach beyond it; going up, until a child's parent does.

use crate::collect::{Batch, Children, Collector, Owners};
use crate::partial::Partial;
use quarry_base::error::Result;
use quarry_codec::window::WINDOW;
use quarry_query::view::SegmentView;
use quarry_segment::nested::{DocBits, place_of};

/// Documents of one window that wait for the rest of it.
#[derive(Default)]
struct Waiting {
    window: u32,
    docs: Vec<u16>,
    owners: Vec<u32>,
    scores: Vec<f32>,
}

/// What both directions share: the buckets' counts, and the documents on their way to the aggregations below.
struct Sink<'a> {
    waiting: Waiting,
    counts: Vec<u64>,
    children: Children<'a>,
    segment: Option<&'a SegmentView>,
}

impl<'a> Sink<'a> {
    fn new(children: Children<'a>) -> Self {
        Sink { waiting: Waiting::default(), counts: Vec::new(), children, segment: None }
    }

    /// Takes a document; they come in ascending order.
    fn take(&mut self, doc: u32, owner: u32, score: Option<f32>) -> Result<()> {
        let (window, in_window) = place_of(doc);
        if window != self.waiting.window {
            self.send()?;
            self.waiting.window = window;
        }
        self.waiting.docs.push(in_window);
        self.waiting.owners.push(owner);
        self.waiting.scores.extend(score);
        let owner = owner as usize;
        if owner >= self.counts.len() {
            self.counts.resize(owner + 1, 0);
        }
        self.counts[owner] += 1;
        Ok(())
    }

    fn send(&mut self) -> Result<()> {
        let Waiting { window, docs, owners, scores } = &mut self.waiting;
        if !docs.is_empty() {
            if let Some(segment) = self.segment {
                segment.check_computed(*window, docs)?;
            }
            let scores = (scores.len() == docs.len()).then_some(scores.as_slice());
            self.children.collect(Batch { window: *window, docs, owners: Owners::Each(owners), scores })?;
        }
        docs.clear();
        owners.clear();
        scores.clear();
        Ok(())
    }

    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.send()?;
        self.segment = Some(segment);
        self.children.start_segment(segment)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.send()?;
        self.counts.resize(owner_count, 0);
        Ok(self.children.finish_buckets(&self.counts)?.into_iter().map(Partial::Single).collect())
    }
}

/// The path that an aggregation leads from, and the one that it leads to; the root's is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub from: String,
    pub to: String,
}

/// The documents of a segment at both ends of a step.
fn ends<'a>(step: &Step, segment: &'a SegmentView) -> Result<Option<(DocBits<'a>, DocBits<'a>)>> {
    let (from, to) = (segment.reader.nested_at(&step.from)?, segment.reader.nested_at(&step.to)?);
    Ok(from.zip(to))
}

pub struct NestedCollector<'a> {
    /// `None`: the path is not mapped.
    step: Option<&'a Step>,
    ends: Option<(DocBits<'a>, DocBits<'a>)>,
    sink: Sink<'a>,
}

impl<'a> NestedCollector<'a> {
    pub fn new(step: Option<&'a Step>, children: Children<'a>) -> Self {
        NestedCollector { step, ends: None, sink: Sink::new(children) }
    }
}

impl<'a> Collector<'a> for NestedCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.ends = match self.step {
            Some(step) => ends(step, segment)?,
            None => None,
        };
        self.sink.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let Some((parents, wanted)) = self.ends else { return Ok(()) };
        let mut place = 0;
        while let Some(&doc) = batch.docs.get(place) {
            // A parent that is in several buckets comes several times; its children are to come in ascending order all the same.
            let times = batch.docs[place..].iter().take_while(|&&other| other == doc).count();
            let parent = batch.window * WINDOW as u32 + u32::from(doc);
            let mut next = wanted.next_before(parents.block_start(parent), parent);
            while let Some(child) = next {
                for place in place..place + times {
                    let score = batch.scores.map(|scores| scores[place]);
                    self.sink.take(child, batch.owners.of(place), score)?;
                }
                next = wanted.next_before(child + 1, parent);
            }
            place += times;
        }
        Ok(())
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.sink.finish(owner_count)
    }
}

pub struct ReverseNestedCollector<'a> {
    step: Option<&'a Step>,
    parents: Option<DocBits<'a>>,
    /// The parent at hand, and the buckets that have it already.
    parent: Option<u32>,
    owners: Vec<u32>,
    sink: Sink<'a>,
}

impl<'a> ReverseNestedCollector<'a> {
    pub fn new(step: Option<&'a Step>, children: Children<'a>) -> Self {
        ReverseNestedCollector { step, parents: None, parent: None, owners: Vec::new(), sink: Sink::new(children) }
    }
}

impl<'a> Collector<'a> for ReverseNestedCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.parents = match self.step {
            Some(step) => segment.reader.nested_at(&step.to)?,
            None => None,
        };
        self.parent = None;
        self.sink.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let Some(parents) = self.parents else { return Ok(()) };
        for (place, &doc) in batch.docs.iter().enumerate() {
            let child = batch.window * WINDOW as u32 + u32::from(doc);
            if self.parent.is_none_or(|parent| parent < child) {
                self.parent = parents.next(child);
                self.owners.clear();
            }
            let (Some(parent), owner) = (self.parent, batch.owners.of(place)) else { return Ok(()) };
            if let Err(at) = self.owners.binary_search(&owner) {
                self.owners.insert(at, owner);
                self.sink.take(parent, owner, batch.scores.map(|scores| scores[place]))?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.sink.finish(owner_count)
    }
}
