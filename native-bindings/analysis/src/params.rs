//! The settings of one analysis component, read by name and checked.
//!
//! Values come from index settings, where `3` and `"3"` mean the same, and a list may be written with commas.

use quarry_base::error::{Error, Result};
use serde_json::{Map, Value};
use std::cell::RefCell;

/// What a component is, as error messages call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    Analyzer,
    Normalizer,
    Tokenizer,
    Filter,
    CharFilter,
}

impl Component {
    pub fn as_str(self) -> &'static str {
        match self {
            Component::Analyzer => "analyzer",
            Component::Normalizer => "normalizer",
            Component::Tokenizer => "tokenizer",
            Component::Filter => "filter",
            Component::CharFilter => "char_filter",
        }
    }
}

/// Settings of the component `name`; keys are ticked off as they are read, so that what is left over can be refused.
pub struct Params<'a> {
    pub component: Component,
    pub name: &'a str,
    values: &'a Map<String, Value>,
    read: RefCell<Vec<&'static str>>,
}

impl<'a> Params<'a> {
    pub fn new(component: Component, name: &'a str, values: &'a Map<String, Value>) -> Self {
        Params { component, name, values, read: RefCell::new(vec!["type"]) }
    }

    fn value(&self, key: &'static str) -> Option<&'a Value> {
        self.read.borrow_mut().push(key);
        self.values.get(key).filter(|value| !value.is_null())
    }

    /// An error that names the setting.
    pub fn wrong(&self, key: &str, what: impl std::fmt::Display) -> Error {
        Error::illegal_argument(format!(
            "Failed to parse value for setting [{key}] of {} [{}]: {what}",
            self.component.as_str(),
            self.name
        ))
    }

    pub fn text(&self, key: &'static str) -> Result<Option<String>> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(Value::Bool(flag)) => Ok(Some(flag.to_string())),
            Some(_) => Err(self.wrong(key, "a single value is expected")),
        }
    }

    pub fn object(&self, key: &'static str) -> Result<Option<&'a Map<String, Value>>> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Object(members)) => Ok(Some(members)),
            Some(_) => Err(self.wrong(key, "an object is expected")),
        }
    }

    pub fn flag(&self, key: &'static str, default: bool) -> Result<bool> {
        match self.text(key)?.as_deref() {
            None => Ok(default),
            Some("true") => Ok(true),
            Some("false" | "") => Ok(false),
            Some(other) => {
                Err(self.wrong(key, format!("Failed to parse value [{other}] as only [true] or [false] are allowed.")))
            }
        }
    }

    pub fn number(&self, key: &'static str, default: i64) -> Result<i64> {
        match self.text(key)? {
            None => Ok(default),
            Some(text) => text.trim().parse().map_err(|_| self.wrong(key, format!("[{text}] is not an integer"))),
        }
    }

    /// A number that must lie between the bounds, both allowed.
    pub fn bounded(&self, key: &'static str, default: usize, least: usize, most: usize) -> Result<usize> {
        let number = self.number(key, default as i64)?;
        usize::try_from(number)
            .ok()
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| self.wrong(key, format!("[{number}] must be between [{least}] and [{most}]")))
    }

    /// An array of texts, or one text cut at its commas.
    pub fn list(&self, key: &'static str) -> Result<Option<Vec<String>>> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::String(text)) => {
                let parts = text.split(',').map(|part| part.trim().to_owned());
                Ok(Some(parts.filter(|part| !part.is_empty()).collect()))
            }
            Some(Value::Array(items)) => items.iter().map(|item| self.item(key, item)).collect::<Result<_>>().map(Some),
            Some(other) => self.item(key, other).map(|item| Some(vec![item])),
        }
    }

    /// A list whose entries hold commas themselves: one text is one entry.
    pub fn list_of_rules(&self, key: &'static str) -> Result<Option<Vec<String>>> {
        match self.value(key) {
            Some(Value::String(text)) => Ok(Some(vec![text.clone()])),
            _ => self.list(key),
        }
    }

    fn item(&self, key: &str, item: &Value) -> Result<String> {
        match item {
            Value::String(text) => Ok(text.clone()),
            Value::Number(_) | Value::Bool(_) => Ok(item.to_string()),
            _ => Err(self.wrong(key, "a list of texts is expected")),
        }
    }

    /// Refuses a setting that would have to be read from a file of the node.
    pub fn refuse_path(&self, key: &'static str) -> Result<()> {
        match self.value(key) {
            None => Ok(()),
            Some(_) => {
                Err(self.wrong(key, "reading a file is not supported, list the entries in the settings instead"))
            }
        }
    }

    /// Refuses the settings that nothing asked for.
    pub fn finish(&self) -> Result<()> {
        let read = self.read.borrow();
        match self.values.keys().find(|key| !read.contains(&key.as_str())) {
            None => Ok(()),
            Some(unknown) => Err(Error::illegal_argument(format!(
                "unknown setting [index.analysis.{}.{}.{unknown}] please check that any required plugins are installed, or \
                 check the breaking changes documentation for removed settings",
                self.component.as_str(),
                self.name
            ))),
        }
    }
}
