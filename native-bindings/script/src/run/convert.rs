//! Conversions, conditions and equality of values.

use super::{Machine, Printer};
use crate::fault::{Exception, Fault, Res};
use crate::heap::object::{MapObject, Object, SetObject};
use crate::heap::{Heap, Value};
use crate::number;
use crate::types::{self, Type, is_instance};

/// Nesting of collections that are compared or printed.
pub(super) const NESTING_MAX: u32 = 64;

/// A value that has the type, or becomes it as a number; `None` for what only the machine can convert.
pub(super) fn converted(heap: &Heap, value: Value, to: Type, explicit: bool) -> Option<Value> {
    if let Some(primitive) = to.unboxed() {
        if matches!(value, Value::Null) {
            return (!to.is_primitive()).then_some(Value::Null);
        }
        let from = number::type_of(value)?;
        let fits = explicit || crate::compile::widens(from, primitive);
        return if fits { number::cast(value, primitive) } else { None };
    }
    match value {
        Value::Null => Some(value),
        _ if to == Type::Def || is_instance(heap, value, to) => Some(value),
        _ => None,
    }
}

impl Machine<'_> {
    /// Between texts and characters, or a failure.
    pub(super) fn convert_text(&mut self, value: Value, to: Type) -> Res<Value> {
        if matches!(value, Value::Null) {
            return Err(Fault::new(
                Exception::NullPointer,
                format!("Cannot cast null to a primitive type [{}].", to.name()),
            ));
        }
        match (to, value) {
            (Type::Text, Value::Char(unit)) => self.state.heap.text(String::from_utf16_lossy(&[unit])),
            (Type::Char, value) => {
                let text = self.state.heap.as_text(value).map(|text| text.encode_utf16().collect::<Vec<u16>>());
                match text.as_deref() {
                    Some([unit]) => Ok(Value::Char(*unit)),
                    Some(_) => Err(Fault::class_cast("Cannot cast [String] with length not equal to one to [char].")),
                    None => Err(self.cannot_cast(value, to)),
                }
            }
            (Type::Class(class), Value::Ref(place)) if class.simple() == "ArrayList" || class.simple() == "List" => {
                // The values of a document's field are a list.
                match self.state.heap.get(place) {
                    Object::DocField(_) => Ok(value),
                    _ => Err(self.cannot_cast(value, to)),
                }
            }
            _ => Err(self.cannot_cast(value, to)),
        }
    }

    fn cannot_cast(&self, value: Value, to: Type) -> Box<Fault> {
        let (from, to) = (self.class_of(value), to.name());
        Fault::class_cast(format!("Cannot cast from [{from}] to [{to}]."))
    }

    pub fn class_of(&self, value: Value) -> String {
        types::class_of(&self.state.heap, value)
    }

    pub(super) fn bool_of(&self, value: Value) -> Res<bool> {
        match value {
            Value::Bool(value) => Ok(value),
            Value::Null => Err(Fault::without_message(Exception::NullPointer)),
            other => Err(self.cannot_cast(other, Type::Bool)),
        }
    }

    /// `==` and `equals`: numbers by value, collections by what they hold.
    pub fn equals(&mut self, left: Value, right: Value) -> Res<bool> {
        let mut budget = 0;
        let equal = equal(&self.state.heap, left, right, 0, &mut budget)?;
        self.work(budget / 16)?;
        Ok(equal)
    }

    /// The text that concatenation and `toString` give.
    pub fn text_of(&mut self, value: Value) -> Res<std::sync::Arc<str>> {
        if let Some(text) = self.state.heap.as_text(value) {
            return Ok(std::sync::Arc::clone(text));
        }
        if let Value::Ref(place) = value
            && let Object::DocField(field) = self.state.heap.get(place)
        {
            let values = self.field_values(*field)?;
            let list = self.state.heap.list(values)?;
            return self.text_of(list);
        }
        let mut printer = Printer::new(&self.state.heap);
        printer.print(value)?;
        let (text, looked_at) = printer.finish();
        self.state.heap.charge(text.len())?;
        self.work(text.len() / 64 + looked_at / 16)?;
        Ok(text.into())
    }
}

pub(super) fn too_deep() -> Box<Fault> {
    Fault::illegal(format!("collections are nested deeper than [{NESTING_MAX}] levels, or hold themselves"))
}

fn equal(heap: &Heap, left: Value, right: Value, depth: u32, budget: &mut usize) -> Res<bool> {
    *budget += 1;
    if depth > NESTING_MAX || *budget > 1 << 24 {
        return Err(too_deep());
    }
    let (left, right) = match (left, right) {
        (Value::Ref(left), Value::Ref(right)) => (left, right),
        (Value::Null, Value::Null) => return Ok(true),
        (Value::Null | Value::Ref(_), _) | (_, Value::Null | Value::Ref(_)) => return Ok(false),
        (Value::Bool(left), Value::Bool(right)) => return Ok(left == right),
        (left, right) => {
            let same = number::binary(crate::tree::Operator::Equal, left, right)?;
            return Ok(matches!(same, Some(Value::Bool(true))));
        }
    };
    if left == right {
        return Ok(true);
    }
    match (heap.get(left), heap.get(right)) {
        (Object::Text(left), Object::Text(right)) => Ok(left == right),
        (Object::List(left), Object::List(right)) => {
            if left.items.len() != right.items.len() {
                return Ok(false);
            }
            for (&left, &right) in left.items.iter().zip(&right.items) {
                if !equal(heap, left, right, depth + 1, budget)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Object::Map(left), Object::Map(right)) => equal_maps(heap, left, right, depth, budget),
        (Object::Set(SetObject(left)), Object::Set(SetObject(right))) => {
            *budget += left.len();
            Ok(left.len() == right.len() && left.entries.keys().all(|key| right.entries.contains_key(key)))
        }
        (Object::Temporal(left), Object::Temporal(right)) => Ok(left == right),
        (Object::Library(left), Object::Library(right)) => Ok(left.is_equal(right)),
        (Object::Optional(left), Object::Optional(right)) => match (left, right) {
            (Some(left), Some(right)) => equal(heap, *left, *right, depth + 1, budget),
            (left, right) => Ok(left.is_none() && right.is_none()),
        },
        (Object::Entry { key, value, .. }, Object::Entry { key: other_key, value: other_value, .. }) => {
            Ok(equal(heap, *key, *other_key, depth + 1, budget)?
                && equal(heap, *value, *other_value, depth + 1, budget)?)
        }
        _ => Ok(false),
    }
}

fn equal_maps(heap: &Heap, left: &MapObject, right: &MapObject, depth: u32, budget: &mut usize) -> Res<bool> {
    if left.len() != right.len() {
        return Ok(false);
    }
    for (key, &value) in &left.entries {
        let Some(&other) = right.entries.get(key) else { return Ok(false) };
        if !equal(heap, value, other, depth + 1, budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}
