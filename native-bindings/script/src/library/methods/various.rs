//! Methods of the smaller kinds of objects.

use crate::fault::Res;
use crate::heap::key::Key;
use crate::heap::object::{Element, Joiner, Object, Summary};
use crate::heap::{Ref, Value};
use crate::run::Machine;

impl Joiner {
    pub fn text(&self) -> String {
        format!("{}{}{}", self.prefix, self.parts.join(&*self.separator), self.suffix)
    }
}

impl Summary {
    pub fn new(element: Element) -> Self {
        Summary { element, count: 0, sum: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }

    pub fn add(&mut self, number: f64) {
        self.count += 1;
        self.sum += number;
        self.min = self.min.min(number);
        self.max = self.max.max(number);
    }

    fn number(&self, number: f64, is_sum: bool) -> Value {
        match self.element {
            Element::Int if !is_sum => Value::Int(number as i32),
            Element::Int | Element::Long => Value::Long(number as i64),
            _ => Value::Double(number),
        }
    }
}

pub fn call(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match machine.state.heap.get_mut(place) {
        Object::Entry { map, key, value } => {
            let (map, key, value) = (*map, *key, *value);
            entry(machine, place, map, (key, value), name, arguments)
        }
        Object::Exception { message, .. } => match (name, arguments) {
            ("getMessage" | "getLocalizedMessage", []) => match message.clone() {
                Some(message) => machine.new_text(message),
                None => Ok(Some(Value::Null)),
            },
            _ => Ok(None),
        },
        Object::GeoPoint { lat, lon } => Ok(match (name, arguments) {
            ("getLat" | "lat", []) => Some(Value::Double(*lat)),
            ("getLon" | "lon", []) => Some(Value::Double(*lon)),
            _ => None,
        }),
        Object::Interval { start, end, gaps } => Ok(match (name, arguments) {
            ("getStart", []) => Some(Value::Int(*start)),
            ("getEnd", []) => Some(Value::Int(*end)),
            ("getGaps", []) => Some(Value::Int(*gaps)),
            _ => None,
        }),
        Object::Summary(summary) => Ok(match (name, arguments) {
            ("getCount", []) => Some(Value::Long(summary.count)),
            ("getSum", []) => Some(summary.number(summary.sum, true)),
            ("getMin", []) => Some(summary.number(summary.min, false)),
            ("getMax", []) => Some(summary.number(summary.max, false)),
            ("getAverage", []) => {
                let count = summary.count;
                Some(Value::Double(if count == 0 { 0.0 } else { summary.sum / count as f64 }))
            }
            _ => None,
        }),
        Object::StringJoiner(_) => joiner(machine, place, name, arguments),
        _ => Ok(None),
    }
}

fn entry(
    machine: &mut Machine<'_>,
    place: Ref,
    map: Option<Ref>,
    (key, value): (Value, Value),
    name: &str,
    arguments: &[Value],
) -> Res<Option<Value>> {
    match (name, arguments) {
        ("getKey", []) => Ok(Some(key)),
        ("getValue", []) => Ok(Some(value)),
        ("setValue", [new]) => {
            if let Some(map) = map {
                let key = Key::of(&machine.state.heap, key)?;
                machine.put(map, key, *new)?;
            }
            machine.state.heap.stored(place, *new);
            if let Object::Entry { value, .. } = machine.state.heap.get_mut(place) {
                *value = *new;
            }
            Ok(Some(value))
        }
        _ => Ok(None),
    }
}

fn joiner(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("add", [part]) => {
            let part = machine.chars_of(*part)?;
            machine.state.heap.charge(part.len() + size_of::<usize>() * 2)?;
            if let Object::StringJoiner(joiner) = machine.state.heap.get_mut(place) {
                joiner.parts.push(part);
            }
            Ok(Some(Value::Ref(place)))
        }
        ("length", []) => {
            let text = machine.text_of(Value::Ref(place))?;
            Machine::int(super::text::length(&text))
        }
        _ => Ok(None),
    }
}
