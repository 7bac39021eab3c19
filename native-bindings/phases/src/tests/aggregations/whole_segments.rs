//! Segments of several windows whose documents have one value each, or lack some: what is computed of slices.

use super::{DAY_MS, aggregate, aggregation, group, shard, source, sum, terms, values};
use quarry_shards::TestShard;
use quarry_testing::Dice;
use serde_json::{Value, json};

/// One shard, with the documents that are live: `lacking` in a hundred lack a value.
fn case(seed: u64, lacking: u64, with_deletions: bool) -> (TestShard, Vec<Value>) {
    let mut dice = Dice::new(seed);
    let document = |dice: &mut Dice, place: u64| {
        let mut document = serde_json::Map::new();
        let mut add = |dice: &mut Dice, name: &str, value: Value| {
            if dice.below(100) >= lacking {
                document.insert(name.to_owned(), value);
            }
        };
        let (word, number, double) = (dice.below(30), dice.below(400) as i64 - 100, dice.below(9_000) as f64 / 8.0);
        add(dice, "k", json!(format!("w{}", word * word / 30)));
        add(dice, "n", json!(number));
        add(dice, "d", json!(double));
        let instant = (place as i64 / 50) * DAY_MS / 24 + dice.below(1_000) as i64;
        add(dice, "t", json!(instant));
        Value::Object(document)
    };
    let segments: Vec<Vec<Value>> = [9_000, 4_096, 70]
        .into_iter()
        .take(1 + seed as usize % 3)
        .map(|count| (0..count).map(|place| document(&mut dice, place)).collect())
        .collect();
    let all = segments.concat();
    let deleted: Vec<u32> = (0..all.len() as u32).filter(|_| with_deletions && dice.below(9) == 0).collect();
    let is_live = |place: &u32| deleted.binary_search(place).is_err();
    let live = (0u32..).zip(&all).filter(|(place, _)| is_live(place)).map(|(_, document)| document.clone()).collect();
    (shard(&segments, &deleted), live)
}

fn for_each_case(mut check: impl FnMut(u64, TestShard, Vec<Value>)) {
    for seed in 500..509 {
        let (shard, live) = case(seed, [0, 3, 60][seed as usize % 3], seed % 2 == 0);
        check(seed, shard, live);
    }
}

/// The key of a document's bucket.
type KeyOf<'k> = &'k dyn Fn(&Value) -> Option<i64>;

fn number(document: &Value, field: &str) -> Option<f64> {
    document[field].as_f64()
}

