//! `new`.

use super::classes;
use crate::fault::{Fault, Res};
use crate::heap::key::Key;
use crate::heap::object::{Element, Joiner, ListKind, MapKind, MapObject, Object, SetObject, Summary};
use crate::heap::{VALUE_BYTES, Value};
use crate::run::Machine;
use crate::types::{ClassName, Type};

pub fn new_object(machine: &mut Machine<'_>, class: ClassName, arguments: &[Value]) -> Res<Value> {
    if let Some(kind) = class.exception() {
        let message = match arguments.first() {
            None | Some(Value::Null) => None,
            Some(message) => Some(machine.text_of(*message)?),
        };
        return machine.state.heap.alloc(Object::Exception { kind, message });
    }
    match class.simple() {
        "ArrayList" | "LinkedList" | "ArrayDeque" | "Stack" | "Vector" => {
            let items = match arguments.first() {
                None | Some(Value::Int(_)) => Vec::new(),
                Some(other) => machine.items_of(*other)?,
            };
            machine.state.heap.list(items)
        }
        "HashMap" => map(machine, MapKind::Hash, arguments),
        "LinkedHashMap" => map(machine, MapKind::Linked, arguments),
        "TreeMap" => map(machine, MapKind::Tree, arguments),
        "HashSet" => set(machine, MapKind::Hash, arguments),
        "LinkedHashSet" => set(machine, MapKind::Linked, arguments),
        "TreeSet" => set(machine, MapKind::Tree, arguments),
        "StringBuilder" | "StringBuffer" => {
            let text = match arguments.first() {
                None | Some(Value::Int(_)) => String::new(),
                Some(text) => machine.chars_of(*text)?.to_string(),
            };
            machine.state.heap.charge(text.len())?;
            machine.state.heap.alloc(Object::Builder(text))
        }
        "String" => match arguments.first() {
            None => machine.state.heap.text(""),
            Some(text) => {
                let value_of = ClassName::find("String").ok_or_else(|| Fault::illegal("no such class"))?;
                super::statics::call(machine, value_of, "valueOf", &[*text])
            }
        },
        "StringJoiner" => joiner(machine, arguments),
        "GeoPoint" => match arguments {
            [lat, lon] => {
                let (lat, lon) = (machine.double_of(*lat)?, machine.double_of(*lon)?);
                machine.state.heap.alloc(Object::GeoPoint { lat, lon })
            }
            _ => Err(Fault::illegal("a GeoPoint is made of a latitude and a longitude")),
        },
        "IntSummaryStatistics" => summary(machine, Element::Int),
        "LongSummaryStatistics" => summary(machine, Element::Long),
        "DoubleSummaryStatistics" => summary(machine, Element::Double),
        other => match classes::construct(machine, other, arguments)? {
            Some(made) => Ok(made),
            None => machine.state.heap.list_of(ListKind::Unmodifiable, Vec::new()),
        },
    }
}

fn summary(machine: &mut Machine<'_>, element: Element) -> Res<Value> {
    machine.state.heap.alloc(Object::Summary(Box::new(Summary::new(element))))
}

fn joiner(machine: &mut Machine<'_>, arguments: &[Value]) -> Res<Value> {
    let mut texts = Vec::with_capacity(3);
    for argument in arguments {
        texts.push(machine.chars_of(*argument)?);
    }
    let text = |place: usize| texts.get(place).cloned().unwrap_or_else(|| "".into());
    let joiner = Joiner { separator: text(0), prefix: text(1), suffix: text(2), parts: Vec::new() };
    machine.state.heap.alloc(Object::StringJoiner(Box::new(joiner)))
}

fn map(machine: &mut Machine<'_>, kind: MapKind, arguments: &[Value]) -> Res<Value> {
    let made = machine.state.heap.map(MapObject::new(kind))?;
    if let [other @ Value::Ref(_), ..] = arguments
        && machine.state.heap.as_map(*other).is_some()
    {
        super::methods::call(machine, made, "putAll", &[*other])?;
    }
    Ok(made)
}

fn set(machine: &mut Machine<'_>, kind: MapKind, arguments: &[Value]) -> Res<Value> {
    let made = machine.state.heap.alloc(Object::Set(SetObject(MapObject::new(kind))))?;
    if let ([other @ Value::Ref(_), ..], Value::Ref(place)) = (arguments, made) {
        for item in machine.items_of(*other)? {
            let key = Key::of(&machine.state.heap, item)?;
            super::methods::collection::add(machine, place, key)?;
        }
    }
    Ok(made)
}

/// An array of arrays for each size but the last.
pub fn array(machine: &mut Machine<'_>, element: Type, sizes: &[usize]) -> Res<Value> {
    let [size, inner @ ..] = sizes else { return Ok(Value::Null) };
    machine.state.heap.charge(size.saturating_mul(VALUE_BYTES))?;
    machine.work(size / 64)?;
    if inner.is_empty() {
        let element = Element::of(element);
        return machine.state.heap.list_of(ListKind::Array(element), vec![element.zero(); *size]);
    }
    let items = (0..*size).map(|_| array(machine, element, inner)).collect::<Res<Vec<_>>>()?;
    machine.state.heap.list_of(ListKind::Array(Element::Any), items)
}
