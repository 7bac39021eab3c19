//! What a member finds again after a stop, a crash in the middle of a write, and damage.

use crate::member::RaftMember;
use crate::types::{Proposed, RaftOptions, Role};
use quarry_base::error::ErrorCode;
use quarry_testing::directory::TestDirectory;
use std::fs;
use std::path::{Path, PathBuf};

fn options(id: u64, voters: &[u64]) -> RaftOptions {
    RaftOptions {
        id,
        election_ticks: 10,
        heartbeat_ticks: 1,
        may_lead: true,
        seed: 7,
        message_bytes_max: 1 << 20,
        messages_in_flight_max: 64,
        uncommitted_bytes_max: 1 << 26,
        committed_bytes_max: 1 << 20,
        kept_entries: 2,
        initial_voters: voters.to_vec(),
    }
}

/// Everything there is to do; what was handed out.
fn settle(member: &mut RaftMember) -> Vec<(u64, Vec<u8>)> {
    let mut applied = Vec::new();
    while member.ready().unwrap().is_some() {
        let committed = member.persist().unwrap().committed.into_iter();
        applied.extend(committed.filter(|entry| !entry.data.is_empty()).map(|entry| (entry.index, entry.data)));
    }
    applied
}

fn lone(directory: &Path) -> (RaftMember, Vec<(u64, Vec<u8>)>) {
    let mut member = RaftMember::open(directory, &options(5, &[5])).unwrap();
    member.campaign().unwrap();
    let applied = settle(&mut member);
    assert_eq!(member.state().role, Role::Leader);
    (member, applied)
}

fn propose(member: &mut RaftMember, data: &str) -> u64 {
    let Proposed::At { index, .. } = member.propose(data.into()).unwrap() else { panic!("not proposed") };
    settle(member);
    index
}

fn data(applied: &[(u64, Vec<u8>)]) -> Vec<String> {
    applied.iter().map(|(_, data)| String::from_utf8_lossy(data).into_owned()).collect()
}

fn log(directory: &TestDirectory) -> PathBuf {
    directory.path().join("raft.log")
}

#[test]
fn a_lone_voter_needs_no_ticks_and_finds_its_entries_again() {
    let directory = TestDirectory::new();
    assert!(!RaftMember::exists(directory.path()));
    let (mut member, _) = lone(directory.path());
    for text in ["a", "b", "c"] {
        propose(&mut member, text);
    }
    let term = member.state().term;
    drop(member);
    assert!(RaftMember::exists(directory.path()));
    let (member, applied) = lone(directory.path());
    assert_eq!(data(&applied), ["a", "b", "c"]);
    assert_eq!(member.state().term, term + 1);
}

#[test]
fn a_snapshot_takes_the_place_of_entries() {
    let directory = TestDirectory::new();
    let (mut member, _) = lone(directory.path());
    for text in ["a", "b", "c", "d"] {
        propose(&mut member, text);
    }
    let index = propose(&mut member, "e");
    propose(&mut member, "f");
    let before = member.state();
    member.compact(index, b"abcde".to_vec()).unwrap();
    let after = member.state();
    assert!(after.log_entries < before.log_entries && after.file_bytes < before.file_bytes);
    assert_eq!((after.log_entries, after.snapshot_index), (3, index));
    // Older than the snapshot that there is, and younger than what was applied.
    for wrong in [index - 1, after.applied + 1] {
        assert_eq!(member.compact(wrong, Vec::new()).unwrap_err().code, ErrorCode::IllegalArgument);
    }
    drop(member);
    let mut member = RaftMember::open(directory.path(), &options(5, &[])).unwrap();
    let recovered = member.take_recovered().unwrap();
    assert_eq!((recovered.index, recovered.data.as_slice()), (index, b"abcde".as_slice()));
    member.campaign().unwrap();
    assert_eq!(data(&settle(&mut member)), ["f"]);
    let snapshots = fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(snapshots, 2, "the log and one snapshot");
}

#[test]
fn an_end_that_was_not_acknowledged_is_cut_off() {
    let directory = TestDirectory::new();
    let (mut member, _) = lone(directory.path());
    propose(&mut member, "a");
    let synced = fs::read(log(&directory)).unwrap();
    propose(&mut member, "b");
    let whole = fs::read(log(&directory)).unwrap();
    drop(member);
    let slots = 4096..12_288;
    for length in synced.len()..=whole.len() {
        let mut torn = whole[..length].to_vec();
        // As it was before the sync.
        torn[slots.clone()].copy_from_slice(&synced[slots.clone()]);
        fs::write(log(&directory), &torn).unwrap();
        let (_, applied) = lone(directory.path());
        let expected: &[&str] = if length == whole.len() { &["a", "b"] } else { &["a"] };
        assert_eq!(data(&applied), expected, "torn at {length}");
    }
    let mut noise = synced.clone();
    noise.extend_from_slice(&[0xff; 100]);
    fs::write(log(&directory), &noise).unwrap();
    assert_eq!(data(&lone(directory.path()).1), ["a"]);
}

