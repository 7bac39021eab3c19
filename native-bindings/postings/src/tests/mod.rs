//! Whole lists through writer and reader, against the plain vectors they were made from.

mod dictionary;
mod hostile;
mod pairs;
mod round_trip;

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

pub(super) const ALL: PostingsOptions = PostingsOptions { freqs: true, positions: true };

/// One term as a writer gets it.
#[derive(Debug, Clone, Default)]
pub(super) struct Term {
    pub docs: Vec<u32>,
    pub freqs: Vec<u32>,
    pub positions: Vec<u32>,
}

impl Term {
    pub fn postings(&self, options: PostingsOptions) -> TermPostings<'_> {
        TermPostings {
            docs: &self.docs,
            freqs: if options.freqs { &self.freqs } else { &[] },
            positions: if options.positions { &self.positions } else { &[] },
        }
    }
}

pub(super) fn write(
    max_doc: u32,
    options: PostingsOptions,
    norms: &[u8],
    terms: &BTreeMap<Vec<u8>, Term>,
) -> FieldPostings {
    let model = ScoreModel { norms, average_length: 10.0 };
    let mut writer = FieldPostingsWriter::new(max_doc, options, Some(model));
    for (bytes, term) in terms {
        writer.add_term(bytes, term.postings(options)).unwrap();
    }
    writer.finish().unwrap()
}

pub(super) fn open(
    sections: FieldPostings,
    max_doc: u32,
    options: PostingsOptions,
) -> quarry_base::error::Result<FieldPostingsReader> {
    let FieldPostings { dictionary, postings, positions, pairs, .. } = sections;
    let reader = FieldPostingsReader::open(dictionary, postings, positions, max_doc, options)?;
    pairs.map_or(Ok(reader.clone()), |pairs| reader.with_pairs(&pairs))
}

/// A term whose documents come in runs and gaps of the given scale; frequencies are mostly small, seldom huge.
pub(super) fn term_from_seed(seed: u64, max_doc: u32, doc_freq: u32, with_large: bool) -> Term {
    let mut state = seed | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    };
    let mut term = Term::default();
    let mut doc = 0u32;
    let gap = (max_doc / doc_freq).max(1);
    while doc < max_doc && term.docs.len() < doc_freq as usize {
        // Runs make windows denser than the list is on average.
        let step = if next() % 7 == 0 { next() % u64::from(gap * 12 + 1) } else { next() % u64::from(gap + 1) };
        doc = doc.saturating_add(step as u32);
        if doc >= max_doc {
            break;
        }
        let freq = match next() % 100 {
            0 if with_large => 200 + (next() % 300) as u32,
            1..10 => 1 + (next() % 20) as u32,
            _ => 1,
        };
        term.docs.push(doc);
        term.freqs.push(freq);
        let mut position = 0;
        for _ in 0..freq {
            position += 1 + (next() % 40) as u32;
            term.positions.push(position);
        }
        doc += 1;
    }
    term
}

/// Lists of every layout: few and many documents in small and large segments.
pub(super) fn any_term() -> impl Strategy<Value = (u32, Term)> {
    let sizes = prop_oneof![Just(300u32), Just(5_000), Just(70_000), Just(200_000), Just(1_000_000)];
    let shares = prop_oneof![Just(1u32), Just(2), Just(9), Just(40), Just(200), Just(2_000), Just(20_000)];
    (sizes, shares, any::<u64>(), any::<bool>()).prop_map(|(max_doc, share, seed, large)| {
        let doc_freq = (max_doc / share).clamp(1, 30_000);
        let mut term = term_from_seed(seed, max_doc, doc_freq, large);
        if term.docs.is_empty() {
            term = Term { docs: vec![0], freqs: vec![1], positions: vec![0] };
        }
        (max_doc, term)
    })
}
