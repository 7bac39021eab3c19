//! `Math`, and the functions that only expressions have: `acosh`, `asinh`, `atanh`, `haversin` (kilometres), `logn`.

use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::number::{self, to_double};
use crate::run::Machine;
use crate::tree::Operator;
use quarry_geo::distance::arc;
use quarry_geo::point::GeoPoint;

pub fn call(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    if let Some(found) = of_doubles(name, arguments) {
        return Ok(Some(found));
    }
    match (name, arguments) {
        ("abs", [value]) => abs(*value),
        ("max" | "min", [left, right]) => extreme(machine, name == "max", *left, *right),
        ("round", [Value::Float(number)]) => Ok(Some(Value::Int((number + 0.5).floor() as i32))),
        ("round", [value]) => {
            let number = machine.double_of(*value)?;
            // Halves go up; the sum would round up what is just below a half.
            let floor = number.floor();
            Ok(Some(Value::Long(if number - floor >= 0.5 { floor as i64 + 1 } else { floor as i64 })))
        }
        ("signum", [Value::Int(number)]) => Ok(Some(Value::Int(number.signum()))),
        ("signum", [Value::Long(number)]) => Ok(Some(Value::Int(number.signum() as i32))),
        ("signum", [value]) => {
            let number = machine.double_of(*value)?;
            Ok(Some(Value::Double(if number == 0.0 || number.is_nan() { number } else { number.signum() })))
        }
        ("random", []) => {
            Err(Fault::new(Exception::Unsupported, "Math.random() is not available: pass a seed and use Random"))
        }
        ("floorMod" | "floorDiv", [left, right]) => floor(machine, name, *left, *right),
        _ => exact(machine, name, arguments),
    }
}

fn of_doubles(name: &str, arguments: &[Value]) -> Option<Value> {
    let first = to_double(*arguments.first()?)?;
    if let [_, second] = arguments {
        let second = to_double(*second)?;
        return Some(Value::Double(match name {
            "pow" => pow(first, second),
            "atan2" => first.atan2(second),
            "hypot" => first.hypot(second),
            "logn" => second.ln() / first.ln(),
            "copySign" => first.copysign(second),
            "IEEEremainder" => first - second * round_even(first / second),
            "scalb" => first * second.exp2(),
            _ => return None,
        }));
    }
    if arguments.len() != 1 {
        return match (name, arguments) {
            ("haversin", [_, lon, other_lat, other_lon]) => {
                let own = GeoPoint { lat: first, lon: to_double(*lon)? };
                let other = GeoPoint { lat: to_double(*other_lat)?, lon: to_double(*other_lon)? };
                Some(Value::Double(arc(own, other) / 1_000.0))
            }
            ("fma", [_, second, third]) => Some(Value::Double(first.mul_add(to_double(*second)?, to_double(*third)?))),
            _ => None,
        };
    }
    Some(Value::Double(match name {
        "sqrt" => first.sqrt(),
        "cbrt" => first.cbrt(),
        "log" => first.ln(),
        "log10" => first.log10(),
        "log1p" => first.ln_1p(),
        "exp" => first.exp(),
        "expm1" => first.exp_m1(),
        "floor" => first.floor(),
        "ceil" => first.ceil(),
        "rint" => round_even(first),
        "sin" => first.sin(),
        "cos" => first.cos(),
        "tan" => first.tan(),
        "asin" => first.asin(),
        "acos" => first.acos(),
        "atan" => first.atan(),
        "sinh" => first.sinh(),
        "cosh" => first.cosh(),
        "tanh" => first.tanh(),
        "acosh" => first.acosh(),
        "asinh" => first.asinh(),
        "atanh" => first.atanh(),
        "toRadians" => first.to_radians(),
        "toDegrees" => first.to_degrees(),
        "nextUp" => first.next_up(),
        "nextDown" => first.next_down(),
        "ulp" => first.abs().next_up() - first.abs(),
        "getExponent" => {
            let exponent = ((first.to_bits() >> 52) & 0x7ff) as i32 - 1023;
            return Some(Value::Int(exponent));
        }
        _ => return None,
    }))
}

