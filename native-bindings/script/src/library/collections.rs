//! `Collections` and `Arrays`.

use super::methods::{self, comparator, list};
use crate::fault::{Fault, Res};
use crate::heap::key::Key;
use crate::heap::object::{Element, ListKind, MapKind, MapObject, Object, SetObject};
use crate::heap::{Ref, Value};
use crate::run::Machine;

fn place_of(value: Value) -> Res<Ref> {
    match value {
        Value::Ref(place) => Ok(place),
        _ => Err(Fault::null("java.util.List.size()")),
    }
}

pub fn call(machine: &mut Machine<'_>, class: &str, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    if class == "Arrays"
        && let Some(found) = of_arrays(machine, name, arguments)?
    {
        return Ok(Some(found));
    }
    match (name, arguments) {
        ("sort", [items]) => {
            list::sort(machine, place_of(*items)?, Value::Null)?;
            Ok(Some(Value::Null))
        }
        ("sort", [items, by]) => {
            list::sort(machine, place_of(*items)?, *by)?;
            Ok(Some(Value::Null))
        }
        ("reverse" | "swap" | "fill" | "rotate", [items, rest @ ..]) => {
            rearrange(machine, place_of(*items)?, name, rest)?;
            Ok(Some(Value::Null))
        }
        ("max" | "min", [items, rest @ ..]) => {
            let mut items = machine.items_of(*items)?;
            comparator::sort(machine, &mut items, rest.first().copied().unwrap_or(Value::Null))?;
            let found = if name == "max" { items.last() } else { items.first() };
            found.copied().map(Some).ok_or_else(methods::collection::no_element)
        }
        ("reverseOrder", []) => comparator::new(machine, None, None, true).map(Some),
        ("reverseOrder", [by]) => comparator::new(machine, Some(*by), None, true).map(Some),
        ("addAll", [into, items @ ..]) => {
            for &item in items {
                methods::call(machine, *into, "add", &[item])?;
            }
            Machine::bool(!items.is_empty())
        }
        ("frequency", [items, wanted]) => {
            let mut count = 0;
            for item in machine.items_of(*items)? {
                count += usize::from(machine.equals(item, *wanted)?);
            }
            Machine::int(count)
        }
        ("disjoint", [left, right]) => {
            let (left, right) = (machine.items_of(*left)?, machine.items_of(*right)?);
            for item in left {
                machine.work(1)?;
                if methods::collection::position(machine, &right, item)?.is_some() {
                    return Machine::bool(false);
                }
            }
            Machine::bool(true)
        }
        ("nCopies", [count, item]) => {
            let count = usize::try_from(machine.int_of(*count)?).unwrap_or(0);
            machine.state.heap.charge(count.saturating_mul(size_of::<Value>()))?;
            machine.state.heap.list(vec![*item; count]).map(Some)
        }
        ("binarySearch", [items, wanted]) => {
            let items = machine.items_of(*items)?;
            let mut failure = Ok(());
            let found = items.binary_search_by(|item| {
                comparator::natural(machine, *item, *wanted).unwrap_or_else(|fault| {
                    failure = Err(fault);
                    std::cmp::Ordering::Equal
                })
            });
            failure?;
            Ok(Some(Value::Int(found.map_or_else(|place| -(place as i32) - 1, |place| place as i32))))
        }
        _ => made(machine, name, arguments),
    }
}

fn made(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("emptyList", []) => machine.state.heap.list_of(ListKind::Unmodifiable, Vec::new()).map(Some),
        ("emptyMap", []) => machine.state.heap.map(MapObject::new(MapKind::Unmodifiable)).map(Some),
        ("emptySet", []) => {
            machine.state.heap.alloc(Object::Set(SetObject(MapObject::new(MapKind::Unmodifiable)))).map(Some)
        }
        ("singletonList", [item]) => machine.state.heap.list_of(ListKind::Unmodifiable, vec![*item]).map(Some),
        ("singleton", [item]) => {
            let mut set = MapObject::new(MapKind::Unmodifiable);
            set.entries.insert(Key::of(&machine.state.heap, *item)?, Value::Null);
            machine.state.heap.alloc(Object::Set(SetObject(set))).map(Some)
        }
        ("singletonMap", [key, value]) => {
            let mut map = MapObject::new(MapKind::Unmodifiable);
            map.entries.insert(Key::of(&machine.state.heap, *key)?, *value);
            machine.state.heap.map(map).map(Some)
        }
        ("unmodifiableList" | "unmodifiableCollection", [items]) => {
            let items = machine.items_of(*items)?;
            machine.state.heap.list_of(ListKind::Unmodifiable, items).map(Some)
        }
        ("unmodifiableMap", [map]) => {
            let entries = machine.state.heap.as_map(*map).map(|map| map.entries.clone());
            let entries = entries.ok_or_else(|| Fault::null("java.util.Map.entrySet()"))?;
            machine.work(entries.len() / 4)?;
            machine.state.heap.map(MapObject { kind: MapKind::Unmodifiable, entries }).map(Some)
        }
        ("unmodifiableSet", [set]) => {
            let mut copy = MapObject::new(MapKind::Unmodifiable);
            for item in machine.items_of(*set)? {
                copy.entries.insert(Key::of(&machine.state.heap, item)?, Value::Null);
            }
            machine.state.heap.alloc(Object::Set(SetObject(copy))).map(Some)
        }
        _ => Ok(None),
    }
}

