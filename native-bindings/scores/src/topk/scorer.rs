//! Term and phrase as [`WindowScorer`], for the generic executor.

use crate::scorer::WindowScorer;
use crate::similarity::rating::Scoring;
use crate::topk::leaf::{Buffers, Leaf, with_buffers};
use crate::topk::phrase::PhraseRun;
use crate::topk::phrase::pairs::OpenPhrase;
use crate::topk::{PhraseClause, TermClause};
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WINDOW_WORDS, WindowBits};
use quarry_postings::cursor::Decoded;

/// The documents of one term.
pub fn term_scorer<'a>(clause: TermClause<'a>, scoring: Scoring<'a>) -> Result<Box<dyn WindowScorer + 'a>> {
    Ok(Box::new(TermScorer { leaf: Leaf::open(&clause)?, scoring }))
}

/// The documents of a phrase; `None` where there are none.
pub fn phrase_scorer<'a>(clause: PhraseClause<'a>, scoring: Scoring<'a>) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
    let run = match OpenPhrase::open(clause)? {
        OpenPhrase::Nothing => return Ok(None),
        OpenPhrase::Listed(pair) => return term_scorer(pair, scoring).map(Some),
        OpenPhrase::Run(run) => *run,
    };
    let found = Found { window: NO_MORE_WINDOWS, asked: [0; WINDOW_WORDS], docs: Vec::new(), freqs: Vec::new() };
    Ok(Some(Box::new(PhraseScorer { run, scoring, found })))
}

struct TermScorer<'a> {
    leaf: Leaf<'a>,
    scoring: Scoring<'a>,
}

impl WindowScorer for TermScorer<'_> {
    fn cost(&self) -> u64 {
        u64::from(self.leaf.cursor.doc_freq())
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        Ok(self.leaf.cursor.next_window(window))
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        Ok(self.scoring.bound(self.leaf.factor_bound(window), self.leaf.clause.weight))
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.leaf.cursor.or_bits(window, bits)
    }

    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.leaf.cursor.and_bits(window, bits)
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        if self.scoring.is_filter() {
            return Ok(());
        }
        with_buffers(|buffers| {
            let count = docs.len();
            buffers.docs[..count].copy_from_slice(docs);
            let has_large = self.leaf.cursor.probe(window, docs, &mut buffers.freqs)?;
            let decoded = Decoded { count, has_large };
            let Buffers { docs, freqs, term_scores, .. } = buffers;
            match self.scoring {
                Scoring::Relevance => self.leaf.score(window, docs, freqs, decoded, term_scores)?,
                Scoring::Rated(rating) => self.leaf.rate(window, docs, freqs, count, rating, term_scores)?,
                Scoring::Constant(constant) => {
                    for (score, freq) in term_scores[..count].iter_mut().zip(freqs) {
                        *score = if *freq == 0 { 0.0 } else { constant };
                    }
                }
            }
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
    scoring: Scoring<'a>,
    found: Found,
}

impl PhraseScorer<'_> {
    /// Finds the window's matches among the documents of `asked`.
    fn find(&mut self, window: u32, asked: &WindowBits) -> Result<()> {
        let any = matches!(self.scoring, Scoring::Constant(_));
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
            let Buffers { docs, scores: freqs, .. } = buffers;
            self.run.freqs(window, &docs[..count], any, &mut freqs[..count])?;
            for (doc, freq) in docs[..count].iter().zip(freqs).filter(|(_, freq)| **freq > 0.0) {
                self.found.docs.push(*doc);
                self.found.freqs.push(*freq);
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
        Ok(self.scoring.bound(self.run.factor_bound(window), self.run.clause().weight))
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
        if self.scoring.is_filter() {
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
                let norm = norms[usize::from(*doc) % WINDOW];
                *score += match self.scoring {
                    Scoring::Relevance => clause.similarity.score(clause.weight, *freq, norm),
                    Scoring::Rated(rating) => rating.score(*freq, norm)?,
                    Scoring::Constant(constant) => constant,
                };
            }
        }
        Ok(())
    }
}
