//! A text field: one number per token, in the order of the text.

use super::field::immense_term;
use super::order::DocumentOrder;
use super::terms::TermTable;
use super::words::{DROPPED, WordTable};
use quarry_analysis::{Analyzer, Token};
use quarry_base::error::Result;
use quarry_base::limits::TERM_BYTES_MAX;
use quarry_mapping::spec::{FieldSpec, TextLength};
use std::sync::Arc;

/// A token in the stream: below this the number of a term, at the position after the one before.
pub const TERM_LIMIT: u32 = 1 << 30;
/// Set on the number of a term that stands at the same position as the one before.
pub const STACKED: u32 = 1 << 30;
/// No token: the other bits say how many positions to leave out.
pub const SKIP: u32 = 1 << 31;

#[derive(Debug)]
pub struct TextField {
    analyzer: Arc<Analyzer>,
    /// For analyzers that look at one word at a time; the others go the general way.
    words: Option<WordTable>,
    position_increment_gap: u32,
    length: TextLength,
    pub terms: TermTable,
    /// Tokens of all documents one after another, as [`TERM_LIMIT`], [`STACKED`] and [`SKIP`] say.
    pub stream: Vec<u32>,
    /// Committed documents that have the field, ascending.
    pub docs: Vec<TextDocument>,
    open: OpenText,
    tokens: Vec<Token>,
}

/// One document of a text field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextDocument {
    pub ordinal: u32,
    /// Where its tokens end in the stream; they start where the ones before end.
    pub end: u32,
    /// What norms are made from, as [`TextLength`] says.
    pub length: u32,
}

/// The values of the open document so far.
#[derive(Debug, Default)]
struct OpenText {
    has_value: bool,
    length: u32,
}

impl TextField {
    pub fn new(spec: &FieldSpec, analyzer: Arc<Analyzer>) -> Self {
        TextField {
            words: analyzer.per_word().map(WordTable::new),
            analyzer,
            position_increment_gap: spec.position_increment_gap,
            length: spec.text_length,
            terms: TermTable::default(),
            stream: Vec::new(),
            docs: Vec::new(),
            open: OpenText::default(),
            tokens: Vec::new(),
        }
    }

    pub fn set_analyzer(&mut self, spec: &FieldSpec, analyzer: Arc<Analyzer>) {
        self.position_increment_gap = spec.position_increment_gap;
        self.length = spec.text_length;
        if !Arc::ptr_eq(&self.analyzer, &analyzer) {
            self.words = analyzer.per_word().map(WordTable::new);
            self.analyzer = analyzer;
        }
    }

    /// Analyses and appends one value of the open document. `name` is the field's, for messages.
    pub fn add(&mut self, name: &str, text: &str) -> Result<()> {
        if self.open.has_value {
            self.skip(self.position_increment_gap);
        }
        self.open.has_value = true;
        if self.words.is_some() {
            return self.add_words(name, text);
        }
        self.tokens.clear();
        let positions = self.analyzer.analyze(text, &mut self.tokens)?;
        let tokens = std::mem::take(&mut self.tokens);
        let appended = self.append(name, &tokens, positions);
        self.tokens = tokens;
        appended
    }

    /// The fast way: one outcome per word.
    fn add_words(&mut self, name: &str, text: &str) -> Result<()> {
        let Some(words) = &mut self.words else { return Ok(()) };
        let start = self.stream.len();
        words.look_up(name, text, &mut self.terms, &mut self.stream)?;
        let added = &mut self.stream[start..];
        let mut length = added.len() as u32;
        for dropped in added.iter_mut().filter(|outcome| **outcome == DROPPED) {
            *dropped = SKIP | 1;
            length -= 1;
        }
        self.open.length += length;
        Ok(())
    }

    fn append(&mut self, name: &str, tokens: &[Token], positions: u32) -> Result<()> {
        let mut next_position = 0;
        for token in tokens {
            if token.term.len() > TERM_BYTES_MAX {
                return Err(immense_term(name, &token.term));
            }
            let number = self.terms.intern(&token.term);
            if token.position < next_position {
                self.stream.push(number | STACKED);
                self.open.length += u32::from(self.length == TextLength::Tokens);
                continue;
            }
            self.skip(token.position - next_position);
            next_position = token.position + 1;
            self.stream.push(number);
            self.open.length += 1;
        }
        self.skip(positions.saturating_sub(next_position));
        Ok(())
    }

    fn skip(&mut self, positions: u32) {
        if positions > 0 {
            self.stream.push(SKIP | positions.min(SKIP - 1));
        }
    }

    pub fn commit(&mut self, ordinal: u32) {
        if std::mem::take(&mut self.open.has_value) {
            let mut length = std::mem::take(&mut self.open.length);
            if self.length == TextLength::Terms {
                length = self.different_terms();
            }
            self.docs.push(TextDocument { ordinal, end: self.stream.len() as u32, length });
        }
    }

    /// Of the open document.
    fn different_terms(&self) -> u32 {
        let start = self.docs.last().map_or(0, |last| last.end as usize);
        let tokens = self.stream[start..].iter().filter(|token| **token & SKIP == 0);
        let mut numbers: Vec<u32> = tokens.map(|token| token & !STACKED).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.len() as u32
    }

    /// Terms that only the open document had stay in the table; nothing refers to them.
    pub fn rollback(&mut self) {
        self.stream.truncate(self.docs.last().map_or(0, |last| last.end as usize));
        self.open = OpenText::default();
    }

    pub fn rollback_to(&mut self, first: u32) {
        self.docs.truncate(self.docs.partition_point(|doc| doc.ordinal < first));
        self.rollback();
    }

    pub(super) fn rearrange(&mut self, order: &DocumentOrder) {
        let mut start = 0;
        let moved = self.docs.iter().map(|&TextDocument { ordinal, end, length }| {
            let tokens = std::mem::replace(&mut start, end) as usize..end as usize;
            (order.new_docs()[ordinal as usize], tokens, length)
        });
        let mut moved: Vec<_> = moved.collect();
        moved.sort_unstable_by_key(|(ordinal, ..)| *ordinal);
        let mut stream = Vec::with_capacity(self.stream.len());
        self.docs.clear();
        for (ordinal, tokens, length) in moved {
            stream.extend_from_slice(&self.stream[tokens]);
            self.docs.push(TextDocument { ordinal, end: stream.len() as u32, length });
        }
        self.stream = stream;
    }

    pub fn clear(&mut self) {
        self.terms.clear();
        self.words.iter_mut().for_each(WordTable::clear);
        self.stream.clear();
        self.docs.clear();
    }

    #[cfg(test)]
    pub fn disable_words(&mut self) {
        self.words = None;
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    pub fn memory_bytes(&self) -> usize {
        let words = self.words.as_ref().map_or(0, WordTable::memory_bytes);
        words
            + self.terms.memory_bytes()
            + self.stream.len() * size_of::<u32>()
            + self.docs.len() * size_of::<TextDocument>()
    }
}
