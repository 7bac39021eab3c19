//! Builds the three sections of one field, term by term.

use super::{FieldPostings, PostingsOptions, ScoreModel, TermPostings};
use crate::error::Result;

/// Writer of one field's inverted index: terms come strictly ascending by bytes.
pub struct FieldPostingsWriter<'a> {
    _model: Option<ScoreModel<'a>>,
}

impl<'a> FieldPostingsWriter<'a> {
    /// `max_doc` is the number of documents of the segment. `model` is `None` for a field without norms.
    pub fn new(_max_doc: u32, _options: PostingsOptions, model: Option<ScoreModel<'a>>) -> Self {
        FieldPostingsWriter { _model: model }
    }

    /// Appends a term with at least one document. Errors (`Internal`) when the caller breaks the order of terms or
    /// documents, a document is not below `max_doc`, or the slices' lengths disagree.
    pub fn add_term(&mut self, _term: &[u8], _postings: TermPostings<'_>) -> Result<()> {
        todo!()
    }

    pub fn finish(self) -> Result<FieldPostings> {
        todo!()
    }
}
