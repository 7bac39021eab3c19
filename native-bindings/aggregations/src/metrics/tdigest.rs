//! Quantiles of many numbers in little memory: a merging t-digest.
//!
//! After Dunning and Ertl, "Computing Extremely Accurate Quantiles Using t-Digests" (2019), with the scale function k1 of that
//! paper. Up to [`RAW_FACTOR`] times the compression of numbers are kept as they are, and quantiles of them are numbers of
//! the data; beyond that neighbours are merged into centroids, the fewer the closer to an end.

use quarry_codec::sortable;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Numbers kept before centroids are merged, for each unit of compression.
const RAW_FACTOR: f64 = 10.0;
/// Units of the scale, and so the most centroids that merging leaves, for each unit of compression. Half of what is kept
/// before: merging frees as much room as it leaves filled.
const SCALE_FACTOR: f64 = 5.0;
/// Of the API's compressions more than this gains nothing that a reader could see.
const COMPRESSION_MAX: f64 = 10_000.0;
const COMPRESSION_MIN: f64 = 10.0;
/// Numbers that wait to be sorted; few buckets have so many.
const ADDED_MAX: usize = 4_096;
const ADDED_MIN: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Centroid {
    mean: f64,
    weight: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TDigest {
    compression: f64,
    /// In order after [`TDigest::settle`].
    centroids: Vec<Centroid>,
    /// Numbers that came since the last settling, in sortable form: sorting many at once and merging them takes a fraction of
    /// doing it often.
    added: Vec<i64>,
    weight: f64,
    min: f64,
    max: f64,
}

impl TDigest {
    pub fn new(compression: f64) -> Self {
        TDigest {
            compression: compression.clamp(COMPRESSION_MIN, COMPRESSION_MAX),
            centroids: Vec::new(),
            added: Vec::new(),
            weight: 0.0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.centroids.is_empty() && self.added.is_empty()
    }

    #[inline]
    pub fn add(&mut self, value: f64) {
        if self.added.len() == self.added.capacity() {
            self.make_room();
        }
        self.added.push(sortable::from_f64(value));
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// As if the value were added so often. Few are kept as they are.
    pub fn add_counted(&mut self, value: f64, count: u64) {
        if self.weight + (self.added.len() as u64).saturating_add(count) as f64 <= self.raw_max() {
            (0..count).for_each(|_| self.add(value));
            return;
        }
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.add_centroid(Centroid { mean: value, weight: count as f64 });
    }

    /// Doubles the room for numbers up to [`ADDED_MAX`], where they are settled instead.
    fn make_room(&mut self) {
        if self.added.len() < ADDED_MAX {
            self.added.reserve_exact(self.added.len().max(ADDED_MIN));
            return;
        }
        self.settle();
    }

    /// As if the other's numbers were added after those of this one. Numbers that it keeps as they are are added as they are.
    pub fn absorb(&mut self, mut other: TDigest) {
        if other.centroids.is_empty() {
            return other.added.iter().for_each(|&number| self.add(sortable::to_f64(number)));
        }
        other.settle();
        self.merge(&other);
    }

    /// Leaves the digest settled. The other one must be.
    pub fn merge(&mut self, other: &TDigest) {
        debug_assert!(other.added.is_empty(), "it is settled");
        other.centroids.iter().for_each(|&centroid| self.add_centroid(centroid));
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.settle();
    }

    fn add_centroid(&mut self, centroid: Centroid) {
        self.centroids.push(centroid);
        self.weight += centroid.weight;
        if self.is_large() {
            self.settle();
        }
    }

    fn is_large(&self) -> bool {
        self.centroids.len() as f64 >= self.raw_max()
    }

    /// To be called before the digest is asked anything, merged into another one or sent.
    pub fn settle(&mut self) {
        let mut added = std::mem::take(&mut self.added);
        added.sort_unstable();
        self.weight += added.len() as f64;
        self.centroids.sort_unstable_by(|left, right| left.mean.total_cmp(&right.mean));
        let is_large = (self.centroids.len() + added.len()) as f64 >= self.raw_max();
        let known = std::mem::take(&mut self.centroids);
        self.centroids = merged(known, &added);
        added.clear();
        self.added = added;
        if is_large {
            self.shrink();
        }
    }

    /// Adds numbers in ascending order, each with how often it was met: as good as adding each by itself.
    pub fn add_sorted(&mut self, numbers: impl Iterator<Item = (f64, u64)> + Clone) {
        let count: u64 = numbers.clone().map(|(_, count)| count).sum();
        if ((self.centroids.len() + self.added.len()) as u64).saturating_add(count) as f64 <= self.raw_max() {
            return numbers.for_each(|(number, count)| (0..count).for_each(|_| self.add(number)));
        }
        self.settle();
        self.weight += count as f64;
        let mut known = std::mem::take(&mut self.centroids).into_iter().peekable();
        let mut shrunk = Shrunk::new(self.weight, self.compression);
        for (number, count) in numbers {
            self.min = self.min.min(number);
            self.max = self.max.max(number);
            while let Some(centroid) = known.next_if(|centroid| centroid.mean.total_cmp(&number).is_lt()) {
                shrunk.push(centroid);
            }
            shrunk.push_equal(number, count as f64);
        }
        known.for_each(|centroid| shrunk.push(centroid));
        self.centroids = shrunk.centroids;
    }

    /// So many numbers are kept as they are.
    fn raw_max(&self) -> f64 {
        self.compression * RAW_FACTOR
    }

    /// Merges neighbours as long as a centroid spans at most one unit of the scale.
    fn shrink(&mut self) {
        let mut shrunk = Shrunk::new(self.weight, self.compression);
        self.centroids.drain(..).for_each(|centroid| shrunk.push(centroid));
        self.centroids = shrunk.centroids;
    }

    /// The number below which this part (0 to 1) of the numbers lies; NaN without numbers.
    pub fn quantile(&self, part: f64) -> f64 {
        let (Some(first), Some(last)) = (self.centroids.first(), self.centroids.last()) else { return f64::NAN };
        let index = part * self.weight;
        let rest = self.weight - index;
        if index < 1.0 {
            return self.min;
        }
        if rest < 1.0 {
            return self.max;
        }
        if first.weight > 2.0 && index < first.weight / 2.0 {
            return self.min + (first.mean - self.min) * (index - 1.0) / (first.weight / 2.0 - 1.0);
        }
        if last.weight > 2.0 && rest <= last.weight / 2.0 {
            return self.max - (self.max - last.mean) * (rest - 1.0) / (last.weight / 2.0 - 1.0);
        }
        let mut centre = first.weight / 2.0;
        for pair in self.centroids.windows(2) {
            let (left, right) = (pair[0], pair[1]);
            let next = centre + (left.weight + right.weight) / 2.0;
            if index < next {
                return between(left, right, index - centre, next - index);
            }
            centre = next;
        }
        last.mean
    }

    /// The part (0 to 1) of the numbers that lies below `value`, half of those equal to it included; NaN without numbers.
    pub fn rank(&self, value: f64) -> f64 {
        let (Some(first), Some(last)) = (self.centroids.first(), self.centroids.last()) else { return f64::NAN };
        if value < self.min {
            return 0.0;
        }
        if value > self.max {
            return 1.0;
        }
        if value < first.mean {
            return tail(value - self.min, first.mean - self.min, first.weight) / self.weight;
        }
        if value > last.mean {
            return 1.0 - tail(self.max - value, self.max - last.mean, last.weight) / self.weight;
        }
        let place = self.centroids.partition_point(|centroid| centroid.mean < value);
        let below: f64 = self.centroids[..place].iter().map(|centroid| centroid.weight).sum();
        let equal = self.centroids[place..].iter().take_while(|centroid| centroid.mean == value);
        let equal: f64 = equal.map(|centroid| centroid.weight).sum();
        if equal > 0.0 || place == 0 {
            return (below + equal / 2.0) / self.weight;
        }
        let (left, right) = (self.centroids[place - 1], self.centroids[place]);
        // A single number lies where it lies; only the weights of merged ones spread towards the neighbour.
        let (behind, ahead) = (spread(left.weight), spread(right.weight));
        let share = (value - left.mean) / (right.mean - left.mean);
        (below - behind + (behind + ahead) * share) / self.weight
    }

    /// Extremes, quartiles, and the outermost numbers no further than one and a half times the middle half from it. NaN without numbers.
    pub fn boxplot(&self) -> [(&'static str, f64); 7] {
        let (q1, q2, q3) = (self.quantile(0.25), self.quantile(0.5), self.quantile(0.75));
        let reach = 1.5 * (q3 - q1);
        let means = || self.centroids.iter().map(|centroid| centroid.mean);
        // A box without a width has no number strictly inside of its reach.
        let lower = means().find(|&mean| mean > q1 - reach).unwrap_or(f64::NAN);
        let upper = means().rfind(|&mean| mean < q3 + reach).unwrap_or(f64::NAN);
        let (min, max) = if self.is_empty() { (f64::NAN, f64::NAN) } else { (self.min, self.max) };
        [("min", min), ("max", max), ("q1", q1), ("q2", q2), ("q3", q3), ("lower", lower), ("upper", upper)]
    }

    /// The median distance of the numbers from their median.
    pub fn median_absolute_deviation(&self) -> f64 {
        let median = self.quantile(0.5);
        let mut deviations = TDigest::new(self.compression);
        for centroid in &self.centroids {
            let mean = (centroid.mean - median).abs();
            deviations.add_centroid(Centroid { mean, weight: centroid.weight });
            deviations.min = deviations.min.min(mean);
            deviations.max = deviations.max.max(mean);
        }
        deviations.settle();
        deviations.quantile(0.5)
    }
}

/// Centroids that come in order, merged with their neighbours as long as each spans at most one unit of the scale.
struct Shrunk {
    centroids: Vec<Centroid>,
    /// Of all that will come.
    weight: f64,
    compression: f64,
    /// What lies before the last centroid, and where it has to end.
    before: f64,
    limit: f64,
}

impl Shrunk {
    fn new(weight: f64, compression: f64) -> Self {
        let mut shrunk = Shrunk { centroids: Vec::new(), weight, compression, before: 0.0, limit: 0.0 };
        shrunk.limit = weight * shrunk.end_of_centroid(0.0);
        shrunk
    }

    fn push(&mut self, centroid: Centroid) {
        match self.centroids.last_mut() {
            Some(last) if self.before + last.weight + centroid.weight <= self.limit => last.merge(centroid),
            _ => self.begin(centroid),
        }
    }

    /// As if the number were pushed so often by itself.
    fn push_equal(&mut self, mean: f64, mut count: f64) {
        while count > 0.0 {
            match self.centroids.last_mut() {
                Some(last) if self.before + last.weight + 1.0 <= self.limit => {
                    let weight = (self.limit - self.before - last.weight).floor().min(count);
                    last.merge(Centroid { mean, weight });
                    count -= weight;
                }
                _ => {
                    self.begin(Centroid { mean, weight: 1.0 });
                    count -= 1.0;
                }
            }
        }
    }

    fn begin(&mut self, centroid: Centroid) {
        self.before += self.centroids.last().map_or(0.0, |last| last.weight);
        self.limit = self.weight * self.end_of_centroid(self.before / self.weight);
        self.centroids.push(centroid);
    }

    /// The quantile at which a centroid that begins at `quantile` has to end.
    fn end_of_centroid(&self, quantile: f64) -> f64 {
        let unit = 2.0 * PI / (SCALE_FACTOR * self.compression);
        let angle = (2.0 * quantile.min(1.0) - 1.0).asin() + unit;
        if angle >= PI / 2.0 { 1.0 } else { (angle.sin() + 1.0) / 2.0 }
    }
}

impl Centroid {
    fn merge(&mut self, other: Centroid) {
        self.weight += other.weight;
        self.mean += (other.mean - self.mean) * other.weight / self.weight;
    }
}

/// Centroids and sortable numbers, both in order, as centroids in order.
fn merged(centroids: Vec<Centroid>, numbers: &[i64]) -> Vec<Centroid> {
    let mut all = Vec::with_capacity(centroids.len() + numbers.len());
    let mut centroids = centroids.into_iter().peekable();
    for mean in numbers.iter().map(|&number| sortable::to_f64(number)) {
        while let Some(centroid) = centroids.next_if(|centroid| centroid.mean.total_cmp(&mean).is_lt()) {
            all.push(centroid);
        }
        all.push(Centroid { mean, weight: 1.0 });
    }
    all.extend(centroids);
    all
}

/// Between two centres, this far behind the left and before the right one.
fn between(left: Centroid, right: Centroid, behind: f64, ahead: f64) -> f64 {
    let unit = |centroid: Centroid| if centroid.weight == 1.0 { 0.5 } else { 0.0 };
    let (left_unit, right_unit) = (unit(left), unit(right));
    if behind < left_unit {
        return left.mean;
    }
    if ahead <= right_unit {
        return right.mean;
    }
    let (behind, ahead) = (behind - left_unit, ahead - right_unit);
    left.mean + (right.mean - left.mean) * behind / (behind + ahead)
}

/// The weight between an end of the data and a point this far from it, of an outermost centroid whose mean is `width` away.
fn tail(distance: f64, width: f64, weight: f64) -> f64 {
    if distance == 0.0 {
        return 0.5;
    }
    1.0 + (weight / 2.0 - 1.0) * distance / width
}

/// Half of a merged centroid's weight lies on either side of its mean.
fn spread(weight: f64) -> f64 {
    if weight == 1.0 { 0.0 } else { weight / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::Dice;

    fn digest(values: &[f64]) -> TDigest {
        let mut digest = TDigest::new(100.0);
        values.iter().for_each(|&value| digest.add(value));
        digest.settle();
        digest
    }

    #[test]
    fn few_numbers_are_their_own_quantiles() {
        let values = [1.0, 51.0, 101.0, 151.0];
        let quantiles = [0.0, 0.01, 0.25, 0.5, 0.75, 0.95, 1.0].map(|part| digest(&values).quantile(part));
        assert_eq!(quantiles, [1.0, 1.0, 51.0, 101.0, 151.0, 151.0, 151.0]);
        let ranks = [0.0, 1.0, 50.0, 51.0, 151.0, 152.0].map(|value| digest(&values).rank(value));
        assert_eq!(ranks, [0.0, 0.125, 0.25, 0.375, 0.875, 1.0]);
        assert!(digest(&[]).quantile(0.5).is_nan() && digest(&[]).rank(0.5).is_nan());
        assert_eq!((digest(&[7.0]).quantile(0.3), digest(&[7.0]).rank(7.0)), (7.0, 0.5));
    }

    #[test]
    fn quantiles_and_ranks_of_less_than_the_raw_limit_are_exact() {
        for seed in 0..30 {
            let mut dice = Dice::new(seed);
            let mut values: Vec<f64> = (0..1 + dice.below(900)).map(|_| dice.below(300) as f64).collect();
            let digest = digest(&values);
            values.sort_by(f64::total_cmp);
            for part in (0..=100).map(|percent| f64::from(percent) / 100.0) {
                let place = ((part * values.len() as f64) as usize).min(values.len() - 1);
                assert_eq!(digest.quantile(part), values[place], "seed {seed} part {part}");
            }
            for value in (0..300).map(f64::from) {
                let below = values.iter().filter(|&&other| other < value).count() as f64;
                let equal = values.iter().filter(|&&other| other == value).count() as f64;
                let expected = (below + equal / 2.0) / values.len() as f64;
                assert!((digest.rank(value) - expected).abs() < 1e-12, "seed {seed} value {value}");
            }
        }
    }

    #[test]
    fn many_numbers_are_close_and_closer_at_the_ends() {
        let mut dice = Dice::new(3);
        let mut values: Vec<f64> = (0..200_000).map(|_| (dice.below(1 << 40) as f64).powi(2)).collect();
        let mut merged = TDigest::new(100.0);
        values.chunks(7_001).for_each(|part| merged.merge(&digest(part)));
        assert!((merged.centroids.len() as f64) < merged.compression * RAW_FACTOR);
        merged.shrink();
        assert!((merged.centroids.len() as f64) <= merged.compression * SCALE_FACTOR);
        values.sort_by(f64::total_cmp);
        for part in [0.0001, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999] {
            let found = merged.quantile(part);
            let rank = values.partition_point(|&value| value < found) as f64 / values.len() as f64;
            let allowed = 0.02 * (part * (1.0 - part)).sqrt();
            assert!((rank - part).abs() < allowed, "{part}: {rank}");
            assert!((merged.rank(found) - part).abs() < allowed);
        }
    }

    #[test]
    fn sorted_numbers_are_as_good_as_each_by_itself() {
        for (seed, range) in [(1, 2), (2, 40), (3, 3_000), (4, 1 << 40)] {
            let mut dice = Dice::new(seed);
            let (mut sorted, mut values) = (TDigest::new(100.0), Vec::new());
            for part in [300, 400, 1, 30_000, 60_000] {
                let mut numbers: Vec<f64> = (0..part).map(|_| (dice.below(range) as f64).powi(2)).collect();
                numbers.sort_by(f64::total_cmp);
                let counts = numbers.chunk_by(|left, right| left == right).map(|equal| (equal[0], equal.len() as u64));
                sorted.add_sorted(counts);
                values.extend(numbers);
            }
            sorted.settle();
            assert!((sorted.centroids.len() as f64) < sorted.raw_max());
            assert_eq!(sorted.weight, values.len() as f64);
            values.sort_by(f64::total_cmp);
            for part in [0.0001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999] {
                let found = sorted.quantile(part);
                let below = values.partition_point(|&value| value < found) as f64 / values.len() as f64;
                let up_to = values.partition_point(|&value| value <= found) as f64 / values.len() as f64;
                let allowed = 0.02 * (part * (1.0 - part)).sqrt();
                assert!(below - allowed < part && part < up_to + allowed, "seed {seed} {part}: {below} to {up_to}");
            }
        }
    }

    #[test]
    fn counted_numbers_are_as_good_as_each_by_itself() {
        let mut dice = Dice::new(7);
        for counts in [3, 100_000] {
            let (mut counted, mut values) = (TDigest::new(100.0), Vec::new());
            for _ in 0..200 {
                let (value, count) = (dice.below(1_000) as f64, 1 + dice.below(counts));
                counted.add_counted(value, count);
                values.extend(std::iter::repeat_n(value, (count.div_ceil(1 + counts / 1_000)) as usize));
            }
            counted.settle();
            let exact = digest(&values);
            for part in [0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0] {
                let (found, expected) = (counted.quantile(part), exact.quantile(part));
                assert!((found - expected).abs() <= if counts == 3 { 0.0 } else { 25.0 }, "{part}: {found} {expected}");
            }
        }
    }

    #[test]
    fn deviations_are_from_the_median() {
        assert_eq!(digest(&[1.0, 2.0, 4.0, 8.0, 100.0]).median_absolute_deviation(), 3.0);
    }
}
