//! Queries on analysed text.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`full_text`], [`phrase`], [`multi_match`], [`combined_fields`] | queries on one field, on several, on several as one |
//! | [`as_you_type`] | texts whose last word is not finished |
//! | [`token_graph`], [`graph_phrase`] | texts with several readings: synonyms of several words, parts of words |
pub(super) mod as_you_type;
pub(super) mod combined_fields;
pub(super) mod full_text;
pub(super) mod graph_phrase;
pub(super) mod multi_match;
pub(super) mod phrase;
pub(super) mod token_graph;
