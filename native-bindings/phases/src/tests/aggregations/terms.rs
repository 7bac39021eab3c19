//! The ways of counting terms against each other and against the documents: by what is met, by a segment's ordinals, by
//! numbers over all segments.

use super::{aggregate, aggregation, documents, group, random_case, shard, source, sum, terms, words};
use quarry_testing::Dice;
use serde_json::{Value, json};

fn variant(changes: &Value) -> Value {
    let mut kind = terms("k", 4);
    for (name, value) in changes.as_object().unwrap() {
        kind["terms"][name] = value.clone();
    }
    kind
}

fn order(by: Value, ascending: bool) -> Value {
    json!({"order": [{"by": by, "ascending": ascending}]})
}

/// A view numbers the terms of a field from the second time on that they are asked for.
#[test]
fn the_first_answer_is_that_of_later_times() {
    let below = json!([aggregation("s", json!({"sum": {"source": source("n")}}), json!([]))]);
    let by_sum = order(json!({"path": {"aggregations": ["s"], "value": null}}), false);
    let variants = [
        (variant(&json!({})), json!([])),
        (variant(&json!({"shard_size": 4})), json!([])),
        (variant(&json!({"shard_size": 4, "shard_min_doc_count": 30, "min_doc_count": 30})), json!([])),
        (variant(&order(json!("key"), true)), json!([])),
        (variant(&order(json!("key"), false)), json!([])),
        (variant(&order(json!("count"), true)), json!([])),
        (variant(&json!({})), below.clone()),
        (variant(&by_sum), below.clone()),
        (variant(&json!({"include": {"regexp": "w1.*"}})), json!([])),
        (variant(&json!({"exclude": {"values": ["w1", "w7"]}})), below.clone()),
        (variant(&json!({"min_doc_count": 0, "include": {"regexp": "w[0-5]"}})), json!([])),
        (json!({"rare_terms": {"source": source("k"), "max_doc_count": 20}}), below),
    ];
    for seed in 900..912 {
        for (place, (kind, below)) in variants.iter().enumerate() {
            let (shards, _) = random_case(seed);
            let plan = json!([aggregation("a", kind.clone(), below.clone())]);
            let first = aggregate(&shards, &plan).unwrap();
            for _ in 0..2 {
                assert_eq!(aggregate(&shards, &plan).unwrap(), first, "seed {seed} variant {place}");
            }
        }
    }
}

#[test]
fn counts_without_metrics_are_exact() {
    for seed in 920..932 {
        let (shards, live) = random_case(seed);
        let plan = json!([aggregation("a", terms("k", 5), json!([]))]);
        let mut expected: Vec<(String, usize)> =
            group(&live, words).into_iter().map(|(word, documents)| (word, documents.len())).collect();
        expected.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let other: usize = expected.iter().skip(5).map(|(_, count)| count).sum();
        expected.truncate(5);
        for _ in 0..2 {
            let answer = aggregate(&shards, &plan).unwrap();
            let buckets = answer["a"]["buckets"].as_array().unwrap().iter();
            let found: Vec<(String, usize)> = buckets
                .map(|bucket| {
                    let count = bucket["doc_count"].as_u64().unwrap() as usize;
                    (bucket["key"].as_str().unwrap().to_owned(), count)
                })
                .collect();
            assert_eq!(found, expected, "seed {seed}");
            assert_eq!(answer["a"]["sum_other_doc_count"], json!(other), "seed {seed}");
        }
    }
}

const NOON_MS: i64 = 1_600_000_000_000;

/// Windows whose documents all lie in one bucket are counted at once.
#[test]
fn whole_windows_are_counted_as_their_documents_are() {
    let mut dice = Dice::new(7);
    let mut all = documents(&mut dice, 14_000);
    for (place, document) in all.iter_mut().enumerate() {
        document["t"] = json!(NOON_MS + place as i64 * 1_000);
        document["n"] = json!(dice.below(1_000) as i64 - 500);
    }
    let deleted: Vec<u32> = (0..all.len() as u32).filter(|_| dice.below(9) == 0).collect();
    let live: Vec<Value> =
        all.iter().enumerate().filter(|(at, _)| !deleted.contains(&(*at as u32))).map(|(_, one)| one.clone()).collect();
    let shards = [shard(&[all], &deleted)];
    let below = json!([
        aggregation("s", json!({"stats": {"source": source("n")}}), json!([])),
        aggregation("e", json!({"extended_stats": {"source": source("n"), "sigma": 2.0}}), json!([])),
    ]);
    for interval_ms in [700_000, 5_000_000, 1 << 40] {
        let date = json!({"date_histogram": {"source": source("t"), "interval": {"fixed_ms": interval_ms}, "offset_ms": 0,
            "min_doc_count": 1, "order": [{"by": "key", "ascending": true}], "keyed": false}});
        let answer = aggregate(&shards, &json!([aggregation("h", date, below.clone())])).unwrap();
        let expected =
            group(&live, |document| vec![document["t"].as_i64().unwrap().div_euclid(interval_ms) * interval_ms]);
        let buckets = answer["h"]["buckets"].as_array().unwrap();
        assert_eq!(buckets.len(), expected.len());
        for (bucket, (key, documents)) in buckets.iter().zip(&expected) {
            let numbers = || documents.iter().map(|document| document["n"].as_i64().unwrap());
            assert_eq!((&bucket["key"], &bucket["doc_count"]), (&json!(key), &json!(documents.len())));
            for stats in [&bucket["s"], &bucket["e"]] {
                assert_eq!(stats["count"], json!(documents.len()));
                assert_eq!(stats["sum"].as_f64().unwrap(), sum(documents, "n"));
                assert_eq!(stats["min"].as_f64().unwrap() as i64, numbers().min().unwrap());
                assert_eq!(stats["max"].as_f64().unwrap() as i64, numbers().max().unwrap());
            }
            let squares: i64 = numbers().map(|number| number * number).sum();
            assert_eq!(bucket["e"]["sum_of_squares"].as_f64().unwrap(), squares as f64);
        }
    }
}
