//! Grok: patterns with names, `%{NAME:field:type}`, as one regular expression whose groups are fields.

use super::{Captured, Fields, PATTERN_LENGTH_MAX};
use quarry_base::error::{Error, Result};
use quarry_base::java_regex;
use regex::{Captures, Regex};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// Bytes of a compiled expression: addresses alone take a megabyte.
const COMPILED_BYTES_MAX: usize = 16 << 20;

/// The patterns that logs are commonly described with, by their names. Numbers and addresses are matched without a look at what
/// surrounds them where that takes lookahead: matching is linear in the text.
const PATTERNS: &str = include_str!("grok-patterns.json");

static KNOWN: LazyLock<HashMap<&'static str, String>> =
    LazyLock::new(|| serde_json::from_str(PATTERNS).unwrap_or_default());

/// `%{NAME}`, `%{NAME:field}`, `%{NAME:field:type}`, `%{NAME=definition}`, and groups with names.
static REFERENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let reference = r"%\{([A-Za-z0-9_]+)(?::([\p{L}\p{N}@\-_:.\[\]]+))?(?:=((?:[^{}\\]|\\.)+))?\}";
    Regex::new(&format!(r"{reference}|\(\?P?<([A-Za-z_@][^>=!]*)>")).ok()
});

/// The patterns that have names, as a JSON object.
pub fn patterns_json() -> &'static str {
    PATTERNS
}

#[derive(Debug)]
pub struct Grok {
    regex: Regex,
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Group {
    /// In the expression.
    number: usize,
    field: Arc<str>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Int,
    Long,
    Float,
    Double,
    Bool,
}

impl Grok {
    /// Errors: unknown names, circles, and what is no regular expression.
    pub fn new(pattern: &str) -> Result<Self> {
        let mut expansion = Expansion::default();
        let expanded = expansion.expand(pattern, &mut Vec::new())?;
        let regex = java_regex::compile_within(&expanded, None, COMPILED_BYTES_MAX)?;
        let numbers: HashMap<&str, usize> =
            regex.capture_names().enumerate().filter_map(|(number, name)| Some((name?, number))).collect();
        let group = |(place, (field, kind)): (usize, (Arc<str>, Kind))| {
            Some(Group { number: *numbers.get(group_name(place).as_str())?, field, kind })
        };
        let groups = expansion.groups.into_iter().enumerate().filter_map(group).collect();
        Ok(Grok { regex, groups })
    }

    /// A field that took part more than once has its first value. Errors: texts that are not of the type that is asked for.
    pub fn fields(&self, text: &str) -> Result<Option<Fields>> {
        let Some(found) = self.regex.captures(text) else { return Ok(None) };
        let mut fields: Fields = Vec::new();
        for Group { number, field, kind } in &self.groups {
            let Some(captured) = found.get(*number) else { continue };
            if !fields.iter().any(|(known, _)| known == field) {
                fields.push((Arc::clone(field), kind.read(captured.as_str())?));
            }
        }
        Ok(Some(fields))
    }
}

impl Kind {
    fn read(self, text: &str) -> Result<Captured> {
        let wrong = || Error::illegal_argument(format!("For input string: \"{text}\""));
        Ok(match self {
            Kind::Text => Captured::Text(text.to_owned()),
            Kind::Int => Captured::Int(text.parse().map_err(|_| wrong())?),
            Kind::Long => Captured::Long(text.parse().map_err(|_| wrong())?),
            Kind::Float => Captured::Float(text.trim().parse().map_err(|_| wrong())?),
            Kind::Double => Captured::Double(text.trim().parse().map_err(|_| wrong())?),
            Kind::Bool => Captured::Bool(text.eq_ignore_ascii_case("true")),
        })
    }
}

fn group_name(place: usize) -> String {
    format!("g{place}")
}

/// A pattern while its names are replaced by what they stand for.
#[derive(Default)]
struct Expansion {
    groups: Vec<(Arc<str>, Kind)>,
    length: usize,
}

impl Expansion {
    /// `inside`: the names that are being replaced.
    fn expand(&mut self, pattern: &str, inside: &mut Vec<String>) -> Result<String> {
        self.length += pattern.len();
        if self.length > PATTERN_LENGTH_MAX {
            let reason =
                format!("a pattern that stands for more than [{PATTERN_LENGTH_MAX}] characters is not supported");
            return Err(Error::illegal_argument(reason));
        }
        let mut out = String::with_capacity(pattern.len());
        let mut last = 0;
        for found in REFERENCE.iter().flat_map(|reference| reference.captures_iter(pattern)) {
            let Some(whole) = found.get(0) else { continue };
            out.push_str(&pattern[last..whole.start()]);
            last = whole.end();
            match found.get(4) {
                Some(field) => out.push_str(&format!("(?P<{}>", self.group(field.as_str()))),
                None => self.reference(&found, inside, &mut out)?,
            }
        }
        out.push_str(&pattern[last..]);
        Ok(out)
    }

