//! Keys of terms buckets: partitions, fields that indices hold in different types or not at all.

use super::{aggregate, aggregation, source, terms};
use quarry_shards::{TestShard, mapping};
use quarry_testing::Dice;
use quarry_testing::mapping::field;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A shard whose field `n` has this type.
fn shard_of(kind: &str, more: Value, values: &[Value]) -> TestShard {
    let documents = values.iter().map(|value| json!({"n": value})).collect();
    TestShard::new(mapping(vec![field("n", kind, more)]), &[documents], &[])
}

fn buckets(shards: &[TestShard], kind: &Value) -> Vec<Value> {
    let answer = aggregate(shards, &json!([aggregation("t", kind.clone(), json!([]))])).unwrap();
    answer["t"]["buckets"].as_array().unwrap().clone()
}

#[test]
fn partitions_divide_the_buckets() {
    let mut dice = Dice::new(7);
    let numbers: Vec<Value> = (0..300).map(|_| json!(dice.below(80) as i64 - 40)).collect();
    let words: Vec<Value> = numbers.iter().map(|number| json!(format!("w{number}"))).collect();
    for (kind, values) in [("long", &numbers), ("double", &numbers), ("keyword", &words)] {
        let shards = [shard_of(kind, json!({}), values)];
        let all = buckets(&shards, &terms("n", 1_000));
        let mut parts = Vec::new();
        for partition in 0..5 {
            let mut kind = terms("n", 1_000);
            kind["terms"]["include"] = json!({"partition": {"partition": partition, "partitions": 5}});
            let part = buckets(&shards, &kind);
            assert!(!part.is_empty() && part.len() < all.len());
            parts.extend(part);
        }
        let sorted = |mut buckets: Vec<Value>| {
            buckets.sort_by_key(Value::to_string);
            buckets
        };
        assert_eq!(sorted(parts), sorted(all));
    }
}

#[test]
fn numbers_of_different_types_meet_as_doubles() {
    for seed in 0..8 {
        let mut dice = Dice::new(seed);
        let mut kinds = vec![
            ("long", json!({})),
            ("double", json!({})),
            ("float", json!({})),
            ("scaled_float", json!({"scaling_factor": 4.0})),
            ("unsigned_long", json!({})),
        ];
        kinds.swap(0, dice.below(5) as usize);
        kinds.truncate(2 + dice.below(4) as usize);
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        let mut shards = Vec::new();
        for (kind, more) in &kinds {
            let is_whole = matches!(*kind, "long" | "unsigned_long");
            let values: Vec<Value> = (0..40)
                .map(|_| {
                    let quarters = if is_whole { dice.below(8) * 4 } else { dice.below(32) };
                    *counts.entry(quarters).or_default() += 1;
                    if is_whole { json!(quarters / 4) } else { json!(quarters as f64 / 4.0) }
                })
                .collect();
            shards.push(shard_of(kind, more.clone(), &values));
        }
        let mut expected: Vec<(u64, u64)> = counts.into_iter().collect();
        expected.sort_by_key(|&(quarters, count)| (std::cmp::Reverse(count), quarters));
        let found = buckets(&shards, &terms("n", 1_000));
        let found: Vec<(u64, u64)> = found
            .iter()
            .map(|bucket| {
                assert!(bucket["key"].is_f64(), "{bucket}");
                ((bucket["key"].as_f64().unwrap() * 4.0) as u64, bucket["doc_count"].as_u64().unwrap())
            })
            .collect();
        assert_eq!(found, expected, "seed {seed}: {kinds:?}");
    }
}

#[test]
fn texts_and_numbers_do_not_meet() {
    let shards = [shard_of("long", json!({}), &[json!(1)]), shard_of("keyword", json!({}), &[json!("a")])];
    let error = aggregate(&shards, &json!([aggregation("t", terms("n", 10), json!([]))])).unwrap_err();
    assert!(error.reason.contains("existed as two different types in two different indices"), "{error}");
}

