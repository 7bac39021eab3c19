//! The kinds of objects.

use super::key::Key;
use super::regexes::CompiledPattern;
use crate::fault::Exception;
use crate::heap::{Ref, VALUE_BYTES, Value};
use crate::library::classes::Library;
use crate::library::temporal::Temporal;
use crate::types::{ClassName, Type};
use indexmap::IndexMap;
use std::fmt::Debug;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    List,
    /// `Collections.emptyList()` and the like: refuses changes.
    Unmodifiable,
    /// An array of this type: its length is fixed.
    Array(Element),
    /// A stream: made at once, consumed by its methods.
    Stream(Element),
}

/// What an array or a stream holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Any,
    Bool,
    Byte,
    Short,
    Char,
    Int,
    Long,
    Float,
    Double,
    Text,
}

#[derive(Debug)]
pub struct ListObject {
    pub kind: ListKind,
    pub items: Vec<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapKind {
    Hash,
    Linked,
    /// In the order of its keys.
    Tree,
    /// Refuses changes.
    Unmodifiable,
    /// An object of a class: its members have getters, and refuse changes.
    Bean,
}

/// A map, in the order of insertion unless it is sorted.
#[derive(Debug)]
pub struct MapObject {
    pub kind: MapKind,
    pub entries: IndexMap<Key, Value, rapidhash::quality::RandomState>,
}

impl MapObject {
    pub fn new(kind: MapKind) -> Self {
        MapObject { kind, entries: IndexMap::default() }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// By a name.
    pub fn named(&self, name: &str) -> Option<Value> {
        self.entries.get(&Key::Text(Arc::from(name))).copied()
    }
}

/// A set, which is a map of nothing.
#[derive(Debug)]
pub struct SetObject(pub MapObject);

/// A lambda or a method reference.
#[derive(Debug, Clone)]
pub enum Function {
    Lambda {
        function: u32,
        captured: Box<[Value]>,
    },
    /// `Class::method`.
    OfClass {
        class: ClassName,
        method: Arc<str>,
    },
    /// `object::method`.
    OfObject {
        object: Value,
        method: Arc<str>,
    },
    /// `Class::new`, and arrays of a type.
    Constructor {
        class: ClassName,
    },
    NewArray {
        element: Type,
    },
    /// `this::name`, a function of the script.
    User {
        function: u32,
    },
    /// What `Comparator` methods return.
    Compare {
        by: Option<Value>,
        then: Option<Value>,
        reversed: bool,
    },
}

#[derive(Debug)]
pub struct MatcherObject {
    pub pattern: Arc<CompiledPattern>,
    pub text: Arc<str>,
    /// Start and end of each group of the last match; empty when there was none.
    pub groups: Vec<Option<(usize, usize)>>,
    /// Where the next search begins.
    pub next: usize,
}

#[derive(Debug)]
pub enum Object {
    /// Given up.
    Free,
    Text(Arc<str>),
    List(ListObject),
    Map(MapObject),
    Set(SetObject),
    Builder(String),
    Function(Function),
    /// Items and the place of the next one; and the collection it came from, for `remove`.
    Iterator {
        items: Vec<Value>,
        next: usize,
        from: Value,
    },
    Optional(Option<Value>),
    /// Of a map, with the key.
    Entry {
        map: Option<Ref>,
        key: Value,
        value: Value,
    },
    Temporal(Box<Temporal>),
    Pattern(Arc<CompiledPattern>),
    Matcher(Box<MatcherObject>),
    Exception {
        kind: Exception,
        message: Option<Arc<str>>,
    },
    /// `doc`.
    Doc,
    /// `doc['name']`.
    DocField(u32),
    /// `field('name')`; without a number where the mapping has no such field.
    ScriptField(Option<u32>, Arc<str>),
    /// Count, sum, minimum, maximum of numbers: `IntSummaryStatistics` and its kin.
    Summary(Box<Summary>),
    /// An address or a position of a document's field.
    GeoPoint {
        lat: f64,
        lon: f64,
    },
    /// Positions of words, both included, and those between its parts.
    Interval {
        start: i32,
        end: i32,
        gaps: i32,
    },
    StringJoiner(Box<Joiner>),
    /// `Collectors.*`.
    Collector(crate::library::stream::Collector),
    Library(Box<Library>),
}

#[derive(Debug)]
pub struct Summary {
    pub element: Element,
    pub count: i64,
    pub sum: f64,
    pub min: f64,
    pub max: f64,
}

#[derive(Debug)]
pub struct Joiner {
    pub separator: Arc<str>,
    pub prefix: Arc<str>,
    pub suffix: Arc<str>,
    pub parts: Vec<Arc<str>>,
}

impl Object {
    /// What it holds, without itself and other objects.
    pub fn bytes(&self) -> usize {
        match self {
            Object::Text(text) => text.len(),
            Object::List(list) => list.items.len() * VALUE_BYTES,
            Object::Map(map) | Object::Set(SetObject(map)) => {
                map.entries.keys().map(|key| key.bytes() + VALUE_BYTES).sum()
            }
            Object::Builder(text) => text.len(),
            Object::Iterator { items, .. } => items.len() * VALUE_BYTES,
            Object::StringJoiner(joiner) => joiner.parts.iter().map(|part| part.len() + size_of::<Arc<str>>()).sum(),
            Object::Library(library) => library.bytes(),
            _ => 0,
        }
    }

    /// Calls `each` with every value that it holds.
    pub fn each_held(&self, each: &mut impl FnMut(Value)) {
        match self {
            Object::List(list) => list.items.iter().for_each(|&item| each(item)),
            Object::Map(map) | Object::Set(SetObject(map)) => {
                for (key, &value) in &map.entries {
                    each_in_key(key, each);
                    each(value);
                }
            }
            Object::Iterator { items, from, .. } => {
                items.iter().for_each(|&item| each(item));
                each(*from);
            }
            Object::Optional(Some(value)) => each(*value),
            Object::Entry { map, key, value } => {
                map.iter().for_each(|&map| each(Value::Ref(map)));
                each(*key);
                each(*value);
            }
            Object::Function(function) => match function {
                Function::Lambda { captured, .. } => captured.iter().for_each(|&value| each(value)),
                Function::OfObject { object, .. } => each(*object),
                Function::Compare { by, then, .. } => by.iter().chain(then).for_each(|&value| each(value)),
                _ => {}
            },
            Object::Collector(collector) => collector.each_held(each),
            Object::Library(library) => library.each_held(each),
            _ => {}
        }
    }
}

fn each_in_key(key: &Key, each: &mut impl FnMut(Value)) {
    match key {
        Key::Object(place) => each(Value::Ref(*place)),
        Key::List(items) => items.iter().for_each(|item| each_in_key(item, each)),
        _ => {}
    }
}
