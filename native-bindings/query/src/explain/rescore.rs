//! How rescorers changed the score of a document.

use super::explain;
use crate::view::ShardView;
use crate::weight::QueryEnv;
use quarry_base::error::Result;
use quarry_plan::request::{Rescore, RescoreMode};
use quarry_scores::explanation::Explanation;

/// `first` explains the score before; `in_window`: the document was among those that the second query was asked about.
pub fn explain_rescore(
    (view, env): (&ShardView, &QueryEnv),
    rescore: &Rescore,
    first: Explanation,
    (doc, in_window): (u32, bool),
) -> Result<Explanation> {
    let primary = match first.is_match {
        true => weighted(first, rescore.query_weight, "primaryWeight"),
        false => Explanation::no_match("First pass did not match", vec![first]),
    };
    if !in_window {
        return Ok(primary);
    }
    let second = explain(view, env, &rescore.query, doc)?;
    if !second.is_match {
        return Ok(primary);
    }
    let secondary = weighted(second, rescore.rescore_weight, "secondaryWeight");
    let value = combine(rescore.mode, primary.value as f32, secondary.value as f32);
    Ok(Explanation::of(value, format!("{} of:", mode_name(rescore.mode)), vec![primary, secondary]))
}

fn weighted(of: Explanation, weight: f32, name: &str) -> Explanation {
    let value = of.value as f32 * weight;
    Explanation::of(value, "product of:", vec![of, Explanation::of(weight, name, Vec::new())])
}

fn mode_name(mode: RescoreMode) -> &'static str {
    match mode {
        RescoreMode::Total => "sum",
        RescoreMode::Multiply => "product",
        RescoreMode::Avg => "avg",
        RescoreMode::Max => "max",
        RescoreMode::Min => "min",
    }
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
