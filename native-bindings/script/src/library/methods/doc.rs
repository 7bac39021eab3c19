//! `doc`, and the values of a field of the document.

use super::{collection, places};
use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::library::vectors;
use crate::run::Machine;

pub fn call_doc(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("containsKey", [field]) => {
            let field = machine.chars_of(*field)?;
            let found = machine.env.field(&field).map_err(Box::<Fault>::from)?;
            Machine::bool(found.is_some())
        }
        ("get", [field]) => {
            let field = machine.chars_of(*field)?;
            machine.field_named(&field).map(Some)
        }
        _ => Ok(None),
    }
}

/// `doc['f'].name`.
pub fn property(machine: &mut Machine<'_>, field: u32, name: &str) -> Res<Value> {
    match name {
        "value" => machine.field_value(field, 0),
        "values" => {
            let values = machine.field_values(field)?;
            machine.state.heap.list(values)
        }
        "empty" => Ok(Value::Bool(machine.field_length(field)? == 0)),
        "length" => Ok(Value::Int(machine.field_length(field)? as i32)),
        "date" => machine.field_value(field, 0),
        "vectorValue" => vectors::value(machine, field),
        "magnitude" => vectors::length(machine, field),
        _ => places::property(machine, field, name)?.ok_or_else(|| {
            Fault::illegal(format!(
                "dynamic getter [org.elasticsearch.index.fielddata.ScriptDocValues, {name}] not found"
            ))
        }),
    }
}

pub fn call_field(machine: &mut Machine<'_>, field: u32, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("getValue", []) => machine.field_value(field, 0).map(Some),
        ("getVectorValue", []) => vectors::value(machine, field).map(Some),
        ("getMagnitude", []) => vectors::length(machine, field).map(Some),
        ("getValues", []) => property(machine, field, "values").map(Some),
        ("size" | "getLength", []) => Machine::int(machine.field_length(field)?),
        ("isEmpty", []) => Machine::bool(machine.field_length(field)? == 0),
        ("get", [place]) => {
            let place = usize::try_from(machine.int_of(*place)?).unwrap_or(usize::MAX);
            machine.field_value(field, place).map(Some)
        }
        _ => {
            if let Some(value) = places::call(machine, field, name, arguments)? {
                return Ok(Some(value));
            }
            let items = machine.field_values(field)?;
            if matches!(name, "indexOf" | "subList" | "lastIndexOf") {
                let list = machine.state.heap.list(items)?;
                return super::call(machine, list, name, arguments).map(Some);
            }
            collection::read(machine, &items, name, arguments)
        }
    }
}
