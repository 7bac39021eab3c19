//! Members, indexes, values of a document, assignments.

use super::Machine;
use crate::env::DocScalar;
use crate::fault::{Exception, Fault, Res};
use crate::heap::key::Key;
use crate::heap::object::{ListKind, MapKind, Object};
use crate::heap::{Ref, VALUE_BYTES, Value};
use crate::library::methods;
use crate::library::temporal::Temporal;
use crate::number;
use crate::tree::{Assign, Target};
use crate::types::Type;
use std::sync::Arc;

impl Machine<'_> {
    /// The environment's number of a field of the program; `None` for an unmapped one.
    fn field_if_mapped(&mut self, place: u32) -> Res<Option<u32>> {
        let known = self.state.fields[place as usize];
        Ok(match known {
            Some(number) => number,
            None => {
                let number = self.env.field(&self.program.fields[place as usize]).map_err(Box::<Fault>::from)?;
                self.state.fields[place as usize] = Some(number);
                number
            }
        })
    }

    /// As [`Machine::field_if_mapped`]; an unmapped one fails.
    pub(super) fn field_number(&mut self, place: u32) -> Res<u32> {
        self.field_if_mapped(place)?.ok_or_else(|| no_field(&self.program.fields[place as usize]))
    }

    /// `field('name')` of a field of the program.
    pub(super) fn script_field(&mut self, place: u32) -> Res<Value> {
        let number = self.field_if_mapped(place)?;
        let name = Arc::from(&*self.program.fields[place as usize]);
        self.state.heap.alloc(Object::ScriptField(number, name))
    }

    /// `field(name)` of any name.
    pub(super) fn script_field_of(&mut self, name: Value) -> Res<Value> {
        let name = self.chars_of(name)?;
        let number = self.env.field(&name).map_err(Box::<Fault>::from)?;
        self.state.heap.alloc(Object::ScriptField(number, name))
    }

    /// `doc[name]` of any name.
    pub fn field_named(&mut self, name: &str) -> Res<Value> {
        match self.env.field(name).map_err(Box::<Fault>::from)? {
            Some(field) => self.state.heap.alloc(Object::DocField(field)),
            None => Err(no_field(name)),
        }
    }

    /// `doc['name'].value`.
    #[inline]
    pub(super) fn first_value(&mut self, place: u32) -> Res<Value> {
        let field = self.field_number(place)?;
        self.field_value(field, 0)
    }

    #[inline]
    pub fn field_value(&mut self, field: u32, place: usize) -> Res<Value> {
        match self.env.value(field, place).map_err(Box::<Fault>::from)? {
            Some(DocScalar::Long(number)) => Ok(Value::Long(number)),
            Some(DocScalar::Double(number)) => Ok(Value::Double(number)),
            Some(other) => self.scalar(other),
            None if place == 0 => Err(Fault::new(
                Exception::IllegalState,
                "A document doesn't have a value for a field! Use doc[<field>].size()==0 to check if a document is \
                 missing a field!",
            )),
            None => Err(Fault::new(
                Exception::IndexOutOfBounds,
                format!("attempted to fetch the [{place}] document value of a document with fewer values"),
            )),
        }
    }

    fn scalar(&mut self, scalar: DocScalar) -> Res<Value> {
        match scalar {
            DocScalar::Long(number) => Ok(Value::Long(number)),
            DocScalar::Double(number) => Ok(Value::Double(number)),
            DocScalar::Bool(value) => Ok(Value::Bool(value)),
            DocScalar::Text(text) => self.state.heap.text(text),
            DocScalar::Nanos(nanos) => {
                self.state.heap.alloc(Object::Temporal(Box::new(Temporal::from_epoch_nanos(nanos)?)))
            }
            DocScalar::GeoPoint { lat, lon } => self.state.heap.alloc(Object::GeoPoint { lat, lon }),
        }
    }

    pub fn field_length(&mut self, field: u32) -> Res<usize> {
        self.env.count(field).map_err(Box::<Fault>::from)
    }

    pub fn field_values(&mut self, field: u32) -> Res<Vec<Value>> {
        let length = self.field_length(field)?;
        self.work(length / 16)?;
        (0..length).map(|place| self.field_value(field, place)).collect()
    }

    /// `object.name`.
    pub(super) fn member(&mut self, object: Value, name: &str) -> Res<Value> {
        let Value::Ref(place) = object else {
            return match object {
                Value::Null => Err(Fault::new(
                    Exception::NullPointer,
                    format!("cannot access method/field [{name}] from a null def reference"),
                )),
                _ => Err(self.no_member(object, name)),
            };
        };
        match self.state.heap.get(place) {
            Object::Map(_) => self.map_member(place, name),
            Object::List(list) if name == "length" => Ok(Value::Int(list.items.len() as i32)),
            Object::Doc => self.field_named(name),
            Object::DocField(field) => {
                let field = *field;
                methods::doc::property(self, field, name)
            }
            Object::Entry { key, .. } if name == "key" => Ok(*key),
            Object::Entry { value, .. } if name == "value" => Ok(*value),
            _ => methods::property(self, object, name)
                .and_then(|found| found.ok_or_else(|| self.no_member(object, name))),
        }
    }

    /// A member of a map; `params._source` is read when it is asked for.
    pub fn map_member(&mut self, place: Ref, name: &str) -> Res<Value> {
        let Object::Map(map) = self.state.heap.get(place) else { return Ok(Value::Null) };
        if let Some(found) = map.named(name) {
            return Ok(found);
        }
        let is_params = matches!(self.state.stack.first(), Some(Value::Ref(params)) if *params == place);
        if name != "_source" || !is_params {
            return Ok(Value::Null);
        }
        if let Some(known) = self.state.source {
            return Ok(known);
        }
        let source = match self.env.source().map_err(Fault::stopped)? {
            Some(source) => crate::json::read(&mut self.state.heap, &source)?,
            None => Value::Null,
        };
        self.state.source = Some(source);
        Ok(source)
    }

    fn no_member(&self, object: Value, name: &str) -> Box<Fault> {
        Fault::illegal(format!("dynamic getter [{}, {name}] not found", self.class_of(object)))
    }

    /// `object[place]`.
    pub(super) fn index(&mut self, object: Value, index: Value) -> Res<Value> {
        let Value::Ref(place) = object else { return Err(self.not_indexed(object)) };
        match self.state.heap.get(place) {
            Object::List(list) => {
                let place = list_place(&list.items, list.kind, index)?;
                Ok(list.items[place])
            }
            Object::Map(map) => {
                let key = Key::of(&self.state.heap, index)?;
                match (map.entries.get(&key), &key) {
                    (Some(found), _) => Ok(*found),
                    (None, Key::Text(name)) if &**name == "_source" => self.map_member(place, "_source"),
                    (None, _) => Ok(Value::Null),
                }
            }
            Object::Doc => {
                let name = self.text_of(index)?;
                self.field_named(&name)
            }
            Object::DocField(field) => {
                let field = *field;
                let place = number::to_int(index).and_then(|place| usize::try_from(place).ok()).unwrap_or(usize::MAX);
                self.field_value(field, place)
            }
            _ => Err(self.not_indexed(object)),
        }
    }

    fn not_indexed(&self, object: Value) -> Box<Fault> {
        match object {
            Value::Null => Fault::without_message(Exception::NullPointer),
            _ => Fault::illegal(format!(
                "Attempting to address a non-array-like type [{}] as an array.",
                self.class_of(object)
            )),
        }
    }

    /// Puts a value under a name or a key.
    pub fn put(&mut self, place: Ref, key: Key, value: Value) -> Res<Option<Value>> {
        self.state.heap.charge(key.bytes() + VALUE_BYTES)?;
        self.state.heap.stored(place, value);
        if let Key::Object(held) = key {
            self.state.heap.stored(place, Value::Ref(held));
        }
        let Object::Map(map) = self.state.heap.get_mut(place) else {
            return Err(Fault::illegal("not a map"));
        };
        match map.kind {
            MapKind::Unmodifiable | MapKind::Bean => Err(Fault::without_message(Exception::Unsupported)),
            MapKind::Tree => methods::map::insert_sorted(map, key, value),
            MapKind::Hash | MapKind::Linked => Ok(map.entries.insert(key, value)),
        }
    }

    fn set_member(&mut self, object: Value, name: &str, value: Value) -> Res<()> {
        let Value::Ref(place) = object else {
            return Err(match object {
                Value::Null => Fault::new(
                    Exception::NullPointer,
                    format!("cannot access method/field [{name}] from a null def reference"),
                ),
                _ => self.no_setter(object, name),
            });
        };
        match self.state.heap.get(place) {
            Object::Map(_) => self.put(place, Key::Text(name.into()), value).map(|_| ()),
            Object::Doc => Err(Fault::without_message(Exception::Unsupported)),
            _ => Err(self.no_setter(object, name)),
        }
    }

    fn no_setter(&self, object: Value, name: &str) -> Box<Fault> {
        Fault::illegal(format!("dynamic setter [{}, {name}] not found", self.class_of(object)))
    }

    fn set_index(&mut self, object: Value, index: Value, value: Value) -> Res<()> {
        let Value::Ref(place) = object else { return Err(self.not_indexed(object)) };
        let element = match self.state.heap.get(place) {
            Object::List(list) => match list.kind {
                ListKind::Array(element) => Some(element.as_type()),
                ListKind::List => None,
                _ => return Err(Fault::without_message(Exception::Unsupported)),
            },
            Object::Map(_) => {
                let key = Key::of(&self.state.heap, index)?;
                return self.put(place, key, value).map(|_| ());
            }
            _ => return Err(self.not_indexed(object)),
        };
        let value = match element {
            Some(of) if of != Type::Def => self.convert(value, of, false)?,
            _ => value,
        };
        self.state.heap.stored(place, value);
        if let Object::List(list) = self.state.heap.get_mut(place) {
            let place = list_place(&list.items, list.kind, index)?;
            list.items[place] = value;
        }
        Ok(())
    }

    pub(super) fn assign(&mut self, assign: &Assign) -> Res<Value> {
        let (object, index) = match &assign.target {
            Target::Local(_) => (Value::Null, Value::Null),
            Target::Member { object, .. } => (self.eval(object)?, Value::Null),
            Target::Index { object, index } => (self.eval(object)?, self.eval(index)?),
        };
        let Some(operator) = assign.operator else {
            let value = self.eval(&assign.value)?;
            self.store(&assign.target, object, index, value)?;
            return Ok(value);
        };
        let old = match &assign.target {
            Target::Local(place) => self.local(*place),
            Target::Member { name, .. } => self.member(object, name)?,
            Target::Index { .. } => self.index(object, index)?,
        };
        let by = self.eval(&assign.value)?;
        let mut value = self.operate(operator, old, by)?;
        if assign.cast != Type::Def {
            value = self.convert(value, assign.cast, true)?;
        }
        self.store(&assign.target, object, index, value)?;
        Ok(if assign.is_postfix { old } else { value })
    }

    fn store(&mut self, target: &Target, object: Value, index: Value, value: Value) -> Res<()> {
        match target {
            Target::Local(place) => {
                self.set_local(*place, value);
                Ok(())
            }
            Target::Member { name, .. } => self.set_member(object, name, value),
            Target::Index { .. } => self.set_index(object, index, value),
        }
    }
}

fn no_field(name: &str) -> Box<Fault> {
    Fault::illegal(format!("No field found for [{name}] in mapping"))
}

/// Places below zero count from the end, as the language has it.
pub fn list_place(items: &[Value], kind: ListKind, index: Value) -> Res<usize> {
    let length = items.len();
    let Some(place) = number::to_int(index).filter(|_| !matches!(index, Value::Double(_) | Value::Float(_))) else {
        return Err(Fault::class_cast("the place of an item is an int"));
    };
    let counted = if place < 0 { i64::from(place) + length as i64 } else { i64::from(place) };
    match usize::try_from(counted) {
        Ok(counted) if counted < length => Ok(counted),
        _ => {
            let exception =
                if matches!(kind, ListKind::Array(_)) { Exception::ArrayIndex } else { Exception::IndexOutOfBounds };
            Err(Fault::new(exception, format!("Index {place} out of bounds for length {length}")))
        }
    }
}
