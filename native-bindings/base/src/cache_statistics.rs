//! How well a cache does, as `_nodes/stats` shows it.

/// Counts since the process began, and what is kept now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct CacheStatistics {
    pub built: u64,
    pub hits: u64,
    pub evictions: u64,
    pub memory_size_in_bytes: u64,
}
