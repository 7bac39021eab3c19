//! How buckets are called: the texts of their keys, and the numbers that some keys are.

use crate::kinds::{composite, ip_range};
use crate::partial::{Partial, PartialBuckets, PartialRareTerms, TermKey};
use crate::plan::{Aggregation, GeoDistance, Kind, Range};
use quarry_base::error::Result;
use quarry_codec::sortable;
use quarry_geo::grid::Grid;
use quarry_mapping::format::{Format, Printer, ValueType, plain_double, term_text};

/// The key of each bucket, in the buckets' order.
pub fn texts(plan: &Aggregation, partial: &Partial) -> Result<Vec<String>> {
    Ok(match (partial, &plan.kind) {
        (Partial::Terms(terms), Kind::MultiTerms(_)) => {
            let printers = terms.tuple_formats.iter().map(Format::printer).collect::<Result<Vec<_>>>()?;
            let text = |key: &TermKey| match key {
                TermKey::Tuple(parts) => {
                    let fields = parts.iter().zip(&terms.tuple_formats).zip(&printers);
                    let texts = fields.map(|((part, format), printer)| of_term(part, format.value_type, printer));
                    texts.collect::<Vec<_>>().join("|")
                }
                _ => String::new(),
            };
            terms.buckets.iter().map(|term| text(&term.key)).collect()
        }
        (Partial::Significant(terms), _) => {
            let format = terms.format.clone().unwrap_or_else(|| Format::plain(ValueType::Text));
            let printer = format.printer()?;
            terms.buckets.iter().map(|term| of_term(&term.key, format.value_type, &printer)).collect()
        }
        (Partial::VariableWidth(histogram), _) => {
            let printer = histogram.format.printer()?;
            histogram.buckets.iter().map(|cluster| printer.number_or_plain(cluster.centre)).collect()
        }
        (Partial::Terms(terms) | Partial::RareTerms(PartialRareTerms { terms, .. }), _) => {
            let format = terms.format.clone().unwrap_or_else(|| Format::plain(ValueType::Text));
            let printer = format.printer()?;
            terms.buckets.iter().map(|term| of_term(&term.key, format.value_type, &printer)).collect()
        }
        (
            Partial::Buckets(buckets),
            Kind::Range(of) | Kind::DateRange(of) | Kind::GeoDistance(GeoDistance { range: of, .. }),
        ) => {
            let printer = buckets.format.printer()?;
            (0..buckets.buckets.len()).map(|place| of_range(of, buckets, place, &printer)).collect()
        }
        (Partial::Buckets(buckets), Kind::IpRange(of)) => of
            .ranges
            .iter()
            .take(buckets.buckets.len())
            .map(ip_range::IpEnds::new)
            .map(|ends| ends.map(|ends| ends.key()))
            .collect::<Result<_>>()?,
        (Partial::Buckets(buckets), Kind::Filters(of)) => {
            let names = of.names.iter().flatten().chain(&of.other_bucket).cloned();
            let unnamed = (0..buckets.buckets.len()).map(|place| place.to_string());
            if of.names.is_some() { names.collect() } else { unnamed.collect() }
        }
        (Partial::Composite(buckets), Kind::Composite(of)) => composite::texts(of, buckets)?,
        (Partial::Histogram(histogram), _) => {
            let printer = histogram.format.printer()?;
            numbers(plan, partial).iter().map(|&key| number_text(&plan.kind, key, &printer)).collect()
        }
        (Partial::AutoHistogram(histogram), _) => {
            let printer = histogram.format.printer()?;
            histogram.buckets.iter().map(|(key, _)| printer.number_or_plain(*key as f64)).collect()
        }
        _ => Vec::new(),
    })
}

fn number_text(kind: &Kind, key: f64, printer: &Printer) -> String {
    match (printer.number_as_string(key), kind) {
        (Some(text), _) => text,
        (None, Kind::DateHistogram(_)) => (key as i64).to_string(),
        (None, _) => plain_double(key),
    }
}

