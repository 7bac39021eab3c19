//! Buckets of other documents than those of the parent: filtered, sampled, nested and joined ones, or all.

pub mod adjacency_matrix;
pub mod filters;
pub mod global;
pub mod joined;
pub mod nested;
pub mod sampler;
