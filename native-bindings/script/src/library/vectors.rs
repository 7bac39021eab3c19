//! Vectors of documents: their values, and how near they are to one of the request.

use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::heap::object::Object;
use crate::run::Machine;
use quarry_vectors::bytes::hamming;
use quarry_vectors::measure::Element;
use quarry_vectors::similarity::{dot, l1_distance, magnitude, square_distance};

/// `cosineSimilarity(params.query, 'field')` and the like.
pub fn compare(machine: &mut Machine<'_>, name: &str, query: Value, field: Value) -> Res<f64> {
    let query = query_values(machine, query)?;
    let field = machine.chars_of(field)?;
    let number = machine.env.field(&field).map_err(Box::<Fault>::from)?;
    let number = number.ok_or_else(|| Fault::illegal(format!("No field found for [{field}] in mapping")))?;
    let (element, own) = vector(machine, number)?;
    let query = if element == Element::Bit && query.len() * 8 == own.len() { bits_of(&query) } else { query };
    if query.len() != own.len() {
        return Err(Fault::illegal(format!(
            "The query vector has a different number of dimensions [{}] than the document vectors [{}].",
            query.len(),
            own.len()
        )));
    }
    Ok(f64::from(match (name, element) {
        ("hamming", Element::Float) => {
            return Err(Fault::illegal("hamming distance is only supported for byte or bit vectors"));
        }
        ("hamming", Element::Byte) => hamming(&bytes_of(&query), &bytes_of(&own)) as f32,
        ("hamming", Element::Bit) => l1_distance(&query, &own),
        ("cosineSimilarity", Element::Bit) => {
            return Err(Fault::illegal("cosineSimilarity is not supported for bit vectors"));
        }
        ("cosineSimilarity", _) => dot(&query, &own) / (magnitude(&query) * magnitude(&own)),
        ("dotProduct", _) => dot(&query, &own),
        ("l1norm", _) => l1_distance(&query, &own),
        _ => square_distance(&query, &own).sqrt(),
    }))
}

/// `doc['field'].vectorValue`
pub fn value(machine: &mut Machine<'_>, field: u32) -> Res<Value> {
    let values = vector(machine, field)?.1.into_iter().map(Value::Float).collect();
    machine.state.heap.list(values)
}

/// `doc['field'].magnitude`
pub fn length(machine: &mut Machine<'_>, field: u32) -> Res<Value> {
    Ok(Value::Float(magnitude(&vector(machine, field)?.1)))
}

/// Of bits one value for each.
fn vector(machine: &mut Machine<'_>, field: u32) -> Res<(Element, Vec<f32>)> {
    let mut values = Vec::new();
    let Some(element) = machine.env.vector(field, &mut values).map_err(Box::<Fault>::from)? else {
        return Err(Fault::illegal("A document doesn't have a value for a vector field!"));
    };
    machine.work(values.len())?;
    Ok((element, values))
}

/// Whole numbers from -128 to 127 as bytes.
fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().map(|&value| value as i8 as u8).collect()
}

/// The bits of such numbers, each a value, the highest first.
fn bits_of(values: &[f32]) -> Vec<f32> {
    let bits = |byte: u8| (0..8).rev().map(move |bit| f32::from(byte >> bit & 1));
    bytes_of(values).into_iter().flat_map(bits).collect()
}

/// A list of numbers, or bytes as hexadecimal digits.
fn query_values(machine: &mut Machine<'_>, query: Value) -> Res<Vec<f32>> {
    let refused = || Fault::illegal("The query vector is no list of numbers.");
    let Value::Ref(place) = query else { return Err(refused()) };
    let items = match machine.state.heap.get(place) {
        Object::List(list) => list.items.clone(),
        _ => return digits(&machine.chars_of(query).map_err(|_| refused())?).ok_or_else(refused),
    };
    machine.work(items.len())?;
    items.into_iter().map(|item| Ok(machine.double_of(item)? as f32)).collect()
}

fn digits(text: &str) -> Option<Vec<f32>> {
    if !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2));
    pairs.map(|pair| u8::from_str_radix(pair?, 16).ok().map(|byte| f32::from(byte as i8))).collect()
}
