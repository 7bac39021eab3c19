//! Methods of texts. Places are counted in UTF-16 units, as Java counts them.

use super::pattern;
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::heap::object::{Element, ListKind};
use crate::library::base64::{self, Alphabet};
use crate::run::Machine;
use std::borrow::Cow;
use std::cmp::Ordering;

/// UTF-16 units of a text.
pub fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// The byte at which a UTF-16 unit begins; a place within a pair is that of the pair.
pub fn byte_of(text: &str, unit: usize) -> Option<usize> {
    if text.is_ascii() {
        return (unit <= text.len()).then_some(unit);
    }
    let mut units = 0;
    for (byte, c) in text.char_indices() {
        if units >= unit {
            return Some(byte);
        }
        units += c.len_utf16();
    }
    (units >= unit).then_some(text.len())
}

/// The UTF-16 unit at which a byte stands.
pub fn unit_of(text: &str, byte: usize) -> usize {
    length(&text[..byte])
}

pub fn out_of_range(begin: i32, end: i32, length: usize) -> Box<Fault> {
    Fault::new(Exception::StringIndex, format!("begin {begin}, end {end}, length {length}"))
}

/// A part of a text by UTF-16 units.
pub fn part(text: &str, begin: i32, end: i32) -> Res<&str> {
    let found = usize::try_from(begin).ok().zip(usize::try_from(end).ok()).filter(|(begin, end)| begin <= end);
    let bytes = found.and_then(|(begin, end)| byte_of(text, begin).zip(byte_of(text, end)));
    let (begin_byte, end_byte) = bytes.ok_or_else(|| out_of_range(begin, end, length(text)))?;
    Ok(&text[begin_byte..end_byte])
}

pub fn char_at(text: &str, place: i32) -> Res<u16> {
    let place_found = usize::try_from(place).ok();
    let unit = if text.is_ascii() {
        place_found.and_then(|place| text.as_bytes().get(place)).map(|&byte| u16::from(byte))
    } else {
        place_found.and_then(|place| text.encode_utf16().nth(place))
    };
    unit.ok_or_else(|| {
        let length = length(text);
        Fault::new(Exception::StringIndex, format!("Index {place} out of bounds for length {length}"))
    })
}

fn find(text: &str, wanted: &str, from: i32) -> i32 {
    let from = usize::try_from(from).unwrap_or(0).min(length(text));
    let start = byte_of(text, from).unwrap_or(text.len());
    text[start..].find(wanted).map_or(-1, |byte| unit_of(text, start + byte) as i32)
}

fn find_last(text: &str, wanted: &str, from: i32) -> i32 {
    let Ok(from) = usize::try_from(from) else { return -1 };
    let last = byte_of(text, from.min(length(text))).unwrap_or(text.len());
    let end = (last + wanted.len()).min(text.len());
    let mut end = end;
    while !text.is_char_boundary(end) {
        end += 1;
    }
    text[..end].rfind(wanted).filter(|&byte| byte <= last).map_or(-1, |byte| unit_of(text, byte) as i32)
}

/// Java's order of texts: by UTF-16 units, the difference of the first two that differ.
pub fn compare(left: &str, right: &str) -> i32 {
    let (mut left_units, mut right_units) = (left.encode_utf16(), right.encode_utf16());
    loop {
        match (left_units.next(), right_units.next()) {
            (Some(left), Some(right)) if left != right => return i32::from(left) - i32::from(right),
            (Some(_), Some(_)) => {}
            (None, None) => return 0,
            (None, Some(_)) => return -(1 + right_units.count() as i32),
            (Some(_), None) => return 1 + left_units.count() as i32,
        }
    }
}

/// A character or a code as a text, or a text.
fn searched(machine: &mut Machine<'_>, value: Value) -> Res<std::sync::Arc<str>> {
    match value {
        Value::Int(code) => {
            let c = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            Ok(c.to_string().into())
        }
        other => machine.chars_of(other),
    }
}

pub fn call(machine: &mut Machine<'_>, text: &str, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    machine.work(1 + text.len() / 256)?;
    if let Some(found) = questions(machine, text, name, arguments)? {
        return Ok(Some(found));
    }
    if let Some(found) = changes(machine, text, name, arguments)? {
        return Ok(Some(found));
    }
    parts(machine, text, name, arguments)
}

