//! Segments whose documents are sorted: what they hold after flushes and merges, and searches that end early.

use super::sorting::{compare, key};
use crate::search::execute;
use crate::tests::fixture::{NumberedSegment, Shard, field, ids, merged, plan_of, search, sorted_shard};
use proptest::prelude::*;
use quarry_codec::window::WINDOW;
use quarry_segment::check::check_segment;
use quarry_segment::dump::dump;
use quarry_testing::Dice;
use serde_json::{Value, json};
use std::cell::Cell;

fn fields() -> Vec<Value> {
    vec![
        field("n", "long", json!({})),
        field("tag", "keyword", json!({})),
        field("d", "double", json!({})),
        field("text", "text", json!({"analyzer": "whitespace"})),
        field("bare", "keyword", json!({"doc_values": false, "store": true})),
        field("short", "keyword", json!({"ignore_above": 2})),
        field("range", "long_range", json!({})),
        field("shape", "geo_shape", json!({})),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    let sorted = (
        prop::collection::vec(-3i64..4, 0..3),
        prop::collection::vec("[ab]{1,2}", 0..3),
        prop::option::of((-2i32..3).prop_map(f64::from)),
    );
    let others = (
        prop::option::of(prop::collection::vec("[abc]", 0..9).prop_map(|words| words.join(" "))),
        prop::option::of("[xy]"),
        "[xy]{1,3}",
        prop::option::of((0i64..5, 0i64..5).prop_map(|(from, length)| json!({"gte": from, "lte": from + length}))),
        prop::option::of((0i32..20, 0i32..20).prop_map(|(x, y)| json!({"type": "Point", "coordinates": [x, y]}))),
    );
    (sorted, others).prop_map(|((n, tag, d), (text, bare, short, range, shape))| {
        json!({
            "n": n, "tag": tag, "d": d, "text": text, "bare": bare, "short": short, "range": range, "shape": shape,
        })
    })
}

fn sort_key() -> impl Strategy<Value = Value> {
    let order = prop_oneof![Just("asc"), Just("desc")];
    let missing = prop_oneof![Just("first"), Just("last")];
    let mode = prop_oneof![Just("min"), Just("max")];
    (prop_oneof![Just("n"), Just("tag"), Just("d")], order, missing, mode).prop_map(|(name, order, missing, mode)| {
        json!({"field": {"field": name, "order": order, "missing": missing, "mode": mode}})
    })
}

/// An index's sort by keys of searches, which say their mode.
fn index_sort(keys: &[Value]) -> Value {
    let field = |key: &Value| {
        json!({
            "field": key["field"]["field"], "descending": key["field"]["order"] == "desc",
            "byGreatest": key["field"]["mode"] == "max", "missingFirst": key["field"]["missing"] == "first",
        })
    };
    keys.iter().map(field).collect()
}

fn sorted(mut documents: Vec<(u64, Value)>, keys: &[Value]) -> Vec<(u64, Value)> {
    documents.sort_by(|left, right| compare(keys, &left.1, &right.1));
    documents
}

fn numbered(segments: Vec<(Vec<Value>, Vec<u32>)>) -> Vec<NumberedSegment> {
    let mut ids = 0..;
    let mut numbered = |(documents, deleted): (Vec<Value>, Vec<u32>)| {
        let deleted = deleted.into_iter().filter(|&doc| (doc as usize) < documents.len()).collect();
        (ids.by_ref().zip(documents).collect(), deleted)
    };
    segments.into_iter().map(&mut numbered).collect()
}

fn segments() -> impl Strategy<Value = Vec<NumberedSegment>> {
    let segment = (prop::collection::vec(document(), 1..30), prop::collection::vec(0u32..30, 0..8));
    prop::collection::vec(segment, 1..5).prop_map(numbered)
}

fn live((documents, deleted): &NumberedSegment) -> impl Iterator<Item = (u64, Value)> {
    documents.iter().zip(0..).filter(|(_, doc)| !deleted.contains(doc)).map(|(document, _)| document.clone())
}

/// Everything that the segments of a shard can be asked.
fn dumps(shard: &Shard) -> Vec<String> {
    shard.view.segments.iter().map(|segment| dump(&segment.reader)).collect()
}

fn check_all(shard: &Shard) {
    for segment in shard.view.segments.iter() {
        assert!(segment.reader.sort().is_some());
        assert_eq!(check_segment(&segment.reader), []);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sorted_segments_are_those_of_documents_that_come_in_order(
        segments in segments(), keys in prop::collection::vec(sort_key(), 1..4),
    ) {
        let shard = sorted_shard(fields(), vec![], &index_sort(&keys), &segments);
        check_all(&shard);
        let in_order: Vec<NumberedSegment> =
            segments.iter().map(|(documents, _)| (sorted(documents.clone(), &keys), vec![])).collect();
        prop_assert_eq!(dumps(&shard), dumps(&sorted_shard(fields(), vec![], &json!([]), &in_order)));

        // Documents that tie are in the order of the segments, within one in that in which they came.
        let all = sorted(segments.iter().flat_map(live).collect(), &keys);
        prop_assume!(!all.is_empty());
        let merged = merged(shard);
        check_all(&merged);
        prop_assert_eq!(dumps(&merged), dumps(&sorted_shard(fields(), vec![], &json!([]), &[(all, vec![])])));
    }

    #[test]
    fn searches_of_sorted_segments_find_what_sorting_finds(
        segments in segments(),
        index_keys in prop::collection::vec(sort_key(), 1..3),
        prefix in 0usize..3,
        more in prop::collection::vec(sort_key(), 0..2),
        size in 1usize..6,
        by_document: bool,
    ) {
        let shard = sorted_shard(fields(), vec![], &index_sort(&index_keys), &segments);
        let mut keys: Vec<Value> = index_keys.iter().take(prefix).chain(&more).cloned().collect();
        if keys.is_empty() || by_document {
            keys.push(json!({"doc": {"order": "asc"}}));
        }
        let in_shard = segments.iter().flat_map(|segment| sorted(live(segment).collect(), &index_keys));
        let by_field: Vec<Value> = keys.iter().filter(|key| key.get("doc").is_none()).cloned().collect();
        let expected: Vec<u32> = sorted(in_shard.collect(), &by_field).iter().map(|(id, _)| *id as u32).collect();
        for counted in [json!("disabled"), json!({"up_to": 3}), json!("exact")] {
            let found = search(&shard, &json!({"sort": keys, "size": size, "track_total_hits": counted}));
            prop_assert_eq!(&ids(&found)[..], &expected[..size.min(expected.len())], "{:?} {}", keys, counted);
            if counted == "exact" {
                prop_assert_eq!(found["total"]["value"].as_u64(), Some(expected.len() as u64));
            }
        }
    }
}

/// Several windows of each input and of the result, and more stored blocks than are written at once.
#[test]
fn windows_and_blocks_survive_a_merge_of_larger_segments() {
    let mut dice = Dice::new(3);
    let mut document = |id: u64| {
        let words: Vec<String> = (0..dice.below(5)).map(|_| format!("w{}", dice.below(40))).collect();
        let noise: String = (0..6).map(|_| format!("{:016x}", dice.below(u64::MAX))).collect();
        let tag = ["a", "ab", "b", "ba"][dice.below(4) as usize];
        let numbers: Vec<u64> = (0..dice.below(3)).map(|_| dice.below(2_000)).collect();
        (
            id,
            json!({"n": numbers, "tag": tag, "text": words.join(" "), "bare": noise, "range": {"gte": id, "lte": id + 3}}),
        )
    };
    let mut segment = |from: u64, count: u64| -> NumberedSegment {
        ((from..from + count).map(&mut document).collect(), (0..count as u32).filter(|doc| doc % 7 == 2).collect())
    };
    let segments = [segment(0, 9_000), segment(10_000, 5_000), segment(20_000, 100)];
    let keys = [by_n("desc", "max"), key("tag", "asc", json!("last"))];
    let with_modes =
        [by_n("desc", "max"), json!({"field": {"field": "tag", "order": "asc", "mode": "min", "missing": "last"}})];
    let all = sorted(segments.iter().flat_map(live).collect(), &keys);
    let merged = merged(sorted_shard(fields(), vec![], &index_sort(&with_modes), &segments));
    check_all(&merged);
    assert!(dumps(&merged) == dumps(&sorted_shard(fields(), vec![], &json!([]), &[(all, vec![])])));
}

const WINDOWS: u64 = 30;

/// Of many windows, by `n`, of which there are many that tie.
fn large() -> Shard {
    let mut dice = Dice::new(5);
    let documents = (0..WINDOWS * WINDOW as u64).map(|id| (id, json!({"n": dice.below(50), "d": dice.below(9)})));
    sorted_shard(fields(), vec![], &index_sort(&[by_n("asc", "min")]), &[(documents.collect(), vec![])])
}

fn by_n(order: &str, mode: &str) -> Value {
    json!({"field": {"field": "n", "order": order, "missing": "last", "mode": mode}})
}

/// How often a search for the first five looks whether it was cancelled: at least once for each window that it goes through.
fn looks(shard: &Shard, sort: Value, counted: Value) -> u64 {
    let looks = Cell::new(0);
    let plan = plan_of(&json!({"sort": sort, "size": 5, "track_total_hits": counted}));
    execute(&shard.view, &plan, &|| {
        looks.set(looks.get() + 1);
        false
    })
    .unwrap();
    looks.get()
}

#[test]
fn a_search_in_the_order_of_the_index_ends_with_its_page() {
    let shard = large();
    let ascending = || by_n("asc", "min");
    let document = || json!({"doc": {"order": "asc"}});
    assert!(looks(&shard, json!([ascending()]), json!("disabled")) < 6);
    assert!(looks(&shard, json!([ascending(), document()]), json!({"up_to": 100})) < 6);
    assert!(looks(&shard, json!([document(), by_n("desc", "max")]), json!("disabled")) < 6);
    // Up to here it has to count, or to look at what comes later.
    let counted = looks(&shard, json!([ascending()]), json!({"up_to": 12 * WINDOW}));
    assert!((12..WINDOWS).contains(&counted), "{counted}");
    assert!(looks(&shard, json!([ascending()]), json!("exact")) >= WINDOWS);
    for other in [by_n("asc", "max"), by_n("desc", "max"), key("d", "asc", json!("last"))] {
        assert!(looks(&shard, json!([other]), json!("disabled")) >= WINDOWS);
    }
    let more = json!([ascending(), key("d", "asc", json!("last"))]);
    assert!(looks(&shard, more, json!("disabled")) >= WINDOWS);
}

#[test]
fn what_is_counted_is_a_lower_bound_where_a_search_ended_early() {
    let shard = large();
    let total = |counted: Value| {
        search(&shard, &json!({"sort": [by_n("asc", "min")], "size": 5, "track_total_hits": counted}))["total"].clone()
    };
    assert_eq!(total(json!({"up_to": 5_000})), json!({"value": 5_000, "relation": "gte"}));
    assert_eq!(total(json!("exact")), json!({"value": WINDOWS * WINDOW as u64, "relation": "eq"}));
}