/// The keys of buckets that have numbers for keys.
pub fn numbers(plan: &Aggregation, partial: &Partial) -> Vec<f64> {
    match (partial, &plan.kind) {
        (Partial::Histogram(histogram), Kind::Histogram(of)) => {
            histogram.buckets.iter().map(|(key, _)| *key as f64 * of.interval + of.offset).collect()
        }
        (Partial::Histogram(histogram), _) => histogram.buckets.iter().map(|(key, _)| *key as f64).collect(),
        (Partial::AutoHistogram(histogram), _) => histogram.buckets.iter().map(|(key, _)| *key as f64).collect(),
        (Partial::VariableWidth(histogram), _) => histogram.buckets.iter().map(|cluster| cluster.centre).collect(),
        (Partial::Terms(terms), _) => {
            let value_type = terms.format.as_ref().map(|format| format.value_type);
            let number = |key: &TermKey| match (key, value_type) {
                (TermKey::Number(value), Some(value_type)) => Some(value_type.number(*value)),
                _ => None,
            };
            terms.buckets.iter().map_while(|term| number(&term.key)).collect()
        }
        _ => Vec::new(),
    }
}

pub fn of_term(key: &TermKey, value_type: ValueType, printer: &Printer) -> String {
    match key {
        TermKey::Bytes(term) => term_text(value_type, term),
        TermKey::Tuple(parts) => {
            parts.iter().map(|part| of_term(part, value_type, printer)).collect::<Vec<_>>().join("|")
        }
        TermKey::Number(value) => {
            if let Some(cell) = value_type.cell_text(*value) {
                return cell;
            }
            let number = value_type.number(*value);
            printer.number_as_string(number).unwrap_or_else(|| match value_type {
                ValueType::UnsignedLong => sortable::to_u64(*value).to_string(),
                _ if value_type.is_fractional() => plain_double(number),
                _ => value.to_string(),
            })
        }
    }
}

/// The key that the request gives a range, or `from-to`.
pub fn of_range(of: &Range, buckets: &PartialBuckets, place: usize, printer: &Printer) -> String {
    let (from, to) = buckets.ends[place];
    let text = |end: Option<f64>| end.map_or_else(|| "*".to_owned(), |end| printer.number_or_plain(end));
    of.ranges[place].key.clone().unwrap_or_else(|| format!("{}-{}", text(from), text(to)))
}

/// What the API's errors call a result.
pub fn class_name(plan: &Aggregation, partial: &Partial) -> &'static str {
    match (partial, &plan.kind) {
        (Partial::Terms(terms), Kind::Terms(_)) => match terms.format.as_ref().map(|format| format.value_type) {
            None => "UnmappedTerms",
            Some(value_type) if value_type.has_terms() => "StringTerms",
            Some(ValueType::UnsignedLong) => "UnsignedLongTerms",
            Some(value_type) if value_type.is_fractional() => "DoubleTerms",
            Some(_) => "LongTerms",
        },
        (_, Kind::AdjacencyMatrix(_)) => "InternalAdjacencyMatrix",
        (_, Kind::Histogram(_)) => "InternalHistogram",
        (_, Kind::DateHistogram(_)) => "InternalDateHistogram",
        (_, Kind::AutoDateHistogram(_)) => "InternalAutoDateHistogram",
        (_, Kind::Range(_)) => "InternalRange",
        (_, Kind::DateRange(_)) => "InternalDateRange",
        (_, Kind::IpRange(_)) => "InternalBinaryRange",
        (_, Kind::GeoDistance(_)) => "InternalGeoDistance",
        (_, Kind::GeoGrid(of)) => match of.cells {
            Grid::Geohash => "InternalGeoHashGrid",
            Grid::Geotile => "InternalGeoTileGrid",
            Grid::Geohex => "InternalGeoHexGrid",
        },
        (_, Kind::Filters(_)) => "InternalFilters",
        (_, Kind::Composite(_)) => "InternalComposite",
        (_, Kind::TopHits(_)) => "InternalTopHits",
        (_, Kind::MultiTerms(_)) => "InternalMultiTerms",
        (_, Kind::IpPrefix(_)) => "InternalIpPrefix",
        (_, Kind::VariableWidthHistogram(_)) => "InternalVariableWidthHistogram",
        (_, Kind::RareTerms(_)) => "InternalRareTerms",
        (_, Kind::SignificantTerms(_) | Kind::SignificantText(_)) => "InternalSignificantTerms",
        _ => "InternalAggregation",
    }
}
