//! What a shard is told when it opens, and what may change while it is open.

use quarry_mapping::index_sort::SortFieldSpec;
use quarry_segment::stored::StoredCodec;
use serde::Deserialize;
use std::path::PathBuf;

/// When a write is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// Before it is acknowledged.
    Request,
    /// Some time later: when the owner syncs.
    Async,
}

/// The settings of the index that the shard itself acts on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShardSettings {
    pub durability: Durability,
    /// The translog may grow to this before a flush is due.
    pub flush_threshold_bytes: u64,
    /// One generation of the translog may grow to this.
    pub generation_threshold_bytes: u64,
    /// How long the version of a deleted document is remembered.
    pub gc_deletes_ms: u64,
    pub codec: Codec,
    /// Copies that `_shards.total` counts beside the primary.
    pub replicas: u32,
    /// Documents whose indexing takes so long are told of ([`super::writes::bulk::BulkOutcome::slow`]); `None`: none is.
    #[serde(default)]
    pub slow_index_ms: Option<u64>,
    /// `index.sort.*`; empty: documents stay as they came.
    #[serde(default)]
    pub sort: Vec<SortFieldSpec>,
}

/// `index.codec`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Codec {
    Default,
    BestCompression,
}

impl From<Codec> for StoredCodec {
    fn from(codec: Codec) -> Self {
        match codec {
            Codec::Default => StoredCodec::Lz4,
            Codec::BestCompression => StoredCodec::Zstd,
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShardOptions {
    /// Holds this shard and nothing else.
    pub directory: PathBuf,
    pub index: String,
    pub index_uuid: String,
    pub shard: u32,
    /// Id of the node that opens it.
    #[serde(default)]
    pub node: String,
    pub primary_term: u64,
    pub settings: ShardSettings,
    /// Bytes that the shard's indexing buffers may hold: at half of it, the one that fills becomes a segment.
    #[serde(default = "default_buffer_bytes")]
    pub buffer_bytes: usize,
    /// Writes that would bring the shard above it are refused. Tests set a small one.
    #[serde(default = "default_documents_max")]
    pub documents_max: u32,
}

fn default_buffer_bytes() -> usize {
    quarry_buffer::BUFFER_BYTES_DEFAULT
}

fn default_documents_max() -> u32 {
    quarry_base::limits::SHARD_DOCUMENTS_MAX
}
