//! Terms that are more frequent in a bucket than in the background.

use crate::partial::{Bucket, TermKey};
use crate::plan::{Aggregation, Heuristic, SignificantTerms};
use crate::reduce::merge_bucket;
use hashbrown::HashMap;
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_mapping::format::Format;
use quarry_script::{Instance, Nothing, Value, context};
use serde::{Deserialize, Serialize};

/// Terms that are scored between two looks at the cancellation.
const TERMS_PER_LOOK: usize = 1 << 8;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialSignificant {
    pub format: Option<Format>,
    /// Documents of the bucket, and of the background.
    pub subset: u64,
    pub superset: u64,
    pub buckets: Vec<SignificantTerm>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SignificantTerm {
    pub key: TermKey,
    /// Its count is of the subset.
    pub bucket: Bucket,
    /// Documents of the background that have the term.
    pub superset: u64,
    pub score: f64,
}

/// How many documents have a term, in a bucket and in the background, and how many there are.
#[derive(Debug, Clone, Copy)]
pub struct Frequencies {
    pub subset: f64,
    pub subset_size: f64,
    pub superset: f64,
    pub superset_size: f64,
}

/// A heuristic at work.
pub struct Scorer<'a> {
    heuristic: &'a Heuristic,
    script: Option<Instance>,
}

impl<'a> Scorer<'a> {
    pub fn new(heuristic: &'a Heuristic) -> Result<Self> {
        let script = match heuristic {
            Heuristic::Script(script) => Some(script.instance(context("script_heuristic")?)?),
            _ => None,
        };
        Ok(Scorer { heuristic, script })
    }

    /// The larger, the more significant; not positive: not at all.
    pub fn score(&mut self, of: Frequencies) -> Result<f64> {
        let Some(script) = &mut self.script else { return Ok(self.heuristic.score(of)) };
        for (name, count) in [
            ("_subset_freq", of.subset),
            ("_subset_size", of.subset_size),
            ("_superset_freq", of.superset),
            ("_superset_size", of.superset_size),
        ] {
            script.set_parameter(name, Value::Long(count as i64))?;
        }
        script.run_double(&mut Nothing)
    }
}

impl Heuristic {
    /// Of those that are no scripts.
    fn score(&self, of: Frequencies) -> f64 {
        match *self {
            Heuristic::Script(_) => 0.0,
            Heuristic::Jlh => jlh(of),
            Heuristic::Percentage if of.superset == 0.0 => 0.0,
            Heuristic::Percentage => of.subset / of.superset,
            Heuristic::MutualInformation { include_negatives, background_is_superset } => {
                let table = Table::new(of, background_is_superset);
                if !include_negatives && table.is_negative() { f64::NEG_INFINITY } else { table.mutual_information() }
            }
            Heuristic::ChiSquare { include_negatives, background_is_superset } => {
                let table = Table::new(of, background_is_superset);
                if !include_negatives && table.is_negative() { f64::NEG_INFINITY } else { table.chi_square() }
            }
            Heuristic::PValue { background_is_superset, normalize_above } => {
                Table::new(of, background_is_superset).surprise(normalize_above)
            }
            Heuristic::Gnd { background_is_superset } => Table::new(of, background_is_superset).normalized_distance(),
        }
    }
}

/// Absolute times relative change of the share of documents.
fn jlh(of: Frequencies) -> f64 {
    if of.subset == 0.0 || of.subset_size == 0.0 || of.superset_size == 0.0 {
        return 0.0;
    }
    let share = of.subset / of.subset_size;
    let background = of.superset.max(1.0) / of.superset_size;
    let change = share - background;
    if change <= 0.0 { 0.0 } else { change * share / background }
}

/// Documents with and without the term, in and outside of the subset (Manning, Raghavan, Schütze, "Introduction to Information
/// Retrieval", 13.5).
struct Table {
    without_outside: f64,
    without_inside: f64,
    with_outside: f64,
    with_inside: f64,
    without: f64,
    with: f64,
    outside: f64,
    inside: f64,
    all: f64,
}

