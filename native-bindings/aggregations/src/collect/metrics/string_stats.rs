//! `string_stats`: each term of a segment is looked at once, with the number of documents that have it.

use crate::collect::tables::entry;
use crate::collect::values::OrdinalValues;
use crate::collect::{Batch, Collector, Context};
use crate::metrics::string_stats::StringStats;
use crate::partial::Partial;
use crate::plan::StringStats as Plan;
use crate::source::{Accepts, FieldSource, MissingValue};
use hashbrown::HashMap;
use quarry_base::error::{Error, Result};
use quarry_query::view::SegmentView;
use quarry_segment::reader::FieldReader;
use rapidhash::quality::RandomState;

pub struct StringStatsCollector<'a> {
    source: FieldSource,
    ordinals: OrdinalValues<'a>,
    reader: Option<&'a FieldReader>,
    /// Documents of the current segment by parent bucket and ordinal.
    counts: HashMap<(u32, u32), u64, RandomState>,
    stats: Vec<StringStats>,
}

impl<'a> StringStatsCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &Plan, name: &str) -> Result<Self> {
        let source = FieldSource::resolve(context.view, &plan.source, name, Accepts::Keys, context.env.now_ms)?;
        if !source.has_terms() {
            return Err(Error::illegal_argument(format!(
                "Field [{}] is not supported for aggregation [{name}]: [string_stats] takes keywords",
                source.name
            )));
        }
        let ordinals = OrdinalValues::new();
        Ok(StringStatsCollector { source, ordinals, reader: None, counts: HashMap::default(), stats: Vec::new() })
    }

    fn end_segment(&mut self) -> Result<()> {
        let Some(postings) = self.reader.and_then(FieldReader::postings) else { return Ok(()) };
        let mut counts: Vec<((u32, u32), u64)> = self.counts.drain().collect();
        counts.sort_unstable_by_key(|((_, ordinal), _)| *ordinal);
        let (mut term, mut of_ordinal) = (Vec::new(), None);
        for ((owner, ordinal), times) in counts {
            if of_ordinal.replace(ordinal) != Some(ordinal) {
                postings.term(ordinal, &mut term)?;
            }
            let text = quarry_mapping::format::term_text(self.source.format.value_type, &term);
            entry(&mut self.stats, owner).add(&text, times);
        }
        Ok(())
    }
}

impl<'a> Collector<'a> for StringStatsCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.end_segment()?;
        self.reader = self.source.reader(segment);
        self.ordinals.start_segment(self.reader.and_then(FieldReader::ordinals));
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let missing = match &self.source.missing {
            Some(MissingValue::Term(term)) => Some(String::from_utf8_lossy(term).into_owned()),
            _ => None,
        };
        let (counts, stats) = (&mut self.counts, &mut self.stats);
        self.ordinals.for_each(&batch, |place, ordinals| {
            let owner = batch.owners.of(place);
            ordinals.iter().for_each(|&ordinal| *counts.entry((owner, ordinal)).or_default() += 1);
            if let (true, Some(text)) = (ordinals.is_empty(), &missing) {
                entry(stats, owner).add(text, 1);
            }
            Ok(())
        })
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.end_segment()?;
        self.stats.resize(owner_count, StringStats::default());
        let format = &self.source.format;
        Ok(self.stats.drain(..).map(|stats| Partial::StringStats { stats, format: format.clone() }).collect())
    }
}
