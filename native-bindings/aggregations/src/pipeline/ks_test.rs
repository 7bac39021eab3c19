//! `bucket_count_ks_test`: whether documents lie in buckets as was expected, by the test of Kolmogorov and Smirnov for two samples.
//!
//! Both distributions are sampled at the same shares of their documents (the points), and the samples are compared. Where there
//! are fewer documents than points, so many points are drawn as there are documents, several times.

use crate::plan::{Alternative, BucketCountKsTest, SamplingMethod};
use quarry_base::error::{Error, ErrorCode, Result};

/// How probable it is that what was found is no further from what was expected, for each alternative; NaN where there are too few
/// documents to tell.
pub type Probabilities = Vec<(Alternative, f64)>;

const POINTS: usize = 55;
/// Fewer tell nothing.
const DOCUMENTS_MIN: f64 = 23.0;
const DRAWS: u32 = 20;

/// `counts`: documents of each bucket.
///
/// `AggregationExecution`: there are more buckets than were expected.
pub fn of_counts(of: &BucketCountKsTest, counts: &[f64]) -> Result<Probabilities> {
    let even = || vec![1.0 / counts.len() as f64; counts.len()];
    let expected = of.fractions.clone().unwrap_or_else(even);
    if expected.len() < counts.len() {
        let reason = format!("[fractions] has [{}] values, but there are [{}] buckets", expected.len(), counts.len());
        return Err(Error::new(ErrorCode::AggregationExecution, reason));
    }
    let documents = counts.iter().sum::<f64>();
    let (found, expected) = (Distribution::of(counts), Distribution::of(&expected));
    let (Some(found), Some(expected), true) = (found, expected, documents >= DOCUMENTS_MIN) else {
        return Ok(of.alternatives.iter().map(|alternative| (*alternative, f64::NAN)).collect());
    };
    let points = points_of(of.sampling_method);
    let compared = |points: &[f64]| Compared {
        found: sorted(points.iter().map(|&share| found.place_of(share))),
        expected: sorted(points.iter().map(|&share| expected.place_of(share))),
    };
    let probabilities: Vec<f64> = if documents >= POINTS as f64 {
        let compared = compared(&points);
        of.alternatives.iter().map(|alternative| compared.probability(*alternative)).collect()
    } else {
        let mut random = SplitMix(counts.len() as u64);
        let draws: Vec<Compared> =
            (0..DRAWS).map(|_| compared(&drawn(&points, documents as usize, &mut random))).collect();
        of.alternatives.iter().map(|alternative| together(&draws, *alternative)).collect()
    };
    Ok(of.alternatives.iter().copied().zip(probabilities).collect())
}

/// The mean of several draws, as the reference has it: the exponential of a mean of logarithms, of which the first is left out.
fn together(draws: &[Compared], alternative: Alternative) -> f64 {
    let logarithm = |probability: f64| if probability == 0.0 { 0.0 } else { probability.ln() };
    let of_draw = |(place, draw): (usize, &Compared)| {
        let probability = draw.probability(alternative);
        if place == 0 { probability } else { logarithm(probability) }
    };
    let sum: f64 = draws.iter().enumerate().map(of_draw).sum();
    (sum / f64::from(DRAWS)).exp().clamp(0.0, 1.0)
}

/// Shares of all documents at which distributions are compared; ascending, or descending for those of the lower tail.
fn points_of(method: SamplingMethod) -> Vec<f64> {
    // Ten stretches of the same length, each with one point more than the one before.
    let upper = (1..=10u32).flat_map(|stretch| {
        let of = f64::from(stretch);
        (0..stretch).map(move |nth| 0.1 * (of - 1.0) + 0.05 / of + 0.1 * f64::from(nth) / of)
    });
    match method {
        SamplingMethod::UpperTail => upper.collect(),
        SamplingMethod::LowerTail => upper.map(|point| 1.0 - point).collect(),
        SamplingMethod::Uniform => (1..=POINTS).map(|nth| nth as f64 / (POINTS + 1) as f64).collect(),
    }
}

