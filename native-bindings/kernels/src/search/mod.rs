//! Plan to scorers to top documents; sort; fetch.
pub mod bm25;
pub mod scorer;
pub mod topk;
pub mod topk_scorer;
