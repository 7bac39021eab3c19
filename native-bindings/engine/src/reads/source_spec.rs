//! The `_source` parameter: all, none, patterns, or includes and excludes.

use quarry_base::error::{Error, Result};
use quarry_json::prune::Pruner;
use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Patterns {
    One(String),
    Many(Vec<String>),
}

impl Default for Patterns {
    fn default() -> Self {
        Patterns::Many(Vec::new())
    }
}

impl Patterns {
    /// A single text may hold several patterns with commas between them.
    fn list(self) -> Vec<String> {
        match self {
            Patterns::One(text) => text.split(',').map(|pattern| pattern.trim().to_string()).collect(),
            Patterns::Many(list) => list,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Spec {
    Enabled(bool),
    Includes(Patterns),
    Both(Both),
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Both {
    #[serde(default, alias = "include")]
    includes: Patterns,
    #[serde(default, alias = "exclude")]
    excludes: Patterns,
}

/// What an answer shows of a source.
#[derive(Debug)]
pub enum SourceView {
    Hidden,
    Whole,
    Pruned(Pruner),
}

impl SourceView {
    /// Parses the JSON of a `_source` parameter.
    pub fn parse(json: &str) -> Result<Self> {
        let (includes, excludes) = match quarry_base::deep_json::from_str(json) {
            Ok(Spec::Enabled(true)) => return Ok(SourceView::Whole),
            Ok(Spec::Enabled(false)) => return Ok(SourceView::Hidden),
            Ok(Spec::Includes(Patterns::One(text))) if text == "true" => return Ok(SourceView::Whole),
            Ok(Spec::Includes(Patterns::One(text))) if text == "false" => return Ok(SourceView::Hidden),
            Ok(Spec::Includes(includes)) => (includes.list(), Vec::new()),
            Ok(Spec::Both(Both { includes, excludes })) => (includes.list(), excludes.list()),
            Err(_) => {
                let reason =
                    "[_source] takes a boolean, a pattern, patterns, or an object of [includes] and [excludes]";
                return Err(Error::illegal_argument(format!("{reason}, but was [{json}]")));
            }
        };
        let pruner = Pruner::new(&includes, &excludes);
        Ok(if pruner.keeps_all() { SourceView::Whole } else { SourceView::Pruned(pruner) })
    }

    pub fn is_shown(&self) -> bool {
        !matches!(self, SourceView::Hidden)
    }

    /// Appends what is shown of a source.
    pub fn write(&self, source: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match self {
            SourceView::Hidden => Ok(()),
            SourceView::Whole => {
                out.extend_from_slice(source);
                Ok(())
            }
            SourceView::Pruned(pruner) => pruner.apply(source, out).map_err(|fault| fault.into_error(source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(spec: &str) -> String {
        let mut out = Vec::new();
        SourceView::parse(spec).unwrap().write(br#"{"a":{"b":1,"c":2},"d":3}"#, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_form_is_read() {
        let whole = r#"{"a":{"b":1,"c":2},"d":3}"#;
        assert_eq!(shown("true"), whole);
        assert_eq!(shown("false"), "");
        assert_eq!(shown("\"true\""), whole);
        assert_eq!(shown("\"a.b,d\""), r#"{"a":{"b":1},"d":3}"#);
        assert_eq!(shown("[\"a\"]"), r#"{"a":{"b":1,"c":2}}"#);
        assert_eq!(shown(r#"{"includes":["a"],"excludes":"a.c"}"#), r#"{"a":{"b":1}}"#);
        assert_eq!(shown("{}"), whole);
        assert!(SourceView::parse("{\"x\":1}").is_err());
        assert!(SourceView::parse("3").is_err());
    }
}
