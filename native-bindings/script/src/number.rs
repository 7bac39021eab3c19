//! Numbers as Java has them: conversions, arithmetic, texts.

use super::fault::{Exception, Fault, Res};
use super::heap::Value;
use super::tree::Operator;
use super::types::Type;
use std::cmp::Ordering;

/// A primitive as another primitive type, digits cut off as a cast does; `None` for what is no number.
pub fn cast(value: Value, to: Type) -> Option<Value> {
    if let (Value::Bool(_), Type::Bool) = (value, to) {
        return Some(value);
    }
    Some(match to {
        Type::Byte => Value::Byte(to_int(value)? as i8),
        Type::Short => Value::Short(to_int(value)? as i16),
        Type::Char => Value::Char(to_int(value)? as u16),
        Type::Int => Value::Int(to_int(value)?),
        Type::Long => Value::Long(to_long(value)?),
        Type::Float => Value::Float(to_float(value)?),
        Type::Double => Value::Double(to_double(value)?),
        _ => return None,
    })
}

/// Whole numbers wrap around, fractions stop at the ends (Java's narrowing).
pub fn to_int(value: Value) -> Option<i32> {
    Some(match value {
        Value::Float(number) => number as i32,
        Value::Double(number) => number as i32,
        other => to_long(other)? as i32,
    })
}

pub fn to_long(value: Value) -> Option<i64> {
    Some(match value {
        Value::Byte(number) => number.into(),
        Value::Short(number) => number.into(),
        Value::Char(number) => number.into(),
        Value::Int(number) => number.into(),
        Value::Long(number) => number,
        Value::Float(number) => number as i64,
        Value::Double(number) => number as i64,
        _ => return None,
    })
}

fn to_float(value: Value) -> Option<f32> {
    Some(match value {
        Value::Float(number) => number,
        Value::Double(number) => number as f32,
        Value::Long(number) => number as f32,
        other => to_long(other)? as f32,
    })
}

#[inline]
pub fn to_double(value: Value) -> Option<f64> {
    Some(match value {
        Value::Double(number) => number,
        Value::Float(number) => number.into(),
        other => to_long(other)? as f64,
    })
}

/// The type of a number.
pub fn type_of(value: Value) -> Option<Type> {
    Some(match value {
        Value::Byte(_) => Type::Byte,
        Value::Short(_) => Type::Short,
        Value::Char(_) => Type::Char,
        Value::Int(_) => Type::Int,
        Value::Long(_) => Type::Long,
        Value::Float(_) => Type::Float,
        Value::Double(_) => Type::Double,
        Value::Bool(_) => Type::Bool,
        Value::Null | Value::Ref(_) => return None,
    })
}

/// Two numbers in the type in which they are computed.
enum Pair {
    Int(i32, i32),
    Long(i64, i64),
    Float(f32, f32),
    Double(f64, f64),
}

fn pair(left: Value, right: Value) -> Option<Pair> {
    Some(match (left, right) {
        (Value::Int(left), Value::Int(right)) => Pair::Int(left, right),
        (Value::Double(_), _) | (_, Value::Double(_)) => Pair::Double(to_double(left)?, to_double(right)?),
        (Value::Float(_), _) | (_, Value::Float(_)) => Pair::Float(to_float(left)?, to_float(right)?),
        (Value::Long(_), _) | (_, Value::Long(_)) => Pair::Long(to_long(left)?, to_long(right)?),
        _ => Pair::Int(to_int(left)?, to_int(right)?),
    })
}

fn by_zero() -> Box<Fault> {
    Fault::new(Exception::Arithmetic, "/ by zero")
}

/// Arithmetic, comparison and bits of two primitives. `None`: the operator does not take them.
pub fn binary(operator: Operator, left: Value, right: Value) -> Res<Option<Value>> {
    if let (Value::Double(left), Value::Double(right)) = (left, right)
        && let Some(value) = of_doubles(operator, left, right)
    {
        return Ok(Some(value));
    }
    if let (Value::Bool(left), Value::Bool(right)) = (left, right) {
        return Ok(of_bools(operator, left, right));
    }
    if matches!(operator, Operator::ShiftLeft | Operator::ShiftRight | Operator::ShiftRightUnsigned) {
        return Ok(shift(operator, left, right));
    }
    Ok(match pair(left, right) {
        None => None,
        Some(Pair::Int(left, right)) => of_ints(operator, left, right)?,
        Some(Pair::Long(left, right)) => of_longs(operator, left, right)?,
        Some(Pair::Float(left, right)) => of_floats(operator, left, right),
        Some(Pair::Double(left, right)) => of_doubles(operator, left, right),
    })
}

fn of_bools(operator: Operator, left: bool, right: bool) -> Option<Value> {
    Some(Value::Bool(match operator {
        Operator::BitAnd => left & right,
        Operator::BitOr => left | right,
        Operator::BitXor | Operator::NotEqual | Operator::NotSame => left ^ right,
        Operator::Equal | Operator::Same => left == right,
        _ => return None,
    }))
}

