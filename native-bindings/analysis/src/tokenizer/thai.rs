//! `thai`: words of texts that have no blanks between them, told by the model that ICU has of them. What is not Thai is cut as UAX #29 says.

use super::super::char_sets::{is_digit, is_letter};
use super::super::token::{TokenStream, WORD};
use super::Tokenizer;
use icu_segmenter::WordSegmenter;
use icu_segmenter::options::WordBreakInvariantOptions;
use quarry_base::error::Result;

/// Characters of a token; longer ones are several. Lucene's tokenizer looks at so many at once.
const TOKEN_CHARS_MAX: usize = 1_024;

#[derive(Debug)]
pub struct Thai;

impl Tokenizer for Thai {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        let segmenter = WordSegmenter::new_lstm(WordBreakInvariantOptions::default());
        let mut start = 0;
        for end in segmenter.segment_str(text) {
            let segment = text.get(start..end).unwrap_or_default();
            if segment.chars().next().is_some_and(|first| is_letter(first) || is_digit(first)) {
                pieces(segment, start, out);
            }
            start = end;
        }
        Ok(())
    }
}

/// `start`: the place of the segment in its text.
fn pieces(segment: &str, mut start: usize, out: &mut TokenStream) {
    let mut rest = segment;
    while !rest.is_empty() {
        let length = rest.char_indices().nth(TOKEN_CHARS_MAX).map_or(rest.len(), |(at, _)| at);
        let (piece, behind) = rest.split_at(length);
        out.push(piece, start, start + length, WORD);
        (rest, start) = (behind, start + length);
    }
}
