//! `min` to `extended_stats`, from one accumulator.

use super::Members;
use crate::metrics::stats::Stats;
use crate::plan::{Kind, Pipeline};
use quarry_mapping::format::Printer;

pub fn render(kind: &Kind, stats: &Stats, printer: &Printer, out: &mut Vec<u8>) {
    let some = |value: f64| (stats.count > 0).then_some(value);
    let single = match kind {
        Kind::Min(_) => Some(some(stats.min)),
        Kind::Max(_) => Some(some(stats.max)),
        Kind::Avg(_) => Some(some(stats.average())),
        Kind::Sum(_) => Some(Some(stats.sum.value())),
        _ => None,
    };
    let mut members = Members { first: true, out };
    if let Some(value) = single {
        members.number("value", value, printer);
        return;
    }
    members.raw("count", &stats.count.to_string());
    let mut named = vec![
        ("min", some(stats.min)),
        ("max", some(stats.max)),
        ("avg", some(stats.average())),
        ("sum", Some(stats.sum.value())),
    ];
    let sigma = match kind {
        Kind::ExtendedStats(of) => of.sigma,
        Kind::Pipeline(Pipeline::ExtendedStatsBucket(of)) => of.sigma,
        _ => {
            members.plain_numbers(&named);
            // A sum of nothing is told, but not printed.
            if stats.count > 0 {
                members.printed_numbers(&named, "_as_string", printer);
            }
            return;
        }
    };
    // Of a single value it is not defined.
    let sampling = stats.sampling_variance().or((stats.count == 1).then_some(f64::NAN));
    let variance = some(stats.variance());
    named.extend([
        ("sum_of_squares", some(stats.squares.value())),
        ("variance", variance),
        ("variance_population", variance),
        ("variance_sampling", sampling),
        ("std_deviation", variance.map(f64::sqrt)),
        ("std_deviation_population", variance.map(f64::sqrt)),
        ("std_deviation_sampling", sampling.map(f64::sqrt)),
    ]);
    members.plain_numbers(&named);
    let around =
        |deviation: Option<f64>, sign: f64| deviation.map(|deviation| stats.average() + sign * sigma * deviation);
    let (population, sample) = (variance.map(f64::sqrt), sampling.map(f64::sqrt));
    let bounds = [
        ("upper", around(population, 1.0)),
        ("lower", around(population, -1.0)),
        ("upper_population", around(population, 1.0)),
        ("lower_population", around(population, -1.0)),
        ("upper_sampling", around(sample, 1.0)),
        ("lower_sampling", around(sample, -1.0)),
    ];
    members.object("std_deviation_bounds", |members| members.plain_numbers(&bounds));
    if stats.count > 0 {
        members.printed_numbers(&named, "_as_string", printer);
        let is_printed = printer.number_as_string(stats.average()).is_some();
        if is_printed {
            members.object("std_deviation_bounds_as_string", |members| members.printed_numbers(&bounds, "", printer));
        }
    }
}