/// So many of the points, in no order.
fn drawn(points: &[f64], count: usize, random: &mut SplitMix) -> Vec<f64> {
    let mut points = points.to_vec();
    for place in 0..count.min(points.len()) {
        let other = place + (random.draw() % (points.len() - place) as u64) as usize;
        points.swap(place, other);
    }
    points.truncate(count);
    points
}

/// Equal requests over equal buckets have equal answers.
struct SplitMix(u64);

impl SplitMix {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Shares of the documents up to the end of each bucket, with that of none before them.
struct Distribution(Vec<f64>);

impl Distribution {
    /// `None`: of nothing.
    fn of(buckets: &[f64]) -> Option<Self> {
        let sum = buckets.iter().sum::<f64>();
        let ends = buckets.iter().scan(0.0, |end, bucket| {
            *end += bucket;
            Some(*end / sum)
        });
        (sum > 0.0).then(|| Distribution(std::iter::once(0.0).chain(ends).collect()))
    }

    /// Where among the buckets, counted from 1, so many of the documents are.
    fn place_of(&self, share: f64) -> f64 {
        let ends = &self.0;
        let at = ends.partition_point(|end| *end <= share).clamp(1, ends.len() - 1);
        let (before, behind) = (ends[at - 1], ends[at]);
        let place = at as f64;
        ((share - before) * (place + 1.0) + (behind - share) * place) / (behind - before)
    }
}

/// Two samples of the same size, ascending.
struct Compared {
    found: Vec<f64>,
    expected: Vec<f64>,
}

impl Compared {
    fn probability(&self, alternative: Alternative) -> f64 {
        let statistic = self.statistic(alternative);
        let size = self.found.len();
        match alternative {
            Alternative::Less | Alternative::Greater => one_sided(statistic, size as f64),
            Alternative::TwoSided => two_sided(statistic, size),
        }
    }

