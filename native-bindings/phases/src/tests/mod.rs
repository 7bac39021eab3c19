//! Searches over real segments: scenes with known answers, and random ones against a slow reference.
#[cfg(test)]
mod aggregations;
mod batches;
mod bounds;
mod closing;
mod damaged_segments;
mod derived;
mod differential;
mod explain;
pub(crate) mod fixture;
mod flattened;
mod highlights;
mod histograms;
mod interval_scripts;
mod join;
mod knn;
mod lookups;
mod nested;
mod nested_vectors;
mod pages;
mod percolate;
mod ranges;
mod reference;
mod requests;
mod scopes;
mod sequence_numbers;
mod sorted_index;
mod sorting;
mod statistics;
#[cfg(test)]
mod suggest;
mod vector_segments;
