//! A primary and a replica through random histories of writes, copies, crashes and promotions, against plain lists.

use super::harness::{items, mapping, options, searchable_in};
use crate::config::ShardOptions;
use crate::copies::content::content_checksum;
use crate::copies::replica::InstallMode;
use crate::copies::segment_set::SegmentSet;
use crate::directory::check::check_shard;
use crate::items::split::{SplitOptions, split_bulk};
use crate::translog::synced_extent;
use crate::writes::bulk::BulkRequest;
use crate::{Replica, Shard};
use proptest::prelude::*;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_segment::merge::MergeControl;
use quarry_testing::directory::TestDirectory;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

const NOW: u64 = 1_000_000;

#[derive(Debug, Clone)]
enum Step {
    /// Ids; deletes where there is no number.
    Write(Vec<(u8, Option<u32>)>),
    /// About so many bytes of operations, beginning so many before the next one.
    Replicate {
        max_bytes: usize,
        overlap: u64,
    },
    Refresh,
    Flush,
    Merge,
    /// The primary's segments, sent in pieces of this size.
    Install {
        commit: bool,
        piece: usize,
    },
    FlushReplica,
    /// The primary keeps what the replica lacks.
    Retain,
    /// So much of what was not synced is lost (of 256).
    CrashPrimary {
        lost: u8,
    },
    CrashReplica {
        lost: u8,
    },
    /// The replica becomes the primary, and the primary its replica. With a loss, both crash before.
    Promote {
        lost: Option<u8>,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let write = (0u8..8, prop::option::weighted(0.8, 0u32..100));
    let step = prop_oneof![
        6 => prop::collection::vec(write, 1..5).prop_map(Step::Write),
        5 => (1usize..1_000, 0u64..3).prop_map(|(max_bytes, overlap)| Step::Replicate { max_bytes, overlap }),
        2 => Just(Step::Refresh),
        1 => Just(Step::Flush),
        1 => Just(Step::Merge),
        4 => (any::<bool>(), 100usize..5_000).prop_map(|(commit, piece)| Step::Install { commit, piece }),
        1 => Just(Step::FlushReplica),
        2 => Just(Step::Retain),
        1 => any::<u8>().prop_map(|lost| Step::CrashPrimary { lost }),
        1 => any::<u8>().prop_map(|lost| Step::CrashReplica { lost }),
        2 => prop::option::of(any::<u8>()).prop_map(|lost| Step::Promote { lost }),
    ];
    prop::collection::vec(step, 1..50)
}

/// What an operation did.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Done {
    term: u64,
    id: String,
    version: u64,
    /// None: deleted.
    source: Option<String>,
}

/// Version, sequence number and source of the live documents after these operations, and their terms.
fn state(log: &[Done]) -> BTreeMap<String, (u64, u64, String)> {
    let mut live = BTreeMap::new();
    for (seq_no, done) in (0u64..).zip(log) {
        match &done.source {
            Some(source) => live.insert(done.id.clone(), (done.version, seq_no, source.clone())),
            None => live.remove(&done.id),
        };
    }
    live
}

fn options_of(directory: &TestDirectory, term: u64) -> ShardOptions {
    let mut options = options(directory.path());
    options.primary_term = term;
    options.settings.generation_threshold_bytes = 300;
    options
}

fn open_primary(directory: &TestDirectory, term: u64) -> Shard {
    Shard::open(options_of(directory, term), mapping(&json!({})), &json!({})).unwrap()
}

fn open_replica(directory: &TestDirectory) -> Replica {
    Replica::open(options_of(directory, 0), mapping(&json!({})), &json!({})).unwrap()
}

/// The directory as a crash leaves it: what was not synced is lost in part.
fn crashed(directory: &TestDirectory, lost: u8) -> TestDirectory {
    let copy = directory.copy();
    let (synced, length) = synced_extent(copy.path());
    let generations = (synced..).map(|number| copy.path().join(format!("translog-{number}.tlog")));
    let files: Vec<_> = generations.take_while(|path| path.exists()).collect();
    let lengths: Vec<u64> = files.iter().map(|path| fs::metadata(path).unwrap().len()).collect();
    let unsynced = lengths.iter().sum::<u64>() - length;
    let mut kept = length + unsynced - unsynced * u64::from(lost) / 255;
    for (path, length) in files.iter().zip(lengths) {
        if kept == 0 {
            fs::remove_file(path).unwrap();
        } else {
            fs::OpenOptions::new().write(true).open(path).unwrap().set_len(kept.min(length)).unwrap();
        }
        kept -= kept.min(length);
    }
    copy
}

