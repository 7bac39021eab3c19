//! Leaving members out of a JSON document: `_source` filtering by path patterns.
//!
//! Paths are names joined with dots, arrays not counted; `*` in a pattern stands for any text. A pattern that matches an
//! object means all of it. Excludes win over includes. What is kept is copied as it stands, without the whitespace around.

use super::fault::Scan;
use super::keys::KeyFrames;
use super::scanner::{Scanner, Token};
use super::utf8;

/// Path patterns, checked once and used for many documents.
#[derive(Debug, Clone, Default)]
pub struct Pruner {
    includes: Vec<Pattern>,
    excludes: Vec<Pattern>,
}

#[derive(Debug, Clone)]
struct Pattern {
    /// Between the asterisks.
    parts: Vec<Box<str>>,
}

/// What the includes say of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Include {
    All,
    /// Not the value, but perhaps something in it.
    Below,
    Nothing,
}

impl Pruner {
    /// No includes means everything.
    pub fn new<T: AsRef<str>>(includes: &[T], excludes: &[T]) -> Self {
        let compile = |patterns: &[T]| patterns.iter().map(|pattern| Pattern::new(pattern.as_ref())).collect();
        Pruner { includes: compile(includes), excludes: compile(excludes) }
    }

    /// Whether every document stays as it is.
    pub fn keeps_all(&self) -> bool {
        self.includes.is_empty() && self.excludes.is_empty()
    }

    /// Appends what is left of the document (`{}` when nothing is). Nothing is promised of `out` after a fault.
    pub fn apply(&self, source: &[u8], out: &mut Vec<u8>) -> Scan<()> {
        let mut scanner = Scanner::new(utf8(source)?);
        let include = if self.includes.is_empty() { Include::All } else { Include::Below };
        let mut walk =
            Walk { pruner: self, scanner: &mut scanner, keys: KeyFrames::default(), path: String::new(), out };
        let start = walk.out.len();
        walk.value(include, 0)?;
        if walk.out.len() == start {
            walk.out.extend_from_slice(b"{}");
        }
        scanner.finish()
    }

    fn include(&self, path: &str, around: Include) -> Include {
        if around == Include::All || self.includes.iter().any(|pattern| pattern.matches(path)) {
            Include::All
        } else if self.includes.iter().any(|pattern| pattern.may_match_below(path)) {
            Include::Below
        } else {
            Include::Nothing
        }
    }

    fn excludes(&self, path: &str) -> bool {
        self.excludes.iter().any(|pattern| pattern.matches(path))
    }

    fn may_exclude_below(&self, path: &str) -> bool {
        self.excludes.iter().any(|pattern| path.is_empty() || pattern.may_match_below(path))
    }
}

impl Pattern {
    fn new(pattern: &str) -> Self {
        Pattern { parts: pattern.split('*').map(Into::into).collect() }
    }

    fn matches(&self, path: &str) -> bool {
        let [first, middle @ .., last] = self.parts.as_slice() else {
            return self.parts.first().is_some_and(|whole| **whole == *path);
        };
        let Some(rest) = path.strip_prefix(&**first) else { return false };
        let Some(mut rest) = rest.strip_suffix(&**last) else { return false };
        middle.iter().all(|part| match rest.find(&**part) {
            Some(found) => {
                rest = &rest[found + part.len()..];
                true
            }
            None => false,
        })
    }

    /// Whether the pattern matches some path inside the object at `path`.
    fn may_match_below(&self, path: &str) -> bool {
        let first = self.parts.first().map_or("", |first| first);
        let has_wildcard = self.parts.len() > 1;
        let within = first.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        // Once the text before the first asterisk is met, it takes all that follows.
        within || (has_wildcard && (path.starts_with(first) || first.strip_suffix('.') == Some(path)))
    }
}

struct Walk<'w, 's> {
    pruner: &'w Pruner,
    scanner: &'w mut Scanner<'s>,
    keys: KeyFrames,
    path: String,
    out: &'w mut Vec<u8>,
}

