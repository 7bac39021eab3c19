//! The scores that a query gives to documents that are known already.

use super::scorers::bits;
use super::view::ShardView;
use super::weight::{QueryEnv, compile};
use quarry_base::error::Result;
use quarry_codec::window::WINDOW;
use quarry_plan::query::Query;

/// Those of `docs` (of the shard, ascending) that a query matches, with their scores.
pub fn scores_of(view: &ShardView, env: &QueryEnv, query: &Query, docs: &[u32]) -> Result<Vec<(u32, f32)>> {
    let weight = compile(view, env, query, true)?;
    let mut found = Vec::new();
    let mut rest = docs;
    for segment in view.segments.iter() {
        let in_segment = rest.partition_point(|&doc| doc < segment.doc_base + segment.max_doc());
        let (here, after) = rest.split_at(in_segment);
        rest = after;
        if here.is_empty() {
            continue;
        }
        let Some(mut scorer) = weight.scorer(segment)? else {
            continue;
        };
        let window_of = |doc: &u32| (doc - segment.doc_base) / WINDOW as u32;
        for group in here.chunk_by(|left, right| window_of(left) == window_of(right)) {
            let window = group.first().map_or(0, window_of);
            if scorer.next_window(window)? != window {
                continue;
            }
            let mut matched = bits::EMPTY;
            scorer.matches(window, &mut matched)?;
            let local = |doc: &u32| ((doc - segment.doc_base) % WINDOW as u32) as u16;
            let kept: Vec<u32> = group.iter().copied().filter(|doc| bits::contains(&matched, local(doc))).collect();
            let in_window: Vec<u16> = kept.iter().map(local).collect();
            let mut scores = vec![0f32; in_window.len()];
            scorer.score(window, &in_window, &mut scores)?;
            found.extend(kept.into_iter().zip(scores));
        }
    }
    Ok(found)
}
