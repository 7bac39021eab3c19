//! The words of a text as byte ranges, fast: what the indexing buffer runs instead of the general tokenizers.
//!
//! Runs of ASCII are cut 64 bytes at a time; the stretch around anything else, from the white space before it to the one
//! behind, goes to the general rules. No word holds white space, so cutting there changes nothing.

use super::blocks::{BLOCK, BlockClasses, block_at, classify, non_ascii, not_whitespace};
use super::rules::WordRules;
use crate::tokenizer::{CharClass, WordScan, runs};

/// Byte ranges of words, ascending.
pub type Spans = Vec<(u32, u32)>;

/// Appends the words of `text`, which is shorter than 4 GB.
pub fn words(scan: WordScan, text: &str, spans: &mut Spans) {
    match scan {
        WordScan::Standard { max_length } => standard_words(text, max_length, spans),
        WordScan::Class { class, max_length } if text.is_ascii() => {
            ascii_runs(class, text.as_bytes(), max_length, spans)
        }
        WordScan::Class { class, max_length } => {
            runs(
                text,
                max_length,
                |character| class.contains(character),
                |start, end| {
                    spans.push((start as u32, end as u32));
                },
            );
        }
    }
}

fn standard_words(text: &str, max_length: usize, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let foreign = next_non_ascii(bytes, at);
        let ascii_end = if foreign == bytes.len() { foreign } else { behind_last_space(bytes, at, foreign) };
        ascii_words(&text[at..ascii_end], at, max_length, spans);
        if foreign == bytes.len() {
            return;
        }
        let end =
            bytes[foreign..].iter().position(|&byte| is_space(byte)).map_or(bytes.len(), |length| foreign + length);
        general_words(&text[ascii_end..end], ascii_end, max_length, spans);
        at = end;
    }
}

