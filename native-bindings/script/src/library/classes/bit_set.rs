//! `BitSet`.

use super::{Library, new_bytes};
use crate::fault::{Exception, Fault, Res};
use crate::heap::object::{Element, ListKind, Object};
use crate::heap::{Ref, Value};
use crate::run::{Machine, Printer};

const WORD: usize = 64;

/// Bits above the last word are clear; the last word is never 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
    /// Words that Java would have room for, which `size` tells.
    room: usize,
}

impl BitSet {
    pub fn new(machine: &mut Machine<'_>, arguments: &[Value]) -> Res<BitSet> {
        let bits = match arguments.first() {
            None => WORD,
            Some(bits) => {
                let bits = machine.int_of(*bits)?;
                let negative = |_| Fault::new(Exception::NegativeArraySize, format!("nbits < 0: {bits}"));
                usize::try_from(bits).map_err(negative)?
            }
        };
        Ok(BitSet { words: Vec::new(), room: bits.div_ceil(WORD) })
    }

    fn of(mut words: Vec<u64>) -> BitSet {
        while words.last() == Some(&0) {
            words.pop();
        }
        let room = words.len();
        BitSet { words, room }
    }

    pub fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    fn is_set(&self, bit: usize) -> bool {
        self.words.get(bit / WORD).is_some_and(|word| word >> (bit % WORD) & 1 == 1)
    }

    /// One more than the highest bit that is set.
    fn length(&self) -> usize {
        match self.words.last() {
            Some(last) => self.words.len() * WORD - last.leading_zeros() as usize,
            None => 0,
        }
    }

    fn bits(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.words.iter().enumerate().filter(|(_, word)| **word != 0);
        words.flat_map(|(place, word)| {
            (0..WORD).filter(move |bit| word >> bit & 1 == 1).map(move |bit| place * WORD + bit)
        })
    }

