//! Finished results as the response's JSON.

mod buckets;
mod computed;
mod metrics;
mod percentiles;
mod stats;
mod terms;
mod type_names;

use super::buckets::{digests, keys};
use super::partial::*;
use super::plan::{Aggregation, Kind};
use quarry_base::allocation;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::json::write::plain_float;
use quarry_codec::sortable;
use quarry_mapping::format::{Format, Printer, ValueType, plain_double, term_text};
use serde_json::Value;

/// Appends the `aggregations` object (or that of a bucket's sub-aggregations, without its braces' surroundings).
pub fn render(plan: &[Aggregation], partials: &[Partial], shape: Shape, out: &mut Vec<u8>) -> Result<()> {
    let renderer = Renderer { shape };
    out.push(b'{');
    renderer.level(plan, partials, false, out)?;
    out.push(b'}');
    Ok(())
}

/// What request parameters say of the response's shape.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shape {
    /// Names of aggregations are printed with their type.
    pub typed_keys: bool,
    /// Totals of hits are numbers, as before the API's version 7.
    pub total_hits_as_int: bool,
}

struct Renderer {
    shape: Shape,
}

/// A result has about so many bytes.
const USUAL_BYTES: usize = 1 << 10;

/// Text that is full becomes twice as long.
#[inline]
fn check_room(out: &Vec<u8>) -> Result<()> {
    let is_full = out.capacity() - out.len() < USUAL_BYTES;
    if is_full { allocation::check_more(out.capacity()) } else { Ok(()) }
}

impl Renderer {
    /// Members for each aggregation; `after` says that members precede them.
    fn level(&self, plan: &[Aggregation], partials: &[Partial], after: bool, out: &mut Vec<u8>) -> Result<()> {
        let shown = plan.iter().zip(partials).filter(|(_, partial)| !matches!(partial, Partial::Absent));
        for (place, (aggregation, partial)) in shown.enumerate() {
            check_room(out)?;
            if after || place > 0 {
                out.push(b',');
            }
            if self.shape.typed_keys {
                string(&format!("{}#{}", type_names::type_name(&aggregation.kind, partial), aggregation.name), out);
            } else {
                string(&aggregation.name, out);
            }
            out.extend_from_slice(b":{");
            if let Some(meta) = &aggregation.meta {
                out.extend_from_slice(b"\"meta\":");
                json(meta, out);
                out.push(b',');
            }
            self.body(aggregation, partial, out)?;
            out.push(b'}');
        }
        Ok(())
    }

