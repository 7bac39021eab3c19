//! Methods of `StringBuilder`.

use super::text;
use crate::fault::{Fault, Res};
use crate::heap::object::Object;
use crate::heap::{Ref, Value};
use crate::run::Machine;

fn text_in<'h>(machine: &'h mut Machine<'_>, place: Ref) -> Res<&'h mut String> {
    match machine.state.heap.get_mut(place) {
        Object::Builder(text) => Ok(text),
        _ => Err(Fault::illegal("not a StringBuilder")),
    }
}

/// Bytes for a range of UTF-16 units; the end is cut to the length.
fn range(machine: &mut Machine<'_>, place: Ref, begin: Value, end: Value) -> Res<(usize, usize)> {
    let (begin, end) = (machine.int_of(begin)?, machine.int_of(end)?);
    let held = text_in(machine, place)?;
    let length = text::length(held);
    let end = end.min(length as i32);
    text::part(held, begin, end)?;
    let bytes = text::byte_of(held, begin as usize).zip(text::byte_of(held, end as usize));
    bytes.ok_or_else(|| text::out_of_range(begin, end, length))
}

pub fn call(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    machine.work(1)?;
    let own = Ok(Some(Value::Ref(place)));
    match (name, arguments) {
        ("append", [value]) => {
            let added = machine.text_of(*value)?;
            machine.state.heap.charge(added.len())?;
            text_in(machine, place)?.push_str(&added);
            own
        }
        ("appendCodePoint", [code]) => {
            let code = machine.int_of(*code)?;
            let c =
                u32::try_from(code).ok().and_then(char::from_u32).ok_or_else(|| Fault::illegal("Not a code point"))?;
            machine.state.heap.charge(4)?;
            text_in(machine, place)?.push(c);
            own
        }
        ("insert", [at, value]) => {
            let (begin, _) = range(machine, place, *at, *at)?;
            let added = machine.text_of(*value)?;
            machine.state.heap.charge(added.len())?;
            let held = text_in(machine, place)?;
            held.insert_str(begin, &added);
            let length = held.len();
            machine.work(length / 256)?;
            own
        }
        ("delete", [begin, end]) => {
            let (begin, end) = range(machine, place, *begin, *end)?;
            text_in(machine, place)?.replace_range(begin..end, "");
            own
        }
        ("deleteCharAt", [at]) => {
            let next = Value::Int(machine.int_of(*at)?.saturating_add(1));
            let (begin, end) = range(machine, place, *at, next)?;
            text_in(machine, place)?.replace_range(begin..end, "");
            own
        }
        ("replace", [begin, end, with]) => {
            let (begin, end) = range(machine, place, *begin, *end)?;
            let with = machine.chars_of(*with)?;
            machine.state.heap.charge(with.len())?;
            text_in(machine, place)?.replace_range(begin..end, &with);
            own
        }
        ("reverse", []) => {
            let reversed: String = text_in(machine, place)?.chars().rev().collect();
            machine.work(reversed.len() / 64)?;
            *text_in(machine, place)? = reversed;
            own
        }
        ("setLength", [length]) => {
            let length = machine.int_of(*length)?;
            let held = text_in(machine, place)?;
            match usize::try_from(length).ok().and_then(|length| text::byte_of(held, length)) {
                Some(byte) => held.truncate(byte),
                None => return Err(Fault::illegal("a StringBuilder is made longer by append")),
            }
            Ok(Some(Value::Null))
        }
        ("setCharAt", [at, c]) => {
            let next = Value::Int(machine.int_of(*at)?.saturating_add(1));
            let (begin, end) = range(machine, place, *at, next)?;
            let c = machine.text_of(*c)?;
            text_in(machine, place)?.replace_range(begin..end, &c);
            Ok(Some(Value::Null))
        }
        _ => {
            let held: std::sync::Arc<str> = text_in(machine, place)?.as_str().into();
            machine.work(held.len() / 256)?;
            text::call(machine, &held, name, arguments)
        }
    }
}