    /// Bits of a range become what `change` makes of them, a word at a time with the mask of those that are meant.
    fn change(&mut self, from: usize, to: usize, change: impl Fn(u64, u64) -> u64) {
        for (place, word) in self.words.iter_mut().enumerate().skip(from / WORD).take(to.div_ceil(WORD)) {
            let start = place * WORD;
            let (low, high) = (from.max(start) - start, to.min(start + WORD).saturating_sub(start));
            if low < high {
                let mask = (u64::MAX >> (WORD - (high - low))) << low;
                *word = change(*word, mask);
            }
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    /// Java doubles the room that it has.
    fn grow(&mut self, words: usize) {
        self.words.resize(self.words.len().max(words), 0);
        if words > self.room {
            self.room = words.max(2 * self.room);
        }
    }

    fn combine(&mut self, other: &BitSet, combine: impl Fn(u64, u64) -> u64) {
        for (place, word) in self.words.iter_mut().enumerate() {
            *word = combine(*word, other.words.get(place).copied().unwrap_or(0));
        }
        self.trim();
    }

    /// `{1, 64}`. Errors: those of [`Printer::look`] and [`Printer::check_length`], which is asked before each bit.
    pub fn print(&self, out: &mut Printer<'_>) -> Res<()> {
        out.look(self.words.len())?;
        out.push("{");
        for (place, bit) in self.bits().enumerate() {
            out.check_length()?;
            out.push(if place > 0 { ", " } else { "" });
            out.write(format_args!("{bit}"));
        }
        out.push("}");
        Ok(())
    }

    pub fn hash_code(&self) -> i32 {
        let mut hash = 1234u64;
        for (place, word) in self.words.iter().enumerate() {
            hash ^= word.wrapping_mul(place as u64 + 1);
        }
        ((hash >> 32) ^ hash) as i32
    }

    /// The next bit from a place on, upwards, that is set or not.
    fn next(&self, from: usize, set: bool) -> Option<usize> {
        let end = self.length().max(from) + usize::from(!set);
        (from..end).find(|&bit| self.is_set(bit) == set)
    }

    fn previous(&self, from: usize, set: bool) -> Option<usize> {
        let start = if set { from.min(self.length()) } else { from };
        (0..=start).rev().find(|&bit| self.is_set(bit) == set)
    }
}

pub fn call_static(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<BitSet>> {
    let ("valueOf", [words]) = (name, arguments) else { return Ok(None) };
    let words = machine.items_of(*words)?;
    let words = words.into_iter().map(|word| machine.long_of(word).map(|word| word as u64));
    Ok(Some(BitSet::of(words.collect::<Res<_>>()?)))
}

/// A place that is not below 0.
fn bit_of(machine: &Machine<'_>, value: Value, name: &str) -> Res<usize> {
    let bit = machine.int_of(value)?;
    usize::try_from(bit).map_err(|_| Fault::new(Exception::IndexOutOfBounds, format!("{name} < 0: {bit}")))
}

/// The bits that `set`, `clear` and `flip` are about; `None`: all.
fn range_of(machine: &Machine<'_>, arguments: &[Value]) -> Res<Option<(usize, usize)>> {
    match arguments {
        [] => Ok(None),
        [bit] => bit_of(machine, *bit, "bitIndex").map(|bit| Some((bit, bit + 1))),
        [from, to, ..] => {
            let (from, to) = (bit_of(machine, *from, "fromIndex")?, bit_of(machine, *to, "toIndex")?);
            if from > to {
                return Err(Fault::new(Exception::IndexOutOfBounds, format!("fromIndex: {from} > toIndex: {to}")));
            }
            Ok(Some((from, to)))
        }
    }
}

fn set_of<'a>(machine: &'a mut Machine<'_>, place: Ref) -> Res<&'a mut BitSet> {
    if let Object::Library(library) = machine.state.heap.get_mut(place)
        && let Library::BitSet(set) = &mut **library
    {
        return Ok(set);
    }
    Err(Fault::class_cast("Cannot cast to [java.util.BitSet]."))
}

pub fn call(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let words = set_of(machine, place)?.words.len();
    machine.work(words / 4)?;
    match name {
        "set" | "clear" | "flip" => changed(machine, place, name, arguments),
        "and" | "andNot" | "or" | "xor" | "intersects" => combined(machine, place, name, arguments),
        _ => read(machine, place, name, arguments),
    }
}

fn changed(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let (arguments, sets) = match (name, arguments) {
        ("set", [from, to, Value::Bool(value)]) => (&[*from, *to][..], *value),
        ("set", [_] | [_, _]) => (arguments, true),
        ("clear", [] | [_] | [_, _]) => (arguments, false),
        ("flip", [_] | [_, _]) => (arguments, true),
        _ => return Ok(None),
    };
    let range = range_of(machine, arguments)?;
    let Some((from, to)) = range else {
        set_of(machine, place)?.words.clear();
        return Ok(Some(Value::Null));
    };
    let own = set_of(machine, place)?;
    let (before, wanted) = (own.words.len(), if sets && from < to { to.div_ceil(WORD) } else { 0 });
    let more = wanted.saturating_sub(before);
    machine.state.heap.charge(more * size_of::<u64>())?;
    machine.work(more / 4)?;
    let own = set_of(machine, place)?;
    own.grow(wanted);
    match (name, sets) {
        ("flip", _) => own.change(from, to, |word, mask| word ^ mask),
        (_, true) => own.change(from, to, |word, mask| word | mask),
        (_, false) => own.change(from, to, |word, mask| word & !mask),
    }
    Ok(Some(Value::Null))
}

fn combined(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let [Value::Ref(other)] = arguments else { return Ok(None) };
    let other = *other;
    let words = set_of(machine, other)?.words.len();
    machine.work(words / 4)?;
    machine.state.heap.charge(words * size_of::<u64>())?;
    let other = set_of(machine, other)?.clone();
    let own = set_of(machine, place)?;
    if matches!(name, "or" | "xor") {
        own.grow(other.words.len());
    }
    match name {
        "and" => own.combine(&other, |own, other| own & other),
        "andNot" => own.combine(&other, |own, other| own & !other),
        "or" => own.combine(&other, |own, other| own | other),
        "xor" => own.combine(&other, |own, other| own ^ other),
        _ => return Machine::bool(own.words.iter().zip(&other.words).any(|(own, other)| own & other != 0)),
    }
    Ok(Some(Value::Null))
}

fn read(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let from = match arguments {
        [from] if name.starts_with("next") => bit_of(machine, *from, "fromIndex")?,
        // From -1 on downwards there is nothing.
        [Value::Int(-1)] if name.starts_with("previous") => return Ok(Some(Value::Int(-1))),
        [from] if name.starts_with("previous") => bit_of(machine, *from, "fromIndex")?,
        _ => 0,
    };
    let own = set_of(machine, place)?;
    let found = |bit: Option<usize>| Ok(Some(Value::Int(bit.map_or(-1, |bit| bit as i32))));
    match (name, arguments) {
        ("nextSetBit", [_]) => found(own.next(from, true)),
        ("nextClearBit", [_]) => found(own.next(from, false)),
        ("previousSetBit", [_]) => found(own.previous(from, true)),
        ("previousClearBit", [_]) => found(own.previous(from, false)),
        ("cardinality", []) => Machine::int(own.words.iter().map(|word| word.count_ones() as usize).sum()),
        ("isEmpty", []) => Machine::bool(own.words.is_empty()),
        ("length", []) => Machine::int(own.length()),
        ("size", []) => Machine::int(own.room * WORD),
        ("toLongArray", []) => {
            let words = own.words.iter().map(|&word| Value::Long(word as i64)).collect();
            machine.state.heap.list_of(ListKind::Array(Element::Long), words).map(Some)
        }
        ("toByteArray", []) => {
            let length = own.length().div_ceil(8);
            let bytes: Vec<u8> = own.words.iter().flat_map(|word| word.to_le_bytes()).take(length).collect();
            new_bytes(machine, &bytes).map(Some)
        }
        ("clone", []) => {
            let copy = own.clone();
            super::alloc(machine, Library::BitSet(copy)).map(Some)
        }
        _ => Ok(None),
    }
}
