//! Static methods.

use super::methods::{comparator, hash_code};
use super::{classes, collections, math, moving, score, stream, temporal};
use crate::fault::{Cause, Exception, Fault, NOWHERE, Res};
use crate::heap::Value;
use crate::heap::object::{Element, Function, ListKind, Object};
use crate::number;
use crate::run::Machine;
use crate::types::{ClassName, Type};

pub fn call(machine: &mut Machine<'_>, class: ClassName, name: &str, arguments: &[Value]) -> Res<Value> {
    let simple = class.simple();
    let found = match simple {
        "Math" | "StrictMath" => math::call(machine, name, arguments)?,
        "Integer" | "Long" | "Short" | "Byte" | "Double" | "Float" => of_numbers(machine, simple, name, arguments)?,
        "Boolean" => of_booleans(machine, name, arguments)?,
        "Character" => of_characters(machine, name, arguments)?,
        "String" => of_texts(machine, name, arguments)?,
        "Objects" => of_objects(machine, name, arguments)?,
        "Arrays" | "Collections" => collections::call(machine, simple, name, arguments)?,
        "Comparator" | "Map.Entry" => of_comparators(machine, name, arguments)?,
        "Optional" | "OptionalInt" | "OptionalLong" | "OptionalDouble" => of_optionals(machine, name, arguments)?,
        "Stream" | "IntStream" | "LongStream" | "DoubleStream" | "Collectors" => {
            stream::call_static(machine, simple, name, arguments)?
        }
        "Function" | "UnaryOperator" => identity(machine, name)?,
        "Pattern" => of_patterns(machine, name, arguments)?,
        "MovingFunctions" => moving::call(machine, name, arguments)?,
        score::CLASS => score::call(machine, name, arguments)?,
        "Debug" => return explain(machine, arguments),
        "Base64" | "BitSet" | "Locale" | "UUID" => classes::call_static(machine, simple, name, arguments)?,
        _ => temporal::call_static(machine, simple, name, arguments)?,
    };
    found.ok_or_else(|| {
        Fault::illegal(format!("static method [{}, {name}/{}] not found", class.full(), arguments.len()))
    })
}

fn explain(machine: &mut Machine<'_>, arguments: &[Value]) -> Res<Value> {
    let value = arguments.first().copied().unwrap_or(Value::Null);
    let text = machine.text_of(value)?.to_string();
    let class = machine.class_of(value);
    let cause = Cause::Explained(text, class);
    Err(Box::new(Fault { cause, at: NOWHERE, object: None }))
}

fn bad_number(text: &str) -> Box<Fault> {
    Fault::new(Exception::NumberFormat, format!("For input string: \"{text}\""))
}

fn type_of_class(class: &str) -> Type {
    match class {
        "Integer" => Type::Int,
        "Long" => Type::Long,
        "Short" => Type::Short,
        "Byte" => Type::Byte,
        "Float" => Type::Float,
        _ => Type::Double,
    }
}

fn parse(machine: &mut Machine<'_>, class: &str, text: Value, radix: u32) -> Res<Value> {
    let text = match text {
        Value::Null => return Err(Fault::new(Exception::NumberFormat, "Cannot parse null string: null")),
        text => machine.chars_of(text)?,
    };
    let of = type_of_class(class);
    if matches!(of, Type::Double | Type::Float) {
        let trimmed = text.trim();
        let digits = trimmed.trim_end_matches(['d', 'D', 'f', 'F']);
        let number = match digits.trim_start_matches(['+', '-']) {
            "Infinity" | "NaN" => digits.replace("Infinity", "inf").parse::<f64>().ok(),
            plain if plain.chars().any(char::is_alphabetic) && !plain.contains(['e', 'E']) => None,
            plain if plain.starts_with(|c: char| c.is_alphabetic()) => None,
            _ => digits.parse::<f64>().ok(),
        };
        let number = number.ok_or_else(|| bad_number(&text))?;
        return Ok(number::cast(Value::Double(number), of).unwrap_or(Value::Null));
    }
    let is_signed_only = matches!(&*text, "" | "+" | "-");
    let number = i64::from_str_radix(&text, radix).ok().filter(|_| !is_signed_only);
    let number = number.ok_or_else(|| bad_number(&text))?;
    let fits = number::cast(Value::Long(number), of).filter(|value| number::to_long(*value) == Some(number));
    fits.ok_or_else(|| bad_number(&text))
}

