//! `PriorityQueue`: the least item comes first. Items lie as in Java's heap, so that loops and texts have the same order.

use super::Library;
use crate::fault::{Exception, Fault, Res};
use crate::heap::object::Object;
use crate::heap::{Ref, VALUE_BYTES, Value};
use crate::library::methods::{collection, comparator};
use crate::run::Machine;
use std::cmp::Ordering;

#[derive(Debug)]
pub struct PriorityQueue {
    items: Vec<Value>,
    /// A comparator; null is the natural order.
    by: Value,
}

impl PriorityQueue {
    pub fn new(machine: &mut Machine<'_>, arguments: &[Value]) -> Res<PriorityQueue> {
        let by = match arguments {
            [] => Value::Null,
            [by @ Value::Ref(place)] if matches!(machine.state.heap.get(*place), Object::Function(_)) => *by,
            _ => return Err(Fault::illegal("a PriorityQueue is made of nothing or of a Comparator")),
        };
        Ok(PriorityQueue { items: Vec::new(), by })
    }

    pub fn items(&self) -> &[Value] {
        &self.items
    }

    pub fn bytes(&self) -> usize {
        self.items.len() * VALUE_BYTES
    }

    pub fn each_held(&self, each: &mut impl FnMut(Value)) {
        self.items.iter().for_each(|&item| each(item));
        each(self.by);
    }
}

fn queue_of<'a>(machine: &'a mut Machine<'_>, place: Ref) -> Res<&'a mut PriorityQueue> {
    if let Object::Library(library) = machine.state.heap.get_mut(place)
        && let Library::Queue(queue) = &mut **library
    {
        return Ok(queue);
    }
    Err(Fault::class_cast("Cannot cast to [java.util.PriorityQueue]."))
}

pub fn call(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let own = queue_of(machine, place)?;
    let first = own.items.first().copied();
    match (name, arguments) {
        ("add" | "offer", [item]) => {
            add(machine, place, *item)?;
            Machine::bool(true)
        }
        ("addAll", [others]) => {
            let others = machine.items_of(*others)?;
            for &other in &others {
                add(machine, place, other)?;
            }
            Machine::bool(!others.is_empty())
        }
        ("peek", []) => Ok(Some(first.unwrap_or(Value::Null))),
        ("element", []) => first.map(Some).ok_or_else(collection::no_element),
        ("poll", []) if first.is_none() => Ok(Some(Value::Null)),
        ("poll" | "remove", []) => {
            let first = first.ok_or_else(collection::no_element)?;
            remove_at(machine, place, 0)?;
            Ok(Some(first))
        }
        ("remove", [item]) => {
            let items = own.items.clone();
            machine.work(items.len() / 16)?;
            match collection::position(machine, &items, *item)? {
                Some(found) => remove_at(machine, place, found).and_then(|()| Machine::bool(true)),
                None => Machine::bool(false),
            }
        }
        ("clear", []) => {
            own.items.clear();
            Ok(Some(Value::Null))
        }
        ("comparator", []) => Ok(Some(own.by)),
        _ => {
            let items = own.items.clone();
            collection::read(machine, &items, name, arguments)
        }
    }
}

fn add(machine: &mut Machine<'_>, place: Ref, item: Value) -> Res<()> {
    if matches!(item, Value::Null) {
        return Err(Fault::without_message(Exception::NullPointer));
    }
    machine.state.heap.charge(VALUE_BYTES)?;
    machine.state.heap.stored(place, item);
    arranged(machine, place, |machine, items, by| {
        items.push(item);
        // Also a first item has to be comparable.
        comparator::ordering(machine, by, item, items[0])?;
        let last = items.len() - 1;
        sift_up(machine, items, by, last)
    })
}

fn remove_at(machine: &mut Machine<'_>, place: Ref, at: usize) -> Res<()> {
    arranged(machine, place, |machine, items, by| {
        let Some(moved) = items.pop() else { return Ok(()) };
        if at == items.len() {
            return Ok(());
        }
        items[at] = moved;
        let down = sift_down(machine, items, by, at)?;
        if down == at { sift_up(machine, items, by, at) } else { Ok(()) }
    })
}

/// Takes the items out while they are arranged, since comparators are the script's own.
fn arranged(
    machine: &mut Machine<'_>,
    place: Ref,
    arrange: impl FnOnce(&mut Machine<'_>, &mut Vec<Value>, Value) -> Res<()>,
) -> Res<()> {
    let own = queue_of(machine, place)?;
    let (mut items, by) = (std::mem::take(&mut own.items), own.by);
    let result = arrange(machine, &mut items, by);
    queue_of(machine, place)?.items = items;
    result
}

fn sift_up(machine: &mut Machine<'_>, items: &mut [Value], by: Value, at: usize) -> Res<()> {
    let mut at = at;
    while at > 0 {
        let parent = (at - 1) / 2;
        if comparator::ordering(machine, by, items[at], items[parent])? != Ordering::Less {
            break;
        }
        items.swap(at, parent);
        at = parent;
    }
    Ok(())
}

/// Where it came to lie.
fn sift_down(machine: &mut Machine<'_>, items: &mut [Value], by: Value, at: usize) -> Res<usize> {
    let mut at = at;
    while at < items.len() / 2 {
        let mut child = 2 * at + 1;
        if child + 1 < items.len()
            && comparator::ordering(machine, by, items[child], items[child + 1])? == Ordering::Greater
        {
            child += 1;
        }
        if comparator::ordering(machine, by, items[at], items[child])? != Ordering::Greater {
            break;
        }
        items.swap(at, child);
        at = child;
    }
    Ok(at)
}
