//! What is found on one side of a relation, by the number of the parent's id.

use crate::breaker::Reservation;
use crate::ordinals::Ordinals;
use crate::scorers::bits;
use crate::view::{SegmentView, ShardView};
use crate::weight::{QueryEnv, Weight};
use quarry_base::error::Result;
use quarry_plan::join::ChildScore;
use quarry_segment::column::ordinal::OrdinalWindow;
use std::sync::Arc;

/// The parents that documents of one side stand for, and their scores.
pub struct Found {
    pub ordinals: Arc<Ordinals>,
    matched: Vec<u64>,
    /// Empty where nobody asks for scores.
    scores: Vec<f32>,
    /// Given back with the rest.
    _memory: Reservation,
}

/// How documents count.
#[derive(Debug, Clone, Copy)]
pub struct Counting {
    pub score: ChildScore,
    pub least: u32,
    pub most: u32,
}

impl Counting {
    fn needs_counts(self) -> bool {
        self.least > 1 || self.most < u32::MAX || self.score == ChildScore::Avg
    }
}

impl Found {
    /// Walks what the weight matches in all segments. Only live documents count.
    ///
    /// Errors: `TaskCancelled`; `CircuitBreaking`; damage.
    pub fn by(view: &ShardView, env: &QueryEnv, field: &str, weight: &dyn Weight, counting: Counting) -> Result<Self> {
        let ordinals = Ordinals::of(view, env, field)?;
        let mut memory = Reservation::of(env.limits.request_breaker_bytes, "<join>");
        let count = ordinals.count as usize;
        let words = count.div_ceil(64);
        let wants_scores = counting.score != ChildScore::None;
        let needs_counts = counting.needs_counts();
        let each = size_of::<u32>() * (usize::from(wants_scores) + usize::from(needs_counts));
        memory.take((words * size_of::<u64>() + count * each) as u64)?;
        let mut walk = Walk {
            counting,
            matched: vec![0; words],
            counts: vec![0; if needs_counts { count } else { 0 }],
            scores: vec![0.0; if wants_scores { count } else { 0 }],
        };
        for segment in view.segments.iter() {
            walk.segment(env, segment, field, ordinals.of_segment(segment.ordinal), weight)?;
        }
        let (matched, scores) = walk.finish();
        Ok(Found { ordinals, matched, scores, _memory: memory })
    }

    pub fn contains(&self, number: u32) -> bool {
        contains(&self.matched, number)
    }

    /// 1 where nobody asked for scores.
    pub fn score(&self, number: u32) -> f32 {
        self.scores.get(number as usize).copied().unwrap_or(1.0)
    }
}

fn contains(matched: &[u64], number: u32) -> bool {
    matched.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
}

struct Walk {
    counting: Counting,
    matched: Vec<u64>,
    counts: Vec<u32>,
    scores: Vec<f32>,
}

impl Walk {
    fn segment(
        &mut self,
        env: &QueryEnv,
        segment: &SegmentView,
        field: &str,
        numbers: &[u32],
        weight: &dyn Weight,
    ) -> Result<()> {
        let Some(column) = segment.field(field).and_then(|field| field.ordinals()) else { return Ok(()) };
        let Some(mut scorer) = weight.scorer(segment)? else { return Ok(()) };
        let mut decoded = OrdinalWindow::default();
        let (mut docs, mut scores) = (Vec::new(), Vec::new());
        let windows = segment.window_count();
        let mut window = scorer.next_window(0)?;
        while window < windows {
            env.check_cancelled()?;
            let mut found = bits::EMPTY;
            scorer.matches(window, &mut found)?;
            segment.retain_live(window, &mut found);
            bits::list(&found, &mut docs);
            segment.check_computed(window, &docs)?;
            scores.clear();
            scores.resize(docs.len(), 0.0);
            if !self.scores.is_empty() {
                scorer.score(window, &docs, &mut scores)?;
            }
            if !docs.is_empty() {
                column.decode_window(window, &mut decoded);
            }
            for (&doc, &score) in docs.iter().zip(&scores) {
                for &ordinal in decoded.ordinals_of(doc) {
                    if let Some(&number) = numbers.get(ordinal as usize) {
                        self.take(number, score);
                    }
                }
            }
            window = scorer.next_window(window + 1)?;
        }
        Ok(())
    }

    fn take(&mut self, number: u32, score: f32) {
        let is_first = !contains(&self.matched, number);
        if let Some(word) = self.matched.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
        if let Some(count) = self.counts.get_mut(number as usize) {
            *count = count.saturating_add(1);
        }
        if let Some(known) = self.scores.get_mut(number as usize) {
            *known = match self.counting.score {
                _ if is_first => score,
                ChildScore::Min => known.min(score),
                ChildScore::Max => known.max(score),
                ChildScore::Sum | ChildScore::Avg | ChildScore::None => *known + score,
            };
        }
    }

    /// The parents with as many as are asked for.
    fn finish(mut self) -> (Vec<u64>, Vec<f32>) {
        for (number, &count) in self.counts.iter().enumerate() {
            if count < self.counting.least || count > self.counting.most {
                self.matched[number / 64] &= !(1 << (number % 64));
            }
            if self.counting.score == ChildScore::Avg && count > 0 {
                self.scores[number] /= count as f32;
            }
        }
        (self.matched, self.scores)
    }
}
