//! What scripts have cost and run into, counted for the process.

use std::sync::atomic::{AtomicU64, Ordering};

static COMPILATIONS: AtomicU64 = AtomicU64::new(0);
static CACHE_EVICTIONS: AtomicU64 = AtomicU64::new(0);
static COMPILATION_LIMIT_TRIGGERED: AtomicU64 = AtomicU64::new(0);
static OPERATION_LIMIT: AtomicU64 = AtomicU64::new(0);
static ALLOCATION_LIMIT: AtomicU64 = AtomicU64::new(0);
static DEPTH_LIMIT: AtomicU64 = AtomicU64::new(0);
static REGEX_LIMIT: AtomicU64 = AtomicU64::new(0);

/// Counts since the process began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct ScriptStatistics {
    pub compilations: u64,
    pub cache_evictions: u64,
    pub compilation_limit_triggered: u64,
    pub operation_limit_triggered: u64,
    pub allocation_limit_triggered: u64,
    pub depth_limit_triggered: u64,
    pub regex_limit_triggered: u64,
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

pub fn count_compilation() {
    add(&COMPILATIONS);
}

pub fn count_eviction() {
    add(&CACHE_EVICTIONS);
}

pub fn count_compilation_limit() {
    add(&COMPILATION_LIMIT_TRIGGERED);
}

pub fn count_operation_limit() {
    add(&OPERATION_LIMIT);
}

pub fn count_allocation_limit() {
    add(&ALLOCATION_LIMIT);
}

pub fn count_depth_limit() {
    add(&DEPTH_LIMIT);
}

pub fn count_regex_limit() {
    add(&REGEX_LIMIT);
}

pub fn statistics() -> ScriptStatistics {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    ScriptStatistics {
        compilations: read(&COMPILATIONS),
        cache_evictions: read(&CACHE_EVICTIONS),
        compilation_limit_triggered: read(&COMPILATION_LIMIT_TRIGGERED),
        operation_limit_triggered: read(&OPERATION_LIMIT),
        allocation_limit_triggered: read(&ALLOCATION_LIMIT),
        depth_limit_triggered: read(&DEPTH_LIMIT),
        regex_limit_triggered: read(&REGEX_LIMIT),
    }
}