#[test]
fn damage_of_what_was_acknowledged_is_refused_with_its_place() {
    let directory = TestDirectory::new();
    let (mut member, _) = lone(directory.path());
    for text in ["a", "b", "c"] {
        propose(&mut member, text);
    }
    let index = propose(&mut member, "d");
    member.compact(index, b"abcd".to_vec()).unwrap();
    propose(&mut member, "e");
    drop(member);
    let open = || RaftMember::open(directory.path(), &options(5, &[])).map(drop);
    let whole = fs::read(log(&directory)).unwrap();
    let records = 12_288;
    for at in (0..44).chain(records..whole.len()) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x40;
        fs::write(log(&directory), &damaged).unwrap();
        let error = open().expect_err(&format!("byte {at}"));
        assert_eq!(error.code, ErrorCode::Corrupt);
        assert!(error.reason.contains("raft.log"), "{}", error.reason);
        assert_eq!(RaftMember::check(directory.path()).unwrap_err().reason, error.reason);
    }
    for length in (0..whole.len()).step_by(7) {
        fs::write(log(&directory), &whole[..length]).unwrap();
        assert_eq!(open().expect_err(&format!("length {length}")).code, ErrorCode::Corrupt);
    }
    fs::write(log(&directory), &whole).unwrap();
    let snapshot = directory.path().join(format!("raft-snapshot-{index}.snap"));
    let bytes = fs::read(&snapshot).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        fs::write(&snapshot, &damaged).unwrap();
        assert!(open().unwrap_err().reason.contains("raft-snapshot"), "byte {at}");
    }
    fs::remove_file(&snapshot).unwrap();
    assert!(open().unwrap_err().reason.contains("is missing"));
    fs::write(&snapshot, &bytes).unwrap();
    RaftMember::check(directory.path()).unwrap();
    open().unwrap();
    fs::remove_file(log(&directory)).unwrap();
    assert!(RaftMember::check(directory.path()).unwrap_err().reason.contains("is missing"));
}

#[test]
fn one_damaged_slot_does_no_harm() {
    let directory = TestDirectory::new();
    let (mut member, _) = lone(directory.path());
    propose(&mut member, "a");
    drop(member);
    let whole = fs::read(log(&directory)).unwrap();
    for slots in [vec![4096], vec![8192], vec![4096, 8192]] {
        let mut damaged = whole.clone();
        slots.iter().for_each(|at| damaged[at + 10] ^= 1);
        fs::write(log(&directory), &damaged).unwrap();
        assert_eq!(RaftMember::open(directory.path(), &options(5, &[])).is_ok(), slots.len() == 1);
    }
}

#[test]
fn another_member_does_not_take_a_directory_over() {
    let directory = TestDirectory::new();
    drop(lone(directory.path()));
    let error = RaftMember::open(directory.path(), &options(6, &[6])).map(drop).unwrap_err();
    assert!(error.reason.contains("it belongs to member [5]"), "{}", error.reason);
}

#[test]
fn what_a_file_left_by_an_interrupted_write_is_removed() {
    let directory = TestDirectory::new();
    drop(lone(directory.path()));
    for name in ["raft.log.tmp", "raft-snapshot-9.snap", "raft-snapshot-9.snap.tmp"] {
        fs::write(directory.path().join(name), b"unfinished").unwrap();
    }
    drop(lone(directory.path()));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
}

#[test]
fn a_disk_that_refuses_fails_the_member_for_good() {
    let directory = TestDirectory::new();
    let (mut member, _) = lone(directory.path());
    propose(&mut member, "a");
    let index = member.state().applied;
    fs::remove_dir_all(directory.path()).unwrap();
    assert_eq!(member.compact(index, b"a".to_vec()).unwrap_err().code, ErrorCode::Io);
    assert_eq!(member.propose(b"b".to_vec()).unwrap_err().code, ErrorCode::Io);
    assert!(member.tick().is_err());
}

#[test]
fn calls_out_of_turn_are_refused() {
    let directory = TestDirectory::new();
    let mut member = RaftMember::open(directory.path(), &options(5, &[5])).unwrap();
    assert!(member.persist().is_err());
    assert_eq!(member.propose(b"early".to_vec()).unwrap(), Proposed::NotLeader);
    member.campaign().unwrap();
    assert!(member.ready().unwrap().is_some());
    assert_eq!(member.tick().unwrap_err().code, ErrorCode::IllegalState);
    member.persist().unwrap();
    settle(&mut member);
    assert_eq!(member.propose(Vec::new()).unwrap_err().code, ErrorCode::IllegalArgument);
    assert!(member.step(b"hostile").is_err());
    member.tick().unwrap();
}
