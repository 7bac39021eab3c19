//! A plan against the mapping of a shard: what it matches, how that scores, and which documents are the best.
//!
//! Crates above collect (`phases`), show hits and aggregate. What they do for a query is passed in:
//! [`weight::Above`].
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`view`] | what is searched |
//! | [`resolve`] | the plan's query tree to [`node`]s: fields looked up, text analysed, values read |
//! | [`term_match`] | which terms of a dictionary a pattern means |
//! | [`weight`] | statistics of the shard, terms looked up, and scorers per segment |
//! | [`sort`] | best documents by keys |
//! | [`children`] | the nested documents of a document that match |
//! | [`explain`] | why a document matches and scores as it does; queries as text |
//! | [`functions`] | scores from numbers: `function_score`, distances, rank features |
//! | [`join`] | documents by their children or parents |
//! | [`knn`] | the nearest vectors of a shard |
//! | [`positional`] | spans and intervals: where terms stand in a document |
//! | [`profile`] | how long the parts of a search took |
//! | [`script`] | scripts over the documents of a shard |
//! | [`derived`] | columns of fields that scripts compute |
//! | [`statistics`] | the counts that scores are computed from, of a shard or of all |
//! | [`crew`] | idle threads that help with a search |
//! | [`control`], [`interrupt`] | cancellation and time-outs; the second for whatever takes long within a window |
//! | [`breaker`] | memory that all searches of the process may take |
//! | [`scorer`] | the contract of everything that matches documents |
//! | [`scorers`] | scorers put together of sets, lists and other scorers |
//! | [`bm25`], [`topk`], [`topk_scorer`] | scores, and the fast ways for terms, unions, intersections and phrases |
//! | [`similarity`] | scores by other formulas than BM25 |
pub mod bm25;
pub mod breaker;
pub mod children;
pub mod control;
pub mod crew;
pub mod derived;
pub mod doc_scores;
pub mod explain;
mod functions;
pub mod interrupt;
pub mod join;
mod knn;
pub mod node;
mod number_bitmap;
pub mod ordinals;
mod phrase;
mod phrase_batch;
mod phrase_pairs;
mod phrase_sloppy;
mod phrase_top;
pub mod positional;
pub mod profile;
pub mod resolve;
pub mod scorer;
pub mod scorers;
pub mod script;
pub mod segment_cache;
pub mod shard_ordinals;
pub mod similarity;
pub mod sort;
pub mod statistics;
pub mod term_match;
pub mod topk;
mod topk_best_of;
mod topk_count;
mod topk_intersection;
mod topk_leaf;
mod topk_lists;
pub mod topk_scorer;
mod topk_simd;
mod topk_union;
pub mod view;
pub mod weight;
pub mod wildcard_name;

#[cfg(test)]
mod topk_tests;
