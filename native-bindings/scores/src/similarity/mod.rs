//! How terms score in a field, by the similarity that its mapping names.
//!
//! BM25 is the fast way: executors compute it themselves ([`quarry_postings::bm25`]). The others are formulas of a
//! frequency and a length, run one document at a time, over the same postings: what bounds the BM25 factor of a window
//! bounds the frequencies in it, and so the formula ([`ceilings`]).
//!
//! | file | what it holds |
//! | --- | --- |
//! | [`rating`] | what the matches of one clause score, whatever the similarity |
//! | [`counts`] | what formulas are computed from |
//! | [`formula`] | one formula or a sum of them, with its bounds |
//! | [`dfr`], [`dfi`], [`ib`], [`language_model`], [`normalization`] | the formulas of Lucene 10 |
//! | [`scripted`] | scores that a script computes |
mod ceilings;
mod counts;
mod dfi;
mod dfr;
mod formula;
mod ib;
mod language_model;
mod normalization;
pub mod rating;
mod scripted;
#[cfg(test)]
mod tests;

pub use scripted::check;
#[cfg(test)]
pub(super) use tests::every_similarity;