/// Documents with a term among all of a set.
struct Share {
    with: f64,
    all: f64,
}

impl Share {
    fn scaled_below(self, limit: Option<u64>) -> Self {
        match limit.map(|limit| limit as f64 / self.all) {
            Some(factor) if factor < 1.0 => {
                Share { with: (self.with * factor).trunc(), all: (self.all * factor).trunc() }
            }
            _ => self,
        }
    }

    /// With a twentieth more documents, at least one, that all have the term.
    fn padded(self) -> Self {
        let more = (0.05 * self.all + 0.5).max(1.0).trunc();
        Share { with: self.with + more, all: self.all + more }
    }

    fn ratio(&self) -> f64 {
        self.with / self.all
    }

    /// By how much likelier the share is by its own ratio than by another one, as a logarithm.
    fn log_ratio(&self, other: &Share) -> f64 {
        let term = |count: f64, own: f64, other: f64| if count == 0.0 { 0.0 } else { count * (own / other).ln() };
        term(self.with, self.ratio(), other.ratio())
            + term(self.all - self.with, 1.0 - self.ratio(), 1.0 - other.ratio())
    }
}

/// Products below this are taken for nothing.
const NEARLY_ZERO: f64 = 1e-7;

impl Table {
    fn new(of: Frequencies, background_is_superset: bool) -> Self {
        let Frequencies { subset, subset_size, superset, superset_size } = of;
        // The background contains the subset, or lies beside it.
        let (outer, outer_size) = if background_is_superset {
            (superset - subset, superset_size - subset_size)
        } else {
            (superset, superset_size)
        };
        let (with, all) = (outer + subset, outer_size + subset_size);
        Table {
            without_outside: outer_size - outer,
            without_inside: subset_size - subset,
            with_outside: outer,
            with_inside: subset,
            without: all - with,
            with,
            outside: outer_size,
            inside: subset_size,
            all,
        }
    }

    /// The term is rarer in the subset than outside of it.
    fn is_negative(&self) -> bool {
        self.with_inside / self.inside < self.with_outside / self.outside
    }

    fn mutual_information(&self) -> f64 {
        let term = |both: f64, row: f64, column: f64| {
            let (numerator, share) = ((self.all * both).abs(), (both / self.all).abs());
            if numerator < NEARLY_ZERO && share < NEARLY_ZERO {
                return 0.0;
            }
            share * (numerator / (row * column).abs()).ln()
        };
        let bits = (term(self.without_outside, self.without, self.outside)
            + term(self.without_inside, self.without, self.inside)
            + term(self.with_outside, self.with, self.outside)
            + term(self.with_inside, self.with, self.inside))
            / std::f64::consts::LN_2;
        if bits.is_nan() { -f64::from(f32::MAX) } else { bits }
    }

    fn chi_square(&self) -> f64 {
        let cross = self.with_inside * self.without_outside - self.without_inside * self.with_outside;
        self.all * cross * cross / (self.inside * self.with * self.without * self.outside)
    }

    /// The negative logarithm of the probability that a term as frequent inside as outside is found at least so unequally: of the
    /// likelihood ratio of two binomial distributions to one, twice of which has a chi-square distribution (Wilks). Small shares and
    /// differences below a twentieth are made to count for nothing, by adding to both sides.
    fn surprise(&self, normalize_above: Option<u64>) -> f64 {
        if self.with_inside * self.outside <= self.inside * self.with_outside || self.outside <= 0.0 {
            return 0.0;
        }
        let inside = Share { with: self.with_inside, all: self.inside }.scaled_below(normalize_above).padded();
        let mut outside = Share { with: self.with_outside, all: self.outside }.scaled_below(normalize_above).padded();
        outside.with = ((1.05 * outside.with).min(inside.ratio() * outside.all) + 0.5).trunc();
        let both = Share { with: inside.with + outside.with, all: inside.all + outside.all };
        let log_ratio = inside.log_ratio(&both) + outside.log_ratio(&both);
        let probability = libm::erfc(log_ratio.max(0.0).sqrt());
        (-probability.max(f64::MIN_POSITIVE).ln()).max(0.0)
    }

