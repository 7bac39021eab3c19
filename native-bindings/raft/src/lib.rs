//! One member of the group of nodes that agree on the cluster state: TiKV's Raft over storage of our own.
//!
//! There is no clock, no network and no thread in here. The owner counts ticks, carries messages and applies what was
//! committed; the member decides and keeps its promises on disk.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`member`] | ticks, messages and proposals to messages, committed entries and snapshots |
//! | [`types`] | what goes in and comes out |
//! | [`message`] | the bytes of a message between members |
//! | [`check`] | may a message be given to the algorithm |
//! | [`membership`] | who votes and who listens; changes of that |
//! | [`storage`] | the log as the algorithm sees it: in memory, with every change on disk first |
//! | [`log_file`], [`record`], [`snapshot_file`] | the files |
//! | [`disk`], [`simulated_disk`] | where these lie: a directory, or the memory of a simulation |
//!
//! Nothing from disk or wire is trusted. The library panics where its own rules are broken; a panic fails the member for
//! good and becomes an error. Its protocol-buffers code sees only what this process encoded itself.
//!
//! # Files
//!
//! | file | layout (little-endian) |
//! | --- | --- |
//! | `raft.log` | header of 64 bytes; two slots at 4,096 and 8,192, written in turn; records from 12,288 on |
//! | header | magic `QRYRAFT1`, member u64, index and term before the first entry u64 each, index of the snapshot u64, crc32c u32 of these |
//! | slot | magic `QRYRSLT1`, count u64, synced length u64, commit index u64, crc32c u32 |
//! | record | length of the payload u32, crc32c u32 of length and payload, payload: items ([`record`]) |
//! | `raft-snapshot-<index>.snap` | checksummed envelope: index, term, membership, the owner's bytes |
//!
//! Records are synced before anything that depends on them leaves the member. A slot is written after each sync and says
//! what must be there: a log that is shorter, or damaged before that place, is refused. What follows it was never
//! acknowledged; it is kept as far as it is whole and then cut off. A slot is not synced itself: after a power cut the
//! check is less strict by one record at most.

mod check;
pub mod disk;
mod log_file;
pub mod member;
pub mod membership;
mod message;
mod record;
pub mod simulated_disk;
mod snapshot_file;
mod storage;
pub mod types;

#[cfg(test)]
mod tests;

/// Terms, indexes and the like fit a JavaScript number.
pub const NUMBER_MAX: u64 = (1 << 53) - 1;
/// Bytes of one proposal.
pub const PROPOSAL_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes that a message carries for the algorithm's own use.
const CONTEXT_BYTES_MAX: usize = 64;
/// Members of a group, learners included.
pub const MEMBERS_MAX: usize = 1_000;

/// splitmix64.
fn mixed(seed: u64) -> u64 {
    let mut value = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
