//! `path_hierarchy`: a path and its parents (`/a/b` gives `/a` and `/a/b`), all at one position.

use super::super::params::Params;
use super::super::token::{TokenStream, WORD};
use super::Tokenizer;
use quarry_base::error::{Error, Result};

#[derive(Debug)]
pub struct PathHierarchy {
    delimiter: char,
    replacement: char,
    skip: usize,
    reverse: bool,
}

impl PathHierarchy {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        params.bounded("buffer_size", 1024, 1, usize::MAX)?;
        let delimiter = one_character(params, "delimiter")?.unwrap_or('/');
        Ok(PathHierarchy {
            delimiter,
            replacement: one_character(params, "replacement")?.unwrap_or(delimiter),
            skip: params.bounded("skip", 0, 0, usize::MAX)?,
            reverse: params.flag("reverse", false)?,
        })
    }

    /// Where tokens end: before each delimiter but a leading one, and at the end of the text.
    fn forward(&self, text: &str) -> Vec<(usize, usize)> {
        let inner = text.match_indices(self.delimiter).map(|(at, _)| at).filter(|&at| at > 0);
        let ends: Vec<usize> = inner.chain([text.len()]).collect();
        let start = match self.skip.checked_sub(1) {
            None => 0,
            Some(last_skipped) => ends.get(last_skipped).copied().unwrap_or(text.len()),
        };
        ends.into_iter().filter(|&end| end > start).map(|end| (start, end)).collect()
    }

    /// Tokens start at the text's start and behind each delimiter; skipped parts are cut off the end.
    fn backward(&self, text: &str) -> Vec<(usize, usize)> {
        let behind = text.match_indices(self.delimiter).map(|(at, found)| at + found.len());
        let mut bounds: Vec<usize> = [0].into_iter().chain(behind).collect();
        if bounds.last() != Some(&text.len()) {
            bounds.push(text.len());
        }
        let Some(last) = (bounds.len() - 1).checked_sub(self.skip) else { return Vec::new() };
        bounds[..last].iter().map(|&start| (start, bounds[last])).collect()
    }
}

impl Tokenizer for PathHierarchy {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let spans = if self.reverse { self.backward(text) } else { self.forward(text) };
        for (number, (start, end)) in spans.into_iter().enumerate() {
            let term = text[start..end].replace(self.delimiter, self.replacement.encode_utf8(&mut [0; 4]));
            if number == 0 {
                out.push(&term, start, end, WORD);
            } else {
                out.push_at(out.positions - 1, &term, start, end, WORD);
            }
        }
        Ok(())
    }
}

fn one_character(params: &Params<'_>, key: &'static str) -> Result<Option<char>> {
    let Some(text) = params.text(key)? else { return Ok(None) };
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => Ok(Some(only)),
        (None, _) => Ok(None),
        _ => Err(Error::illegal_argument(format!("{key} must be a one char value"))),
    }
}
