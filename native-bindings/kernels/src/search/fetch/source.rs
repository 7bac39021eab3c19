//! `_source` filtering: the members of a document that some patterns include and others do not exclude, copied from the
//! stored bytes so that numbers stay as they were written.

use crate::error::Result;
use crate::json::{Fault, KeyFrames, Scan, Scanner, Token};

/// Include and exclude patterns over dotted paths; `*` stands for any characters, dots included.
#[derive(Debug, Clone, Default)]
pub struct SourcePatterns {
    includes: Vec<String>,
    excludes: Vec<String>,
}

/// What patterns say of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    /// A pattern means the path itself.
    is_meant: bool,
    /// A pattern may mean a path that begins with this one.
    may_lead: bool,
    /// A pattern may mean something below the path.
    may_hold: bool,
}

impl SourcePatterns {
    pub fn new(includes: &[String], excludes: &[String]) -> Self {
        SourcePatterns { includes: includes.to_vec(), excludes: excludes.to_vec() }
    }

    pub fn is_empty(&self) -> bool {
        self.includes.is_empty() && self.excludes.is_empty()
    }

    /// Appends the document, filtered. `source` is one JSON object. An error names the place of a fault in it.
    pub fn write(&self, source: &[u8], out: &mut Vec<u8>) -> Result<()> {
        if self.is_empty() {
            out.extend_from_slice(source);
            return Ok(());
        }
        let filtered = crate::json::utf8(source).and_then(|text| {
            let mut copy = Copy { patterns: self, scanner: Scanner::new(text), keys: KeyFrames::default(), out };
            copy.object(&mut String::new(), self.includes.is_empty(), 0).map(|_| ())
        });
        filtered.map_err(|fault: Fault| fault.into_error(source))
    }
}

struct Copy<'a> {
    patterns: &'a SourcePatterns,
    scanner: Scanner<'a>,
    keys: KeyFrames,
    out: &'a mut Vec<u8>,
}

impl Copy<'_> {
    /// Copies the members of an object; returns whether any was copied. `is_included`: an include means the object or
    /// something around it.
    fn object(&mut self, path: &mut String, is_included: bool, depth: usize) -> Scan<bool> {
        self.scanner.check_depth(depth)?;
        self.out.push(b'{');
        let mut is_empty = true;
        let mut more = self.scanner.enter_object()?;
        while more {
            let (key, _) = self.scanner.key()?;
            let path_length = path.len();
            if path_length > 0 {
                path.push('.');
            }
            key.decode_onto(path);
            let start = self.out.len();
            if !is_empty {
                self.out.push(b',');
            }
            self.out.push(b'"');
            self.out.extend_from_slice(key.raw.as_bytes());
            self.out.extend_from_slice(b"\":");
            if self.member(path, is_included, depth + 1)? {
                is_empty = false;
            } else {
                self.out.truncate(start);
            }
            path.truncate(path_length);
            more = self.scanner.next_member()?;
        }
        self.out.push(b'}');
        Ok(!is_empty)
    }

    /// Copies the value at `path`; returns whether it was.
    fn member(&mut self, path: &mut String, parent_included: bool, depth: usize) -> Scan<bool> {
        let excluded = standing(&self.patterns.excludes, path);
        let included = standing(&self.patterns.includes, path);
        let is_included = parent_included || included.is_meant;
        if excluded.is_meant || !(is_included || included.may_lead) {
            self.scanner.skip(&mut self.keys, depth)?;
            return Ok(false);
        }
        if is_included && !excluded.may_hold {
            let value = self.scanner.skip(&mut self.keys, depth)?;
            self.out.extend_from_slice(value.as_bytes());
            return Ok(true);
        }
        match self.scanner.peek()? {
            Token::Object if is_included || included.may_hold => {
                let any = self.object(path, is_included, depth)?;
                Ok(any || is_included)
            }
            Token::Array => {
                let any = self.array(path, is_included, included.may_hold, depth)?;
                Ok(any || is_included)
            }
            _ => {
                let value = self.scanner.skip(&mut self.keys, depth)?;
                if is_included {
                    self.out.extend_from_slice(value.as_bytes());
                }
                Ok(is_included)
            }
        }
    }

    /// Objects inside an array are filtered as if they stood alone; other values stay where the array itself is meant.
    fn array(&mut self, path: &mut String, is_included: bool, may_hold: bool, depth: usize) -> Scan<bool> {
        self.scanner.check_depth(depth)?;
        self.out.push(b'[');
        let mut is_empty = true;
        let mut more = self.scanner.enter_array()?;
        while more {
            let start = self.out.len();
            if !is_empty {
                self.out.push(b',');
            }
            let is_kept = match self.scanner.peek()? {
                Token::Object if is_included || may_hold => {
                    self.object(path, is_included, depth + 1)?;
                    true
                }
                Token::Array => self.array(path, is_included, may_hold, depth + 1)?,
                _ => {
                    let value = self.scanner.skip(&mut self.keys, depth + 1)?;
                    if is_included {
                        self.out.extend_from_slice(value.as_bytes());
                    }
                    is_included
                }
            };
            if is_kept {
                is_empty = false;
            } else {
                self.out.truncate(start);
            }
            more = self.scanner.next_element()?;
        }
        self.out.push(b']');
        Ok(!is_empty)
    }
}

