//! Aggregations: collect per window, reduce partial results, render.
//!
//! Contract for the other rooms: `AggregationRun::new(plan, &ShardView, &env) -> Result<Self>`,
//! `start_segment(ordinal)`, `collect(window, docs: &[u16], scores: Option<&[f32]>)`, `finish() -> PartialAggregations`
//! (serializable: it crosses worker threads, later nodes), `reduce(Vec<PartialAggregations>) -> PartialAggregations`,
//! `render(&PartialAggregations, &plan, typed_keys, &mut Vec<u8>)` writes the response's `aggregations` object as JSON.
