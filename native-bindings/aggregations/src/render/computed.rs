//! The results of pipelines.

use super::{Members, json};
use crate::partial::Computed;
use crate::plan::{Kind, Pipeline};
use quarry_base::error::Result;
use quarry_mapping::format::{Format, Printer, ValueType, plain_double};
use serde_json::Value;

pub fn render(kind: &Kind, computed: &Computed, out: &mut Vec<u8>) -> Result<()> {
    match computed {
        Computed::Number { value, format } => {
            Members { first: true, out }.number("value", Some(*value), &printer(format)?);
        }
        Computed::Count { value, format } => {
            let printer = printer(format)?;
            let mut members = Members { first: true, out };
            members.raw("value", &value.to_string());
            if let Some(printed) = printer.number_as_string(*value as f64) {
                members.raw("value_as_string", &Value::String(printed).to_string());
            }
        }
        Computed::Derivative { value, normalized, format } => {
            let printer = printer(format)?;
            let mut members = Members { first: true, out };
            members.number("value", Some(*value), &printer);
            members.number("normalized_value", Some(*normalized), &printer);
        }
        Computed::Extreme { value, keys, format } => {
            Members { first: true, out }.number("value", Some(*value), &printer(format)?);
            out.extend_from_slice(b",\"keys\":");
            json(&Value::from(keys.clone()), out);
        }
        Computed::Percentiles { values, format } => {
            let keyed = matches!(kind, Kind::Pipeline(Pipeline::PercentilesBucket(of)) if of.keyed);
            percentiles(values, keyed, &printer(format)?, out);
        }
        Computed::MovingPercentiles { values, keyed, format, .. } => {
            percentiles(values, *keyed, &format.printer()?, out);
        }
        Computed::Probabilities(found) => {
            let numbers: Vec<_> = found.iter().map(|(of, value)| (of.name(), Some(*value))).collect();
            Members { first: true, out }.plain_numbers(&numbers);
        }
    }
    Ok(())
}

fn printer(pattern: &Option<String>) -> Result<Printer> {
    Format { value_type: ValueType::Double, pattern: pattern.clone(), time_zone: None }.printer()
}

fn percentiles(values: &[(f64, f64)], keyed: bool, printer: &Printer, out: &mut Vec<u8>) {
    out.extend_from_slice(if keyed { b"\"values\":{" } else { b"\"values\":[" });
    for (place, (percent, value)) in values.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        let key = plain_double(*percent);
        if keyed {
            Members { first: true, out }.number(&key, Some(*value), printer);
            continue;
        }
        out.push(b'{');
        let mut members = Members { first: true, out };
        members.raw("key", &key);
        members.number("value", Some(*value), printer);
        out.push(b'}');
    }
    out.push(if keyed { b'}' } else { b']' });
}
