//! In which primary term each operation of a shard was made: what tells whether two copies have the same history.

use serde::{Deserialize, Serialize};

/// Terms that are remembered: a copy that knows none of the others is compared by the global checkpoint alone.
const TERMS_MAX: usize = 256;

/// Operations from this number on were made in this term, until the next entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TermStart {
    pub term: u64,
    pub first_seq_no: u64,
}

/// Ascending by term and by sequence number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermStarts(Vec<TermStart>);

impl TermStarts {
    /// `None` when the entries do not ascend.
    pub fn new(starts: Vec<TermStart>) -> Option<Self> {
        let ascends =
            starts.windows(2).all(|pair| pair[0].term < pair[1].term && pair[0].first_seq_no < pair[1].first_seq_no);
        ascends.then_some(TermStarts(starts))
    }

    pub fn as_slice(&self) -> &[TermStart] {
        &self.0
    }

    /// Of the newest operation; 0 when there was none.
    pub fn newest(&self) -> u64 {
        self.0.last().map_or(0, |start| start.term)
    }

    /// The operation with this number was made in `term`. Numbers come in ascending order.
    pub fn note(&mut self, term: u64, seq_no: u64) {
        if self.0.last().is_some_and(|last| term <= last.term || seq_no <= last.first_seq_no) {
            return;
        }
        if self.0.len() == TERMS_MAX {
            self.0.remove(0);
        }
        self.0.push(TermStart { term, first_seq_no: seq_no });
    }

    /// Operations above are gone.
    pub fn truncate_above(&mut self, seq_no: i64) {
        self.0.retain(|start| i64::try_from(start.first_seq_no).is_ok_and(|first| first <= seq_no));
    }

    /// The newest operation of a term that is in the table.
    fn end_of(&self, place: usize, max_seq_no: i64) -> i64 {
        self.0.get(place + 1).map_or(max_seq_no, |next| max_seq_no.min(next.first_seq_no as i64 - 1))
    }

    /// Up to where two histories are the same: each primary begins with the history of its copy and a copy takes operations
    /// of a primary only on top of the same history, so two that have an operation of the same number and term are equal up
    /// to it. -1 when no common term is known.
    pub fn common_with(&self, max_seq_no: i64, other: &TermStarts, other_max_seq_no: i64) -> i64 {
        let common = self.0.iter().enumerate().rev().find_map(|(place, start)| {
            let in_other = other.0.iter().position(|entry| entry.term == start.term)?;
            Some(self.end_of(place, max_seq_no).min(other.end_of(in_other, other_max_seq_no)))
        });
        common.unwrap_or(-1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The table and the newest number of a history given as the term of each operation.
    fn table(terms: &[u64]) -> (TermStarts, i64) {
        let mut starts = TermStarts::default();
        terms.iter().zip(0..).for_each(|(&term, seq_no)| starts.note(term, seq_no));
        (starts, terms.len() as i64 - 1)
    }

    proptest! {
        /// Copies that follow and are promoted as the contract says; the table finds exactly what they have in common.
        #[test]
        fn the_common_part_is_found(steps in prop::collection::vec((0usize..3, 0usize..3, 1usize..4), 1..30)) {
            let mut copies: [Vec<u64>; 3] = Default::default();
            for (term, (primary, follower, count)) in (1u64..).zip(&steps) {
                let added = vec![term; *count];
                copies[*primary].extend(added);
                if primary != follower {
                    let (kept, newest) = (copies[*primary].clone(), &mut copies[*follower]);
                    let (mine, my_max) = table(newest);
                    let (theirs, their_max) = table(&kept);
                    let same = newest.iter().zip(&kept).take_while(|(mine, theirs)| mine == theirs).count();
                    prop_assert_eq!(mine.common_with(my_max, &theirs, their_max), same as i64 - 1);
                    // It follows for a while.
                    newest.truncate(same);
                    let taken = (same + count).min(kept.len());
                    newest.extend_from_slice(&kept[same..taken]);
                }
            }
        }

        #[test]
        fn a_table_can_be_made_of_two_halves(mut terms in prop::collection::vec(1u64..6, 0..40), cut: prop::sample::Index) {
            terms.sort_unstable();
            let (whole, _) = table(&terms);
            let cut = cut.index(terms.len() + 1);
            let (older, _) = table(&terms[..cut]);
            let mut newer = TermStarts::default();
            terms.iter().zip(0..).skip(cut).for_each(|(&term, seq_no)| newer.note(term, seq_no));
            let mut joined = older.clone();
            newer.as_slice().iter().for_each(|start| joined.note(start.term, start.first_seq_no));
            prop_assert_eq!(&joined, &whole);
            let mut truncated = whole;
            truncated.truncate_above(cut as i64 - 1);
            prop_assert_eq!(truncated, older);
        }
    }
}