fn assert_stats(found: &Value, documents: &[Value], field: &str, seed: u64) {
    let numbers: Vec<f64> = documents.iter().filter_map(|document| number(document, field)).collect();
    assert_eq!(found["count"], json!(numbers.len()), "seed {seed}");
    if numbers.is_empty() {
        return;
    }
    assert_eq!(found["sum"].as_f64().unwrap(), sum(documents, field), "seed {seed}");
    assert_eq!(found["min"].as_f64().unwrap(), numbers.iter().copied().fold(f64::INFINITY, f64::min));
    assert_eq!(found["max"].as_f64().unwrap(), numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    if let Some(squares) = found["sum_of_squares"].as_f64() {
        assert_eq!(squares, numbers.iter().map(|number| number * number).sum::<f64>(), "seed {seed}");
    }
}

fn buckets(answer: &Value) -> &Vec<Value> {
    answer["buckets"].as_array().unwrap()
}

#[test]
fn terms_have_the_stats_of_their_documents() {
    for_each_case(|seed, shard, live| {
        let below = json!([
            aggregation("n", json!({"stats": {"source": source("n")}}), json!([])),
            aggregation("d", json!({"extended_stats": {"source": source("d"), "sigma": 2.0}}), json!([])),
            aggregation("k", terms("k", 100), json!([])),
        ]);
        let plan = json!([aggregation("k", terms("k", 100), below.clone()), aggregation("n", terms("n", 500), below)]);
        let answer = aggregate(&[shard], &plan).unwrap();
        for field in ["k", "n"] {
            let groups = group(&live, |document| values(document, field).into_iter().map(Value::to_string).collect());
            assert_eq!(buckets(&answer[field]).len(), groups.len(), "seed {seed}");
            for bucket in buckets(&answer[field]) {
                let documents = &groups[&bucket["key"].to_string()];
                assert_eq!(bucket["doc_count"], json!(documents.len()), "seed {seed}");
                assert_stats(&bucket["n"], documents, "n", seed);
                assert_stats(&bucket["d"], documents, "d", seed);
                let words =
                    group(documents, |document| values(document, "k").into_iter().map(Value::to_string).collect());
                let found =
                    buckets(&bucket["k"]).iter().map(|word| (word["key"].to_string(), word["doc_count"].clone()));
                let expected = words.into_iter().map(|(word, documents)| (word, json!(documents.len())));
                let sorted = |counts: Vec<(String, Value)>| {
                    let mut counts = counts;
                    counts.sort_by(|left, right| left.0.cmp(&right.0));
                    counts
                };
                assert_eq!(sorted(found.collect()), sorted(expected.collect()), "seed {seed}");
            }
        }
    });
}

#[test]
fn histograms_and_ranges_have_the_sums_of_their_documents() {
    for_each_case(|seed, shard, live| {
        let below = json!([
            aggregation("s", json!({"sum": {"source": source("n")}}), json!([])),
            aggregation("e", json!({"extended_stats": {"source": source("n"), "sigma": 2.0}}), json!([])),
        ]);
        let order = json!([{"by": "key", "ascending": true}]);
        let histogram = json!({"source": source("n"), "interval": 7.0, "offset": 2.0, "min_doc_count": 1, "order": order,
            "keyed": false});
        let dates = json!({"source": source("t"), "interval": {"fixed_ms": DAY_MS / 24}, "offset_ms": 0, "min_doc_count": 1,
            "order": order, "keyed": false});
        let ranges =
            json!({"source": source("n"), "keyed": false, "ranges": [{"to": 0}, {"from": 0, "to": 15}, {"from": 20}]});
        let plan = json!([
            aggregation("h", json!({"histogram": histogram}), below.clone()),
            aggregation("t", json!({"date_histogram": dates}), below.clone()),
            aggregation("r", json!({"range": ranges}), below),
        ]);
        let answer = aggregate(&[shard], &plan).unwrap();
        let interval = |document: &Value| number(document, "n").map(|n| ((n - 2.0) / 7.0).floor() as i64 * 7 + 2);
        let hour = |document: &Value| number(document, "t").map(|t| (t as i64).div_euclid(DAY_MS / 24) * (DAY_MS / 24));
        let range = |document: &Value| match number(document, "n")? {
            n if n < 0.0 => Some(0),
            n if n < 15.0 => Some(1),
            n if n < 20.0 => None,
            _ => Some(2),
        };
        let key_of: [(&str, KeyOf<'_>); 3] = [("h", &interval), ("t", &hour), ("r", &range)];
        for (name, key_of) in key_of {
            let groups = group(&live, |document| key_of(document).into_iter().collect());
            for (bucket, (key, documents)) in buckets(&answer[name]).iter().zip(&groups) {
                if name != "r" {
                    assert_eq!(bucket["key"].as_f64(), Some(*key as f64), "seed {seed}");
                }
                assert_eq!(bucket["doc_count"], json!(documents.len()), "seed {seed} {name}");
                assert_eq!(bucket["s"]["value"].as_f64().unwrap(), sum(documents, "n"), "seed {seed}");
                assert_stats(&bucket["e"], documents, "n", seed);
            }
            assert_eq!(buckets(&answer[name]).len(), groups.len(), "seed {seed} {name}");
        }
    });
}

#[test]
fn counts_of_terms_and_distinct_values_are_exact() {
    for_each_case(|seed, shard, live| {
        let counted = |field: &str| json!({"cardinality": {"source": source(field), "precision_threshold": 3000}});
        let one = [
            aggregation("k", terms("k", 4), json!([])),
            aggregation("c", counted("k"), json!([])),
            aggregation("n", counted("n"), json!([])),
        ];
        let mut groups: Vec<(String, usize)> = group(&live, |document| {
            values(document, "k").into_iter().filter_map(Value::as_str).map(str::to_owned).collect()
        })
        .into_iter()
        .map(|(word, documents)| (word, documents.len()))
        .collect();
        groups.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let numbers = group(&live, |document| values(document, "n").into_iter().filter_map(Value::as_i64).collect());
        let shards = [shard];
        // Alone they may take a segment whole; the last one cannot.
        for plan in [json!(one), json!([one[0]]), json!([one[0], one[1]])] {
            let answer = aggregate(&shards, &plan).unwrap();
            let found: Vec<(String, usize)> = buckets(&answer["k"])
                .iter()
                .map(|bucket| {
                    (bucket["key"].as_str().unwrap().to_owned(), bucket["doc_count"].as_u64().unwrap() as usize)
                })
                .collect();
            assert_eq!(found, groups[..4], "seed {seed}");
            let other: usize = groups[4..].iter().map(|(_, count)| count).sum();
            assert_eq!(answer["k"]["sum_other_doc_count"], json!(other), "seed {seed}");
            if plan.as_array().unwrap().len() > 1 {
                assert_eq!(answer["c"]["value"], json!(groups.len()), "seed {seed}");
            }
            if plan.as_array().unwrap().len() > 2 {
                assert_eq!(answer["n"]["value"], json!(numbers.len()), "seed {seed}");
            }
        }
    });
}

#[test]
fn pages_of_combinations_are_exact() {
    for_each_case(|seed, shard, live| {
        let of = |name: &str, keys: Value, ascending: bool| {
            json!({"name": name, "source": source(name), "keys": keys, "ascending": ascending, "missing_bucket": false,
                "missing_first": true})
        };
        let sources = json!([of("k", json!("terms"), true), of("n", json!({"histogram": {"interval": 50.0}}), false)]);
        let groups = group(&live, |document| {
            let interval = number(document, "n").map(|n| -(n / 50.0).floor() as i64);
            document["k"].as_str().map(str::to_owned).zip(interval).into_iter().collect()
        });
        let expected: Vec<(String, i64, usize)> =
            groups.iter().map(|((k, n), documents)| (k.clone(), -n * 50, documents.len())).collect();
        let shards = [shard];
        let (mut found, mut after) = (Vec::new(), Value::Null);
        loop {
            let below = json!([aggregation("s", json!({"sum": {"source": source("n")}}), json!([]))]);
            let plan = json!([aggregation(
                "c",
                json!({"composite": {"sources": sources, "size": 13, "after": after}}),
                below
            )]);
            let answer = aggregate(&shards, &plan).unwrap();
            for bucket in buckets(&answer["c"]) {
                let key = &bucket["key"];
                let (k, n) = (key["k"].as_str().unwrap().to_owned(), key["n"].as_f64().unwrap() as i64);
                assert_eq!(bucket["s"]["value"].as_f64().unwrap(), sum(&groups[&(k.clone(), -n / 50)], "n"));
                found.push((k, n, bucket["doc_count"].as_u64().unwrap() as usize));
            }
            match answer["c"]["after_key"].as_object() {
                Some(key) => after = json!([key["k"], key["n"]]),
                None => break,
            }
        }
        assert_eq!(found, expected, "seed {seed}");
    });
}

#[test]
fn percentiles_are_close_to_those_of_sorted_values() {
    for_each_case(|seed, shard, live| {
        let shards = [shard];
        for field in ["n", "d"] {
            let kind = json!({"percentiles": {"source": source(field), "keys": [1.0, 25.0, 50.0, 90.0, 99.9], "keyed": true,
                "compression": 100.0}});
            let answer = aggregate(&shards, &json!([aggregation("p", kind, json!([]))])).unwrap();
            let mut sorted: Vec<f64> = live.iter().filter_map(|document| number(document, field)).collect();
            sorted.sort_by(f64::total_cmp);
            for percent in [1.0, 25.0, 50.0, 90.0, 99.9f64] {
                let part: f64 = percent / 100.0;
                let found = answer["p"]["values"][format!("{percent:?}")].as_f64().unwrap();
                let rank = |is_before: &dyn Fn(f64) -> bool| {
                    sorted.partition_point(|&value| is_before(value)) as f64 / sorted.len() as f64
                };
                let allowed = 0.02 * (part * (1.0 - part)).sqrt() + 1.0 / sorted.len() as f64;
                let (below, up_to) = (rank(&|value| value < found), rank(&|value| value <= found));
                assert!(below - allowed < part && part < up_to + allowed, "seed {seed} {percent}: {below} to {up_to}");
            }
        }
    });
}