fn rearrange(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<()> {
    let numbers = arguments.iter().map(|value| crate::number::to_int(*value).unwrap_or(0)).collect::<Vec<_>>();
    let filling = arguments.first().copied().unwrap_or(Value::Null);
    machine.state.heap.stored(place, filling);
    let Object::List(held) = machine.state.heap.get_mut(place) else {
        return Err(Fault::illegal("not a list"));
    };
    if held.kind == ListKind::Unmodifiable {
        return Err(Fault::without_message(crate::fault::Exception::Unsupported));
    }
    let length = held.items.len();
    match (name, &numbers[..]) {
        ("reverse", []) => held.items.reverse(),
        ("fill", [_]) => held.items.fill(filling),
        ("rotate", [by]) if length > 0 => held.items.rotate_right(by.rem_euclid(length as i32) as usize),
        ("swap", [left, right]) => {
            let fits = |place: i32| usize::try_from(place).ok().filter(|&place| place < length);
            let places = fits(*left).zip(fits(*right));
            let (left, right) = places.ok_or_else(|| {
                Fault::new(
                    crate::fault::Exception::IndexOutOfBounds,
                    format!("Index out of bounds for length {length}"),
                )
            })?;
            held.items.swap(left, right);
        }
        _ => {}
    }
    machine.work(length / 16)
}

fn of_arrays(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("asList", [items])
            if machine.state.heap.as_list(*items).is_some_and(|list| matches!(list.kind, ListKind::Array(_))) =>
        {
            let items = machine.items_of(*items)?;
            machine.state.heap.list(items).map(Some)
        }
        ("asList", items) => machine.state.heap.list(items.to_vec()).map(Some),
        ("toString" | "deepToString", [items]) => {
            let text = machine.text_of(*items)?;
            machine.new_text(text)
        }
        ("stream", [items]) => {
            let element = match machine.state.heap.as_list(*items).map(|list| list.kind) {
                Some(ListKind::Array(element @ (Element::Int | Element::Long | Element::Double))) => element,
                _ => Element::Any,
            };
            let items = machine.items_of(*items)?;
            machine.state.heap.list_of(ListKind::Stream(element), items).map(Some)
        }
        ("equals", [left, right]) => Ok(Some(Value::Bool(machine.equals(*left, *right)?))),
        ("hashCode", [items]) => {
            let mut hash = 1i32;
            for item in machine.items_of(*items)? {
                hash = hash.wrapping_mul(31).wrapping_add(methods::hash_code(machine, item)?);
            }
            Ok(Some(Value::Int(hash)))
        }
        ("copyOf", [items, length]) => {
            let length = machine.int_of(*length)?;
            copied(machine, *items, 0, length).map(Some)
        }
        ("copyOfRange", [items, from, to]) => {
            let (from, to) = (machine.int_of(*from)?, machine.int_of(*to)?);
            copied(machine, *items, from, to).map(Some)
        }
        _ => Ok(None),
    }
}

fn copied(machine: &mut Machine<'_>, items: Value, from: i32, to: i32) -> Res<Value> {
    let kind = machine.state.heap.as_list(items).map_or(ListKind::Array(Element::Any), |list| list.kind);
    let zero = if let ListKind::Array(element) = kind { element.zero() } else { Value::Null };
    let all = machine.items_of(items)?;
    let range =
        usize::try_from(from).ok().zip(usize::try_from(to).ok()).filter(|(from, to)| from <= to && *from <= all.len());
    let (from, to) = range.ok_or_else(|| Fault::illegal(format!("{from} > {to}")))?;
    machine.state.heap.charge((to - from).saturating_mul(size_of::<Value>()))?;
    let copy = (from..to).map(|place| all.get(place).copied().unwrap_or(zero)).collect();
    machine.state.heap.list_of(kind, copy)
}
