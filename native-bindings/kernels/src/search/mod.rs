//! Plan to scorers to top documents; sort; fetch.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`plan`] | what TypeScript asks for |
//! | [`view`] | what is searched |
//! | [`phases`] | the entry points: execute, count, query phase, reduce, fetch phase |
//! | [`resolve`] | the plan's query tree to [`node`]s: fields looked up, text analysed, values read |
//! | [`term_match`] | which terms of a dictionary a pattern means |
//! | [`weight`] | statistics of the shard, terms looked up, and scorers per segment |
//! | [`collect`], [`sort`] | counts, best documents by score or by keys, aggregations |
//! | [`fetch`] | hits as JSON |
//! | [`children`] | the nested documents of a document that match |
//! | [`explain`] | why a document matches and scores as it does; queries as text |
//! | [`functions`] | scores from numbers: `function_score`, distances, rank features |
//! | [`join`] | documents by their children or parents |
//! | [`knn`] | the nearest vectors of a shard |
//! | [`lookups`] | pages of hits that show what is to be looked up in other indices |
//! | [`percolate`] | queries that are stored in documents |
//! | [`positional`] | spans and intervals: where terms stand in a document |
//! | [`profile`] | how long the parts of a search took |
//! | [`script`] | scripts over the documents of a shard |
//! | [`derived`] | columns of fields that scripts compute |
//! | [`statistics`] | the counts that scores are computed from, of a shard or of all |
//! | [`crew`] | idle threads that help with a search |
//! | [`interrupt`] | cancellation and time-outs, for whatever takes long within a window |
//! | [`scorer`] | the contract of everything that matches documents |
//! | [`scorers`] | scorers put together of sets, lists and other scorers |
//! | [`bm25`], [`topk`], [`topk_scorer`] | scores, and the fast ways for terms, unions, intersections and phrases |
//! | [`similarity`] | scores by other formulas than BM25 |
pub mod bm25;
pub mod can_match;
mod children;
pub mod collect;
pub mod crew;
pub mod cursor;
pub mod derived;
pub mod doc_scores;
mod explain;
pub mod fetch;
mod functions;
pub mod interrupt;
pub mod join;
mod knn;
pub mod lookups;
pub(crate) mod node;
mod number_bitmap;
pub mod ordinals;
pub mod percolate;
pub mod phases;
mod phrase;
mod phrase_sloppy;
mod phrase_top;
pub mod plan;
mod positional;
mod profile;
pub(crate) mod resolve;
mod response;
pub mod scorer;
pub(crate) mod scorers;
pub mod script;
pub mod segment_cache;
pub mod shard_ordinals;
pub mod similarity;
pub mod sort;
pub mod statistics;
pub(crate) mod term_match;
pub mod term_vectors;
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
pub(crate) mod tests;
#[cfg(test)]
mod topk_tests;
