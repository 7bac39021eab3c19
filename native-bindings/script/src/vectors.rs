//! Vectors of documents: their values, and how near they are to one of the request.

use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::object::Object;
use crate::run::Machine;
use quarry_vectors::similarity::{dot, l1_distance, magnitude, square_distance};

/// `cosineSimilarity(params.query, 'field')` and the like.
pub fn compare(machine: &mut Machine<'_>, name: &str, query: Value, field: Value) -> Res<f64> {
    let query = numbers(machine, query)?;
    let field = machine.chars_of(field)?;
    let number = machine.env.field(&field).map_err(Box::<Fault>::from)?;
    let number = number.ok_or_else(|| Fault::illegal(format!("No field found for [{field}] in mapping")))?;
    let own = vector(machine, number)?;
    if query.len() != own.len() {
        return Err(Fault::illegal(format!(
            "The query vector has a different number of dimensions [{}] than the document vectors [{}].",
            query.len(),
            own.len()
        )));
    }
    Ok(f64::from(match name {
        "cosineSimilarity" => dot(&query, &own) / (magnitude(&query) * magnitude(&own)),
        "dotProduct" => dot(&query, &own),
        "l1norm" => l1_distance(&query, &own),
        _ => square_distance(&query, &own).sqrt(),
    }))
}

/// `doc['field'].vectorValue`
pub fn value(machine: &mut Machine<'_>, field: u32) -> Res<Value> {
    let values = vector(machine, field)?.into_iter().map(Value::Float).collect();
    machine.state.heap.list(values)
}

/// `doc['field'].magnitude`
pub fn length(machine: &mut Machine<'_>, field: u32) -> Res<Value> {
    Ok(Value::Float(magnitude(&vector(machine, field)?)))
}

fn vector(machine: &mut Machine<'_>, field: u32) -> Res<Vec<f32>> {
    let mut values = Vec::new();
    if !machine.env.vector(field, &mut values).map_err(Box::<Fault>::from)? {
        return Err(Fault::illegal("A document doesn't have a value for a vector field!"));
    }
    machine.work(values.len())?;
    Ok(values)
}

fn numbers(machine: &mut Machine<'_>, list: Value) -> Res<Vec<f32>> {
    let items = match list {
        Value::Ref(place) => match machine.state.heap.get(place) {
            Object::List(list) => list.items.clone(),
            _ => return Err(Fault::illegal("The query vector is no list of numbers.")),
        },
        _ => return Err(Fault::illegal("The query vector is no list of numbers.")),
    };
    machine.work(items.len())?;
    items.into_iter().map(|item| Ok(machine.double_of(item)? as f32)).collect()
}
