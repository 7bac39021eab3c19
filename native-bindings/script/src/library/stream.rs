//! Streams, which are made at once, and `Collectors`.

use super::methods::{self, collection, comparator};
use crate::fault::{Fault, Res};
use crate::heap::key::Key;
use crate::heap::object::{Element, ListKind, MapKind, MapObject, Object, SetObject, Summary};
use crate::heap::{Ref, Value};
use crate::run::Machine;

/// Items of a range that is a stream.
const RANGE_MAX: i64 = 1_000_000;

#[derive(Debug, Clone)]
pub enum Collector {
    List,
    Set,
    Joining(Box<[std::sync::Arc<str>; 3]>),
    Counting,
    Summing(Value, Element),
    Averaging(Value),
    Mapping(Value, Value),
    Grouping(Value, Option<Value>, Option<Value>),
    Partitioning(Value, Option<Value>),
    Map(Value, Value, Option<Value>),
    Extreme(Value, bool),
    Into(Value),
}

impl Collector {
    pub fn each_held(&self, each: &mut impl FnMut(Value)) {
        match self {
            Collector::List | Collector::Set | Collector::Joining(_) | Collector::Counting => {}
            Collector::Summing(value, _)
            | Collector::Averaging(value)
            | Collector::Extreme(value, _)
            | Collector::Into(value) => each(*value),
            Collector::Mapping(left, right) => [left, right].into_iter().for_each(|value| each(*value)),
            Collector::Grouping(by, factory, inner) => {
                each(*by);
                factory.iter().chain(inner).for_each(|value| each(*value));
            }
            Collector::Partitioning(by, inner) => {
                each(*by);
                inner.iter().for_each(|value| each(*value));
            }
            Collector::Map(key, value, merge) => {
                each(*key);
                each(*value);
                merge.iter().for_each(|value| each(*value));
            }
        }
    }
}

fn again(machine: &mut Machine<'_>, element: Element, items: Vec<Value>) -> Res<Option<Value>> {
    machine.state.heap.list_of(ListKind::Stream(element), items).map(Some)
}

fn optional(machine: &mut Machine<'_>, held: Option<Value>) -> Res<Option<Value>> {
    machine.state.heap.alloc(Object::Optional(held)).map(Some)
}

pub fn call(
    machine: &mut Machine<'_>,
    place: Ref,
    element: Element,
    name: &str,
    arguments: &[Value],
) -> Res<Option<Value>> {
    let Object::List(list) = machine.state.heap.get_mut(place) else { return Ok(None) };
    let items = std::mem::take(&mut list.items);
    machine.work(1 + items.len() / 16)?;
    if let Some(found) = intermediate(machine, element, &items, name, arguments)? {
        return Ok(Some(found));
    }
    if let Some(found) = numeric(machine, element, &items, name, arguments)? {
        return Ok(Some(found));
    }
    terminal(machine, items, name, arguments)
}

fn mapped(machine: &mut Machine<'_>, items: &[Value], function: Value) -> Res<Vec<Value>> {
    items.iter().map(|&item| machine.apply(function, &[item])).collect()
}

fn intermediate(
    machine: &mut Machine<'_>,
    element: Element,
    items: &[Value],
    name: &str,
    arguments: &[Value],
) -> Res<Option<Value>> {
    let (to, items) = match (name, arguments) {
        ("filter", [predicate]) => (element, collection::filtered(machine, items, *predicate, true)?),
        ("map", [function]) => (element, mapped(machine, items, *function)?),
        ("mapToInt", [function]) => (Element::Int, mapped(machine, items, *function)?),
        ("mapToLong", [function]) => (Element::Long, mapped(machine, items, *function)?),
        ("mapToDouble", [function]) => (Element::Double, mapped(machine, items, *function)?),
        ("mapToObj", [function]) => (Element::Any, mapped(machine, items, *function)?),
        ("boxed", []) => (Element::Any, items.to_vec()),
        ("asDoubleStream", []) => {
            let doubles = items.iter().map(|item| machine.double_of(*item).map(Value::Double)).collect::<Res<_>>()?;
            (Element::Double, doubles)
        }
        ("asLongStream", []) => {
            let longs = items.iter().map(|item| machine.long_of(*item).map(Value::Long)).collect::<Res<_>>()?;
            (Element::Long, longs)
        }
        ("flatMap", [function]) => {
            let mut all = Vec::new();
            for &item in items {
                let inner = machine.apply(*function, &[item])?;
                all.extend(machine.items_of(inner)?);
            }
            (element, all)
        }
        ("sorted", by) => {
            let mut sorted = items.to_vec();
            comparator::sort(machine, &mut sorted, by.first().copied().unwrap_or(Value::Null))?;
            (element, sorted)
        }
        ("distinct", []) => {
            let mut seen = MapObject::new(MapKind::Linked);
            for &item in items {
                seen.entries.entry(Key::of(&machine.state.heap, item)?).or_insert(item);
            }
            (element, seen.entries.values().copied().collect())
        }
        ("limit", [count]) => {
            let count = usize::try_from(machine.long_of(*count)?).unwrap_or(0);
            (element, items.iter().copied().take(count).collect())
        }
        ("skip", [count]) => {
            let count = usize::try_from(machine.long_of(*count)?).unwrap_or(0);
            (element, items.iter().copied().skip(count).collect())
        }
        ("peek", [function]) => {
            mapped(machine, items, *function)?;
            (element, items.to_vec())
        }
        ("sequential" | "parallel" | "unordered", []) => (element, items.to_vec()),
        _ => return Ok(None),
    };
    again(machine, to, items)
}

