//! Sums of small whole numbers, exact, bucket by bucket.

use crate::collect::values::slices::leading;
use crate::metrics::stats::Stats;

/// Numbers up to this size are added up as whole numbers: those of a shard's documents, one each, cannot make the sum overflow.
const SUMMED_MAX: i64 = 1 << 31;
/// The same for their squares.
const SQUARED_MAX: i64 = 1 << 15;
/// Documents of one bucket behind one another from which on it pays to add them up before the bucket is touched.
const RUN_LENGTH: usize = 8;
/// Up to so many buckets have a second sum: documents behind one another mostly fall in the same few.
const LANED_BUCKETS: u32 = 4_096;

/// What is known of the numbers of a bucket.
pub trait Whole: Copy + Default {
    /// The greatest number, either way, that it can add.
    const MAX: i64 = SUMMED_MAX;

    fn add(&mut self, value: i64);

    fn merge(&mut self, other: &Self);

    fn add_to(&self, stats: &mut Stats);
}

/// Count and sum.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum {
    count: u64,
    sum: i64,
}

impl Whole for Sum {
    #[inline]
    fn add(&mut self, value: i64) {
        self.count += 1;
        self.sum += value;
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
    }

    fn add_to(&self, stats: &mut Stats) {
        stats.count += self.count;
        stats.sum.add_whole(self.sum);
    }
}

/// And the least and the greatest.
#[derive(Debug, Clone, Copy)]
pub struct Extremes {
    sum: Sum,
    min: i64,
    max: i64,
}

impl Default for Extremes {
    fn default() -> Self {
        Extremes { sum: Sum::default(), min: i64::MAX, max: i64::MIN }
    }
}