/// Copies a primary's segments as a recovery does.
pub fn copy_segments(set: &SegmentSet, replica: &mut Replica, piece: usize, mode: InstallMode) -> Result<bool> {
    let descriptor = set.descriptor.encode().unwrap();
    let missing: Vec<Value> = serde_json::from_str(&replica.missing_files(&descriptor)?).unwrap();
    for file in &missing {
        let (name, length) = (file["name"].as_str().unwrap(), file["length"].as_u64().unwrap());
        let mut offset = file["received"].as_u64().unwrap();
        while offset < length {
            let bytes = set.read(name, offset, piece).unwrap().to_vec();
            let next = offset + bytes.len() as u64;
            let write = replica.begin_write(name, offset, bytes).unwrap();
            replica.finish_write(&write, write.run()).unwrap();
            offset = next;
        }
        let check = replica.begin_check(name).unwrap();
        replica.finish_check(&check, check.run()).unwrap();
    }
    replica.install(&descriptor, mode)
}

struct World {
    term: u64,
    primary: Shard,
    primary_directory: TestDirectory,
    replica: Replica,
    replica_directory: TestDirectory,
    /// What the primary did, and what the replica has of it (or of another primary).
    log: Vec<Done>,
    replica_log: Vec<Done>,
    /// Operations that both have on disk: none of them may be lost.
    acknowledged: usize,
}

impl World {
    fn new() -> Self {
        let (primary_directory, replica_directory) = (TestDirectory::new(), TestDirectory::new());
        let spec = || mapping(&json!({}));
        let primary = Shard::create(options_of(&primary_directory, 1), spec(), &json!({})).unwrap();
        let history = primary.history_uuid().to_owned();
        let options = options_of(&replica_directory, 1);
        let replica = Replica::create(options, spec(), &json!({}), &history).unwrap();
        let (log, replica_log) = (Vec::new(), Vec::new());
        let mut world = World {
            term: 1,
            primary,
            primary_directory,
            replica,
            replica_directory,
            log,
            replica_log,
            acknowledged: 0,
        };
        world.align();
        world
    }

    fn write(&mut self, writes: &[(u8, Option<u32>)]) {
        let line = |(id, n): &(u8, Option<u32>)| match n {
            Some(n) => format!("{}\n{}\n", json!({"index": {"_id": format!("id{id}")}}), json!({ "n": n })),
            None => format!("{}\n", json!({"delete": {"_id": format!("id{id}")}})),
        };
        let body: String = writes.iter().map(line).collect();
        let options = SplitOptions { index: Some("test".into()), ..SplitOptions::default() };
        let split = split_bulk(body.as_bytes(), &options, b"eleven byte").unwrap();
        let selection: Vec<u32> = (0..split.items.len() as u32).collect();
        let request = BulkRequest {
            body: body.as_bytes(),
            descriptors: &split.items.words,
            strings: &split.items.strings,
            selection: &selection,
            from: 0,
            now_ms: NOW,
            forced_refresh: false,
            bare: true,
        };
        let answers = items(&self.primary.bulk(&request).unwrap());
        for ((id, n), answer) in writes.iter().zip(answers) {
            assert_eq!(answer["_seq_no"].as_u64(), Some(self.log.len() as u64), "{answer}");
            assert_eq!(answer["_primary_term"].as_u64(), Some(self.term));
            self.log.push(Done {
                term: self.term,
                id: format!("id{id}"),
                version: answer["_version"].as_u64().unwrap(),
                source: n.map(|n| json!({ "n": n }).to_string()),
            });
        }
    }

    fn replicate(&mut self, max_bytes: usize, overlap: u64) {
        let next = self.replica_log.len() as u64;
        let start = self.primary.checkpoints().history_start as u64;
        let from = next.saturating_sub(overlap).max(start);
        let read = self.primary.operations_in_memory(from, max_bytes).and_then(|found| match found {
            Some(operations) => Ok(operations),
            None => self.primary.read_history(from, max_bytes)?.run(),
        });
        let operations = read.unwrap();
        let sent = (operations.last_seq_no + 1) as usize;
        let appended = self.replica.append(&operations.bytes, self.term, self.acknowledged as i64 - 1);
        if from > next {
            if !operations.bytes.is_empty() {
                let error = appended.unwrap_err();
                assert_eq!(error.code, ErrorCode::OperationGap);
                assert!(error.reason.contains(&format!("[{next}]")), "{error}");
            }
            return self.copy_anew();
        }
        appended.unwrap();
        self.replica.append(&operations.bytes, self.term - 1, 0).unwrap_err();
        if sent > self.replica_log.len() {
            self.replica_log.extend_from_slice(&self.log[self.replica_log.len()..sent]);
        }
        self.acknowledge();
    }

