//! Smaller classes of Java's library that scripts make and use: each file has one class, with what makes it, its static methods and
//! its methods.
//!
//! | file | class |
//! | --- | --- |
//! | [`bit_set`] | `BitSet` |
//! | [`coder`] | `Base64` with its encoders and decoders |
//! | [`super::extract`] | what `grok(..)` and `dissect(..)` give |
//! | [`locale`] | `Locale` |
//! | [`queue`] | `PriorityQueue` |
//! | [`random`] | `Random` |
//! | [`tokenizer`] | `StringTokenizer` |
//! | [`uuid`] | `UUID` |
mod bit_set;
mod coder;
mod locale;
mod md5;
mod queue;
mod random;
mod tokenizer;
mod uuid;

use super::extract::{self, Extractor};
use crate::fault::{Fault, Res};
use crate::heap::object::{Element, ListKind, Object};
use crate::heap::{Ref, Value};
use crate::run::{Machine, Printer};
use bit_set::BitSet;
use coder::Coder;
use locale::Locale;
use queue::PriorityQueue;
use random::Random;
use std::sync::Arc;
use tokenizer::Tokenizer;
use uuid::Uuid;

/// An object of one of these classes.
#[derive(Debug)]
pub enum Library {
    BitSet(BitSet),
    Coder(Coder),
    Extractor(Arc<Extractor>),
    Locale(Locale),
    Queue(PriorityQueue),
    Random(Random),
    Tokenizer(Tokenizer),
    Uuid(Uuid),
}

impl Library {
    /// With its package.
    pub fn class(&self) -> &'static str {
        match self {
            Library::BitSet(_) => "java.util.BitSet",
            Library::Coder(coder) => coder.class(),
            Library::Extractor(_) => "org.elasticsearch.script.NamedGroupExtractor",
            Library::Locale(_) => "java.util.Locale",
            Library::Queue(_) => "java.util.PriorityQueue",
            Library::Random(_) => "java.util.Random",
            Library::Tokenizer(_) => "java.util.StringTokenizer",
            Library::Uuid(_) => "java.util.UUID",
        }
    }

    /// `instanceof` the simple name of a class.
    pub fn is_a(&self, class: &str) -> bool {
        let own = self.class().trim_start_matches("java.util.");
        own == class
            || match self {
                Library::Queue(_) => matches!(class, "Queue" | "Collection" | "Iterable"),
                Library::Uuid(_) => class == "Comparable",
                _ => false,
            }
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        match self {
            Library::BitSet(bits) => bits.bytes(),
            Library::Queue(queue) => queue.bytes(),
            Library::Tokenizer(tokenizer) => tokenizer.bytes(),
            Library::Locale(locale) => locale.bytes(),
            // Of the program.
            Library::Extractor(_) => 0,
            Library::Coder(_) | Library::Random(_) | Library::Uuid(_) => 0,
        }
    }

    pub fn each_held(&self, each: &mut impl FnMut(Value)) {
        if let Library::Queue(queue) = self {
            queue.each_held(each);
        }
    }

    /// Items that loops see; `None` where it is no collection.
    pub fn items(&self) -> Option<&[Value]> {
        match self {
            Library::Queue(queue) => Some(queue.items()),
            _ => None,
        }
    }

    /// As `toString` gives it, of what is no collection; the class where Java tells that and an address.
    pub fn print(&self, out: &mut Printer<'_>) -> Res<()> {
        match self {
            Library::BitSet(bits) => return bits.print(out),
            Library::Locale(locale) => out.push(&locale.text()),
            Library::Uuid(uuid) => out.push(&uuid.text()),
            Library::Coder(_)
            | Library::Extractor(_)
            | Library::Queue(_)
            | Library::Random(_)
            | Library::Tokenizer(_) => {
                out.push(self.class());
            }
        }
        Ok(())
    }

    /// Java's `hashCode`; `None` where that is the object's own.
    pub fn hash_code(&self) -> Option<i32> {
        match self {
            Library::BitSet(bits) => Some(bits.hash_code()),
            Library::Uuid(uuid) => Some(uuid.hash_code()),
            _ => None,
        }
    }

    pub fn is_equal(&self, other: &Library) -> bool {
        match (self, other) {
            (Library::BitSet(own), Library::BitSet(other)) => own == other,
            (Library::Locale(own), Library::Locale(other)) => own == other,
            (Library::Uuid(own), Library::Uuid(other)) => own == other,
            _ => false,
        }
    }
}

