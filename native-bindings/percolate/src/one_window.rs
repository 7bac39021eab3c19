//! What postings and columns tell of a segment of one window.

use super::keys;
use super::matching::{DocumentSet, Index};
use super::percolated::has_key;
use quarry_base::error::Result;
use quarry_codec::window::WindowBits;
use quarry_query::node::PhraseNode;
use quarry_query::scorers::bits;
use quarry_query::view::SegmentView;

pub(super) struct OneWindow<'a> {
    pub segment: &'a SegmentView,
    /// Keys of all terms of the segment, ascending; `None`: they are not known.
    pub keys: Option<&'a [u64]>,
}

impl OneWindow<'_> {
    fn may_have(&self, field: &str, term: &[u8]) -> bool {
        self.keys.is_none_or(|keys| has_key(keys, keys::term(field, term)))
    }
}

impl DocumentSet for WindowBits {
    fn is_empty(&self) -> bool {
        bits::is_empty(self)
    }

    fn or(&mut self, other: &Self) {
        bits::or(self, other);
    }

    fn and(&mut self, other: &Self) {
        bits::and(self, other);
    }

    fn and_not(&mut self, other: &Self) {
        bits::and_not(self, other);
    }
}

impl Index for OneWindow<'_> {
    type Set = WindowBits;

    fn none(&self) -> WindowBits {
        bits::EMPTY
    }

    fn all(&self) -> WindowBits {
        let mut all = bits::EMPTY;
        bits::fill(0, self.segment.max_doc(), &mut all);
        all
    }

    fn of_window(&self, bits: &WindowBits) -> WindowBits {
        *bits
    }

    fn to_window(&self, set: &WindowBits) -> WindowBits {
        *set
    }

    fn term(&self, field: &str, term: &[u8]) -> Result<WindowBits> {
        let mut matched = bits::EMPTY;
        if self.may_have(field, term)
            && let Some(postings) = self.segment.field(field).and_then(|field| field.postings())
            && let Some(entry) = postings.lookup(term)?
        {
            postings.or_documents(&entry, &mut matched)?;
        }
        Ok(matched)
    }

    fn numbers(&self, field: &str, ranges: &[(i64, i64)]) -> Option<WindowBits> {
        let mut matched = bits::EMPTY;
        if let Some(column) = self.segment.field(field).and_then(|field| field.numeric()) {
            ranges.iter().for_each(|&(low, high)| column.match_range(0, low, high, &mut matched));
        }
        Some(matched)
    }

    fn phrase(&self, phrase: &PhraseNode) -> Result<Option<WindowBits>> {
        let mut places = phrase.whole_terms();
        let lacks_one = places.any(|(words, _)| !words.iter().any(|word| self.may_have(&phrase.field, word)));
        Ok(lacks_one.then_some(bits::EMPTY))
    }
}
