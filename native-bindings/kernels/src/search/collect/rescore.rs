//! `rescore`: a second query has its say about the order of the best documents of a shard.

use super::control::Control;
use super::{Collected, Hit};
use crate::search::doc_scores::scores_of;
use crate::search::plan::request::{Rescore, RescoreMode, SearchPlan};
use crate::search::view::ShardView;
use crate::search::weight::QueryEnv;
use quarry_base::error::Result;
use rapidhash::RapidHashMap;

/// Applies every rescorer in turn and keeps as many hits as the response may show.
pub fn run(
    view: &ShardView,
    env: &QueryEnv,
    plan: &SearchPlan,
    collected: &mut Collected,
    control: &mut Control<'_>,
) -> Result<()> {
    for (place, rescore) in plan.rescore.iter().enumerate() {
        control.should_stop()?;
        if plan.fetch.explain {
            collected.hits.iter_mut().take(rescore.window).for_each(|hit| hit.rescored.push(place as u32));
        }
        apply(view, env, rescore, collected)?;
    }
    if !plan.rescore.is_empty() {
        collected.max_score = collected.hits.first().and_then(|hit| hit.score);
        collected.hits.truncate((plan.from as usize).saturating_add(plan.size as usize));
    }
    Ok(())
}

/// Hits beyond the window, and those that the second query does not match, keep their first score by its weight.
fn apply(view: &ShardView, env: &QueryEnv, rescore: &Rescore, collected: &mut Collected) -> Result<()> {
    let window = rescore.window.min(collected.hits.len());
    let mut docs: Vec<u32> = collected.hits.iter().take(window).map(|hit| hit.doc).collect();
    docs.sort_unstable();
    let scores: RapidHashMap<u32, f32> = scores_of(view, env, &rescore.query, &docs)?.into_iter().collect();
    for hit in &mut collected.hits {
        let first = hit.score.unwrap_or(0.0) * rescore.query_weight;
        hit.score = Some(match scores.get(&hit.doc) {
            Some(second) => combine(rescore.mode, first, second * rescore.rescore_weight),
            None => first,
        });
    }
    let score = |hit: &Hit| hit.score.unwrap_or(f32::NEG_INFINITY);
    collected.hits.sort_by(|left, right| score(right).total_cmp(&score(left)).then(left.doc.cmp(&right.doc)));
    Ok(())
}

/// The two scores, each by its weight, as one.
pub fn combine(mode: RescoreMode, first: f32, second: f32) -> f32 {
    match mode {
        RescoreMode::Total => first + second,
        RescoreMode::Multiply => first * second,
        RescoreMode::Avg => (first + second) / 2.0,
        RescoreMode::Max => first.max(second),
        RescoreMode::Min => first.min(second),
    }
}
