//! Buckets of intervals: histograms, clusters and ranges of numbers, dates and addresses.

pub mod auto_date_histogram;
mod counted_histogram;
pub mod histogram;
pub mod ip_prefix;
pub mod ip_range;
mod range_histogram;
pub mod ranges;
pub mod variable_width;
