//! What the examples share.
pub mod corpus;
pub mod report;
