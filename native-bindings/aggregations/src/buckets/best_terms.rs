//! The first terms of an order among many that were counted.

use super::order::{CountedTerm, Ordering};
use std::cmp::Ordering as Compared;

/// Counts that are passed over at once.
const PART: usize = 64;
/// Terms are dropped when there are so many for each that is kept.
const SLACK: usize = 2;
const SLACK_MIN: usize = 64;

/// What is left of a list of counts.
#[derive(Debug, PartialEq, Eq)]
pub struct BestTerms {
    /// In order.
    pub terms: Vec<CountedTerm>,
    /// Documents of all others.
    pub other: u64,
    /// There are others.
    pub is_cut: bool,
}

impl BestTerms {
    /// The first `keep` of the terms that have `least` documents or more. `counts`: by number of the term. `None` where the order
    /// asks for more than numbers and counts.
    pub fn of(counts: &[u32], ordering: &Ordering<'_>, keep: usize, least: u64) -> Option<Self> {
        let compare = ordering.compare_counted()?;
        let least = least.max(1);
        let mut best = Best { terms: Vec::new(), keep, last: None, compare };
        let (mut found, mut documents) = (0u64, 0u64);
        let mut floor = least;
        for (part, counts) in (0u32..).step_by(PART).zip(counts.chunks(PART)) {
            let counted = |count: &&u32| u64::from(**count) >= least;
            found += counts.iter().filter(counted).count() as u64;
            documents += counts.iter().filter(counted).map(|&count| u64::from(count)).sum::<u64>();
            let greatest = counts.iter().copied().max().unwrap_or_default();
            if u64::from(greatest) < floor {
                continue;
            }
            for (number, &count) in (part..).zip(counts).filter(|(_, count)| u64::from(**count) >= floor) {
                best.offer((number, count.into()));
            }
            // Terms with fewer documents come behind all that are kept.
            if let Some((_, count)) = best.last.filter(|_| ordering.leads_with_most_documents()) {
                floor = floor.max(count);
            }
        }
        let terms = best.end();
        let kept: u64 = terms.iter().map(|(_, count)| count).sum();
        Some(BestTerms { other: documents - kept, is_cut: (terms.len() as u64) < found, terms })
    }
}

struct Best<C> {
    terms: Vec<CountedTerm>,
    keep: usize,
    /// The last that would be kept when terms were dropped.
    last: Option<CountedTerm>,
    compare: C,
}

impl<C: Fn(&CountedTerm, &CountedTerm) -> Compared> Best<C> {
    fn offer(&mut self, term: CountedTerm) {
        if self.last.is_some_and(|last| (self.compare)(&term, &last) == Compared::Greater) {
            return;
        }
        self.terms.push(term);
        if self.terms.len() >= self.keep.saturating_mul(SLACK).max(SLACK_MIN) {
            self.drop_others();
            self.last = self.terms.get(self.keep.wrapping_sub(1)).copied();
        }
    }

    /// The last of those that are kept is behind the others.
    fn drop_others(&mut self) {
        if self.keep > 0 && self.keep < self.terms.len() {
            self.terms.select_nth_unstable_by(self.keep - 1, &self.compare);
        }
        self.terms.truncate(self.keep);
    }

    fn end(mut self) -> Vec<CountedTerm> {
        self.drop_others();
        self.terms.sort_unstable_by(&self.compare);
        self.terms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Order, OrderBy};
    use quarry_testing::Dice;

    #[test]
    fn the_first_terms_are_those_of_all_sorted() {
        let order = |by: &OrderBy, ascending| Order { by: by.clone(), ascending };
        let (count, key) = (OrderBy::Count, OrderBy::Key);
        let orders = [
            vec![order(&count, false), order(&key, true)],
            vec![order(&count, true), order(&key, true)],
            vec![order(&count, false), order(&key, false)],
            vec![order(&key, false)],
            vec![order(&key, true)],
        ];
        for seed in 0..60 {
            let mut dice = Dice::new(seed);
            let below = [2, 50, 1 << 32][dice.below(3) as usize];
            let counts: Vec<u32> = (0..dice.below(3_000)).map(|_| dice.below(below) as u32).collect();
            let ordering = Ordering::new(&orders[dice.below(5) as usize], &[]).unwrap();
            let (keep, least) = (dice.below(70) as usize, dice.below(4));
            let mut expected: Vec<CountedTerm> = (0..)
                .zip(counts.iter().map(|&count| count.into()))
                .filter(|(_, count)| *count >= least.max(1))
                .collect();
            expected.sort_by(ordering.compare_counted().unwrap());
            let others = expected.split_off(keep.min(expected.len()));
            let found = BestTerms::of(&counts, &ordering, keep, least).unwrap();
            let (other, is_cut) = (others.iter().map(|(_, count)| count).sum(), !others.is_empty());
            assert_eq!(found, BestTerms { terms: expected, other, is_cut }, "seed {seed}");
        }
    }
}
