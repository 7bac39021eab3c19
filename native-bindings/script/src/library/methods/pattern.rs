//! Regular expressions: linear in the text, and within `script.painless.regex.limit-factor`.

use crate::fault::{Exception, Fault, Res};
use crate::heap::object::{Element, ListKind, MatcherObject, Object};
use crate::heap::regexes::CompiledPattern;
use crate::heap::{Ref, Value};
use crate::library::methods::text;
use crate::run::Machine;
use crate::statistics;
use quarry_base::error::{Error, ErrorCode};
use quarry_base::java_regex;
use std::sync::Arc;

/// Patterns that a run compiles from texts.
const DYNAMIC_OPERATIONS: usize = 1_000;

impl Machine<'_> {
    /// Counts the characters that expressions look at.
    pub fn match_budget(&mut self, text: &str) -> Res<()> {
        self.work(1 + text.len() / 64)?;
        self.state.matched += text.len() as u64;
        let Some(factor) = self.program.regex_limit_factor else { return Ok(()) };
        // A matcher may look at each character so many times; ours looks once, so a loop of matches is counted instead.
        let limit = u64::from(factor).saturating_mul(u64::from(self.state.limits.operations));
        if self.state.matched <= limit {
            return Ok(());
        }
        statistics::count_regex_limit();
        let reason = format!(
            "[scripting] Regular expressions of the script have considered more than [{limit}] characters, this limit can be changed by changed by the [script.painless.regex.limit-factor] setting"
        );
        Err(Fault::stopped(Error::new(ErrorCode::CircuitBreaking, reason)))
    }
}

/// A pattern that is a text.
pub fn dynamic(machine: &mut Machine<'_>, pattern: &str) -> Res<Arc<CompiledPattern>> {
    machine.work(DYNAMIC_OPERATIONS)?;
    let compiled = java_regex::compile(pattern, None);
    compiled.map(CompiledPattern::new).map_err(|error| Fault::new(Exception::PatternSyntax, error.reason))
}

/// The pattern of an object; texts are compiled.
fn of_value(machine: &mut Machine<'_>, value: Value) -> Res<Arc<CompiledPattern>> {
    if let Value::Ref(place) = value
        && let Object::Pattern(pattern) = machine.state.heap.get(place)
    {
        return Ok(Arc::clone(pattern));
    }
    let text = machine.chars_of(value)?;
    dynamic(machine, &text)
}

pub fn is_match_of(machine: &mut Machine<'_>, pattern: &CompiledPattern, text: &str, whole: bool) -> Res<bool> {
    machine.match_budget(text)?;
    Ok(if whole { pattern.spans(text) } else { pattern.is_match(text) })
}

/// `text =~ pattern` and `text ==~ pattern`.
pub fn is_match(machine: &mut Machine<'_>, pattern: Value, text: Value, whole: bool) -> Res<bool> {
    let pattern = of_value(machine, pattern)?;
    let text = machine.chars_of(text)?;
    is_match_of(machine, &pattern, &text, whole)
}

/// `replaceAll` and `replaceFirst`: a text for each match, or a function of it.
pub fn replace(machine: &mut Machine<'_>, text: &str, found: Value, to: Value, all: bool) -> Res<Value> {
    let pattern = of_value(machine, found)?;
    machine.match_budget(text)?;
    let is_function = matches!(to, Value::Ref(place) if matches!(machine.state.heap.get(place), Object::Function(_)));
    let replacement = if is_function { None } else { Some(java_regex::replacement(&machine.chars_of(to)?)) };
    let subject: Arc<str> = Arc::from(text);
    let mut out = String::new();
    let mut last = 0;
    for captures in pattern.captures_iter(text) {
        let Some(whole) = captures.get(0) else { continue };
        out.push_str(&text[last..whole.start()]);
        match &replacement {
            Some(replacement) => captures.expand(replacement, &mut out),
            None => {
                let groups = captures.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect();
                let matcher =
                    MatcherObject { pattern: Arc::clone(&pattern), text: Arc::clone(&subject), groups, next: 0 };
                let matcher = machine.state.heap.alloc(Object::Matcher(Box::new(matcher)))?;
                let text = machine.apply(to, &[matcher])?;
                out.push_str(&machine.text_of(text)?);
            }
        }
        last = whole.end();
        machine.work(1)?;
        machine.state.heap.charge(out.len() / 16)?;
        if !all {
            break;
        }
    }
    out.push_str(&text[last..]);
    machine.state.heap.text(out)
}

/// Java's split: empty texts at the end are dropped when the limit is 0.
pub fn split_text(machine: &mut Machine<'_>, text: &str, pattern: Value, limit: i32) -> Res<Value> {
    let pattern = of_value(machine, pattern)?;
    machine.match_budget(text)?;
    let mut parts: Vec<&str> = Vec::new();
    let mut last = 0;
    for found in pattern.find_iter(text) {
        if limit > 0 && parts.len() as i32 == limit - 1 {
            break;
        }
        if found.end() == 0 || found.is_empty() && found.start() == text.len() {
            continue;
        }
        parts.push(&text[last..found.start()]);
        last = found.end();
    }
    parts.push(&text[last..]);
    if limit == 0 {
        while parts.len() > 1 && parts.last() == Some(&"") {
            parts.pop();
        }
    }
    machine.work(parts.len() / 4)?;
    let parts = parts.into_iter().map(|part| machine.state.heap.text(part)).collect::<Res<Vec<_>>>()?;
    machine.state.heap.list_of(ListKind::Array(Element::Text), parts)
}

