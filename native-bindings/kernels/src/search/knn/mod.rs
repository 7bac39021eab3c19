//! The nearest vectors of a shard: looked for in each segment by itself, then the best of all.
//!
//! A segment's graph is walked where it has one, unless so few documents count that looking at all of these is less work; a
//! walk that has looked at more vectors than count is given up for that as well. [`among`] finds out which documents count.
mod among;

use self::among::Among;
use super::node::{FoundNode, KnnNode};
use super::plan::vectors::FoundDocument;
use super::scorers::scored::Scored;
use super::view::{SegmentView, ShardView};
use super::weight::{QueryEnv, Weight};
use crate::error::{Error, Result};
use crate::segment::vectors::column::VectorColumn;
use crate::vectors::graph::layout::Graph;
use crate::vectors::graph::walk::{Sought, Walked, nearest};
use crate::vectors::nearest::Near;
use crate::vectors::{Vectors, exact};

/// For each segment of a view what was found there, by document.
pub type FoundDocs = Vec<Vec<Scored>>;

/// The `k` documents of the view that are nearest. `filter`: only what it matches counts.
///
/// Errors: `TaskCancelled`; damage in a segment.
pub fn search(view: &ShardView, env: &QueryEnv, node: &KnnNode, filter: Option<&dyn Weight>) -> Result<FoundDocs> {
    let least = node.similarity.map_or(f32::NEG_INFINITY, |similarity| node.measure.least_score(similarity));
    let mut best: Vec<(usize, Scored)> = Vec::new();
    for segment in view.segments.iter() {
        let found = search_segment(segment, env, node, filter)?;
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

/// The nearest first; equal ones by document.
fn search_segment(
    segment: &SegmentView,
    env: &QueryEnv,
    node: &KnnNode,
    filter: Option<&dyn Weight>,
) -> Result<Vec<Scored>> {
    let Some(column) = segment.field(&node.field).and_then(|field| field.vectors()) else { return Ok(Vec::new()) };
    let format = column.format();
    if format.dims as usize != node.vector.len() || format.similarity != Some(node.measure) {
        let reason = format!("field [{}] has other vectors in a segment than its mapping says", node.field);
        return Err(segment.reader.name_damage(Error::corrupt(reason)));
    }
    let among = Among::new(segment, column, env, filter)?;
    if among.count() == 0 {
        return Ok(Vec::new());
    }
    let walked = match column.graph() {
        Some(graph) if among.count() > node.num_candidates => walk(graph, column, &among, env, node)?,
        _ => None,
    };
    let near = match walked {
        Some(near) => near,
        None => look_at_all(column, &among, env, node)?,
    };
    let scored = |near: Near| Scored { doc: column.doc(near.ordinal), score: node.measure.score(near.closeness) };
    Ok(near.into_iter().take(node.k as usize).map(scored).collect())
}

/// `None`: it is less work to look at all that count.
fn walk(
    graph: Graph<'_>,
    column: &VectorColumn,
    among: &Among,
    env: &QueryEnv,
    node: &KnnNode,
) -> Result<Option<Vec<Near>>> {
    let rows = column.rows();
    let accepts = |ordinal| among.accepts(column.doc(ordinal));
    let sought = Sought {
        closeness: &|ordinal| node.measure.closeness(&node.vector, rows.get(ordinal)),
        breadth: node.num_candidates as usize,
        accepts: if among.is_all() { None } else { Some(&accepts) },
        looks_max: among.count() as usize,
    };
    let interrupt = || env.check_cancelled();
    Ok(match nearest(graph, &sought, &interrupt)? {
        Walked::Found(near) => Some(near),
        Walked::GaveUp => None,
    })
}

fn look_at_all(column: &VectorColumn, among: &Among, env: &QueryEnv, node: &KnnNode) -> Result<Vec<Near>> {
    let interrupt = || env.check_cancelled();
    let (rows, limit) = (column.rows(), node.k as usize);
    if among.is_all() {
        return exact::nearest(&rows, node.measure, &node.vector, &mut (0..rows.count()), limit, &interrupt);
    }
    let mut ordinals = among.docs().filter_map(|doc| column.ordinal(doc));
    exact::nearest(&rows, node.measure, &node.vector, &mut ordinals, limit, &interrupt)
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
