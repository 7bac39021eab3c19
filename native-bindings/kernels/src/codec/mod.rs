//! Encodings that several rooms share.
pub mod norm;
pub mod sortable;
pub mod varint;