fn numeric(
    machine: &mut Machine<'_>,
    element: Element,
    items: &[Value],
    name: &str,
    arguments: &[Value],
) -> Res<Option<Value>> {
    if !matches!(element, Element::Int | Element::Long | Element::Double)
        || !arguments.is_empty()
        || !matches!(name, "sum" | "average" | "max" | "min" | "summaryStatistics")
    {
        return Ok(None);
    }
    if matches!(name, "max" | "min") {
        let mut sorted = items.to_vec();
        comparator::sort(machine, &mut sorted, Value::Null)?;
        let found = if name == "max" { sorted.last() } else { sorted.first() };
        return optional(machine, found.copied());
    }
    if name == "sum" && element != Element::Double {
        let mut sum = 0i64;
        for &item in items {
            sum = sum.wrapping_add(machine.long_of(item)?);
        }
        return Ok(Some(if element == Element::Int { Value::Int(sum as i32) } else { Value::Long(sum) }));
    }
    let mut summary = Summary::new(element);
    for &item in items {
        summary.add(machine.double_of(item)?);
    }
    match name {
        "sum" => Ok(Some(Value::Double(summary.sum))),
        "average" => {
            let average = (summary.count > 0).then(|| Value::Double(summary.sum / summary.count as f64));
            optional(machine, average)
        }
        _ => machine.state.heap.alloc(Object::Summary(Box::new(summary))).map(Some),
    }
}

fn terminal(machine: &mut Machine<'_>, items: Vec<Value>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("count", []) => Ok(Some(Value::Long(items.len() as i64))),
        ("forEach" | "forEachOrdered", [function]) => {
            mapped(machine, &items, *function)?;
            Ok(Some(Value::Null))
        }
        ("anyMatch", [predicate]) => collection::read(machine, &items, "any", &[*predicate]),
        ("allMatch", [predicate]) => collection::read(machine, &items, "every", &[*predicate]),
        ("noneMatch", [predicate]) => {
            let found = collection::read(machine, &items, "any", &[*predicate])?;
            Ok(Some(Value::Bool(matches!(found, Some(Value::Bool(false))))))
        }
        ("findFirst" | "findAny", []) => optional(machine, items.first().copied()),
        ("max" | "min", [by]) => {
            let mut sorted = items;
            comparator::sort(machine, &mut sorted, *by)?;
            let found = if name == "max" { sorted.last() } else { sorted.first() };
            optional(machine, found.copied())
        }
        ("reduce", [function]) => {
            let mut all = items.into_iter();
            let Some(mut value) = all.next() else { return optional(machine, None) };
            for item in all {
                value = machine.apply(*function, &[value, item])?;
            }
            optional(machine, Some(value))
        }
        ("reduce", [start, function] | [start, function, _]) => {
            let mut value = *start;
            for item in items {
                value = machine.apply(*function, &[value, item])?;
            }
            Ok(Some(value))
        }
        ("toList", []) => machine.state.heap.list(items).map(Some),
        ("toArray", []) => machine.state.heap.list_of(ListKind::Array(Element::Any), items).map(Some),
        ("toArray", [_]) => machine.state.heap.list_of(ListKind::Array(Element::Any), items).map(Some),
        ("iterator", []) => {
            let iterator = Object::Iterator { items, next: 0, from: Value::Null };
            machine.state.heap.alloc(iterator).map(Some)
        }
        ("collect", [collector]) => collect(machine, &items, *collector).map(Some),
        ("collect", [supplier, add, _]) => {
            let into = machine.apply(*supplier, &[])?;
            for item in items {
                machine.apply(*add, &[into, item])?;
            }
            Ok(Some(into))
        }
        _ => Ok(None),
    }
}

