//! Methods of lists, queues and arrays.

use super::collection::{self, no_element};
use super::comparator;
use crate::fault::{Exception, Fault, Res};
use crate::heap::key::Key;
use crate::heap::object::{ListKind, ListObject, Object, SetObject};
use crate::heap::{Heap, Ref, VALUE_BYTES, Value};
use crate::run::{Machine, list_place};

fn list_of(heap: &mut Heap, place: Ref) -> Res<&mut ListObject> {
    match heap.get_mut(place) {
        Object::List(list) => Ok(list),
        _ => Err(Fault::illegal("not a list")),
    }
}

/// The list, if it may grow and shrink.
fn growing(heap: &mut Heap, place: Ref) -> Res<&mut Vec<Value>> {
    let list = list_of(heap, place)?;
    if list.kind == ListKind::List { Ok(&mut list.items) } else { Err(Fault::without_message(Exception::Unsupported)) }
}

fn push(machine: &mut Machine<'_>, place: Ref, at: Option<usize>, item: Value) -> Res<()> {
    machine.state.heap.charge(VALUE_BYTES)?;
    machine.state.heap.stored(place, item);
    let items = growing(&mut machine.state.heap, place)?;
    let moved = at.map_or(0, |at| items.len() - at.min(items.len()));
    match at {
        Some(at) => items.insert(at, item),
        None => items.push(item),
    }
    machine.work(moved / 64)
}

/// Removes the first item that is equal, or the very object.
pub fn remove_item(machine: &mut Machine<'_>, place: Ref, item: Value) -> Res<()> {
    if let Object::Set(SetObject(_)) = machine.state.heap.get(place) {
        let key = Key::of(&machine.state.heap, item)?;
        if let Object::Set(SetObject(set)) = machine.state.heap.get_mut(place) {
            set.entries.shift_remove(&key);
        }
        return Ok(());
    }
    let items = list_of(&mut machine.state.heap, place)?.items.clone();
    machine.work(items.len() / 16)?;
    if let Some(found) = collection::position(machine, &items, item)? {
        growing(&mut machine.state.heap, place)?.remove(found);
    }
    Ok(())
}

fn place_to_insert(machine: &mut Machine<'_>, place: Ref, index: Value) -> Res<usize> {
    let index = machine.int_of(index)?;
    let length = growing(&mut machine.state.heap, place)?.len();
    usize::try_from(index)
        .ok()
        .filter(|&index| index <= length)
        .ok_or_else(|| Fault::new(Exception::IndexOutOfBounds, format!("Index: {index}, Size: {length}")))
}

pub fn call(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    machine.work(1)?;
    if let Some(found) = simple(machine, place, name, arguments)? {
        return Ok(Some(found));
    }
    if let Some(found) = changing(machine, place, name, arguments)? {
        return Ok(Some(found));
    }
    if let Some(found) = as_queue(machine, place, name, arguments)? {
        return Ok(Some(found));
    }
    let items = list_of(&mut machine.state.heap, place)?.items.clone();
    match (name, arguments) {
        ("iterator" | "listIterator", []) => {
            machine.state.heap.charge(items.len() * VALUE_BYTES)?;
            let iterator = Object::Iterator { items, next: 0, from: Value::Ref(place) };
            machine.state.heap.alloc(iterator).map(Some)
        }
        ("indexOf", [wanted]) => {
            let found = collection::position(machine, &items, *wanted)?;
            Ok(Some(Value::Int(found.map_or(-1, |found| found as i32))))
        }
        ("lastIndexOf", [wanted]) => {
            let reversed: Vec<Value> = items.iter().rev().copied().collect();
            let found = collection::position(machine, &reversed, *wanted)?;
            Ok(Some(Value::Int(found.map_or(-1, |found| (items.len() - 1 - found) as i32))))
        }
        ("subList", [from, to]) => {
            let (from, to) = (machine.int_of(*from)?, machine.int_of(*to)?);
            let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
            let part = range.and_then(|(from, to)| items.get(from..to)).map(<[Value]>::to_vec);
            let part = part.ok_or_else(|| Fault::new(Exception::IndexOutOfBounds, format!("toIndex = {to}")))?;
            machine.state.heap.list(part).map(Some)
        }
        _ => collection::read(machine, &items, name, arguments),
    }
}

fn simple(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let list = list_of(&mut machine.state.heap, place)?;
    match (name, arguments) {
        ("size" | "getLength", []) => Machine::int(list.items.len()),
        ("isEmpty" | "empty", []) => Machine::bool(list.items.is_empty()),
        ("get" | "getAt" | "elementAt", [index]) => {
            let counted = if name == "get" && matches!(index, Value::Int(index) if *index < 0) {
                Err(Fault::new(
                    Exception::IndexOutOfBounds,
                    format!("Index out of bounds for length {}", list.items.len()),
                ))
            } else {
                list_place(&list.items, list.kind, *index)
            };
            counted.map(|counted| Some(list.items[counted]))
        }
        ("add" | "addLast" | "offer" | "offerLast" | "addElement", [item]) => {
            push(machine, place, None, *item)?;
            Machine::bool(true)
        }
        ("add" | "insertElementAt", [index, item]) => {
            let index = place_to_insert(machine, place, *index)?;
            push(machine, place, Some(index), *item)?;
            Ok(Some(Value::Null))
        }
        ("set", [index, item]) => {
            let index = list_place(&list.items, list.kind, *index)?;
            if matches!(list.kind, ListKind::Unmodifiable) {
                return Err(Fault::without_message(Exception::Unsupported));
            }
            let old = std::mem::replace(&mut list.items[index], *item);
            machine.state.heap.stored(place, *item);
            Ok(Some(old))
        }
        ("clear" | "removeAllElements", []) => {
            growing(&mut machine.state.heap, place)?.clear();
            Ok(Some(Value::Null))
        }
        _ => Ok(None),
    }
}

