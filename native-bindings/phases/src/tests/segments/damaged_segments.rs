//! Segment files damaged by the million, with checksums that fit: they are refused, or searches of them find what may be wrong. Nothing
//! panics, hangs or takes memory without end. See `quarry_testing::fuzz`.

use crate::collect::parts::tests::in_damaged;
use crate::search::execute;
use crate::tests::fixture::{Shard, field, plan_of, shard, shard_with, sorted_shard};
use quarry_plan::request::SearchPlan;
use quarry_query::view::ShardView;
use quarry_segment::check::check_segment;
use quarry_segment::reader::SegmentReader;
use quarry_testing::Dice;
use quarry_testing::fuzz::{fuzz, overwrite, pick};
use serde_json::{Value, json};
use std::sync::Arc;

/// Of header and footer, as docs/segment-format.md has them.
const BLOCK_BYTES: usize = 64;
const CHECKSUM_AT: usize = 52;
const METADATA_CHECKSUM_AT: usize = 40;

const WORDS: [&str; 6] = ["red", "green", "blue", "fox", "dog", "a"];
const DIMS: usize = 4;

fn fields(more: Vec<Value>) -> Vec<Value> {
    let usual = [
        field("text", "text", json!({"analyzer": "whitespace"})),
        field("tag", "keyword", json!({})),
        field("n", "long", json!({})),
        field("d", "double", json!({})),
        field("flag", "boolean", json!({})),
    ];
    usual.into_iter().chain(more).collect()
}

fn document(dice: &mut Dice, place: u64) -> Value {
    let words =
        |dice: &mut Dice, most: u64| (0..=dice.below(most)).map(|_| *pick(dice, &WORDS)).collect::<Vec<_>>().join(" ");
    let mut document = json!({
        "text": words(dice, 12), "tag": pick(dice, &WORDS), "d": dice.below(40) as f64 / 4.0, "flag": place.is_multiple_of(3),
    });
    if dice.below(4) > 0 {
        document["n"] = json!([dice.below(30), dice.below(1_000_000_007)]);
    }
    document
}

fn documents(count: u64, more: impl Fn(&mut Dice, u64) -> Value) -> Vec<Value> {
    let mut dice = Dice::new(count);
    let one = |place| {
        let mut document = document(&mut dice, place);
        let added = more(&mut dice, place);
        for (name, value) in added.as_object().unwrap() {
            document[name] = value.clone();
        }
        document
    };
    (0..count).map(one).collect()
}

fn ranges() -> Shard {
    let range = |dice: &mut Dice, _| {
        let from = dice.below(50);
        json!({"r": {"gte": from, "lte": from + dice.below(9)}})
    };
    shard(fields(vec![field("r", "long_range", json!({}))]), &[(documents(60, range), vec![])])
}

fn nested() -> Shard {
    let nested = json!({"include_in_parent": false, "include_in_root": false});
    let object = json!({"path": "o", "dynamic": "false", "enabled": true, "nested": nested});
    let parts = |dice: &mut Dice, _| {
        let parts: Vec<_> = (0..dice.below(4)).map(|_| json!({"k": pick(dice, &WORDS)})).collect();
        json!({"o": parts})
    };
    shard_with(fields(vec![field("o.k", "keyword", json!({}))]), vec![object], &[(documents(40, parts), vec![])])
}

fn vectors() -> Shard {
    let vector = |dice: &mut Dice, _| {
        let values: Vec<f64> = (0..DIMS).map(|_| dice.below(100) as f64 - 50.5).collect();
        json!({"v": values})
    };
    let hnsw = json!({"m": 8, "ef_construction": 40});
    let options = json!({"doc_values": false, "vector": {"dims": DIMS, "similarity": "l2_norm", "hnsw": hnsw}});
    shard(fields(vec![field("v", "dense_vector", options)]), &[(documents(60, vector), vec![])])
}

fn sorted() -> Shard {
    let sort = json!([{"field": "n", "descending": false, "byGreatest": false, "missingFirst": false}]);
    let nothing = |_: &mut Dice, _| json!({});
    let numbered = (0..).zip(documents(60, nothing)).collect();
    sorted_shard(fields(vec![]), vec![], &sort, &[(numbered, vec![])])
}

/// More than one window of documents, most of them without a text.
fn several_windows() -> Shard {
    let mut dice = Dice::new(5);
    let one =
        |place| if place % 50 == 0 { document(&mut dice, place) } else { json!({"tag": WORDS[place as usize % 6]}) };
    shard(fields(vec![]), &[((0..5_000).map(one).collect(), vec![])])
}