fn collect(machine: &mut Machine<'_>, items: &[Value], collector: Value) -> Res<Value> {
    machine.work(1 + items.len() / 16)?;
    let Value::Ref(place) = collector else { return Err(Fault::null("java.util.stream.Collector.supplier()")) };
    let Object::Collector(collector) = machine.state.heap.get(place) else {
        return Err(Fault::illegal("collect takes a Collector"));
    };
    match collector.clone() {
        Collector::List => machine.state.heap.list(items.to_vec()),
        Collector::Set => set_of(machine, items),
        Collector::Joining(texts) => {
            let joined = collection::join(machine, items, &texts[0])?;
            let joined = machine.text_of(joined)?;
            machine.state.heap.text(format!("{}{joined}{}", texts[1], texts[2]))
        }
        Collector::Counting => Ok(Value::Long(items.len() as i64)),
        Collector::Summing(by, element) => {
            let numbers = mapped(machine, items, by)?;
            let sum = numeric(machine, element, &numbers, "sum", &[])?;
            Ok(sum.unwrap_or(Value::Null))
        }
        Collector::Averaging(by) => {
            let mut sum = 0.0;
            for number in mapped(machine, items, by)? {
                sum += machine.double_of(number)?;
            }
            Ok(Value::Double(if items.is_empty() { 0.0 } else { sum / items.len() as f64 }))
        }
        Collector::Mapping(by, inner) => {
            let items = mapped(machine, items, by)?;
            nested(machine, &items, inner)
        }
        Collector::Grouping(by, factory, inner) => grouping(machine, items, by, factory, inner),
        Collector::Partitioning(by, inner) => {
            let mut map = MapObject::new(MapKind::Linked);
            for wanted in [false, true] {
                let part = collection::filtered(machine, items, by, wanted)?;
                let part = match inner {
                    Some(inner) => nested(machine, &part, inner)?,
                    None => machine.state.heap.list(part)?,
                };
                map.entries.insert(Key::Bool(wanted), part);
            }
            machine.state.heap.map(map)
        }
        Collector::Map(key, value, merge) => to_map(machine, items, key, value, merge),
        Collector::Extreme(by, is_max) => {
            let found = terminal(machine, items.to_vec(), if is_max { "max" } else { "min" }, &[by])?;
            Ok(found.unwrap_or(Value::Null))
        }
        Collector::Into(supplier) => {
            let into = machine.apply(supplier, &[])?;
            for &item in items {
                methods::call(machine, into, "add", &[item])?;
            }
            Ok(into)
        }
    }
}

/// Collectors in collectors count for the nesting, as calls do.
fn nested(machine: &mut Machine<'_>, items: &[Value], collector: Value) -> Res<Value> {
    machine.deeper(|machine| collect(machine, items, collector))
}

fn set_of(machine: &mut Machine<'_>, items: &[Value]) -> Res<Value> {
    let mut set = MapObject::new(MapKind::Hash);
    for &item in items {
        set.entries.insert(Key::of(&machine.state.heap, item)?, Value::Null);
    }
    machine.state.heap.alloc(Object::Set(SetObject(set)))
}

fn grouping(
    machine: &mut Machine<'_>,
    items: &[Value],
    by: Value,
    factory: Option<Value>,
    inner: Option<Value>,
) -> Res<Value> {
    let grouped = collection::grouped(machine, items, by)?;
    let Value::Ref(place) = grouped else { return Ok(grouped) };
    let groups: Vec<(Key, Value)> = match machine.state.heap.get(place) {
        Object::Map(map) => map.entries.iter().map(|(key, value)| (key.clone(), *value)).collect(),
        _ => Vec::new(),
    };
    let into = match factory {
        Some(factory) => machine.apply(factory, &[])?,
        None => grouped,
    };
    let Value::Ref(into_place) = into else { return Err(Fault::illegal("groupingBy needs a map")) };
    for (key, group) in groups {
        let group = match inner {
            Some(inner) => {
                let items = machine.items_of(group)?;
                nested(machine, &items, inner)?
            }
            None => group,
        };
        machine.put(into_place, key, group)?;
    }
    Ok(into)
}

