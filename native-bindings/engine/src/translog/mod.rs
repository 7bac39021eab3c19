//! The translog: every operation since the last commit, on disk before it is acknowledged.
//!
//! A directory holds numbered generations `translog-<n>.tlog` and one `translog.ckp`.
//!
//! | part | layout (little-endian) |
//! | --- | --- |
//! | generation header | magic `QRYTLOG1`, generation u64, length of the generation before it u64, history 16 bytes, crc32c u32 of these, zero u32 |
//! | record | length of the payload u32, crc32c u32 of length and payload, payload: operations of one batch ([`operation`]) |
//! | checkpoint slot (two, 512 bytes apart, written in turn) | magic `QRYTCKP2`, count u64, generation u64, synced length u64, global checkpoint i64, crc32c u32 (before copies: `QRYTCKP1` without the global checkpoint) |
//!
//! The checkpoint is written after each sync and says what must be there: a file that is shorter, or damaged before that
//! place, is refused by name. What follows it was never acknowledged; it is replayed as far as it is whole and then cut
//! off. The checkpoint itself is not synced: losing its last state to a power cut only makes the check less strict. A
//! checkpoint of a generation before the one that the commit point names is superseded by it.
//!
//! Sequence numbers rise by one from operation to operation. Generations that no commit needs any more may be kept as
//! history for copies that have to catch up: see [`Translog::retain_from`].

mod checkpoint;
mod continuity;
mod generations;
mod history;
mod open_logs;
pub mod operation;
mod recovery;
mod resting_file;
mod rollback;
mod sync;
mod tail;
mod terms;
mod wire;
mod writer;

#[cfg(test)]
mod tests;

pub use history::{HistoryRead, Operations};
pub use operation::{BatchWriter, Operation, OperationKind};
#[cfg(test)]
pub use recovery::synced_extent;
pub use recovery::{LogBounds, Recovered, check_translog, recover};
pub use rollback::roll_back;
pub use sync::SyncState;
pub(crate) use sync::sync_directory;
pub use terms::{TermStart, TermStarts};
pub use wire::WireOperations;
pub use writer::Translog;

use std::path::{Path, PathBuf};

/// Bytes of a generation's header.
pub const HEADER_BYTES: u64 = 48;
const MAGIC: &[u8; 8] = b"QRYTLOG1";
/// Bytes in front of a record's payload.
const RECORD_HEADER_BYTES: usize = 8;
/// Ending of the name of a generation that is being rewritten.
const TEMPORARY: &str = ".tmp";

/// Ties the files of a shard together; the same in all generations.
pub type HistoryId = [u8; 16];

pub(crate) fn generation_path(directory: &Path, generation: u64) -> PathBuf {
    directory.join(generation_name(generation))
}

fn generation_name(generation: u64) -> String {
    format!("translog-{generation}.tlog")
}

fn checkpoint_path(directory: &Path) -> PathBuf {
    directory.join("translog.ckp")
}

fn header(generation: u64, previous_length: u64, history: &HistoryId) -> [u8; HEADER_BYTES as usize] {
    let mut bytes = [0; HEADER_BYTES as usize];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..16].copy_from_slice(&generation.to_le_bytes());
    bytes[16..24].copy_from_slice(&previous_length.to_le_bytes());
    bytes[24..40].copy_from_slice(history);
    let checksum = crc32c::crc32c(&bytes[..40]);
    bytes[40..44].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn record_checksum(length: [u8; 4], payload: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&length), payload)
}
