//! How many documents a shard takes: answers at the limit, and the count of random histories against a plain one.

use super::harness::{Harness, Opening, mapping, searchable, searchable_in};
use super::replication::copy_segments;
use crate::Replica;
use crate::copies::replica::InstallMode;
use crate::directory::check::check_shard;
use crate::segments::merge_job::{MergeJob, MergeOutcome};
use proptest::prelude::*;
use quarry_base::limits::SHARD_DOCUMENTS_MAX;
use quarry_query::view::SegmentView;
use quarry_segment::merge::MergeControl;
use quarry_testing::directory::TestDirectory;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// With nested objects `o`.
fn opening(documents_max: u32) -> Opening {
    let members = json!({
        "nested_objects_limit": 100,
        "objects": [{
            "path": "o", "dynamic": "false", "enabled": true,
            "nested": {"include_in_parent": false, "include_in_root": false},
        }],
    });
    Opening { members, documents_max, ..Opening::default() }
}

fn source(n: u32, nested: u32) -> String {
    json!({ "n": n, "o": vec![json!({}); nested as usize] }).to_string()
}

/// Status of the only item of a bulk.
fn status(harness: &mut Harness, lines: &[&str]) -> u64 {
    let answers = harness.bulk(lines);
    let (_, answer) = answers[0].as_object().unwrap().iter().next().unwrap();
    if answer["status"] == 400 {
        assert_eq!(answer["error"]["type"], "illegal_argument_exception");
        let reason = answer["error"]["reason"].as_str().unwrap();
        assert!(reason.starts_with("Number of documents in the index can't exceed ["), "{reason}");
    }
    answer["status"].as_u64().unwrap()
}

fn index(harness: &mut Harness, id: &str, n: u32, nested: u32) -> u64 {
    status(harness, &[&json!({"index": {"_id": id}}).to_string(), &source(n, nested)])
}

fn delete(harness: &mut Harness, id: &str) -> u64 {
    status(harness, &[&json!({"delete": {"_id": id}}).to_string()])
}

fn update(harness: &mut Harness, id: &str, n: u32) -> u64 {
    status(harness, &[&json!({"update": {"_id": id}}).to_string(), &json!({"doc": {"n": n}}).to_string()])
}

fn segment_names(harness: &Harness) -> Vec<String> {
    let segments: Vec<Value> = serde_json::from_str(&harness.shard.segments_json()).unwrap();
    segments.iter().map(|segment| segment["name"].as_str().unwrap().to_owned()).collect()
}

fn merge_all(harness: &mut Harness) {
    harness.shard.refresh(harness.now_ms).unwrap();
    let job = harness.shard.begin_merge(&segment_names(harness)).unwrap();
    let outcome = job.run(&MergeControl::default()).unwrap();
    harness.shard.finish_merge(&outcome).unwrap();
}

fn held(harness: &Harness) -> u64 {
    let stats: Value = serde_json::from_str(&harness.shard.stats_json()).unwrap();
    stats["heldDocuments"].as_u64().unwrap()
}

