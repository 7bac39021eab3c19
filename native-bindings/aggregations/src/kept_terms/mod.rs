//! What aggregations keep of the terms of segments for later searches, as the request breaker sees it: memory that is given up before a
//! search is refused.

pub mod term_counts;
pub mod term_hashes;

use quarry_query::breaker::{self, Keeper, Kept};
use term_counts::TERM_COUNTS;
use term_hashes::TERM_HASHES;

/// Has the breaker count it.
pub fn count() {
    breaker::count_kept(Keeper::Aggregations, Kept { bytes, give_up });
}

/// What all of it takes.
fn bytes() -> u64 {
    (TERM_COUNTS.bytes() + TERM_HASHES.bytes()) as u64
}

/// Keeps nothing more of it; searches that use some go on to do so.
fn give_up() {
    TERM_COUNTS.give_up();
    TERM_HASHES.give_up();
}

#[cfg(test)]
mod tests {
    use super::term_hashes::Known;
    use super::*;
    use quarry_query::breaker::Reservation;

    #[test]
    fn what_is_kept_is_given_up_before_a_search_is_refused() {
        count();
        let known = || Known { segment: [7; 16], field: "kept".into() };
        TERM_COUNTS.keep([], known(), vec![1; 1 << 10].into(), 4 << 10);
        // Others of this process may reserve meanwhile, so that this is refused or not; the limit leaves no room for what is kept.
        let _ = Reservation::new(1).take(1);
        assert!(TERM_COUNTS.find(&known(), |_| true).is_none());
    }
}
