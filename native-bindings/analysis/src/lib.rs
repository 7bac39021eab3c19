//! Text to tokens: char filters, a tokenizer, token filters; built-in and custom analyzers; normalizers.
//!
//! Contract for the other rooms:
//! - [`Registry::from_spec`] builds every analyzer and normalizer of an index from its checked `index.analysis` settings.
//! - [`Analyzer::analyze`] is exact and general; the indexing buffer has faster ways for the common analyzers.
//! - [`Registry::analyze_request`] answers `_analyze`.
//!
//! Component names, settings, defaults and error texts are the API's; a setting that nothing here reads is refused by
//! name. What a chain does to one text: every char filter rewrites the whole text and keeps account of offsets
//! ([`offsets`]), the tokenizer cuts it, then each filter works over all tokens.
mod ahead;
mod builtin;
mod chain;
mod char_filter;
mod char_sets;
mod filter;
mod languages;
mod offsets;
mod params;
mod registry;
mod request;
mod shingled;
mod stem;
mod token;
mod tokenizer;
mod words;

pub use chain::{Analyzer, PerWord};
pub use filter::Shingles;
pub use offsets::{Utf16Index, utf16_length};
pub use registry::{Limits, Registry};
pub use request::AnalyzeScope;
pub use token::Token;
pub use words::scan::Spans;

#[cfg(test)]
mod tests;