fn questions(machine: &mut Machine<'_>, text: &str, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("length" | "getLength", []) => Machine::int(length(text)),
        ("isEmpty", []) => Machine::bool(text.is_empty()),
        ("isBlank", []) => Machine::bool(text.chars().all(char::is_whitespace)),
        ("charAt", [place]) => char_at(text, machine.int_of(*place)?).map(|unit| Some(Value::Char(unit))),
        ("codePointAt", [place]) => {
            let place = machine.int_of(*place)?;
            char_at(text, place)?;
            let start = byte_of(text, place.max(0) as usize).unwrap_or(0);
            Ok(text[start..].chars().next().map(|c| Value::Int(c as i32)))
        }
        ("contains", [wanted]) => {
            let wanted = machine.chars_of(*wanted)?;
            Machine::bool(text.contains(&*wanted))
        }
        ("startsWith", [wanted]) => {
            let wanted = machine.chars_of(*wanted)?;
            Machine::bool(text.starts_with(&*wanted))
        }
        ("startsWith", [wanted, from]) => {
            let (wanted, from) = (machine.chars_of(*wanted)?, machine.int_of(*from)?);
            let start = usize::try_from(from).ok().and_then(|from| byte_of(text, from));
            Machine::bool(start.is_some_and(|start| text[start..].starts_with(&*wanted)))
        }
        ("endsWith", [wanted]) => {
            let wanted = machine.chars_of(*wanted)?;
            Machine::bool(text.ends_with(&*wanted))
        }
        ("indexOf", [wanted]) => {
            let wanted = searched(machine, *wanted)?;
            Ok(Some(Value::Int(find(text, &wanted, 0))))
        }
        ("indexOf", [wanted, from]) => {
            let (wanted, from) = (searched(machine, *wanted)?, machine.int_of(*from)?);
            Ok(Some(Value::Int(find(text, &wanted, from))))
        }
        ("lastIndexOf", [wanted]) => {
            let wanted = searched(machine, *wanted)?;
            Ok(Some(Value::Int(find_last(text, &wanted, i32::MAX))))
        }
        ("lastIndexOf", [wanted, from]) => {
            let (wanted, from) = (searched(machine, *wanted)?, machine.int_of(*from)?);
            Ok(Some(Value::Int(find_last(text, &wanted, from))))
        }
        ("compareTo", [other]) => {
            let other = machine.chars_of(*other)?;
            Ok(Some(Value::Int(compare(text, &other))))
        }
        ("compareToIgnoreCase", [other]) => {
            let other = machine.chars_of(*other)?;
            Ok(Some(Value::Int(compare(&text.to_lowercase(), &other.to_lowercase()))))
        }
        ("equalsIgnoreCase", [Value::Null]) => Machine::bool(false),
        ("equalsIgnoreCase", [other]) => {
            let other = machine.chars_of(*other)?;
            Machine::bool(text.to_lowercase() == other.to_lowercase())
        }
        ("contentEquals", [other]) => {
            let other = machine.chars_of(*other)?;
            Machine::bool(*text == *other)
        }
        _ => Ok(None),
    }
}

