//! The syntax of Lucene's `RegExp` as a tree.

use crate::error::{Error, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Syntax {
    /// No text at all.
    Nothing,
    /// One character of these ranges (ends included, ascending).
    Class(Vec<(char, char)>),
    Sequence(Vec<Syntax>),
    Any(Vec<Syntax>),
    All(Vec<Syntax>),
    Not(Box<Syntax>),
    Repeat {
        inner: Box<Syntax>,
        least: u32,
        most: Option<u32>,
    },
    /// Decimal numbers from one to another; with `digits` of exactly so many digits.
    Numbers {
        low: u64,
        high: u64,
        digits: Option<u32>,
    },
}

impl Syntax {
    /// The same pattern for the `regex` crates; `None` where they lack an operator.
    pub fn translated(&self) -> Option<String> {
        Some(match self {
            Syntax::Nothing => r"[^\s\S]".to_owned(),
            Syntax::Class(ranges) if ranges.is_empty() => r"[^\s\S]".to_owned(),
            Syntax::Class(ranges) => {
                let range =
                    |(low, high): &(char, char)| format!(r"\x{{{:X}}}-\x{{{:X}}}", u32::from(*low), u32::from(*high));
                format!("[{}]", ranges.iter().map(range).collect::<String>())
            }
            Syntax::Sequence(parts) => parts.iter().map(Syntax::translated).collect::<Option<Vec<_>>>()?.concat(),
            Syntax::Any(parts) => {
                let parts = parts.iter().map(Syntax::translated).collect::<Option<Vec<_>>>()?;
                format!("(?:{})", parts.join("|"))
            }
            Syntax::Repeat { inner, least, most } => {
                let inner = inner.translated()?;
                match most {
                    Some(most) => format!("(?:{inner}){{{least},{most}}}"),
                    None => format!("(?:{inner}){{{least},}}"),
                }
            }
            Syntax::All(_) | Syntax::Not(_) | Syntax::Numbers { .. } => return None,
        })
    }
}

/// Groups and complements inside each other, and repetitions of repetitions of a whole pattern: with them the tree has a
/// depth that can be walked by calls.
const DEPTH_MAX: u32 = 200;
const REPEAT_MAX: u32 = 1_000;
const LAST: char = char::MAX;

/// `flags` are the names of the optional operators that are on; empty means all.
pub fn parse(pattern: &str, flags: &[String], fold: bool) -> Result<Syntax> {
    let mut parser = Parser { pattern, flags, fold, rest: pattern.chars().collect(), at: 0, depth: 0, nested: 0 };
    if pattern.is_empty() {
        return Ok(Syntax::Sequence(Vec::new()));
    }
    let syntax = parser.union()?;
    if parser.at < parser.rest.len() {
        return Err(parser.fault("end-of-string expected"));
    }
    Ok(syntax)
}

struct Parser<'a> {
    pattern: &'a str,
    flags: &'a [String],
    /// Upper and lower case are the same.
    fold: bool,
    rest: Vec<char>,
    at: usize,
    /// Groups and complements around this place.
    depth: u32,
    /// Repetitions of repetitions so far.
    nested: u32,
}

