//! What `profile` tells of aggregations of terms.

use super::TermsInput;
use crate::collect::Report;
use crate::plan::Aggregation;
use quarry_mapping::format::ValueType;
use quarry_segment::column::ordinal::OrdinalColumn;
use serde_json::Value;

/// Which of the aggregations of terms it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Terms,
    Rare,
    Significant,
}

#[derive(Debug, Default)]
pub struct Told {
    by_map: bool,
    has_filter: bool,
    /// Names of the aggregations that see the buckets alone which remain.
    deferred: Vec<Value>,
    /// The parent has several buckets.
    pub has_owners: bool,
    single_valued: u32,
    multi_valued: u32,
}

impl Told {
    pub fn new(input: &TermsInput<'_>, aggs: &[Aggregation]) -> Self {
        let deferred = aggs.iter().filter(|below| input.breadth_first && !below.is_pipeline());
        Told {
            by_map: input.by_map,
            has_filter: input.include.is_some() || input.exclude.is_some(),
            deferred: deferred.map(|below| below.name.as_str().into()).collect(),
            ..Told::default()
        }
    }

    pub fn segment(&mut self, column: Option<&OrdinalColumn>) {
        if let Some(column) = column {
            let kind = if column.is_single_valued() { &mut self.single_valued } else { &mut self.multi_valued };
            *kind += 1;
        }
    }

    pub fn report_ordinals(&self, family: Family, report: &mut Report) {
        let strategy = match family {
            Family::Rare => {
                report.kind = Some("StringRareTermsAggregator");
                return;
            }
            Family::Terms => "terms",
            Family::Significant => "significant_terms",
        };
        report.figure("result_strategy", strategy);
        self.report_deferred(report);
        if self.by_map {
            report.kind = Some("MapStringTermsAggregator");
            return;
        }
        report.kind = Some("GlobalOrdinalsStringTermsAggregator");
        report.figure("collection_strategy", if self.has_owners { "remap" } else { "dense" });
        report.figure("segments_with_single_valued_ords", self.single_valued);
        report.figure("segments_with_multi_valued_ords", self.multi_valued);
        report.figure("has_filter", self.has_filter);
    }

    pub fn report_numbers(&self, family: Family, value_type: ValueType, report: &mut Report) {
        let strategy = match (family, value_type) {
            (Family::Rare, _) => return,
            (Family::Significant, _) => "significant_terms",
            (Family::Terms, ValueType::UnsignedLong) => "unsigned_long_terms",
            (Family::Terms, value_type) if value_type.is_fractional() => "double_terms",
            (Family::Terms, _) => "long_terms",
        };
        report.figure("result_strategy", strategy);
        self.report_deferred(report);
    }

    fn report_deferred(&self, report: &mut Report) {
        if !self.deferred.is_empty() {
            report.figure("deferred_aggregators", self.deferred.clone());
        }
    }
}
