//! Terms that are near a word, after Lucene's `DirectSpellChecker`: those within one edit, and only if these are too few those
//! within two; of them the best by similarity are looked at again and put into the order that is asked for.

mod distance;

use super::check_cancelled;
use super::field_terms::FieldTerms;
use super::plan::{SortBy, SpellPlan, StringDistance, SuggestMode};
use quarry_base::control::IsCancelled;
use quarry_base::error::Result;
use quarry_query::term_match::fuzzy::FuzzyMatcher;
use std::collections::BTreeMap;

/// Terms between two looks at the cancellation.
const CHECK_EVERY: u32 = 4_096;

pub struct SpellChecker<'a> {
    pub terms: &'a FieldTerms<'a>,
    pub plan: &'a SpellPlan,
    pub is_cancelled: IsCancelled<'a>,
}

/// A term near a word.
#[derive(Debug, Clone, PartialEq)]
pub struct NearTerm {
    pub text: String,
    /// 1 for equal texts.
    pub score: f32,
    pub doc_freq: u64,
}

impl SpellChecker<'_> {
    /// At most `count` terms in the order of the plan. `min_doc_freq` may be stricter than the plan's.
    pub fn near(&self, word: &str, count: usize, min_doc_freq: f32) -> Result<Vec<NearTerm>> {
        let plan = self.plan;
        if word.chars().count() < plan.min_word_length {
            return Ok(Vec::new());
        }
        let own = self.terms.stats(word.as_bytes())?.doc_freq;
        if (plan.suggest_mode == SuggestMode::Missing && own > 0) || self.is_too_frequent(own) {
            return Ok(Vec::new());
        }
        let above = self.threshold(if plan.suggest_mode == SuggestMode::Popular { own } else { 0 }, min_doc_freq);
        let inspections = count.saturating_mul(plan.max_inspections);
        let mut found = self.within(word, 1, above, inspections)?;
        if plan.max_edits > 1 && found.len() < inspections {
            // What more edits find has to begin alike for longer.
            for near in self.within(word, plan.max_edits, above, inspections)? {
                if !found.iter().any(|known| known.text == near.text) {
                    found.push(near);
                }
            }
        }
        let by_text = |left: &NearTerm, right: &NearTerm| left.text.cmp(&right.text);
        found.sort_by(|left, right| {
            let by_score = right.score.total_cmp(&left.score);
            let by_frequency = right.doc_freq.cmp(&left.doc_freq);
            let order = match plan.sort {
                SortBy::Score => by_score.then(by_frequency),
                SortBy::Frequency => by_frequency.then(by_score),
            };
            order.then_with(|| by_text(left, right))
        });
        found.truncate(count);
        Ok(found)
    }

    fn is_too_frequent(&self, doc_freq: u64) -> bool {
        let most = self.plan.max_term_freq;
        if most >= 1.0 { doc_freq as f32 > most } else { doc_freq > (most * self.terms.max_doc as f32).ceil() as u64 }
    }

    /// Terms have to be in more documents than that.
    fn threshold(&self, doc_freq: u64, min_doc_freq: f32) -> u64 {
        if min_doc_freq >= 1.0 {
            doc_freq.max(min_doc_freq as u64)
        } else if min_doc_freq > 0.0 {
            doc_freq.max(((min_doc_freq * self.terms.max_doc as f32) as u64).saturating_sub(1))
        } else {
            doc_freq
        }
    }

    /// The `most` most similar terms other than the word itself, in more than `above` documents.
    fn within(&self, word: &str, edits: u8, above: u64, most: usize) -> Result<Vec<NearTerm>> {
        let prefix = self.plan.prefix_length.max(u32::from(edits) - 1);
        let mut frequencies: BTreeMap<Vec<u8>, (f32, u64)> = BTreeMap::new();
        for reader in &self.terms.readers {
            let mut matcher = FuzzyMatcher::new(word, edits, prefix, true);
            let start = matcher.literal_prefix().to_vec();
            let mut terms = reader.terms_from(&start)?;
            let mut until_check = CHECK_EVERY;
            while let Some((term, entry)) = terms.next()?.filter(|(term, _)| term.starts_with(&start)) {
                until_check -= 1;
                if until_check == 0 {
                    check_cancelled(self.is_cancelled)?;
                    until_check = CHECK_EVERY;
                }
                let Some(weight) = matcher.weigh(term).filter(|_| term != word.as_bytes()) else { continue };
                frequencies.entry(term.to_vec()).or_insert((weight, 0)).1 += u64::from(entry.doc_freq);
            }
        }
        let mut found: Vec<NearTerm> = Vec::new();
        for (term, (weight, doc_freq)) in frequencies.into_iter().filter(|(_, (_, doc_freq))| *doc_freq > above) {
            let text = String::from_utf8_lossy(&term).into_owned();
            let score = match self.plan.string_distance {
                StringDistance::Internal => weight,
                other => distance::similarity(other, word, &text),
            };
            if score >= self.plan.accuracy {
                found.push(NearTerm { text, score, doc_freq });
            }
        }
        found.sort_by(|left, right| right.score.total_cmp(&left.score).then_with(|| left.text.cmp(&right.text)));
        found.truncate(most);
        Ok(found)
    }
}
