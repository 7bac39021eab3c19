//! Regular expressions matched by derivatives (Brzozowski 1964): what is left of an expression after a character is again
//! an expression. Equal ones are one state, and states are remembered, so that this is an automaton made as it is walked.

use quarry_base::lucene_regexp::{Syntax, joined};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Expression {
    Nothing,
    Empty,
    Class(Vec<(char, char)>),
    Sequence(Arc<Expression>, Arc<Expression>),
    Any(BTreeSet<Arc<Expression>>),
    All(BTreeSet<Arc<Expression>>),
    Not(Arc<Expression>),
    Repeat {
        inner: Arc<Expression>,
        least: u32,
        most: Option<u32>,
    },
    /// `value` and `count` are of the digits so far.
    Numbers {
        low: u64,
        high: u64,
        digits: Option<u32>,
        value: u64,
        count: u32,
    },
}

type Shared = Arc<Expression>;

/// Parts of one expression: more would take too long for each character.
const PARTS_MAX: usize = 10_000;

#[derive(Debug, Clone)]
pub struct Derivatives {
    states: Vec<Shared>,
    known: HashMap<Shared, u32>,
    steps: HashMap<(u32, char), u32>,
    states_max: u32,
}

impl Derivatives {
    pub fn new(syntax: &Syntax, fold: bool, states_max: u32) -> Self {
        let start = build(syntax, fold);
        let known = HashMap::from([(Arc::clone(&start), 0)]);
        Derivatives { states: vec![start], known, steps: HashMap::new(), states_max }
    }

    pub fn states_max(&self) -> u32 {
        self.states_max
    }

    /// `None` when that takes more states than allowed.
    pub fn matches(&mut self, text: &str) -> Option<bool> {
        let mut state = 0;
        for character in text.chars() {
            state = match self.steps.get(&(state, character)) {
                Some(&next) => next,
                None => self.step(state, character)?,
            };
        }
        Some(is_nullable(&self.states[state as usize]))
    }

    /// Bytes of the shortest beginning of the text that matches; `None` when that takes more states than allowed.
    pub fn shortest(&mut self, text: &str) -> Option<Option<usize>> {
        let mut state = 0;
        for (place, character) in text.char_indices() {
            if is_nullable(&self.states[state as usize]) {
                return Some(Some(place));
            }
            state = match self.steps.get(&(state, character)) {
                Some(&next) => next,
                None => self.step(state, character)?,
            };
        }
        Some(is_nullable(&self.states[state as usize]).then_some(text.len()))
    }

    fn step(&mut self, state: u32, character: char) -> Option<u32> {
        let next = derive(&self.states[state as usize], character);
        if size(&next) > PARTS_MAX {
            return None;
        }
        let number = match self.known.get(&next) {
            Some(&number) => number,
            None => {
                let number = self.states.len() as u32;
                if number >= self.states_max {
                    return None;
                }
                self.states.push(Arc::clone(&next));
                self.known.insert(next, number);
                number
            }
        };
        self.steps.insert((state, character), number);
        Some(number)
    }
}

fn build(syntax: &Syntax, fold: bool) -> Shared {
    match syntax {
        Syntax::Nothing => Arc::new(Expression::Nothing),
        Syntax::Class(ranges) => Arc::new(Expression::Class(if fold { folded(ranges) } else { ranges.clone() })),
        Syntax::Sequence(parts) => {
            let parts = parts.iter().map(|part| build(part, fold));
            parts.rev().fold(Arc::new(Expression::Empty), |rest, part| sequence(part, rest))
        }
        Syntax::Any(parts) => any(parts.iter().map(|part| build(part, fold))),
        Syntax::All(parts) => all(parts.iter().map(|part| build(part, fold))),
        Syntax::Not(inner) => not(build(inner, fold)),
        Syntax::Repeat { inner, least, most } => repeat(build(inner, fold), *least, *most),
        Syntax::Numbers { low, high, digits } => {
            Arc::new(Expression::Numbers { low: *low, high: *high, digits: *digits, value: 0, count: 0 })
        }
    }
}

/// ASCII letters in both cases.
fn folded(ranges: &[(char, char)]) -> Vec<(char, char)> {
    let mut both = ranges.to_vec();
    for (low, high) in ranges {
        for letter in ('a'..='z').filter(|letter| (low..=high).contains(&letter)) {
            both.push((letter.to_ascii_uppercase(), letter.to_ascii_uppercase()));
        }
        for letter in ('A'..='Z').filter(|letter| (low..=high).contains(&letter)) {
            both.push((letter.to_ascii_lowercase(), letter.to_ascii_lowercase()));
        }
    }
    joined(both)
}

