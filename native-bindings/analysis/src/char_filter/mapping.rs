//! `mapping`: replaces the longest of a set of texts wherever it stands.

use super::super::offsets::FilteredText;
use super::super::params::Params;
use super::CharFilter;
use quarry_base::error::{Error, Result};
use std::collections::HashMap;

#[derive(Debug)]
pub struct Mapping {
    replacements: HashMap<String, String>,
    /// Lengths of the keys in bytes, descending, each once.
    lengths: Vec<usize>,
}

impl Mapping {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        params.refuse_path("mappings_path")?;
        let rules = params.list("mappings")?.ok_or_else(|| {
            Error::illegal_argument("mapping requires either `mappings` or `mappings_path` to be configured")
        })?;
        let mut replacements = HashMap::new();
        for rule in &rules {
            let invalid = || Error::illegal_argument(format!("Invalid Mapping Rule : [{rule}]"));
            let (from, to) = rule.rsplit_once("=>").ok_or_else(invalid)?;
            let from = unescape(from.trim()).ok_or_else(invalid)?;
            if from.is_empty() {
                return Err(invalid());
            }
            replacements.insert(from, unescape(to.trim()).ok_or_else(invalid)?);
        }
        let mut lengths: Vec<usize> = replacements.keys().map(String::len).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        Ok(Mapping { replacements, lengths })
    }

    fn longest_at(&self, text: &str) -> Option<(usize, &str)> {
        self.lengths.iter().find_map(|&length| {
            let key = text.get(..length)?;
            self.replacements.get(key).map(|replacement| (length, replacement.as_str()))
        })
    }
}

impl CharFilter for Mapping {
    fn filter(&self, text: &str) -> Result<FilteredText> {
        let mut out = FilteredText::default();
        let (mut at, mut copied) = (0, 0);
        while at < text.len() {
            if let Some((length, replacement)) = self.longest_at(&text[at..]) {
                out.copy(&text[copied..at]);
                out.replace(&text[at..at + length], replacement);
                at += length;
                copied = at;
            } else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
            }
        }
        out.copy(&text[copied..]);
        Ok(out)
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}

/// `\\`, `\"`, `\n`, `\t`, `\r`, `\b`, `\f` and `\uXXXX`; `None` when an escape is cut short.
fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match rest.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'u' => {
                let digits: String = rest.by_ref().take(4).collect();
                out.push(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)?);
            }
            other => out.push(other),
        }
    }
    Some(out)
}