    /// The greatest distance of the shares of both samples up to some place.
    fn statistic(&self, alternative: Alternative) -> f64 {
        let (found, expected) = (&self.found, &self.expected);
        let size = found.len() as f64;
        let distance = |of_found: usize, of_expected: usize| {
            let (of_found, of_expected) = (of_found as f64 / size, of_expected as f64 / size);
            match alternative {
                Alternative::Less => (of_expected - of_found).max(0.0),
                Alternative::Greater => (of_found - of_expected).max(0.0),
                Alternative::TwoSided => (of_expected - of_found).abs(),
            }
        };
        let found_is_first = found.first() < expected.first();
        let (mut at, mut other) = if found_is_first { (1, 0) } else { (0, 1) };
        let mut greatest = 0.0f64;
        while let (Some(here), Some(there)) = (found.get(at), expected.get(other)) {
            greatest = greatest.max(distance(at, other));
            at += usize::from(here <= there);
            other += usize::from(there <= here);
        }
        greatest.max(distance(at, other))
    }
}

/// Hodges' approximation for two samples of this size ("The significance probability of the Smirnov two-sample test", 1958, 5.3).
fn one_sided(statistic: f64, size: f64) -> f64 {
    let z = (size / 2.0).sqrt() * statistic;
    let continuity = 3.0 * size / (2.0 * size.powi(3)).sqrt();
    (-2.0 * z * z - 2.0 * z * continuity / 3.0).exp().clamp(0.0, 1.0)
}

/// The exact probability that two samples of this size of one distribution are as far apart: of all ways in which both may take
/// turns, those that somewhere are.
fn two_sided(statistic: f64, size: usize) -> f64 {
    // Statistics are multiples of 1 / size, but for how they were rounded.
    let apart = ((statistic - 1e-12) * size as f64).ceil();
    let is_near = |left: usize, right: usize| ((left as f64) - (right as f64)).abs() < apart;
    // Ways to each step, and those of them that stay near: floats hold what whole numbers of 64 bits do not.
    let mut near = vec![0.0; size + 1];
    let mut all = vec![0.0; size + 1];
    for left in 0..=size {
        for right in 0..=size {
            let (stays, ways) = match (left, right) {
                (0, 0) => (1.0, 1.0),
                (0, _) => (near[right - 1], all[right - 1]),
                (_, 0) => (near[right], all[right]),
                _ => (near[right] + near[right - 1], all[right] + all[right - 1]),
            };
            near[right] = if is_near(left, right) { stays } else { 0.0 };
            all[right] = ways;
        }
    }
    1.0 - near[size] / all[size]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{GapPolicy, Input};
    use proptest::prelude::*;

    const ALTERNATIVES: [Alternative; 3] = [Alternative::Less, Alternative::Greater, Alternative::TwoSided];
    const METHODS: [SamplingMethod; 3] =
        [SamplingMethod::UpperTail, SamplingMethod::LowerTail, SamplingMethod::Uniform];

    fn plan(fractions: Option<Vec<f64>>, sampling_method: SamplingMethod) -> BucketCountKsTest {
        let input = Input { path: Vec::new(), gaps: GapPolicy::InsertZeros, format: None };
        BucketCountKsTest { input, fractions, alternatives: ALTERNATIVES.to_vec(), sampling_method }
    }

    /// Less, greater, and of both sides.
    fn probabilities(counts: &[f64], method: SamplingMethod) -> [f64; 3] {
        let found = of_counts(&plan(None, method), counts).unwrap();
        ALTERNATIVES.map(|wanted| found.iter().find(|(alternative, _)| *alternative == wanted).unwrap().1)
    }

    #[test]
    fn points_lie_where_their_method_says() {
        for method in METHODS {
            let points = sorted(points_of(method).into_iter());
            assert_eq!(points.len(), POINTS);
            assert!(points.iter().all(|point| (0.0..1.0).contains(point)));
            let low = points.iter().filter(|point| **point < 0.5).count();
            let expected = match method {
                SamplingMethod::UpperTail => 15,
                SamplingMethod::LowerTail => 40,
                SamplingMethod::Uniform => 27,
            };
            assert_eq!(low, expected, "{method:?}");
        }
    }

    /// The reference's own examples.
    const LOWER: [f64; 10] = [400.0, 600.0, 200.0, 100.0, 300.0, 10.0, 10.0, 10.0, 10.0, 10.0];
    const LOWER_SPARSE: [f64; 10] = [4.0, 6.0, 2.0, 3.0, 3.0, 2.0, 1.0, 1.0, 1.0, 1.0];
    const UPPER: [f64; 10] = [40.0, 10.0, 1.0, 400.0, 400.0, 200.0, 400.0, 300.0, 300.0, 400.0];
    const UPPER_SPARSE: [f64; 10] = [1.0, 2.0, 3.0, 6.0, 7.0, 7.0, 7.0, 6.0, 6.0, 7.0];

    #[test]
    fn equal_distributions_are_probable() {
        for (size, count) in [(10, 10.0), (37, 977.0), (100, 10_000.0)] {
            for method in METHODS {
                let found = probabilities(&vec![count; size], method);
                assert!(found.iter().all(|probability| *probability > 0.9), "{found:?}");
            }
        }
    }

    #[test]
    fn tails_are_told_apart() {
        for (dense, sparse) in [(LOWER, LOWER_SPARSE), (UPPER, UPPER_SPARSE)] {
            let [upper, lower, uniform] = METHODS.map(|method| probabilities(&dense, method));
            for (method, found) in METHODS.into_iter().zip([upper, lower, uniform]) {
                let of_sparse = probabilities(&sparse, method);
                assert!(found.iter().chain(&of_sparse).all(|probability| (0.0..=1.0).contains(probability)));
                assert!(found.iter().zip(of_sparse).all(|(dense, sparse)| *dense <= sparse), "{found:?} {of_sparse:?}");
            }
            assert!(upper[0] >= lower[0] && upper[1] <= lower[1] && uniform[0] >= lower[0]);
        }
    }

    /// Worked out by the reference's formulas, step by step, apart from these ones.
    #[test]
    fn dense_examples_have_the_reference_s_answers() {
        let lower = [
            [1.0, 7.90412481974124e-12, 4.048428259295633e-12],
            [1.0, 1.0725682568116337e-6, 2.2244569325424735e-6],
            [1.0, 1.0725682568116299e-6, 2.2244569325424735e-6],
        ];
        let upper = [
            [0.13533528323661262, 1.0, 0.3255178214811779],
            [7.369344346659532e-6, 1.0, 1.698257809878978e-5],
            [0.007115679529076474, 1.0, 0.018584154974416567],
        ];
        for (counts, expected) in [(LOWER, lower), (UPPER, upper)] {
            for (method, expected) in METHODS.into_iter().zip(expected) {
                let found = probabilities(&counts, method);
                // What is left of 1 has fewer digits the less it is.
                let is_close = |(found, expected): (&f64, f64)| (found - expected).abs() < 1e-9 * expected + 1e-15;
                assert!(found.iter().zip(expected).all(is_close), "{method:?} {found:?} {expected:?}");
            }
        }
    }

    #[test]
    fn what_is_too_little_is_not_a_number() {
        for counts in [vec![], vec![0.0; 10], vec![2.0; 11]] {
            assert!(probabilities(&counts, SamplingMethod::Uniform).iter().all(|found| found.is_nan()), "{counts:?}");
        }
        let nothing_expected = plan(Some(vec![0.0; 2]), SamplingMethod::UpperTail);
        assert!(of_counts(&nothing_expected, &[50.0, 9.0]).unwrap().iter().all(|(_, found)| found.is_nan()));
        let error = of_counts(&plan(Some(vec![1.0]), SamplingMethod::UpperTail), &[50.0, 9.0]).unwrap_err();
        assert_eq!(error.reason, "[fractions] has [1] values, but there are [2] buckets");
    }

    /// All orders in which two samples may come, and how far apart their shares are in each.
    fn share_as_far_apart(statistic: f64, size: usize) -> f64 {
        let (mut as_far, mut all) = (0, 0);
        for order in 0u32..1 << (2 * size) {
            if order.count_ones() as usize != size {
                continue;
            }
            all += 1;
            let mut ahead = 0i32;
            let distances = (0..2 * size).map(|step| {
                ahead += if order >> step & 1 == 1 { 1 } else { -1 };
                f64::from(ahead.abs()) / size as f64
            });
            as_far += usize::from(distances.fold(0.0, f64::max) >= statistic - 1e-9);
        }
        as_far as f64 / f64::from(all)
    }

    #[test]
    fn both_sides_are_counted_exactly() {
        for size in 1..=7 {
            for steps in 1..=size {
                let statistic = steps as f64 / size as f64;
                let found = two_sided(statistic, size);
                assert!((found - share_as_far_apart(statistic, size)).abs() < 1e-12, "{size} {steps}");
            }
        }
    }

    /// The greatest distance at any place that a sample has.
    fn slow_statistic(found: &[f64], expected: &[f64]) -> f64 {
        let share = |of: &[f64], at: f64| of.iter().filter(|value| **value <= at).count() as f64 / of.len() as f64;
        let places = found.iter().chain(expected);
        places.map(|&at| (share(found, at) - share(expected, at)).abs()).fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn distances_are_those_of_the_definition(
            pairs in prop::collection::vec((0i32..1000, 0i32..1000), 1..40),
        ) {
            // No place twice, where several orders would be right.
            let apart = |(nth, value): (usize, i32)| f64::from(value) + nth as f64 / 1000.0;
            let found = sorted(pairs.iter().map(|pair| pair.0).enumerate().map(apart));
            let expected = sorted(pairs.iter().map(|pair| pair.1).enumerate().map(apart).map(|value| value + 0.0001));
            let slow = slow_statistic(&found, &expected);
            let compared = Compared { found, expected };
            prop_assert!((compared.statistic(Alternative::TwoSided) - slow).abs() < 1e-12);
            let sides = compared.statistic(Alternative::Less).max(compared.statistic(Alternative::Greater));
            prop_assert!((sides - slow).abs() < 1e-12);
        }
    }
}
