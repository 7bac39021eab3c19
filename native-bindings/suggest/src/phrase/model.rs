//! How likely a word is behind the words before it, from how often these are terms together.

use super::candidates::Candidate;
use crate::field_terms::FieldTerms;
use crate::plan::{PhrasePlan, Smoothing};
use quarry_base::error::Result;
use rapidhash::RapidHashMap;
use std::cell::RefCell;

/// Keeps quotients finite where a word was never seen.
const TINY: f64 = 0.000_000_000_01;

pub struct Model<'a> {
    terms: &'a FieldTerms<'a>,
    smoothing: Smoothing,
    separator: &'a [u8],
    likelihood: f64,
    gram_size: u32,
    /// Of terms and joined terms that were looked for.
    frequencies: RefCell<RapidHashMap<Vec<u8>, u64>>,
}

impl<'a> Model<'a> {
    pub fn new(terms: &'a FieldTerms<'a>, plan: &'a PhrasePlan, gram_size: u32) -> Self {
        let smoothing = match plan.smoothing {
            Smoothing::LinearInterpolation { trigram_lambda, bigram_lambda, unigram_lambda } => {
                let sum = trigram_lambda + bigram_lambda + unigram_lambda;
                Smoothing::LinearInterpolation {
                    trigram_lambda: trigram_lambda / sum,
                    bigram_lambda: bigram_lambda / sum,
                    unigram_lambda: unigram_lambda / sum,
                }
            }
            other => other,
        };
        Model {
            terms,
            smoothing,
            separator: plan.separator.as_bytes(),
            likelihood: plan.real_word_error_likelihood,
            gram_size,
            frequencies: RefCell::default(),
        }
    }

    /// Logarithm of the likelihood of the last word of the path behind the others, and of its having been misspelt like this.
    pub fn score(&self, path: &[&Candidate]) -> Result<f64> {
        let Some((&word, before)) = path.split_last() else { return Ok(0.0) };
        let likelihood = match before {
            [.., second, first] if self.gram_size > 2 => self.trigram(word, first, second)?,
            [.., first] if self.gram_size > 1 => self.bigram(word, first)?,
            _ => self.unigram(word)?,
        };
        let channel = if word.similarity == 1.0 { self.likelihood } else { word.similarity };
        Ok((channel * likelihood).log10())
    }

    fn frequency(&self, words: &[&Candidate]) -> Result<f64> {
        let words: Vec<&[u8]> = words.iter().map(|word| word.term.as_slice()).collect();
        let term = words.join(self.separator);
        if let Some(&known) = self.frequencies.borrow().get(&term) {
            return Ok(known as f64);
        }
        let frequency = self.terms.stats(&term)?.total_term_freq;
        self.frequencies.borrow_mut().insert(term, frequency);
        Ok(frequency as f64)
    }

    fn unigram(&self, word: &Candidate) -> Result<f64> {
        let (seen, distinct) = (self.terms.sum_total_term_freq as f64, self.terms.term_count as f64);
        let frequency = self.frequency(&[word])?;
        Ok(match self.smoothing {
            Smoothing::Laplace { alpha } => (alpha + frequency) / (seen + alpha * distinct),
            _ => (1.0 + frequency) / (seen + distinct),
        })
    }

    fn bigram(&self, word: &Candidate, first: &Candidate) -> Result<f64> {
        let count = self.frequency(&[first, word])?;
        let before = first.stats.total_term_freq as f64;
        Ok(match self.smoothing {
            Smoothing::StupidBackoff { discount } if count < 1.0 => discount * self.unigram(word)?,
            Smoothing::StupidBackoff { .. } => count / (before + TINY),
            Smoothing::Laplace { alpha } => (alpha + count) / (before + alpha * self.terms.term_count as f64),
            Smoothing::LinearInterpolation { bigram_lambda, unigram_lambda, .. } => {
                let of_pair = if count < 1.0 { 0.0 } else { bigram_lambda * (count / (0.5 + before)) };
                of_pair + unigram_lambda * self.unigram(word)?
            }
        })
    }

    /// `second` stands before `first`, that before the word.
    fn trigram(&self, word: &Candidate, first: &Candidate, second: &Candidate) -> Result<f64> {
        Ok(match self.smoothing {
            Smoothing::StupidBackoff { discount } => {
                let pairs = self.frequency(&[first, word])?;
                if pairs < 1.0 {
                    return Ok(discount * self.unigram(word)?);
                }
                let count = self.frequency(&[second, first, word])?;
                if count < 1.0 {
                    return Ok(discount * (pairs / (first.stats.total_term_freq as f64 + TINY)));
                }
                count / (pairs + TINY)
            }
            Smoothing::Laplace { alpha } => {
                let count = self.frequency(&[second, first, word])?;
                (alpha + count) / (self.frequency(&[first, word])? + alpha * self.terms.term_count as f64)
            }
            Smoothing::LinearInterpolation { trigram_lambda, .. } => {
                // The words stand the other way round, as the API's reference has them.
                let count = self.frequency(&[word, first, second])?;
                let pair = self.bigram(word, first)?;
                if count < 1.0 {
                    return Ok(pair);
                }
                trigram_lambda * (count / (1.0 + self.frequency(&[word, first])?)) + pair
            }
        })
    }
}
