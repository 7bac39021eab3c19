//! What scripts of scores can call by name alone: how near vectors are, curves that bring values of documents into the range
//! from 0 to 1.

use super::vectors;
use crate::env::DocScalar;
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::heap::object::Object;
use crate::run::Machine;
use quarry_base::date::DEFAULT_DATE_FORMAT;
use quarry_base::date::DateFormat;
use quarry_base::murmur3::murmur3;
use quarry_base::time_value;

/// The class that the functions belong to.
pub const CLASS: &str = "ScoreScriptUtils";
const NANOS_PER_MILLI: i64 = 1_000_000;

/// Name and number of arguments.
const FUNCTIONS: [(&str, usize); 15] = [
    ("cosineSimilarity", 2),
    ("dotProduct", 2),
    ("hamming", 2),
    ("l1norm", 2),
    ("l2norm", 2),
    ("randomScore", 1),
    ("randomScore", 2),
    ("saturation", 2),
    ("sigmoid", 3),
    ("decayNumericLinear", 5),
    ("decayNumericExp", 5),
    ("decayNumericGauss", 5),
    ("decayDateLinear", 5),
    ("decayDateExp", 5),
    ("decayDateGauss", 5),
];

pub fn is_known(name: &str, arguments: usize) -> bool {
    FUNCTIONS.contains(&(name, arguments))
}

pub fn call(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let numbers =
        |machine: &Machine<'_>| arguments.iter().map(|value| machine.double_of(*value)).collect::<Res<Vec<f64>>>();
    let computed = match (name, arguments) {
        ("saturation", [_, _]) => {
            let numbers = numbers(machine)?;
            numbers[0] / (numbers[1] + numbers[0])
        }
        ("sigmoid", [_, _, _]) => {
            let numbers = numbers(machine)?;
            let value = numbers[0].powf(numbers[2]);
            value / (numbers[1].powf(numbers[2]) + value)
        }
        ("cosineSimilarity" | "dotProduct" | "hamming" | "l1norm" | "l2norm", [query, field]) => {
            vectors::compare(machine, name, *query, *field)?
        }
        ("randomScore", [seed]) => {
            let number = machine.env.number().unwrap_or(0);
            random(&number.to_le_bytes(), machine.int_of(*seed)?)
        }
        ("randomScore", [seed, field]) => {
            let (seed, field) = (machine.int_of(*seed)?, machine.chars_of(*field)?);
            let number = machine.env.field(&field).map_err(Box::<Fault>::from)?;
            let number = number.ok_or_else(|| Fault::illegal(format!("No field found for [{field}] in mapping")))?;
            let value = machine.env.value(number, 0).map_err(Box::<Fault>::from)?;
            let value =
                value.ok_or_else(|| Fault::illegal(format!("A document doesn't have a value for field [{field}]!")))?;
            random(scalar_text(&value).as_bytes(), seed)
        }
        (_, [origin, scale, offset, decay, value]) => {
            let decay = machine.double_of(*decay)?;
            if let Some(shape) = name.strip_prefix("decayNumeric") {
                let numbers = [origin, scale, offset, value].map(|number| machine.double_of(*number));
                let [origin, scale, offset, value] = numbers;
                decayed(shape, (value? - origin?).abs() - offset?, scale?, decay)
            } else {
                let origin = moment_ms(&machine.chars_of(*origin)?)?;
                let (scale, offset) = (length_ms(&machine.chars_of(*scale)?)?, length_ms(&machine.chars_of(*offset)?)?);
                decayed(
                    name.trim_start_matches("decayDate"),
                    (date_ms(machine, *value)? - origin).abs() - offset,
                    scale,
                    decay,
                )
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(Value::Double(computed)))
}

/// A number in `0..1` that depends on nothing but the seed and the value that is hashed.
fn random(value: &[u8], seed: i32) -> f64 {
    const BITS: u32 = 24;
    let hash = murmur3(value, seed as u32) as u32;
    f64::from(hash & ((1 << BITS) - 1)) / f64::from(1u32 << BITS)
}

/// A value as a text that is the same for equal values.
fn scalar_text(value: &DocScalar) -> String {
    match value {
        DocScalar::Text(text) => text.clone(),
        other => format!("{other:?}"),
    }
}

/// 1 at the origin, `decay` at the distance `scale`.
fn decayed(shape: &str, distance: f64, scale: f64, decay: f64) -> f64 {
    let distance = distance.max(0.0);
    match shape {
        "Linear" => {
            let end = scale / (1.0 - decay);
            ((end - distance) / end).max(0.0)
        }
        "Exp" => (decay.ln() / scale * distance).exp(),
        _ => (0.5 * distance.powi(2) / (0.5 * scale.powi(2) / decay.ln())).exp(),
    }
}

fn moment_ms(text: &str) -> Res<f64> {
    Ok(DateFormat::new(DEFAULT_DATE_FORMAT)?.parse(text)?.millis() as f64)
}

fn length_ms(text: &str) -> Res<f64> {
    Ok((time_value::parse_nanos(text, "decay")? / NANOS_PER_MILLI) as f64)
}

fn date_ms(machine: &Machine<'_>, value: Value) -> Res<f64> {
    let moment = match value {
        Value::Ref(place) => match machine.state.heap.get(place) {
            Object::Temporal(temporal) => temporal.moment(),
            _ => None,
        },
        _ => None,
    };
    let moment = moment.ok_or_else(|| Fault::new(Exception::ClassCast, "Cannot cast to [java.time.ZonedDateTime]."))?;
    Ok(moment.as_millisecond() as f64)
}

#[cfg(test)]
mod tests {
    use crate::compile::RegexUse;
    use crate::{Instance, Nothing, cache, context};
    use std::sync::Arc;

    fn score(source: &str) -> f64 {
        let program = cache::compiled("painless", source, context("score").unwrap(), RegexUse::Limited(6)).unwrap();
        let mut instance = Instance::new(Arc::new(program), &serde_json::Value::Null).unwrap();
        instance.run_double(&mut Nothing).unwrap()
    }

    fn close(source: &str, expected: f64) {
        assert!((score(source) - expected).abs() < 1e-12, "{source}: {}", score(source));
    }

    #[test]
    fn curves() {
        close("saturation(300, 100)", 0.75);
        close("sigmoid(100, 100, 2)", 0.5);
        for shape in ["Linear", "Exp", "Gauss"] {
            close(&format!("decayNumeric{shape}(20, 10, 0, 0.9, 20)"), 1.0);
            close(&format!("decayNumeric{shape}(20, 10, 5, 0.9, 35)"), 0.9);
            let at = "ZonedDateTime.parse('2018-01-01T01:00:00Z')";
            close(&format!("decayDate{shape}('2018-01-01T00:00:00Z', '1h', '0', 0.9, {at})"), 0.9);
        }
        close("decayNumericLinear(0, 10, 0, 0.5, 25)", 0.0);
        assert!((0.0..1.0).contains(&score("randomScore(100)")));
        close("randomScore(7) - randomScore(7)", 0.0);
        assert_ne!(score("randomScore(7)"), score("randomScore(8)"));
    }

    #[test]
    fn functions_of_the_script_come_first() {
        close("double saturation(double value, double k) { return value + k } return saturation(1, 2)", 3.0);
    }
}
