//! A JSON document and a compiled mapping to field values.
//!
//! - [`spec`]: the mapping as TypeScript hands it down; [`compiled`]: the same made fit for look-ups.
//! - [`document`]: one document to a [`sink`]; what the mapping does not know goes into a [`dynamic`] report.
//! - [`date`], [`date_math`], [`ip`], [`range_end`]: the texts of dates, addresses and ends of ranges, for documents, queries and
//!   aggregations alike.
//! - [`format`], [`decimal`]: how values are computed with and printed.
//! - [`completion`]: terms of completion fields.
//! - [`similarity`]: what the scores of a field are computed by.
//! - [`index_sort`]: what the documents of segments are sorted by.
pub mod compiled;
pub mod completion;
pub mod date_math;
pub mod decimal;
pub mod document;
pub mod dynamic;
pub mod format;
pub mod index_sort;
pub mod ip;
pub mod join;
pub mod keys;
pub mod range_end;
pub mod similarity;
pub mod sink;
pub mod spec;
mod tree;
pub mod version;

pub use quarry_base::{date, time_value};

pub use compiled::{MappedField, Mapping};