    fn body(&self, plan: &Aggregation, partial: &Partial, out: &mut Vec<u8>) -> Result<()> {
        match (partial, &plan.kind) {
            (Partial::Terms(terms), Kind::Terms(of)) => self.terms(plan, of.show_term_doc_count_error, terms, out),
            (Partial::Histogram(histogram), _) => self.histogram(plan, histogram, out),
            (Partial::Buckets(buckets), Kind::Filters(of)) => self.filters(plan, of, buckets, out),
            (Partial::Buckets(buckets), Kind::Range(of) | Kind::DateRange(of)) => self.ranges(plan, of, buckets, out),
            (Partial::Buckets(buckets), Kind::GeoDistance(of)) => self.ranges(plan, &of.range, buckets, out),
            (Partial::GeoBounds(bounds), Kind::GeoBounds(of)) => {
                metrics::geo_bounds(bounds, of.wrap_longitude, out);
                Ok(())
            }
            (Partial::GeoCentroid(centroid), _) => {
                metrics::geo_centroid(centroid, out);
                Ok(())
            }
            (Partial::Single(bucket), _) => self.bucket(plan, bucket, out),
            (Partial::Cardinality(sketch), _) => {
                write(out, format_args!("\"value\":{}", sketch.estimate()));
                Ok(())
            }
            (Partial::ValueCount(count), _) => {
                write(out, format_args!("\"value\":{count}"));
                Ok(())
            }
            (Partial::TopHits(top), Kind::TopMetrics(_)) => {
                metrics::top_metrics(top, out);
                Ok(())
            }
            (Partial::Hdr { hdr, format }, kind) => {
                let printer = format.printer()?;
                percentiles::render(kind, |key| digests::hdr_value(kind, hdr, key), &printer, out);
                Ok(())
            }
            (Partial::Percentiles { digest, format }, Kind::Boxplot(_)) => {
                metrics::boxplot(digest, &format.printer()?, out);
                Ok(())
            }
            (Partial::StringStats { stats, format }, Kind::StringStats(of)) => {
                metrics::string_stats(stats, of.show_distribution, &format.number_printer()?, out);
                Ok(())
            }
            (Partial::MatrixStats(stats), Kind::MatrixStats(of)) => {
                metrics::matrix_stats(stats, of, out);
                Ok(())
            }
            (Partial::TTest(test), Kind::TTest(of)) => {
                metrics::t_test(test, of, out);
                Ok(())
            }
            (Partial::Scripted(scripted), _) => {
                Members { first: true, out }.raw("value", scripted.value.as_deref().unwrap_or("null"));
                Ok(())
            }
            (Partial::Rate(rate), _) => {
                let value = Some(rate.sum.value() / rate.units);
                Members { first: true, out }.number("value", value, &rate.format.printer()?);
                Ok(())
            }
            (Partial::Percentiles { digest, format }, kind) => {
                percentiles::render(kind, |key| digests::value(kind, digest, key), &format.printer()?, out);
                Ok(())
            }
            (Partial::WeightedAvg { average, format }, _) => {
                let mut members = Members { first: true, out };
                members.number("value", average.value(), &format.printer()?);
                Ok(())
            }
            (Partial::Stats { stats, format }, kind) => {
                stats::render(kind, stats, &format.printer()?, out);
                Ok(())
            }
            (Partial::Computed(computed), kind) => computed::render(kind, computed, out),
            (Partial::Terms(terms), Kind::MultiTerms(of)) => self.multi_terms(plan, of, terms, out),
            (Partial::Terms(terms), Kind::IpPrefix(of)) => self.ip_prefixes(plan, of, terms, out),
            (Partial::Terms(terms), _) => self.listed(plan, terms, out),
            (Partial::RareTerms(rare), _) => self.listed(plan, &rare.terms, out),
            (Partial::Significant(terms), _) => self.significant(plan, terms, out),
            (Partial::VariableWidth(histogram), _) => self.clusters(plan, histogram, out),
            (Partial::Buckets(buckets), Kind::IpRange(of)) => self.ip_ranges(plan, of, buckets, out),
            (Partial::AutoHistogram(histogram), _) => self.auto_histogram(plan, histogram, out),
            (Partial::Composite(composite), Kind::Composite(of)) => self.composite(plan, of, composite, out),
            (Partial::TopHits(hits), _) => {
                render_hits(hits, self.shape.total_hits_as_int, out);
                Ok(())
            }
            _ => Err(Error::new(ErrorCode::Internal, "an aggregation's result does not fit its plan")),
        }
    }

    /// `doc_count` and the sub-aggregations.
    fn bucket(&self, plan: &Aggregation, bucket: &Bucket, out: &mut Vec<u8>) -> Result<()> {
        write(out, format_args!("\"doc_count\":{}", bucket.doc_count));
        self.level(&plan.aggs, &bucket.aggs, true, out)
    }

    fn terms(&self, plan: &Aggregation, show_error: bool, terms: &PartialTerms, out: &mut Vec<u8>) -> Result<()> {
        write(
            out,
            format_args!(
                "\"doc_count_error_upper_bound\":{},\"sum_other_doc_count\":{},\"buckets\":[",
                bound(terms.error),
                terms.other
            ),
        );
        let format = terms.format.clone().unwrap_or_else(|| Format::plain(ValueType::Text));
        let printer = format.printer()?;
        for (place, bucket) in terms.buckets.iter().enumerate() {
            out.extend_from_slice(if place == 0 { b"{" } else { b",{" });
            term_key(&bucket.key, format.value_type, &printer, out);
            if show_error {
                let error = bound(terms.error.map(|_| bucket.error));
                write(out, format_args!("\"doc_count_error_upper_bound\":{error},"));
            }
            self.bucket(plan, &bucket.bucket, out)?;
            out.push(b'}');
        }
        out.push(b']');
        Ok(())
    }

