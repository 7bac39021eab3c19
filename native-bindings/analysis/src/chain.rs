//! An analyzer: char filters, a tokenizer and token filters, one after the other.

use super::char_filter::CharFilter;
use super::filter::{Shingles, TermFilter, TokenFilter};
use super::offsets::{FilteredText, Utf16Index};
use super::token::{TOKENS_MAX, Token, TokenStream};
use super::tokenizer::{Tokenizer, WordScan};
use super::words::scan::{self, Spans};
use quarry_base::error::{Error, Result};
use std::borrow::Cow;
use std::sync::Arc;

/// The gap between the values of a field that the API leaves by default.
pub const POSITION_INCREMENT_GAP: u32 = 100;

/// A component with the name under which the chain refers to it.
#[derive(Debug)]
pub struct Named<T: ?Sized> {
    pub name: String,
    pub part: Arc<T>,
}

impl<T: ?Sized> Named<T> {
    pub fn new(name: &str, part: Arc<T>) -> Self {
        Named { name: name.to_owned(), part }
    }
}

impl<T: ?Sized> Clone for Named<T> {
    fn clone(&self) -> Self {
        Named { name: self.name.clone(), part: Arc::clone(&self.part) }
    }
}

/// A named chain. Immutable, usable from several threads.
#[derive(Debug)]
pub struct Analyzer {
    pub(super) name: String,
    pub(super) char_filters: Vec<Named<dyn CharFilter>>,
    pub(super) tokenizer: Named<dyn Tokenizer>,
    pub(super) filters: Vec<Named<TokenFilter>>,
    /// Put together by the user, so that `explain` shows the parts.
    pub(super) is_custom: bool,
    pub(super) position_increment_gap: u32,
}

impl Analyzer {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The gap that it leaves between the values of a field.
    pub fn position_increment_gap(&self) -> u32 {
        self.position_increment_gap
    }

    /// Puts a filter behind the others.
    pub(super) fn push_filter(&mut self, name: &str, filter: Arc<TokenFilter>) -> Result<()> {
        let filter = filter.behind(self)?.map_or(filter, Arc::new);
        self.filters.push(Named::new(name, filter));
        Ok(())
    }

    /// Appends the tokens of `text`; positions start at 0. Returns the number of positions the text takes, trailing
    /// removed tokens included: the next value of the same field starts there (plus its `position_increment_gap`).
    pub fn analyze(&self, text: &str, tokens: &mut Vec<Token>) -> Result<u32> {
        let mut stream = self.tokenize(text)?;
        for filter in &self.filters {
            filter.part.apply(&mut stream)?;
            check_size(&self.name, &stream)?;
        }
        tokens.append(&mut stream.tokens);
        Ok(stream.positions)
    }

    /// The single term a normalizer makes of a keyword (for an analyzer: what prefix, wildcard and term queries apply:
    /// char filters and those token filters that work on characters).
    pub fn normalize(&self, text: &str) -> Result<Vec<u8>> {
        let mut text = Cow::Borrowed(text);
        for filter in self.char_filters.iter().filter(|filter| filter.part.is_normalizing()) {
            text = Cow::Owned(filter.part.filter(&text)?.text);
        }
        let mut token = Token { term: text.into_owned().into_bytes(), ..Token::word() };
        for filter in self.filters.iter().filter_map(|filter| filter.part.normalizing()) {
            filter.apply(&mut token);
        }
        Ok(token.term)
    }

    /// How the chain joins words, if it does.
    pub fn shingles(&self) -> Option<Shingles> {
        self.filters.iter().find_map(|filter| match &*filter.part {
            TokenFilter::Stream(filter) => filter.shingles(),
            TokenFilter::Term(_) => None,
        })
    }

    /// The chain as the indexing buffer can run it fast: words that are slices of the text, and filters that look at one
    /// word at a time. `None` when some part needs more than that.
    pub fn per_word(&self) -> Option<PerWord> {
        if !self.char_filters.is_empty() {
            return None;
        }
        let scan = self.tokenizer.part.word_scan()?;
        let all_per_word = self.filters.iter().all(|filter| matches!(*filter.part, TokenFilter::Term(_)));
        let filters = self.filters.iter().map(|filter| Arc::clone(&filter.part)).collect();
        all_per_word.then_some(PerWord { scan, filters })
    }

    /// Char filters and tokenizer: tokens with their final offsets.
    pub(super) fn tokenize(&self, text: &str) -> Result<TokenStream> {
        let mut filtered: Vec<FilteredText> = Vec::with_capacity(self.char_filters.len());
        for filter in &self.char_filters {
            let input = filtered.last().map_or(text, |previous| &previous.text);
            let output = filter.part.filter(input)?;
            filtered.push(output);
        }
        let input = filtered.last().map_or(text, |last| &last.text);
        check_length(&self.name, input)?;
        let mut stream = TokenStream::default();
        self.tokenizer.part.tokenize(input, &mut stream)?;
        check_size(&self.name, &stream)?;
        let index = Utf16Index::new(input);
        let original = |byte: u32| {
            let place = index.units(byte as usize);
            filtered.iter().rev().fold(place, |place, filter| filter.original(place))
        };
        for token in &mut stream.tokens {
            token.start_offset = original(token.start_offset);
            token.end_offset = original(token.end_offset);
        }
        stream.end_offset = original(input.len() as u32);
        Ok(stream)
    }
}

/// Places in a text are 32 bits.
fn check_length(name: &str, text: &str) -> Result<()> {
    if u32::try_from(text.len()).is_err() {
        return Err(Error::illegal_argument(format!("analyzer [{name}]: the text is longer than 4 GB")));
    }
    Ok(())
}

fn check_size(name: &str, stream: &TokenStream) -> Result<()> {
    if stream.tokens.len() > TOKENS_MAX {
        return Err(Error::illegal_argument(format!(
            "analyzer [{name}] makes more than [{TOKENS_MAX}] tokens of one text"
        )));
    }
    Ok(())
}

/// See [`Analyzer::per_word`].
#[derive(Debug, Clone)]
pub struct PerWord {
    scan: WordScan,
    filters: Vec<Arc<TokenFilter>>,
}

impl PerWord {
    /// Appends the byte ranges of the words of `text`, one position each, before any filter.
    pub fn words(&self, text: &str, spans: &mut Spans) -> Result<()> {
        check_length("word scan", text)?;
        scan::words(self.scan, text, spans);
        Ok(())
    }

    /// Puts the word that is in `token` through the filters; `false` when one of them removes it.
    #[inline]
    pub fn filter(&self, token: &mut Token) -> bool {
        self.filters.iter().all(|filter| match &**filter {
            TokenFilter::Term(filter) => TermFilter::apply(filter.as_ref(), token),
            TokenFilter::Stream(_) => true,
        })
    }
}