    fn reference(&mut self, found: &Captures<'_>, inside: &mut Vec<String>, out: &mut String) -> Result<()> {
        let part = |number: usize| found.get(number).map(|part| part.as_str());
        let name = part(1).unwrap_or_default();
        if inside.iter().any(|outer| outer == name) {
            let way = inside.join("=>");
            return Err(Error::illegal_argument(format!(
                "circular reference detected in grok patterns: [{way}=>{name}]"
            )));
        }
        let known = part(3).or_else(|| KNOWN.get(name).map(String::as_str));
        let Some(pattern) = known else {
            let reason = format!("Unable to find pattern [{name}] in Grok's pattern dictionary");
            return Err(Error::illegal_argument(reason));
        };
        match part(2) {
            None => out.push_str("(?:"),
            Some(field) => out.push_str(&format!("(?P<{}>", self.group(field))),
        }
        inside.push(name.to_owned());
        out.push_str(&self.expand(pattern, inside)?);
        inside.pop();
        out.push(')');
        Ok(())
    }

    /// The name of the group of `field` or `field:type`.
    fn group(&mut self, text: &str) -> String {
        let (field, kind) = match text.rsplit_once(':') {
            Some((field, "int")) => (field, Kind::Int),
            Some((field, "long")) => (field, Kind::Long),
            Some((field, "float")) => (field, Kind::Float),
            Some((field, "double")) => (field, Kind::Double),
            Some((field, "boolean")) => (field, Kind::Bool),
            Some((field, "string")) => (field, Kind::Text),
            _ => (text, Kind::Text),
        };
        self.groups.push((field.into(), kind));
        group_name(self.groups.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pattern: &str, text: &str) -> Option<Vec<(String, Captured)>> {
        let fields = Grok::new(pattern).unwrap().fields(text).unwrap();
        fields.map(|fields| fields.into_iter().map(|(field, value)| (field.to_string(), value)).collect())
    }

    #[test]
    fn every_pattern_that_has_a_name_compiles() {
        assert!(KNOWN.len() > 100);
        for name in KNOWN.keys() {
            Grok::new(&format!("%{{{name}:x}}")).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    #[test]
    fn lines_of_web_servers_have_their_fields() {
        let line = r#"30.87.8.1 - - [27/Apr/1998:21:30:17 +0000] "GET /images/hm_bg.jpg HTTP/1.0" 200 24736"#;
        let found = fields("%{COMMONAPACHELOG}", line).unwrap();
        let of = |field: &str| found.iter().find(|(name, _)| name == field).map(|(_, value)| value.clone());
        for (field, value) in [
            ("clientip", "30.87.8.1"),
            ("timestamp", "27/Apr/1998:21:30:17 +0000"),
            ("verb", "GET"),
            ("request", "/images/hm_bg.jpg"),
            ("httpversion", "1.0"),
            ("response", "200"),
            ("bytes", "24736"),
        ] {
            assert_eq!(of(field), Some(Captured::Text(value.into())), "{field}");
        }
        assert_eq!(fields("%{COMMONAPACHELOG}", "no such line"), None);
    }

    #[test]
    fn types_definitions_and_groups_are_heeded() {
        let text = |text: &str| Captured::Text(text.into());
        assert_eq!(
            fields("%{NUMBER:a:int} %{WORD:b} (?<c>x+) %{LETTER:d=[yz]}", "7 seven xx z").unwrap(),
            [
                ("a".into(), Captured::Int(7)),
                ("b".into(), text("seven")),
                ("c".into(), text("xx")),
                ("d".into(), text("z"))
            ]
        );
        assert_eq!(fields("%{WORD:a}|%{INT:a}", "b").unwrap(), [("a".into(), text("b"))]);
        let error = Grok::new("%{DATA:n:int}$").unwrap().fields("7x").unwrap_err();
        assert_eq!(error.reason, "For input string: \"7x\"");
    }

    #[test]
    fn unknown_names_and_circles_are_refused() {
        let refused = |pattern: &str| Grok::new(pattern).unwrap_err().reason;
        assert_eq!(refused("%{NOTHING}"), "Unable to find pattern [NOTHING] in Grok's pattern dictionary");
        assert!(refused("%{DATA:x}(").contains("cannot be used"));
        assert!(refused("(unclosed").contains("cannot be used"));
    }
}
