//! Methods of maps.

use super::collection;
use crate::fault::{Exception, Fault, Res};
use crate::heap::key::Key;
use crate::heap::object::{MapKind, MapObject, Object, SetObject};
use crate::heap::{Heap, Ref, Value};
use crate::run::Machine;
use std::cmp::Ordering;

/// Puts an entry where the order of keys wants it.
pub fn insert_sorted(map: &mut MapObject, key: Key, value: Value) -> Res<Option<Value>> {
    let mut failure = None;
    let found = map.entries.binary_search_by(|known, _| match known.compare_or_fail(&key) {
        Ok(ordering) => ordering,
        Err(fault) => {
            failure = Some(fault);
            Ordering::Equal
        }
    });
    if let Some(fault) = failure {
        return Err(fault);
    }
    if map.is_empty() {
        key.compare_or_fail(&key)?;
    }
    match found {
        Ok(place) => Ok(map.entries.get_index_mut(place).map(|(_, old)| std::mem::replace(old, value))),
        Err(place) => {
            map.entries.shift_insert(place, key, value);
            Ok(None)
        }
    }
}

fn map_of(heap: &mut Heap, place: Ref) -> Res<&mut MapObject> {
    match heap.get_mut(place) {
        Object::Map(map) => Ok(map),
        _ => Err(Fault::illegal("not a map")),
    }
}

fn changing(heap: &mut Heap, place: Ref) -> Res<&mut MapObject> {
    let map = map_of(heap, place)?;
    match map.kind {
        MapKind::Unmodifiable | MapKind::Bean => Err(Fault::without_message(Exception::Unsupported)),
        _ => Ok(map),
    }
}

impl Machine<'_> {
    /// The entries of a map as objects.
    pub fn entries_of(&mut self, place: Ref) -> Res<Vec<Value>> {
        let pairs: Vec<(Key, Value)> =
            map_of(&mut self.state.heap, place)?.entries.iter().map(|(key, value)| (key.clone(), *value)).collect();
        self.work(pairs.len() / 4)?;
        let entry = |(key, value): (Key, Value)| {
            let key = key.value(&mut self.state.heap)?;
            self.state.heap.alloc(Object::Entry { map: Some(place), key, value })
        };
        pairs.into_iter().map(entry).collect()
    }

    fn keys_of(&mut self, place: Ref) -> Res<Vec<Value>> {
        let keys: Vec<Key> = map_of(&mut self.state.heap, place)?.entries.keys().cloned().collect();
        self.work(keys.len() / 4)?;
        keys.iter().map(|key| key.value(&mut self.state.heap)).collect()
    }

    fn pairs_of(&mut self, place: Ref) -> Res<Vec<(Value, Value)>> {
        let keys = self.keys_of(place)?;
        let values = map_of(&mut self.state.heap, place)?.entries.values().copied().collect::<Vec<_>>();
        Ok(keys.into_iter().zip(values).collect())
    }
}

pub fn call(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    machine.work(1)?;
    if map_of(&mut machine.state.heap, place)?.kind == MapKind::Bean {
        return getter(machine, place, name, arguments);
    }
    if let Some(found) = simple(machine, place, name, arguments)? {
        return Ok(Some(found));
    }
    if let Some(found) = computing(machine, place, name, arguments)? {
        return Ok(Some(found));
    }
    if let Some(found) = sorted(machine, place, name, arguments)? {
        return Ok(Some(found));
    }
    augmented(machine, place, name, arguments)
}

/// `getName()` or `isName()` of the member `name`.
fn getter(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let member = name.strip_prefix("get").or_else(|| name.strip_prefix("is")).filter(|_| arguments.is_empty());
    let Some(member) = member else { return Ok(None) };
    let mut letters = member.chars();
    let member: String = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
    Ok(map_of(&mut machine.state.heap, place)?.entries.get(&Key::Text(member.as_str().into())).copied())
}

