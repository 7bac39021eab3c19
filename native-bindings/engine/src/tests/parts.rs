//! Shards made of the files of others.

use super::harness::{Harness, mapping, options};
use crate::Shard;
use crate::copies::parts::Parts;
use crate::directory::usage::disk_usage_json;
use crate::items::routing::RoutingTarget;
use quarry_segment::directory::commit::CommitPoint;
use quarry_testing::directory::TestDirectory;
use serde_json::json;
use std::collections::BTreeSet;

fn source(ids: impl Iterator<Item = u32>) -> Harness {
    let mut harness = Harness::new();
    for id in ids {
        let routed = if id % 5 == 0 { format!(r#","routing":"r{}""#, id % 7) } else { String::new() };
        let action = format!(r#"{{"index":{{"_id":"{id}"{routed}}}}}"#);
        let document = format!(r#"{{"n":{id},"t":"word w{id}"}}"#);
        harness.outcome(&[&action, &document], 0, false);
        if id % 10 == 3 {
            harness.shard.flush(false, 1).unwrap();
        }
    }
    harness.shard.flush(true, 1).unwrap();
    harness
}

fn lend(source: &Harness, target: &TestDirectory, name: &str) -> std::path::PathBuf {
    let part = target.path().join(name);
    source.shard.link_commit(&part, source.shard.max_seq_no()).unwrap();
    part
}

fn make(target: &TestDirectory, shard: u32, parts: &Parts) -> Shard {
    let options = crate::config::ShardOptions { shard, ..options(target.path()) };
    Shard::create_of_parts(options, mapping(&json!({})), &json!({}), parts).unwrap()
}

fn ids(shard: &Shard) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for segment in shard.view().segments.iter() {
        let live = |doc: &u32| segment.live.as_ref().is_none_or(|live| live.is_live(*doc));
        for doc in (0..segment.max_doc()).filter(live) {
            assert!(ids.insert(String::from_utf8(segment.reader.ids().get(doc).to_vec()).unwrap()));
        }
    }
    ids
}

#[test]
fn a_split_gives_each_document_to_the_shard_of_its_routing() {
    let mut source = source(0..100);
    source.outcome(&[r#"{"delete":{"_id":"1"}}"#], 0, false);
    source.shard.flush(false, 1).unwrap();
    let target = RoutingTarget { shards: 4, routing_shards: 8, partition_size: 1 };
    let mut found = BTreeSet::new();
    for shard in 0..4 {
        let directory = TestDirectory::new();
        let parts = Parts { directories: vec![lend(&source, &directory, "part_0")], split: Some(target) };
        let made = make(&directory, shard, &parts);
        for id in ids(&made) {
            let number: u32 = id.parse().unwrap();
            let routing = number.is_multiple_of(5).then(|| format!("r{}", number % 7));
            assert_eq!(target.shard_of(&id, routing.as_deref()).unwrap(), shard);
            assert!(found.insert(id));
        }
        drop(made);
        let reopened = super::harness::open(&directory).unwrap();
        assert_eq!(reopened.max_seq_no(), source.shard.max_seq_no());
        assert!(crate::directory::check::check_shard(directory.path()).unwrap().is_empty());
    }
    assert_eq!(found, (0..100).filter(|id| *id != 1).map(|id| id.to_string()).collect());
}

#[test]
fn several_become_one_that_goes_on_behind_their_operations() {
    let (left, right) = (source(0..30), source(100..200));
    let directory = TestDirectory::new();
    let directories = vec![lend(&left, &directory, "part_0"), lend(&right, &directory, "part_1")];
    let shard = make(&directory, 0, &Parts { directories, split: None });
    let mut harness = Harness::of(directory, shard);
    let expected: BTreeSet<String> = (0..30).chain(100..200).map(|id| id.to_string()).collect();
    assert_eq!(ids(&harness.shard), expected);
    assert_eq!(harness.shard.max_seq_no(), right.shard.max_seq_no());
    harness.outcome(&[r#"{"index":{"_id":"7"}}"#, r#"{"n":1}"#], 0, false);
    assert_eq!(harness.shard.max_seq_no(), right.shard.max_seq_no() + 1);
    harness.shard.flush(false, 1).unwrap();
    let Harness { directory, shard, .. } = harness;
    drop(shard);
    let reopened = super::harness::open(&directory).unwrap();
    assert_eq!(ids(&reopened), expected);
    // The sources are as they were.
    assert_eq!(ids(&left.shard).len(), 30);
    assert!(crate::directory::check::check_shard(left.directory.path()).unwrap().is_empty());
}

#[test]
fn parts_that_hold_more_than_a_shard_may_are_refused_and_stay() {
    let (mut left, right) = (source(0..30), source(100..110));
    // Deleted documents count until they are merged away.
    left.bulk(&[r#"{"delete":{"_id":"7"}}"#]);
    left.shard.flush(true, 1).unwrap();
    let directory = TestDirectory::new();
    let directories = vec![lend(&left, &directory, "part_0"), lend(&right, &directory, "part_1")];
    let parts = Parts { directories, split: None };
    let make = |documents_max: u32| {
        let options = crate::config::ShardOptions { documents_max, ..options(directory.path()) };
        Shard::create_of_parts(options, mapping(&json!({})), &json!({}), &parts)
    };
    let error = make(39).unwrap_err();
    assert_eq!(error.reason, "Number of documents in the index can't exceed [39], its parts have [40]");
    assert!(CommitPoint::newest(directory.path()).unwrap().is_none());
    assert!(parts.directories.iter().all(|part| part.exists()));
    assert_eq!(ids(&make(40).unwrap()).len(), 39);
}

#[test]
fn only_a_whole_commit_is_lent() {
    let mut source = source(0..10);
    let directory = TestDirectory::new();
    let newest = source.shard.max_seq_no();
    source.outcome(&[r#"{"index":{"_id":"new"}}"#, r#"{"n":1}"#], 0, false);
    for max_seq_no in [newest, newest + 1] {
        let error = source.shard.link_commit(&directory.path().join("part_0"), max_seq_no).unwrap_err();
        assert!(error.reason.contains("does not hold exactly the operations"), "{}", error.reason);
    }
}

#[test]
fn an_empty_source_makes_an_empty_shard() {
    let source = Harness::new();
    let directory = TestDirectory::new();
    let parts = Parts { directories: vec![lend(&source, &directory, "part_0")], split: None };
    drop(make(&directory, 0, &parts));
    assert_eq!(super::harness::open(&directory).unwrap().max_seq_no(), -1);
}

#[test]
fn what_takes_the_disk_is_told_by_field() {
    let source = source(0..50);
    let usage: serde_json::Value = serde_json::from_str(&disk_usage_json(source.shard.view())).unwrap();
    let of = |field: &str, what: &str| usage["fields"][field][what].as_u64().unwrap();
    assert!(of("t", "invertedIndex") > 0 && of("t", "norms") > 0);
    assert!(of("n", "docValues") > 0 && of("n", "invertedIndex") == 0);
    assert!(of("_source", "storedFields") > 0 && of("_id", "invertedIndex") > 0);
    let sections: u64 = usage["fields"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|field| field.as_object().unwrap().values())
        .map(|bytes| bytes.as_u64().unwrap())
        .sum();
    assert!(sections < usage["storeBytes"].as_u64().unwrap());
}
