//! One text field of an NDJSON file as one segment in memory.

use quarry_base::error::Result;
use quarry_codec::norm;
use quarry_codec::window::WINDOW;
use quarry_postings::{
    FieldPostings, FieldPostingsReader, FieldPostingsWriter, PostingsOptions, ScoreModel, TermPostings,
};
use quarry_scores::bm25::{Bm25, idf};
use quarry_scores::topk::ScoredDoc;
use std::collections::HashMap;
use std::io::BufRead;

const OPTIONS: PostingsOptions = PostingsOptions { freqs: true, positions: true };

pub struct Corpus {
    pub reader: FieldPostingsReader,
    pub norms: Vec<u8>,
    pub similarity: Bm25,
    pub max_doc: u32,
    pub doc_count: u64,
    numbers: HashMap<String, u32>,
    /// Term numbers of all documents, one after another, and where each document starts.
    tokens: Vec<u32>,
    starts: Vec<usize>,
}

impl Corpus {
    pub fn build(path: &str, field: &str) -> Result<Self> {
        let (numbers, tokens, starts) = read(path, field);
        let max_doc = (starts.len() - 1) as u32;
        let lengths = starts.windows(2).map(|pair| (pair[1] - pair[0]) as u32);
        let doc_count = lengths.clone().filter(|length| *length > 0).count() as u64;
        let mut norms: Vec<u8> = lengths.map(norm::encode).collect();
        norms.resize((max_doc as usize).next_multiple_of(WINDOW), 0);
        let average = tokens.len() as f32 / doc_count as f32;
        let started = std::time::Instant::now();
        let sections = write(&numbers, &tokens, &starts, &norms, average)?;
        let FieldPostings { dictionary, postings, positions, pairs, term_count, .. } = sections;
        eprintln!(
            "{max_doc} documents, {} tokens, {term_count} terms: dictionary {:.1} MB, postings {:.1} MB, positions {:.1} MB, pairs {:.1} MB, written in {:.1} s",
            tokens.len(),
            dictionary.len() as f64 / 1e6,
            postings.len() as f64 / 1e6,
            positions.len() as f64 / 1e6,
            pairs.as_ref().map_or(0, |pairs| pairs.len()) as f64 / 1e6,
            started.elapsed().as_secs_f64()
        );
        let mut reader = FieldPostingsReader::open(dictionary, postings, positions, max_doc, OPTIONS)?;
        if let Some(pairs) = pairs {
            reader = reader.with_pairs(&pairs)?;
        }
        Ok(Corpus { reader, norms, similarity: Bm25::new(average), max_doc, doc_count, numbers, tokens, starts })
    }

    /// Every document looked at: the best by score, and the number that match.
    pub fn brute_force(&self, terms: &[String], kind: &str, k: usize) -> (Vec<ScoredDoc>, u64) {
        let numbers: Vec<u32> = terms.iter().map(|term| self.numbers.get(term).copied().unwrap_or(u32::MAX)).collect();
        let documents =
            |number: &u32| self.starts.windows(2).filter(|pair| self.tokens[pair[0]..pair[1]].contains(number)).count();
        let weights: Vec<f32> = numbers.iter().map(|number| idf(documents(number) as u64, self.doc_count)).collect();
        let mut all = Vec::new();
        for (doc, pair) in self.starts.windows(2).enumerate() {
            let tokens = &self.tokens[pair[0]..pair[1]];
            let score =
                |weight: f32, freq: usize| f64::from(self.similarity.score(weight, freq as f32, self.norms[doc]));
            let freqs: Vec<usize> =
                numbers.iter().map(|number| tokens.iter().filter(|token| *token == number).count()).collect();
            let total = match kind {
                "phrase" => {
                    let freq = tokens.windows(numbers.len()).filter(|window| *window == numbers).count();
                    (freq > 0).then(|| score(weights.iter().sum(), freq))
                }
                "intersection" if freqs.contains(&0) => None,
                _ if freqs.iter().all(|freq| *freq == 0) => None,
                _ => Some(weights.iter().zip(&freqs).map(|(weight, freq)| score(*weight, *freq)).sum()),
            };
            all.extend(total.map(|score| ScoredDoc { score: score as f32, doc: doc as u32 }));
        }
        let count = all.len() as u64;
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.doc.cmp(&b.doc)));
        all.truncate(k);
        (all, count)
    }
}

/// Numbers for the terms, the tokens as these numbers, and where each document starts.
fn read(path: &str, field: &str) -> (HashMap<String, u32>, Vec<u32>, Vec<usize>) {
    let file = std::fs::File::open(path).expect("the corpus can be read");
    let mut numbers = HashMap::new();
    let (mut tokens, mut starts) = (Vec::new(), vec![0]);
    for line in std::io::BufReader::with_capacity(1 << 20, file).lines() {
        let row: serde_json::Value = serde_json::from_str(&line.expect("a line")).expect("a JSON document");
        let text = row[field].as_str().unwrap_or_default();
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let next = numbers.len() as u32;
            tokens.push(*numbers.entry(word.to_lowercase()).or_insert(next));
        }
        starts.push(tokens.len());
    }
    (numbers, tokens, starts)
}

/// Sorts (document, position) by term: counted first, then scattered.
fn write(
    numbers: &HashMap<String, u32>,
    tokens: &[u32],
    starts: &[usize],
    norms: &[u8],
    average: f32,
) -> Result<FieldPostings> {
    let mut ends = vec![0usize; numbers.len() + 1];
    for token in tokens {
        ends[*token as usize + 1] += 1;
    }
    for term in 0..numbers.len() {
        ends[term + 1] += ends[term];
    }
    let mut places = vec![(0u32, 0u32); tokens.len()];
    let mut next = ends.clone();
    for (doc, pair) in starts.windows(2).enumerate() {
        for (position, token) in tokens[pair[0]..pair[1]].iter().enumerate() {
            places[next[*token as usize]] = (doc as u32, position as u32);
            next[*token as usize] += 1;
        }
    }
    let mut sorted: Vec<(&String, u32)> = numbers.iter().map(|(term, number)| (term, *number)).collect();
    sorted.sort_unstable();
    let model = ScoreModel { norms, average_length: average };
    let mut writer = FieldPostingsWriter::new((starts.len() - 1) as u32, OPTIONS, Some(model));
    let (mut docs, mut freqs, mut positions) = (vec![], vec![], vec![]);
    for (term, number) in sorted {
        docs.clear();
        freqs.clear();
        positions.clear();
        for (doc, position) in &places[ends[number as usize]..ends[number as usize + 1]] {
            if docs.last() != Some(doc) {
                docs.push(*doc);
                freqs.push(0);
            }
            if let Some(freq) = freqs.last_mut() {
                *freq += 1;
            }
            positions.push(*position);
        }
        writer.add_term(term.as_bytes(), TermPostings { docs: &docs, freqs: &freqs, positions: &positions })?;
    }
    writer.finish_with_pairs(&|| Ok(()))
}
