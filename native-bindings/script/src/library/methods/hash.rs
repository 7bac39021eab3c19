//! `hashCode` as Java computes it.

use crate::fault::{Fault, Res};
use crate::heap::key::Key;
use crate::heap::object::{ListKind, MapObject, Object, SetObject};
use crate::heap::{Heap, Value};
use crate::run::Machine;

/// Nesting of collections that are hashed.
const NESTING_MAX: u32 = 64;
/// Values in one of them, counted as often as they are met.
const VALUES_MAX: usize = 1 << 20;

/// Of texts, primitives and collections as in Java; of anything else that of its text.
pub fn hash_code(machine: &mut Machine<'_>, value: Value) -> Res<i32> {
    let mut hasher = Hasher { heap: &machine.state.heap, seen: 0 };
    let hash = hasher.of(value, 0)?;
    let seen = hasher.seen;
    machine.work(seen / 16)?;
    match hash {
        Some(hash) => Ok(hash),
        None => {
            let text = machine.text_of(value)?;
            machine.work(text.len() / 64)?;
            Ok(of_text(&text))
        }
    }
}

fn of_text(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()))
}

fn of_long(number: i64) -> i32 {
    ((number >> 32) ^ number) as i32
}

fn of_double(number: f64) -> i32 {
    of_long(if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() } as i64)
}

fn of_float(number: f32) -> i32 {
    if number.is_nan() { f32::NAN.to_bits() as i32 } else { number.to_bits() as i32 }
}

fn of_bool(value: bool) -> i32 {
    if value { 1231 } else { 1237 }
}

struct Hasher<'a> {
    heap: &'a Heap,
    seen: usize,
}

impl Hasher<'_> {
    /// `None`: an object whose hash is that of its text.
    fn of(&mut self, value: Value, depth: u32) -> Res<Option<i32>> {
        self.seen += 1;
        if depth > NESTING_MAX || self.seen > VALUES_MAX {
            let reason = "collections that are hashed are nested too deeply, hold too much, or hold themselves";
            return Err(Fault::illegal(reason));
        }
        let place = match value {
            Value::Null => return Ok(Some(0)),
            Value::Bool(value) => return Ok(Some(of_bool(value))),
            Value::Byte(number) => return Ok(Some(number.into())),
            Value::Short(number) => return Ok(Some(number.into())),
            Value::Char(unit) => return Ok(Some(unit.into())),
            Value::Int(number) => return Ok(Some(number)),
            Value::Long(number) => return Ok(Some(of_long(number))),
            Value::Float(number) => return Ok(Some(of_float(number))),
            Value::Double(number) => return Ok(Some(of_double(number))),
            Value::Ref(place) => place,
        };
        Ok(match self.heap.get(place) {
            Object::Text(text) => {
                self.seen += text.len() / 16;
                Some(of_text(text))
            }
            Object::List(list) if !matches!(list.kind, ListKind::Stream(_)) => {
                let mut hash = 1i32;
                for &item in &list.items {
                    hash = hash.wrapping_mul(31).wrapping_add(self.inner(item, depth)?);
                }
                Some(hash)
            }
            Object::Map(map) => Some(self.of_map(map, depth)?),
            Object::Set(SetObject(set)) => {
                let mut hash = 0i32;
                for key in set.entries.keys() {
                    hash = hash.wrapping_add(self.of_key(key, depth)?);
                }
                Some(hash)
            }
            Object::Entry { key, value, .. } => Some(self.inner(*key, depth)? ^ self.inner(*value, depth)?),
            Object::Optional(held) => Some(match held {
                Some(held) => self.inner(*held, depth)?,
                None => 0,
            }),
            Object::Library(library) => library.hash_code(),
            _ => None,
        })
    }

    /// Within a collection; what has no hash here counts by its class.
    fn inner(&mut self, value: Value, depth: u32) -> Res<i32> {
        if let Some(hash) = self.of(value, depth + 1)? {
            return Ok(hash);
        }
        Ok(match value {
            Value::Ref(place) => match self.heap.get(place) {
                Object::Temporal(temporal) => of_text(&temporal.text()),
                _ => of_text(&crate::types::class_of(self.heap, value)),
            },
            _ => 0,
        })
    }

    fn of_map(&mut self, map: &MapObject, depth: u32) -> Res<i32> {
        let mut hash = 0i32;
        for (key, &value) in &map.entries {
            hash = hash.wrapping_add(self.of_key(key, depth)? ^ self.inner(value, depth)?);
        }
        Ok(hash)
    }

    fn of_key(&mut self, key: &Key, depth: u32) -> Res<i32> {
        self.seen += 1;
        Ok(match key {
            Key::Null => 0,
            Key::Bool(value) => of_bool(*value),
            Key::Byte(number) => (*number).into(),
            Key::Short(number) => (*number).into(),
            Key::Char(unit) => (*unit).into(),
            Key::Int(number) => *number,
            Key::Long(number) => of_long(*number),
            Key::Float(bits) => of_float(f32::from_bits(*bits)),
            Key::Double(bits) => of_double(f64::from_bits(*bits)),
            Key::Text(text) => of_text(text),
            Key::List(items) => {
                let mut hash = 1i32;
                for item in items {
                    hash = hash.wrapping_mul(31).wrapping_add(self.of_key(item, depth)?);
                }
                hash
            }
            Key::Object(place) => self.inner(Value::Ref(*place), depth)?,
        })
    }
}