fn compared<T: PartialOrd>(operator: Operator, left: &T, right: &T) -> Option<Value> {
    Some(Value::Bool(match operator {
        Operator::Less => left < right,
        Operator::LessOrEqual => left <= right,
        Operator::Greater => left > right,
        Operator::GreaterOrEqual => left >= right,
        Operator::Equal | Operator::Same => left == right,
        Operator::NotEqual | Operator::NotSame => left != right,
        _ => return None,
    }))
}

fn of_ints(operator: Operator, left: i32, right: i32) -> Res<Option<Value>> {
    Ok(Some(Value::Int(match operator {
        Operator::Add => left.wrapping_add(right),
        Operator::Subtract => left.wrapping_sub(right),
        Operator::Multiply => left.wrapping_mul(right),
        Operator::Divide | Operator::Remainder if right == 0 => return Err(by_zero()),
        Operator::Divide => left.wrapping_div(right),
        Operator::Remainder => left.wrapping_rem(right),
        Operator::BitAnd => left & right,
        Operator::BitOr => left | right,
        Operator::BitXor => left ^ right,
        _ => return Ok(compared(operator, &left, &right)),
    })))
}

fn of_longs(operator: Operator, left: i64, right: i64) -> Res<Option<Value>> {
    Ok(Some(Value::Long(match operator {
        Operator::Add => left.wrapping_add(right),
        Operator::Subtract => left.wrapping_sub(right),
        Operator::Multiply => left.wrapping_mul(right),
        Operator::Divide | Operator::Remainder if right == 0 => return Err(by_zero()),
        Operator::Divide => left.wrapping_div(right),
        Operator::Remainder => left.wrapping_rem(right),
        Operator::BitAnd => left & right,
        Operator::BitOr => left | right,
        Operator::BitXor => left ^ right,
        _ => return Ok(compared(operator, &left, &right)),
    })))
}

fn of_floats(operator: Operator, left: f32, right: f32) -> Option<Value> {
    Some(Value::Float(match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide => left / right,
        Operator::Remainder => left % right,
        _ => return compared(operator, &left, &right),
    }))
}

#[inline]
fn of_doubles(operator: Operator, left: f64, right: f64) -> Option<Value> {
    Some(Value::Double(match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide => left / right,
        Operator::Remainder => left % right,
        _ => return compared(operator, &left, &right),
    }))
}

/// The type is that of the left side alone; only the lowest bits of the right side count.
fn shift(operator: Operator, left: Value, right: Value) -> Option<Value> {
    let by = match right {
        Value::Float(_) | Value::Double(_) => return None,
        other => to_long(other)? as u32,
    };
    Some(match left {
        Value::Long(left) => Value::Long(match operator {
            Operator::ShiftLeft => left.wrapping_shl(by),
            Operator::ShiftRight => left.wrapping_shr(by),
            _ => (left as u64).wrapping_shr(by) as i64,
        }),
        Value::Float(_) | Value::Double(_) => return None,
        other => {
            let left = to_int(other)?;
            Value::Int(match operator {
                Operator::ShiftLeft => left.wrapping_shl(by),
                Operator::ShiftRight => left.wrapping_shr(by),
                _ => (left as u32).wrapping_shr(by) as i32,
            })
        }
    })
}

/// Numbers by their values, whatever their types. `None`: not both are numbers.
pub fn compare(left: Value, right: Value) -> Option<Ordering> {
    Some(match pair(left, right)? {
        Pair::Int(left, right) => left.cmp(&right),
        Pair::Long(left, right) => left.cmp(&right),
        Pair::Float(left, right) => left.total_cmp(&right),
        Pair::Double(left, right) => left.total_cmp(&right),
    })
}

/// As Java prints a double.
pub fn double_text(number: f64) -> String {
    float_text(number, |number| {
        // Java has two digits at least: the nearest ones, where they lead back to the number.
        let two = format!("{number:.1e}");
        let shortest = format!("{number:e}");
        let is_one_digit = !shortest.contains('.');
        if is_one_digit && two.parse() == Ok(number) { two } else { shortest }
    })
}

/// As Java prints a float.
pub fn single_text(number: f32) -> String {
    float_text(f64::from(number), |_| format!("{number:e}"))
}

/// Shortest digits that lead back to the number; between 10^-3 and 10^7 without an exponent.
fn float_text(number: f64, scientific: impl Fn(f64) -> String) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    if number == 0.0 {
        return if number.is_sign_negative() { "-0.0".into() } else { "0.0".into() };
    }
    let text = scientific(number);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_end_matches('0').len().max(1);
    let digits = digits[..significant].to_owned();
    if (-3..7).contains(&exponent) {
        return format!("{sign}{}", plain(&digits, exponent));
    }
    let (first, rest) = digits.split_at(1);
    format!("{sign}{first}.{}E{exponent}", if rest.is_empty() { "0" } else { rest })
}

/// Digits with the point after the first one moved by the exponent.
fn plain(digits: &str, exponent: i32) -> String {
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{digits}{}.0", "0".repeat(whole - digits.len()));
    }
    let (whole, fraction) = digits.split_at(whole);
    format!("{whole}.{fraction}")
}
