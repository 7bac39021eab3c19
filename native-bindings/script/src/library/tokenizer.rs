//! `StringTokenizer`.

use super::Library;
use crate::fault::Res;
use crate::heap::{Ref, Value};
use crate::methods::collection::no_element;
use crate::object::Object;
use crate::run::Machine;
use std::sync::Arc;

const BLANKS: &str = " \t\n\r\u{c}";

#[derive(Debug)]
pub struct Tokenizer {
    text: Arc<str>,
    delimiters: Arc<str>,
    /// Each delimiter is a token as well.
    tells_delimiters: bool,
    /// Byte where the next token is looked for.
    next: usize,
}

impl Tokenizer {
    pub fn new(machine: &mut Machine<'_>, arguments: &[Value]) -> Res<Tokenizer> {
        let text = arguments.first().copied().unwrap_or(Value::Null);
        let delimiters = match arguments.get(1) {
            Some(delimiters) => machine.chars_of(*delimiters)?,
            None => BLANKS.into(),
        };
        let tells_delimiters = matches!(arguments.get(2), Some(Value::Bool(true)));
        Ok(Tokenizer { text: machine.chars_of(text)?, delimiters, tells_delimiters, next: 0 })
    }

    pub fn bytes(&self) -> usize {
        self.delimiters.len()
    }

    /// Where the next token begins and ends.
    fn token(&self, from: usize) -> Option<(usize, usize)> {
        let rest = &self.text[from..];
        let is_delimiter = |letter: char| self.delimiters.contains(letter);
        let start = if self.tells_delimiters { from } else { from + rest.find(|letter| !is_delimiter(letter))? };
        let rest = &self.text[start..];
        let first = rest.chars().next()?;
        let length = if is_delimiter(first) { first.len_utf8() } else { rest.find(is_delimiter).unwrap_or(rest.len()) };
        Some((start, start + length))
    }

    fn count(&self) -> usize {
        let mut from = self.next;
        std::iter::from_fn(|| {
            let (_, end) = self.token(from)?;
            from = end;
            Some(())
        })
        .count()
    }
}

pub fn call(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let delimiters = match (name, arguments) {
        ("nextToken", [delimiters]) => Some(machine.chars_of(*delimiters)?),
        _ => None,
    };
    let Object::Library(library) = machine.state.heap.get_mut(place) else { return Ok(None) };
    let Library::Tokenizer(own) = &mut **library else { return Ok(None) };
    match (name, arguments) {
        ("hasMoreTokens", []) => Machine::bool(own.token(own.next).is_some()),
        ("countTokens", []) => {
            let (count, length) = (own.count(), own.text.len() - own.next);
            machine.work(length / 16)?;
            Machine::int(count)
        }
        ("nextToken", [] | [_]) => {
            if let Some(delimiters) = delimiters {
                own.delimiters = delimiters;
            }
            let (start, end) = own.token(own.next).ok_or_else(no_element)?;
            own.next = end;
            let token: Arc<str> = own.text[start..end].into();
            machine.new_text(token)
        }
        _ => Ok(None),
    }
}