impl Parser<'_> {
    fn has(&self, flag: &str) -> bool {
        self.flags.is_empty() || self.flags.iter().any(|on| on == flag || on == "ALL")
    }

    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += 1;
        next
    }

    fn fault(&self, why: &str) -> Error {
        Error::illegal_argument(format!("{why} at position {}: [{}]", self.at.min(self.rest.len()), self.pattern))
    }

    /// Before what is read by a call within a call.
    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(self.fault("groups are nested too deeply")) } else { Ok(()) }
    }

    fn union(&mut self) -> Result<Syntax> {
        self.enter()?;
        let mut parts = vec![self.intersection()?];
        while self.take('|') {
            parts.push(self.intersection()?);
        }
        self.depth -= 1;
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Syntax::Any(parts) })
    }

    fn intersection(&mut self) -> Result<Syntax> {
        let mut parts = vec![self.sequence()?];
        while self.has("INTERSECTION") && self.take('&') {
            parts.push(self.sequence()?);
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Syntax::All(parts) })
    }

    fn sequence(&mut self) -> Result<Syntax> {
        let mut parts = vec![self.repeated()?];
        while let Some(next) = self.peek() {
            if next == ')' || next == '|' || (next == '&' && self.has("INTERSECTION")) {
                break;
            }
            parts.push(self.repeated()?);
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Syntax::Sequence(parts) })
    }

    fn repeated(&mut self) -> Result<Syntax> {
        let mut syntax = self.complement()?;
        while let Some(next) = self.peek() {
            let (least, most) = match next {
                '?' => (0, Some(1)),
                '*' => (0, None),
                '+' => (1, None),
                '{' => {
                    self.at += 1;
                    let (least, most) = self.counts()?;
                    syntax = self.repeat(syntax, least, most)?;
                    continue;
                }
                _ => break,
            };
            self.at += 1;
            syntax = self.repeat(syntax, least, most)?;
        }
        Ok(syntax)
    }

    /// `syntax` so many times. Two of `?`, `*` and `+` become one, so that a row of them nests nothing.
    fn repeat(&mut self, mut syntax: Syntax, least: u32, most: Option<u32>) -> Result<Syntax> {
        let is_simple = |least: u32, most: Option<u32>| least <= 1 && most.is_none_or(|most| most == 1);
        if let Syntax::Repeat { least: inner_least, most: inner_most, .. } = &mut syntax {
            if is_simple(least, most) && is_simple(*inner_least, *inner_most) {
                *inner_least *= least;
                *inner_most = inner_most.and(most);
                return Ok(syntax);
            }
            self.nested += 1;
            if self.nested > DEPTH_MAX {
                return Err(self.fault("too many repetitions are repeated"));
            }
        }
        Ok(Syntax::Repeat { inner: Box::new(syntax), least, most })
    }

    /// `n}`, `n,}` or `n,m}`.
    fn counts(&mut self) -> Result<(u32, Option<u32>)> {
        let least = self.count()?;
        let most = if !self.take(',') {
            Some(least)
        } else if self.peek() == Some('}') {
            None
        } else {
            Some(self.count()?)
        };
        if !self.take('}') {
            return Err(self.fault("expected '}'"));
        }
        if most.is_some_and(|most| most < least) {
            return Err(self.fault("invalid repetition range(out of order)"));
        }
        Ok((least, most))
    }

    fn count(&mut self) -> Result<u32> {
        let digits: String = self.rest[self.at..].iter().take_while(|digit| digit.is_ascii_digit()).collect();
        self.at += digits.len();
        match digits.parse() {
            Ok(count) if count <= REPEAT_MAX => Ok(count),
            Ok(_) => Err(self.fault("repetition is too large")),
            Err(_) => Err(self.fault("integer expected")),
        }
    }

    fn complement(&mut self) -> Result<Syntax> {
        if self.has("COMPLEMENT") && self.take('~') {
            self.enter()?;
            let inner = self.complement()?;
            self.depth -= 1;
            return Ok(Syntax::Not(Box::new(inner)));
        }
        if self.take('[') {
            return self.class();
        }
        self.simple()
    }

    fn simple(&mut self) -> Result<Syntax> {
        let next = self.next().ok_or_else(|| self.fault("unexpected end-of-string"))?;
        match next {
            '.' => Ok(Syntax::Class(vec![('\0', LAST)])),
            '#' if self.has("EMPTY") => Ok(Syntax::Nothing),
            '@' if self.has("ANYSTRING") => {
                let inner = Box::new(Syntax::Class(vec![('\0', LAST)]));
                Ok(Syntax::Repeat { inner, least: 0, most: None })
            }
            '"' => self.quoted(),
            '(' if self.take(')') => Ok(Syntax::Sequence(Vec::new())),
            '(' => {
                let inner = self.union()?;
                if self.take(')') { Ok(inner) } else { Err(self.fault("expected ')'")) }
            }
            '<' if self.has("INTERVAL") => self.numbers(),
            '\\' => self.escaped(),
            character => Ok(one(character)),
        }
    }

    fn quoted(&mut self) -> Result<Syntax> {
        let mut parts = Vec::new();
        loop {
            match self.next() {
                Some('"') => return Ok(Syntax::Sequence(parts)),
                Some(character) => parts.push(one(character)),
                None => return Err(self.fault("expected '\"'")),
            }
        }
    }

    fn escaped(&mut self) -> Result<Syntax> {
        let character = self.next().ok_or_else(|| self.fault("unexpected end-of-string"))?;
        Ok(Syntax::Class(match predefined(character) {
            Some(ranges) => ranges,
            None => vec![(character, character)],
        }))
    }

    fn numbers(&mut self) -> Result<Syntax> {
        let inner: String = self.rest[self.at..].iter().take_while(|character| **character != '>').collect();
        self.at += inner.chars().count();
        if !self.take('>') {
            return Err(self.fault("expected '>'"));
        }
        let ends =
            inner.split_once('-').and_then(|(low, high)| Some((low, high, low.parse().ok()?, high.parse().ok()?)));
        let Some((low_text, high_text, low, high)) = ends else { return Err(self.fault("interval syntax error")) };
        let digits = (low_text.len() == high_text.len()).then_some(low_text.len() as u32);
        let (low, high): (u64, u64) = if low > high { (high, low) } else { (low, high) };
        Ok(Syntax::Numbers { low, high, digits })
    }

    /// Behind `[`.
    fn class(&mut self) -> Result<Syntax> {
        let is_negated = self.take('^');
        let mut ranges = Vec::new();
        loop {
            let low = self.next().ok_or_else(|| self.fault("expected ']'"))?;
            let low = match low {
                '\\' => {
                    let character = self.next().ok_or_else(|| self.fault("unexpected end-of-string"))?;
                    match predefined(character) {
                        Some(more) => {
                            ranges.extend(more);
                            if self.take(']') {
                                break;
                            }
                            continue;
                        }
                        None => character,
                    }
                }
                other => other,
            };
            let high = if self.peek() == Some('-') && self.rest.get(self.at + 1).is_some_and(|next| *next != ']') {
                self.at += 1;
                self.take('\\');
                self.next().ok_or_else(|| self.fault("expected ']'"))?
            } else {
                low
            };
            if high < low {
                return Err(self.fault("invalid range: from is after to"));
            }
            ranges.push((low, high));
            if self.take(']') {
                break;
            }
        }
        if !is_negated {
            return Ok(Syntax::Class(joined(ranges)));
        }
        if self.fold {
            add_other_case(&mut ranges);
        }
        Ok(Syntax::Class(others(&joined(ranges))))
    }
}