    fn histogram(&self, plan: &Aggregation, histogram: &PartialHistogram, out: &mut Vec<u8>) -> Result<()> {
        let printer = histogram.format.printer()?;
        let (keyed, number): (bool, Box<dyn Fn(i64) -> f64>) = match &plan.kind {
            Kind::Histogram(of) => {
                let (interval, offset) = (of.interval, of.offset);
                (of.keyed, Box::new(move |key| key as f64 * interval + offset))
            }
            Kind::DateHistogram(of) => (of.keyed, Box::new(|key| key as f64)),
            _ => (false, Box::new(|key| key as f64)),
        };
        let is_date = matches!(plan.kind, Kind::DateHistogram(_));
        out.extend_from_slice(if keyed { b"\"buckets\":{" } else { b"\"buckets\":[" });
        for (place, (key, bucket)) in histogram.buckets.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            let printed = printer.number_as_string(number(*key));
            let plain = if is_date { key.to_string() } else { plain_double(number(*key)) };
            if keyed {
                string(printed.as_deref().unwrap_or(&plain), out);
                out.push(b':');
            }
            out.push(b'{');
            if let Some(printed) = &printed {
                member("key_as_string", printed, out);
            }
            write(out, format_args!("\"key\":{plain},"));
            self.bucket(plan, bucket, out)?;
            out.push(b'}');
        }
        out.push(if keyed { b'}' } else { b']' });
        Ok(())
    }

    fn filters(
        &self,
        plan: &Aggregation,
        of: &super::plan::Filters,
        buckets: &PartialBuckets,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let names: Option<Vec<&str>> =
            of.names.as_ref().map(|names| names.iter().chain(&of.other_bucket).map(String::as_str).collect());
        out.extend_from_slice(if names.is_some() { b"\"buckets\":{" } else { b"\"buckets\":[" });
        for (place, bucket) in buckets.buckets.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            if let Some(name) = names.as_ref().and_then(|names| names.get(place)) {
                string(name, out);
                out.push(b':');
            }
            out.push(b'{');
            self.bucket(plan, bucket, out)?;
            out.push(b'}');
        }
        out.push(if names.is_some() { b'}' } else { b']' });
        Ok(())
    }

    fn ranges(
        &self,
        plan: &Aggregation,
        of: &super::plan::Range,
        buckets: &PartialBuckets,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let printer = buckets.format.printer()?;
        // By ascending beginning, then end, whatever the request's order was.
        let mut order: Vec<usize> = (0..buckets.buckets.len()).collect();
        let end = |end: Option<f64>, open: f64| end.unwrap_or(open);
        order.sort_by(|&a, &b| {
            let (a, b) = (buckets.ends[a], buckets.ends[b]);
            let from = end(a.0, f64::NEG_INFINITY).total_cmp(&end(b.0, f64::NEG_INFINITY));
            from.then(end(a.1, f64::INFINITY).total_cmp(&end(b.1, f64::INFINITY)))
        });
        out.extend_from_slice(if of.keyed { b"\"buckets\":{" } else { b"\"buckets\":[" });
        for (nth, place) in order.into_iter().enumerate() {
            if nth > 0 {
                out.push(b',');
            }
            let (from, to) = buckets.ends[place];
            let key = keys::of_range(of, buckets, place, &printer);
            if of.keyed {
                string(&key, out);
                out.extend_from_slice(b":{");
            } else {
                out.push(b'{');
                member("key", &key, out);
            }
            for (name, end) in [("from", from), ("to", to)] {
                if let Some(end) = end {
                    write(out, format_args!("\"{name}\":{},", plain_double(end)));
                    if let Some(printed) = printer.number_as_string(end) {
                        member(&format!("{name}_as_string"), &printed, out);
                    }
                }
            }
            self.bucket(plan, &buckets.buckets[place], out)?;
            out.push(b'}');
        }
        out.push(if of.keyed { b'}' } else { b']' });
        Ok(())
    }
}

/// An unknown bound is -1.
fn bound(error: Option<u64>) -> i64 {
    error.map_or(-1, |error| error as i64)
}

