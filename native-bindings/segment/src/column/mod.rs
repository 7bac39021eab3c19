//! Columns (doc values): the values of each document, in windows of 4,096 documents.
//!
//! Numeric columns, ordinal columns and presence sections share one format ([`packed`]), all little-endian:
//!
//! ```text
//! header     40 bytes: documents of the segment, documents with a value, values, least and greatest value, windows
//! directory  40 bytes a window: least and greatest value (the skip data), divisor, offset, counts, bit width, forms
//! data       for each window: which documents have values, where each one's values start, the packed values
//! ```
//!
//! A value is `least + divisor * code`; codes are bit-packed, or are simply the ranks 0, 1, 2... where the values rise by a
//! constant step (sequence numbers). A window whose documents all have a value stores no set of documents; one whose
//! documents have one value each stores no starts.

mod decode;
mod document_set;
mod encode;
mod filter;
pub mod numeric;
pub mod ordinal;
pub(crate) mod packed;
pub mod presence;
pub mod range;
pub mod shape;
#[cfg(test)]
mod tests;
