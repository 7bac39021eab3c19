//! What the aggregations of one search may take on a shard: buckets, and memory of the request breaker.

use quarry_base::error::{Error, ErrorCode, Result};
use quarry_query::breaker::Reservation;
use std::cell::{Cell, RefCell};

/// Buckets that a shard may build for each one that `search.max_buckets` lets the answer have.
const SHARD_BUCKETS_FACTOR: u32 = 64;
/// What a bucket takes on its way to the answer: key, count, place in a table, and its share of the levels above.
const BUCKET_BYTES: usize = 128;

/// Counts what collectors take; they hold it together.
pub struct Budget {
    max: u32,
    used: Cell<u32>,
    memory: RefCell<Reservation>,
}

impl Budget {
    /// `breaker_bytes`: what all searches of the process may reserve together.
    pub fn new(max: u32, breaker_bytes: u64) -> Self {
        Budget { max, used: Cell::new(0), memory: RefCell::new(Reservation::new(breaker_bytes)) }
    }

    /// Buckets that the answer may have.
    pub fn max(&self) -> u32 {
        self.max
    }

    /// One more bucket.
    pub fn take(&self) -> Result<()> {
        self.used.set(self.used.get().saturating_add(1));
        // Shards may hold more buckets than the answer shows; far more is a request gone wrong.
        if self.used.get() > self.max.saturating_mul(SHARD_BUCKETS_FACTOR) {
            return Err(too_many_buckets(self.max, u64::from(self.used.get())));
        }
        self.take_bytes(BUCKET_BYTES)
    }

    /// So many buckets that are there whatever is found: their memory alone.
    pub fn hold(&self, buckets: usize) -> Result<()> {
        self.take_bytes(buckets.saturating_mul(BUCKET_BYTES))
    }

    /// One document is in so many buckets of one aggregation: in no more than the answer may have.
    pub fn check_document(&self, buckets: u32) -> Result<()> {
        if buckets > self.max {
            return Err(too_many_buckets(self.max, buckets.into()));
        }
        Ok(())
    }

    /// `CircuitBreaking` when the process has no more memory for aggregations.
    pub fn take_bytes(&self, bytes: usize) -> Result<()> {
        self.memory.borrow_mut().take(bytes as u64)
    }
}

pub fn too_many_buckets(max: u32, count: u64) -> Error {
    Error::new(
        ErrorCode::TooManyBuckets,
        format!(
            "Trying to create too many buckets. Must be less than or equal to: [{max}] but was [{count}]. This limit can be \
             set by changing the [search.max_buckets] cluster level setting."
        ),
    )
}