fn term_key(key: &TermKey, value_type: ValueType, printer: &Printer, out: &mut Vec<u8>) {
    let value = match key {
        TermKey::Bytes(term) => return member("key", &term_text(value_type, term), out),
        TermKey::Number(value) => *value,
        TermKey::Tuple(_) => return member("key", &keys::of_term(key, value_type, printer), out),
    };
    if let Some(cell) = value_type.cell_text(value) {
        return member("key", &cell, out);
    }
    match value_type {
        ValueType::UnsignedLong => write(out, format_args!("\"key\":{},", sortable::to_u64(value))),
        _ if value_type.is_fractional() => {
            write(out, format_args!("\"key\":{},", plain_double(value_type.number(value))));
        }
        _ => write(out, format_args!("\"key\":{value},")),
    }
    if let Some(printed) = printer.number_as_string(value_type.number(value)) {
        member("key_as_string", &printed, out);
    }
}

/// Writes the members of an object one after another.
struct Members<'o> {
    first: bool,
    out: &'o mut Vec<u8>,
}

impl Members<'_> {
    fn raw(&mut self, name: &str, value: &str) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push(b',');
        }
        write(self.out, format_args!("\"{name}\":{value}"));
    }

    fn object(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        self.raw(name, "{");
        self.first = true;
        fill(self);
        self.out.push(b'}');
        self.first = false;
    }

    fn number(&mut self, name: &str, value: Option<f64>, printer: &Printer) {
        let finite = value.filter(|value| value.is_finite());
        self.raw(name, &finite.map_or_else(|| "null".to_owned(), plain_double));
        if let Some(printed) = finite.and_then(|value| printer.number_as_string(value)) {
            self.raw(&format!("{name}_as_string"), &Value::String(printed).to_string());
        }
    }

    /// All numbers, then all their printed forms, as the API orders them.
    fn numbers(&mut self, numbers: &[(&str, Option<f64>)], printer: &Printer) {
        self.plain_numbers(numbers);
        self.printed_numbers(numbers, "_as_string", printer);
    }

    /// What is not defined is a text, what is not there is null.
    fn plain_numbers(&mut self, numbers: &[(&str, Option<f64>)]) {
        for (name, value) in numbers {
            let text = match value {
                Some(value) if value.is_finite() => plain_double(*value),
                Some(value) if value.is_nan() => "\"NaN\"".to_owned(),
                _ => "null".to_owned(),
            };
            self.raw(name, &text);
        }
    }

    /// The printed forms of numbers alone, each with the ending behind its name.
    fn printed_numbers(&mut self, numbers: &[(&str, Option<f64>)], ending: &str, printer: &Printer) {
        for (name, value) in numbers {
            let shown = value.filter(|value| !value.is_infinite());
            if let Some(printed) = shown.and_then(|value| printer.number_as_string(value)) {
                self.raw(&format!("{name}{ending}"), &Value::String(printed).to_string());
            }
        }
    }
}

fn render_hits(hits: &PartialTopHits, total_as_int: bool, out: &mut Vec<u8>) {
    let total = hits.total;
    if total_as_int {
        write(out, format_args!("\"hits\":{{\"total\":{total},\"max_score\":"));
    } else {
        write(out, format_args!("\"hits\":{{\"total\":{{\"value\":{total},\"relation\":\"eq\"}},\"max_score\":"));
    }
    match hits.max_score {
        Some(score) => out.extend_from_slice(plain_float(score).as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"hits\":[");
    for (place, hit) in hits.hits.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(hit.json.as_bytes());
    }
    out.extend_from_slice(b"]}");
}

fn write(out: &mut Vec<u8>, arguments: std::fmt::Arguments<'_>) {
    out.extend_from_slice(arguments.to_string().as_bytes());
}

fn string(text: &str, out: &mut Vec<u8>) {
    json(&Value::String(text.to_owned()), out);
}

fn json(value: &Value, out: &mut Vec<u8>) {
    out.extend_from_slice(value.to_string().as_bytes());
}

/// `"name":"text",`
fn member(name: &str, text: &str, out: &mut Vec<u8>) {
    write(out, format_args!("\"{name}\":{},", Value::String(text.to_owned())));
}
