//! The bytes of a message between members.
//!
//! Version byte, type byte, varints (to, from, term, log term, index, commit, commit term, reject hint), reject byte, context,
//! entries, snapshot if the type says so, crc32c u32 of all before. Bytes from the wire are not trusted.

use super::CONTEXT_BYTES_MAX;
use super::membership::{Membership, bounded};
use super::record::{read_bytes, read_entry, write_bytes, write_entry};
use quarry_base::error::{Error, Result};
use quarry_base::varint::{read_u64, write_u64};
use raft::eraftpb::{Entry, Message, MessageType, Snapshot, SnapshotMetadata};

const VERSION: u8 = 1;
const CHECKSUM_BYTES: usize = 4;
/// An entry has at least so many bytes.
const ENTRY_BYTES_MIN: usize = 4;

/// The messages that travel, by the byte that stands for them. Proposals and requests to transfer do not: they are made at
/// the leader.
const TYPES: [(u8, MessageType); 10] = [
    (1, MessageType::MsgAppend),
    (2, MessageType::MsgAppendResponse),
    (3, MessageType::MsgRequestVote),
    (4, MessageType::MsgRequestVoteResponse),
    (5, MessageType::MsgSnapshot),
    (6, MessageType::MsgHeartbeat),
    (7, MessageType::MsgHeartbeatResponse),
    (8, MessageType::MsgTimeoutNow),
    (9, MessageType::MsgRequestPreVote),
    (10, MessageType::MsgRequestPreVoteResponse),
];

/// Errors when the message is of a kind that does not travel.
pub(super) fn encode(message: &Message) -> Result<Vec<u8>> {
    let kind = message.get_msg_type();
    let Some((byte, _)) = TYPES.iter().find(|(_, each)| *each == kind) else {
        return Err(Error::internal(format!("a message of type {kind:?} does not travel")));
    };
    let mut out = vec![VERSION, *byte];
    let numbers = [
        message.get_to(),
        message.get_from(),
        message.get_term(),
        message.get_log_term(),
        message.get_index(),
        message.get_commit(),
        message.get_commit_term(),
        message.get_reject_hint(),
    ];
    numbers.into_iter().for_each(|number| write_u64(&mut out, number));
    out.push(u8::from(message.get_reject()));
    write_bytes(&mut out, message.get_context());
    write_u64(&mut out, message.get_entries().len() as u64);
    message.get_entries().iter().for_each(|entry| write_entry(&mut out, entry));
    if kind == MessageType::MsgSnapshot {
        write_snapshot(&mut out, message.get_snapshot());
    }
    out.extend_from_slice(&crc32c::crc32c(&out).to_le_bytes());
    Ok(out)
}

/// Errors: `Corrupt`, naming what is wrong.
pub(super) fn decode(bytes: &[u8]) -> Result<Message> {
    decode_whole(bytes).map_err(|error| Error::corrupt(format!("a message between members: {}", error.reason)))
}

fn decode_whole(bytes: &[u8]) -> Result<Message> {
    let body = bytes.len().checked_sub(CHECKSUM_BYTES).filter(|length| *length >= 2);
    let (body, checksum) = bytes.split_at(body.ok_or_else(|| Error::corrupt("cut off"))?);
    if crc32c::crc32c(body).to_le_bytes() != checksum {
        return Err(Error::corrupt("the checksum does not fit"));
    }
    if body[0] != VERSION {
        return Err(Error::corrupt(format!("unknown version {}", body[0])));
    }
    let kind = TYPES.iter().find(|(byte, _)| *byte == body[1]);
    let kind = kind.ok_or_else(|| Error::corrupt(format!("unknown type {}", body[1])))?.1;
    let mut message = Message::default();
    message.set_msg_type(kind);
    let mut at = 2;
    message.set_to(read_u64(body, &mut at)?);
    message.set_from(read_u64(body, &mut at)?);
    message.set_term(bounded("term", read_u64(body, &mut at)?)?);
    message.set_log_term(bounded("log term", read_u64(body, &mut at)?)?);
    message.set_index(bounded("index", read_u64(body, &mut at)?)?);
    message.set_commit(bounded("commit", read_u64(body, &mut at)?)?);
    message.set_commit_term(bounded("commit term", read_u64(body, &mut at)?)?);
    message.set_reject_hint(bounded("reject hint", read_u64(body, &mut at)?)?);
    let reject = body.get(at).filter(|byte| **byte < 2).ok_or_else(|| Error::corrupt("cut off"))?;
    message.set_reject(*reject == 1);
    at += 1;
    let context = read_bytes(body, &mut at)?;
    if context.len() > CONTEXT_BYTES_MAX {
        return Err(Error::corrupt(format!("a context of {} bytes", context.len())));
    }
    message.set_context(context.to_vec().into());
    message.set_entries(read_entries(body, &mut at)?.into());
    if kind == MessageType::MsgSnapshot {
        message.set_snapshot(read_snapshot(body, &mut at)?);
    }
    if at != body.len() {
        return Err(Error::corrupt(format!("{} bytes too many", body.len() - at)));
    }
    Ok(message)
}

fn read_entries(bytes: &[u8], at: &mut usize) -> Result<Vec<Entry>> {
    let count = read_u64(bytes, at)?;
    if count > (bytes.len() / ENTRY_BYTES_MIN) as u64 {
        return Err(Error::corrupt(format!("{count} entries do not fit")));
    }
    (0..count).map(|_| read_entry(bytes, at)).collect()
}

pub(super) fn write_snapshot(out: &mut Vec<u8>, snapshot: &Snapshot) {
    let metadata = snapshot.get_metadata();
    write_u64(out, metadata.get_index());
    write_u64(out, metadata.get_term());
    Membership::of_conf_state(metadata.get_conf_state()).write(out);
    write_bytes(out, snapshot.get_data());
}

pub(super) fn read_snapshot(bytes: &[u8], at: &mut usize) -> Result<Snapshot> {
    let index = bounded("index", read_u64(bytes, at)?)?;
    let term = bounded("term", read_u64(bytes, at)?)?;
    let membership = Membership::read(bytes, at)?;
    if index == 0 || term == 0 {
        return Err(Error::corrupt("a snapshot of nothing"));
    }
    Ok(snapshot(index, term, &membership, read_bytes(bytes, at)?.to_vec()))
}

pub(super) fn snapshot(index: u64, term: u64, membership: &Membership, data: Vec<u8>) -> Snapshot {
    let mut metadata = SnapshotMetadata::default();
    metadata.set_index(index);
    metadata.set_term(term);
    metadata.set_conf_state(membership.to_conf_state());
    let mut snapshot = Snapshot::default();
    snapshot.set_metadata(metadata);
    snapshot.set_data(data.into());
    snapshot
}
