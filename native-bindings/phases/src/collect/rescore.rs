//! `rescore`: a second query has its say about the order of the best documents of a shard.

use super::Collected;
use quarry_base::control::Control;
use quarry_base::error::Result;
use quarry_plan::request::{Rescore, SearchPlan};
use quarry_query::doc_scores::scores_of;
use quarry_query::explain::combine;
use quarry_query::sort::hit::Hit;
use quarry_query::view::ShardView;
use quarry_query::weight::QueryEnv;
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