fn standing(patterns: &[String], path: &str) -> Standing {
    let mut found = Standing { is_meant: false, may_lead: false, may_hold: false };
    for pattern in patterns {
        let states = glob_states(pattern.as_bytes(), path.as_bytes());
        let end = pattern.len();
        found.may_lead |= !states.is_empty();
        found.is_meant |= states.iter().any(|&state| pattern.as_bytes()[state..end].iter().all(|&byte| byte == b'*'));
        found.may_hold |= states.iter().any(|&state| matches!(pattern.as_bytes().get(state), Some(b'.' | b'*')));
    }
    found
}

/// Positions in the pattern at which it can stand after reading the whole text.
fn glob_states(pattern: &[u8], text: &[u8]) -> Vec<usize> {
    let close = |states: &mut Vec<usize>| {
        let mut at = 0;
        while let Some(&state) = states.get(at) {
            // A star may stand for nothing.
            if pattern.get(state) == Some(&b'*') && !states.contains(&(state + 1)) {
                states.push(state + 1);
            }
            at += 1;
        }
    };
    let mut states = vec![0];
    close(&mut states);
    for &byte in text {
        let mut next = Vec::new();
        for &state in &states {
            let target = match pattern.get(state) {
                Some(b'*') => state,
                Some(&expected) if expected == byte => state + 1,
                _ => continue,
            };
            if !next.contains(&target) {
                next.push(target);
            }
        }
        close(&mut next);
        states = next;
        if states.is_empty() {
            break;
        }
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filtered(source: &str, includes: &[&str], excludes: &[&str]) -> String {
        let owned = |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.to_owned()).collect::<Vec<_>>();
        let mut out = Vec::new();
        SourcePatterns::new(&owned(includes), &owned(excludes)).write(source.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    const SOURCE: &str =
        r#"{"a": {"b": 1.0, "c": 2}, "d": 72057594037927936, "e": [{"b": 1, "f": 2}, 3], "g": {"h": {"b": 4}}}"#;

    #[test]
    fn without_patterns_the_bytes_stay() {
        assert_eq!(filtered(SOURCE, &[], &[]), SOURCE);
    }

    #[test]
    fn included_paths_and_what_is_below_them() {
        assert_eq!(filtered(SOURCE, &["a.b"], &[]), r#"{"a":{"b":1.0}}"#);
        assert_eq!(filtered(SOURCE, &["a"], &[]), r#"{"a":{"b": 1.0, "c": 2}}"#);
        assert_eq!(filtered(SOURCE, &["d"], &[]), r#"{"d":72057594037927936}"#);
        assert_eq!(filtered(SOURCE, &["*.b"], &[]), r#"{"a":{"b":1.0},"e":[{"b":1}],"g":{"h":{"b":4}}}"#);
        assert_eq!(filtered(SOURCE, &["e.f"], &[]), r#"{"e":[{"f":2}]}"#);
        assert_eq!(filtered(SOURCE, &["e"], &[]), r#"{"e":[{"b": 1, "f": 2}, 3]}"#);
        assert_eq!(filtered(SOURCE, &["nothing"], &[]), "{}");
    }

    #[test]
    fn excluded_paths_leave_their_parents() {
        assert_eq!(filtered(r#"{"a":{"b":1},"c":2}"#, &[], &["a.b"]), r#"{"a":{},"c":2}"#);
        assert_eq!(filtered(r#"{"a":{"b":1},"c":2}"#, &[], &["a"]), r#"{"c":2}"#);
        assert_eq!(filtered(r#"{"a":[{"b":1,"x":2},3]}"#, &[], &["a.b"]), r#"{"a":[{"x":2},3]}"#);
    }

    #[test]
    fn both_together() {
        let source = r#"{"include":{"field1":"v1","field2":"v2"},"count":1}"#;
        assert_eq!(filtered(source, &["include"], &["*.field2"]), r#"{"include":{"field1":"v1"}}"#);
    }
}