fn to_map(machine: &mut Machine<'_>, items: &[Value], key: Value, value: Value, merge: Option<Value>) -> Res<Value> {
    let mut map = MapObject::new(MapKind::Hash);
    for &item in items {
        let own = machine.apply(key, &[item])?;
        let own = Key::of(&machine.state.heap, own)?;
        let mut new = machine.apply(value, &[item])?;
        if let Some(&old) = map.entries.get(&own) {
            let Some(merge) = merge else {
                return Err(Fault::new(crate::fault::Exception::IllegalState, "Duplicate key"));
            };
            new = machine.apply(merge, &[old, new])?;
        }
        map.entries.insert(own, new);
    }
    machine.state.heap.map(map)
}

pub fn call_static(machine: &mut Machine<'_>, class: &str, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    if class == "Collectors" {
        let Some(collector) = collector(machine, name, arguments)? else { return Ok(None) };
        return machine.state.heap.alloc(Object::Collector(collector)).map(Some);
    }
    let element = match class {
        "IntStream" => Element::Int,
        "LongStream" => Element::Long,
        "DoubleStream" => Element::Double,
        _ => Element::Any,
    };
    match (name, arguments) {
        ("empty", []) => again(machine, element, Vec::new()),
        ("of", [items])
            if machine.state.heap.as_list(*items).is_some_and(|list| matches!(list.kind, ListKind::Array(_))) =>
        {
            let items = machine.items_of(*items)?;
            again(machine, element, items)
        }
        ("of", items) => again(machine, element, items.to_vec()),
        ("concat", [left, right]) => {
            let mut items = machine.items_of(*left)?;
            items.extend(machine.items_of(*right)?);
            again(machine, element, items)
        }
        ("range" | "rangeClosed", [from, to]) => {
            let (from, to) = (machine.long_of(*from)?, machine.long_of(*to)?);
            let to = if name == "rangeClosed" { to.saturating_add(1) } else { to };
            let length = to.saturating_sub(from).max(0);
            if length > RANGE_MAX {
                return Err(Fault::illegal(format!("a range holds at most [{RANGE_MAX}] numbers")));
            }
            machine.work(length as usize / 16)?;
            machine.state.heap.charge(length as usize * size_of::<Value>())?;
            let number =
                |number: i64| if element == Element::Int { Value::Int(number as i32) } else { Value::Long(number) };
            again(machine, element, (from..to).map(number).collect())
        }
        _ => Ok(None),
    }
}

fn collector(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Collector>> {
    Ok(Some(match (name, arguments) {
        ("toList" | "toUnmodifiableList", []) => Collector::List,
        ("toSet" | "toUnmodifiableSet", []) => Collector::Set,
        ("counting", []) => Collector::Counting,
        ("joining", texts) if texts.len() <= 3 => {
            let mut all: [std::sync::Arc<str>; 3] = ["".into(), "".into(), "".into()];
            for (own, text) in all.iter_mut().zip(texts) {
                *own = machine.chars_of(*text)?;
            }
            Collector::Joining(Box::new(all))
        }
        ("summingInt", [by]) => Collector::Summing(*by, Element::Int),
        ("summingLong", [by]) => Collector::Summing(*by, Element::Long),
        ("summingDouble", [by]) => Collector::Summing(*by, Element::Double),
        ("averagingInt" | "averagingLong" | "averagingDouble", [by]) => Collector::Averaging(*by),
        ("mapping", [by, inner]) => Collector::Mapping(*by, *inner),
        ("groupingBy", [by]) => Collector::Grouping(*by, None, None),
        ("groupingBy", [by, inner]) => Collector::Grouping(*by, None, Some(*inner)),
        ("groupingBy", [by, factory, inner]) => Collector::Grouping(*by, Some(*factory), Some(*inner)),
        ("partitioningBy", [by]) => Collector::Partitioning(*by, None),
        ("partitioningBy", [by, inner]) => Collector::Partitioning(*by, Some(*inner)),
        ("toMap", [key, value]) => Collector::Map(*key, *value, None),
        ("toMap", [key, value, merge, ..]) => Collector::Map(*key, *value, Some(*merge)),
        ("maxBy", [by]) => Collector::Extreme(*by, true),
        ("minBy", [by]) => Collector::Extreme(*by, false),
        ("toCollection", [supplier]) => Collector::Into(*supplier),
        _ => return Ok(None),
    }))
}
