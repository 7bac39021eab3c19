//! Values as keys of maps and members of sets: equal and ordered as the language has them.

use super::object::Object;
use crate::fault::{Exception, Fault, Res};
use crate::heap::{Heap, Ref, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// Nesting of lists in one key.
const KEY_DEPTH_MAX: usize = 16;

/// A value by what it is equal to. Numbers of different types are different keys, as they are in Java.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    Null,
    Bool(bool),
    Byte(i8),
    Short(i16),
    Char(u16),
    Int(i32),
    Long(i64),
    /// The bits of a float.
    Float(u32),
    /// The bits of a double.
    Double(u64),
    Text(Arc<str>),
    List(Vec<Key>),
    /// By identity.
    Object(Ref),
}

impl Key {
    pub fn of(heap: &Heap, value: Value) -> Res<Key> {
        Key::at_depth(heap, value, 0)
    }

    fn at_depth(heap: &Heap, value: Value, depth: usize) -> Res<Key> {
        Ok(match value {
            Value::Null => Key::Null,
            Value::Bool(value) => Key::Bool(value),
            Value::Byte(value) => Key::Byte(value),
            Value::Short(value) => Key::Short(value),
            Value::Char(value) => Key::Char(value),
            Value::Int(value) => Key::Int(value),
            Value::Long(value) => Key::Long(value),
            Value::Float(value) => Key::Float(if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }),
            Value::Double(value) => Key::Double(if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }),
            Value::Ref(place) => match heap.get(place) {
                Object::Text(text) => Key::Text(Arc::clone(text)),
                Object::List(list) => {
                    if depth == KEY_DEPTH_MAX || list.items.len() > 1_000 {
                        return Err(Fault::illegal("a list that is a key is too large"));
                    }
                    let items = list.items.iter().map(|&item| Key::at_depth(heap, item, depth + 1));
                    Key::List(items.collect::<Res<_>>()?)
                }
                _ => Key::Object(place),
            },
        })
    }

    /// The value again; texts and lists are new objects.
    pub fn value(&self, heap: &mut Heap) -> Res<Value> {
        Ok(match self {
            Key::Null => Value::Null,
            Key::Bool(value) => Value::Bool(*value),
            Key::Byte(value) => Value::Byte(*value),
            Key::Short(value) => Value::Short(*value),
            Key::Char(value) => Value::Char(*value),
            Key::Int(value) => Value::Int(*value),
            Key::Long(value) => Value::Long(*value),
            Key::Float(bits) => Value::Float(f32::from_bits(*bits)),
            Key::Double(bits) => Value::Double(f64::from_bits(*bits)),
            Key::Text(text) => heap.text(Arc::clone(text))?,
            Key::List(items) => {
                let items = items.iter().map(|item| item.value(heap)).collect::<Res<_>>()?;
                heap.list(items)?
            }
            Key::Object(place) => Value::Ref(*place),
        })
    }

    /// Natural order, for sorted maps and sets. `None`: not comparable.
    pub fn compare(&self, other: &Key) -> Option<Ordering> {
        Some(match (self, other) {
            (Key::Text(left), Key::Text(right)) => left.encode_utf16().cmp(right.encode_utf16()),
            (Key::Bool(left), Key::Bool(right)) => left.cmp(right),
            (Key::Byte(left), Key::Byte(right)) => left.cmp(right),
            (Key::Short(left), Key::Short(right)) => left.cmp(right),
            (Key::Char(left), Key::Char(right)) => left.cmp(right),
            (Key::Int(left), Key::Int(right)) => left.cmp(right),
            (Key::Long(left), Key::Long(right)) => left.cmp(right),
            (Key::Float(left), Key::Float(right)) => f32::from_bits(*left).total_cmp(&f32::from_bits(*right)),
            (Key::Double(left), Key::Double(right)) => f64::from_bits(*left).total_cmp(&f64::from_bits(*right)),
            _ => return None,
        })
    }

    /// Errors with what Java says of values that have no order.
    pub fn compare_or_fail(&self, other: &Key) -> Res<Ordering> {
        self.compare(other).ok_or_else(|| match (self, other) {
            (Key::Null, _) | (_, Key::Null) => Fault::without_message(Exception::NullPointer),
            _ => Fault::class_cast(format!("class {} cannot be cast to class {}", self.class(), other.class())),
        })
    }

    fn class(&self) -> &'static str {
        match self {
            Key::Null => "null",
            Key::Bool(_) => "java.lang.Boolean",
            Key::Byte(_) => "java.lang.Byte",
            Key::Short(_) => "java.lang.Short",
            Key::Char(_) => "java.lang.Character",
            Key::Int(_) => "java.lang.Integer",
            Key::Long(_) => "java.lang.Long",
            Key::Float(_) => "java.lang.Float",
            Key::Double(_) => "java.lang.Double",
            Key::Text(_) => "java.lang.String",
            Key::List(_) => "java.util.ArrayList",
            Key::Object(_) => "java.lang.Object",
        }
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        size_of::<Key>()
            + match self {
                Key::Text(text) => text.len(),
                Key::List(items) => items.iter().map(Key::bytes).sum(),
                _ => 0,
            }
    }
}
