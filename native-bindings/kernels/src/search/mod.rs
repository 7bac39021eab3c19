//! Plan to scorers to top documents; sort; fetch.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`plan`] | what TypeScript asks for |
//! | [`view`] | what is searched |
//! | [`phases`] | the entry points: execute, count, query phase, reduce, fetch phase |
//! | [`weight`] | a query resolved against a shard, and its scorers per segment |
//! | [`scorer`] | the contract of everything that matches documents |
//! | [`bm25`], [`topk`], [`topk_scorer`] | scores, and the fast ways for terms, unions, intersections and phrases |
pub mod bm25;
pub mod phases;
pub mod plan;
pub mod scorer;
pub mod topk;
pub mod topk_scorer;
pub mod view;
pub mod weight;
