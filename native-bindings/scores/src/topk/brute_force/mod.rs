//! The executors against brute force over the documents they were made from.

mod phrases;
mod scorers;
mod terms;

use crate::bm25::{B, Bm25, K1, idf};
use crate::topk::{AcceptWindow, PhraseClause, PhraseSlot, ScoredDoc, SegmentRun, TermClause, TopK};
use proptest::prelude::*;
use quarry_base::error::Result;
use quarry_codec::norm;
use quarry_codec::window::{WINDOW, WindowBits};
use quarry_postings::{
    FieldPostings, FieldPostingsReader, FieldPostingsWriter, PostingsOptions, ScoreModel, TermEntry, TermPostings,
};
use std::collections::BTreeMap;

pub(super) const TERMS: usize = 7;

/// Repeatable numbers from a place and a seed.
pub(super) fn hash(seed: u64, a: u64, b: u64) -> u64 {
    let mut x = seed ^ a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    x ^= x >> 31;
    x = x.wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

/// One segment in memory: the positions of each term in each document.
pub(super) struct Corpus {
    pub max_doc: u32,
    pub docs: Vec<BTreeMap<usize, Vec<u32>>>,
    pub norms: Vec<u8>,
    pub reader: FieldPostingsReader,
    pub average: f32,
    pub made_from: String,
}

impl std::fmt::Debug for Corpus {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lengths: Vec<_> = (0..TERMS).map(|term| self.entry(term).map(|entry| entry.doc_freq)).collect();
        write!(out, "Corpus({} documents, lists {lengths:?}, {})", self.max_doc, self.made_from)
    }
}

/// Term `t` is in about one document of `every[t]`; positions are dense, so that phrases are frequent.
pub(super) fn corpus(seed: u64, max_doc: u32, every: &[u32; TERMS]) -> Corpus {
    let mut docs = vec![BTreeMap::new(); max_doc as usize];
    for (doc, terms) in docs.iter_mut().enumerate() {
        for (term, share) in every.iter().enumerate() {
            let random = hash(seed, doc as u64, term as u64);
            // Some stretches of documents have more of a term than others.
            let stretch = hash(seed, doc as u64 / 3_000, 1_000 + term as u64) % 3;
            if random % u64::from(*share) <= stretch / 2 && stretch > 0 {
                let freq = match random >> 40 & 255 {
                    0 => 300,
                    1..=15 => 5 + (random >> 20) % 36,
                    _ => 1 + (random >> 20) % 4,
                };
                let mut positions: Vec<u32> = (0..freq).map(|i| (hash(random, i, 7) % (freq * 6)) as u32).collect();
                positions.sort_unstable();
                positions.dedup();
                terms.insert(term, positions);
            }
        }
    }
    Corpus { made_from: format!("seed {seed}, shares {every:?}"), ..build(max_doc, docs) }
}

pub(super) fn build(max_doc: u32, docs: Vec<BTreeMap<usize, Vec<u32>>>) -> Corpus {
    let lengths: Vec<u32> = docs.iter().map(|terms| 1 + terms.values().map(|p| p.len() as u32).sum::<u32>()).collect();
    let average = lengths.iter().sum::<u32>() as f32 / max_doc as f32;
    let mut norms: Vec<u8> = lengths.iter().map(|length| norm::encode(*length)).collect();
    norms.resize((max_doc as usize).next_multiple_of(WINDOW), 0);
    let options = PostingsOptions { freqs: true, positions: true };
    let model = ScoreModel { norms: &norms, average_length: average };
    let mut writer = FieldPostingsWriter::new(max_doc, options, Some(model));
    for term in 0..TERMS {
        let (mut numbers, mut freqs, mut all) = (vec![], vec![], vec![]);
        for (doc, terms) in docs.iter().enumerate() {
            if let Some(positions) = terms.get(&term) {
                numbers.push(doc as u32);
                freqs.push(positions.len() as u32);
                all.extend_from_slice(positions);
            }
        }
        if !numbers.is_empty() {
            let postings = TermPostings { docs: &numbers, freqs: &freqs, positions: &all };
            writer.add_term(&[term as u8], postings).unwrap();
        }
    }
    let FieldPostings { dictionary, postings, positions, pairs, .. } = writer.finish_with_pairs(&|| Ok(())).unwrap();
    let mut reader = FieldPostingsReader::open(dictionary, postings, positions, max_doc, options).unwrap();
    if let Some(pairs) = pairs {
        reader = reader.with_pairs(&pairs).unwrap();
    }
    Corpus { max_doc, docs, norms, reader, average, made_from: String::new() }
}