impl Walk<'_, '_> {
    /// Copies what is kept of the next value; nothing when nothing is.
    fn value(&mut self, include: Include, depth: usize) -> Scan<()> {
        if include == Include::All && !self.pruner.may_exclude_below(&self.path) {
            let text = self.scanner.skip(&mut self.keys, depth)?;
            self.out.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        self.scanner.check_depth(depth)?;
        match self.scanner.peek()? {
            Token::Object => self.object(include, depth),
            Token::Array => self.array(include, depth),
            _ => {
                let text = self.scanner.skip(&mut self.keys, depth)?;
                if include == Include::All {
                    self.out.extend_from_slice(text.as_bytes());
                }
                Ok(())
            }
        }
    }

    fn object(&mut self, include: Include, depth: usize) -> Scan<()> {
        let start = self.out.len();
        let frame = self.keys.open();
        self.out.push(b'{');
        let mut more = self.scanner.enter_object()?;
        while more {
            let (key, offset) = self.scanner.key()?;
            self.keys.add(key, offset);
            self.member(key.raw, |path| key.decode_onto(path), include, depth)?;
            more = self.scanner.next_member()?;
        }
        self.keys.close(frame, self.scanner.text())?;
        self.finish(start, b'}', include);
        Ok(())
    }

    fn member(&mut self, raw_key: &str, push_key: impl FnOnce(&mut String), around: Include, depth: usize) -> Scan<()> {
        let path_length = self.path.len();
        if path_length > 0 {
            self.path.push('.');
        }
        push_key(&mut self.path);
        let include = self.pruner.include(&self.path, around);
        if include == Include::Nothing || self.pruner.excludes(&self.path) {
            self.scanner.skip(&mut self.keys, depth + 1)?;
        } else {
            let start = self.out.len();
            self.out.push(b'"');
            self.out.extend_from_slice(raw_key.as_bytes());
            self.out.extend_from_slice(b"\":");
            let value_start = self.out.len();
            self.value(include, depth + 1)?;
            if self.out.len() == value_start {
                self.out.truncate(start);
            } else {
                self.out.push(b',');
            }
        }
        self.path.truncate(path_length);
        Ok(())
    }

    fn array(&mut self, include: Include, depth: usize) -> Scan<()> {
        let start = self.out.len();
        self.out.push(b'[');
        let mut more = self.scanner.enter_array()?;
        while more {
            let element_start = self.out.len();
            self.value(include, depth + 1)?;
            if self.out.len() > element_start {
                self.out.push(b',');
            }
            more = self.scanner.next_element()?;
        }
        self.finish(start, b']', include);
        Ok(())
    }

    /// Closes an object or array opened at `start`, or takes it back when it is empty and was not asked for itself.
    fn finish(&mut self, start: usize, close: u8, include: Include) {
        let is_empty = self.out.len() == start + 1;
        if is_empty && include != Include::All {
            self.out.truncate(start);
        } else if is_empty {
            self.out.push(close);
        } else if let Some(last_comma) = self.out.last_mut() {
            *last_comma = close;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    fn pruned(source: &str, includes: &[&str], excludes: &[&str]) -> String {
        let mut out = Vec::new();
        Pruner::new(includes, excludes).apply(source.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    const SOURCE: &str = r#" {"a": 1, "o": {"x": [1, 2], "y": {"z": "q\"", "k": null}}, "l": [{"x": 1, "w": 2}, {"w": 3}, 4], "e": {}} "#;

    #[test]
    fn patterns() {
        for (includes, excludes, expected) in [
            (&["a"][..], &[][..], r#"{"a":1}"#),
            (&["o"], &["o.y"], r#"{"o":{"x":[1, 2]}}"#),
            (&["o.y.z"], &[], r#"{"o":{"y":{"z":"q\""}}}"#),
            (&["*.x"], &[], r#"{"o":{"x":[1, 2]},"l":[{"x":1}]}"#),
            (&["o.*"], &["*.k"], r#"{"o":{"x":[1,2],"y":{"z":"q\""}}}"#),
            (&["nothing"], &[], "{}"),
            (&[], &["l", "o.*", "e"], r#"{"a":1,"o":{}}"#),
            (&["e", "l.w"], &[], r#"{"l":[{"w":2},{"w":3}],"e":{}}"#),
            (&["*"], &["*"], "{}"),
        ] {
            assert_eq!(pruned(SOURCE, includes, excludes), expected, "{includes:?} {excludes:?}");
        }
        assert_eq!(pruned(r#"{"a.b":1,"a":{"b":2,"c":3}}"#, &["a.b"], &[]), r#"{"a.b":1,"a":{"b":2}}"#);
        assert!(Pruner::new(&["a"], &[]).apply(b"{\"a\":1,\"b\":[}", &mut Vec::new()).is_err());
        assert!(Pruner::new::<&str>(&[], &[]).keeps_all());
    }

    /// Keeps leaves whose path or one around it is included and none is excluded: the slow way.
    fn expected(value: &Value, path: &str, includes: &[&str], excludes: &[&str]) -> Option<Value> {
        let glob = |pattern: &str, text: &str| {
            let pattern = regex::escape(pattern).replace(r"\*", ".*");
            regex::Regex::new(&format!("(?s)^{pattern}$")).unwrap().is_match(text)
        };
        let ancestors: Vec<&str> = path.match_indices('.').map(|(at, _)| &path[..at]).chain([path]).collect();
        let hit = |patterns: &[&str]| ancestors.iter().any(|path| patterns.iter().any(|pattern| glob(pattern, path)));
        let is_included = includes.is_empty() || hit(includes);
        if !path.is_empty() && hit(excludes) {
            return None;
        }
        match value {
            Value::Object(members) => {
                let kept: Map<String, Value> = members
                    .iter()
                    .filter_map(|(name, value)| {
                        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                        Some((name.clone(), expected(value, &path, includes, excludes)?))
                    })
                    .collect();
                (is_included || !kept.is_empty()).then_some(Value::Object(kept))
            }
            Value::Array(elements) => {
                let kept: Vec<Value> =
                    elements.iter().filter_map(|element| expected(element, path, includes, excludes)).collect();
                (is_included || !kept.is_empty()).then_some(Value::Array(kept))
            }
            other => is_included.then(|| other.clone()),
        }
    }

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(Value::Null), any::<i8>().prop_map(Value::from), ".{0,5}".prop_map(Value::from)];
        let value = leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec(("[ab]{1,2}", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        });
        prop::collection::vec(("[ab]{1,2}", value), 0..4)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    }

    proptest! {
        #[test]
        fn agrees_with_the_slow_way(document in document(), includes in prop::collection::vec("[ab.*]{0,5}", 0..3), excludes in prop::collection::vec("[ab.*]{0,5}", 0..3)) {
            let includes: Vec<&str> = includes.iter().map(String::as_str).collect();
            let excludes: Vec<&str> = excludes.iter().map(String::as_str).collect();
            let found: Value = serde_json::from_str(&pruned(&document.to_string(), &includes, &excludes)).unwrap();
            let expected = expected(&document, "", &includes, &excludes).unwrap_or_else(|| Value::Object(Map::new()));
            prop_assert_eq!(found, expected);
        }
    }
}
