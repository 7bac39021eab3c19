//! The nearest vectors of a shard: looked for in each segment by itself, then the best of all.
//!
//! [`among`] finds out which documents count, [`segment`] looks among those.
mod among;
mod segment;

use super::node::{FoundNode, KnnNode};
use super::scorers::scored::Scored;
use super::view::{SegmentView, ShardView};
use super::weight::{QueryEnv, Weight};
use quarry_base::error::{Error, Result};
use quarry_plan::vectors::FoundDocument;
use quarry_segment::vectors::VectorFormat;
use quarry_segment::vectors::column::VectorColumn;
use quarry_vectors::measure::Measure;

/// For each segment of a view what was found there, by document.
pub type FoundDocs = Vec<Vec<Scored>>;

/// What documents must match to count.
#[derive(Clone, Copy)]
pub struct Filters<'a> {
    pub whole: Option<&'a dyn Weight>,
    /// Of nested documents with vectors.
    pub nested: Option<&'a dyn Weight>,
}

/// The `k` documents of the view that are nearest, of those that count.
///
/// Errors: `TaskCancelled`; `CircuitBreaking` where there is no memory for it; damage in a segment.
pub fn search(view: &ShardView, env: &QueryEnv, node: &KnnNode, filters: Filters<'_>) -> Result<FoundDocs> {
    let least = node.similarity.map_or(f32::NEG_INFINITY, |similarity| node.measure.least_score(similarity));
    let mut best: Vec<(usize, Scored)> = Vec::new();
    for segment in view.segments.iter() {
        let found = segment::search(segment, env, node, filters)?;
        best.extend(found.into_iter().filter(|scored| scored.score >= least).map(|scored| (segment.ordinal, scored)));
    }
    // Of equal ones the first documents of the shard.
    best.sort_by(|(_, left), (_, right)| right.score.total_cmp(&left.score));
    best.truncate(node.k as usize);
    let mut found = vec![Vec::new(); view.segments.len()];
    for (segment, scored) in best {
        found[segment].push(scored);
    }
    found.iter_mut().for_each(|docs| docs.sort_unstable_by_key(|scored| scored.doc));
    Ok(found)
}

/// The vectors of a field that a mapping describes so. `None`: the segment has none.
///
/// Errors: it has others.
pub fn column<'a>(segment: &'a SegmentView, field: &str, measure: Measure) -> Result<Option<&'a VectorColumn>> {
    let Some(column) = segment.field(field).and_then(|field| field.vectors()) else { return Ok(None) };
    if column.format().measure() != Some(measure) {
        return Err(damaged(segment, field, column.format()));
    }
    Ok(Some(column))
}

fn damaged(segment: &SegmentView, field: &str, format: &VectorFormat) -> Error {
    let reason = format!("field [{field}] has other vectors in a segment than its mapping says: {format:?}");
    segment.reader.name_damage(Error::corrupt(reason))
}

/// The documents of the view that are the same as they were when they were found.
pub fn look_up(view: &ShardView, node: &FoundNode) -> FoundDocs {
    let of_segment = |segment: &SegmentView| {
        let one = |document: &FoundDocument| {
            let doc = segment.reader.ids().find(document.id.as_bytes())?;
            let is_live = segment.live.as_ref().is_none_or(|live| live.is_live(doc));
            let is_same = segment.reader.seq_nos().first(doc) == Some(document.seq_no);
            (is_live && is_same).then_some(Scored { doc, score: document.score })
        };
        let mut found: Vec<Scored> = node.documents.iter().filter_map(one).collect();
        found.sort_unstable_by_key(|scored| scored.doc);
        found
    };
    view.segments.iter().map(of_segment).collect()
}