    /// Both sync.
    fn acknowledge(&mut self) {
        self.replica.sync_state().unwrap().sync_now().unwrap();
        self.primary.sync_state().sync_now().unwrap();
        assert_eq!(self.replica.checkpoints().unwrap().persisted_checkpoint, self.replica_log.len() as i64 - 1);
        self.acknowledged = self.acknowledged.max(self.replica_log.len());
    }

    fn install(&mut self, commit: bool, piece: usize) {
        let set = self.primary.segment_set();
        let mode = if commit { InstallMode::Commit } else { InstallMode::View };
        assert!(copy_segments(&set, &mut self.replica, piece, mode).unwrap());
    }

    fn copy_anew(&mut self) {
        let set = self.primary.segment_set();
        let copied = copy_segments(&set, &mut self.replica, 1_000, InstallMode::Replace);
        if let Err(error) = copied {
            panic!("{error}");
        }
        self.replica_log = self.log[..(set.descriptor.checkpoint + 1) as usize].to_vec();
    }

    /// The replica meets a primary: what it has above their common history goes.
    fn align(&mut self) {
        let common = self.replica_log.iter().zip(&self.log).take_while(|(mine, theirs)| mine == theirs).count();
        let newest = self.primary.max_seq_no();
        let found = self.replica.common_seq_no(&self.primary.terms_json(), newest).unwrap();
        assert_eq!(found, common as i64 - 1);
        let refused = self.replica.append(&[], self.term, -1).unwrap_err();
        assert_eq!(refused.code, ErrorCode::ReplicaNotAligned);
        let contained = self.replica.checkpoints().unwrap().searchable_checkpoint;
        match self.replica.rollback_above(found, self.term) {
            Ok(()) => {
                assert!(contained <= found);
                self.replica_log.truncate(common);
                assert_eq!(self.replica.max_seq_no().unwrap(), found);
            }
            Err(Error { code: ErrorCode::CopyAnew, .. }) => {
                assert!(contained > found);
                self.copy_anew();
            }
            Err(error) => panic!("{error}"),
        }
        assert_eq!(self.replica.append(&[], self.term - 1, -1).unwrap_err().code, ErrorCode::PrimaryTermStale);
    }

    fn crash_primary(&mut self, lost: u8) {
        self.primary.sync_state().wait_for_queue();
        self.primary_directory = crashed(&self.primary_directory, lost);
        self.term += 1;
        self.primary = open_primary(&self.primary_directory, self.term);
        self.check_primary();
        self.align();
    }

    /// It has all that was acknowledged, and an unbroken run of the rest.
    fn check_primary(&mut self) {
        let has = (self.primary.max_seq_no() + 1) as usize;
        assert!(has >= self.acknowledged && has <= self.log.len());
        self.log.truncate(has);
        assert_eq!(self.primary.checkpoints().local_checkpoint, has as i64 - 1);
        assert_eq!(searchable_in(self.primary.view()), state(&self.log));
    }

    fn crash_replica(&mut self, lost: u8) {
        self.replica.sync_state().unwrap().wait_for_queue();
        self.replica_directory = crashed(&self.replica_directory, lost);
        self.replica = open_replica(&self.replica_directory);
        self.check_replica_log();
        self.align();
    }

    fn check_replica_log(&mut self) {
        let has = (self.replica.max_seq_no().unwrap() + 1) as usize;
        // It may have committed segments that go beyond the operations it was sent.
        if has > self.replica_log.len() {
            assert_eq!(self.replica.checkpoints().unwrap().searchable_checkpoint + 1, has as i64);
            self.replica_log = self.log[..has].to_vec();
        }
        self.replica_log.truncate(has);
    }

    fn promote(&mut self, lost: Option<u8>) {
        self.primary.sync_state().wait_for_queue();
        self.replica.sync_state().unwrap().wait_for_queue();
        let lost_of_replica = lost.map_or(0, |lost| lost.wrapping_mul(7));
        let new_primary_directory = crashed(&self.replica_directory, lost_of_replica);
        let new_replica_directory = crashed(&self.primary_directory, lost.unwrap_or(0));
        self.term += 1;
        self.primary = open_primary(&new_primary_directory, self.term);
        self.replica = open_replica(&new_replica_directory);
        (self.primary_directory, self.replica_directory) = (new_primary_directory, new_replica_directory);
        let has = (self.primary.max_seq_no() + 1) as usize;
        let of_replica = if has > self.replica_log.len() { self.log.clone() } else { self.replica_log.clone() };
        self.replica_log = std::mem::replace(&mut self.log, of_replica);
        self.check_primary();
        let replica_has = (self.replica.max_seq_no().unwrap() + 1) as usize;
        assert!(replica_has <= self.replica_log.len());
        self.replica_log.truncate(replica_has);
        self.align();
    }

