//! The `hits` object of a response.

use super::collect::Collected;
use quarry_base::json::write::plain_float;
use quarry_plan::request::{SearchPlan, TrackTotalHits};

/// What several shards found together.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    matches: u64,
    is_lower_bound: bool,
    max_score: Option<f32>,
    pub timed_out: bool,
    pub terminated_early: bool,
}

impl Totals {
    pub(super) fn add(&mut self, shard: &Collected) {
        self.matches += shard.total;
        self.is_lower_bound |= shard.is_lower_bound;
        self.max_score = match (self.max_score, shard.max_score) {
            (Some(left), Some(right)) => Some(left.max(right)),
            (left, right) => left.or(right),
        };
        self.timed_out |= shard.timed_out;
        self.terminated_early |= shard.terminated_early;
    }

    /// As the request wants them counted.
    pub(super) fn capped(self, plan: &SearchPlan) -> Self {
        match plan.track_total_hits {
            TrackTotalHits::UpTo(limit) if self.matches > limit => {
                Totals { matches: limit, is_lower_bound: true, ..self }
            }
            _ => self,
        }
    }
}

/// `rendered` holds the hits as JSON objects, separated by commas.
pub(super) fn render_hits(plan: &SearchPlan, totals: &Totals, rendered: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rendered.len() + 96);
    out.push(b'{');
    let is_tracked = plan.track_total_hits != TrackTotalHits::Disabled;
    let total = if plan.fetch.total_hits_as_int {
        if is_tracked { format!("\"total\":{},", totals.matches) } else { "\"total\":-1,".to_owned() }
    } else if is_tracked {
        let relation = if totals.is_lower_bound { "gte" } else { "eq" };
        format!("\"total\":{{\"value\":{},\"relation\":\"{relation}\"}},", totals.matches)
    } else {
        String::new()
    };
    out.extend_from_slice(total.as_bytes());
    out.extend_from_slice(b"\"max_score\":");
    match totals.max_score.filter(|score| score.is_finite()) {
        Some(score) => out.extend_from_slice(plain_float(score).as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"hits\":[");
    out.extend_from_slice(rendered);
    out.extend_from_slice(b"]}");
    out
}
