//! Clauses that must, should or must not match, as algebra on window bits.

use super::bits;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW_WORDS, WindowBits};
use quarry_scores::scorer::WindowScorer;

type Scorer<'a> = Box<dyn WindowScorer + 'a>;

/// The scorers of the clauses that can match in a segment.
#[derive(Default)]
pub struct Clauses<'a> {
    pub must: Vec<Scorer<'a>>,
    pub filter: Vec<Scorer<'a>>,
    pub should: Vec<Scorer<'a>>,
    pub must_not: Vec<Scorer<'a>>,
    /// How many of `should` must match; at least 1 where nothing else is required.
    pub min_should: u32,
}

pub struct BooleanScorer<'a> {
    /// `must` and `filter`, the rarest first; `true` for those that score.
    required: Vec<(Scorer<'a>, bool)>,
    should: Vec<Scorer<'a>>,
    must_not: Vec<Scorer<'a>>,
    min_should: u32,
    window: Option<u32>,
    matched: WindowBits,
}

impl<'a> BooleanScorer<'a> {
    pub fn new(clauses: Clauses<'a>) -> Self {
        let scoring = clauses.must.into_iter().map(|scorer| (scorer, true));
        let filters = clauses.filter.into_iter().map(|scorer| (scorer, false));
        let mut required: Vec<(Scorer<'a>, bool)> = scoring.chain(filters).collect();
        required.sort_by_key(|(scorer, _)| scorer.cost());
        BooleanScorer {
            required,
            should: clauses.should,
            must_not: clauses.must_not,
            min_should: clauses.min_should,
            window: None,
            matched: bits::EMPTY,
        }
    }

    fn load(&mut self, window: u32) -> Result<()> {
        if self.window == Some(window) {
            return Ok(());
        }
        self.matched = bits::EMPTY;
        self.window = Some(window);
        let mut matched = bits::EMPTY;
        let mut required = self.required.iter_mut();
        match required.next() {
            Some((first, _)) => {
                first.matches(window, &mut matched)?;
                for (scorer, _) in required {
                    if bits::is_empty(&matched) {
                        return Ok(());
                    }
                    scorer.retain(window, &mut matched)?;
                }
                if self.min_should > 0 {
                    bits::and(&mut matched, &self.optional(window)?);
                }
            }
            None => matched = self.optional(window)?,
        }
        for scorer in &mut self.must_not {
            if bits::is_empty(&matched) {
                return Ok(());
            }
            if scorer.next_window(window)? == window {
                let mut excluded = bits::EMPTY;
                scorer.matches(window, &mut excluded)?;
                bits::and_not(&mut matched, &excluded);
            }
        }
        self.matched = matched;
        Ok(())
    }

    /// Documents that match at least `min_should` optional clauses.
    fn optional(&mut self, window: u32) -> Result<WindowBits> {
        if self.min_should <= 1 {
            let mut any = bits::EMPTY;
            for scorer in &mut self.should {
                if scorer.next_window(window)? == window {
                    scorer.matches(window, &mut any)?;
                }
            }
            return Ok(any);
        }
        let mut counts = BitCounts::default();
        for scorer in &mut self.should {
            if scorer.next_window(window)? == window {
                let mut own = bits::EMPTY;
                scorer.matches(window, &mut own)?;
                counts.add(&own);
            }
        }
        Ok(counts.at_least(self.min_should))
    }

    fn score_matched(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        for (scorer, is_scoring) in &mut self.required {
            if *is_scoring {
                scorer.score(window, docs, scores)?;
            }
        }
        for scorer in &mut self.should {
            if scorer.next_window(window)? == window {
                scorer.score(window, docs, scores)?;
            }
        }
        Ok(())
    }
}

impl WindowScorer for BooleanScorer<'_> {
    fn cost(&self) -> u64 {
        match self.required.first() {
            Some((rarest, _)) => rarest.cost(),
            None => self.should.iter().map(|scorer| scorer.cost()).sum(),
        }
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        if self.required.is_empty() {
            let mut first = NO_MORE_WINDOWS;
            for scorer in &mut self.should {
                first = first.min(scorer.next_window(window)?);
            }
            return Ok(first);
        }
        let mut candidate = window;
        'candidates: loop {
            for (scorer, _) in &mut self.required {
                let next = scorer.next_window(candidate)?;
                if next != candidate {
                    if next == NO_MORE_WINDOWS {
                        return Ok(NO_MORE_WINDOWS);
                    }
                    candidate = next;
                    continue 'candidates;
                }
            }
            return Ok(candidate);
        }
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        let mut sum = 0.0;
        for (scorer, is_scoring) in &mut self.required {
            if *is_scoring {
                sum += scorer.max_score(window)?;
            }
        }
        for scorer in &mut self.should {
            if scorer.next_window(window)? == window {
                sum += scorer.max_score(window)?;
            }
        }
        Ok(sum)
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.load(window)?;
        bits::or(bits, &self.matched);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        self.load(window)?;
        if docs.iter().all(|&doc| bits::contains(&self.matched, doc)) {
            return self.score_matched(window, docs, scores);
        }
        // Asked for documents that do not match as well, as an optional clause is: the clauses must not score those.
        let is_matched = |&(_, &doc): &(usize, &u16)| bits::contains(&self.matched, doc);
        let (places, matched): (Vec<usize>, Vec<u16>) =
            docs.iter().enumerate().filter(is_matched).map(|(place, &doc)| (place, doc)).unzip();
        let mut own = vec![0f32; matched.len()];
        self.score_matched(window, &matched, &mut own)?;
        for (place, score) in places.into_iter().zip(own) {
            scores[place] += score;
        }
        Ok(())
    }
}

/// How many sets each document is in, one bit plane for each binary digit.
#[derive(Default)]
struct BitCounts {
    planes: Vec<WindowBits>,
}

impl BitCounts {
    fn add(&mut self, set: &WindowBits) {
        let mut carry = *set;
        for plane in &mut self.planes {
            for (digit, carry) in plane.iter_mut().zip(&mut carry) {
                let both = *digit & *carry;
                *digit ^= *carry;
                *carry = both;
            }
        }
        if !bits::is_empty(&carry) {
            self.planes.push(carry);
        }
    }

    /// From the highest digit down: above the bound where a digit is set that the bound lacks, while all before agree.
    fn at_least(&self, bound: u32) -> WindowBits {
        if u64::from(bound) >> self.planes.len() != 0 {
            return bits::EMPTY;
        }
        let mut result = bits::EMPTY;
        for (word, above) in result.iter_mut().enumerate().take(WINDOW_WORDS) {
            let mut equal = u64::MAX;
            for (digit, plane) in self.planes.iter().enumerate().rev() {
                let set = plane[word];
                if bound >> digit & 1 == 1 {
                    equal &= set;
                } else {
                    *above |= equal & set;
                    equal &= !set;
                }
            }
            *above |= equal;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_agree_with_counting(sets in proptest::collection::vec(any::<u64>(), 0..12), bound in 1..14u32) {
            let mut counts = BitCounts::default();
            for &set in &sets {
                let mut window = bits::EMPTY;
                window[3] = set;
                counts.add(&window);
            }
            let found = counts.at_least(bound);
            for bit in 0..64 {
                let expected = sets.iter().filter(|&&set| set >> bit & 1 == 1).count() as u32 >= bound;
                prop_assert_eq!(found[3] >> bit & 1 == 1, expected);
            }
        }
    }
}