fn sequence(first: Shared, rest: Shared) -> Shared {
    match (&*first, &*rest) {
        (Expression::Nothing, _) | (_, Expression::Nothing) => Arc::new(Expression::Nothing),
        (Expression::Empty, _) => rest,
        (_, Expression::Empty) => first,
        (Expression::Sequence(head, tail), _) => sequence(Arc::clone(head), sequence(Arc::clone(tail), rest)),
        _ => Arc::new(Expression::Sequence(first, rest)),
    }
}

fn any(parts: impl Iterator<Item = Shared>) -> Shared {
    let mut all_parts = BTreeSet::new();
    for part in parts {
        match &*part {
            Expression::Nothing => {}
            Expression::Any(inner) => all_parts.extend(inner.iter().cloned()),
            _ => {
                all_parts.insert(part);
            }
        }
    }
    match all_parts.len() {
        0 => Arc::new(Expression::Nothing),
        1 => all_parts.pop_first().unwrap_or_else(|| Arc::new(Expression::Nothing)),
        _ => Arc::new(Expression::Any(all_parts)),
    }
}

fn all(parts: impl Iterator<Item = Shared>) -> Shared {
    let mut all_parts = BTreeSet::new();
    for part in parts {
        match &*part {
            Expression::Nothing => return part,
            Expression::All(inner) => all_parts.extend(inner.iter().cloned()),
            _ => {
                all_parts.insert(part);
            }
        }
    }
    match all_parts.len() {
        1 => all_parts.pop_first().unwrap_or_else(|| Arc::new(Expression::Nothing)),
        _ => Arc::new(Expression::All(all_parts)),
    }
}

fn not(inner: Shared) -> Shared {
    match &*inner {
        Expression::Not(twice) => Arc::clone(twice),
        _ => Arc::new(Expression::Not(inner)),
    }
}

fn repeat(inner: Shared, least: u32, most: Option<u32>) -> Shared {
    match (&*inner, most) {
        (_, Some(0)) | (Expression::Empty, _) => Arc::new(Expression::Empty),
        (Expression::Nothing, _) if least == 0 => Arc::new(Expression::Empty),
        (Expression::Nothing, _) => inner,
        (_, Some(1)) if least == 1 => inner,
        _ => Arc::new(Expression::Repeat { inner, least, most }),
    }
}

fn is_nullable(expression: &Expression) -> bool {
    match expression {
        Expression::Nothing | Expression::Class(_) => false,
        Expression::Empty => true,
        Expression::Sequence(first, rest) => is_nullable(first) && is_nullable(rest),
        Expression::Any(parts) => parts.iter().any(|part| is_nullable(part)),
        Expression::All(parts) => parts.iter().all(|part| is_nullable(part)),
        Expression::Not(inner) => !is_nullable(inner),
        Expression::Repeat { inner, least, .. } => *least == 0 || is_nullable(inner),
        Expression::Numbers { low, high, digits, value, count } => {
            *count > 0 && (low..=high).contains(&value) && digits.is_none_or(|digits| digits == *count)
        }
    }
}

fn derive(expression: &Shared, character: char) -> Shared {
    match &**expression {
        Expression::Nothing | Expression::Empty => Arc::new(Expression::Nothing),
        Expression::Class(ranges) => {
            let holds = ranges.iter().any(|(low, high)| (low..=high).contains(&&character));
            Arc::new(if holds { Expression::Empty } else { Expression::Nothing })
        }
        Expression::Sequence(first, rest) => {
            let derived = sequence(derive(first, character), Arc::clone(rest));
            if is_nullable(first) { any([derived, derive(rest, character)].into_iter()) } else { derived }
        }
        Expression::Any(parts) => any(parts.iter().map(|part| derive(part, character))),
        Expression::All(parts) => all(parts.iter().map(|part| derive(part, character))),
        Expression::Not(inner) => not(derive(inner, character)),
        Expression::Repeat { inner, least, most } => {
            let rest = repeat(Arc::clone(inner), least.saturating_sub(1), most.map(|most| most - 1));
            sequence(derive(inner, character), rest)
        }
        Expression::Numbers { low, high, digits, value, count } => {
            let next = character.to_digit(10).and_then(|digit| value.checked_mul(10)?.checked_add(digit.into()));
            let count = count + 1;
            Arc::new(match next {
                Some(value) if value <= *high && digits.is_none_or(|digits| count <= digits) => {
                    // Zeros in front only count where the number of digits does.
                    let count = if digits.is_none() { 1 } else { count };
                    Expression::Numbers { low: *low, high: *high, digits: *digits, value, count }
                }
                _ => Expression::Nothing,
            })
        }
    }
}

fn size(expression: &Expression) -> usize {
    match expression {
        Expression::Sequence(first, rest) => size(first) + size(rest),
        Expression::Any(parts) | Expression::All(parts) => parts.iter().map(|part| size(part)).sum::<usize>() + 1,
        Expression::Not(inner) | Expression::Repeat { inner, .. } => size(inner) + 1,
        _ => 1,
    }
}
