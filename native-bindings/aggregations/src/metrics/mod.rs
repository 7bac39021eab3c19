//! Metrics that grow by adding values and merging: moments, quantiles, distinct counts, places.

pub mod geo;
pub mod hdr;
pub mod hll;
pub mod matrix_stats;
pub mod stats;
pub mod string_stats;
pub mod t_test;
pub mod tdigest;
