//! `moving_percentiles`: the digests of a window of buckets as one.

use crate::metrics::hdr::Hdr;
use crate::metrics::tdigest::TDigest;
use crate::partial::{Bucket, Computed, Partial};
use crate::plan::{Aggregation, Kind, MovingPercentiles, Percentiles};
use quarry_base::error::{Error, Result};

/// A result for each bucket; none where no bucket is in the window.
///
/// `IllegalArgument`: the path leads to no percentiles.
pub fn moving_percentiles(of: &MovingPercentiles, plan: &Aggregation, partial: &Partial) -> Result<Vec<Partial>> {
    let buckets = partial.buckets();
    let found =
        buckets.iter().map(|bucket| digest_at(&plan.aggs, bucket, &of.input.path)).collect::<Result<Vec<_>>>()?;
    let mut results = Vec::with_capacity(found.len());
    let mut window = Window::default();
    let (mut from, mut to) = (0, 0);
    for nth in 0..found.len() as i64 {
        let clamp = |place: i64| place.clamp(0, found.len() as i64) as usize;
        let first = clamp(nth - i64::from(of.window) + i64::from(of.shift));
        let end = clamp(nth + i64::from(of.shift)).max(first);
        while to < end {
            window.push(Digest::of(found[to].1));
            to += 1;
        }
        while from < first {
            window.pop();
            from += 1;
        }
        results.push(match (window.merged(), found.first()) {
            (Some(digest), Some((percentiles, source))) => digest.answer(percentiles, source),
            _ => Partial::Absent,
        });
    }
    Ok(results)
}

/// The percentiles that a path leads to within a bucket, and what they were asked for.
fn digest_at<'p>(
    aggs: &'p [Aggregation],
    bucket: &'p Bucket,
    path: &[String],
) -> Result<(&'p Percentiles, &'p Partial)> {
    let wrong = || {
        let name = path.first().map_or("", String::as_str);
        Error::illegal_argument(format!(
            "buckets_path must reference a percentiles aggregation, but the aggregation at [{name}] is none"
        ))
    };
    let (first, rest) = path.split_first().ok_or_else(wrong)?;
    let place = aggs.iter().position(|aggregation| aggregation.name == *first).ok_or_else(wrong)?;
    match (&aggs[place].kind, bucket.aggs.get(place), rest) {
        (Kind::Percentiles(of), Some(found @ (Partial::Percentiles { .. } | Partial::Hdr { .. })), []) => {
            Ok((of, found))
        }
        (_, Some(Partial::Single(inner)), rest @ [_, ..]) => digest_at(&aggs[place].aggs, inner, rest),
        _ => Err(wrong()),
    }
}

#[derive(Clone)]
enum Digest {
    Tree(TDigest),
    Hdr(Hdr),
    Nothing,
}

impl Digest {
    fn of(partial: &Partial) -> Self {
        match partial {
            Partial::Percentiles { digest, .. } => {
                let mut digest = digest.clone();
                digest.settle();
                Digest::Tree(digest)
            }
            Partial::Hdr { hdr, .. } => Digest::Hdr(hdr.clone()),
            _ => Digest::Nothing,
        }
    }

    fn and(mut self, other: &Digest) -> Self {
        match (&mut self, other) {
            (Digest::Tree(own), Digest::Tree(other)) => own.merge(other),
            (Digest::Hdr(own), Digest::Hdr(other)) => own.merge(other),
            _ => {}
        }
        self
    }

    fn answer(&self, of: &Percentiles, source: &Partial) -> Partial {
        let value = |key: &f64| match self {
            Digest::Tree(digest) => digest.quantile(key / 100.0),
            Digest::Hdr(hdr) => hdr.percentile(*key),
            Digest::Nothing => f64::NAN,
        };
        let (Partial::Percentiles { format, .. } | Partial::Hdr { format, .. }) = source else {
            return Partial::Absent;
        };
        Partial::Computed(Computed::MovingPercentiles {
            values: of.keys.iter().map(|key| (*key, value(key))).collect(),
            keyed: of.keyed,
            is_hdr: matches!(self, Digest::Hdr(_)),
            format: format.clone(),
        })
    }
}

/// Digests that come at one end and go at the other, in two stacks: each is merged twice, however wide the window.
#[derive(Default)]
struct Window {
    /// Each merged with those that came after it, up to the middle; the next to go is the last.
    going: Vec<Digest>,
    coming: Vec<Digest>,
    /// All of `coming`.
    came: Option<Digest>,
}

impl Window {
    fn push(&mut self, digest: Digest) {
        self.came = Some(match self.came.take() {
            Some(came) => came.and(&digest),
            None => digest.clone(),
        });
        self.coming.push(digest);
    }

    fn pop(&mut self) {
        if self.going.is_empty() {
            for digest in self.coming.drain(..).rev() {
                let merged = match self.going.last() {
                    Some(after) => digest.and(after),
                    None => digest,
                };
                self.going.push(merged);
            }
            self.came = None;
        }
        self.going.pop();
    }

    fn merged(&self) -> Option<Digest> {
        match (self.going.last(), &self.came) {
            (Some(going), Some(came)) => Some(going.clone().and(came)),
            (one, other) => one.or(other.as_ref()).cloned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::Dice;

    /// Windows against all their numbers in one digest.
    #[test]
    fn windows_are_what_all_their_numbers_are() {
        for seed in 0..20 {
            let mut dice = Dice::new(seed);
            let numbers: Vec<Vec<f64>> =
                (0..30).map(|_| (0..dice.below(6)).map(|_| f64::from(dice.below(100) as u32)).collect()).collect();
            let digest = |numbers: &[f64]| {
                let mut digest = TDigest::new(100.0);
                numbers.iter().for_each(|number| digest.add(*number));
                digest.settle();
                digest
            };
            let width = 1 + dice.below(7) as usize;
            let mut window = Window::default();
            for end in 0..numbers.len() {
                window.push(Digest::Tree(digest(&numbers[end])));
                if end >= width {
                    window.pop();
                }
                let all: Vec<f64> = numbers[(end + 1).saturating_sub(width)..=end].concat();
                let Some(Digest::Tree(found)) = window.merged() else { panic!("no digest") };
                for share in [0.0, 0.3, 0.5, 0.99, 1.0] {
                    let (found, expected) = (found.quantile(share), digest(&all).quantile(share));
                    assert!(found == expected || (found.is_nan() && expected.is_nan()), "{found} {expected}");
                }
            }
        }
    }
}
