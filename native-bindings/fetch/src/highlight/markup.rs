//! Tags around what was found, and encoding of the text between them.

use super::found::Place;
use quarry_plan::highlight::HighlightField;

/// Appends a part of the text, encoded where the request asks for it.
pub(super) fn push_text(out: &mut String, text: &str, options: &HighlightField) {
    if !options.html {
        out.push_str(text);
        return;
    }
    for character in text.chars() {
        match character {
            '"' => out.push_str("&quot;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' => out.push_str("&#x27;"),
            '/' => out.push_str("&#x2F;"),
            other => out.push(other),
        }
    }
}

/// Appends a marked part; `tag` counts from 0, tags beyond the last begin again.
pub(super) fn push_marked(out: &mut String, text: &str, tag: usize, options: &HighlightField) {
    let of = |tags: &[String]| tags.get(tag % tags.len().max(1)).cloned().unwrap_or_default();
    out.push_str(&of(&options.pre_tags));
    push_text(out, text, options);
    out.push_str(&of(&options.post_tags));
}

/// A piece of the text from `start` to `end` with its places marked; places may overlap.
pub(super) fn marked(
    slice: impl Fn(u32, u32) -> String,
    (start, end): (u32, u32),
    places: &[Place],
    tag_of: impl Fn(&Place) -> usize,
    options: &HighlightField,
) -> String {
    let mut out = String::new();
    let mut at = start;
    for place in places {
        if place.start > at {
            push_text(&mut out, &slice(at, place.start), options);
        }
        if place.end > at {
            push_marked(&mut out, &slice(at.max(place.start), place.end), tag_of(place), options);
            at = place.end;
        }
    }
    push_text(&mut out, &slice(at, end.max(at)), options);
    out
}
