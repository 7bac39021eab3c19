//! `StringTokenizer`.

use super::Library;
use crate::fault::{Fault, Res};
use crate::heap::object::Object;
use crate::heap::{Ref, Value};
use crate::library::methods::collection::no_element;
use crate::run::Machine;
use std::sync::Arc;

const BLANKS: &str = " \t\n\r\u{c}";
/// Different delimiters of one tokenizer.
const DELIMITERS_MAX: usize = 1 << 10;
/// Bytes that are looked at for one operation.
const BYTES_PER_OPERATION: usize = 16;

/// Copies share the text.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    text: Arc<str>,
    delimiters: Delimiters,
    /// Each delimiter is a token as well.
    tells_delimiters: bool,
    /// Byte where the next token is looked for.
    next: usize,
}

/// Characters in ascending order, each once.
#[derive(Debug, Clone)]
struct Delimiters(Arc<[char]>);

impl Delimiters {
    /// Errors: there are more than [`DELIMITERS_MAX`].
    fn of(machine: &mut Machine<'_>, text: &str) -> Res<Delimiters> {
        machine.work(text.len() / BYTES_PER_OPERATION)?;
        let mut known = Vec::new();
        for letter in text.chars() {
            if let Err(place) = known.binary_search(&letter) {
                if known.len() == DELIMITERS_MAX {
                    let reason = format!("a StringTokenizer takes at most [{DELIMITERS_MAX}] different delimiters");
                    return Err(Fault::illegal(reason));
                }
                known.insert(place, letter);
            }
        }
        Ok(Delimiters(known.into()))
    }

    fn has(&self, letter: char) -> bool {
        self.0.binary_search(&letter).is_ok()
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

impl Tokenizer {
    pub fn new(machine: &mut Machine<'_>, arguments: &[Value]) -> Res<Tokenizer> {
        let text = arguments.first().copied().unwrap_or(Value::Null);
        let delimiters = match arguments.get(1) {
            Some(delimiters) => machine.chars_of(*delimiters)?,
            None => BLANKS.into(),
        };
        let delimiters = Delimiters::of(machine, &delimiters)?;
        let tells_delimiters = matches!(arguments.get(2), Some(Value::Bool(true)));
        Ok(Tokenizer { text: machine.chars_of(text)?, delimiters, tells_delimiters, next: 0 })
    }

    /// With the text, which may have no other holder any more.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.delimiters.bytes()
    }

    /// The next byte from a place on where a delimiter begins, or a character that is none. Each piece of the text is paid for
    /// before it is looked at.
    fn find(&self, machine: &mut Machine<'_>, from: usize, delimiter: bool) -> Res<Option<usize>> {
        let mut paid = 0;
        for (place, letter) in self.text[from..].char_indices() {
            if place >= paid {
                machine.work(1)?;
                paid = place + BYTES_PER_OPERATION;
            }
            if self.delimiters.has(letter) == delimiter {
                return Ok(Some(from + place));
            }
        }
        Ok(None)
    }

    /// Where the next token begins and ends.
    fn token(&self, machine: &mut Machine<'_>, from: usize) -> Res<Option<(usize, usize)>> {
        let start = if self.tells_delimiters { Some(from) } else { self.find(machine, from, false)? };
        let Some(start) = start else { return Ok(None) };
        let Some(first) = self.text[start..].chars().next() else { return Ok(None) };
        let end = if self.delimiters.has(first) {
            start + first.len_utf8()
        } else {
            self.find(machine, start, true)?.unwrap_or(self.text.len())
        };
        Ok(Some((start, end)))
    }

    fn count(&self, machine: &mut Machine<'_>) -> Res<usize> {
        let (mut from, mut count) = (self.next, 0);
        while let Some((_, end)) = self.token(machine, from)? {
            machine.work(1)?;
            (from, count) = (end, count + 1);
        }
        Ok(count)
    }
}

/// A copy of the tokenizer at a place, to look through while the machine counts.
fn at(machine: &Machine<'_>, place: Ref) -> Option<Tokenizer> {
    match machine.state.heap.get(place) {
        Object::Library(library) => match &**library {
            Library::Tokenizer(own) => Some(own.clone()),
            _ => None,
        },
        _ => None,
    }
}

pub fn call(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let Some(mut own) = at(machine, place) else { return Ok(None) };
    match (name, arguments) {
        ("hasMoreTokens", []) => {
            let next = own.token(machine, own.next)?;
            Machine::bool(next.is_some())
        }
        ("countTokens", []) => {
            let count = own.count(machine)?;
            Machine::int(count)
        }
        ("nextToken", [] | [_]) => {
            if let [delimiters] = arguments {
                let delimiters = machine.chars_of(*delimiters)?;
                own.delimiters = Delimiters::of(machine, &delimiters)?;
                machine.state.heap.charge(own.delimiters.bytes())?;
            }
            let token = own.token(machine, own.next)?;
            own.next = token.map_or(own.next, |(_, end)| end);
            let text = Arc::clone(&own.text);
            if let Object::Library(library) = machine.state.heap.get_mut(place) {
                **library = Library::Tokenizer(own);
            }
            let (start, end) = token.ok_or_else(no_element)?;
            machine.new_text(&text[start..end])
        }
        _ => Ok(None),
    }
}
