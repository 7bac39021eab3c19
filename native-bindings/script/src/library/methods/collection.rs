//! Methods that lists, sets and the values of a field share, sets and iterators.

use super::list;
use crate::fault::{Exception, Fault, Res};
use crate::heap::key::Key;
use crate::heap::object::{Element, ListKind, MapKind, MapObject, Object, SetObject};
use crate::heap::{Heap, Ref, VALUE_BYTES, Value};
use crate::run::Machine;

/// Methods that only read, over the items of any collection.
pub fn read(machine: &mut Machine<'_>, items: &[Value], name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    machine.work(1 + items.len() / 16)?;
    match (name, arguments) {
        ("size" | "getLength" | "length", []) => Machine::int(items.len()),
        ("isEmpty", []) => Machine::bool(items.is_empty()),
        ("contains", [wanted]) => Ok(Some(Value::Bool(position(machine, items, *wanted)?.is_some()))),
        ("containsAll", [others]) => {
            for other in machine.items_of(*others)? {
                if position(machine, items, other)?.is_none() {
                    return Machine::bool(false);
                }
            }
            Machine::bool(true)
        }
        ("iterator" | "listIterator", []) => {
            machine.state.heap.charge(items.len() * VALUE_BYTES)?;
            let iterator = Object::Iterator { items: items.to_vec(), next: 0, from: Value::Null };
            machine.state.heap.alloc(iterator).map(Some)
        }
        ("stream" | "parallelStream", []) => {
            machine.state.heap.list_of(ListKind::Stream(Element::Any), items.to_vec()).map(Some)
        }
        ("toArray", []) => machine.state.heap.list_of(ListKind::Array(Element::Any), items.to_vec()).map(Some),
        ("toArray", [like]) => {
            let kind = machine.state.heap.as_list(*like).map(|list| list.kind);
            let kind = kind.filter(|kind| matches!(kind, ListKind::Array(_)));
            machine.state.heap.list_of(kind.unwrap_or(ListKind::Array(Element::Any)), items.to_vec()).map(Some)
        }
        ("asList", []) => machine.state.heap.list(items.to_vec()).map(Some),
        _ => augmented(machine, items, name, arguments),
    }
}

/// What the scripting language adds to Java's collections.
fn augmented(machine: &mut Machine<'_>, items: &[Value], name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("forEach" | "each", [function]) => {
            for &item in items {
                machine.apply(*function, &[item])?;
            }
            Ok(Some(Value::Null))
        }
        ("eachWithIndex", [function]) => {
            for (place, &item) in items.iter().enumerate() {
                machine.apply(*function, &[item, Value::Int(place as i32)])?;
            }
            Ok(Some(Value::Null))
        }
        ("any", [predicate]) => Ok(Some(Value::Bool(first(machine, items, *predicate)?.is_some()))),
        ("every", [predicate]) => {
            for &item in items {
                if !machine.test(*predicate, &[item])? {
                    return Machine::bool(false);
                }
            }
            Machine::bool(true)
        }
        ("find", [predicate]) => Ok(Some(first(machine, items, *predicate)?.unwrap_or(Value::Null))),
        ("findAll", [predicate]) => {
            let found = filtered(machine, items, *predicate, true)?;
            machine.state.heap.list(found).map(Some)
        }
        ("count", [predicate]) => {
            let found = filtered(machine, items, *predicate, true)?;
            Machine::int(found.len())
        }
        ("split", [predicate]) => {
            let (mut taken, mut left) = (Vec::new(), Vec::new());
            for &item in items {
                if machine.test(*predicate, &[item])? { taken.push(item) } else { left.push(item) }
            }
            let both = vec![machine.state.heap.list(taken)?, machine.state.heap.list(left)?];
            machine.state.heap.list(both).map(Some)
        }
        ("collect", [function]) => {
            let mapped = items.iter().map(|&item| machine.apply(*function, &[item])).collect::<Res<Vec<_>>>()?;
            machine.state.heap.list(mapped).map(Some)
        }
        ("collect", [into, function]) => {
            for &item in items {
                let mapped = machine.apply(*function, &[item])?;
                super::call(machine, *into, "add", &[mapped])?;
            }
            Ok(Some(*into))
        }
        ("findResult", [function] | [_, function]) => {
            for &item in items {
                let found = machine.apply(*function, &[item])?;
                if !matches!(found, Value::Null) {
                    return Ok(Some(found));
                }
            }
            Ok(Some(if arguments.len() == 2 { arguments[0] } else { Value::Null }))
        }
        ("groupBy", [function]) => grouped(machine, items, *function).map(Some),
        ("join", [separator]) => {
            let separator = machine.chars_of(*separator)?;
            join(machine, items, &separator).map(Some)
        }
        ("sum", []) => total(machine, items, None).map(Some),
        ("sum", [function]) => total(machine, items, Some(*function)).map(Some),
        _ => Ok(None),
    }
}

