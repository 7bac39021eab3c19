//! What a record of the log holds, and the entries that messages hold: items of the same bytes.
//!
//! | item | layout after its kind (numbers as varints) |
//! | --- | --- |
//! | 1 hard state | term, vote |
//! | 2 entry | index, term, type byte, length, bytes; replaces the entries from its index on |
//! | 3 membership | index of the entry that brought it into force, membership |

use super::membership::{Membership, bounded};
use quarry_base::error::{Error, Result};
use quarry_base::varint::{read_u64, write_u64};
use raft::eraftpb::{Entry, EntryType};

const HARD_STATE: u8 = 1;
const ENTRY: u8 = 2;
const MEMBERSHIP: u8 = 3;

#[derive(Debug)]
pub(super) enum Item {
    HardState { term: u64, vote: u64 },
    Entry(Entry),
    Membership { index: u64, membership: Membership },
}

pub(super) fn write_hard_state(out: &mut Vec<u8>, term: u64, vote: u64) {
    out.push(HARD_STATE);
    write_u64(out, term);
    write_u64(out, vote);
}

pub(super) fn write_entry_item(out: &mut Vec<u8>, entry: &Entry) {
    out.push(ENTRY);
    write_entry(out, entry);
}

pub(super) fn write_membership(out: &mut Vec<u8>, index: u64, membership: &Membership) {
    out.push(MEMBERSHIP);
    write_u64(out, index);
    membership.write(out);
}

/// All items of a record.
pub(super) fn read_items(payload: &[u8]) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(&kind) = payload.get(at) {
        at += 1;
        items.push(match kind {
            HARD_STATE => {
                let term = bounded("term", read_u64(payload, &mut at)?)?;
                Item::HardState { term, vote: read_u64(payload, &mut at)? }
            }
            ENTRY => Item::Entry(read_entry(payload, &mut at)?),
            MEMBERSHIP => {
                let index = bounded("index", read_u64(payload, &mut at)?)?;
                Item::Membership { index, membership: Membership::read(payload, &mut at)? }
            }
            _ => return Err(Error::corrupt(format!("unknown item {kind}"))),
        });
    }
    Ok(items)
}

pub(super) fn write_entry(out: &mut Vec<u8>, entry: &Entry) {
    write_u64(out, entry.get_index());
    write_u64(out, entry.get_term());
    out.push(match entry.get_entry_type() {
        EntryType::EntryNormal => 0,
        EntryType::EntryConfChange => 1,
        EntryType::EntryConfChangeV2 => 2,
    });
    write_bytes(out, entry.get_data());
}

/// Refuses the old form of changes of members: no member of ours proposes it.
pub(super) fn read_entry(bytes: &[u8], at: &mut usize) -> Result<Entry> {
    let mut entry = Entry::default();
    entry.set_index(bounded("index", read_u64(bytes, at)?)?);
    entry.set_term(bounded("term", read_u64(bytes, at)?)?);
    entry.set_entry_type(match bytes.get(*at) {
        Some(0) => EntryType::EntryNormal,
        Some(2) => EntryType::EntryConfChangeV2,
        Some(other) => return Err(Error::corrupt(format!("an entry has the unknown type {other}"))),
        None => return Err(Error::corrupt("an entry is cut off")),
    });
    *at += 1;
    let data = read_bytes(bytes, at)?;
    if entry.get_entry_type() == EntryType::EntryConfChangeV2 {
        super::membership::decode_change(data)?;
    }
    entry.set_data(data.to_vec().into());
    Ok(entry)
}

pub(super) fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_u64(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

pub(super) fn read_bytes<'bytes>(bytes: &'bytes [u8], at: &mut usize) -> Result<&'bytes [u8]> {
    let length = read_u64(bytes, at)?;
    let end = usize::try_from(length).ok().and_then(|length| at.checked_add(length));
    let slice = end.and_then(|end| bytes.get(*at..end));
    let slice = slice.ok_or_else(|| Error::corrupt(format!("{length} bytes are cut off at byte {at}")))?;
    *at += slice.len();
    Ok(slice)
}
