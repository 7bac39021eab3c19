//! What aggregations keep of the terms of segments for later searches, as the request breaker sees it: memory that is given up before a
//! search is refused.

use super::term_counts::TERM_COUNTS;
use super::term_hashes::TERM_HASHES;

/// What all of it takes.
pub fn bytes() -> u64 {
    (TERM_COUNTS.bytes() + TERM_HASHES.bytes()) as u64
}

/// Keeps nothing more of it; searches that use some go on to do so.
pub fn give_up() {
    TERM_COUNTS.give_up();
    TERM_HASHES.give_up();
}
