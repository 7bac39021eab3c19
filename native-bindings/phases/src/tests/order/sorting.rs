//! Sorting, paging by `search_after`, and the values that hits show of it.

use crate::tests::fixture::{Shard, error_of, field, ids, search, shard};
use proptest::prelude::*;
use quarry_testing::Dice;
use serde_json::{Value, json};
use std::cmp::Ordering;

fn fields() -> Vec<Value> {
    vec![
        field("n", "long", json!({})),
        field("d", "double", json!({})),
        field("tag", "keyword", json!({})),
        field("when", "date", json!({})),
        field("text", "text", json!({"analyzer": "whitespace"})),
    ]
}

pub(super) fn key(name: &str, order: &str, missing: Value) -> Value {
    json!({"field": {"field": name, "order": order, "missing": missing}})
}

fn small() -> Shard {
    let first = vec![
        json!({"n": [3, 1], "d": 1.5, "tag": "b", "when": "2020-01-02"}),
        json!({"n": 2, "d": -0.5, "tag": ["c", "a"], "when": "2019-12-31T23:00:00Z", "text": "x"}),
        json!({}),
    ];
    let second = vec![json!({"n": 2, "tag": "bb", "d": 10}), json!({"n": -7, "d": 0.1, "tag": "a"})];
    shard(fields(), &[(first, vec![]), (second, vec![])])
}

#[test]
fn several_values_missing_ones_and_both_directions() {
    let shard = small();
    for (sort, expected) in [
        (vec![key("n", "asc", json!("last"))], vec![4, 0, 1, 3, 2]),
        (vec![key("n", "desc", json!("last"))], vec![0, 1, 3, 4, 2]),
        (vec![key("n", "asc", json!("first"))], vec![2, 4, 0, 1, 3]),
        (vec![key("n", "asc", json!({"value": 2}))], vec![4, 0, 1, 2, 3]),
        (vec![key("tag", "asc", json!("last"))], vec![1, 4, 0, 3, 2]),
        (vec![key("tag", "desc", json!("first"))], vec![2, 1, 3, 0, 4]),
        (vec![key("tag", "asc", json!({"value": "b1"}))], vec![1, 4, 0, 2, 3]),
        (vec![key("n", "desc", json!("last")), key("tag", "desc", json!("last"))], vec![0, 1, 3, 4, 2]),
        (vec![key("d", "asc", json!("last"))], vec![1, 4, 0, 3, 2]),
        (vec![json!({"doc": {"order": "desc"}})], vec![4, 3, 2, 1, 0]),
    ] {
        assert_eq!(ids(&search(&shard, &json!({"sort": sort}))), expected, "{sort:?}");
    }
}

#[test]
fn the_index_is_a_key_that_all_documents_share() {
    let shard = small();
    let sort = json!([key("_index", "desc", json!("last")), key("n", "asc", json!("last"))]);
    let hits = search(&shard, &json!({"sort": sort, "size": 1}));
    assert_eq!(hits["hits"][0]["sort"], json!(["test", -7]));
    let after = json!({"sort": sort, "search_after": ["test", 2]});
    assert_eq!(ids(&search(&shard, &after)), [2]);
    let reason = error_of(&shard, &json!({"sort": [key("_id", "asc", json!("last"))]}));
    assert!(reason.contains("_id field is disallowed"), "{reason}");
}

#[test]
fn sort_values_are_shown_as_the_api_shows_them() {
    let shard = small();
    let sort_of = |sort: Value, hit: usize| search(&shard, &json!({"sort": sort}))["hits"][hit]["sort"].clone();
    assert_eq!(sort_of(json!([key("n", "asc", json!("last"))]), 4), json!([i64::MAX]));
    assert_eq!(sort_of(json!([key("d", "asc", json!("last"))]), 4), json!(["Infinity"]));
    assert_eq!(sort_of(json!([key("tag", "asc", json!("last"))]), 4), json!([null]));
    assert_eq!(sort_of(json!([key("when", "desc", json!("last"))]), 0), json!([1_577_923_200_000i64]));
    let formatted = json!([{"field": {"field": "when", "order": "desc", "missing": "last", "format": "yyyy/MM/dd"}}]);
    assert_eq!(sort_of(formatted, 0), json!(["2020/01/02"]));
    let hits = search(&shard, &json!({"sort": [key("n", "asc", json!("last"))]}));
    assert_eq!((&hits["max_score"], &hits["hits"][0]["_score"]), (&Value::Null, &Value::Null));
    let scored = search(&shard, &json!({"sort": [key("n", "asc", json!("last"))], "track_scores": true}));
    assert_eq!((&scored["max_score"], &scored["hits"][0]["_score"]), (&json!(1.0), &json!(1.0)));
}

