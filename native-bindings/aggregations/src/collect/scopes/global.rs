//! `global`: every live document, whatever the query.

use crate::collect::{Batch, Children, Collector, Owners};
use crate::partial::Partial;
use quarry_base::control::Control;
use quarry_base::error::Result;
use quarry_query::scorers::bits;
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::Weight;

/// Stands at the top level alone, so it has one bucket.
pub struct GlobalCollector<'a> {
    count: u64,
    children: Children<'a>,
}

impl<'a> GlobalCollector<'a> {
    pub fn new(children: Children<'a>) -> Self {
        GlobalCollector { count: 0, children }
    }
}

impl<'a> Collector<'a> for GlobalCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        self.count += batch.docs.len() as u64;
        self.children.collect(batch)
    }

    fn finish(&mut self, _owner_count: usize) -> Result<Vec<Partial>> {
        Ok(self.children.finish_buckets(&[self.count])?.into_iter().map(Partial::Single).collect())
    }
}

/// Shows collectors every live document of the shard that the filter lets through, each with the score 1 that matching
/// everything gives.
pub fn collect_everything<'a>(
    view: &'a ShardView,
    filter: Option<&'a dyn Weight>,
    collectors: &mut Children<'a>,
    control: &mut Control<'_>,
) -> Result<()> {
    if collectors.is_empty() {
        return Ok(());
    }
    let mut docs = Vec::new();
    let mut scores = Vec::new();
    for segment in view.segments.iter() {
        let mut scorer = match filter.map(|weight| weight.scorer(segment)).transpose()? {
            Some(None) => continue,
            scorer => scorer.flatten(),
        };
        collectors.start_segment(segment)?;
        for window in 0..segment.window_count() {
            if control.should_stop()? {
                return Ok(());
            }
            let mut live = bits::EMPTY;
            match &mut scorer {
                Some(scorer) => scorer.matches(window, &mut live)?,
                None => bits::fill(window, segment.max_doc(), &mut live),
            }
            segment.retain_live(window, &mut live);
            bits::list(&live, &mut docs);
            scores.resize(docs.len(), 1.0);
            if !docs.is_empty() {
                collectors.collect(Batch { window, docs: &docs, owners: Owners::Root, scores: Some(&scores) })?;
            }
        }
    }
    Ok(())
}
