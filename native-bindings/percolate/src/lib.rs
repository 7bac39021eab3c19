//! Queries that are stored in documents, and the documents that are put to them.
//!
//! TypeScript makes a plan of each stored query when its document is indexed; that plan is what segments and the translog keep
//! ([`stored`]), because it says nothing about a mapping. It is checked ([`accept`]) and indexed by what a document must have
//! to match it ([`extract`], as [`keys`]). A `percolate` query makes a segment in memory of its documents
//! ([`percolated`]), looks the keys of that segment up ([`key_filter`]), and puts the queries it finds to it ([`verify`]): resolved
//! ones are kept ([`compiled`]), and terms and numbers alone tell of most whether they match ([`matching`]), by a table of what few
//! documents have ([`few`]) or by their segment ([`one_window`]). Those that were met by few documents before are steps of a
//! [`program`], for each segment in one [`query_table`].
pub mod accept;
mod basis;
pub mod compiled;
mod extract;
mod few;
pub mod key_filter;
mod keys;
mod matching;
mod names;
mod numbered;
mod one_window;
mod percolated;
mod program;
pub mod query_cache;
pub mod query_table;
mod scorer;
mod segment_queries;
pub mod stored;
mod verify;
pub mod weight;

pub use keys::ALWAYS;
pub use percolated::{has_key, key_in, term_of};
pub use segment_queries::SegmentQueries;
pub use verify::Verifier;