#[test]
fn modes() {
    let shard = small();
    for (mode, value) in [("min", 1), ("max", 3), ("sum", 4), ("avg", 2), ("median", 2)] {
        let sort = json!([{"field": {"field": "n", "order": "asc", "missing": "last", "mode": mode}}]);
        let hits = search(&shard, &json!({"sort": sort, "query": {"ids": {"values": ["0"]}}}));
        assert_eq!(hits["hits"][0]["sort"], json!([value]), "{mode}");
    }
}

#[test]
fn what_cannot_be_sorted_by_is_refused() {
    let shard = small();
    let refuse = |name: &str| error_of(&shard, &json!({"sort": [key(name, "asc", json!("last"))]}));
    assert!(refuse("absent").contains("No mapping found for [absent] in order to sort on"));
    assert!(refuse("text").contains("Text fields are not optimised"));
    let unmapped = json!([{"field": {"field": "absent", "order": "asc", "missing": "last", "unmapped_type": "long"}}]);
    assert_eq!(ids(&search(&shard, &json!({"sort": unmapped}))), [0, 1, 2, 3, 4]);
}

fn document() -> impl Strategy<Value = Value> {
    (prop::collection::vec(-3i64..4, 0..3), prop::option::of("[ab]{1,2}"), prop::option::of(-2i32..3))
        .prop_map(|(n, tag, d)| json!({"n": n, "tag": tag, "d": d.map(|d| f64::from(d) / 2.0)}))
}

fn sort_key() -> impl Strategy<Value = Value> {
    let order = prop_oneof![Just("asc"), Just("desc")];
    let missing = prop_oneof![Just(json!("first")), Just(json!("last"))];
    (prop_oneof![Just("n"), Just("tag"), Just("d")], order, missing)
        .prop_map(|(name, order, missing)| key(name, order, missing))
}

