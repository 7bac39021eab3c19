//! Searches over real segments: scenes with known answers, and random ones against a slow reference.
#[cfg(test)]
mod aggregations;
mod batches;
mod fields;
pub(crate) mod fixture;
mod held;
mod highlights;
mod order;
mod percolate;
mod relations;
mod requests;
mod scores;
mod scripts;
mod segments;
#[cfg(test)]
mod suggest;
mod vectors;