/// Java's power of one to NaN is NaN.
fn pow(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() || base.abs() == 1.0 && exponent.is_infinite() { f64::NAN } else { base.powf(exponent) }
}

fn round_even(number: f64) -> f64 {
    number.round_ties_even()
}

fn abs(value: Value) -> Res<Option<Value>> {
    Ok(Some(match value {
        Value::Double(number) => Value::Double(number.abs()),
        Value::Float(number) => Value::Float(number.abs()),
        Value::Long(number) => Value::Long(number.wrapping_abs()),
        other => match number::to_int(other) {
            Some(number) => Value::Int(number.wrapping_abs()),
            None => return Ok(None),
        },
    }))
}

fn extreme(machine: &mut Machine<'_>, max: bool, left: Value, right: Value) -> Res<Option<Value>> {
    machine.double_of(left)?;
    machine.double_of(right)?;
    for value in [left, right] {
        if to_double(value).is_some_and(f64::is_nan) {
            return Ok(Some(value));
        }
    }
    let left_first = number::compare(left, right).is_some_and(|order| if max { order.is_ge() } else { order.is_le() });
    // The result has the wider type of the two.
    let zero = number::binary(Operator::Multiply, if left_first { right } else { left }, Value::Byte(0))?;
    let picked = if left_first { left } else { right };
    match (picked, zero) {
        (Value::Double(_), _) => Ok(Some(picked)),
        (_, Some(Value::Double(_))) => Ok(to_double(picked).map(Value::Double)),
        (picked, Some(Value::Float(_))) => Ok(number::cast(picked, crate::types::Type::Float)),
        (picked, Some(Value::Long(_))) if !matches!(picked, Value::Float(_)) => {
            Ok(number::cast(picked, crate::types::Type::Long))
        }
        (Value::Byte(_) | Value::Short(_) | Value::Char(_), _) => Ok(number::cast(picked, crate::types::Type::Int)),
        _ => Ok(Some(picked)),
    }
}

fn floor(machine: &mut Machine<'_>, name: &str, left: Value, right: Value) -> Res<Option<Value>> {
    let is_int = !matches!(left, Value::Long(_)) && !matches!(right, Value::Long(_));
    let (left, right) = (machine.long_of(left)?, machine.long_of(right)?);
    if right == 0 {
        return Err(Fault::new(Exception::Arithmetic, "/ by zero"));
    }
    let remainder = left.wrapping_rem(right);
    let is_below = remainder != 0 && (remainder < 0) != (right < 0);
    let number = if name == "floorMod" {
        if is_below { remainder + right } else { remainder }
    } else {
        left.wrapping_div(right) - i64::from(is_below)
    };
    Ok(Some(if is_int { Value::Int(number as i32) } else { Value::Long(number) }))
}

fn exact(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let is_int = name == "toIntExact" || !arguments.iter().any(|value| matches!(value, Value::Long(_)));
    let numbers = arguments.iter().map(|value| machine.long_of(*value)).collect::<Res<Vec<_>>>()?;
    let result = match (name, &numbers[..]) {
        ("addExact", [left, right]) => left.checked_add(*right),
        ("subtractExact", [left, right]) => left.checked_sub(*right),
        ("multiplyExact", [left, right]) => left.checked_mul(*right),
        ("incrementExact", [number]) => number.checked_add(1),
        ("decrementExact", [number]) => number.checked_sub(1),
        ("negateExact", [number]) => number.checked_neg(),
        ("toIntExact", [number]) => Some(*number),
        _ => return Ok(None),
    };
    let of = if is_int { "integer" } else { "long" };
    let overflow = || Fault::new(Exception::Arithmetic, format!("{of} overflow"));
    let result = result.ok_or_else(overflow)?;
    match (is_int, i32::try_from(result)) {
        (true, Ok(number)) => Ok(Some(Value::Int(number))),
        (true, Err(_)) => Err(overflow()),
        (false, _) => Ok(Some(Value::Long(result))),
    }
}