    fn merge(&mut self) {
        let segments: Vec<Value> = serde_json::from_str(&self.primary.segments_json()).unwrap();
        let names: Vec<String> = segments.iter().map(|segment| segment["name"].as_str().unwrap().into()).collect();
        if names.is_empty() {
            return;
        }
        let job = self.primary.begin_merge(&names).unwrap();
        let outcome = job.run(&MergeControl::default()).unwrap();
        self.primary.finish_merge(&outcome).unwrap();
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Write(writes) => self.write(writes),
            Step::Replicate { max_bytes, overlap } => self.replicate(*max_bytes, *overlap),
            Step::Refresh => drop(self.primary.refresh(NOW).unwrap()),
            Step::Flush => drop(self.primary.flush(false, NOW).unwrap()),
            Step::Merge => self.merge(),
            Step::Install { commit, piece } => self.install(*commit, *piece),
            Step::FlushReplica => {
                if let Some(job) = self.replica.begin_flush(false).unwrap() {
                    let result = job.run();
                    self.replica.finish_install(job, result).unwrap();
                }
            }
            Step::Retain => self.primary.retain_from(self.replica_log.len() as u64, 1 << 20).unwrap(),
            Step::CrashPrimary { lost } => self.crash_primary(*lost),
            Step::CrashReplica { lost } => self.crash_replica(*lost),
            Step::Promote { lost } => self.promote(*lost),
        }
    }

    /// Searches of both see the state after some operations, exactly.
    fn check(&self) {
        let seen = self.primary.checkpoints().searchable_checkpoint;
        assert_eq!(searchable_in(self.primary.view()), state(&self.log[..(seen + 1) as usize]));
        let checkpoints = self.replica.checkpoints().unwrap();
        assert_eq!(checkpoints.max_seq_no, self.replica_log.len() as i64 - 1);
        let expected = state(&self.log[..(checkpoints.searchable_checkpoint + 1) as usize]);
        assert_eq!(searchable_in(self.replica.view()), expected);
        if seen == checkpoints.searchable_checkpoint {
            let of = |view| content_checksum(view).unwrap();
            assert_eq!(of(self.primary.view()), of(self.replica.view()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_acknowledged_operation_is_lost_whoever_is_the_primary(steps in steps()) {
        let mut world = World::new();
        for step in &steps {
            world.take(step);
            world.check();
        }
        world.promote(None);
        world.check();
        world.acknowledge();
        for directory in [&world.primary_directory, &world.replica_directory] {
            prop_assert_eq!(check_shard(directory.path()).unwrap(), []);
        }
    }
}

#[test]
fn a_replica_refuses_what_it_cannot_use() {
    let mut world = World::new();
    world.write(&[(1, Some(1)), (2, Some(2))]);
    world.write(&[(3, Some(3))]);
    world.primary.refresh(NOW).unwrap();
    let operations = world.primary.operations_in_memory(0, 1 << 20).unwrap();
    assert!(operations.is_none(), "nothing is kept in memory before somebody asks");
    let operations = world.primary.read_history(0, 1 << 20).unwrap().run().unwrap();
    let mut damaged = operations.bytes.clone();
    damaged[operations.bytes.len() / 2] ^= 4;
    assert_eq!(world.replica.append(&damaged, 1, -1).unwrap_err().code, ErrorCode::Corrupt);
    assert_eq!(world.replica.append(&operations.bytes[1..], 1, -1).unwrap_err().code, ErrorCode::Corrupt);
    assert_eq!(world.replica.max_seq_no().unwrap(), -1);
    world.replica.append(&operations.bytes, 1, -1).unwrap();
    // A file of which a byte is wrong does not count, and can be sent again.
    let set = world.primary.segment_set();
    let descriptor = set.descriptor.encode().unwrap();
    let missing: Vec<Value> = serde_json::from_str(&world.replica.missing_files(&descriptor).unwrap()).unwrap();
    let name = missing[0]["name"].as_str().unwrap();
    let mut bytes = set.read(name, 0, usize::MAX).unwrap().to_vec();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let replica = &mut world.replica;
    assert!(replica.begin_write(name, 5, bytes.clone()).is_err());
    let write = replica.begin_write(name, 0, bytes).unwrap();
    assert!(replica.begin_check(name).is_err());
    replica.finish_write(&write, write.run()).unwrap();
    let check = replica.begin_check(name).unwrap();
    assert_eq!(
        replica.finish_check(&check, check.run().map(drop).and_then(|()| unreachable!())).unwrap_err().code,
        ErrorCode::Corrupt
    );
    assert!(replica.install(&descriptor, InstallMode::View).unwrap_err().reason.contains(name));
    assert!(copy_segments(&set, replica, 500, InstallMode::View).unwrap());
    // Half a file that is not wanted any more goes.
    world.write(&[(4, Some(4))]);
    world.primary.refresh(NOW).unwrap();
    let newer = world.primary.segment_set().descriptor.encode().unwrap();
    let missing: Vec<Value> = serde_json::from_str(&world.replica.missing_files(&newer).unwrap()).unwrap();
    let name = missing[0]["name"].as_str().unwrap();
    let write = world.replica.begin_write(name, 0, vec![0; 10]).unwrap();
    world.replica.finish_write(&write, write.run()).unwrap();
    let temporary = world.replica_directory.path().join(format!("{name}.tmp"));
    assert!(temporary.exists());
    let missing: Vec<Value> = serde_json::from_str(&world.replica.missing_files(&newer).unwrap()).unwrap();
    assert_eq!(missing[0]["received"], 10);
    world.replica.missing_files(&descriptor).unwrap();
    assert!(!temporary.exists());
    // Another history, and a primary of before.
    let other = TestDirectory::new();
    let stranger = Shard::create(options_of(&other, 9), mapping(&json!({})), &json!({})).unwrap();
    let strange = stranger.segment_set().descriptor.encode().unwrap();
    assert_eq!(world.replica.missing_files(&strange).unwrap_err().code, ErrorCode::CopyAnew);
    world.replica.rollback_above(2, 5).unwrap();
    assert_eq!(world.replica.missing_files(&newer).unwrap_err().code, ErrorCode::PrimaryTermStale);
    assert_eq!(world.replica.rollback_above(2, 4).unwrap_err().code, ErrorCode::PrimaryTermStale);
    assert_eq!(world.replica.rollback_above(1, 5).unwrap_err().code, ErrorCode::CopyAnew);
}

#[test]
fn history_is_kept_as_told_and_its_end_is_a_typed_error() {
    let mut world = World::new();
    for n in 0..40 {
        world.write(&[(n, Some(u32::from(n)))]);
    }
    world.primary.retain_from(20, 1 << 20).unwrap();
    world.primary.flush(false, NOW).unwrap();
    let start = world.primary.checkpoints().history_start;
    assert!((1..=20).contains(&start), "{start}");
    let stats: Value = serde_json::from_str(&world.primary.stats_json()).unwrap();
    assert!(stats["translog"]["historyBytes"].as_u64() > Some(0));
    assert_eq!(stats["translog"]["uncommittedOperations"], 0);
    let read = world.primary.read_history(20, 1).unwrap().run().unwrap();
    assert_eq!(read.last_seq_no, 20);
    let gone = world.primary.read_history(start as u64 - 1, 1).unwrap_err();
    assert_eq!(gone.code, ErrorCode::HistoryUnavailable);
    assert!(gone.reason.contains(&format!("[{start}]")), "{gone}");
    // It outlasts a restart, until it is not wanted any more.
    world.crash_primary(0);
    assert_eq!(world.primary.checkpoints().history_start, start);
    world.primary.retain_from(40, 1 << 20).unwrap();
    assert_eq!(world.primary.checkpoints().history_start, 40);
    assert_eq!(world.primary.operations_in_memory(40, 100).unwrap().unwrap().last_seq_no, 39);
    world.write(&[(1, None)]);
    assert!(world.primary.operations_in_memory(40, 100).unwrap().is_some());
    world.primary.release_memory().unwrap();
    assert!(world.primary.operations_in_memory(40, 100).unwrap().is_none());
}

#[test]
fn the_global_checkpoint_outlasts_a_restart() {
    let mut world = World::new();
    world.write(&[(1, Some(1)), (2, Some(2))]);
    world.replicate(1 << 20, 0);
    world.primary.set_global_checkpoint(1);
    world.primary.set_global_checkpoint(0);
    world.write(&[(3, None)]);
    world.replicate(1 << 20, 0);
    world.crash_primary(0);
    world.crash_replica(0);
    assert_eq!(world.primary.checkpoints().global_checkpoint, 1);
    assert_eq!(world.replica.checkpoints().unwrap().global_checkpoint, 1);
}
