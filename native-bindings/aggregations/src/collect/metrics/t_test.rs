//! `t_test`: two samples, of one field or two, each narrowed by a query where the request has one.

use crate::collect::tables::entry;
use crate::collect::values::number_field::NumberField;
use crate::collect::{Batch, Collector, Context};
use crate::metrics::t_test::TTest;
use crate::partial::Partial;
use crate::plan::{TTest as Plan, TTestKind};
use quarry_base::error::{Error, Result};
use quarry_codec::window::{WINDOW_WORDS, is_set};
use quarry_query::view::SegmentView;
use quarry_query::weight::Weight;
use quarry_scores::scorer::WindowScorer;

pub struct TTestCollector<'a> {
    kind: TTestKind,
    samples: [Sample<'a>; 2],
    tests: Vec<Option<TTest>>,
}

struct Sample<'a> {
    field: NumberField<'a>,
    filter: Option<&'a dyn Weight>,
    scorer: Option<Box<dyn WindowScorer + 'a>>,
}

impl<'a> Sample<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.field.start_segment(segment);
        self.scorer = match self.filter {
            Some(weight) => weight.scorer(segment)?,
            None => None,
        };
        Ok(())
    }

    /// Calls `take` with the place of each document of the sample and its values.
    fn for_each(&mut self, batch: &Batch<'_>, mut take: impl FnMut(usize, Vec<f64>)) -> Result<()> {
        let mut bits = [u64::MAX; WINDOW_WORDS];
        if self.filter.is_some() {
            bits = [0; WINDOW_WORDS];
            match &mut self.scorer {
                Some(scorer) => scorer.matches(batch.window, &mut bits)?,
                None => return Ok(()),
            }
        }
        let value_type = self.field.value_type();
        self.field.values.for_each(batch, |place, values| {
            if is_set(&bits, batch.docs[place]) {
                take(place, values.iter().map(|&value| value_type.number(value)).collect());
            }
            Ok(())
        })
    }
}

impl<'a> TTestCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &'a Plan, name: &str) -> Result<Self> {
        let sample = |population: &'a crate::plan::Population| -> Result<Sample<'a>> {
            let weights = context.resolved.take_weights(usize::from(population.filter.is_some()));
            let field = NumberField::resolve(context, &population.source, name)?;
            Ok(Sample { field, filter: weights.first().map(AsRef::as_ref), scorer: None })
        };
        Ok(TTestCollector { kind: plan.kind, samples: [sample(&plan.a)?, sample(&plan.b)?], tests: Vec::new() })
    }

    fn collect_pairs(&mut self, batch: &Batch<'_>) -> Result<()> {
        let mut pairs: Vec<[Vec<f64>; 2]> = vec![[Vec::new(), Vec::new()]; batch.docs.len()];
        for (side, sample) in self.samples.iter_mut().enumerate() {
            sample.for_each(batch, |place, values| pairs[place][side] = values)?;
        }
        for (place, [a, b]) in pairs.into_iter().enumerate() {
            if a.len() > 1 || b.len() > 1 {
                return Err(Error::illegal_argument(
                    "Encountered more than one value for a single document. Use a script to combine multiple values per doc \
                     into a single value.",
                ));
            }
            if let ([a], [b]) = (a.as_slice(), b.as_slice()) {
                let empty = || TTest::empty(TTestKind::Paired);
                if let TTest::Paired(stats) = entry(&mut self.tests, batch.owners.of(place)).get_or_insert_with(empty) {
                    stats.add(a - b);
                }
            }
        }
        Ok(())
    }

    fn collect_samples(&mut self, batch: &Batch<'_>) -> Result<()> {
        let tests = &mut self.tests;
        for (side, sample) in self.samples.iter_mut().enumerate() {
            sample.for_each(batch, |place, values| {
                let empty = || TTest::empty(TTestKind::Homoscedastic);
                if let TTest::Unpaired { a, b } = entry(tests, batch.owners.of(place)).get_or_insert_with(empty) {
                    let stats = if side == 0 { a } else { b };
                    values.into_iter().for_each(|value| stats.add(value));
                }
            })?;
        }
        Ok(())
    }
}

impl<'a> Collector<'a> for TTestCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.samples.iter_mut().try_for_each(|sample| sample.start_segment(segment))
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.kind == TTestKind::Paired { self.collect_pairs(&batch) } else { self.collect_samples(&batch) }
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.tests.resize(owner_count, None);
        let kind = self.kind;
        let partial = |test: Option<TTest>| Partial::TTest(test.unwrap_or_else(|| TTest::empty(kind)));
        Ok(self.tests.drain(..).map(partial).collect())
    }
}
