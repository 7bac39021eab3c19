//! Small words of the parsers of this room.

use quarry_json::JsonString;
use std::borrow::Cow;

/// The text of a JSON string, borrowed where it has no escapes.
pub fn text_of(string: JsonString<'_>) -> Cow<'_, str> {
    if !string.escaped {
        return Cow::Borrowed(string.raw);
    }
    let mut text = String::new();
    string.decode_onto(&mut text);
    Cow::Owned(text)
}

/// ` did you mean [doc]?` for a misspelt name, or nothing: names whose Levenshtein similarity is above one half.
pub fn suggestion(name: &str, known: &[&str]) -> String {
    let mut near: Vec<(f32, &str)> = known
        .iter()
        .map(|&known| (similarity(name, known), known))
        .filter(|(similarity, _)| *similarity > 0.5)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    match near.as_slice() {
        [] => String::new(),
        [(_, only)] => format!(" did you mean [{only}]?"),
        several => {
            let names: Vec<&str> = several.iter().map(|(_, name)| *name).collect();
            format!(" did you mean any of [{}]?", names.join(", "))
        }
    }
}

/// 1 minus the edit distance over the length of the longer name.
fn similarity(left: &str, right: &str) -> f32 {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    let mut left_length = 0;
    for (above, character) in left.chars().enumerate() {
        let mut diagonal = above;
        row[0] = above + 1;
        for (at, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(character != *other);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
        left_length += 1;
    }
    let longer = left_length.max(right.len());
    if longer == 0 { 1.0 } else { 1.0 - row[right.len()] as f32 / longer as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        let known = ["doc", "upsert", "doc_as_upsert"];
        assert_eq!(suggestion("dac", &known), " did you mean [doc]?");
        assert_eq!(suggestion("xyz", &known), "");
        assert_eq!(suggestion("upser", &["upsert", "upserz"]), " did you mean any of [upsert, upserz]?");
    }
}
