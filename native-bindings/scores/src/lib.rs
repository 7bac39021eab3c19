//! What a document scores, and which documents score best: for terms, unions, intersections and phrases, whose lists are
//! walked here in windows of documents. Queries put together of others stand in the crate above.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`scorer`] | the contract of everything that matches documents |
//! | [`totals`] | the counts that scores are computed from |
//! | [`bm25`] | scores, as most fields have them |
//! | [`similarity`] | scores by other formulas |
//! | [`topk`] | the best documents, and how many match |
//! | [`explanation`] | why a score is what it is |
pub mod bm25;
pub mod explanation;
pub mod scorer;
pub mod similarity;
pub mod topk;
pub mod totals;