/// `new class(..)`; `None`: not a class of these.
pub fn construct(machine: &mut Machine<'_>, class: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let made = match class {
        "BitSet" => Library::BitSet(BitSet::new(machine, arguments)?),
        "Locale" => Library::Locale(Locale::new(machine, arguments)?),
        "PriorityQueue" => Library::Queue(PriorityQueue::new(machine, arguments)?),
        "Random" => Library::Random(Random::new(machine, arguments)?),
        "StringTokenizer" => Library::Tokenizer(Tokenizer::new(machine, arguments)?),
        "UUID" => Library::Uuid(Uuid::new(machine, arguments)?),
        _ => return Ok(None),
    };
    alloc(machine, made).map(Some)
}

/// Static methods, and constants as such without arguments; `None`: there is none.
pub fn call_static(machine: &mut Machine<'_>, class: &str, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let made = match class {
        "BitSet" => bit_set::call_static(machine, name, arguments)?.map(Library::BitSet),
        "Base64" => coder::call_static(name, arguments).map(Library::Coder),
        "Locale" => locale::call_static(machine, name, arguments)?.map(Library::Locale),
        "UUID" => uuid::call_static(machine, name, arguments)?.map(Library::Uuid),
        _ => None,
    };
    made.map(|made| alloc(machine, made)).transpose()
}

/// Methods of an object of these classes; `None`: there is none.
pub fn call(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    machine.work(1)?;
    let Object::Library(own) = machine.state.heap.get(place) else { return Ok(None) };
    match &**own {
        Library::BitSet(_) => bit_set::call(machine, place, name, arguments),
        Library::Coder(coder) => {
            let coder = *coder;
            coder::call(machine, coder, name, arguments)
        }
        Library::Extractor(extractor) => {
            let extractor = Arc::clone(extractor);
            extract::call(machine, &extractor, name, arguments)
        }
        Library::Locale(locale) => {
            let locale = locale.clone();
            locale::call(machine, &locale, name, arguments)
        }
        Library::Queue(_) => queue::call(machine, place, name, arguments),
        Library::Random(_) => random::call(machine, place, name, arguments),
        Library::Tokenizer(_) => tokenizer::call(machine, place, name, arguments),
        Library::Uuid(uuid) => {
            let uuid = *uuid;
            uuid::call(machine, uuid, name, arguments)
        }
    }
}

fn alloc(machine: &mut Machine<'_>, made: Library) -> Res<Value> {
    machine.state.heap.charge(made.bytes())?;
    machine.state.heap.alloc(Object::Library(Box::new(made)))
}

/// The bytes of a `byte[]`.
fn bytes_of(machine: &mut Machine<'_>, value: Value) -> Res<Vec<u8>> {
    let list = machine.state.heap.as_list(value).filter(|list| list.kind == ListKind::Array(Element::Byte));
    let Some(list) = list else {
        return Err(Fault::class_cast(format!("Cannot cast from [{}] to [byte[]].", machine.class_of(value))));
    };
    let bytes = list.items.iter().filter_map(|item| match item {
        Value::Byte(byte) => Some(*byte as u8),
        _ => None,
    });
    let bytes: Vec<u8> = bytes.collect();
    machine.work(bytes.len() / 64)?;
    Ok(bytes)
}

fn new_bytes(machine: &mut Machine<'_>, bytes: &[u8]) -> Res<Value> {
    machine.work(bytes.len() / 64)?;
    let items = bytes.iter().map(|&byte| Value::Byte(byte as i8)).collect();
    machine.state.heap.list_of(ListKind::Array(Element::Byte), items)
}
