//! Methods of `Optional` and its kin.

use super::collection::no_element;
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::heap::object::{Element, ListKind, Object};
use crate::run::Machine;

pub fn call(machine: &mut Machine<'_>, held: Option<Value>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments, held) {
        ("isPresent", [], held) => Machine::bool(held.is_some()),
        ("isEmpty", [], held) => Machine::bool(held.is_none()),
        ("get" | "getAsInt" | "getAsLong" | "getAsDouble" | "orElseThrow", [], held) => match held {
            Some(value) => Ok(Some(value)),
            None => Err(Fault::new(Exception::NoSuchElement, "No value present")),
        },
        ("orElse", [other], held) => Ok(Some(held.unwrap_or(*other))),
        ("orElseGet", [function], held) => match held {
            Some(value) => Ok(Some(value)),
            None => machine.apply(*function, &[]).map(Some),
        },
        ("orElseThrow", [function], held) => match held {
            Some(value) => Ok(Some(value)),
            None => {
                machine.apply(*function, &[])?;
                Err(no_element())
            }
        },
        ("ifPresent", [function], held) => {
            if let Some(value) = held {
                machine.apply(*function, &[value])?;
            }
            Ok(Some(Value::Null))
        }
        ("map", [function], held) => {
            let mapped = match held {
                Some(value) => Some(machine.apply(*function, &[value])?).filter(|value| !matches!(value, Value::Null)),
                None => None,
            };
            machine.state.heap.alloc(Object::Optional(mapped)).map(Some)
        }
        ("flatMap", [function], Some(value)) => machine.apply(*function, &[value]).map(Some),
        ("filter", [predicate], Some(value)) => {
            let kept = machine.test(*predicate, &[value])?;
            machine.state.heap.alloc(Object::Optional(kept.then_some(value))).map(Some)
        }
        ("flatMap" | "filter", [_], None) => machine.state.heap.alloc(Object::Optional(None)).map(Some),
        ("stream", [], held) => {
            machine.state.heap.list_of(ListKind::Stream(Element::Any), held.into_iter().collect()).map(Some)
        }
        _ => Ok(None),
    }
}
