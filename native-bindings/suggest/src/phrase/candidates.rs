//! What a word of a phrase may have been meant to be.

use crate::field_terms::{FieldTerms, TermStats};
use crate::plan::{GeneratorPlan, SuggestMode};
use crate::spell::SpellChecker;
use quarry_analysis::{Analyzer, Token};
use quarry_base::control::IsCancelled;
use quarry_base::error::Result;
use std::sync::Arc;

/// Words of more documents than this base says are left alone sooner.
const LOG_BASE: f64 = 5.0;
/// How much an original word is like itself.
const SAME: f64 = 1.0;

#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub term: Vec<u8>,
    pub stats: TermStats,
    /// 1 for the word itself.
    pub similarity: f64,
    pub score: f64,
    pub is_original: bool,
}

/// A word and what could stand in its place, the strongest first.
#[derive(Debug, Clone)]
pub struct CandidateSet {
    pub original: Candidate,
    pub others: Vec<Candidate>,
}

impl CandidateSet {
    pub fn new(original: Candidate) -> Self {
        CandidateSet { original, others: Vec::new() }
    }

    fn add(&mut self, candidates: Vec<Candidate>) {
        let mut all: Vec<Candidate> = Vec::new();
        for candidate in candidates.into_iter().chain(std::mem::take(&mut self.others)) {
            if !all.iter().any(|known| known.term == candidate.term) {
                all.push(candidate);
            }
        }
        all.sort_by(|left, right| right.score.total_cmp(&left.score).then_with(|| left.term.cmp(&right.term)));
        self.others = all;
    }
}

/// Draws candidates from the terms of one field.
pub struct Generator<'a> {
    pub terms: FieldTerms<'a>,
    pub plan: &'a GeneratorPlan,
    pub likelihood: f64,
    pub pre_filter: Option<Arc<Analyzer>>,
    pub post_filter: Option<Arc<Analyzer>>,
    pub is_cancelled: IsCancelled<'a>,
}

impl Generator<'_> {
    fn filtered(&self, term: &[u8]) -> Result<Vec<u8>> {
        let Some(filter) = &self.pre_filter else { return Ok(term.to_vec()) };
        let mut tokens = Vec::new();
        filter.analyze(&String::from_utf8_lossy(term), &mut tokens)?;
        Ok(tokens.pop().map_or_else(Vec::new, |token| token.term))
    }

    fn score(&self, stats: TermStats, similarity: f64) -> f64 {
        similarity * ((stats.total_term_freq as f64 + 1.0) / (self.terms.sum_total_term_freq as f64 + 1.0))
    }

    fn candidate(&self, term: &[u8], stats: TermStats, similarity: f64, is_original: bool) -> Candidate {
        Candidate { term: term.to_vec(), stats, similarity, score: self.score(stats, similarity), is_original }
    }

    fn stats(&self, term: &[u8]) -> Result<TermStats> {
        self.terms.stats(&self.filtered(term)?)
    }

    fn draw(&self, set: &mut CandidateSet) -> Result<()> {
        let term = self.filtered(&set.original.term)?;
        let mut min_doc_freq = self.plan.spell.min_doc_freq;
        if self.plan.spell.suggest_mode != SuggestMode::Always {
            let threshold = self.threshold(set.original.stats.doc_freq);
            if threshold >= i32::MAX as i64 {
                return Ok(());
            }
            min_doc_freq = min_doc_freq.max(threshold as f32);
        }
        let checker = SpellChecker { terms: &self.terms, plan: &self.plan.spell, is_cancelled: self.is_cancelled };
        let mut candidates = Vec::new();
        for near in checker.near(&String::from_utf8_lossy(&term), self.plan.size, min_doc_freq)? {
            let stats = self.terms.stats(near.text.as_bytes())?;
            let candidate = self.candidate(near.text.as_bytes(), stats, f64::from(near.score), false);
            self.post_filter(candidate, &mut candidates)?;
        }
        set.add(candidates);
        Ok(())
    }

    fn post_filter(&self, candidate: Candidate, candidates: &mut Vec<Candidate>) -> Result<()> {
        let Some(filter) = &self.post_filter else {
            candidates.push(candidate);
            return Ok(());
        };
        let mut tokens: Vec<Token> = Vec::new();
        filter.analyze(&String::from_utf8_lossy(&candidate.term), &mut tokens)?;
        let mut last_position = None;
        for token in tokens {
            let is_next = last_position != Some(token.position);
            last_position = Some(token.position);
            let is_same = is_next && token.term == candidate.term;
            candidates.push(Candidate {
                stats: if is_same { self.terms.stats(&token.term)? } else { candidate.stats },
                similarity: if is_same { candidate.similarity } else { self.likelihood },
                term: token.term,
                score: candidate.score,
                is_original: false,
            });
        }
        Ok(())
    }

    /// In how many documents a term has to be to replace one of `doc_freq` documents.
    fn threshold(&self, doc_freq: u64) -> i64 {
        if doc_freq == 0 {
            return 0;
        }
        let least = self.plan.spell.min_doc_freq;
        let plateau = if least >= 1.0 { least as u64 } else { (self.terms.max_doc as f32 * least) as u64 };
        let above = doc_freq as f64 - plateau as f64;
        let threshold = doc_freq as f64 * (above.log10() * (1.0 / LOG_BASE.log10())) + 1.0;
        ((threshold + 0.5).floor() as i64).clamp(0, i64::from(i32::MAX))
    }
}

/// All generators of a request; the first tells what is known of a term.
pub struct Generators<'a> {
    pub all: Vec<Generator<'a>>,
    /// Candidates of a word.
    pub most: usize,
}

impl Generators<'_> {
    pub fn original(&self, term: &[u8]) -> Result<Candidate> {
        let first = &self.all[0];
        Ok(first.candidate(term, first.stats(term)?, SAME, true))
    }

    /// A term beside the word, if documents have it.
    pub fn known(&self, term: &[u8], similarity: f64) -> Result<Option<Candidate>> {
        let first = &self.all[0];
        let stats = first.stats(term)?;
        Ok((stats.doc_freq > 0).then(|| first.candidate(term, stats, similarity, false)))
    }

    pub fn draw(&self, set: &mut CandidateSet) -> Result<()> {
        self.all.iter().try_for_each(|generator| generator.draw(set))?;
        if set.others.len() > self.most {
            set.others.sort_by(|left, right| right.score.total_cmp(&left.score));
            set.others.truncate(self.most);
        }
        Ok(())
    }
}
