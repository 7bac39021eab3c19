//! Fields from texts: what `grok(..)` and `dissect(..)` of runtime fields make, once for each script.
//!
//! | file | what it does |
//! | --- | --- |
//! | [`grok`] | patterns with names, `%{NAME:field:type}` |
//! | [`dissect`] | what stands between fixed texts, `%{field}` |
mod dissect;
mod grok;

use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::heap::key::Key;
use crate::heap::object::{MapKind, MapObject, Object};
use crate::run::Machine;
use dissect::Dissect;
use grok::Grok;
use quarry_base::error::{Error, Result};
use std::sync::Arc;

pub use grok::patterns_json;

/// Characters of a pattern, once every name in it is replaced by what it stands for.
const PATTERN_LENGTH_MAX: usize = 64 * 1024;

#[derive(Debug)]
pub enum Extractor {
    Grok(Grok),
    Dissect(Dissect),
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Captured {
    Text(String),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Bool(bool),
}

/// Fields in the order of the pattern, each once.
type Fields = Vec<(Arc<str>, Captured)>;

/// Whether scripts of runtime fields have such a function; its arguments have to be constant.
pub fn is_known(name: &str, arguments: usize) -> bool {
    matches!((name, arguments), ("grok", 1) | ("dissect", 1 | 2))
}

impl Extractor {
    /// `arguments`: the pattern, and for `dissect` perhaps what stands between joined values.
    ///
    /// Errors: `IllegalArgument` for patterns that are none.
    pub fn new(name: &str, arguments: &[Arc<str>]) -> Result<Self> {
        let pattern = arguments.first().map_or("", |pattern| pattern);
        if pattern.len() > PATTERN_LENGTH_MAX {
            return Err(Error::illegal_argument(format!("a pattern is longer than [{PATTERN_LENGTH_MAX}] characters")));
        }
        Ok(match name {
            "grok" => Extractor::Grok(Grok::new(pattern)?),
            _ => Extractor::Dissect(Dissect::new(pattern, arguments.get(1).map_or("", |separator| separator))?),
        })
    }

    /// `None`: the text does not match.
    fn fields(&self, text: &str) -> Result<Option<Fields>> {
        match self {
            Extractor::Grok(grok) => grok.fields(text),
            Extractor::Dissect(dissect) => Ok(dissect.fields(text)),
        }
    }
}

pub fn call(machine: &mut Machine<'_>, own: &Extractor, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let ("extract", [text]) = (name, arguments) else { return Ok(None) };
    let text = machine.chars_of(*text)?;
    machine.match_budget(&text)?;
    let Some(fields) = own.fields(&text).map_err(|error| Fault::illegal(error.reason))? else {
        return Ok(Some(Value::Null));
    };
    let mut map = MapObject::new(MapKind::Hash);
    for (field, captured) in fields {
        let value = match captured {
            Captured::Text(text) => machine.state.heap.text(text)?,
            Captured::Int(number) => Value::Int(number),
            Captured::Long(number) => Value::Long(number),
            Captured::Float(number) => Value::Float(number),
            Captured::Double(number) => Value::Double(number),
            Captured::Bool(is_true) => Value::Bool(is_true),
        };
        map.entries.insert(Key::Text(field), value);
    }
    machine.work(map.len())?;
    machine.state.heap.alloc(Object::Map(map)).map(Some)
}
