//! The likeliest ways through the candidates of all words.

use super::NO_CUTOFF;
use super::candidates::{Candidate, CandidateSet};
use super::model::Model;
use crate::check_cancelled;
use crate::plan::PhrasePlan;
use quarry_base::control::IsCancelled;
use quarry_base::error::{Error, Result};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Words that are put behind others while the best phrases are looked for.
const STEPS_MAX: u32 = 4_000_000;
/// Steps between two looks at the cancellation.
const CHECK_EVERY: u32 = 4_096;

/// Ordered by strength: of two with the same score the one with the earlier words is the stronger.
#[derive(Debug, Clone)]
pub struct Correction {
    pub score: f64,
    words: Vec<Candidate>,
}

impl Ord for Correction {
    fn cmp(&self, other: &Self) -> Ordering {
        let terms = |correction: &Self| correction.words.iter().map(|word| word.term.clone()).collect::<Vec<_>>();
        self.score.total_cmp(&other.score).then_with(|| terms(other).cmp(&terms(self)))
    }
}

impl PartialOrd for Correction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Correction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Correction {}

impl Correction {
    pub fn text(&self) -> String {
        let words: Vec<_> = self.words.iter().map(|word| String::from_utf8_lossy(&word.term)).collect();
        words.join(" ")
    }

    /// With marks around each run of words that were replaced.
    pub fn highlighted(&self, before: &str, after: &str) -> String {
        let is_original =
            |place: Option<usize>| place.and_then(|place| self.words.get(place)).is_none_or(|word| word.is_original);
        let marked = self.words.iter().enumerate().map(|(place, word)| {
            let mut text = String::new();
            if !word.is_original && is_original(place.checked_sub(1)) {
                text.push_str(before);
            }
            text.push_str(&String::from_utf8_lossy(&word.term));
            if !word.is_original && is_original(Some(place + 1)) {
                text.push_str(after);
            }
            text
        });
        marked.collect::<Vec<_>>().join(" ")
    }
}

/// The best corrections, the strongest first, and what they had to score more than.
pub struct Corrections {
    pub cutoff: f64,
    pub corrections: Vec<Correction>,
}

/// `None` where there is nothing to correct.
pub fn find(
    sets: Vec<CandidateSet>,
    model: &Model<'_>,
    plan: &PhrasePlan,
    is_cancelled: IsCancelled<'_>,
) -> Result<Option<Corrections>> {
    if sets.is_empty() {
        return Ok(None);
    }
    let mut cutoff = NO_CUTOFF;
    if plan.confidence > 0.0 {
        let originals: Vec<&Candidate> = sets.iter().map(|set| &set.original).collect();
        let mut score = 0.0;
        for end in 1..=originals.len() {
            score += model.score(&originals[..end])?;
        }
        cutoff = score.exp() * plan.confidence;
    }
    let errors = match plan.max_errors {
        count if count >= 1.0 => count as usize,
        share => (share * sets.len() as f32).round() as usize,
    };
    let best = BinaryHeap::with_capacity(plan.shard_size.min(64) + 1);
    let mut search = Search { sets: &sets, model, plan, cutoff, best, steps: 0, is_cancelled };
    search.follow(&mut Vec::with_capacity(sets.len()), errors.max(1), 0.0)?;
    let corrections = search.best.into_sorted_vec().into_iter().map(|Reverse(correction)| correction).collect();
    Ok(Some(Corrections { cutoff, corrections }))
}

struct Search<'s, 'm> {
    sets: &'s [CandidateSet],
    model: &'s Model<'m>,
    plan: &'s PhrasePlan,
    cutoff: f64,
    /// The weakest on top.
    best: BinaryHeap<Reverse<Correction>>,
    steps: u32,
    is_cancelled: IsCancelled<'s>,
}

impl<'s> Search<'s, '_> {
    /// Extends a path by every candidate of the next word, with so many replacements left. As deep as there are words, which
    /// `token_limit` bounds.
    fn follow(&mut self, path: &mut Vec<&'s Candidate>, errors: usize, score: f64) -> Result<()> {
        let Some(set) = self.sets.get(path.len()) else {
            self.offer(path, score.exp());
            return Ok(());
        };
        let others = if errors > 0 { set.others.as_slice() } else { &[] };
        for candidate in std::iter::once(&set.original).chain(others) {
            self.count_step()?;
            path.push(candidate);
            let step = self.model.score(path)?;
            let left = if std::ptr::eq(candidate, &raw const set.original) { errors } else { errors - 1 };
            self.follow(path, left, score + step)?;
            path.pop();
        }
        Ok(())
    }

    fn count_step(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            return Err(Error::illegal_argument(format!(
                "the phrase has more than [{STEPS_MAX}] ways to be corrected: lower [max_errors], [token_limit] or the \
                 [size] of the generators"
            )));
        }
        if self.steps.is_multiple_of(CHECK_EVERY) { check_cancelled(self.is_cancelled) } else { Ok(()) }
    }

    fn offer(&mut self, path: &[&Candidate], score: f64) {
        let is_weak = |weakest: &Reverse<Correction>| weakest.0.score > score;
        let is_full = self.best.len() >= self.plan.shard_size;
        if score <= self.cutoff || (is_full && self.best.peek().is_some_and(is_weak)) {
            return;
        }
        self.best.push(Reverse(Correction { score, words: path.iter().map(|&word| word.clone()).collect() }));
        if is_full {
            self.best.pop();
        }
    }
}