fn changes(machine: &mut Machine<'_>, text: &str, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let changed: Cow<'_, str> = match (name, arguments) {
        ("substring" | "subSequence", [begin]) => {
            let begin = machine.int_of(*begin)?;
            Cow::Borrowed(part(text, begin, length(text) as i32)?)
        }
        ("substring" | "subSequence", [begin, end]) => {
            let (begin, end) = (machine.int_of(*begin)?, machine.int_of(*end)?);
            Cow::Borrowed(part(text, begin, end)?)
        }
        ("toLowerCase", [] | [_]) => Cow::Owned(text.to_lowercase()),
        ("toUpperCase", [] | [_]) => Cow::Owned(text.to_uppercase()),
        ("trim", []) => Cow::Borrowed(text.trim_matches(|c| c <= ' ')),
        ("strip", []) => Cow::Borrowed(text.trim()),
        ("stripLeading", []) => Cow::Borrowed(text.trim_start()),
        ("stripTrailing", []) => Cow::Borrowed(text.trim_end()),
        ("toString" | "intern", []) => Cow::Borrowed(text),
        ("concat", [other]) => Cow::Owned(format!("{text}{}", machine.chars_of(*other)?)),
        ("repeat", [times]) => {
            let times = machine.int_of(*times)?;
            let times = usize::try_from(times).map_err(|_| Fault::illegal(format!("count is negative: {times}")))?;
            machine.state.heap.charge(text.len().saturating_mul(times))?;
            Cow::Owned(text.repeat(times))
        }
        ("replace", [from, to]) => {
            let (from, to) = (machine.chars_of(*from)?, machine.chars_of(*to)?);
            machine.state.heap.charge(text.len().saturating_mul(1 + to.len() / from.len().max(1)))?;
            Cow::Owned(text.replace(&*from, &to))
        }
        ("encodeBase64", []) => Cow::Owned(base64::encode(text.as_bytes(), Alphabet::Basic)),
        ("decodeBase64", []) => {
            let bytes = base64::decode(text, Alphabet::Basic);
            let bytes = bytes.ok_or_else(|| Fault::illegal("Illegal base64 text"))?;
            Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
        }
        ("replaceAll" | "replaceFirst", [found, to]) => {
            return pattern::replace(machine, text, *found, *to, name == "replaceAll").map(Some);
        }
        ("formatted", _) => return Ok(None),
        _ => return Ok(None),
    };
    let changed = changed.into_owned();
    machine.new_text(changed)
}

fn parts(machine: &mut Machine<'_>, text: &str, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("toCharArray", []) => {
            let units: Vec<Value> = text.encode_utf16().map(Value::Char).collect();
            machine.state.heap.list_of(ListKind::Array(Element::Char), units).map(Some)
        }
        ("getBytes", _) => {
            let bytes: Vec<Value> = text.bytes().map(|byte| Value::Byte(byte as i8)).collect();
            machine.state.heap.list_of(ListKind::Array(Element::Byte), bytes).map(Some)
        }
        ("chars", []) => {
            let units: Vec<Value> = text.encode_utf16().map(|unit| Value::Int(unit.into())).collect();
            machine.state.heap.list_of(ListKind::Stream(Element::Int), units).map(Some)
        }
        ("splitOnToken", [token]) => split_on(machine, text, *token, 0).map(Some),
        ("splitOnToken", [token, limit]) => {
            let limit = machine.int_of(*limit)?;
            split_on(machine, text, *token, limit).map(Some)
        }
        ("split", [token]) => pattern::split_text(machine, text, *token, 0).map(Some),
        ("split", [token, limit]) => {
            let limit = machine.int_of(*limit)?;
            pattern::split_text(machine, text, *token, limit).map(Some)
        }
        ("matches", [expression]) => {
            let expression = machine.chars_of(*expression)?;
            let found = pattern::dynamic(machine, &expression)?;
            pattern::is_match_of(machine, &found, text, true).map(|found| Some(Value::Bool(found)))
        }
        ("lines", []) => {
            let lines: Vec<&str> = text.lines().collect();
            let lines = lines.into_iter().map(|line| machine.state.heap.text(line)).collect::<Res<Vec<_>>>()?;
            machine.state.heap.list_of(ListKind::Stream(Element::Any), lines).map(Some)
        }
        ("compare", [left, right]) => {
            let (left, right) = (machine.chars_of(*left)?, machine.chars_of(*right)?);
            Ok(Some(Value::Int(match left.cmp(&right) {
                Ordering::Less => -1,
                Ordering::Equal => 0,
                Ordering::Greater => 1,
            })))
        }
        _ => Ok(None),
    }
}

/// Parts between a token that is no expression.
fn split_on(machine: &mut Machine<'_>, text: &str, token: Value, limit: i32) -> Res<Value> {
    let token = machine.chars_of(token)?;
    let parts: Vec<&str> = match usize::try_from(limit) {
        _ if token.is_empty() => vec![text],
        Ok(limit) if limit > 0 => text.splitn(limit, &*token).collect(),
        _ => text.split(&*token).collect(),
    };
    machine.work(parts.len() / 4)?;
    let parts = parts.into_iter().map(|part| machine.state.heap.text(part)).collect::<Res<Vec<_>>>()?;
    machine.state.heap.list_of(ListKind::Array(Element::Text), parts)
}