    /// Cilibrasi and Vitányi, "The Google Similarity Distance" (2007), turned round so that related terms score high.
    fn normalized_distance(&self) -> f64 {
        let (fx, fy, fxy) = (self.with, self.inside, self.with_inside);
        if fxy == 0.0 {
            return 0.0;
        }
        if fx == fy && fx == fxy {
            return 1.0;
        }
        let distance = (fx.ln().max(fy.ln()) - fxy.ln()) / (self.all.ln() - fx.ln().min(fy.ln()));
        (-distance).exp()
    }
}

impl PartialSignificant {
    pub fn frequencies(&self, term: &SignificantTerm) -> Frequencies {
        Frequencies {
            subset: term.bucket.doc_count as f64,
            subset_size: self.subset as f64,
            superset: term.superset as f64,
            superset_size: self.superset as f64,
        }
    }

    pub fn merge(&mut self, plan: &Aggregation, other: PartialSignificant) -> Result<()> {
        self.format = self.format.take().or(other.format);
        self.subset += other.subset;
        self.superset += other.superset;
        let mut places: HashMap<TermKey, usize> =
            self.buckets.iter().enumerate().map(|(place, term)| (term.key.clone(), place)).collect();
        for term in other.buckets {
            if let Some(&place) = places.get(&term.key) {
                let mine = &mut self.buckets[place];
                mine.superset += term.superset;
                merge_bucket(plan, &mut mine.bucket, term.bucket)?;
            } else {
                places.insert(term.key.clone(), self.buckets.len());
                self.buckets.push(term);
            }
        }
        Ok(())
    }

