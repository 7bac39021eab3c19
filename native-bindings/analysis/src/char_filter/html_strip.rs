//! `html_strip`: takes the tags out of HTML and decodes entities.
//!
//! Block tags, line breaks, scripts and styles leave a line feed, comments and other tags nothing, as Lucene's
//! HTMLStripCharFilter does. What only looks like markup (`1 < 2`) stays.

use super::super::offsets::FilteredText;
use super::super::params::Params;
use super::{CharFilter, entities};
use quarry_base::error::Result;

/// Tags that end a line of text.
const BLOCK_TAGS: [&str; 41] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "center",
    "dd",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "form",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "html",
    "isindex",
    "li",
    "menu",
    "noframes",
    "noscript",
    "ol",
    "p",
    "pre",
    "script",
    "style",
    "table",
    "td",
    "th",
    "tr",
    "ul",
    "title",
    "textarea",
];
/// Elements whose content is no text either.
const OPAQUE_TAGS: [&str; 2] = ["script", "style"];

#[derive(Debug)]
pub struct HtmlStrip {
    kept_tags: Vec<String>,
}

/// Something in the text that is not text: how long it is and what stands for it.
struct Markup {
    length: usize,
    replacement: &'static str,
}

impl HtmlStrip {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let kept_tags = params.list("escaped_tags")?.unwrap_or_default();
        Ok(HtmlStrip { kept_tags: kept_tags.iter().map(|tag| tag.to_ascii_lowercase()).collect() })
    }

    fn markup_at(&self, text: &str) -> Option<Markup> {
        let closed_by = |closing: &str| text.find(closing).map_or(text.len(), |at| at + closing.len());
        if text.starts_with("<!--") {
            return Some(Markup { length: closed_by("-->"), replacement: "" });
        }
        if text.starts_with("<![CDATA[") {
            // The content is text: only the brackets go.
            return Some(Markup { length: "<![CDATA[".len(), replacement: "" });
        }
        if text.starts_with("<?") || text.starts_with("<!") {
            return tag_end(text).map(|length| Markup { length, replacement: "" });
        }
        self.tag_at(text)
    }

    fn tag_at(&self, text: &str) -> Option<Markup> {
        let inside = text.strip_prefix('<')?;
        let closing = inside.starts_with('/');
        let name_text = inside.trim_start_matches('/').trim_start();
        let name_length =
            name_text.find(|c: char| !c.is_alphanumeric() && c != ':' && c != '-').unwrap_or(name_text.len());
        if !name_text.starts_with(|c: char| c.is_alphabetic()) {
            return None;
        }
        let name = name_text[..name_length].to_ascii_lowercase();
        let mut length = tag_end(text)?;
        if self.kept_tags.contains(&name) {
            return None;
        }
        if OPAQUE_TAGS.contains(&name.as_str()) && !closing && !text[..length].ends_with("/>") {
            length += opaque_length(&text[length..], &name);
        }
        let replacement = if BLOCK_TAGS.contains(&name.as_str()) { "\n" } else { "" };
        Some(Markup { length, replacement })
    }
}

/// Length of a tag up to its `>`, quoted attribute values skipped; `None` when it is never closed.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'<') => return None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// Length of a script's or style's content with its closing tag.
fn opaque_length(text: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(found) = text[from..].find("</") {
        let at = from + found;
        let tail = &text.as_bytes()[at + 2..];
        if tail.len() >= name.len() && tail[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            return tag_end(&text[at..]).map_or(text.len(), |length| at + length);
        }
        from = at + 2;
    }
    text.len()
}

impl CharFilter for HtmlStrip {
    fn filter(&self, text: &str) -> Result<FilteredText> {
        let mut out = FilteredText::default();
        let (mut at, mut copied) = (0, 0);
        while let Some(found) = text[at..].find(['<', '&', ']']) {
            at += found;
            let rest = &text[at..];
            let decoded = match rest.as_bytes()[0] {
                b'&' => entities::decode(rest).map(|(length, character)| (length, String::from(character))),
                b']' => rest.starts_with("]]>").then(|| (3, String::new())),
                _ => self.markup_at(rest).map(|markup| (markup.length, markup.replacement.to_owned())),
            };
            match decoded {
                Some((length, replacement)) => {
                    out.copy(&text[copied..at]);
                    out.replace(&rest[..length], &replacement);
                    at += length;
                    copied = at;
                }
                None => at += 1,
            }
        }
        out.copy(&text[copied..]);
        Ok(out)
    }

    fn is_normalizing(&self) -> bool {
        false
    }
}
