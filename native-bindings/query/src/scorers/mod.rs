//! Scorers that are put together of sets of documents, of listed documents, or of other scorers. Terms and phrases have
//! theirs in [`super::topk_scorer`].
pub mod bits;
pub mod block_join;
pub mod boolean;
pub mod boosting;
pub mod constant;
pub mod covering;
pub mod dis_max;
pub mod function_score;
pub mod join;
pub mod listed;
pub mod near;
pub mod number_bitmaps;
pub mod places;
pub mod ranges;
pub mod scored;
pub mod sets;
pub mod shapes;
