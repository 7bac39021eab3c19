//! How the response shows what a digest answers.

use super::{Members, write};
use crate::plan::{Kind, Percentiles};
use quarry_mapping::format::{Printer, plain_double};
use serde_json::Value;

/// `value_of` answers for each key.
pub fn render(kind: &Kind, value_of: impl Fn(f64) -> f64, printer: &Printer, out: &mut Vec<u8>) {
    let answer = |key| Some(value_of(key)).filter(|value| value.is_finite());
    match kind {
        Kind::Percentiles(of) | Kind::PercentileRanks(of) if of.keyed => {
            out.extend_from_slice(b"\"values\":{");
            let mut members = Members { first: true, out };
            of.keys.iter().for_each(|&key| members.number(&plain_double(key), answer(key), printer));
            out.push(b'}');
        }
        Kind::Percentiles(of) | Kind::PercentileRanks(of) => list(of, answer, printer, out),
        _ => Members { first: true, out }.number("value", answer(0.0), printer),
    }
}

fn list(of: &Percentiles, answer: impl Fn(f64) -> Option<f64>, printer: &Printer, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"values\":[");
    for (place, &key) in of.keys.iter().enumerate() {
        let value = answer(key);
        let shown = value.map_or_else(|| "null".to_owned(), plain_double);
        let comma = if place > 0 { "," } else { "" };
        write(out, format_args!("{comma}{{\"key\":{},\"value\":{shown}", plain_double(key)));
        if let Some(printed) = value.and_then(|value| printer.number_as_string(value)) {
            write(out, format_args!(",\"value_as_string\":{}", Value::String(printed)));
        }
        out.push(b'}');
    }
    out.push(b']');
}
