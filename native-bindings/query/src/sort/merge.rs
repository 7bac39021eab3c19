//! Several lists of hits as one, in order.

use super::value::{KeyOrder, compare_values};
use crate::sort::hit::Hit;
use quarry_base::error::Result;
use std::cmp::Ordering;

/// As the sort keys order them; without keys by descending score. The error is that of values that do not compare.
pub fn compare_hits(orders: &[KeyOrder], left: &Hit, right: &Hit) -> Result<Ordering> {
    if !orders.is_empty() {
        return compare_values(orders, &left.sort, &right.sort);
    }
    let score = |hit: &Hit| hit.score.unwrap_or(f32::NEG_INFINITY);
    Ok(score(right).total_cmp(&score(left)))
}

/// Merges two sorted lists and keeps the first `k`; items of `first` win ties.
pub fn merge_hits<T>(
    orders: &[KeyOrder],
    first: Vec<T>,
    second: Vec<T>,
    k: usize,
    hit_of: impl Fn(&T) -> &Hit,
) -> Result<Vec<T>> {
    let mut merged = Vec::with_capacity((first.len() + second.len()).min(k));
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    while merged.len() < k {
        let takes_first = match (first.peek(), second.peek()) {
            (Some(left), Some(right)) => compare_hits(orders, hit_of(left), hit_of(right))? != Ordering::Greater,
            (Some(_), None) => true,
            (None, _) => false,
        };
        match if takes_first { first.next() } else { second.next() } {
            Some(item) => merged.push(item),
            None => break,
        }
    }
    Ok(merged)
}
