//! A JSON document and a compiled mapping to field values.
pub mod sink;
pub mod spec;