fn simple(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("size", []) => Machine::int(map_of(&mut machine.state.heap, place)?.len()),
        ("isEmpty", []) => Machine::bool(map_of(&mut machine.state.heap, place)?.is_empty()),
        ("get", [key]) => {
            if let Some(text) = machine.state.heap.as_text(*key)
                && &**text == "_source"
            {
                return machine.map_member(place, "_source").map(Some);
            }
            let key = Key::of(&machine.state.heap, *key)?;
            Ok(Some(map_of(&mut machine.state.heap, place)?.entries.get(&key).copied().unwrap_or(Value::Null)))
        }
        ("getOrDefault", [key, other]) => {
            let key = Key::of(&machine.state.heap, *key)?;
            Ok(Some(map_of(&mut machine.state.heap, place)?.entries.get(&key).copied().unwrap_or(*other)))
        }
        ("containsKey", [key]) => {
            let key = Key::of(&machine.state.heap, *key)?;
            Machine::bool(map_of(&mut machine.state.heap, place)?.entries.contains_key(&key))
        }
        ("containsValue", [value]) => {
            let values: Vec<Value> = map_of(&mut machine.state.heap, place)?.entries.values().copied().collect();
            Ok(Some(Value::Bool(collection::position(machine, &values, *value)?.is_some())))
        }
        ("put", [key, value]) => {
            let key = Key::of(&machine.state.heap, *key)?;
            Ok(Some(machine.put(place, key, *value)?.unwrap_or(Value::Null)))
        }
        ("putIfAbsent", [key, value]) => {
            let key = Key::of(&machine.state.heap, *key)?;
            match map_of(&mut machine.state.heap, place)?.entries.get(&key).copied() {
                Some(old) if !matches!(old, Value::Null) => Ok(Some(old)),
                _ => {
                    machine.put(place, key, *value)?;
                    Ok(Some(Value::Null))
                }
            }
        }
        ("putAll", [other]) => {
            let Value::Ref(other) = *other else { return Err(Fault::without_message(Exception::NullPointer)) };
            let pairs: Vec<(Key, Value)> = map_of(&mut machine.state.heap, other)?
                .entries
                .iter()
                .map(|(key, value)| (key.clone(), *value))
                .collect();
            for (key, value) in pairs {
                machine.work(1)?;
                machine.put(place, key, value)?;
            }
            Ok(Some(Value::Null))
        }
        ("remove", [key]) => {
            let key = Key::of(&machine.state.heap, *key)?;
            let map = changing(&mut machine.state.heap, place)?;
            let (length, old) = (map.len(), map.entries.shift_remove(&key));
            machine.work(length / 64)?;
            Ok(Some(old.unwrap_or(Value::Null)))
        }
        ("clear", []) => {
            changing(&mut machine.state.heap, place)?.entries.clear();
            Ok(Some(Value::Null))
        }
        ("keySet" | "navigableKeySet", []) => {
            let map = map_of(&mut machine.state.heap, place)?;
            let mut set = MapObject::new(map.kind);
            set.entries.extend(map.entries.keys().map(|key| (key.clone(), Value::Null)));
            let bytes = set.entries.keys().map(Key::bytes).sum();
            machine.state.heap.charge(bytes)?;
            machine.work(bytes / 256)?;
            machine.state.heap.alloc(Object::Set(SetObject(set))).map(Some)
        }
        ("values", []) => {
            let values = map_of(&mut machine.state.heap, place)?.entries.values().copied().collect::<Vec<_>>();
            machine.work(values.len() / 16)?;
            machine.state.heap.list(values).map(Some)
        }
        ("entrySet", []) => {
            let entries = machine.entries_of(place)?;
            machine.state.heap.list(entries).map(Some)
        }
        _ => Ok(None),
    }
}

fn computing(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let ("compute" | "computeIfAbsent" | "computeIfPresent" | "merge" | "replace", [key, rest @ ..]) =
        (name, arguments)
    else {
        return Ok(None);
    };
    let own = Key::of(&machine.state.heap, *key)?;
    let old = changing(&mut machine.state.heap, place)?.entries.get(&own).copied().unwrap_or(Value::Null);
    let is_absent = matches!(old, Value::Null);
    let new = match (name, rest) {
        ("compute", [function]) => machine.apply(*function, &[*key, old])?,
        ("computeIfAbsent", [_]) if !is_absent => return Ok(Some(old)),
        ("computeIfAbsent", [function]) => match machine.apply(*function, &[*key])? {
            Value::Null => return Ok(Some(Value::Null)),
            new => new,
        },
        ("computeIfPresent", [_]) if is_absent => return Ok(Some(Value::Null)),
        ("computeIfPresent", [function]) => machine.apply(*function, &[*key, old])?,
        ("merge", [value, _]) if is_absent => *value,
        ("merge", [value, function]) => machine.apply(*function, &[old, *value])?,
        ("replace", [_]) if is_absent => return Ok(Some(Value::Null)),
        ("replace", [value]) => {
            machine.put(place, own, *value)?;
            return Ok(Some(old));
        }
        _ => return Ok(None),
    };
    if matches!(new, Value::Null) {
        changing(&mut machine.state.heap, place)?.entries.shift_remove(&own);
    } else {
        machine.put(place, own, new)?;
    }
    Ok(Some(new))
}

