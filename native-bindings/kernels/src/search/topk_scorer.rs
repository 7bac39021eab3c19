//! Term and phrase as [`WindowScorer`], for the generic executor.

use super::phrase::PhraseRun;
use super::scorer::WindowScorer;
use super::topk::{PhraseClause, TermClause};
use super::topk_leaf::{Leaf, with_buffers};
use crate::error::Result;
use crate::postings::cursor::Decoded;
use crate::window::{NO_MORE_WINDOWS, WINDOW, WINDOW_WORDS, WindowBits};

/// How a leaf scores its matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scoring {
    /// BM25 with the clause's weight.
    Relevance,
    /// The same score for each match; 0 for a filter.
    Constant(f32),
}

/// The documents of one term.
pub fn term_scorer<'a>(clause: TermClause<'a>, scoring: Scoring) -> Result<Box<dyn WindowScorer + 'a>> {
    Ok(Box::new(TermScorer { leaf: Leaf::open(&clause)?, scoring }))
}

/// The documents of a phrase.
pub fn phrase_scorer<'a>(clause: PhraseClause<'a>, scoring: Scoring) -> Result<Box<dyn WindowScorer + 'a>> {
    let run = PhraseRun::open(clause)?;
    let found = Found { window: NO_MORE_WINDOWS, asked: [0; WINDOW_WORDS], docs: Vec::new(), freqs: Vec::new() };
    Ok(Box::new(PhraseScorer { run, scoring, found }))
}

struct TermScorer<'a> {
    leaf: Leaf<'a>,
    scoring: Scoring,
}

impl WindowScorer for TermScorer<'_> {
    fn cost(&self) -> u64 {
        u64::from(self.leaf.cursor.doc_freq())
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        Ok(self.leaf.cursor.next_window(window))
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        Ok(match self.scoring {
            Scoring::Relevance => self.leaf.window_bound(window),
            Scoring::Constant(score) => score,
        })
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.leaf.cursor.or_bits(window, bits)
    }

    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.leaf.cursor.and_bits(window, bits)
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        if self.scoring == Scoring::Constant(0.0) {
            return Ok(());
        }
        with_buffers(|buffers| {
            let count = docs.len();
            buffers.docs[..count].copy_from_slice(docs);
            let has_large = self.leaf.cursor.probe(window, docs, &mut buffers.freqs)?;
            if let Scoring::Constant(constant) = self.scoring {
                for (score, freq) in scores.iter_mut().zip(&buffers.freqs[..count]) {
                    *score += if *freq == 0 { 0.0 } else { constant };
                }
                return Ok(());
            }
            let decoded = Decoded { count, has_large };
            self.leaf.score(window, &buffers.docs, &buffers.freqs, decoded, &mut buffers.term_scores)?;
            for (score, more) in scores.iter_mut().zip(&buffers.term_scores[..count]) {
                *score += more;
            }
            Ok(())
        })
    }
}

/// The matches of the window last looked at: positions are not read twice.
struct Found {
    window: u32,
    /// The documents that were looked at.
    asked: WindowBits,
    docs: Vec<u16>,
    freqs: Vec<f32>,
}

struct PhraseScorer<'a> {
    run: PhraseRun<'a>,
    scoring: Scoring,
    found: Found,
}

impl PhraseScorer<'_> {
    /// Finds the window's matches among the documents of `asked`.
    fn find(&mut self, window: u32, asked: &WindowBits) -> Result<()> {
        let any = self.scoring != Scoring::Relevance;
        self.found.window = NO_MORE_WINDOWS;
        self.found.docs.clear();
        self.found.freqs.clear();
        with_buffers(|buffers| {
            let mut count = 0;
            for index in 0..self.run.candidates(window, buffers)? {
                let doc = buffers.docs[index];
                buffers.docs[count] = doc;
                count += usize::from(is_set(asked, doc));
            }
            for &doc in &buffers.docs[..count] {
                let freq = self.run.freq(window, doc, any)?;
                if freq > 0.0 {
                    self.found.docs.push(doc);
                    self.found.freqs.push(freq);
                }
            }
            Ok(())
        })?;
        self.found.window = window;
        self.found.asked = *asked;
        Ok(())
    }
}

fn is_set(bits: &WindowBits, doc: u16) -> bool {
    bits[usize::from(doc / 64) % WINDOW_WORDS] >> (doc % 64) & 1 == 1
}

fn set(bits: &mut WindowBits, docs: &[u16]) {
    for doc in docs {
        bits[usize::from(doc / 64) % WINDOW_WORDS] |= 1 << (doc % 64);
    }
}

impl WindowScorer for PhraseScorer<'_> {
    fn cost(&self) -> u64 {
        self.run.cost()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        Ok(self.run.next_window(window).unwrap_or(NO_MORE_WINDOWS))
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        Ok(match self.scoring {
            Scoring::Relevance => self.run.window_bound(window),
            Scoring::Constant(score) => score,
        })
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.find(window, &[u64::MAX; WINDOW_WORDS])?;
        set(bits, &self.found.docs);
        Ok(())
    }

    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.find(window, bits)?;
        *bits = [0; WINDOW_WORDS];
        set(bits, &self.found.docs);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        if self.scoring == Scoring::Constant(0.0) {
            return Ok(());
        }
        if self.found.window != window || docs.iter().any(|doc| !is_set(&self.found.asked, *doc)) {
            let mut wanted = [0; WINDOW_WORDS];
            set(&mut wanted, docs);
            self.find(window, &wanted)?;
        }
        let norms = self.run.norms(window)?;
        let clause = self.run.clause();
        let mut found = self.found.docs.iter().zip(&self.found.freqs).peekable();
        for (doc, score) in docs.iter().zip(scores) {
            while found.next_if(|(other, _)| *other < doc).is_some() {}
            if let Some((_, freq)) = found.next_if(|(other, _)| *other == doc) {
                *score += match self.scoring {
                    Scoring::Relevance => {
                        clause.similarity.score(clause.weight, *freq, norms[usize::from(*doc) % WINDOW])
                    }
                    Scoring::Constant(constant) => constant,
                };
            }
        }
        Ok(())
    }
}
