//! Budgets of scripts. Each has a counter in [`super::statistics`].

/// `script.max_size_in_bytes` where nothing else is set: UTF-8 bytes of a source.
pub const SOURCE_BYTES_MAX: usize = 65_535;
/// Loops, calls and steps of methods over collections in one run.
pub const OPERATIONS_MAX: u32 = 1_000_000;
/// Operations after which a call over many documents hands back what it has.
pub const OPERATIONS_PER_CALL: u32 = 4_000_000;
/// Bytes that one run allocates.
pub const ALLOCATED_BYTES_MAX: usize = 64 << 20;
/// Nesting of calls, counted with the statements and expressions in each.
pub const DEPTH_MAX: u32 = 1_500;
/// `script.painless.regex.limit-factor` where nothing else is set.
pub const REGEX_LIMIT_FACTOR: u32 = 6;
/// `script.cache.max_size` where nothing else is set: programs that are kept.
pub const CACHE_SIZE: usize = 3_000;
/// Objects that a long-lived heap holds before unused ones are looked for.
pub const OBJECTS_BEFORE_COLLECTION: usize = 1 << 14;
/// Objects that stay alive between the runs of one instance.
pub const LIVE_OBJECTS_MAX: usize = 4 << 20;
/// Bytes that stay between the runs of one instance.
pub const KEPT_BYTES_MAX: usize = 128 << 20;
/// Bytes that a long-lived heap takes before they are counted anew.
pub const BYTES_BEFORE_COLLECTION: usize = 16 << 20;

/// Budgets of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub operations: u32,
    pub allocated_bytes: usize,
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { operations: OPERATIONS_MAX, allocated_bytes: ALLOCATED_BYTES_MAX, depth: DEPTH_MAX }
    }
}