fn sorted(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let map = map_of(&mut machine.state.heap, place)?;
    if map.kind != MapKind::Tree {
        return Ok(None);
    }
    let length = map.len();
    let found = match (name, arguments) {
        ("firstKey" | "firstEntry" | "pollFirstEntry", []) => length.checked_sub(1).map(|_| 0),
        ("lastKey" | "lastEntry" | "pollLastEntry", []) => length.checked_sub(1),
        ("floorKey" | "floorEntry" | "lowerKey" | "ceilingKey" | "ceilingEntry" | "higherKey", [key]) => {
            let key = Key::of(&machine.state.heap, *key)?;
            let map = map_of(&mut machine.state.heap, place)?;
            let at = map.entries.binary_search_by(|known, _| known.compare(&key).unwrap_or(Ordering::Less));
            match (name, at) {
                ("floorKey" | "floorEntry" | "ceilingKey" | "ceilingEntry", Ok(at)) => Some(at),
                ("floorKey" | "floorEntry" | "lowerKey", Ok(at) | Err(at)) => at.checked_sub(1),
                (_, Ok(at)) => Some(at + 1).filter(|&at| at < length),
                (_, Err(at)) => Some(at).filter(|&at| at < length),
            }
        }
        _ => return Ok(None),
    };
    let map = map_of(&mut machine.state.heap, place)?;
    let entry = found.and_then(|at| map.entries.get_index(at)).map(|(key, value)| (key.clone(), *value));
    let Some((key, value)) = entry else {
        let fails = matches!(name, "firstKey" | "lastKey");
        return if fails { Err(collection::no_element()) } else { Ok(Some(Value::Null)) };
    };
    if name.starts_with("poll") {
        map.entries.shift_remove(&key);
    }
    let key = key.value(&mut machine.state.heap)?;
    if name.ends_with("Key") {
        return Ok(Some(key));
    }
    machine.state.heap.alloc(Object::Entry { map: Some(place), key, value }).map(Some)
}

fn augmented(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let [function, ..] = arguments else { return Ok(None) };
    let known = matches!(
        name,
        "forEach"
            | "each"
            | "any"
            | "every"
            | "find"
            | "findAll"
            | "count"
            | "collect"
            | "findResult"
            | "groupBy"
            | "replaceAll"
            | "removeIf"
            | "sum"
    );
    if !known {
        return Ok(None);
    }
    let pairs = machine.pairs_of(place)?;
    let mut kept = MapObject::new(MapKind::Linked);
    let mut collected = Vec::new();
    for (key, value) in pairs {
        let function = if arguments.len() == 2 { arguments[1] } else { *function };
        let result = machine.apply(function, &[key, value])?;
        match (name, result) {
            ("any", Value::Bool(true)) => return Machine::bool(true),
            ("every", Value::Bool(false)) => return Machine::bool(false),
            ("find", Value::Bool(true)) => {
                return machine.state.heap.alloc(Object::Entry { map: Some(place), key, value }).map(Some);
            }
            ("findAll" | "count", Value::Bool(true)) => {
                let key = Key::of(&machine.state.heap, key)?;
                kept.entries.insert(key, value);
            }
            ("findResult", found) if !matches!(found, Value::Null) => return Ok(Some(found)),
            ("collect", mapped) => collected.push(mapped),
            ("replaceAll", new) => {
                let key = Key::of(&machine.state.heap, key)?;
                machine.put(place, key, new)?;
            }
            ("groupBy", group) => {
                let group = Key::of(&machine.state.heap, group)?;
                let inner = match kept.entries.get(&group) {
                    Some(&inner) => inner,
                    None => machine.state.heap.map(MapObject::new(MapKind::Linked))?,
                };
                kept.entries.insert(group, inner);
                if let Value::Ref(inner) = inner {
                    let key = Key::of(&machine.state.heap, key)?;
                    machine.put(inner, key, value)?;
                }
            }
            _ => {}
        }
    }
    finished(machine, name, arguments, kept, collected).map(Some)
}

fn finished(
    machine: &mut Machine<'_>,
    name: &str,
    arguments: &[Value],
    kept: MapObject,
    collected: Vec<Value>,
) -> Res<Value> {
    match name {
        "any" => Ok(Value::Bool(false)),
        "every" => Ok(Value::Bool(true)),
        "count" => Ok(Value::Int(kept.len() as i32)),
        "findAll" | "groupBy" => machine.state.heap.map(kept),
        "collect" if arguments.len() == 2 => {
            for item in collected {
                super::call(machine, arguments[0], "add", &[item])?;
            }
            Ok(arguments[0])
        }
        "collect" => machine.state.heap.list(collected),
        _ => Ok(Value::Null),
    }
}
