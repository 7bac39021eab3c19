//! Tokens in the order of the documents to postings in the order of the terms: a counting sort.

use super::prefetch::prefetch;
use super::text::{SKIP, STACKED, TERM_LIMIT, TextField};

/// Where a term stands. Memory for one field's flush, kept from one to the next.
#[derive(Debug, Default)]
pub struct Occurrences {
    /// For each term where its occurrences end; they start where those of the term before end.
    ends: Vec<u32>,
    /// Document in the upper half, position in the lower; by term, then as they came.
    places: Vec<u64>,
}

impl Occurrences {
    /// Sorts the field's tokens by term.
    pub fn collect(&mut self, field: &TextField) {
        self.ends.clear();
        self.ends.resize(field.terms.len(), 0);
        let mut count = 0;
        for &token in &field.stream {
            if token < SKIP {
                self.ends[(token & (TERM_LIMIT - 1)) as usize] += 1;
                count += 1;
            }
        }
        let mut start = 0;
        for end in &mut self.ends {
            // For now where the term's next occurrence goes; at last where they end.
            start += std::mem::replace(end, start);
        }
        self.places.clear();
        self.places.resize(count, 0);
        self.scatter(field);
    }

    fn scatter(&mut self, field: &TextField) {
        let mut at = 0;
        for doc in &field.docs {
            let document = u64::from(doc.ordinal) << 32;
            let mut next_position = 0u32;
            for index in at..doc.end as usize {
                self.ask_ahead(&field.stream, index);
                let token = field.stream[index];
                if token >= SKIP {
                    next_position = next_position.saturating_add(token - SKIP);
                    continue;
                }
                let stacked = token & STACKED != 0;
                let position = if stacked { next_position.saturating_sub(1) } else { next_position };
                next_position = next_position.saturating_add(u32::from(!stacked));
                let place = &mut self.ends[(token & (TERM_LIMIT - 1)) as usize];
                self.places[*place as usize] = document | u64::from(position);
                *place += 1;
            }
            at = doc.end as usize;
        }
    }

    /// Terms are everywhere in memory: asks for the counter of a token some way ahead, and nearer by for the place that
    /// its counter, by then at hand, says.
    #[inline]
    fn ask_ahead(&self, stream: &[u32], index: usize) {
        let number = |token: u32| (token & (TERM_LIMIT - 1)) as usize;
        if let Some(&far) = stream.get(index + 48) {
            prefetch(&self.ends, number(far));
        }
        if let Some(&near) = stream.get(index + 16)
            && let Some(&place) = self.ends.get(number(near))
        {
            prefetch(&self.places, place as usize);
        }
    }

    /// Terms that occur, in no particular order.
    pub fn present(&self) -> Vec<u32> {
        (0..self.ends.len() as u32).filter(|&term| !self.of(term).is_empty()).collect()
    }

    /// Document and position of each occurrence, ascending.
    pub fn of(&self, term: u32) -> &[u64] {
        let start = if term == 0 { 0 } else { self.ends[term as usize - 1] as usize };
        &self.places[start..self.ends[term as usize] as usize]
    }
}

/// The postings of one term, taken apart. Memory kept from term to term.
#[derive(Debug, Default)]
pub struct TermLists {
    pub docs: Vec<u32>,
    pub freqs: Vec<u32>,
    pub positions: Vec<u32>,
}

impl TermLists {
    pub fn take_apart(&mut self, occurrences: &[u64]) {
        self.docs.clear();
        self.freqs.clear();
        self.positions.clear();
        let mut last = None;
        for &place in occurrences {
            let document = (place >> 32) as u32;
            if last != Some(document) {
                self.docs.push(document);
                self.freqs.push(0);
                last = Some(document);
            }
            if let Some(freq) = self.freqs.last_mut() {
                *freq += 1;
            }
            self.positions.push(place as u32);
        }
    }
}
