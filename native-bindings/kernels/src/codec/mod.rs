//! Encodings that several rooms share.
pub mod bitpack;
pub mod half;
pub mod lz4;
pub mod lz4_prefix;
pub mod norm;
pub mod plain;
pub mod shared_bytes;
pub mod sortable;

pub use quarry_base::varint;
