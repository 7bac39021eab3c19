//! What is computed of the documents of a bucket: numbers, digests, hits, what scripts make of them.

pub mod cardinality;
pub mod matrix_stats;
pub mod percentiles;
pub mod rate;
pub mod scripted_metric;
pub mod stats;
pub mod string_stats;
pub mod t_test;
pub mod top_hits;
pub mod top_metrics;
mod value_counts;
pub mod weighted_avg;
pub mod whole_sums;
