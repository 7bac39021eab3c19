//! The entry points of a search.
//!
//! One shard: [`execute`]. Several: [`query_phase`] on each, [`reduce`] of what they return, [`fetch_phase`] on each shard
//! that has hits to show (with the view that its query phase used), [`Reduced::render`].

use super::plan::request::{CountPlan, SearchPlan};
use super::view::ShardView;
use crate::error::Result;
use std::sync::atomic::AtomicBool;

/// The finished pieces of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// The response's `hits` object as JSON.
    pub hits: Vec<u8>,
    /// The response's `aggregations` object as JSON, when the request has any.
    pub aggregations: Option<Vec<u8>>,
    pub timed_out: bool,
    /// Present when the request has `terminate_after`.
    pub terminated_early: Option<bool>,
}

/// Runs a search of a single shard to the end. `cancelled` is looked at in every window.
///
/// Errors: whatever the plan asks that the mapping does not allow; `TaskCancelled`; damage in a segment.
pub fn execute(_view: &ShardView, _plan: &SearchPlan, _cancelled: &AtomicBool) -> Result<SearchResult> {
    todo!()
}

/// What `_count` answers for one shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountResult {
    pub count: u64,
    pub terminated_early: bool,
}

pub fn count(_view: &ShardView, _plan: &CountPlan, _cancelled: &AtomicBool) -> Result<CountResult> {
    todo!()
}

/// One shard's best documents with their sort values, its total and its partial aggregations.
#[derive(Debug)]
pub struct ShardResult {}

impl ShardResult {
    /// For the way to another thread or node.
    pub fn encode(&self, _out: &mut Vec<u8>) {
        todo!()
    }

    pub fn decode(_bytes: &[u8]) -> Result<Self> {
        todo!()
    }
}

pub fn query_phase(_view: &ShardView, _plan: &SearchPlan, _cancelled: &AtomicBool) -> Result<ShardResult> {
    todo!()
}

/// The merged answer of several shards, before its hits are fetched.
#[derive(Debug)]
pub struct Reduced {}

impl Reduced {
    /// The encoded list of documents to fetch from the shard at this place in `reduce`'s argument; empty for none.
    pub fn fetch_list(&self, _shard: usize) -> Vec<u8> {
        todo!()
    }

    /// The finished response pieces; `fetched` holds what [`fetch_phase`] returned at each shard's place, empty for none.
    pub fn render(&self, _plan: &SearchPlan, _fetched: &[Vec<u8>]) -> Result<SearchResult> {
        todo!()
    }
}

/// Merges the shards' results; their order decides ties, so it must be the same for every page of a search.
pub fn reduce(_plan: &SearchPlan, _shards: Vec<ShardResult>) -> Result<Reduced> {
    todo!()
}

/// Renders the documents of a [`Reduced::fetch_list`], encoded for [`Reduced::render`].
pub fn fetch_phase(
    _view: &ShardView,
    _plan: &SearchPlan,
    _fetch_list: &[u8],
    _cancelled: &AtomicBool,
) -> Result<Vec<u8>> {
    todo!()
}
