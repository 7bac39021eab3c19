//! Char filters: text to text before the tokenizer.
mod entities;
mod html_strip;
mod mapping;
mod pattern_replace;

use super::offsets::FilteredText;
use super::params::{Component, Params};
use html_strip::HtmlStrip;
use mapping::Mapping;
use pattern_replace::PatternReplace;
use quarry_base::error::{Error, Result};
use serde_json::{Map, Value};
use std::fmt::Debug;

/// Rewrites a whole text and keeps account of where everything came from.
pub trait CharFilter: Debug + Send + Sync {
    fn filter(&self, text: &str) -> Result<FilteredText>;

    /// Whether it also applies to single terms (normalizers, prefix and wildcard queries).
    fn is_normalizing(&self) -> bool;
}

/// Builds the char filter of type `kind`; `None` when there is no such type.
pub fn build(kind: &str, name: &str, values: &Map<String, Value>) -> Result<Option<Box<dyn CharFilter>>> {
    let params = Params::new(Component::CharFilter, name, values);
    let filter: Box<dyn CharFilter> = match kind {
        "html_strip" => Box::new(HtmlStrip::new(&params)?),
        "mapping" => Box::new(Mapping::new(&params)?),
        "pattern_replace" => Box::new(PatternReplace::new(&params)?),
        _ => return Ok(None),
    };
    params.finish()?;
    Ok(Some(filter))
}

/// The char filters that need no settings, by their own name.
pub fn preconfigured(name: &str) -> Result<Option<Box<dyn CharFilter>>> {
    if name == "html_strip" { build(name, name, &Map::new()) } else { Ok(None) }
}

/// An error for a char filter whose settings make no sense.
fn broken(params: &Params<'_>, what: impl std::fmt::Display) -> Error {
    Error::illegal_argument(format!("char_filter [{}]: {what}", params.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn filtered(kind: &str, settings: Value, text: &str) -> FilteredText {
        let filter = build(kind, "test", settings.as_object().unwrap()).unwrap().unwrap();
        filter.filter(text).unwrap()
    }

    #[test]
    fn html_is_stripped_and_entities_decoded() {
        let text = |html: &str| filtered("html_strip", json!({}), html).text;
        assert_eq!(text("<p>I&apos;m so <b>happy</b>!</p>"), "\nI'm so happy!\n");
        assert_eq!(text("a<!-- no > --><script>x<y</script>b<br/>c"), "a\nb\nc");
        assert_eq!(text("1 < 2 &amp; 3 &gt; 2 &#65;&#x42;&nosuch; &eacute;"), "1 < 2 & 3 > 2 AB&nosuch; é");
        assert_eq!(text("<a href=\"x>y\">z</a>"), "z");
    }

    #[test]
    fn kept_tags_stay() {
        let kept = filtered("html_strip", json!({"escaped_tags": ["b"]}), "<i>x</i> <b>y</b>");
        assert_eq!(kept.text, "x <b>y</b>");
    }

    #[test]
    fn offsets_point_into_the_original() {
        let stripped = filtered("html_strip", json!({}), "<b>x</b> y");
        assert_eq!(stripped.text, "x y");
        assert_eq!((stripped.original(0), stripped.original(2)), (3, 9));
    }

    #[test]
    fn longest_mapping_wins() {
        let settings = json!({"mappings": ["ab => 1", "abc => 2", "\\u0020 => _"]});
        assert_eq!(filtered("mapping", settings, "abcd ab").text, "2d_1");
        let error = build("mapping", "m", json!({"mappings": ["ab"]}).as_object().unwrap()).unwrap_err();
        assert!(error.reason.contains("Invalid Mapping Rule : [ab]"), "{}", error.reason);
        assert!(build("mapping", "m", &Map::new()).is_err());
    }

    #[test]
    fn patterns_are_replaced() {
        let settings = json!({"pattern": "(\\d+)-(?:\\d+)", "replacement": "$1_"});
        assert_eq!(filtered("pattern_replace", settings, "x 12-345 y").text, "x 12_ y");
    }

    #[test]
    fn unknown_settings_are_named() {
        let error = build("html_strip", "h", json!({"nope": 1}).as_object().unwrap()).unwrap_err();
        assert!(error.reason.contains("[index.analysis.char_filter.h.nope]"));
    }
}