/// The value that a key compares; `None`: it is missing.
fn value_of(document: &Value, key: &Value) -> Option<f64> {
    let (name, ascending) = (key["field"]["field"].as_str().unwrap(), key["field"]["order"] == "asc");
    let by_least = key["field"]["mode"].as_str().map_or(ascending, |mode| mode == "min");
    let values = match &document[name] {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    let values = values.iter().filter_map(number_of);
    if by_least { values.reduce(f64::min) } else { values.reduce(f64::max) }
}

/// Texts have two letters at most: their place in the alphabet of such words.
fn number_of(value: &Value) -> Option<f64> {
    let Some(text) = value.as_str() else { return value.as_f64() };
    let letters: Vec<f64> = text.bytes().map(|byte| f64::from(byte - b'a') + 1.0).collect();
    Some(letters[0] * 10.0 + letters.get(1).copied().unwrap_or(0.0))
}

/// Numbers that ascend in the order of the documents, one for each key.
fn places(keys: &[Value], document: &Value) -> Vec<f64> {
    let place = |key: &Value| {
        let is_first = key["field"]["missing"] == "first";
        let missing = if is_first { f64::NEG_INFINITY } else { f64::INFINITY };
        let sign = if key["field"]["order"] == "asc" { 1.0 } else { -1.0 };
        value_of(document, key).map_or(missing, |value| sign * value)
    };
    keys.iter().map(place).collect()
}

fn compare_places(left: &[f64], right: &[f64]) -> Ordering {
    left.iter().zip(right).map(|(left, right)| left.total_cmp(right)).fold(Ordering::Equal, Ordering::then)
}

pub(super) fn compare(keys: &[Value], left: &Value, right: &Value) -> Ordering {
    compare_places(&places(keys, left), &places(keys, right))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn order_and_pages_agree_with_sorting(
        segments in prop::collection::vec(prop::collection::vec(document(), 1..12), 1..4),
        keys in prop::collection::vec(sort_key(), 1..3),
        size in 1usize..6,
    ) {
        let documents: Vec<Value> = segments.concat();
        let segments: Vec<_> = segments.into_iter().map(|documents| (documents, vec![])).collect();
        let shard = shard(fields(), &segments);
        let mut expected: Vec<u32> = (0..documents.len() as u32).collect();
        expected.sort_by(|&left, &right| compare(&keys, &documents[left as usize], &documents[right as usize]));
        let hits = search(&shard, &json!({"sort": keys, "size": size}));
        prop_assert_eq!(&ids(&hits)[..], &expected[..size.min(expected.len())], "{:?}", keys);
        // Pages by the document number as the last key, which leaves no ties to be lost between pages.
        let keys: Vec<Value> = keys.iter().cloned().chain([json!({"doc": {"order": "asc"}})]).collect();
        let mut paged = Vec::new();
        let mut after = Value::Null;
        loop {
            let page = search(&shard, &json!({"sort": keys, "size": size, "search_after": after}));
            let Some(last) = page["hits"].as_array().unwrap().last() else { break };
            after = last["sort"].clone();
            paged.extend(ids(&page));
        }
        prop_assert_eq!(paged, expected);
    }
}

/// So many that windows are looked at before others, left out, or counted without a look at their documents.
#[test]
fn orders_of_many_windows_are_those_of_sorting() {
    const COUNT: i64 = 18_000;
    let mut dice = Dice::new(11);
    let mut noise = || dice.below(400) as i64;
    let ascending: Vec<Value> = (0..COUNT).map(|place| json!({"n": place / 7 + noise(), "d": noise()})).collect();
    let descending: Vec<Value> = (0..COUNT).map(|place| json!({"n": (COUNT - place) * 2, "d": noise()})).collect();
    let mixed =
        (0..COUNT).map(|place| if place % 5 == 0 { json!({}) } else { json!({"n": noise() * 40, "d": noise()}) });
    let mixed: Vec<Value> = mixed.collect();
    let deleted: Vec<u32> = (0..COUNT as u32).filter(|id| id % 11 == 3 || *id > 17_990).collect();
    let documents = [ascending.clone(), descending.clone(), mixed.clone()].concat();
    let is_live = |&id: &u32| id < 2 * COUNT as u32 || !deleted.contains(&(id - 2 * COUNT as u32));
    let shard = shard(fields(), &[(ascending, vec![]), (descending, vec![]), (mixed, deleted.clone())]);
    for (name, order, behind) in
        [("n", "asc", true), ("n", "asc", false), ("n", "desc", true), ("d", "desc", true), ("d", "desc", false)]
    {
        for missing in ["last", "first"] {
            let mut keys = vec![key(name, order, json!(missing)), key("d", "asc", json!("last"))];
            keys.truncate(if behind { 2 } else { 1 });
            let mut expected: Vec<u32> = (0..documents.len() as u32).filter(is_live).collect();
            let places: Vec<_> = documents.iter().map(|document| places(&keys, document)).collect();
            let compare = |left: u32, right: u32| compare_places(&places[left as usize], &places[right as usize]);
            expected.sort_by(|&left, &right| compare(left, right));
            for (size, counted) in [(1, json!("disabled")), (10, json!({"up_to": 100})), (60, json!("exact"))] {
                let request = json!({"sort": keys, "size": size, "track_total_hits": counted});
                assert_eq!(ids(&search(&shard, &request)), expected[..size], "{request}");
                let after = &search(&shard, &request)["hits"][size - 1]["sort"];
                let with_doc = json!({"sort": keys, "size": 20, "search_after": after, "track_total_hits": counted});
                let is_behind = |id: &&u32| compare(expected[size - 1], **id).is_ne();
                let behind: Vec<u32> = expected[size..].iter().filter(is_behind).take(20).copied().collect();
                assert_eq!(ids(&search(&shard, &with_doc)), behind, "{with_doc}");
            }
        }
    }
}
