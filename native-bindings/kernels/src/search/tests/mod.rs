//! Searches over real segments: scenes with known answers, and random ones against a slow reference.
mod derived;
mod differential;
mod explain;
pub(crate) mod fixture;
mod flattened;
mod highlights;
mod histograms;
mod join;
mod nested;
mod pages;
mod percolate;
mod ranges;
mod reference;
mod requests;
mod scopes;
mod sorted_index;
mod sorting;
mod statistics;
