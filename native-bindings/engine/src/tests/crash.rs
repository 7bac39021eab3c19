//! What is on disk when the process or the machine stops, and what recovery makes of it.

use super::harness::{Harness, open, searchable};
use crate::Shard;
use quarry_base::error::ErrorCode;
use quarry_segment::merge::MergeControl;
use quarry_testing::directory::TestDirectory;
use std::fs;
use std::path::PathBuf;

fn index(harness: &mut Harness, ids: std::ops::Range<u32>) {
    let lines: Vec<String> =
        ids.flat_map(|id| [format!(r#"{{"index":{{"_id":"{id}"}}}}"#), format!(r#"{{"n":{id}}}"#)]).collect();
    harness.bulk(&lines.iter().map(String::as_str).collect::<Vec<_>>());
}

fn ids(shard: &Shard) -> Vec<u32> {
    let mut ids: Vec<u32> = searchable(shard).keys().map(|id| id.parse().unwrap()).collect();
    ids.sort_unstable();
    ids
}

fn file_of(directory: &TestDirectory, wanted: impl Fn(&str) -> bool) -> PathBuf {
    let entries = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| wanted(path.file_name().unwrap().to_str().unwrap())).collect();
    found.sort();
    found.pop().unwrap()
}

#[test]
fn operations_survive_with_and_without_refresh_and_flush() {
    let mut harness = Harness::new();
    index(&mut harness, 0..10);
    harness = harness.crash();
    assert_eq!(ids(&harness.shard), (0..10).collect::<Vec<_>>());
    index(&mut harness, 10..20);
    harness.shard.refresh(harness.now_ms).unwrap();
    index(&mut harness, 5..6);
    harness = harness.crash();
    assert_eq!(ids(&harness.shard), (0..20).collect::<Vec<_>>());
    assert_eq!(searchable(&harness.shard)["5"].0, 2);
    assert!(harness.shard.flush(false, harness.now_ms).unwrap());
    assert!(!harness.shard.flush(false, harness.now_ms).unwrap());
    harness.bulk(&[r#"{"delete":{"_id":"7"}}"#]);
    harness = harness.crash();
    assert_eq!(ids(&harness.shard), (0..20).filter(|&id| id != 7).collect::<Vec<_>>());
    assert!(harness.shard.flush(false, harness.now_ms).unwrap());
    harness = harness.crash();
    assert_eq!(ids(&harness.shard).len(), 19);
    // Numbers go on where they stopped.
    let answers = harness.bulk(&[r#"{"index":{"_id":"x"}}"#, "{}"]);
    assert_eq!(answers[0]["index"]["_seq_no"], 22);
}

#[test]
fn a_crash_between_the_steps_of_a_flush_loses_nothing() {
    let mut harness = Harness::new();
    index(&mut harness, 0..10);
    let before = harness.copy();
    let job = harness.shard.begin_flush(false, harness.now_ms).unwrap().unwrap();
    index(&mut harness, 10..15);
    let begun = harness.copy();
    job.run().unwrap();
    let written = harness.copy();
    harness.shard.finish_flush(job, Ok(())).unwrap();
    let finished = harness.copy();
    for (directory, expected) in [(before, 10), (begun, 15), (written, 15), (finished, 15)] {
        let shard = open(&directory).unwrap();
        assert_eq!(ids(&shard), (0..expected).collect::<Vec<_>>());
    }
}

#[test]
fn a_failed_flush_changes_nothing() {
    let mut harness = Harness::new();
    index(&mut harness, 0..10);
    let job = harness.shard.begin_flush(false, harness.now_ms).unwrap().unwrap();
    let failure = quarry_base::error::Error::illegal_state("the disk is full");
    assert!(harness.shard.finish_flush(job, Err(failure)).is_err());
    index(&mut harness, 10..12);
    harness = harness.crash();
    assert_eq!(ids(&harness.shard).len(), 12);
    assert!(harness.shard.flush(false, harness.now_ms).unwrap());
    assert_eq!(ids(&harness.crash().shard).len(), 12);
}

#[test]
fn what_was_not_acknowledged_may_go_what_was_may_not() {
    let mut harness = Harness::new();
    index(&mut harness, 0..5);
    harness.sync();
    let path = file_of(&harness.directory, |name| name.ends_with(".tlog"));
    let acknowledged = fs::metadata(&path).unwrap().len();
    index(&mut harness, 5..8);
    let torn = harness.copy();
    let cut = |directory: &TestDirectory, length: u64| {
        let path = file_of(directory, |name| name.ends_with(".tlog"));
        fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
    };
    cut(&torn, acknowledged + 3);
    assert_eq!(ids(&open(&torn).unwrap()), (0..5).collect::<Vec<_>>());
    let lost = harness.copy();
    cut(&lost, acknowledged - 1);
    let error = open(&lost).unwrap_err();
    assert_eq!(error.code, ErrorCode::Corrupt);
    assert!(error.reason.contains("translog-1.tlog"), "{error}");
}

#[test]
fn damage_is_refused_by_name() {
    let mut harness = Harness::new();
    index(&mut harness, 0..5);
    harness.shard.flush(false, harness.now_ms).unwrap();
    index(&mut harness, 5..8);
    harness.sync();
    for wanted in ["commit_", ".tlog", ".seg"] {
        let copy = harness.copy();
        let path = file_of(&copy, |name| name.contains(wanted));
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(&path, bytes).unwrap();
        let error = open(&copy).unwrap_err();
        assert_eq!(error.code, ErrorCode::Corrupt, "{wanted}");
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(error.reason.contains(name), "{error} does not name {name}");
    }
    for wanted in [".tlog", ".seg", "translog.ckp"] {
        let copy = harness.copy();
        let path = file_of(&copy, |name| name.ends_with(wanted));
        fs::remove_file(&path).unwrap();
        assert!(open(&copy).unwrap_err().reason.contains(path.file_name().unwrap().to_str().unwrap()));
    }
}

#[test]
fn a_merge_that_is_interrupted_leaves_nothing_and_takes_nothing() {
    let mut harness = Harness::new();
    for round in 0..3 {
        index(&mut harness, round * 10..round * 10 + 10);
        harness.shard.refresh(harness.now_ms).unwrap();
    }
    harness.shard.flush(false, harness.now_ms).unwrap();
    let job = harness.shard.begin_merge(&["_0".into(), "_2".into()]).unwrap();
    let cancelled = MergeControl::default();
    cancelled.cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(job.run(&cancelled).unwrap_err().code, ErrorCode::TaskCancelled);
    harness.shard.abort_merge(&job);
    harness.shard.abort_merge(&job);
    let job = harness.shard.begin_merge(&["_0".into(), "_2".into()]).unwrap();
    let outcome = job.run(&MergeControl::default()).unwrap();
    let written = harness.copy();
    harness.shard.finish_merge(&outcome).unwrap();
    assert!(harness.shard.finish_merge(&outcome).is_err());
    let swapped = harness.copy();
    assert!(harness.shard.flush(false, harness.now_ms).unwrap());
    for directory in [written, swapped, harness.copy()] {
        assert_eq!(ids(&open(&directory).unwrap()), (0..30).collect::<Vec<_>>());
        let segments = fs::read_dir(directory.path()).unwrap().filter(|entry| {
            entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "seg" || extension == "tmp")
        });
        // Recovery removed what no commit names.
        assert!(matches!(segments.count(), 2 | 3));
    }
}

#[test]
fn a_shard_is_made_once() {
    let Harness { directory, shard, .. } = Harness::new();
    drop(shard);
    let options = super::harness::options(directory.path());
    let mapping = super::harness::mapping(&serde_json::json!({}));
    assert!(Shard::create(options, mapping, &serde_json::json!({})).is_err());
    let empty = TestDirectory::new();
    assert!(open(&empty).unwrap_err().reason.contains("no commit point"));
}

#[test]
fn a_write_that_fails_fails_the_shard_and_the_next_opening_has_what_was_logged() {
    let mut harness = Harness::new();
    index(&mut harness, 0..5);
    assert!(harness.shard.failure().is_none());
    // The segment of the next refresh cannot be made: its name is taken by a directory.
    let taken = harness.directory.path().join("_0.seg.tmp");
    fs::create_dir(&taken).unwrap();
    assert_eq!(harness.shard.refresh(harness.now_ms).unwrap_err().code, ErrorCode::Io);
    assert!(harness.shard.failure().unwrap().reason.contains("_0.seg"));
    let refused = harness.shard.refresh(harness.now_ms).unwrap_err();
    assert!(refused.reason.contains("has failed and must be opened anew"), "{refused}");
    fs::remove_dir(&taken).unwrap();
    assert_eq!(ids(&harness.crash().shard), (0..5).collect::<Vec<_>>());
}

#[test]
fn memory_kept_for_the_next_documents_is_given_back_when_asked() {
    let mut harness = Harness::new();
    index(&mut harness, 0..5);
    let held = harness.shard.indexing_bytes();
    assert!(held > 0);
    harness.shard.release_memory().unwrap();
    assert_eq!(harness.shard.indexing_bytes(), held);
    harness.shard.refresh(harness.now_ms).unwrap();
    harness.shard.release_memory().unwrap();
    index(&mut harness, 3..8);
    assert_eq!(ids(&harness.crash().shard), (0..8).collect::<Vec<_>>());
}

#[test]
fn a_build_that_fails_fails_the_shard_and_hides_nothing_from_reads() {
    let mut harness = Harness::new();
    index(&mut harness, 0..5);
    harness.shard.refresh(harness.now_ms).unwrap();
    index(&mut harness, 3..8);
    fs::create_dir(harness.directory.path().join("_1.seg.tmp")).unwrap();
    harness.shard.freeze().unwrap().unwrap().start();
    assert_eq!(harness.shard.take_built(harness.now_ms).unwrap_err().code, ErrorCode::Io);
    assert!(harness.shard.take_built(harness.now_ms).unwrap_err().reason.contains("must be opened anew"));
    for id in 0..8 {
        assert_eq!(harness.get_json(&id.to_string(), "{}")["found"], true, "{id}");
    }
    fs::remove_dir(harness.directory.path().join("_1.seg.tmp")).unwrap();
    assert_eq!(ids(&harness.crash().shard), (0..8).collect::<Vec<_>>());
}

#[test]
fn a_checkpoint_that_lags_behind_the_commit_is_no_damage() {
    let mut harness = Harness::new();
    index(&mut harness, 0..5);
    harness.sync();
    let checkpoint = harness.directory.path().join("translog.ckp");
    let lagging = fs::read(&checkpoint).unwrap();
    harness.shard.flush(false, harness.now_ms).unwrap();
    index(&mut harness, 5..8);
    let directory = harness.copy();
    fs::write(directory.path().join("translog.ckp"), lagging).unwrap();
    assert_eq!(ids(&open(&directory).unwrap()), (0..8).collect::<Vec<_>>());
}

#[test]
fn files_of_a_build_that_runs_survive_the_end_of_a_flush() {
    let mut harness = Harness::new();
    index(&mut harness, 0..5);
    let job = harness.shard.begin_flush(false, harness.now_ms).unwrap().unwrap();
    index(&mut harness, 5..8);
    harness.shard.freeze().unwrap().unwrap().start();
    job.run().unwrap();
    harness.shard.finish_flush(job, Ok(())).unwrap();
    assert!(harness.shard.take_built(harness.now_ms).unwrap());
    assert_eq!(ids(&harness.shard), (0..8).collect::<Vec<_>>());
}
