//! Objects of one running script.
//!
//! Values are small and are copied; everything larger is an object in a table, named by its place. Nothing points back, so
//! cycles cost nothing and dropping a heap never recurses. Between two runs the objects of a run are given up at once
//! ([`Heap::end_run`]), unless one of them was put into an object that stays: then all stay until [`Heap::collect`] looks for
//! those that are still needed.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`object`], [`regexes`] | what kinds of objects there are |
//! | [`key`] | which values are equal, and which comes first |
//! | [`growth`] | when a heap that lives long is looked through |
pub(crate) mod growth;
pub mod key;
pub mod object;
pub(crate) mod regexes;

use super::fault::{Fault, Res};
use key::Key;
use object::{ListKind, ListObject, MapKind, MapObject, Object};
use quarry_base::error::{Error, ErrorCode};
use std::sync::Arc;

/// Place of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ref(u32);

/// Any value of the language. Strings are objects.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    Null,
    Bool(bool),
    Byte(i8),
    Short(i16),
    Char(u16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Ref(Ref),
}

/// Bytes that a value takes in a collection.
pub const VALUE_BYTES: usize = size_of::<Value>();
/// Bytes that an object takes besides what it holds.
const OBJECT_BYTES: usize = size_of::<Object>();

#[derive(Debug)]
pub struct Heap {
    objects: Vec<Object>,
    free: Vec<u32>,
    /// Objects before this place stay when a run ends.
    kept: usize,
    /// An object of the run was put into one that stays.
    escaped: bool,
    /// Bytes allocated by the run.
    used: usize,
    /// Bytes that stay, and those that runs since the last count have allocated: some of these may stay too.
    grown: usize,
    limit: usize,
}

impl Heap {
    /// `limit`: bytes that one run may allocate.
    pub fn new(limit: usize) -> Self {
        Heap { objects: Vec::new(), free: Vec::new(), kept: 0, escaped: false, used: 0, grown: 0, limit }
    }

    /// Counts bytes against the run's budget.
    pub fn charge(&mut self, bytes: usize) -> Res<()> {
        self.used = self.used.saturating_add(bytes);
        if self.used <= self.limit {
            return Ok(());
        }
        super::statistics::count_allocation_limit();
        let reason =
            format!("[script] Data too large: the script has allocated more than [{}] bytes in one run", self.limit);
        Err(Fault::stopped(Error::new(ErrorCode::CircuitBreaking, reason)))
    }

    pub fn alloc(&mut self, object: Object) -> Res<Value> {
        self.charge(OBJECT_BYTES)?;
        if let Some(place) = self.free.pop() {
            self.objects[place as usize] = object;
            return Ok(Value::Ref(Ref(place)));
        }
        self.objects.push(object);
        Ok(Value::Ref(Ref((self.objects.len() - 1) as u32)))
    }

    pub fn text(&mut self, text: impl Into<Arc<str>>) -> Res<Value> {
        let text = text.into();
        self.charge(text.len())?;
        self.alloc(Object::Text(text))
    }

    pub fn list(&mut self, items: Vec<Value>) -> Res<Value> {
        self.list_of(ListKind::List, items)
    }

    pub fn list_of(&mut self, kind: ListKind, items: Vec<Value>) -> Res<Value> {
        self.charge(items.len() * VALUE_BYTES)?;
        self.alloc(Object::List(ListObject { kind, items }))
    }

    pub fn map(&mut self, map: MapObject) -> Res<Value> {
        self.charge(map.len() * (VALUE_BYTES + size_of::<Key>()))?;
        self.alloc(Object::Map(map))
    }

    pub fn get(&self, place: Ref) -> &Object {
        &self.objects[place.0 as usize]
    }

    /// The object to change. Tell [`Heap::stored`] what is put into it.
    pub fn get_mut(&mut self, place: Ref) -> &mut Object {
        &mut self.objects[place.0 as usize]
    }