pub fn call(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    if let Object::Pattern(pattern) = machine.state.heap.get(place) {
        let pattern = Arc::clone(pattern);
        return of_pattern(machine, place, &pattern, name, arguments);
    }
    of_matcher(machine, place, name, arguments)
}

fn of_pattern(
    machine: &mut Machine<'_>,
    place: Ref,
    pattern: &Arc<CompiledPattern>,
    name: &str,
    arguments: &[Value],
) -> Res<Option<Value>> {
    match (name, arguments) {
        ("matcher", [text]) => {
            let text = machine.chars_of(*text)?;
            let matcher = MatcherObject { pattern: Arc::clone(pattern), text, groups: Vec::new(), next: 0 };
            machine.state.heap.alloc(Object::Matcher(Box::new(matcher))).map(Some)
        }
        ("pattern" | "toString", []) => machine.new_text(pattern.as_str()),
        ("split", [text]) => {
            let text = machine.chars_of(*text)?;
            split_text(machine, &text, Value::Ref(place), 0).map(Some)
        }
        ("split", [text, limit]) => {
            let (text, limit) = (machine.chars_of(*text)?, machine.int_of(*limit)?);
            split_text(machine, &text, Value::Ref(place), limit).map(Some)
        }
        ("test", [text]) => is_match(machine, Value::Ref(place), *text, false).map(|found| Some(Value::Bool(found))),
        ("asPredicate", []) => Ok(Some(Value::Ref(place))),
        _ => Ok(None),
    }
}

fn matcher_of<'h>(machine: &'h mut Machine<'_>, place: Ref) -> Res<&'h mut MatcherObject> {
    match machine.state.heap.get_mut(place) {
        Object::Matcher(matcher) => Ok(matcher),
        _ => Err(Fault::illegal("not a matcher")),
    }
}

fn of_matcher(machine: &mut Machine<'_>, place: Ref, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let (pattern, subject) = {
        let matcher = matcher_of(machine, place)?;
        (Arc::clone(&matcher.pattern), Arc::clone(&matcher.text))
    };
    match (name, arguments) {
        ("find" | "matches" | "lookingAt", []) => {
            machine.match_budget(&subject)?;
            let matcher = matcher_of(machine, place)?;
            let start = if name == "find" { matcher.next } else { 0 };
            let found = if start > subject.len() { None } else { pattern.captures_at(&subject, start) };
            let found = match name {
                "matches" => pattern.whole().and_then(|whole| whole.captures(&subject)),
                _ => found.filter(|found| name == "find" || found.get(0).is_some_and(|whole| whole.start() == 0)),
            };
            matcher.groups.clear();
            let Some(found) = found else {
                matcher.next = subject.len() + 1;
                return Machine::bool(false);
            };
            matcher.groups.extend(found.iter().map(|group| group.map(|group| (group.start(), group.end()))));
            if let Some(whole) = found.get(0) {
                matcher.next = next_start(&subject, whole.start(), whole.end());
            }
            Machine::bool(true)
        }
        ("group" | "start" | "end", _) => {
            let (start, end) = match group(machine, place, arguments)? {
                Some(found) => found,
                None if name == "group" => return Ok(Some(Value::Null)),
                None => return Ok(Some(Value::Int(-1))),
            };
            match name {
                "group" => machine.new_text(&subject[start..end]),
                "start" => Machine::int(text::unit_of(&subject, start)),
                _ => Machine::int(text::unit_of(&subject, end)),
            }
        }
        ("groupCount", []) => Machine::int(pattern.captures_len().saturating_sub(1)),
        ("replaceAll" | "replaceFirst", [to]) => {
            let found = machine.state.heap.alloc(Object::Pattern(pattern))?;
            replace(machine, &subject, found, *to, name == "replaceAll").map(Some)
        }
        ("reset", []) => {
            let matcher = matcher_of(machine, place)?;
            matcher.next = 0;
            matcher.groups.clear();
            Ok(Some(Value::Ref(place)))
        }
        _ => Ok(None),
    }
}

/// After an empty match the search goes on one character further.
fn next_start(text: &str, start: usize, end: usize) -> usize {
    if end > start {
        return end;
    }
    end + text[end..].chars().next().map_or(1, char::len_utf8)
}

fn group(machine: &mut Machine<'_>, place: Ref, arguments: &[Value]) -> Res<Option<(usize, usize)>> {
    let number = match arguments {
        [] => 0,
        [value] if machine.is_text(*value) => {
            let name = machine.chars_of(*value)?;
            let names = matcher_of(machine, place)?.pattern.clone();
            let number = names.capture_names().position(|known| known == Some(&*name));
            number.ok_or_else(|| Fault::illegal(format!("No group with name <{name}>")))?
        }
        [value, ..] => usize::try_from(machine.int_of(*value)?).unwrap_or(usize::MAX),
    };
    let matcher = matcher_of(machine, place)?;
    if matcher.groups.is_empty() {
        return Err(Fault::new(Exception::IllegalState, "No match found"));
    }
    let found = matcher.groups.get(number).copied();
    found.ok_or_else(|| Fault::new(Exception::IndexOutOfBounds, format!("No group {number}")))
}
