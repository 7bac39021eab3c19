//! Methods of numbers, booleans and characters.

use super::comparator;
use crate::fault::Res;
use crate::heap::Value;
use crate::number::{cast, to_double};
use crate::run::Machine;
use crate::types::Type;

pub fn call(machine: &mut Machine<'_>, value: Value, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    Ok(match (name, arguments) {
        ("intValue", []) => cast(value, Type::Int),
        ("longValue", []) => cast(value, Type::Long),
        ("doubleValue", []) => cast(value, Type::Double),
        ("floatValue", []) => cast(value, Type::Float),
        ("shortValue", []) => cast(value, Type::Short),
        ("byteValue", []) => cast(value, Type::Byte),
        ("booleanValue", []) => matches!(value, Value::Bool(_)).then_some(value),
        ("charValue", []) => matches!(value, Value::Char(_)).then_some(value),
        ("isNaN", []) => to_double(value).map(|number| Value::Bool(number.is_nan())),
        ("isInfinite", []) => to_double(value).map(|number| Value::Bool(number.is_infinite())),
        ("compareTo", [other]) => {
            let order = comparator::natural(machine, value, *other)?;
            Some(Value::Int(order as i32))
        }
        _ => None,
    })
}