fn one(character: char) -> Syntax {
    Syntax::Class(vec![(character, character)])
}

/// The characters of `\d`, `\s` and `\w`, which are ASCII, and of their opposites.
fn predefined(letter: char) -> Option<Vec<(char, char)>> {
    let ranges = match letter.to_ascii_lowercase() {
        'd' => vec![('0', '9')],
        's' => vec![('\t', '\n'), ('\r', '\r'), (' ', ' ')],
        'w' => vec![('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        _ => return None,
    };
    Some(if letter.is_ascii_uppercase() { others(&ranges) } else { ranges })
}

/// Adds what ASCII letters are in the other case.
fn add_other_case(ranges: &mut Vec<(char, char)>) {
    for at in 0..ranges.len() {
        let (low, high) = ranges[at];
        for (first, last) in [('A', 'Z'), ('a', 'z')] {
            let (low, high) = (low.max(first), high.min(last));
            if low <= high {
                let other = |letter: char| char::from(letter as u8 ^ b' ');
                ranges.push((other(low), other(high)));
            }
        }
    }
}

/// Ascending and disjoint.
pub fn joined(mut ranges: Vec<(char, char)>) -> Vec<(char, char)> {
    ranges.sort_unstable();
    let mut joined: Vec<(char, char)> = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match joined.last_mut() {
            Some(last) if low <= last.1 => last.1 = last.1.max(high),
            _ => joined.push((low, high)),
        }
    }
    joined
}

/// Every character that no range has.
fn others(ranges: &[(char, char)]) -> Vec<(char, char)> {
    let mut found = Vec::new();
    let mut next = Some('\0');
    for (low, high) in ranges {
        if let (Some(start), Some(end)) = (next, before(*low))
            && start <= end
        {
            found.push((start, end));
        }
        next = after(*high);
    }
    found.extend(next.map(|start| (start, LAST)));
    found
}

fn before(character: char) -> Option<char> {
    ('\0'..character).next_back()
}

fn after(character: char) -> Option<char> {
    let mut from = character..=LAST;
    from.next();
    from.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(pattern: &str) -> Result<Syntax> {
        parse(pattern, &[], false)
    }

    #[test]
    fn what_nests_is_bounded() {
        let deep = |before: &str, times: usize, behind: &str| {
            parsed(&format!("{}a{}", before.repeat(times), behind.repeat(times)))
                .map(drop)
                .map_err(|error| error.reason)
        };
        for (before, behind) in [("~", ""), ("(", ")"), ("~(", ")"), ("", "{2}"), ("(", "{2}?)")] {
            assert!(deep(before, 90, behind).is_ok(), "{before}a{behind}");
            let reason = deep(before, 1_000_000, behind).unwrap_err();
            assert!(reason.contains("nested too deeply") || reason.contains("are repeated"), "{reason:.80}");
        }
        // One behind the other they do not nest.
        assert!(parsed(&"~a(b{2}){3}".repeat(100)).is_ok());
    }

    #[test]
    fn rows_of_repetitions_are_one() {
        let same = [
            ("a??", "a?"),
            ("a?*", "a*"),
            ("a?+", "a*"),
            ("a*?", "a*"),
            ("a+?", "a*"),
            ("a+*", "a*"),
            ("a++", "a+"),
            ("(a+){1}", "a+"),
            ("@?", "@"),
        ];
        for (row, one) in same {
            assert_eq!(parsed(row).unwrap(), parsed(one).unwrap(), "{row}");
        }
        assert_eq!(parsed(&format!("a{}", "?".repeat(1_000_000))).unwrap(), parsed("a?").unwrap());
        assert_ne!(parsed("a{2}?").unwrap(), parsed("a{0,2}").unwrap());
        assert_ne!(parsed("a?{2}").unwrap(), parsed("a?").unwrap());
    }
}
