//! Metrics of several values.

use super::{Members, string, write};
use crate::metrics::geo::{Bounds, Centroid};
use crate::metrics::matrix_stats::MatrixStats;
use crate::metrics::string_stats::StringStats;
use crate::metrics::t_test::TTest;
use crate::metrics::tdigest::TDigest;
use crate::partial::PartialTopHits;
use crate::plan;
use crate::plan::TTestKind;
use quarry_geo::point::GeoPoint;
use quarry_mapping::format::{Printer, plain_double};
use serde_json::Value;

pub fn top_metrics(top: &PartialTopHits, out: &mut Vec<u8>) {
    let shown: Vec<&str> = top.hits.iter().map(|hit| hit.json.as_str()).collect();
    write(out, format_args!("\"top\":[{}]", shown.join(",")));
}

/// An empty object without places.
pub fn geo_bounds(bounds: &Bounds, wrap: bool, out: &mut Vec<u8>) {
    if let Some((north_west, south_east)) = bounds.corners(wrap) {
        let (top_left, bottom_right) = (place(north_west), place(south_east));
        let corners = format!("{{\"top_left\":{top_left},\"bottom_right\":{bottom_right}}}");
        Members { first: true, out }.raw("bounds", &corners);
    }
}

pub fn geo_centroid(centroid: &Centroid, out: &mut Vec<u8>) {
    let mut members = Members { first: true, out };
    if let Some(mean) = centroid.place() {
        members.raw("location", &place(mean));
    }
    members.raw("count", &centroid.count.to_string());
}

fn place(place: GeoPoint) -> String {
    format!("{{\"lat\":{},\"lon\":{}}}", plain_double(place.lat), plain_double(place.lon))
}

pub fn boxplot(digest: &TDigest, printer: &Printer, out: &mut Vec<u8>) {
    let named = digest.boxplot().map(|(name, value)| (name, Some(value)));
    Members { first: true, out }.numbers(&named, printer);
}

pub fn string_stats(stats: &StringStats, distribution: bool, printer: &Printer, out: &mut Vec<u8>) {
    let mut members = Members { first: true, out };
    members.raw("count", &stats.count.to_string());
    if stats.count == 0 {
        ["min_length", "max_length", "avg_length"].iter().for_each(|name| members.raw(name, "null"));
        members.raw("entropy", "0.0");
        if distribution {
            members.raw("distribution", "null");
        }
        return;
    }
    members.raw("min_length", &stats.shortest.to_string());
    members.raw("max_length", &stats.longest.to_string());
    members.raw("avg_length", &plain_double(stats.average()));
    members.raw("entropy", &plain_double(stats.entropy()));
    if distribution {
        let one = |(text, share): (String, f64)| format!("{}:{}", Value::String(text), plain_double(share));
        let shares: Vec<String> = stats.distribution().into_iter().map(one).collect();
        members.raw("distribution", &format!("{{{}}}", shares.join(",")));
    }
    let printed = [
        ("min_length", stats.shortest as f64),
        ("max_length", stats.longest as f64),
        ("avg_length", stats.average()),
        ("entropy", stats.entropy()),
    ];
    for (name, value) in printed {
        if let Some(printed) = printer.number_as_string(value) {
            members.raw(&format!("{name}_as_string"), &Value::String(printed).to_string());
        }
    }
}

pub fn t_test(test: &TTest, of: &plan::TTest, out: &mut Vec<u8>) {
    let probability = test.probability(of.tails, of.kind == TTestKind::Homoscedastic);
    let shown = if probability.is_finite() { plain_double(probability) } else { "null".to_owned() };
    Members { first: true, out }.raw("value", &shown);
}

pub fn matrix_stats(stats: &MatrixStats, of: &plan::MatrixStats, out: &mut Vec<u8>) {
    write(out, format_args!("\"doc_count\":{}", stats.count));
    if stats.count == 0 {
        return;
    }
    out.extend_from_slice(b",\"fields\":[");
    let names: Vec<&str> = of.sources.iter().map(|source| source.field.as_str()).collect();
    for (field, name) in names.iter().enumerate() {
        out.extend_from_slice(if field == 0 { b"{" } else { b",{" });
        let moments = stats.field(field);
        out.extend_from_slice(b"\"name\":");
        string(name, out);
        write(out, format_args!(",\"count\":{}", stats.count));
        for (member, value) in [
            ("mean", moments.mean),
            ("variance", moments.variance),
            ("skewness", moments.skewness),
            ("kurtosis", moments.kurtosis),
        ] {
            write(out, format_args!(",\"{member}\":{}", finite(value)));
        }
        row("covariance", &names, |other| stats.covariance(field, other), out);
        row("correlation", &names, |other| stats.correlation(field, other), out);
        out.push(b'}');
    }
    out.push(b']');
}

fn row(name: &str, fields: &[&str], value: impl Fn(usize) -> f64, out: &mut Vec<u8>) {
    write(out, format_args!(",\"{name}\":{{"));
    for (place, field) in fields.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        string(field, out);
        write(out, format_args!(":{}", finite(value(place))));
    }
    out.push(b'}');
}

/// What has no value, such as the variance of one document, is printed as the API prints it.
fn finite(value: f64) -> String {
    if value.is_finite() { plain_double(value) } else { "\"NaN\"".to_owned() }
}