fn of_numbers(machine: &mut Machine<'_>, class: &str, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    if name.starts_with("parse") || name == "valueOf" && arguments.first().is_some_and(|value| machine.is_text(*value))
    {
        let radix = match arguments.get(1) {
            Some(radix) => u32::try_from(machine.int_of(*radix)?).unwrap_or(0),
            None => 10,
        };
        if !(2..=36).contains(&radix) {
            return Err(bad_number("radix"));
        }
        let text = arguments.first().copied().unwrap_or(Value::Null);
        return parse(machine, class, text, radix).map(Some);
    }
    let of = type_of_class(class);
    match (name, arguments) {
        ("valueOf", [value]) => number::cast(*value, of).map(Some).ok_or_else(|| {
            let found = machine.class_of(*value);
            Fault::class_cast(format!("Cannot cast from [{found}] to [{}].", of.name()))
        }),
        ("toString", [value]) => {
            let text = machine.text_of(*value)?;
            machine.new_text(text)
        }
        ("toString", [value, radix]) => {
            let (value, radix) = (machine.long_of(*value)?, machine.int_of(*radix)?);
            let text = in_radix(value, u32::try_from(radix).unwrap_or(10).clamp(2, 36));
            machine.new_text(text)
        }
        ("compare", [left, right]) => {
            let order = comparator::natural(machine, *left, *right)?;
            Ok(Some(Value::Int(order as i32)))
        }
        ("max" | "min" | "signum", _) => math::call(machine, name, arguments),
        ("sum", [left, right]) => number::binary(crate::tree::Operator::Add, *left, *right),
        ("isNaN", [value]) => Ok(Some(Value::Bool(machine.double_of(*value)?.is_nan()))),
        ("isInfinite", [value]) => Ok(Some(Value::Bool(machine.double_of(*value)?.is_infinite()))),
        ("isFinite", [value]) => Ok(Some(Value::Bool(machine.double_of(*value)?.is_finite()))),
        ("hashCode", [value]) => hash_code(machine, *value).map(|hash| Some(Value::Int(hash))),
        _ => bits(machine, class, name, arguments),
    }
}

fn in_radix(value: i64, radix: u32) -> String {
    let mut digits = Vec::new();
    let mut rest = value.unsigned_abs();
    loop {
        digits.push(char::from_digit((rest % u64::from(radix)) as u32, radix).unwrap_or('0'));
        rest /= u64::from(radix);
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        digits.push('-');
    }
    digits.into_iter().rev().collect()
}

fn bits(machine: &mut Machine<'_>, class: &str, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let [value, ..] = arguments else { return Ok(None) };
    let value = machine.long_of(*value)?;
    let is_int = class != "Long";
    let own = if is_int { u64::from(value as u32) } else { value as u64 };
    let same = |number: u64| if is_int { Value::Int(number as i32) } else { Value::Long(number as i64) };
    let width = if is_int { 32 } else { 64 };
    Ok(Some(match name {
        "bitCount" => Value::Int(own.count_ones() as i32),
        "toBinaryString" => return machine.new_text(format!("{own:b}")),
        "toHexString" => return machine.new_text(format!("{own:x}")),
        "toOctalString" => return machine.new_text(format!("{own:o}")),
        "numberOfLeadingZeros" => Value::Int(own.leading_zeros() as i32 - (64 - width)),
        "numberOfTrailingZeros" => Value::Int((own.trailing_zeros() as i32).min(width)),
        "highestOneBit" => same(if own == 0 { 0 } else { 1 << (63 - own.leading_zeros()) }),
        "lowestOneBit" => same(own & own.wrapping_neg()),
        "reverse" if is_int => Value::Int((own as u32).reverse_bits() as i32),
        "toUnsignedLong" | "toUnsignedInt" => match class {
            "Byte" => Value::Int(i32::from(value as u8)),
            "Short" => Value::Int(i32::from(value as u16)),
            _ => Value::Long(own as i64),
        },
        "rotateLeft" | "rotateRight" => {
            let by = machine.int_of(arguments.get(1).copied().unwrap_or(Value::Int(0)))?;
            let by = if name == "rotateLeft" { by } else { by.wrapping_neg() };
            if is_int {
                Value::Int((own as u32).rotate_left(by as u32 & 31) as i32)
            } else {
                Value::Long(own.rotate_left(by as u32 & 63) as i64)
            }
        }
        "compareUnsigned" | "divideUnsigned" | "remainderUnsigned" => {
            let other = machine.long_of(arguments.get(1).copied().unwrap_or(Value::Int(0)))?;
            let other = if is_int { u64::from(other as u32) } else { other as u64 };
            match name {
                "compareUnsigned" => Value::Int(own.cmp(&other) as i32),
                _ if other == 0 => return Err(Fault::new(Exception::Arithmetic, "/ by zero")),
                "divideUnsigned" => same(own / other),
                _ => same(own % other),
            }
        }
        _ => return Ok(None),
    }))
}