#[test]
fn the_item_that_does_not_fit_is_refused_and_not_the_shard() {
    let mut harness = Harness::create(opening(5));
    for (id, nested) in [("a", 0), ("b", 2)] {
        assert_eq!(index(&mut harness, id, 1, nested), 201);
    }
    assert_eq!(held(&harness), 4);
    // One document with a nested one is one past the limit, one without is at it.
    assert_eq!(index(&mut harness, "c", 1, 1), 400);
    assert_eq!(index(&mut harness, "c", 1, 0), 201);
    assert_eq!(held(&harness), 5);
    let newest = harness.shard.max_seq_no();
    assert_eq!(index(&mut harness, "d", 1, 0), 400);
    assert_eq!(status(&mut harness, &[r#"{"index":{}}"#, r#"{"n":1}"#]), 400);
    // The former state of a document stays until a merge.
    assert_eq!(index(&mut harness, "a", 2, 0), 400);
    assert_eq!(update(&mut harness, "a", 2), 400);
    let upsert = [r#"{"update":{"_id":"e"}}"#, r#"{"doc":{"n":1},"doc_as_upsert":true}"#];
    assert_eq!(status(&mut harness, &upsert), 400);
    // What adds no document is carried out, and what is wrong otherwise is told first.
    assert_eq!(update(&mut harness, "a", 1), 200);
    assert_eq!(status(&mut harness, &[r#"{"create":{"_id":"a"}}"#, r#"{"n":3}"#]), 409);
    assert_eq!(harness.shard.max_seq_no(), newest);
    assert_eq!(delete(&mut harness, "b"), 200);
    assert_eq!(delete(&mut harness, "nobody"), 404);
    assert!(harness.shard.refresh(harness.now_ms).unwrap());
    assert!(harness.shard.failure().is_none());
    let stats: Value = serde_json::from_str(&harness.shard.stats_json()).unwrap();
    assert_eq!(stats["indexing"]["indexFailed"], 7);
    assert_eq!(searchable(&harness.shard).keys().collect::<Vec<_>>(), ["a", "c"]);
    let mut harness = harness.crash();
    assert_eq!(searchable(&harness.shard).keys().collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(held(&harness), 5);
    assert_eq!(index(&mut harness, "d", 1, 0), 400);
    // A merge frees the room of the deleted document and of its two nested ones.
    merge_all(&mut harness);
    assert_eq!(held(&harness), 2);
    assert_eq!(index(&mut harness, "d", 1, 2), 201);
    assert_eq!(index(&mut harness, "e", 1, 0), 400);
}

#[test]
fn shards_are_opened_with_the_limit_of_the_api() {
    assert_eq!(super::harness::options(std::path::Path::new("/")).documents_max, 2_147_483_519);
    assert_eq!(SHARD_DOCUMENTS_MAX, 2_147_483_519);
}

/// Six documents in a commit, four of them written anew, and once more into the room that a merge made: the translog has
/// more operations than fit beside the segments of the commit.
fn outgrow_commit(harness: &mut Harness, mut sync: impl FnMut(&mut Harness)) {
    for id in ["a", "b", "c", "d", "e", "f"] {
        assert_eq!(index(harness, id, 1, 0), 201);
    }
    harness.shard.flush(true, harness.now_ms).unwrap();
    sync(harness);
    for n in [2, 3] {
        for id in ["a", "b", "c", "d"] {
            assert_eq!(index(harness, id, n, 0), 200);
        }
        assert_eq!(index(harness, "a", 9, 0), 400);
        if n == 2 {
            merge_all(harness);
            assert_eq!(held(harness), 6);
        }
    }
    assert_eq!(delete(harness, "f"), 200);
    harness.shard.refresh(harness.now_ms).unwrap();
}

#[test]
fn a_recovery_takes_what_was_acknowledged_into_room_that_a_later_merge_had_made() {
    let mut harness = Harness::create(opening(10));
    outgrow_commit(&mut harness, |_| {});
    let expected = searchable(&harness.shard);
    for _ in 0..2 {
        harness = harness.crash();
        assert_eq!(searchable(&harness.shard), expected);
        assert!(held(&harness) <= 10);
    }
    merge_all(&mut harness);
    assert_eq!(index(&mut harness, "g", 1, 4), 201);
    harness.shard.flush(false, harness.now_ms).unwrap();
    assert_eq!(check_shard(harness.directory.path()).unwrap(), []);
}

#[test]
fn a_promoted_copy_takes_them_as_well_though_it_was_sent_older_segments() {
    let mut harness = Harness::create(opening(10));
    let directory = TestDirectory::new();
    let history = harness.shard.history_uuid().to_owned();
    let options = opening(10).options(directory.path());
    let members = opening(10).members;
    let mut replica = Replica::create(options.clone(), mapping(&members), &json!({}), &history).unwrap();
    replica.rollback_above(-1, 1).unwrap();
    harness.shard.retain_from(0, 1 << 20).unwrap();
    outgrow_commit(&mut harness, |harness| {
        assert!(copy_segments(&harness.shard.segment_set(), &mut replica, 1_000, InstallMode::Commit).unwrap());
    });
    let operations = harness.shard.read_history(0, 1 << 20).unwrap().run().unwrap();
    replica.append(&operations.bytes, 1, -1).unwrap();
    let stats: Value = serde_json::from_str(&replica.stats_json().unwrap()).unwrap();
    assert_eq!(stats["heldDocuments"], 6);
    drop(replica);
    let promoted = opening(10).open(directory.path()).unwrap();
    assert_eq!(searchable_in(promoted.view()), searchable(&harness.shard));
    assert!(promoted.document_count() <= 10);
}

#[test]
fn more_than_was_ever_allowed_is_still_opened() {
    let mut harness = Harness::create(opening(10));
    for id in ["a", "b", "c"] {
        assert_eq!(index(&mut harness, id, 1, 2), 201);
    }
    let Harness { directory, shard, .. } = harness;
    drop(shard);
    let mut shard = opening(4).open(directory.path()).unwrap();
    assert_eq!((shard.document_count(), searchable(&shard).len()), (9, 3));
    assert!(shard.refresh(1).is_ok() && shard.failure().is_none());
}

#[derive(Debug, Clone)]
enum Step {
    Index {
        id: u8,
        n: u32,
        nested: u32,
    },
    Update {
        id: u8,
        n: u32,
    },
    Delete {
        id: u8,
    },
    Refresh,
    Flush,
    Freeze,
    TakeBuilt,
    /// Of the segments whose bit is set.
    BeginMerge {
        which: u8,
    },
    EndMerge {
        is_aborted: bool,
    },
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (id, n) = (0u8..6, 0u32..3);
    let step = prop_oneof![
        8 => (id.clone(), n.clone(), 0u32..4).prop_map(|(id, n, nested)| Step::Index { id, n, nested }),
        3 => (id.clone(), n).prop_map(|(id, n)| Step::Update { id, n }),
        2 => id.prop_map(|id| Step::Delete { id }),
        2 => Just(Step::Refresh),
        1 => Just(Step::Flush),
        2 => Just(Step::Freeze),
        1 => Just(Step::TakeBuilt),
        2 => any::<u8>().prop_map(|which| Step::BeginMerge { which }),
        3 => prop::bool::weighted(0.2).prop_map(|is_aborted| Step::EndMerge { is_aborted }),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..80)
}

/// A document where it was put: it stays there, deleted or not, until a merge leaves it out.
#[derive(Debug, Clone)]
struct Put {
    id: String,
    /// With its nested ones.
    documents: u64,
    is_live: bool,
}

fn has_live(documents: &[Put]) -> bool {
    documents.iter().any(|put| put.is_live)
}

#[derive(Debug, Clone, Default)]
struct ModelSegment {
    documents: Vec<Put>,
    is_merging: bool,
}

/// Everything that was put, place by place.
#[derive(Debug, Default)]
struct Model {
    buffer: Vec<Put>,
    /// With whether any of them was alive when it was frozen: otherwise no segment comes of it.
    frozen: Option<(Vec<Put>, bool)>,
    segments: Vec<ModelSegment>,
    /// Number and nested objects of the live documents.
    live: BTreeMap<String, (u32, u32)>,
}

impl Model {
    fn places(&mut self) -> impl Iterator<Item = &mut Vec<Put>> {
        let segments = self.segments.iter_mut().map(|segment| &mut segment.documents);
        let frozen = self.frozen.iter_mut().map(|(documents, _)| documents);
        segments.chain(frozen).chain([&mut self.buffer])
    }

    fn count(&mut self) -> u64 {
        self.places().flatten().map(|put| put.documents).sum()
    }

    fn delete(&mut self, id: &str) -> bool {
        self.places().flatten().filter(|put| put.id == id).for_each(|put| put.is_live = false);
        self.live.remove(id).is_some()
    }

    fn put(&mut self, id: &str, n: u32, nested: u32) {
        self.delete(id);
        self.live.insert(id.to_owned(), (n, nested));
        self.buffer.push(Put { id: id.to_owned(), documents: 1 + u64::from(nested), is_live: true });
    }

    fn take_built(&mut self) {
        if let Some((documents, true)) = self.frozen.take() {
            self.segments.push(ModelSegment { documents, is_merging: false });
        }
    }

    fn refresh(&mut self) {
        let documents = std::mem::take(&mut self.buffer);
        self.segments.push(ModelSegment { documents, is_merging: false });
        self.segments.retain(|segment| segment.is_merging || has_live(&segment.documents));
    }
}

/// Documents of a segment with their nested ones, which stand before them and have no ids.
fn puts_of(segment: &SegmentView) -> Vec<Put> {
    let (mut puts, mut nested) = (Vec::new(), 0);
    for doc in 0..segment.max_doc() {
        let id = String::from_utf8(segment.reader.ids().get(doc).to_vec()).unwrap();
        if id.is_empty() {
            nested += 1;
            continue;
        }
        let is_live = segment.deletions.as_ref().is_none_or(|live| live.is_live(doc));
        puts.push(Put { id, documents: 1 + std::mem::take(&mut nested), is_live });
    }
    assert_eq!(nested, 0);
    puts
}

struct World {
    documents_max: u32,
    harness: Harness,
    model: Model,
    merge: Option<(MergeJob, MergeOutcome, Vec<Put>)>,
}

impl World {
    /// The status that a document of so many documents is answered with.
    fn expected(&mut self, documents: u32, otherwise: u64) -> u64 {
        let fits = self.model.count() + u64::from(documents) <= u64::from(self.documents_max);
        if fits { otherwise } else { 400 }
    }

    fn index(&mut self, id: &str, n: u32, nested: u32) {
        let otherwise = if self.model.live.contains_key(id) { 200 } else { 201 };
        let expected = self.expected(1 + nested, otherwise);
        assert_eq!(index(&mut self.harness, id, n, nested), expected);
        if expected != 400 {
            self.model.put(id, n, nested);
        }
    }

    fn update(&mut self, id: &str, n: u32) {
        let known = self.model.live.get(id).copied();
        let expected = match known {
            None => 404,
            Some((known, _)) if known == n => 200,
            Some((_, nested)) => self.expected(1 + nested, 200),
        };
        assert_eq!(update(&mut self.harness, id, n), expected);
        if let Some((_, nested)) = known.filter(|(known, _)| *known != n && expected == 200) {
            self.model.put(id, n, nested);
        }
    }

    fn take_built(&mut self) {
        self.harness.shard.take_built(self.harness.now_ms).unwrap();
        self.model.take_built();
    }

    fn refresh(&mut self) {
        self.take_built();
        let is_dirty = self.harness.shard.is_dirty();
        self.harness.shard.refresh(self.harness.now_ms).unwrap();
        if is_dirty {
            self.model.refresh();
        }
    }

    fn begin_merge(&mut self, which: u8) {
        let names = segment_names(&self.harness);
        assert_eq!(names.len(), self.model.segments.len());
        let chosen = |place: usize| which >> (place % 8) & 1 == 1;
        let names: Vec<String> = (0..).zip(names).filter(|(place, _)| chosen(*place)).map(|(_, name)| name).collect();
        if names.is_empty() || self.merge.is_some() {
            return;
        }
        let mut kept = Vec::new();
        for (_, segment) in self.model.segments.iter_mut().enumerate().filter(|(place, _)| chosen(*place)) {
            segment.is_merging = true;
            kept.extend(segment.documents.iter().filter(|put| put.is_live).cloned());
        }
        let job = self.harness.shard.begin_merge(&names).unwrap();
        let outcome = job.run(&MergeControl::default()).unwrap();
        self.merge = Some((job, outcome, kept));
    }

    fn end_merge(&mut self, is_aborted: bool) {
        let Some((job, outcome, mut kept)) = self.merge.take() else { return };
        if is_aborted {
            self.harness.shard.abort_merge(&job);
            self.model.segments.iter_mut().for_each(|segment| segment.is_merging = false);
            return;
        }
        self.harness.shard.finish_merge(&outcome).unwrap();
        let segments = &mut self.model.segments;
        let live_now = |put: &Put| {
            let inputs = segments.iter().filter(|segment| segment.is_merging);
            inputs.flat_map(|segment| &segment.documents).any(|input| input.is_live && input.id == put.id)
        };
        for put in &mut kept {
            put.is_live = live_now(put);
        }
        let place = segments.iter().position(|segment| segment.is_merging).unwrap();
        segments.retain(|segment| !segment.is_merging);
        if !kept.is_empty() {
            segments.insert(place, ModelSegment { documents: kept, is_merging: false });
        }
    }

    /// What the segments are after a recovery is for the recovery to say: nothing acknowledged is missing, and all fits.
    fn reopen(mut self) -> Self {
        self.harness = self.harness.crash();
        self.merge = None;
        let segments = self.harness.shard.view().segments.iter();
        let segments: Vec<_> =
            segments.map(|segment| ModelSegment { documents: puts_of(segment), is_merging: false }).collect();
        self.model = Model { segments, live: self.model.live, ..Model::default() };
        assert!(self.model.count() <= u64::from(self.documents_max));
        let mut live: Vec<&str> = self
            .model
            .segments
            .iter()
            .flat_map(|segment| &segment.documents)
            .filter(|put| put.is_live)
            .map(|put| put.id.as_str())
            .collect();
        live.sort_unstable();
        assert_eq!(live, self.model.live.keys().map(String::as_str).collect::<Vec<_>>());
        self
    }

    fn take(mut self, step: &Step) -> Self {
        match step {
            Step::Index { id, n, nested } => self.index(&format!("id{id}"), *n, *nested),
            Step::Update { id, n } => self.update(&format!("id{id}"), *n),
            Step::Delete { id } => {
                let id = format!("id{id}");
                let expected = if self.model.delete(&id) { 200 } else { 404 };
                assert_eq!(delete(&mut self.harness, &id), expected);
            }
            Step::Refresh => self.refresh(),
            Step::Flush => {
                self.refresh();
                self.harness.shard.flush(false, self.harness.now_ms).unwrap();
            }
            Step::Freeze => {
                if let Some(build) = self.harness.shard.freeze().unwrap() {
                    build.start();
                    let documents = std::mem::take(&mut self.model.buffer);
                    self.model.frozen = Some((documents.clone(), has_live(&documents)));
                }
            }
            Step::TakeBuilt => self.take_built(),
            Step::BeginMerge { which } => self.begin_merge(*which),
            Step::EndMerge { is_aborted } => self.end_merge(*is_aborted),
            Step::Reopen => return self.reopen(),
        }
        self
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_a_shard_takes_is_what_a_plain_count_has_room_for(steps in steps(), documents_max in 4u32..30) {
        let harness = Harness::create(opening(documents_max));
        let mut world = World { documents_max, harness, model: Model::default(), merge: None };
        for step in &steps {
            world = world.take(step);
            prop_assert_eq!(world.harness.shard.document_count(), world.model.count(), "{:?}", step);
            prop_assert_eq!(held(&world.harness), world.model.count());
            prop_assert!(world.model.count() <= u64::from(documents_max));
            prop_assert!(world.harness.shard.failure().is_none());
        }
        world.end_merge(false);
        world.refresh();
        let live: Vec<String> = searchable(&world.harness.shard).into_keys().collect();
        prop_assert_eq!(live, world.model.live.keys().cloned().collect::<Vec<_>>());
    }
}
