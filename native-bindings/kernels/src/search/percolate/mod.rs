//! Queries that are stored in documents, and the documents that are put to them.
//!
//! TypeScript makes a plan of each stored query when its document is indexed; that plan is what segments and the translog keep
//! ([`stored`]), because it says nothing about a mapping. It is checked ([`accept`]) and indexed by what a document must have
//! to match it ([`extract`], as [`keys`]). A `percolate` query makes a segment in memory of its documents
//! ([`percolated`]), looks the keys of that segment up ([`key_filter`]), and puts the queries it finds to it ([`verify`]): resolved
//! ones are kept ([`compiled`]), and terms alone tell of most that they do not match ([`matching`]).
pub mod accept;
pub mod compiled;
mod extract;
pub mod key_filter;
mod keys;
mod matching;
mod percolated;
pub(in crate::search) mod query_cache;
pub mod stored;
mod verify;

pub(in crate::search) use keys::ALWAYS;
pub(in crate::search) use percolated::{has_key, key_in, term_of};
pub(in crate::search) use verify::Verifier;
