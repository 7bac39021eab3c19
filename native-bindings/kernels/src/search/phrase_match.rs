//! Phrases over decoded positions: exact, and sloppy as Lucene scores them.

use super::scorers::listed::Listed;
use crate::postings::DecodedTerm;

/// Documents and, for each, positions ascending.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct PositionList {
    docs: Vec<u32>,
    freqs: Vec<u32>,
    /// Where each document's positions start; one more than there are documents. Empty without positions.
    starts: Vec<usize>,
    positions: Vec<u32>,
}

impl PositionList {
    pub fn from_decoded(decoded: &DecodedTerm) -> Self {
        let freqs = if decoded.freqs.is_empty() { vec![1; decoded.docs.len()] } else { decoded.freqs.clone() };
        let mut starts = vec![0];
        let mut total = 0usize;
        for &freq in &freqs {
            total += freq as usize;
            starts.push(total.min(decoded.positions.len()));
        }
        PositionList { docs: decoded.docs.clone(), freqs, starts, positions: decoded.positions.clone() }
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    fn positions_of(&self, place: usize) -> &[u32] {
        &self.positions[self.starts[place]..self.starts[place + 1]]
    }

    /// The documents of both, positions together.
    pub fn merge(&self, other: &Self) -> Self {
        let mut merged = PositionList { starts: vec![0], ..Default::default() };
        let (mut left, mut right) = (0, 0);
        while left < self.docs.len() || right < other.docs.len() {
            let left_doc = self.docs.get(left).copied().unwrap_or(u32::MAX);
            let right_doc = other.docs.get(right).copied().unwrap_or(u32::MAX);
            let doc = left_doc.min(right_doc);
            let start = merged.positions.len();
            let mut freq = 0;
            if left_doc == doc {
                merged.positions.extend_from_slice(self.positions_of(left));
                freq += self.freqs[left];
                left += 1;
            }
            if right_doc == doc {
                merged.positions.extend_from_slice(other.positions_of(right));
                freq += other.freqs[right];
                right += 1;
            }
            merged.positions[start..].sort_unstable();
            merged.docs.push(doc);
            merged.freqs.push(freq);
            merged.starts.push(merged.positions.len());
        }
        merged
    }

    /// The documents with their frequencies.
    pub fn as_listed(&self) -> Listed {
        Listed { docs: self.docs.clone(), freqs: self.freqs.iter().map(|&freq| freq as f32).collect() }
    }
}

/// Documents in which each list has a position at its offset from a common start; with `slop`, positions may be moved by
/// that many places in all. The frequency of a sloppy match is `1 / (1 + moves)`.
pub fn match_phrase(lists: &[(PositionList, u32)], slop: u32) -> Listed {
    let mut listed = Listed::default();
    let Some(rarest) = (0..lists.len()).min_by_key(|&list| lists[list].0.docs.len()) else {
        return listed;
    };
    let mut places = vec![0usize; lists.len()];
    'docs: for &doc in &lists[rarest].0.docs {
        for (place, (list, _)) in places.iter_mut().zip(lists) {
            *place += list.docs[*place..].partition_point(|&other| other < doc);
            if list.docs.get(*place) != Some(&doc) {
                continue 'docs;
            }
        }
        // Each list's positions as those where the phrase would have to start.
        let starts: Vec<Vec<i64>> = places
            .iter()
            .zip(lists)
            .map(|(&place, (list, offset))| {
                list.positions_of(place).iter().map(|&position| i64::from(position) - i64::from(*offset)).collect()
            })
            .collect();
        let freq = if slop == 0 { exact_freq(&starts) } else { sloppy_freq(&starts, i64::from(slop)) };
        if freq > 0.0 {
            listed.docs.push(doc);
            listed.freqs.push(freq);
        }
    }
    listed
}

fn exact_freq(starts: &[Vec<i64>]) -> f32 {
    let Some((first, others)) = starts.split_first() else {
        return 0.0;
    };
    let holds = |start: &&i64| others.iter().all(|list| list.binary_search(start).is_ok());
    first.iter().filter(holds).count() as f32
}

/// Moves the list that is furthest back, as Lucene's sloppy matcher does: each time it passes the next one, the narrowest
/// spread seen since counts if it is within the slop.
fn sloppy_freq(starts: &[Vec<i64>], slop: i64) -> f32 {
    if starts.iter().any(Vec::is_empty) {
        return 0.0;
    }
    let mut at = vec![0usize; starts.len()];
    let position = |at: &[usize], list: usize| starts[list][at[list]];
    let mut end = (0..starts.len()).map(|list| position(&at, list)).max().unwrap_or(0);
    let mut freq = 0.0;
    loop {
        let Some(back) = (0..starts.len()).min_by_key(|&list| (position(&at, list), list)) else {
            return freq;
        };
        let next = (0..starts.len()).filter(|&list| list != back).map(|list| position(&at, list)).min();
        let next = next.unwrap_or(i64::MAX);
        let mut spread = end - position(&at, back);
        loop {
            at[back] += 1;
            if at[back] == starts[back].len() {
                return freq + sloppy_weight(spread, slop);
            }
            let here = position(&at, back);
            if here > next {
                break;
            }
            spread = spread.min(end - here);
        }
        freq += sloppy_weight(spread, slop);
        end = end.max(position(&at, back));
    }
}

fn sloppy_weight(spread: i64, slop: i64) -> f32 {
    if spread <= slop { 1.0 / (1.0 + spread as f32) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(docs: &[(u32, &[u32])]) -> PositionList {
        let mut decoded = DecodedTerm::default();
        for (doc, positions) in docs {
            decoded.docs.push(*doc);
            decoded.freqs.push(positions.len() as u32);
            decoded.positions.extend_from_slice(positions);
        }
        PositionList::from_decoded(&decoded)
    }

    #[test]
    fn exact_phrases_need_neighbours() {
        let quick = list(&[(1, &[0, 5]), (3, &[2]), (7, &[1])]);
        let fox = list(&[(1, &[1, 6]), (3, &[1]), (9, &[2])]);
        let found = match_phrase(&[(quick, 0), (fox, 1)], 0);
        assert_eq!(found, Listed { docs: vec![1], freqs: vec![2.0] });
    }

    #[test]
    fn slop_allows_gaps_and_swaps() {
        let quick = list(&[(1, &[0]), (3, &[2])]);
        let fox = list(&[(1, &[3]), (3, &[1])]);
        let found = match_phrase(&[(quick, 0), (fox, 1)], 2);
        assert_eq!(found, Listed { docs: vec![1, 3], freqs: vec![1.0 / 3.0, 1.0 / 3.0] });
    }

    #[test]
    fn merged_lists_hold_the_positions_of_both() {
        let merged = list(&[(1, &[4]), (2, &[1])]).merge(&list(&[(1, &[2]), (5, &[0])]));
        assert_eq!(merged, list(&[(1, &[2, 4]), (2, &[1]), (5, &[0])]));
    }
}