fn general_words(text: &str, base: usize, max_length: usize, spans: &mut Spans) {
    WordRules::get().words(text, max_length, |word| {
        spans.push(((base + word.start) as u32, (base + word.end) as u32));
    });
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

fn behind_last_space(bytes: &[u8], from: usize, to: usize) -> usize {
    bytes[from..to].iter().rposition(|&byte| is_space(byte)).map_or(from, |at| from + at + 1)
}

fn next_non_ascii(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() {
        let foreign = non_ascii(&block_at(bytes, at));
        if foreign != 0 {
            return at + foreign.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    bytes.len()
}

/// Words of ASCII text: runs of letters, digits and underscores, joined by a mid-letter between two letters or a
/// mid-number between two digits (rules 5 to 13 of the annex; ASCII has no other classes).
fn ascii_words(text: &str, base: usize, max_length: usize, spans: &mut Spans) {
    let bytes = text.as_bytes();
    let first_new = spans.len();
    let mut edges = Edges::new(spans, base);
    let mut before = BlockClasses::default();
    let mut classes = classify(&block_at(bytes, 0));
    for at in (0..bytes.len()).step_by(BLOCK) {
        let next = classify(&block_at(bytes, at + BLOCK));
        let mut inside = classes.word;
        if classes.mid_letter | classes.mid_number != 0 {
            inside |= classes.mid_letter & neighbours(before.letter, classes.letter, next.letter);
            inside |= classes.mid_number & neighbours(before.digit, classes.digit, next.digit);
        }
        edges.block(at, inside);
        (before, classes) = (classes, next);
    }
    edges.finish(bytes.len());
    if spans[first_new..].iter().any(|&(start, end)| needs_look(bytes, base, start, end, max_length)) {
        look_again(text, base, max_length, first_new, spans);
    }
}

/// Places whose neighbours on both sides are in a class.
#[inline]
fn neighbours(before: u64, here: u64, next: u64) -> u64 {
    (here << 1 | before >> 63) & (here >> 1 | next << 63)
}

/// Words that are too long, or made of nothing but underscores.
fn needs_look(bytes: &[u8], base: usize, start: u32, end: u32, max_length: usize) -> bool {
    (end - start) as usize > max_length || bytes[start as usize - base] == b'_'
}

/// Replaces the rare words that need it by what the general rules make of them.
#[cold]
fn look_again(text: &str, base: usize, max_length: usize, first_new: usize, spans: &mut Spans) {
    let found = spans.split_off(first_new);
    for (start, end) in found {
        if needs_look(text.as_bytes(), base, start, end, max_length) {
            let word = &text[start as usize - base..end as usize - base];
            general_words(word, start as usize, max_length, spans);
        } else {
            spans.push((start, end));
        }
    }
}

fn ascii_runs(class: CharClass, bytes: &[u8], max_length: usize, spans: &mut Spans) {
    let first_new = spans.len();
    let mut edges = Edges::new(spans, 0);
    for at in (0..bytes.len()).step_by(BLOCK) {
        let block = block_at(bytes, at);
        let inside = match class {
            CharClass::Letter => classify(&block).letter,
            CharClass::NotWhitespace => {
                let in_text = u64::MAX >> (BLOCK - (bytes.len() - at).min(BLOCK));
                not_whitespace(&block) & in_text
            }
        };
        edges.block(at, inside);
    }
    edges.finish(bytes.len());
    if spans[first_new..].iter().any(|&(start, end)| (end - start) as usize > max_length) {
        let found = spans.split_off(first_new);
        for (start, end) in found {
            let cuts = (start..end).step_by(max_length);
            spans.extend(cuts.map(|from| (from, end.min(from + max_length as u32))));
        }
    }
}

/// Turns masks of the bytes inside words into spans.
struct Edges<'a> {
    spans: &'a mut Spans,
    base: u32,
    /// Whether the last byte of the block before is inside a word, and where that word starts.
    open: bool,
    start: u32,
}

impl<'a> Edges<'a> {
    fn new(spans: &'a mut Spans, base: usize) -> Self {
        Edges { spans, base: base as u32, open: false, start: 0 }
    }

    #[inline]
    fn block(&mut self, at: usize, inside: u64) {
        let block_start = self.base + at as u32;
        let mut edges = inside ^ (inside << 1 | u64::from(self.open));
        self.spans.reserve(BLOCK / 2 + 1);
        if self.open && edges != 0 {
            self.spans.push((self.start, block_start + edges.trailing_zeros()));
            edges &= edges - 1;
            self.open = false;
        }
        while edges != 0 {
            let start = block_start + edges.trailing_zeros();
            edges &= edges - 1;
            if edges == 0 {
                self.start = start;
                self.open = true;
                return;
            }
            self.spans.push((start, block_start + edges.trailing_zeros()));
            edges &= edges - 1;
        }
    }

    fn finish(&mut self, length: usize) {
        if self.open {
            self.spans.push((self.start, self.base + length as u32));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;
    use proptest::prelude::*;

    /// The same words by the general tokenizers.
    fn general(scan: WordScan, text: &str) -> Spans {
        let mut spans = Vec::new();
        match scan {
            WordScan::Standard { max_length } => general_words(text, 0, max_length, &mut spans),
            WordScan::Class { class, max_length } => {
                runs(text, max_length, |c| class.contains(c), |start, end| spans.push((start as u32, end as u32)));
            }
        }
        spans
    }

    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            8 => "[a-zA-Z]{1,9}",
            3 => "[0-9]{1,4}",
            6 => "[ .,:;'_\"#*\\-\n\t\u{1c}]{1,3}",
            2 => "[a-z0-9_.,:;']{1,90}",
            1 => "[éßñÀиж]{1,5}",
            1 => "[漢字ひらカナ한글กข]{1,4}",
            1 => "[😀👍🏽\u{200d}\u{fe0f}\u{20e3}🇫🇷א\u{5d1}\u{301}½²\u{a0}\u{2003}]{1,4}",
            1 => "\\PC{1,3}",
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    fn scans() -> impl Strategy<Value = WordScan> {
        let max_length = prop_oneof![4 => Just(255usize), 1 => 1usize..9];
        (max_length, 0..3).prop_map(|(max_length, kind)| match kind {
            0 => WordScan::Standard { max_length },
            1 => WordScan::Class { class: CharClass::Letter, max_length },
            _ => WordScan::Class { class: CharClass::NotWhitespace, max_length },
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn fast_words_are_the_general_ones(text in texts(), scan in scans()) {
            let mut spans = Vec::new();
            words(scan, &text, &mut spans);
            prop_assert_eq!(spans, general(scan, &text));
        }
    }

    #[test]
    fn common_analyzers_can_run_fast() {
        let registry = Registry::from_spec(&serde_json::json!({})).unwrap();
        for name in ["standard", "english", "simple", "whitespace", "stop", "snowball"] {
            assert!(registry.analyzer(name).unwrap().per_word().is_some(), "{name}");
        }
        for name in ["keyword", "pattern", "fingerprint"] {
            assert!(registry.analyzer(name).unwrap().per_word().is_none(), "{name}");
        }
    }
}
