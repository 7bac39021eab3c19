//! Bytes of messages and records: read back as written, refused when damaged, never a panic.

use crate::membership::{Membership, decode_change};
use crate::message::{decode, encode, snapshot};
use crate::record::{Item, read_items, write_entry_item, write_hard_state, write_membership};
use proptest::prelude::*;
use raft::eraftpb::{ConfChangeSingle, ConfChangeType, ConfChangeV2, Entry, EntryType, Message, MessageType};

fn entry(index: u64, term: u64, data: Vec<u8>) -> Entry {
    let mut entry = Entry::default();
    entry.set_index(index);
    entry.set_term(term);
    entry.set_data(data.into());
    entry
}

fn membership() -> Membership {
    Membership {
        voters: vec![1, 2, u64::MAX],
        learners: vec![7],
        outgoing_voters: vec![1, 3],
        next_learners: vec![3],
        leaves_automatically: true,
    }
}

fn message(kind: MessageType, numbers: [u64; 5], data: &[Vec<u8>]) -> Message {
    let mut message = Message::default();
    message.set_msg_type(kind);
    message.set_to(u64::MAX);
    message.set_from(numbers[0] | 1 << 63);
    message.set_term(numbers[1]);
    message.set_index(numbers[2]);
    message.set_log_term(numbers[3]);
    message.set_commit(numbers[4]);
    message.set_reject(numbers[0].is_multiple_of(2));
    message.set_context(b"context".to_vec().into());
    if kind == MessageType::MsgAppend {
        let entries: Vec<Entry> = data.iter().zip(1..).map(|(data, at)| entry(at, 3, data.clone())).collect();
        message.set_entries(entries.into());
    }
    if kind == MessageType::MsgSnapshot {
        message.set_snapshot(snapshot(5, 2, &membership(), data.concat()));
    }
    message
}

fn kinds() -> impl Strategy<Value = MessageType> {
    prop::sample::select(vec![
        MessageType::MsgAppend,
        MessageType::MsgAppendResponse,
        MessageType::MsgSnapshot,
        MessageType::MsgHeartbeat,
        MessageType::MsgRequestPreVote,
        MessageType::MsgTimeoutNow,
    ])
}

fn with_checksum(mut body: Vec<u8>) -> Vec<u8> {
    let checksum = crc32c::crc32c(&body);
    body.extend_from_slice(&checksum.to_le_bytes());
    body
}

proptest! {
    #[test]
    fn messages_are_read_back(
        kind in kinds(),
        numbers in prop::array::uniform5(0..crate::NUMBER_MAX),
        data in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..5),
    ) {
        let message = message(kind, numbers, &data);
        prop_assert_eq!(decode(&encode(&message).unwrap()).unwrap(), message);
    }

    #[test]
    fn damaged_messages_are_refused(
        kind in kinds(),
        data in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..5),
        at in any::<prop::sample::Index>(),
        change in 1..=255u8,
    ) {
        let mut bytes = encode(&message(kind, [1, 2, 3, 4, 5], &data)).unwrap();
        let at = at.index(bytes.len());
        prop_assert!(decode(&bytes[..at]).is_err());
        bytes[at] ^= change;
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn any_body_is_read_or_refused(
        kind in kinds(),
        data in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..5),
        at in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let bytes = encode(&message(kind, [1, 2, 3, 4, 5], &data)).unwrap();
        let mut body = bytes[..bytes.len() - 4].to_vec();
        let at = at.index(body.len());
        let end = (at + noise.len()).min(body.len());
        body.splice(at..end, noise.iter().copied());
        let _ = decode(&with_checksum(body));
        let _ = decode(&with_checksum(noise.clone()));
        let _ = read_items(&noise);
        let _ = decode_change(&noise);
    }
}

#[test]
fn records_are_read_back() {
    let mut payload = Vec::new();
    write_hard_state(&mut payload, 4, u64::MAX);
    write_entry_item(&mut payload, &entry(9, 3, b"data".to_vec()));
    write_membership(&mut payload, 8, &membership());
    let items = read_items(&payload).unwrap();
    assert!(matches!(items[0], Item::HardState { term: 4, vote: u64::MAX }));
    assert!(matches!(&items[1], Item::Entry(found) if *found == entry(9, 3, b"data".to_vec())));
    assert!(matches!(&items[2], Item::Membership { index: 8, membership: found } if *found == membership()));
}

#[test]
fn changes_of_members_are_read_as_the_library_writes_them() {
    let mut change = ConfChangeV2::default();
    let mut singles = Vec::new();
    for (id, kind) in
        [(1, ConfChangeType::AddNode), (u64::MAX, ConfChangeType::RemoveNode), (300, ConfChangeType::AddLearnerNode)]
    {
        let mut single = ConfChangeSingle::default();
        single.set_node_id(id);
        single.set_change_type(kind);
        singles.push(single);
    }
    change.set_changes(singles.into());
    let bytes = protobuf::Message::write_to_bytes(&change).unwrap();
    assert_eq!(decode_change(&bytes).unwrap(), change);
    assert_eq!(decode_change(&[]).unwrap(), ConfChangeV2::default());
    // A group, which the library's decoder would follow as deep as it goes.
    assert!(decode_change(&[0x1b; 100]).is_err());
    let mut old = entry(1, 1, Vec::new());
    old.set_entry_type(EntryType::EntryConfChange);
    let mut payload = Vec::new();
    write_entry_item(&mut payload, &old);
    assert!(read_items(&payload).is_err());
}

#[test]
fn memberships_that_contradict_themselves_are_refused() {
    let spoilt: [fn(&mut Membership); 7] = [
        |membership| membership.voters.clear(),
        |membership| membership.voters = vec![2, 1],
        |membership| membership.voters = vec![0, 1],
        |membership| membership.learners = vec![1],
        |membership| membership.next_learners = vec![9],
        |membership| membership.outgoing_voters.clear(),
        |membership| membership.learners = (10..2_000).collect(),
    ];
    assert!(membership().check().is_ok());
    for spoil in spoilt {
        let mut membership = membership();
        spoil(&mut membership);
        assert!(membership.check().is_err(), "{membership:?}");
    }
}
