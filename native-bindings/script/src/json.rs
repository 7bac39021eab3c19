//! JSON to values and back.

use super::fault::{Fault, Res};
use super::heap::key::Key;
use super::heap::object::{ListKind, MapKind, MapObject, Object, SetObject};
use super::heap::{Heap, Value};
use super::number::{double_text, single_text};
use quarry_base::json::write::write_string;

/// Nesting of what becomes JSON.
const NESTING_MAX: u32 = 1_000;
/// Bytes of what becomes JSON.
const JSON_BYTES_MAX: usize = 128 << 20;

/// Objects become maps in their order, whole numbers ints or longs, others doubles.
pub fn read(heap: &mut Heap, json: &serde_json::Value) -> Res<Value> {
    Ok(match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => i32::try_from(number).map_or(Value::Long(number), Value::Int),
            None => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => heap.text(text.as_str())?,
        serde_json::Value::Array(items) => {
            let items = items.iter().map(|item| read(heap, item)).collect::<Res<_>>()?;
            heap.list(items)?
        }
        serde_json::Value::Object(members) => {
            let mut map = MapObject::new(MapKind::Linked);
            for (name, member) in members {
                let value = read(heap, member)?;
                map.entries.insert(Key::Text(name.as_str().into()), value);
            }
            heap.map(map)?
        }
    })
}

/// Appends a value as JSON, as the API renders it.
pub fn write(heap: &Heap, value: Value, out: &mut Vec<u8>) -> Res<()> {
    write_at(heap, value, 0, out)
}

fn plain(out: &mut Vec<u8>, text: impl AsRef<str>) -> Res<()> {
    out.extend_from_slice(text.as_ref().as_bytes());
    Ok(())
}

fn write_at(heap: &Heap, value: Value, depth: u32, out: &mut Vec<u8>) -> Res<()> {
    if depth > NESTING_MAX {
        return Err(Fault::illegal("Iterable object is self-referencing itself"));
    }
    if out.len() > JSON_BYTES_MAX {
        return Err(Fault::illegal(format!("the JSON of a value is longer than [{JSON_BYTES_MAX}] bytes")));
    }
    let place = match value {
        Value::Null => return plain(out, "null"),
        Value::Bool(value) => return plain(out, if value { "true" } else { "false" }),
        Value::Byte(number) => return plain(out, number.to_string()),
        Value::Short(number) => return plain(out, number.to_string()),
        Value::Int(number) => return plain(out, itoa::Buffer::new().format(number)),
        Value::Long(number) => return plain(out, itoa::Buffer::new().format(number)),
        Value::Float(number) if number.is_finite() => return plain(out, single_text(number)),
        Value::Double(number) if number.is_finite() => return plain(out, double_text(number)),
        Value::Float(number) => return plain(out, format!("\"{}\"", single_text(number))),
        Value::Double(number) => return plain(out, format!("\"{}\"", double_text(number))),
        Value::Char(unit) => {
            write_string(out, &String::from_utf16_lossy(&[unit]));
            return Ok(());
        }
        Value::Ref(place) => place,
    };
    match heap.get(place) {
        Object::Text(text) => write_string(out, text),
        Object::List(list) if !matches!(list.kind, ListKind::Stream(_)) => {
            out.push(b'[');
            for (place, &item) in list.items.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_at(heap, item, depth + 1, out)?;
            }
            out.push(b']');
        }
        Object::Set(SetObject(set)) => {
            out.push(b'[');
            for (place, key) in set.entries.keys().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_key(heap, key, false, depth, out)?;
            }
            out.push(b']');
        }
        Object::Map(map) => {
            out.push(b'{');
            for (place, (key, &member)) in map.entries.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_key(heap, key, true, depth, out)?;
                out.push(b':');
                write_at(heap, member, depth + 1, out)?;
            }
            out.push(b'}');
        }
        Object::Builder(text) => write_string(out, text),
        Object::Temporal(temporal) => write_string(out, &temporal.json_text()),
        Object::Optional(held) => write_at(heap, held.unwrap_or(Value::Null), depth + 1, out)?,
        Object::GeoPoint { lat, lon } => {
            plain(out, format!("{{\"lat\":{},\"lon\":{}}}", double_text(*lat), double_text(*lon)))?;
        }
        _ => {
            let class = super::types::class_of(heap, value);
            return Err(Fault::illegal(format!("cannot write xcontent for unknown value of type class {class}")));
        }
    }
    Ok(())
}

fn write_key(heap: &Heap, key: &Key, is_name: bool, depth: u32, out: &mut Vec<u8>) -> Res<()> {
    let value = match key {
        Key::Text(text) => {
            write_string(out, text);
            return Ok(());
        }
        Key::Null => Value::Null,
        Key::Bool(value) => Value::Bool(*value),
        Key::Byte(value) => Value::Byte(*value),
        Key::Short(value) => Value::Short(*value),
        Key::Char(value) => Value::Char(*value),
        Key::Int(value) => Value::Int(*value),
        Key::Long(value) => Value::Long(*value),
        Key::Float(bits) => Value::Float(f32::from_bits(*bits)),
        Key::Double(bits) => Value::Double(f64::from_bits(*bits)),
        Key::Object(place) => Value::Ref(*place),
        Key::List(_) => return Err(Fault::illegal("a list cannot be a key of JSON")),
    };
    if !is_name {
        return write_at(heap, value, depth + 1, out);
    }
    let mut own = Vec::new();
    write_at(heap, value, depth + 1, &mut own)?;
    match own.first() {
        Some(b'"') => out.extend_from_slice(&own),
        _ => write_string(out, &String::from_utf8_lossy(&own)),
    }
    Ok(())
}
