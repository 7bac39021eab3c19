//! Orders: natural, by a function, by what `Comparator` methods return.

use crate::fault::{Fault, Res};
use crate::heap::Value;
use crate::heap::key::Key;
use crate::heap::object::{Function, Object};
use crate::number;
use crate::run::Machine;
use std::cmp::Ordering;

/// Nesting of comparators in comparators.
const COMPARATORS_MAX: u32 = 50;

/// Natural order of numbers, texts, dates and booleans.
pub fn natural(machine: &mut Machine<'_>, left: Value, right: Value) -> Res<Ordering> {
    if let Some(ordering) = number::compare(left, right) {
        return Ok(ordering);
    }
    if let (Value::Ref(left), Value::Ref(right)) = (left, right)
        && let (Object::Temporal(left), Object::Temporal(right)) =
            (machine.state.heap.get(left), machine.state.heap.get(right))
        && let Some(ordering) = left.compare(right)
    {
        return Ok(ordering);
    }
    let (left, right) = (Key::of(&machine.state.heap, left)?, Key::of(&machine.state.heap, right)?);
    left.compare_or_fail(&right)
}

/// What a comparator says of two values; `null` is the natural order.
pub fn ordering(machine: &mut Machine<'_>, by: Value, left: Value, right: Value) -> Res<Ordering> {
    if matches!(by, Value::Null) {
        return natural(machine, left, right);
    }
    let result = machine.apply(by, &[left, right])?;
    Ok(number::to_long(result).unwrap_or(0).cmp(&0))
}

/// Sorts stably. A comparator that contradicts itself gives some order, not a failure.
pub fn sort(machine: &mut Machine<'_>, items: &mut Vec<Value>, by: Value) -> Res<()> {
    let mut failure = None;
    machine.work(items.len())?;
    let sorted = merge_sort(machine, std::mem::take(items), by, &mut failure);
    *items = sorted;
    match failure {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}

/// The library's sort may panic on orders that are none, so a merge from the bottom is used.
fn merge_sort(machine: &mut Machine<'_>, items: Vec<Value>, by: Value, failure: &mut Option<Box<Fault>>) -> Vec<Value> {
    let mut from = items;
    let mut width = 1;
    while width < from.len() {
        let mut into = Vec::with_capacity(from.len());
        for chunk in from.chunks(2 * width) {
            let (left, right) = chunk.split_at(width.min(chunk.len()));
            let (mut left_place, mut right_place) = (0, 0);
            while left_place < left.len() && right_place < right.len() {
                let order = match ordering(machine, by, left[left_place], right[right_place]) {
                    Ok(order) => order,
                    Err(fault) => {
                        *failure = Some(fault);
                        return from;
                    }
                };
                if order == Ordering::Greater {
                    into.push(right[right_place]);
                    right_place += 1;
                } else {
                    into.push(left[left_place]);
                    left_place += 1;
                }
            }
            into.extend_from_slice(&left[left_place..]);
            into.extend_from_slice(&right[right_place..]);
        }
        from = into;
        width *= 2;
    }
    from
}

/// Calls a comparator that `Comparator` methods have made.
pub fn compare(machine: &mut Machine<'_>, comparator: Value, arguments: &[Value]) -> Res<i32> {
    let [left, right] = arguments else { return Err(Fault::illegal("a comparator takes two arguments")) };
    compare_at(machine, comparator, *left, *right, 0)
}

fn compare_at(machine: &mut Machine<'_>, comparator: Value, left: Value, right: Value, depth: u32) -> Res<i32> {
    machine.work(1)?;
    if depth > COMPARATORS_MAX {
        return Err(Fault::illegal(format!("comparators are nested deeper than [{COMPARATORS_MAX}] levels")));
    }
    let Value::Ref(place) = comparator else { return natural(machine, left, right).map(|order| order as i32) };
    let Object::Function(Function::Compare { by, then, reversed }) = machine.state.heap.get(place) else {
        return ordering(machine, comparator, left, right).map(|order| order as i32);
    };
    let (by, then, reversed) = (*by, *then, *reversed);
    let order = match by {
        Some(by) if is_comparator(machine, by) => compare_at(machine, by, left, right, depth + 1)?.cmp(&0),
        Some(by) => {
            let (left, right) = (machine.apply(by, &[left])?, machine.apply(by, &[right])?);
            natural(machine, left, right)?
        }
        None => natural(machine, left, right)?,
    };
    let order = if reversed { order.reverse() } else { order };
    match (order, then) {
        (Ordering::Equal, Some(then)) => compare_at(machine, then, left, right, depth + 1),
        (order, _) => Ok(order as i32),
    }
}

fn is_comparator(machine: &Machine<'_>, value: Value) -> bool {
    matches!(value, Value::Ref(place)
        if matches!(machine.state.heap.get(place), Object::Function(Function::Compare { .. })))
}

pub fn new(machine: &mut Machine<'_>, by: Option<Value>, then: Option<Value>, reversed: bool) -> Res<Value> {
    machine.state.heap.alloc(Object::Function(Function::Compare { by, then, reversed }))
}
