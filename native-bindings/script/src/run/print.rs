//! Texts of values.

use super::convert::{NESTING_MAX, too_deep};
use crate::fault::{Fault, Res};
use crate::heap::key::Key;
use crate::heap::object::{ListKind, MapObject, Object, SetObject};
use crate::heap::{Heap, Value};
use crate::number;
use crate::types;
use std::fmt::Write;

/// Bytes of the text of one value.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// Words of sets of bits that are looked through for one text.
const LOOKED_AT_MAX: usize = 1 << 24;

/// Writes a value, and stops where it is too much.
pub struct Printer<'a> {
    heap: &'a Heap,
    text: String,
    /// Steps that left nothing in the text.
    looked_at: usize,
}

impl<'a> Printer<'a> {
    pub fn new(heap: &'a Heap) -> Self {
        Printer { heap, text: String::new(), looked_at: 0 }
    }

    /// Errors: the text is too long, collections are nested too deep.
    pub fn print(&mut self, value: Value) -> Res<()> {
        self.value(value, 0)
    }

    /// The text, and how many steps of [`Printer::look`] it took.
    pub fn finish(self) -> (String, usize) {
        (self.text, self.looked_at)
    }

    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub fn write(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a text does not fail.
        let _ = self.text.write_fmt(text);
    }

    /// Counts steps before they are made. Errors: there are more than [`LOOKED_AT_MAX`].
    pub fn look(&mut self, steps: usize) -> Res<()> {
        self.looked_at = self.looked_at.saturating_add(steps);
        if self.looked_at > LOOKED_AT_MAX {
            return Err(Fault::illegal(format!("the text of a value takes more than [{LOOKED_AT_MAX}] steps")));
        }
        Ok(())
    }

    /// Errors: the text is longer than [`TEXT_BYTES_MAX`] already.
    pub fn check_length(&self) -> Res<()> {
        if self.text.len() > TEXT_BYTES_MAX {
            return Err(Fault::illegal(format!("the text of a value is longer than [{TEXT_BYTES_MAX}] bytes")));
        }
        Ok(())
    }

    fn value(&mut self, value: Value, depth: u32) -> Res<()> {
        if depth > NESTING_MAX {
            return Err(too_deep());
        }
        self.check_length()?;
        match value {
            Value::Null => self.push("null"),
            Value::Bool(value) => self.write(format_args!("{value}")),
            Value::Byte(value) => self.write(format_args!("{value}")),
            Value::Short(value) => self.write(format_args!("{value}")),
            Value::Char(unit) => self.push(&String::from_utf16_lossy(&[unit])),
            Value::Int(value) => self.write(format_args!("{value}")),
            Value::Long(value) => self.write(format_args!("{value}")),
            Value::Float(value) => self.push(&number::single_text(value)),
            Value::Double(value) => self.push(&number::double_text(value)),
            Value::Ref(place) => return self.object(self.heap.get(place), value, depth),
        }
        Ok(())
    }

    /// `value` leads to the object.
    fn object(&mut self, object: &'a Object, value: Value, depth: u32) -> Res<()> {
        match object {
            Object::Text(text) => self.push(text),
            Object::Builder(text) => self.push(text),
            Object::List(list) if !matches!(list.kind, ListKind::Stream(_)) => self.items(&list.items, depth)?,
            Object::Set(SetObject(set)) => self.keys(set, depth)?,
            Object::Map(map) => self.map(map, depth)?,
            Object::Temporal(temporal) => self.push(&temporal.text()),
            Object::Optional(None) => self.push("Optional.empty"),
            Object::Optional(Some(value)) => {
                self.push("Optional[");
                self.value(*value, depth + 1)?;
                self.push("]");
            }
            Object::Entry { key, value, .. } => {
                self.value(*key, depth + 1)?;
                self.push("=");
                self.value(*value, depth + 1)?;
            }
            Object::Pattern(pattern) => self.push(pattern.as_str()),
            Object::GeoPoint { lat, lon } => self.write(format_args!("{lat}, {lon}")),
            Object::Exception { message, .. } => {
                self.push(&types::class_of(self.heap, value));
                if let Some(message) = message {
                    self.write(format_args!(": {message}"));
                }
            }
            Object::StringJoiner(joiner) => self.push(&joiner.text()),
            Object::Library(library) => match library.items() {
                Some(items) => self.items(items, depth)?,
                None => library.print(self)?,
            },
            _ => self.push(&types::class_of(self.heap, value)),
        }
        Ok(())
    }

    fn items(&mut self, items: &[Value], depth: u32) -> Res<()> {
        self.push("[");
        for (place, &item) in items.iter().enumerate() {
            self.push(if place > 0 { ", " } else { "" });
            self.value(item, depth + 1)?;
        }
        self.push("]");
        Ok(())
    }

    fn map(&mut self, map: &MapObject, depth: u32) -> Res<()> {
        self.push("{");
        for (place, (key, &value)) in map.entries.iter().enumerate() {
            self.push(if place > 0 { ", " } else { "" });
            self.key(key, depth)?;
            self.push("=");
            self.value(value, depth + 1)?;
        }
        self.push("}");
        Ok(())
    }

    fn keys(&mut self, set: &MapObject, depth: u32) -> Res<()> {
        self.push("[");
        for (place, key) in set.entries.keys().enumerate() {
            self.push(if place > 0 { ", " } else { "" });
            self.key(key, depth)?;
        }
        self.push("]");
        Ok(())
    }

    fn key(&mut self, key: &Key, depth: u32) -> Res<()> {
        self.check_length()?;
        match key {
            Key::Text(text) => self.push(text),
            Key::Null => self.value(Value::Null, depth)?,
            Key::Bool(value) => self.value(Value::Bool(*value), depth)?,
            Key::Byte(value) => self.value(Value::Byte(*value), depth)?,
            Key::Short(value) => self.value(Value::Short(*value), depth)?,
            Key::Char(value) => self.value(Value::Char(*value), depth)?,
            Key::Int(value) => self.value(Value::Int(*value), depth)?,
            Key::Long(value) => self.value(Value::Long(*value), depth)?,
            Key::Float(bits) => self.value(Value::Float(f32::from_bits(*bits)), depth)?,
            Key::Double(bits) => self.value(Value::Double(f64::from_bits(*bits)), depth)?,
            Key::Object(place) => self.value(Value::Ref(*place), depth + 1)?,
            Key::List(items) => {
                self.push("[");
                for (place, item) in items.iter().enumerate() {
                    self.push(if place > 0 { ", " } else { "" });
                    self.key(item, depth + 1)?;
                }
                self.push("]");
            }
        }
        Ok(())
    }
}