#[test]
fn keys_of_nanoseconds_are_milliseconds() {
    let dates = [json!("2020-01-01T00:00:00.000000001Z"), json!("2020-01-01T00:00:00.000000999Z")];
    let format = json!({"format": "strict_date_optional_time_nanos||epoch_millis"});
    let found = buckets(&[shard_of("date_nanos", format, &dates)], &terms("n", 10));
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["key"], &found[0]["doc_count"]), (&json!(1_577_836_800_000_i64), &json!(2)));
}

#[test]
fn a_field_that_is_not_mapped_has_the_type_that_the_request_says() {
    let shards = [shard_of("long", json!({}), &[json!(1)])];
    let bucket = |hint: Value, missing: Value| {
        let mut kind = terms("none", 10);
        kind["terms"]["source"]["missing"] = missing;
        kind["terms"]["source"]["value_type"] = hint;
        let mut found = buckets(&shards, &kind);
        assert_eq!(found.len(), 1);
        found.pop().unwrap()
    };
    assert_eq!(bucket(json!("string"), json!("abc")), json!({"key": "abc", "doc_count": 1}));
    assert_eq!(bucket(Value::Null, json!(3)), json!({"key": "3", "doc_count": 1}));
    assert_eq!(bucket(json!("number"), json!(3)), json!({"key": 3, "doc_count": 1}));
    assert_eq!(bucket(json!("number"), json!(3.5)), json!({"key": 3.5, "doc_count": 1}));
    assert_eq!(bucket(json!("unsigned_long"), json!(3)), json!({"key": 3, "doc_count": 1}));
    let boolean = json!({"key": 1, "key_as_string": "true", "doc_count": 1});
    assert_eq!(bucket(json!("boolean"), json!(true)), boolean);
    let date = json!({"key": 1_462_924_800_000_i64, "key_as_string": "2016-05-11T00:00:00.000Z", "doc_count": 1});
    assert_eq!(bucket(json!("date"), json!("2016-05-11")), date);
    assert_eq!(bucket(json!("ip"), json!("::1")), json!({"key": "::1", "doc_count": 1}));
}

#[test]
fn a_shard_without_the_field_does_not_say_how_keys_are_printed() {
    let other = TestShard::new(mapping(vec![field("x", "long", json!({}))]), &[vec![json!({"x": 1})]], &[]);
    let shards = [other, shard_of("date", json!({"format": "yyyy"}), &[json!("2020")])];
    let histogram = json!({"date_histogram": {"source": source("n"), "interval": {"calendar": "year"}, "offset_ms": 0,
        "min_doc_count": 0, "order": [{"by": "key", "ascending": true}], "keyed": false}});
    let most = json!({"max": {"source": source("n")}});
    let plan = json!([aggregation("h", histogram, json!([])), aggregation("m", most, json!([]))]);
    let answer = aggregate(&shards, &plan).unwrap();
    assert_eq!(answer["h"]["buckets"][0]["key_as_string"], json!("2020"));
    assert_eq!(answer["m"]["value_as_string"], json!("2020"));
}

#[test]
fn bounds_on_counts_are_known_where_the_order_tells() {
    let shard = |words: &[&str]| {
        let documents = words.iter().map(|word| json!({"k": word})).collect();
        TestShard::new(mapping(vec![field("k", "keyword", json!({}))]), &[documents], &[])
    };
    let shards = [shard(&["a", "a", "a", "b", "b", "c"]), shard(&["c", "c", "c", "b", "b", "a"])];
    let bounds = |order: Value| {
        let mut kind = terms("k", 1);
        kind["terms"]["shard_size"] = json!(2);
        kind["terms"]["show_term_doc_count_error"] = json!(true);
        kind["terms"]["order"] = json!([order, {"by": "key", "ascending": true}]);
        let answer = aggregate(&shards, &json!([aggregation("t", kind, json!([]))])).unwrap();
        let bound = |of: &Value| of["doc_count_error_upper_bound"].as_i64().unwrap();
        (bound(&answer["t"]), bound(&answer["t"]["buckets"][0]))
    };
    assert_eq!(bounds(json!({"by": "count", "ascending": false})), (4, 0));
    assert_eq!(bounds(json!({"by": "key", "ascending": false})), (0, 0));
    assert_eq!(bounds(json!({"by": "count", "ascending": true})), (-1, -1));
}