fn first(machine: &mut Machine<'_>, items: &[Value], predicate: Value) -> Res<Option<Value>> {
    for &item in items {
        if machine.test(predicate, &[item])? {
            return Ok(Some(item));
        }
    }
    Ok(None)
}

pub fn filtered(machine: &mut Machine<'_>, items: &[Value], predicate: Value, wanted: bool) -> Res<Vec<Value>> {
    let mut found = Vec::new();
    for &item in items {
        if machine.test(predicate, &[item])? == wanted {
            found.push(item);
        }
    }
    Ok(found)
}

pub fn position(machine: &mut Machine<'_>, items: &[Value], wanted: Value) -> Res<Option<usize>> {
    let of = crate::number::type_of(wanted);
    for (place, &item) in items.iter().enumerate() {
        if crate::number::type_of(item) == of && machine.equals(item, wanted)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

pub fn grouped(machine: &mut Machine<'_>, items: &[Value], function: Value) -> Res<Value> {
    let mut groups: Vec<(Key, Vec<Value>)> = Vec::new();
    let mut places: indexmap::IndexMap<Key, usize> = indexmap::IndexMap::new();
    for &item in items {
        let key = machine.apply(function, &[item])?;
        let key = Key::of(&machine.state.heap, key)?;
        let place = *places.entry(key.clone()).or_insert(groups.len());
        if place == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[place].1.push(item);
    }
    let mut map = MapObject::new(MapKind::Linked);
    for (key, items) in groups {
        let items = machine.state.heap.list(items)?;
        map.entries.insert(key, items);
    }
    machine.state.heap.map(map)
}

pub fn join(machine: &mut Machine<'_>, items: &[Value], separator: &str) -> Res<Value> {
    let mut out = String::new();
    for (place, &item) in items.iter().enumerate() {
        if place > 0 {
            out.push_str(separator);
        }
        out.push_str(&machine.text_of(item)?);
        machine.work(1)?;
        machine.state.heap.charge(separator.len())?;
    }
    machine.state.heap.text(out)
}

fn total(machine: &mut Machine<'_>, items: &[Value], function: Option<Value>) -> Res<Value> {
    let mut sum = 0.0;
    for &item in items {
        let item = match function {
            Some(function) => machine.apply(function, &[item])?,
            None => item,
        };
        sum += machine.double_of(item)?;
    }
    Ok(Value::Double(sum))
}

pub fn call_set(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("size" | "getLength", []) => return Machine::int(set_of(&mut machine.state.heap, place)?.len()),
        ("isEmpty", []) => return Machine::bool(set_of(&mut machine.state.heap, place)?.is_empty()),
        ("contains", [wanted]) => {
            let key = Key::of(&machine.state.heap, *wanted)?;
            return Machine::bool(set_of(&mut machine.state.heap, place)?.entries.contains_key(&key));
        }
        ("add", [item]) => {
            let key = Key::of(&machine.state.heap, *item)?;
            return add(machine, place, key).map(|added| Some(Value::Bool(added)));
        }
        ("addAll", [others]) => {
            let mut changed = false;
            for item in machine.items_of(*others)? {
                let key = Key::of(&machine.state.heap, item)?;
                changed |= add(machine, place, key)?;
                machine.work(1)?;
            }
            return Machine::bool(changed);
        }
        ("remove", [item]) => {
            let key = Key::of(&machine.state.heap, *item)?;
            let set = set_of(&mut machine.state.heap, place)?;
            let (length, removed) = (set.len(), set.entries.shift_remove(&key).is_some());
            machine.work(length / 16)?;
            return Machine::bool(removed);
        }
        ("clear", []) => {
            set_of(&mut machine.state.heap, place)?.entries.clear();
            return Ok(Some(Value::Null));
        }
        ("removeAll" | "retainAll", [others]) => {
            let others = machine.items_of(*others)?;
            let others = others.into_iter().map(|item| Key::of(&machine.state.heap, item));
            let others: indexmap::IndexSet<Key> = others.collect::<Res<_>>()?;
            let set = set_of(&mut machine.state.heap, place)?;
            let before = set.len();
            set.entries.retain(|key, _| others.contains(key) == (name == "retainAll"));
            let changed = set.len() != before;
            machine.work(before / 16)?;
            return Machine::bool(changed);
        }
        ("removeIf", [predicate]) => {
            let items = machine.items_of(Value::Ref(place))?;
            let gone = filtered(machine, &items, *predicate, true)?;
            for &item in &gone {
                let key = Key::of(&machine.state.heap, item)?;
                set_of(&mut machine.state.heap, place)?.entries.shift_remove(&key);
                machine.work(items.len() / 16)?;
            }
            return Machine::bool(!gone.is_empty());
        }
        _ => {}
    }
    let items = machine.items_of(Value::Ref(place))?;
    match (name, arguments) {
        ("iterator", []) => {
            let iterator = Object::Iterator { items, next: 0, from: Value::Ref(place) };
            machine.state.heap.alloc(iterator).map(Some)
        }
        ("first", []) => items.first().copied().map(Some).ok_or_else(no_element),
        ("last", []) => items.last().copied().map(Some).ok_or_else(no_element),
        _ => read(machine, &items, name, arguments),
    }
}

pub fn no_element() -> Box<Fault> {
    Fault::without_message(Exception::NoSuchElement)
}

fn set_of(heap: &mut Heap, place: Ref) -> Res<&mut MapObject> {
    match heap.get_mut(place) {
        Object::Set(SetObject(set)) => Ok(set),
        _ => Err(Fault::illegal("not a set")),
    }
}

pub fn add(machine: &mut Machine<'_>, place: Ref, key: Key) -> Res<bool> {
    machine.state.heap.charge(key.bytes() + VALUE_BYTES)?;
    if let Key::Object(held) = key {
        machine.state.heap.stored(place, Value::Ref(held));
    }
    let set = set_of(&mut machine.state.heap, place)?;
    match set.kind {
        MapKind::Unmodifiable | MapKind::Bean => Err(Fault::without_message(Exception::Unsupported)),
        MapKind::Tree => Ok(super::map::insert_sorted(set, key, Value::Null)?.is_none()),
        MapKind::Hash | MapKind::Linked => Ok(set.entries.insert(key, Value::Null).is_none()),
    }
}

pub fn call_iterator(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let Object::Iterator { items, next, from } = machine.state.heap.get_mut(place) else { return Ok(None) };
    match (name, arguments) {
        ("hasNext", []) => Machine::bool(*next < items.len()),
        ("next", []) => {
            let item = items.get(*next).copied().ok_or_else(no_element)?;
            *next += 1;
            Ok(Some(item))
        }
        ("remove", []) => {
            let (from, last) = (*from, next.checked_sub(1).and_then(|last| items.get(last)).copied());
            let last = last.ok_or_else(|| Fault::without_message(Exception::IllegalState))?;
            match from {
                Value::Ref(from) => list::remove_item(machine, from, last).map(|()| Some(Value::Null)),
                _ => Err(Fault::without_message(Exception::Unsupported)),
            }
        }
        ("forEachRemaining", [function]) => {
            let rest = items[(*next).min(items.len())..].to_vec();
            *next = items.len();
            for item in rest {
                machine.apply(*function, &[item])?;
            }
            Ok(Some(Value::Null))
        }
        _ => Ok(None),
    }
}