    /// Scores all terms and keeps the best `keep` that at least `min_doc_count` documents have.
    ///
    /// Errors: the heuristic's script failed; `TaskCancelled`.
    pub fn keep_best(&mut self, of: &SignificantTerms, keep: usize, min_doc_count: u64) -> Result<()> {
        let mut scorer = Scorer::new(&of.heuristic)?;
        for place in 0..self.buckets.len() {
            if place % TERMS_PER_LOOK == 0 {
                interrupt::check()?;
            }
            self.buckets[place].score = scorer.score(self.frequencies(&self.buckets[place]))?;
        }
        self.buckets.retain(|term| term.bucket.doc_count >= min_doc_count);
        self.buckets.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
        self.buckets.truncate(keep);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_base::error::ErrorCode;
    use quarry_base::interrupt::watching;
    use quarry_script::ScriptSpec;
    use serde_json::json;
    use std::cell::Cell;

    #[test]
    fn a_search_that_is_cancelled_ends_the_script_of_a_term() {
        let endless = Heuristic::Script(ScriptSpec::inline("int i = 0; while (i < 1) { i = 0 } return 1.0"));
        let mut scorer = Scorer::new(&endless).unwrap();
        let error = watching(&|| true, None, || scorer.score(of(4.0, 10.0, 5.0, 100.0))).unwrap_err();
        assert_eq!(error.code, ErrorCode::TaskCancelled);
    }

    #[test]
    fn a_search_that_is_cancelled_ends_the_scoring_of_many_terms() {
        let plan = json!({"source": {"field": "n"}, "size": 3, "shard_size": 3, "min_doc_count": 1, "shard_min_doc_count": 1,
            "include": null, "exclude": null, "background": null, "heuristic": "jlh"});
        let plan: SignificantTerms = serde_json::from_value(plan).unwrap();
        let term = |number: usize| SignificantTerm {
            key: TermKey::Number(number as i64),
            bucket: Bucket { doc_count: 4, aggs: Vec::new() },
            superset: 5,
            score: 0.0,
        };
        let scored = |terms: usize, looks_allowed: usize| {
            let buckets = (0..terms).map(term).collect();
            let mut found = PartialSignificant { format: None, subset: 10, superset: 100, buckets };
            let looks = Cell::new(0);
            let is_cancelled = || looks.replace(looks.get() + 1) >= looks_allowed;
            watching(&is_cancelled, None, || found.keep_best(&plan, 3, 1)).map(|()| found.buckets.len())
        };
        assert_eq!(scored(TERMS_PER_LOOK, 1).unwrap(), 3);
        assert_eq!(scored(TERMS_PER_LOOK + 1, 1).unwrap_err().code, ErrorCode::TaskCancelled);
    }

    fn of(subset: f64, subset_size: f64, superset: f64, superset_size: f64) -> Frequencies {
        Frequencies { subset, subset_size, superset, superset_size }
    }

    /// What the binomial distributions themselves give, worked out with another program.
    #[test]
    fn surprises_are_those_of_binomial_distributions() {
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        let surprise = |of: Frequencies, background_is_superset, normalize_above| {
            Heuristic::PValue { background_is_superset, normalize_above }.score(of)
        };
        for (counts, plain, scaled, beside) in [
            (of(4.0, 10.0, 5.0, 100.0), 6.861_722_599, 6.861_722_599, 5.076_569_9),
            (of(10.0, 10.0, 20.0, 1_000.0), 32.280_223_548, 27.543_888_56, 30.718_263_033),
            (of(300.0, 1_000.0, 400.0, 100_000.0), 404.861_153_27, 17.283_200_809, 387.823_314_021),
            (of(20.0, 20.0, 25.0, 40.0), 16.761_431_769, 16.761_431_769, 8.221_336_743),
            (of(3_000.0, 5_000.0, 4_000.0, 2e6), 708.396_418_532, 46.264_047_174, 708.396_418_532),
        ] {
            close(surprise(counts, true, None), plain);
            close(surprise(counts, true, Some(100)), scaled);
            close(surprise(counts, false, None), beside);
        }
        assert_eq!(surprise(of(1.0, 10.0, 50.0, 100.0), true, None), 0.0);
        assert_eq!(surprise(of(50.0, 100.0, 60.0, 100.0), true, None), 0.0);
    }

    #[test]
    fn scores() {
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        close(Heuristic::Jlh.score(of(4.0, 10.0, 5.0, 100.0)), (0.4 - 0.05) * 8.0);
        assert_eq!(Heuristic::Jlh.score(of(1.0, 10.0, 50.0, 100.0)), 0.0);
        assert_eq!(Heuristic::Percentage.score(of(4.0, 10.0, 5.0, 100.0)), 0.8);
        let chi = |negatives| Heuristic::ChiSquare { include_negatives: negatives, background_is_superset: true };
        let (a, b, c, d) = (4.0f64, 6.0, 1.0, 89.0);
        let expected = 100.0 * (a * d - b * c).powi(2) / (10.0 * 5.0 * 95.0 * 90.0);
        close(chi(false).score(of(4.0, 10.0, 5.0, 100.0)), expected);
        assert_eq!(chi(false).score(of(0.0, 10.0, 5.0, 100.0)), f64::NEG_INFINITY);
        assert!(chi(true).score(of(0.0, 10.0, 5.0, 100.0)) > 0.0);
        let information = Heuristic::MutualInformation { include_negatives: true, background_is_superset: false };
        close(information.score(of(5.0, 10.0, 5.0, 10.0)), 0.0);
        close(information.score(of(10.0, 10.0, 0.0, 10.0)), 1.0);
        let distance = Heuristic::Gnd { background_is_superset: true };
        assert_eq!(distance.score(of(5.0, 5.0, 5.0, 10.0)), 1.0);
        assert_eq!(distance.score(of(0.0, 5.0, 5.0, 10.0)), 0.0);
    }
}
