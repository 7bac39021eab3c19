//! Values of functions and the query's score as one score, in double precision as the API's users have it.

use super::Modes;
use quarry_plan::function_score::{BoostMode, ScoreMode};

/// Takes the values of the functions that count for one document, in order.
#[derive(Debug)]
pub struct Factor {
    mode: ScoreMode,
    value: f64,
    weights: f64,
    count: u32,
}

impl Factor {
    pub fn new(mode: ScoreMode) -> Self {
        let value = match mode {
            ScoreMode::Max => f64::NEG_INFINITY,
            ScoreMode::Min => f64::INFINITY,
            ScoreMode::Sum | ScoreMode::Avg => 0.0,
            ScoreMode::Multiply | ScoreMode::First => 1.0,
        };
        Factor { mode, value, weights: 0.0, count: 0 }
    }

    /// More values would change nothing.
    pub fn is_settled(&self) -> bool {
        self.mode == ScoreMode::First && self.count > 0
    }

    /// `value` has been multiplied with its weight.
    pub fn add(&mut self, value: f64, weight: f64) {
        match self.mode {
            ScoreMode::Multiply => self.value *= value,
            ScoreMode::Sum | ScoreMode::Avg => self.value += value,
            ScoreMode::First if self.count > 0 => {}
            ScoreMode::First => self.value = value,
            ScoreMode::Max => self.value = self.value.max(value),
            ScoreMode::Min => self.value = self.value.min(value),
        }
        self.weights += weight;
        self.count += 1;
    }

    /// 1 when no function counted.
    pub fn value(&self) -> f64 {
        match self.mode {
            _ if self.count == 0 => 1.0,
            ScoreMode::Sum | ScoreMode::Avg if self.weights == 0.0 => 1.0,
            ScoreMode::Avg => self.value / self.weights,
            _ => self.value,
        }
    }
}

/// What is known of a function before its documents are looked at.
#[derive(Debug, Clone, Copy)]
pub struct FunctionBound {
    /// Its value is not larger; infinity where unknown.
    pub value: f64,
    pub weight: f64,
    /// It counts for every document.
    pub is_always: bool,
}

/// Logarithms need not be monotone in their last bit.
const SLACK: f64 = 1.0 + 1e-9;

/// No document has a larger [`Factor`]; infinity where that is unknown.
pub fn factor_bound(mode: ScoreMode, functions: &[FunctionBound]) -> f64 {
    let (mut product, mut sum, mut greatest, mut greatest_value) = (1.0, 0.0, 0f64, 0f64);
    let mut counts = false;
    for &FunctionBound { value, weight, is_always } in functions {
        let weighted = value * weight;
        if weighted.is_nan() || weighted < 0.0 {
            return f64::INFINITY;
        }
        product *= if is_always { weighted } else { weighted.max(1.0) };
        sum += weighted;
        greatest = greatest.max(weighted);
        greatest_value = greatest_value.max(value);
        counts |= is_always && weight > 0.0;
    }
    let bound = match mode {
        ScoreMode::Multiply => product,
        ScoreMode::Sum => sum,
        ScoreMode::Avg => greatest_value,
        ScoreMode::First | ScoreMode::Max | ScoreMode::Min => greatest,
    };
    if bound.is_nan() {
        return f64::INFINITY;
    }
    // Where nothing counts, the factor is 1.
    let bound = if counts { bound } else { bound.max(1.0) };
    bound * SLACK
}

/// The score of a document that the query scores `query` and the functions `factor`.
pub fn combine(modes: Modes, query: f32, factor: f64) -> f32 {
    let (query, factor) = (f64::from(query), factor.min(f64::from(modes.max_boost)));
    let score = match modes.boost {
        BoostMode::Multiply => query * factor,
        BoostMode::Replace => factor,
        BoostMode::Sum => query + factor,
        BoostMode::Avg => (query + factor) / 2.0,
        BoostMode::Max => query.max(factor),
        BoostMode::Min => query.min(factor),
    };
    score as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(mode: ScoreMode, values: &[(f64, f64)]) -> f64 {
        let mut factor = Factor::new(mode);
        for &(value, weight) in values {
            factor.add(value * weight, weight);
        }
        factor.value()
    }

    #[test]
    fn no_factor_exceeds_its_bound() {
        let modes =
            [ScoreMode::Multiply, ScoreMode::Sum, ScoreMode::Avg, ScoreMode::First, ScoreMode::Max, ScoreMode::Min];
        let mut random = quarry_testing::Dice::new(7);
        for round in 0..20_000 {
            let mode = modes[round % modes.len()];
            let mut bounds = Vec::new();
            let mut factor = Factor::new(mode);
            for _ in 0..random.below(4) {
                let value = random.below(40) as f64 / 8.0;
                let weight = random.below(4) as f64;
                let is_always = random.below(2) == 0;
                if !factor.is_settled() && (is_always || random.below(2) == 0) {
                    factor.add(value * weight, weight);
                }
                bounds.push(FunctionBound { value: value + random.below(3) as f64, weight, is_always });
            }
            let bound = factor_bound(mode, &bounds);
            assert!(factor.value() <= bound, "{mode:?}: {} of {bounds:?} is above {bound}", factor.value());
        }
        let unknown = FunctionBound { value: f64::INFINITY, weight: 0.0, is_always: true };
        assert_eq!(factor_bound(ScoreMode::Sum, &[unknown]), f64::INFINITY);
        let some = FunctionBound { value: f64::INFINITY, weight: 1.0, is_always: false };
        let nothing = FunctionBound { value: 1.0, weight: 0.0, is_always: true };
        assert_eq!(factor_bound(ScoreMode::Multiply, &[some, nothing]), f64::INFINITY);
    }

    #[test]
    fn modes_by_hand() {
        let values = [(2.0, 1.0), (3.0, 4.0)];
        assert_eq!(factor(ScoreMode::Multiply, &values), 24.0);
        assert_eq!(factor(ScoreMode::Sum, &values), 14.0);
        // Weighted: (2 * 1 + 3 * 4) / (1 + 4).
        assert_eq!(factor(ScoreMode::Avg, &values), 2.8);
        assert_eq!(factor(ScoreMode::First, &values), 2.0);
        assert_eq!(factor(ScoreMode::Max, &values), 12.0);
        assert_eq!(factor(ScoreMode::Min, &values), 2.0);
        for mode in [ScoreMode::Multiply, ScoreMode::Avg, ScoreMode::Max] {
            assert_eq!(factor(mode, &[]), 1.0);
        }
        let modes = |boost| Modes { score: ScoreMode::Sum, boost, max_boost: 5.0 };
        let combined = |boost| combine(modes(boost), 4.0, 7.0);
        assert_eq!(combined(BoostMode::Multiply), 20.0);
        assert_eq!(combined(BoostMode::Replace), 5.0);
        assert_eq!(combined(BoostMode::Sum), 9.0);
        assert_eq!(combined(BoostMode::Avg), 4.5);
        assert_eq!(combined(BoostMode::Max), 5.0);
        assert_eq!(combined(BoostMode::Min), 4.0);
    }
}
