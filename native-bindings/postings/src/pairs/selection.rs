//! Which pairs are listed: those of which a phrase would have many candidates, as the product of the terms' shares of
//! the documents estimates them, and one of whose terms is in most documents. What that leaves out takes more room than
//! it saves time.

use crate::TermEntry;
use std::cmp::Reverse;

/// Documents of both terms that a pair has at least, times the segment's documents, if they do not depend on each
/// other.
const LEAST_SHARE: u64 = 16;
/// The more frequent term is in three documents of five.
const HIGH_SHARE: (u64, u64) = (3, 5);

/// Bounds on the terms of listed pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    /// Of the product of both document frequencies.
    pub(super) least_product: u64,
    /// Of the higher one.
    pub(super) least_high: u32,
}

impl Rule {
    pub(super) fn of(max_doc: u32) -> Self {
        let documents = u64::from(max_doc);
        Rule {
            least_product: (documents * documents).div_ceil(LEAST_SHARE),
            least_high: (documents * HIGH_SHARE.0).div_ceil(HIGH_SHARE.1) as u32,
        }
    }

    /// Whether a term may be part of a listed pair.
    pub(super) fn takes(self, doc_freq: u32, max_doc: u32) -> bool {
        u64::from(doc_freq) * u64::from(max_doc) >= self.least_product
    }

    pub(super) fn lists(self, first: u32, second: u32) -> bool {
        u64::from(first) * u64::from(second) >= self.least_product && first.max(second) >= self.least_high
    }
}

/// The terms by document frequency, highest first, and the pairs of them, numbered.
#[derive(Debug)]
pub(super) struct Selection {
    /// Places of the terms in the given order, the most frequent first: a term's name is its place here, and 1.
    by_frequency: Vec<usize>,
    /// For each name the number of its first pair as the first term; its second terms have the names from 1 on.
    rows: Vec<u32>,
}

impl Selection {
    pub(super) fn new(terms: &[TermEntry], rule: Rule) -> Self {
        let mut by_frequency: Vec<usize> = (0..terms.len()).collect();
        by_frequency.sort_by_key(|place| Reverse(terms[*place].doc_freq));
        let mut rows = vec![0, 0];
        for first in &by_frequency {
            let listed = |second: &usize| rule.lists(terms[*first].doc_freq, terms[*second].doc_freq);
            let width = by_frequency.partition_point(listed) as u32;
            rows.push(rows[rows.len() - 1] + width);
        }
        Selection { by_frequency, rows }
    }

    pub(super) fn by_frequency(&self) -> &[usize] {
        &self.by_frequency
    }

    pub(super) fn pair_count(&self) -> usize {
        self.rows.last().map_or(0, |end| *end as usize)
    }

    /// The number of a pair, by names; `None` where it is not listed.
    #[inline]
    pub(super) fn pair(&self, first: u16, second: u16) -> Option<u32> {
        let (row, end) = (*self.rows.get(usize::from(first))?, *self.rows.get(usize::from(first) + 1)?);
        let pair = row + u32::from(second) - 1;
        (pair < end).then_some(pair)
    }
}