impl Corpus {
    pub fn entry(&self, term: usize) -> Option<TermEntry> {
        self.reader.lookup(&[term as u8]).unwrap()
    }

    pub fn clauses<'a>(&'a self, terms: &[usize], similarity: &'a Bm25) -> Vec<TermClause<'a>> {
        let clause = |entry: TermEntry| TermClause {
            postings: &self.reader,
            entry,
            norms: Some(&self.norms),
            similarity,
            weight: idf(u64::from(entry.doc_freq), u64::from(self.max_doc)),
        };
        terms.iter().filter_map(|term| self.entry(*term)).map(clause).collect()
    }

    /// `None` where the segment lacks one of the terms.
    pub fn phrase<'a>(&'a self, places: &[(u32, usize)], similarity: &'a Bm25, slop: u32) -> Option<PhraseClause<'a>> {
        let slot =
            |(position, term): &(u32, usize)| Some(PhraseSlot { position: *position, terms: vec![self.entry(*term)?] });
        let slots: Vec<PhraseSlot> = places.iter().map(slot).collect::<Option<_>>()?;
        let norms = Some(self.norms.as_slice());
        Some(PhraseClause { slots, postings: &self.reader, norms, similarity, weight: 2.5, slop })
    }

    /// Scores as Lucene computes them: each term's in `f32`, summed in `f64`.
    pub fn score(&self, doc: usize, clause: &TermClause<'_>, term: usize, similarity: &Bm25) -> f64 {
        let freq = self.docs[doc].get(&term).map_or(0, Vec::len);
        f64::from(similarity.score(clause.weight, freq as f32, self.norms[doc]))
    }
}

/// `k1` and `b` of BM25.
pub(super) fn any_parameters() -> impl Strategy<Value = (f32, f32)> {
    prop_oneof![Just((K1, B)), Just((0.0, 0.5)), Just((1.2, 1.0)), (0.01f32..5.0, 0.0f32..1.0)]
}

/// Refuses about one document in `one_in`.
pub(super) struct Refuse {
    pub seed: u64,
    pub one_in: u64,
}

impl Refuse {
    pub fn accepts(&self, doc: u32) -> bool {
        self.one_in == 0 || !hash(self.seed, u64::from(doc), 99).is_multiple_of(self.one_in)
    }
}

impl AcceptWindow for Refuse {
    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        for doc in 0..WINDOW as u32 {
            if !self.accepts(window * WINDOW as u32 + doc) {
                bits[doc as usize / 64] &= !(1 << (doc % 64));
            }
        }
        Ok(())
    }
}

/// Runs something over one segment with this filter.
pub(super) fn run<T>(
    corpus: &Corpus,
    doc_base: u32,
    refuse: &mut Refuse,
    work: impl FnOnce(&mut SegmentRun<'_>) -> Result<T>,
) -> T {
    let accept: Option<&mut dyn AcceptWindow> = if refuse.one_in == 0 { None } else { Some(refuse) };
    work(&mut SegmentRun { doc_base, max_doc: corpus.max_doc, accept }).unwrap()
}

/// The best `k` of all matches.
pub(super) fn best(mut all: Vec<ScoredDoc>, k: usize) -> Vec<ScoredDoc> {
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.doc.cmp(&b.doc)));
    all.truncate(k);
    all
}

/// Segments of all layouts: `every` reaches from each document to one in thousands.
pub(super) fn any_corpus() -> impl Strategy<Value = Corpus> {
    let sizes = prop_oneof![Just(200u32), Just(5_000), Just(20_000), Just(70_000)];
    let share = prop_oneof![Just(1u32), Just(2), Just(5), Just(20), Just(150), Just(3_000)];
    (any::<u64>(), sizes, prop::array::uniform7(share)).prop_map(|(seed, max_doc, every)| corpus(seed, max_doc, &every))
}

pub(super) fn any_terms(most: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..TERMS, 1..=most)
}