    /// A value was put into an object.
    #[inline]
    pub fn stored(&mut self, holder: Ref, value: Value) {
        if let Value::Ref(Ref(held)) = value {
            self.escaped |= (holder.0 as usize) < self.kept && (held as usize) >= self.kept;
        }
    }

    pub fn as_text(&self, value: Value) -> Option<&Arc<str>> {
        match value {
            Value::Ref(place) => match self.get(place) {
                Object::Text(text) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn as_list(&self, value: Value) -> Option<&ListObject> {
        match value {
            Value::Ref(place) => match self.get(place) {
                Object::List(list) => Some(list),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn as_map(&self, value: Value) -> Option<&MapObject> {
        match value {
            Value::Ref(place) => match self.get(place) {
                Object::Map(map) => Some(map),
                _ => None,
            },
            _ => None,
        }
    }

    /// Everything there is now stays until the heap is dropped.
    pub fn keep_all(&mut self) {
        self.kept = self.objects.len();
        self.settle();
    }

    /// Values that are no objects grow what stays without escaping, so what a run has allocated counts until all is counted.
    fn settle(&mut self) {
        self.grown = self.grown.saturating_add(std::mem::take(&mut self.used));
    }

    /// Bytes that stay, at most.
    pub fn grown(&self) -> usize {
        self.grown
    }

    /// Gives up what a run has made, unless objects that stay may lead to some of it.
    pub fn end_run(&mut self) {
        self.settle();
        if !self.escaped {
            self.objects.truncate(self.kept);
            let kept = self.kept as u32;
            self.free.retain(|&place| place < kept);
            return;
        }
        // Which of them is not known without a walk over all: they stay until the owner collects.
        self.escaped = false;
        self.kept = self.objects.len();
    }

    /// Gives up every object that no root leads to, and keeps the others.
    pub fn collect(&mut self, roots: &[Value]) {
        let mut seen = vec![false; self.objects.len()];
        let mut waiting: Vec<Ref> = Vec::new();
        let mark = |value: Value, seen: &mut Vec<bool>, waiting: &mut Vec<Ref>| {
            if let Value::Ref(place) = value
                && !std::mem::replace(&mut seen[place.0 as usize], true)
            {
                waiting.push(place);
            }
        };
        roots.iter().for_each(|&root| mark(root, &mut seen, &mut waiting));
        while let Some(place) = waiting.pop() {
            self.get(place).each_held(&mut |value| mark(value, &mut seen, &mut waiting));
        }
        while seen.last() == Some(&false) {
            seen.pop();
        }
        self.objects.truncate(seen.len());
        self.free.clear();
        for (place, _) in seen.iter().enumerate().filter(|(_, seen)| !**seen) {
            self.objects[place] = Object::Free;
            self.free.push(place as u32);
        }
        self.kept = self.objects.len();
        self.used = 0;
        self.grown = self.objects.iter().map(|object| OBJECT_BYTES + object.bytes()).sum();
    }

    /// Has maps and lists that a tree of them leads to refuse changes.
    pub fn freeze(&mut self, value: Value) {
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            let Value::Ref(place) = value else { continue };
            match self.get_mut(place) {
                Object::List(list) => list.kind = ListKind::Unmodifiable,
                Object::Map(map) => map.kind = MapKind::Unmodifiable,
                _ => continue,
            }
            self.get(place).each_held(&mut |held| waiting.push(held));
        }
    }

    /// Makes a map an object of a class.
    pub fn as_bean(&mut self, value: Value) {
        if let Value::Ref(place) = value
            && let Object::Map(map) = self.get_mut(place)
        {
            map.kind = MapKind::Bean;
        }
    }

    /// Objects that are in use.
    pub fn live(&self) -> usize {
        self.objects.len() - self.free.len()
    }

    /// Objects that are there, free places included.
    pub fn places(&self) -> usize {
        self.objects.len()
    }
}