fn of_booleans(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    Ok(match (name, arguments) {
        ("valueOf", [Value::Bool(value)]) => Some(Value::Bool(*value)),
        ("parseBoolean" | "valueOf", [Value::Null]) => Some(Value::Bool(false)),
        ("parseBoolean" | "valueOf", [text]) => {
            Some(Value::Bool(machine.chars_of(*text)?.eq_ignore_ascii_case("true")))
        }
        ("toString", [Value::Bool(value)]) => return machine.new_text(value.to_string()),
        ("compare", [Value::Bool(left), Value::Bool(right)]) => Some(Value::Int(left.cmp(right) as i32)),
        ("logicalAnd", [Value::Bool(left), Value::Bool(right)]) => Some(Value::Bool(*left & *right)),
        ("logicalOr", [Value::Bool(left), Value::Bool(right)]) => Some(Value::Bool(*left | *right)),
        ("logicalXor", [Value::Bool(left), Value::Bool(right)]) => Some(Value::Bool(left ^ right)),
        ("hashCode", [value]) => Some(Value::Int(hash_code(machine, *value)?)),
        _ => None,
    })
}

fn of_characters(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let [value, ..] = arguments else { return Ok(None) };
    let code = match *value {
        Value::Char(unit) => u32::from(unit),
        other if machine.is_text(other) => {
            let text = machine.chars_of(other)?;
            u32::from(super::methods::text::char_at(&text, 0)?)
        }
        other => machine.int_of(other)? as u32,
    };
    let is_char = !matches!(value, Value::Int(_));
    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    let same = |c: Option<char>| {
        let code = c.map_or(code, |c| c as u32);
        if is_char { Value::Char(code as u16) } else { Value::Int(code as i32) }
    };
    Ok(Some(match name {
        "isDigit" => Value::Bool(c.is_ascii_digit()),
        "isLetter" | "isAlphabetic" => Value::Bool(c.is_alphabetic()),
        "isLetterOrDigit" => Value::Bool(c.is_alphanumeric()),
        "isUpperCase" => Value::Bool(c.is_uppercase()),
        "isLowerCase" => Value::Bool(c.is_lowercase()),
        "isWhitespace" | "isSpaceChar" => Value::Bool(c.is_whitespace()),
        "isDefined" => Value::Bool(char::from_u32(code).is_some()),
        "toUpperCase" => same(c.to_uppercase().next()),
        "toLowerCase" => same(c.to_lowercase().next()),
        "getNumericValue" => Value::Int(c.to_digit(36).map_or(-1, |digit| digit as i32)),
        "digit" => {
            let radix = machine.int_of(arguments.get(1).copied().unwrap_or(Value::Int(10)))?;
            let radix = u32::try_from(radix).unwrap_or(10).clamp(2, 36);
            Value::Int(c.to_digit(radix).map_or(-1, |digit| digit as i32))
        }
        "forDigit" => {
            let radix = machine.int_of(arguments.get(1).copied().unwrap_or(Value::Int(10)))?;
            let radix = u32::try_from(radix).unwrap_or(10).clamp(2, 36);
            Value::Char(char::from_digit(code, radix).map_or(0, |c| c as u16))
        }
        "valueOf" => Value::Char(code as u16),
        "toString" => return machine.new_text(c.to_string()),
        "hashCode" => Value::Int(code as i32),
        "compare" => {
            let order = comparator::natural(machine, *value, arguments.get(1).copied().unwrap_or(Value::Null))?;
            Value::Int(order as i32)
        }
        "toChars" => {
            let mut units = [0; 2];
            let units: Vec<Value> = c.encode_utf16(&mut units).iter().map(|&unit| Value::Char(unit)).collect();
            machine.state.heap.list_of(ListKind::Array(Element::Char), units)?
        }
        _ => return Ok(None),
    }))
}

fn of_texts(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("valueOf" | "copyValueOf", [value]) => {
            let units = machine.state.heap.as_list(*value).filter(|list| list.kind == ListKind::Array(Element::Char));
            if let Some(list) = units {
                let units: Vec<u16> =
                    list.items.iter().filter_map(|unit| number::to_int(*unit)).map(|unit| unit as u16).collect();
                return machine.new_text(String::from_utf16_lossy(&units));
            }
            let text = machine.text_of(*value)?;
            machine.new_text(text)
        }
        ("join", [separator, parts]) if machine.state.heap.as_text(*parts).is_none() => {
            let (separator, parts) = (machine.chars_of(*separator)?, machine.items_of(*parts)?);
            super::methods::collection::join(machine, &parts, &separator).map(Some)
        }
        ("join", [separator, parts @ ..]) => {
            let separator = machine.chars_of(*separator)?;
            super::methods::collection::join(machine, parts, &separator).map(Some)
        }
        ("format", [first, rest @ ..]) => super::format::format(machine, *first, rest).map(Some),
        _ => Ok(None),
    }
}

