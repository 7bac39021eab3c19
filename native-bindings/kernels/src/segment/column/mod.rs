//! Columns (doc values): the values of each document, in windows of 4,096 documents.

pub mod numeric;
pub mod ordinal;
pub mod presence;
