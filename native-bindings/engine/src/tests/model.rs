//! Random operations against a map, with crashes, refreshes and flushes between them.

use super::harness::{Harness, searchable};
use crate::directory::check::check_shard;
use crate::segments::frozen::RefreshStep;
use crate::segments::merge_job::{MergeJob, MergeOutcome};
use proptest::prelude::*;
use quarry_segment::merge::MergeControl;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum Step {
    Index {
        id: u8,
        n: u32,
    },
    Create {
        id: u8,
        n: u32,
    },
    Delete {
        id: u8,
    },
    Update {
        id: u8,
        n: u32,
    },
    IfSeqNo {
        id: u8,
        n: u32,
        right: bool,
    },
    Refresh,
    Flush,
    Crash,
    /// Hands the buffer to another thread, as a full one is.
    Freeze,
    /// Takes the segment it became.
    TakeBuilt,
    /// A refresh that waits for builds as the event loop does.
    StepwiseRefresh,
    /// Merges all segments; the writes come while it runs.
    Merge {
        meanwhile: Vec<(u8, u32)>,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = 0u8..8;
    let n = 0u32..4;
    let step = prop_oneof![
        4 => (id.clone(), n.clone()).prop_map(|(id, n)| Step::Index { id, n }),
        2 => (id.clone(), n.clone()).prop_map(|(id, n)| Step::Create { id, n }),
        2 => id.clone().prop_map(|id| Step::Delete { id }),
        2 => (id.clone(), n.clone()).prop_map(|(id, n)| Step::Update { id, n }),
        2 => (id, n.clone(), any::<bool>()).prop_map(|(id, n, right)| Step::IfSeqNo { id, n, right }),
        1 => Just(Step::Refresh),
        1 => Just(Step::Flush),
        1 => Just(Step::Crash),
        2 => Just(Step::Freeze),
        2 => Just(Step::TakeBuilt),
        1 => Just(Step::StepwiseRefresh),
        1 => prop::collection::vec((0u8..8, n.clone()), 0..3).prop_map(|meanwhile| Step::Merge { meanwhile }),
    ];
    prop::collection::vec(step, 1..40)
}

#[derive(Debug, Clone, Default)]
struct Model {
    /// Version, sequence number and source of live documents.
    live: BTreeMap<String, (u64, u64, String)>,
    /// Versions of deleted ones.
    deleted: BTreeMap<String, u64>,
    next_seq_no: u64,
}

impl Model {
    fn next_version(&self, id: &str) -> u64 {
        let live = self.live.get(id).map(|(version, _, _)| *version);
        live.or(self.deleted.get(id).copied()).map_or(1, |version| version + 1)
    }

    fn put(&mut self, id: &str, source: String) -> u64 {
        let version = self.next_version(id);
        self.live.insert(id.into(), (version, self.next_seq_no, source));
        self.deleted.remove(id);
        self.next_seq_no += 1;
        version
    }

    fn delete(&mut self, id: &str) -> u64 {
        let version = self.next_version(id);
        self.live.remove(id);
        self.deleted.insert(id.into(), version);
        self.next_seq_no += 1;
        version
    }
}

/// Runs one write on both and compares the answers.
fn write(harness: &mut Harness, model: &mut Model, step: &Step) {
    let (Step::Index { id, .. }
    | Step::Create { id, .. }
    | Step::Delete { id }
    | Step::Update { id, .. }
    | Step::IfSeqNo { id, .. }) = step
    else {
        return;
    };
    let id = &format!("id{id}");
    let source = |n: &u32| json!({ "n": n, "t": format!("word{n} common") }).to_string();
    let seq_no = model.next_seq_no;
    let exists = model.live.contains_key(id);
    let (lines, expected): (Vec<String>, Option<u64>) = match step {
        Step::Index { n, .. } => {
            (vec![json!({"index": {"_id": id}}).to_string(), source(n)], Some(model.put(id, source(n))))
        }
        Step::Create { n, .. } => {
            let version = (!exists).then(|| model.put(id, source(n)));
            (vec![json!({"create": {"_id": id}}).to_string(), source(n)], version)
        }
        Step::Delete { .. } => (vec![json!({"delete": {"_id": id}}).to_string()], Some(model.delete(id))),
        Step::Update { n, .. } => {
            let merged = model.live.get(id).map(|(_, _, old)| {
                let mut merged: Value = serde_json::from_str(old).unwrap();
                merged["n"] = json!(n);
                merged.to_string()
            });
            let changed = merged.filter(|merged| *merged != model.live[id].2);
            let lines = vec![json!({"update": {"_id": id}}).to_string(), json!({"doc": {"n": n}}).to_string()];
            match changed {
                Some(merged) => (lines, Some(model.put(id, merged))),
                // Nothing changes, or there is nothing to change.
                None => (lines, model.live.get(id).map(|(version, _, _)| *version)),
            }
        }
        Step::IfSeqNo { n, right, .. } => {
            let current = model.live.get(id).map_or(1_000_000, |(_, seq_no, _)| *seq_no);
            let given = if *right { current } else { current + 1 };
            let line = json!({"index": {"_id": id, "if_seq_no": given, "if_primary_term": 1}}).to_string();
            let version = (*right && exists).then(|| model.put(id, source(n)));
            (vec![line, source(n)], version)
        }
        Step::Refresh
        | Step::Flush
        | Step::Crash
        | Step::Freeze
        | Step::TakeBuilt
        | Step::StepwiseRefresh
        | Step::Merge { .. } => return,
    };
    let answers = harness.bulk(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let (_, answer) = answers[0].as_object().unwrap().iter().next().unwrap();
    assert_eq!(answer["_version"].as_u64(), expected, "{step:?}: {answer}");
    if model.next_seq_no > seq_no {
        assert_eq!(answer["_seq_no"].as_u64(), Some(seq_no), "{step:?}: {answer}");
    }
}

fn check_reads(harness: &mut Harness, model: &Model) {
    for id in (0..8).map(|id| format!("id{id}")) {
        let got = harness.get_json(&id, "{}");
        match model.live.get(&id) {
            None => assert_eq!(got["found"], false),
            Some((version, seq_no, source)) => {
                assert_eq!((got["_version"].as_u64(), got["_seq_no"].as_u64()), (Some(*version), Some(*seq_no)));
                assert_eq!(got["_source"], serde_json::from_str::<Value>(source).unwrap());
            }
        }
    }
}

/// Of the index: none, or one that puts new documents anywhere.
fn sort() -> impl Strategy<Value = Value> {
    let by = |field: &str, descending: bool| json!({"field": field, "descending": descending, "byGreatest": descending, "missingFirst": false});
    prop_oneof![Just(json!([])), Just(json!([by("n", true)])), Just(json!([by("k", false), by("n", false)]))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn a_shard_is_a_map_that_survives_crashes(steps in steps(), sort in sort()) {
        let mut harness = Harness::sorted_by(sort);
        let mut model = Model::default();
        let mut visible = BTreeMap::new();
        let mut frozen = None;
        for step in &steps {
            match step {
                Step::Refresh => {
                    harness.shard.refresh(harness.now_ms).unwrap();
                    (visible, frozen) = (model.live.clone(), None);
                }
                Step::Flush => {
                    harness.shard.flush(false, harness.now_ms).unwrap();
                    (visible, frozen) = (model.live.clone(), None);
                }
                Step::Freeze => {
                    if let Some(build) = harness.shard.freeze().unwrap() {
                        build.start();
                        frozen = Some(model.live.clone());
                    }
                }
                Step::TakeBuilt => {
                    prop_assert_eq!(harness.shard.take_built(harness.now_ms).unwrap(), frozen.is_some());
                    visible = frozen.take().unwrap_or(visible);
                }
                Step::StepwiseRefresh => {
                    stepwise_refresh(&mut harness);
                    (visible, frozen) = (model.live.clone(), None);
                }
                Step::Crash => {
                    harness = harness.crash();
                    (visible, frozen) = (model.live.clone(), None);
                    // A committed deletion is remembered by nobody.
                    model.deleted.clear();
                    model.deleted.extend(remembered(&mut harness, &model));
                }
                Step::Merge { meanwhile } => {
                    if let Some(merged) = merge(&mut harness, &mut model, meanwhile) {
                        (visible, frozen) = (merged, None);
                    }
                }
                _ => write(&mut harness, &mut model, step),
            }
            prop_assert_eq!(&searchable(&harness.shard), &visible);
            check_reads(&mut harness, &model);
        }
        prop_assert_eq!(harness.shard.max_seq_no(), model.next_seq_no as i64 - 1);
        harness.sync();
        prop_assert_eq!(check_shard(harness.directory.path()).unwrap(), []);
    }
}

fn stepwise_refresh(harness: &mut Harness) {
    let shard = &mut harness.shard;
    while let RefreshStep::Wait { is_last } = shard.begin_refresh(harness.now_ms).unwrap() {
        let running = shard.running_build().unwrap();
        assert!(shard.take_this(&running, harness.now_ms).unwrap());
        assert!(!shard.take_this(&running, harness.now_ms).unwrap());
        if is_last {
            break;
        }
    }
}

/// Merges all segments with writes in between; returns what searches see afterwards, `None` when there was nothing to merge.
fn merge(
    harness: &mut Harness,
    model: &mut Model,
    meanwhile: &[(u8, u32)],
) -> Option<BTreeMap<String, (u64, u64, String)>> {
    let segments: Vec<Value> = serde_json::from_str(&harness.shard.segments_json()).unwrap();
    let names: Vec<String> = segments.iter().map(|segment| segment["name"].as_str().unwrap().to_string()).collect();
    if names.is_empty() {
        return None;
    }
    let job = MergeJob::decode(&harness.shard.begin_merge(&names).unwrap().encode()).unwrap();
    assert!(harness.shard.begin_merge(&names).is_err());
    let outcome = job.run(&MergeControl::default()).unwrap();
    for (at, (id, n)) in meanwhile.iter().enumerate() {
        let step = if at == 0 { Step::Delete { id: *id } } else { Step::Index { id: *id, n: *n } };
        write(harness, model, &step);
        harness.shard.refresh(harness.now_ms).unwrap();
    }
    harness.shard.finish_merge(&MergeOutcome::decode(&outcome.encode()).unwrap()).unwrap();
    harness.shard.refresh(harness.now_ms).unwrap();
    Some(model.live.clone())
}

/// Deletions that a recovered shard still knows the version of: those of the translog.
fn remembered(harness: &mut Harness, model: &Model) -> BTreeMap<String, u64> {
    let ids = (0..8).map(|id| format!("id{id}")).filter(|id| !model.live.contains_key(id));
    ids.filter_map(|id| Some((id.clone(), harness.shard.remembered_deletion(&id)?))).collect()
}