fn plans() -> Vec<SearchPlan> {
    let fetch = json!({"source": {"enabled": true}});
    let by = |key: &str, order: &str| json!([{"field": {"field": key, "order": order, "missing": "last"}}]);
    let matches = |query: &str| json!({"match": {"field": "text", "query": query}});
    let sum = json!([{"name": "s", "kind": {"sum": {"source": {"field": "n"}}}, "aggs": []}]);
    let requests = [
        json!({"query": matches("red fox"), "fetch": fetch}),
        json!({"query": {"match_phrase": {"field": "text", "query": "red green"}}}),
        json!({"query": {"bool": {"must": [matches("dog")], "filter": [{"term": {"field": "tag", "value": "blue"}}]}}}),
        json!({"query": {"range": {"field": "n", "from": {"value": 3, "inclusive": true}}}, "sort": by("d", "desc")}),
        json!({"query": {"range": {"field": "r", "from": {"value": 9, "inclusive": true}}}}),
        json!({"query": {"prefix": {"field": "text", "value": "g"}}, "sort": by("tag", "asc"), "aggregations": sum}),
        json!({"query": {"exists": {"field": "n"}}, "sort": by("n", "asc"), "fetch": fetch}),
        json!({"query": {"term": {"field": "flag", "value": true}}, "size": 100, "fetch": fetch}),
        json!({"query": {"knn": {"field": "v", "query_vector": vec![0.5; DIMS], "k": 3, "num_candidates": 10}}}),
    ];
    requests.iter().map(plan_of).collect()
}

/// A file, and where what stands for its identity is.
struct Whole {
    shard: Shard,
    bytes: Vec<u8>,
    uuid_at: Vec<usize>,
}

impl Whole {
    fn of(shard: Shard) -> Self {
        let reader = &shard.view.segments[0].reader;
        let bytes = reader.file().to_vec();
        let uuid = reader.id().uuid;
        let uuid_at = (0..bytes.len() - 16).filter(|&at| bytes[at..at + 16] == uuid).collect();
        Whole { shard, bytes, uuid_at }
    }

    fn metadata(&self) -> std::ops::Range<usize> {
        let footer = &self.bytes[self.bytes.len() - BLOCK_BYTES..];
        let word = |at: usize| u64::from_le_bytes(footer[at..at + 8].try_into().unwrap()) as usize;
        word(0)..word(0) + word(8)
    }

    /// What is kept of segments goes by their identity: a damaged file gets one of its own.
    fn damaged(&self, dice: &mut Dice) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        let metadata = self.metadata();
        let length = bytes.len();
        match dice.below(20) {
            0 => overwrite(dice, &mut bytes[length - BLOCK_BYTES..length - 12]),
            1 => overwrite(dice, &mut bytes[..CHECKSUM_AT]),
            2 => bytes.truncate(dice.below(length as u64) as usize),
            3..=6 => overwrite(dice, &mut bytes[metadata.clone()]),
            _ => overwrite(dice, &mut bytes[BLOCK_BYTES..metadata.start]),
        }
        let uuid = u128::from(dice.below(u64::MAX)) << 64 | u128::from(dice.below(u64::MAX));
        let left = bytes.len();
        for &at in self.uuid_at.iter().filter(|&&at| at + 16 <= left) {
            bytes[at..at + 16].copy_from_slice(&uuid.to_le_bytes());
        }
        if left == length {
            seal(&mut bytes, metadata);
        }
        bytes
    }
}

/// Makes the checksums of header, metadata and footer fit.
fn seal(bytes: &mut [u8], metadata: std::ops::Range<usize>) {
    let checksum = crc32c::crc32c(&bytes[metadata]).to_le_bytes();
    let footer = bytes.len() - BLOCK_BYTES;
    bytes[footer + METADATA_CHECKSUM_AT..footer + METADATA_CHECKSUM_AT + 4].copy_from_slice(&checksum);
    for block in [0, footer] {
        let checksum = crc32c::crc32c(&bytes[block..block + CHECKSUM_AT]).to_le_bytes();
        bytes[block + CHECKSUM_AT..block + CHECKSUM_AT + 4].copy_from_slice(&checksum);
    }
}

#[test]
fn damaged_segments_are_refused_or_searched() {
    let wholes: Vec<_> = [ranges(), nested(), vectors(), sorted(), several_windows()].map(Whole::of).into();
    for whole in &wholes {
        assert_eq!(whole.uuid_at.len(), 3, "header, metadata, footer");
    }
    let plans = plans();
    let mut searched = 0u64;
    fuzz("segment files", |dice| {
        // The last is the largest by far.
        let at = if dice.below(40) == 0 { wholes.len() - 1 } else { dice.below(wholes.len() as u64 - 1) as usize };
        let whole = &wholes[at];
        let Ok(segment) = SegmentReader::in_memory(whole.damaged(dice), "_0.seg") else { return };
        let findings = check_segment(&segment);
        let view = &whole.shard.view;
        let parts = [(segment, None)];
        let (mapping, analysis) = (Arc::clone(&view.mapping), Arc::clone(&view.analysis));
        let Ok(view) = ShardView::new("test".into(), 0, parts, mapping, analysis) else { return };
        for _ in 0..3 {
            let mut search = || execute(&view, pick(dice, &plans), &|| false);
            let found = if findings.is_empty() { search() } else { in_damaged(search) };
            searched += u64::from(found.is_ok() || !findings.is_empty());
        }
    });
    assert!(searched > 0, "no damaged segment was searched");
}
