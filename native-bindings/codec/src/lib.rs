//! How numbers, bytes and sets of documents are laid out in memory and in files.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`bitpack`], [`vertical`], [`plain`], [`sortable`], [`half`] | numbers to bytes and back |
//! | [`norm`] | the length of a field in one byte |
//! | [`lz4`], [`lz4_prefix`] | compressed blocks |
//! | [`shared_bytes`] | bytes of a mapped file |
//! | [`window`] | the 4,096 documents that a query looks at together |
//!
//! What runs for each document is `#[inline]`, so that it costs other crates no call.
pub mod bitpack;
pub mod half;
pub mod lz4;
pub mod lz4_prefix;
pub mod norm;
pub mod plain;
pub mod shared_bytes;
pub mod sortable;
pub mod vertical;
pub mod window;

pub use quarry_base::varint;