fn changing(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("addAll", [others]) => {
            let others = machine.items_of(*others)?;
            for &item in &others {
                push(machine, place, None, item)?;
            }
            machine.work(others.len() / 4)?;
            Machine::bool(!others.is_empty())
        }
        ("addAll", [index, others]) => {
            let first = place_to_insert(machine, place, *index)?;
            for (after, item) in machine.items_of(*others)?.into_iter().enumerate() {
                push(machine, place, Some(first + after), item)?;
            }
            Machine::bool(true)
        }
        // A primitive int is a place, anything else an item.
        ("remove", [Value::Int(index)]) => {
            let items = growing(&mut machine.state.heap, place)?;
            let counted = usize::try_from(*index).ok().filter(|&index| index < items.len());
            let length = items.len();
            let counted = counted.ok_or_else(|| {
                Fault::new(Exception::IndexOutOfBounds, format!("Index {index} out of bounds for length {length}"))
            })?;
            let removed = items.remove(counted);
            machine.work((length - counted) / 64)?;
            Ok(Some(removed))
        }
        ("remove" | "removeElement" | "removeFirstOccurrence", [item]) => {
            let before = growing(&mut machine.state.heap, place)?.len();
            remove_item(machine, place, *item)?;
            let after = growing(&mut machine.state.heap, place)?.len();
            Machine::bool(after != before)
        }
        ("removeIf", [predicate]) => {
            let items = growing(&mut machine.state.heap, place)?.clone();
            let left = collection::filtered(machine, &items, *predicate, false)?;
            let changed = left.len() != items.len();
            *growing(&mut machine.state.heap, place)? = left;
            Machine::bool(changed)
        }
        ("removeAll" | "retainAll", [others]) => {
            let others = machine.items_of(*others)?;
            let items = growing(&mut machine.state.heap, place)?.clone();
            let mut left = Vec::new();
            for &item in &items {
                machine.work(1 + others.len() / 16)?;
                if collection::position(machine, &others, item)?.is_some() == (name == "retainAll") {
                    left.push(item);
                }
            }
            let changed = left.len() != items.len();
            *growing(&mut machine.state.heap, place)? = left;
            Machine::bool(changed)
        }
        ("replaceAll", [function]) => {
            let items = list_of(&mut machine.state.heap, place)?.items.clone();
            let mut mapped = Vec::with_capacity(items.len());
            for item in items {
                let item = machine.apply(*function, &[item])?;
                machine.state.heap.stored(place, item);
                mapped.push(item);
            }
            list_of(&mut machine.state.heap, place)?.items = mapped;
            Ok(Some(Value::Null))
        }
        ("sort", [by]) => {
            sort(machine, place, *by)?;
            Ok(Some(Value::Null))
        }
        _ => Ok(None),
    }
}

/// Sorts in place; `null` is the natural order.
pub fn sort(machine: &mut Machine<'_>, place: Ref, by: Value) -> Res<()> {
    let list = list_of(&mut machine.state.heap, place)?;
    if list.kind == ListKind::Unmodifiable {
        return Err(Fault::without_message(Exception::Unsupported));
    }
    let mut items = list.items.clone();
    comparator::sort(machine, &mut items, by)?;
    list_of(&mut machine.state.heap, place)?.items = items;
    Ok(())
}

fn as_queue(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("addFirst" | "offerFirst" | "push", [item]) => {
            push(machine, place, Some(0), *item)?;
            Ok(Some(*item))
        }
        ("getFirst" | "element" | "firstElement", []) => {
            list_of(&mut machine.state.heap, place)?.items.first().copied().map(Some).ok_or_else(no_element)
        }
        ("getLast" | "lastElement", []) => {
            list_of(&mut machine.state.heap, place)?.items.last().copied().map(Some).ok_or_else(no_element)
        }
        ("peek" | "peekFirst", []) => {
            Ok(Some(list_of(&mut machine.state.heap, place)?.items.first().copied().unwrap_or(Value::Null)))
        }
        ("peekLast", []) => {
            Ok(Some(list_of(&mut machine.state.heap, place)?.items.last().copied().unwrap_or(Value::Null)))
        }
        ("poll" | "pollFirst" | "removeFirst" | "pop" | "remove", []) => {
            let items = growing(&mut machine.state.heap, place)?;
            if items.is_empty() {
                return if name.starts_with("poll") { Ok(Some(Value::Null)) } else { Err(no_element()) };
            }
            let (moved, first) = (items.len(), items.remove(0));
            machine.work(moved / 64)?;
            Ok(Some(first))
        }
        ("pollLast" | "removeLast", []) => match growing(&mut machine.state.heap, place)?.pop() {
            Some(last) => Ok(Some(last)),
            None if name == "pollLast" => Ok(Some(Value::Null)),
            None => Err(no_element()),
        },
        _ => Ok(None),
    }
}
