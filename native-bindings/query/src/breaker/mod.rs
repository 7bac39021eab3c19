//! The request breaker: memory that aggregations, joins and the like of all searches of the process hold together, and what they keep for
//! later ones.
//!
//! Two ways lead into it. A [`Reservation`] says what is taken before it is taken. [`measured`] sees what a call has taken already: all that is
//! not reserved, whoever took it.
//!
//! | module | what it answers |
//! | --- | --- |
//! | `kept` | what is given up before a search is refused |
//! | `reservation` | what one search has of the memory of all, by name |
//! | `measured` | what a call holds that nobody reserved |
//! | `parent` | whether the process holds more than it may |

mod kept;
mod measured;
mod parent;
mod reservation;

use quarry_segment::stored::kept_blocks;
use std::sync::atomic::{AtomicU64, Ordering};

pub use kept::{Keeper, Kept, count_kept};
pub use measured::{Left, measured, measured_and_left, on_large_end};
pub use parent::limit_parent;
pub use reservation::Reservation;

/// Reserved by all searches of the process.
static USED: AtomicU64 = AtomicU64::new(0);
/// Searches that were refused.
static TRIPPED: AtomicU64 = AtomicU64::new(0);

/// What the node tells of the breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct BreakerStatistics {
    /// By searches that run.
    pub reserved_bytes: u64,
    /// For later searches. Blocks of stored documents are among it; they have a small bound of their own and are not given up for a search.
    pub kept_bytes: u64,
    /// Reservations that were refused, by the parent as well.
    pub tripped: u64,
}

pub fn statistics() -> BreakerStatistics {
    BreakerStatistics {
        reserved_bytes: USED.load(Ordering::Relaxed),
        kept_bytes: kept::kept_bytes().saturating_add(kept_blocks::bytes()),
        tripped: TRIPPED.load(Ordering::Relaxed),
    }
}