impl Whole for Extremes {
    #[inline]
    fn add(&mut self, value: i64) {
        self.sum.add(value);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    fn merge(&mut self, other: &Self) {
        self.sum.merge(&other.sum);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    fn add_to(&self, stats: &mut Stats) {
        if self.sum.count > 0 {
            self.sum.add_to(stats);
            stats.min = stats.min.min(self.min as f64);
            stats.max = stats.max.max(self.max as f64);
        }
    }
}

/// And the sum of squares.
#[derive(Debug, Clone, Copy, Default)]
pub struct Squares {
    extremes: Extremes,
    squares: i64,
}

impl Whole for Squares {
    const MAX: i64 = SQUARED_MAX;

    #[inline]
    fn add(&mut self, value: i64) {
        self.extremes.add(value);
        self.squares += value * value;
    }

    fn merge(&mut self, other: &Self) {
        self.extremes.merge(&other.extremes);
        self.squares += other.squares;
    }

    fn add_to(&self, stats: &mut Stats) {
        self.extremes.add_to(stats);
        stats.squares.add_whole(self.squares);
    }
}

/// The sums of all buckets.
#[derive(Debug)]
pub struct WholeSums<W> {
    by_bucket: Vec<W>,
    /// Every other number of the first buckets.
    others: Vec<W>,
}

impl<W> Default for WholeSums<W> {
    fn default() -> Self {
        WholeSums { by_bucket: Vec::new(), others: Vec::new() }
    }
}

impl<W: Whole> WholeSums<W> {
    /// Whether numbers in this range can be added.
    pub fn can_add((low, high): (i64, i64)) -> bool {
        low >= -W::MAX && high <= W::MAX
    }

    /// All numbers are in one bucket.
    pub fn add_all(&mut self, bucket: u32, values: &[i64]) {
        hold(&mut self.by_bucket, bucket);
        self.by_bucket[bucket as usize].merge(&sum_of(values));
    }

    /// Each number is in the bucket at the same place.
    pub fn add_each(&mut self, buckets: &[u32], values: &[i64]) {
        let Some(&last) = buckets.iter().max() else { return };
        hold(&mut self.by_bucket, last);
        if are_in_runs(buckets) {
            return self.add_runs(buckets, values);
        }
        if last >= LANED_BUCKETS {
            let sums = &mut self.by_bucket;
            return buckets.iter().zip(values).for_each(|(&bucket, &value)| sums[bucket as usize].add(value));
        }
        hold(&mut self.others, last);
        let ((pairs, last_bucket), (value_pairs, last_value)) = (buckets.as_chunks::<2>(), values.as_chunks::<2>());
        for (buckets, values) in pairs.iter().zip(value_pairs) {
            self.by_bucket[buckets[0] as usize].add(values[0]);
            self.others[buckets[1] as usize].add(values[1]);
        }
        if let ([bucket], [value]) = (last_bucket, last_value) {
            self.by_bucket[*bucket as usize].add(*value);
        }
    }

    fn add_runs(&mut self, buckets: &[u32], values: &[i64]) {
        let (mut buckets, mut values) = (buckets, values);
        while let Some(&bucket) = buckets.first() {
            let (run, behind) = buckets.split_at(leading(buckets, |&other| other == bucket));
            let (of_run, others) = values.split_at(run.len().min(values.len()));
            self.by_bucket[bucket as usize].merge(&sum_of(of_run));
            (buckets, values) = (behind, others);
        }
    }

    /// Adds what is known of each bucket to the place of its number.
    pub fn add_to(&self, stats: &mut [Stats]) {
        for sums in [&self.by_bucket, &self.others] {
            sums.iter().zip(stats.iter_mut()).for_each(|(sum, stats)| sum.add_to(stats));
        }
    }
}

fn sum_of<W: Whole>(values: &[i64]) -> W {
    let mut sum = W::default();
    values.iter().for_each(|&value| sum.add(value));
    sum
}

fn hold<W: Whole>(sums: &mut Vec<W>, bucket: u32) {
    if sums.len() <= bucket as usize {
        sums.resize(bucket as usize + 1, W::default());
    }
}

/// Documents behind one another mostly fall in the same bucket.
fn are_in_runs(buckets: &[u32]) -> bool {
    let following = buckets.get(1..).unwrap_or_default();
    let ends: u32 = buckets.iter().zip(following).map(|(left, right)| u32::from(left != right)).sum();
    ends as usize * RUN_LENGTH < buckets.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::Dice;

    fn check<W: Whole>(seed: u64, tell: impl Fn(&Stats) -> (u64, f64, f64, f64, f64)) {
        let mut dice = Dice::new(seed);
        let buckets_max = [3, 40, 2 * u64::from(LANED_BUCKETS)][seed as usize % 3];
        let mut sums = WholeSums::<W>::default();
        let mut expected = vec![Stats::default(); buckets_max as usize];
        for _ in 0..6 {
            let count = dice.below(700) as usize;
            let run = [1, 1, 50][dice.below(3) as usize];
            let buckets: Vec<u32> = (0..count).map(|at| (at / run * 7_919) as u32 % buckets_max as u32).collect();
            let values: Vec<i64> = (0..count).map(|_| dice.below(2 * W::MAX as u64 + 1) as i64 - W::MAX).collect();
            sums.add_each(&buckets, &values);
            buckets.iter().zip(&values).for_each(|(&bucket, &value)| expected[bucket as usize].add(value as f64));
            sums.add_all(1, &values);
            values.iter().for_each(|&value| expected[1].add(value as f64));
        }
        let mut found = vec![Stats::default(); buckets_max as usize];
        sums.add_to(&mut found);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(tell(found), tell(expected), "seed {seed}");
        }
    }

    #[test]
    fn sums_are_those_of_numbers_one_by_one() {
        for seed in 0..12 {
            check::<Sum>(seed, |stats| (stats.count, stats.sum.value(), 0.0, 0.0, 0.0));
            check::<Extremes>(seed, |stats| (stats.count, stats.sum.value(), stats.min, stats.max, 0.0));
            let all = |stats: &Stats| (stats.count, stats.sum.value(), stats.min, stats.max, stats.squares.value());
            check::<Squares>(seed, all);
        }
    }
}
