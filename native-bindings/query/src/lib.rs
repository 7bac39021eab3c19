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
//! | [`breaker`] | memory that all searches of the process may take |
//! | [`scorers`] | scorers put together of sets, lists and other scorers |
pub mod breaker;
pub mod children;
pub mod crew;
pub mod derived;
pub mod doc_scores;
pub mod explain;
mod functions;
pub mod join;
mod knn;
pub mod node;
mod number_bitmap;
pub mod ordinals;
pub mod positional;
pub mod profile;
pub mod resolve;
pub mod scorers;
pub mod script;
pub mod segment_cache;
pub mod sort;
pub mod statistics;
pub mod term_match;
pub mod view;
pub mod weight;
pub mod wildcard_name;
