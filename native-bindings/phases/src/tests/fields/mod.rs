//! What kinds of fields find, sort by and show.

mod derived;
mod flattened;
mod histograms;
mod lookups;
mod ranges;
mod sequence_numbers;
