//! `field('name')`: values of a field of the document, or a default where it has none or the mapping lacks the field.

use super::collection;
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::heap::object::Object;
use crate::run::Machine;

pub fn call(
    machine: &mut Machine<'_>,
    field: Option<u32>,
    field_name: &str,
    name: &str,
    arguments: &[Value],
) -> Res<Option<Value>> {
    match (name, arguments) {
        ("getName", []) => machine.new_text(field_name),
        ("isEmpty", []) => Machine::bool(length(machine, field)? == 0),
        ("size", []) => Machine::int(length(machine, field)?),
        ("get", [default]) => value_or(machine, field, 0, *default).map(Some),
        ("get", [place, default]) => {
            let place = machine.int_of(*place)?;
            value_or(machine, field, place, *default).map(Some)
        }
        ("asString", [default]) => text_or(machine, field, 0, *default).map(Some),
        ("asString", [place, default]) => {
            let place = machine.int_of(*place)?;
            text_or(machine, field, place, *default).map(Some)
        }
        ("asStrings", []) => {
            let values = values(machine, field)?;
            let texts = values.into_iter().map(|value| text(machine, value)).collect::<Res<Vec<_>>>()?;
            machine.state.heap.list(texts).map(Some)
        }
        ("iterator", []) => {
            let values = values(machine, field)?;
            collection::read(machine, &values, "iterator", &[])
        }
        _ => Ok(None),
    }
}

fn length(machine: &mut Machine<'_>, field: Option<u32>) -> Res<usize> {
    field.map_or(Ok(0), |field| machine.field_length(field))
}

fn values(machine: &mut Machine<'_>, field: Option<u32>) -> Res<Vec<Value>> {
    field.map_or(Ok(Vec::new()), |field| machine.field_values(field))
}

/// One value; places that there are not give the default.
fn value_or(machine: &mut Machine<'_>, field: Option<u32>, place: i32, default: Value) -> Res<Value> {
    let place = usize::try_from(place)
        .map_err(|_| Fault::new(Exception::IndexOutOfBounds, format!("Index {place} out of bounds")))?;
    match field {
        Some(field) if place < machine.field_length(field)? => machine.field_value(field, place),
        _ => Ok(default),
    }
}

fn text_or(machine: &mut Machine<'_>, field: Option<u32>, place: i32, default: Value) -> Res<Value> {
    let value = value_or(machine, field, place, Value::Null)?;
    if matches!(value, Value::Null) { Ok(default) } else { text(machine, value) }
}

fn text(machine: &mut Machine<'_>, value: Value) -> Res<Value> {
    let text = machine.text_of(value)?;
    machine.state.heap.alloc(Object::Text(text))
}
