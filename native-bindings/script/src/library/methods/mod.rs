//! Methods of objects: one file for each kind of object.
//!
//! A method that is not there is `Ok(None)`; [`call`] makes that the failure which the API tells.
pub mod builder;
pub mod collection;
pub mod comparator;
pub mod doc;
mod field;
mod function;
mod hash;
pub mod list;
pub mod map;
mod number;
mod optional;
pub mod pattern;
mod places;
pub mod signatures;
pub mod text;
mod various;

use super::{classes, stream, temporal};
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::heap::object::{ListKind, Object};
use crate::run::Machine;
pub use hash::hash_code;
pub use signatures::{
    constant, has_constructor, has_static, is_enumeration, is_known_missing, is_static_of, result_type,
    static_result_type,
};

/// Calls a method by name.
pub fn call(machine: &mut Machine<'_>, object: Value, name: &str, arguments: &[Value]) -> Res<Value> {
    if matches!(object, Value::Null) {
        let reason = format!("cannot access method/field [{name}] from a null def reference");
        return Err(Fault::new(Exception::NullPointer, reason));
    }
    match dispatch(machine, object, name, arguments)? {
        Some(value) => Ok(value),
        None => {
            let (class, count) = (machine.class_of(object), arguments.len());
            Err(Fault::illegal(format!("dynamic method [{class}, {name}/{count}] not found")))
        }
    }
}

/// `object.name` as the getter `getName()` or `isName()`.
pub fn property(machine: &mut Machine<'_>, object: Value, name: &str) -> Res<Option<Value>> {
    let mut letters = name.chars();
    let capitalized: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    if let Some(found) = dispatch(machine, object, &format!("get{capitalized}"), &[])? {
        return Ok(Some(found));
    }
    dispatch(machine, object, &format!("is{capitalized}"), &[])
}

fn dispatch(machine: &mut Machine<'_>, object: Value, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let Value::Ref(place) = object else {
        return match number::call(machine, object, name, arguments)? {
            Some(found) => Ok(Some(found)),
            None => of_any(machine, object, name, arguments),
        };
    };
    let found = match machine.state.heap.get(place) {
        Object::Text(text) => {
            let text = text.clone();
            text::call(machine, &text, name, arguments)?
        }
        Object::List(list) => match list.kind {
            ListKind::Stream(element) => stream::call(machine, place, element, name, arguments)?,
            _ => list::call(machine, place, name, arguments)?,
        },
        Object::Map(_) => map::call(machine, place, name, arguments)?,
        Object::Set(_) => collection::call_set(machine, place, name, arguments)?,
        Object::Builder(_) => builder::call(machine, place, name, arguments)?,
        Object::Function(_) => function::call(machine, object, name, arguments)?,
        Object::Iterator { .. } => collection::call_iterator(machine, place, name, arguments)?,
        Object::Optional(held) => {
            let held = *held;
            optional::call(machine, held, name, arguments)?
        }
        Object::Temporal(held) => {
            let held = (**held).clone();
            temporal::call(machine, &held, name, arguments)?
        }
        Object::Pattern(_) | Object::Matcher(_) => pattern::call(machine, place, name, arguments)?,
        Object::Doc => doc::call_doc(machine, name, arguments)?,
        Object::DocField(field) => {
            let field = *field;
            doc::call_field(machine, field, name, arguments)?
        }
        Object::ScriptField(field, field_name) => {
            let (field, field_name) = (*field, field_name.clone());
            field::call(machine, field, &field_name, name, arguments)?
        }
        Object::Library(_) => classes::call(machine, place, name, arguments)?,
        _ => various::call(machine, place, name, arguments)?,
    };
    match found {
        Some(found) => Ok(Some(found)),
        None => of_any(machine, object, name, arguments),
    }
}

/// Methods that everything has.
fn of_any(machine: &mut Machine<'_>, object: Value, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    Ok(Some(match (name, arguments) {
        ("toString", []) => {
            let text = machine.text_of(object)?;
            machine.state.heap.text(text)?
        }
        ("equals", [other]) => {
            let same_type = crate::number::type_of(object) == crate::number::type_of(*other);
            Value::Bool(same_type && machine.equals(object, *other)?)
        }
        ("hashCode", []) => Value::Int(hash_code(machine, object)?),
        _ => return Ok(None),
    }))
}

/// Arguments as what a method takes.
impl Machine<'_> {
    pub fn int_of(&self, value: Value) -> Res<i32> {
        match value {
            Value::Byte(_) | Value::Short(_) | Value::Char(_) | Value::Int(_) => {
                Ok(crate::number::to_int(value).unwrap_or(0))
            }
            other => Err(self.wrong(other, "int")),
        }
    }

    pub fn long_of(&self, value: Value) -> Res<i64> {
        match value {
            Value::Long(number) => Ok(number),
            other => match self.int_of(other) {
                Ok(number) => Ok(number.into()),
                Err(_) => Err(self.wrong(other, "long")),
            },
        }
    }

    pub fn double_of(&self, value: Value) -> Res<f64> {
        crate::number::to_double(value).ok_or_else(|| self.wrong(value, "double"))
    }

    /// Any object with a text: `CharSequence`.
    pub fn chars_of(&mut self, value: Value) -> Res<std::sync::Arc<str>> {
        match value {
            Value::Null => Err(Fault::without_message(Exception::NullPointer)),
            Value::Char(_) => self.text_of(value),
            Value::Ref(place) if matches!(self.state.heap.get(place), Object::Text(_) | Object::Builder(_)) => {
                self.text_of(value)
            }
            other => Err(self.wrong(other, "java.lang.String")),
        }
    }

    fn wrong(&self, value: Value, wanted: &str) -> Box<Fault> {
        if matches!(value, Value::Null) {
            return Fault::without_message(Exception::NullPointer);
        }
        Fault::class_cast(format!("Cannot cast from [{}] to [{wanted}].", self.class_of(value)))
    }

    /// What a predicate says.
    pub fn test(&mut self, predicate: Value, arguments: &[Value]) -> Res<bool> {
        match self.apply(predicate, arguments)? {
            Value::Bool(value) => Ok(value),
            other => Err(self.wrong(other, "boolean")),
        }
    }

    pub fn bool(value: bool) -> Res<Option<Value>> {
        Ok(Some(Value::Bool(value)))
    }

    pub fn int(value: usize) -> Res<Option<Value>> {
        Ok(Some(Value::Int(value.min(i32::MAX as usize) as i32)))
    }

    pub fn new_text(&mut self, text: impl Into<std::sync::Arc<str>>) -> Res<Option<Value>> {
        let text = text.into();
        self.work(text.len() / 256)?;
        self.state.heap.text(text).map(Some)
    }
}
