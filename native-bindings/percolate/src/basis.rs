//! What queries are resolved by.

use quarry_analysis::Registry;
use quarry_mapping::Mapping;
use quarry_query::view::ShardView;
use quarry_query::weight::QueryEnv;
use std::sync::{Arc, Weak};

#[derive(Debug, Clone)]
pub(super) struct Basis {
    mapping: Weak<Mapping>,
    analysis: Weak<Registry>,
    max_clauses: u32,
}

impl Basis {
    pub fn new(view: &ShardView, env: &QueryEnv) -> Self {
        Basis {
            mapping: Arc::downgrade(&view.mapping),
            analysis: Arc::downgrade(&view.analysis),
            max_clauses: env.limits.max_clauses,
        }
    }

    /// Whether what was resolved by it means the same here.
    pub fn fits(&self, view: &ShardView, env: &QueryEnv) -> bool {
        std::ptr::eq(self.mapping.as_ptr(), Arc::as_ptr(&view.mapping))
            && std::ptr::eq(self.analysis.as_ptr(), Arc::as_ptr(&view.analysis))
            && self.max_clauses == env.limits.max_clauses
    }
}