fn of_objects(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    Ok(match (name, arguments) {
        ("equals" | "deepEquals", [left, right]) => Some(Value::Bool(machine.equals(*left, *right)?)),
        ("isNull", [value]) => Some(Value::Bool(matches!(value, Value::Null))),
        ("nonNull", [value]) => Some(Value::Bool(!matches!(value, Value::Null))),
        ("requireNonNull", [Value::Null, message]) => {
            let message = machine.text_of(*message)?;
            return Err(Fault::new(Exception::NullPointer, &*message));
        }
        ("requireNonNull", [Value::Null]) => return Err(Fault::without_message(Exception::NullPointer)),
        ("requireNonNull", [value, ..]) => Some(*value),
        ("requireNonNullElse", [Value::Null, other]) => Some(*other),
        ("requireNonNullElse", [value, _]) => Some(*value),
        ("toString", [Value::Null, other]) => Some(*other),
        ("toString", [value] | [value, _]) => {
            let text = machine.text_of(*value)?;
            return machine.new_text(text);
        }
        ("hashCode", [value]) => Some(Value::Int(hash_code(machine, *value)?)),
        ("hash", values) => {
            let mut hash = 1i32;
            for &value in values {
                hash = hash.wrapping_mul(31).wrapping_add(hash_code(machine, value)?);
            }
            Some(Value::Int(hash))
        }
        ("compare", [left, right, by]) => Some(machine.apply(*by, &[*left, *right])?),
        _ => None,
    })
}

/// A comparator by a function whose results are ordered by another comparator.
pub fn ordered_by(machine: &mut Machine<'_>, by: Value, order: Value) -> Res<Value> {
    // Only the two natural orders are told apart.
    let reversed = matches!(order, Value::Ref(place) if matches!(
        machine.state.heap.get(place),
        Object::Function(Function::Compare { by: None, reversed: true, .. })
    ));
    comparator::new(machine, Some(by), None, reversed)
}

fn of_comparators(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("comparing" | "comparingInt" | "comparingLong" | "comparingDouble", [by]) => {
            comparator::new(machine, Some(*by), None, false).map(Some)
        }
        ("comparing", [by, order]) => ordered_by(machine, *by, *order).map(Some),
        ("naturalOrder", []) => comparator::new(machine, None, None, false).map(Some),
        ("reverseOrder", []) => comparator::new(machine, None, None, true).map(Some),
        ("comparingByKey" | "comparingByValue", rest) => {
            let method = if name == "comparingByKey" { "getKey" } else { "getValue" };
            let class = ClassName::find("Map.Entry").ok_or_else(|| Fault::illegal("no such class"))?;
            let by = machine.state.heap.alloc(Object::Function(Function::OfClass { class, method: method.into() }))?;
            match rest {
                [] => comparator::new(machine, Some(by), None, false).map(Some),
                [order, ..] => ordered_by(machine, by, *order).map(Some),
            }
        }
        _ => Ok(None),
    }
}

fn of_optionals(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let held = match (name, arguments) {
        ("empty", []) | ("ofNullable", [Value::Null]) => None,
        ("of", [Value::Null]) => return Err(Fault::without_message(Exception::NullPointer)),
        ("of" | "ofNullable", [value]) => Some(*value),
        _ => return Ok(None),
    };
    machine.state.heap.alloc(Object::Optional(held)).map(Some)
}

fn identity(machine: &mut Machine<'_>, name: &str) -> Res<Option<Value>> {
    if name != "identity" {
        return Ok(None);
    }
    let class = ClassName::find("Objects").ok_or_else(|| Fault::illegal("no such class"))?;
    let identity = Function::OfClass { class, method: "requireNonNull".into() };
    machine.state.heap.alloc(Object::Function(identity)).map(Some)
}

fn of_patterns(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("compile", [text] | [text, _]) => {
            let text = machine.chars_of(*text)?;
            let pattern = super::methods::pattern::dynamic(machine, &text)?;
            machine.state.heap.alloc(Object::Pattern(pattern)).map(Some)
        }
        ("matches", [pattern, text]) => {
            super::methods::pattern::is_match(machine, *pattern, *text, true).map(|found| Some(Value::Bool(found)))
        }
        ("quote", [text]) => {
            let text = machine.chars_of(*text)?;
            machine.new_text(regex::escape(&text))
        }
        _ => Ok(None),
    }
}
