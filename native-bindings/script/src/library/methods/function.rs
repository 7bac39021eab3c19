//! Calls of functions that are values, and their combinations.

use super::comparator;
use crate::fault::Res;
use crate::heap::Value;
use crate::run::Machine;

pub fn call(machine: &mut Machine<'_>, function: Value, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        (
            "apply" | "accept" | "test" | "get" | "applyAsInt" | "applyAsLong" | "applyAsDouble" | "getAsInt"
            | "getAsLong" | "getAsDouble" | "getAsBoolean" | "compare",
            arguments,
        ) => machine.apply(function, arguments).map(Some),
        ("reversed", []) => comparator::new(machine, Some(function), None, true).map(Some),
        ("thenComparing", [then]) => {
            let then = comparator::new(machine, Some(*then), None, false)?;
            comparator::new(machine, Some(function), Some(then), false).map(Some)
        }
        ("thenComparing", [by, order]) => {
            let then = crate::library::statics::ordered_by(machine, *by, *order)?;
            comparator::new(machine, Some(function), Some(then), false).map(Some)
        }
        ("thenComparingInt" | "thenComparingLong" | "thenComparingDouble", [by]) => {
            let then = comparator::new(machine, Some(*by), None, false)?;
            comparator::new(machine, Some(function), Some(then), false).map(Some)
        }
        _ => Ok(None),
    }
}
