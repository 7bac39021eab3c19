//! Kinds of buckets against obvious computations on the documents.

use super::{aggregate, aggregation, group, random_case, source, sum, terms, values, words};
use quarry_shards::{TestShard, mapping};
use quarry_testing::mapping::field;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const DAY_MS: i64 = 86_400_000;

fn counts(buckets: &Value) -> BTreeMap<String, u64> {
    let one = |bucket: &Value| {
        let key = bucket.get("key_as_string").unwrap_or(&bucket["key"]);
        (key.as_str().unwrap().to_owned(), bucket["doc_count"].as_u64().unwrap())
    };
    buckets.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn combinations_of_terms() {
    for seed in 600..606 {
        let (shards, live) = random_case(seed);
        let kind = json!({"multi_terms": {"sources": [source("k"), source("b")], "size": 1_000, "shard_size": 1_000,
            "min_doc_count": 1, "shard_min_doc_count": 0, "show_term_doc_count_error": false,
            "order": [{"by": "count", "ascending": false}, {"by": "key", "ascending": true}]}});
        let below = json!([aggregation("s", json!({"sum": {"source": source("n")}}), json!([]))]);
        let answer = aggregate(&shards, &json!([aggregation("m", kind, below)])).unwrap();
        let expected = group(&live, |document| {
            words(document).into_iter().map(|word| format!("{word}|{}", document["b"])).collect()
        });
        let found = counts(&answer["m"]["buckets"]);
        let sizes: BTreeMap<String, u64> =
            expected.iter().map(|(key, documents)| (key.clone(), documents.len() as u64)).collect();
        assert_eq!(found, sizes, "seed {seed}");
        for bucket in answer["m"]["buckets"].as_array().unwrap() {
            let documents = &expected[bucket["key_as_string"].as_str().unwrap()];
            assert_eq!(bucket["s"]["value"].as_f64().unwrap(), sum(documents, "n"));
            assert!(bucket["key"][1].is_boolean());
        }
    }
}

#[test]
fn rare_terms_are_rare_in_all_shards_together() {
    for seed in 620..630 {
        let (shards, live) = random_case(seed);
        let kind = json!({"rare_terms": {"source": source("n"), "max_doc_count": 4}});
        let answer = aggregate(&shards, &json!([aggregation("r", kind, json!([]))])).unwrap();
        let numbers = |document: &Value| values(document, "n").into_iter().filter_map(Value::as_i64).collect();
        let mut expected: Vec<(usize, i64)> =
            group(&live, numbers).into_iter().map(|(key, documents)| (documents.len(), key)).collect();
        expected.retain(|(count, _)| *count <= 4);
        expected.sort_unstable();
        let buckets = answer["r"]["buckets"].as_array().unwrap();
        let found: Vec<(usize, i64)> = buckets
            .iter()
            .map(|bucket| (bucket["doc_count"].as_u64().unwrap() as usize, bucket["key"].as_i64().unwrap()))
            .collect();
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn significant_terms_know_their_background() {
    for seed in 640..646 {
        let (shards, live) = random_case(seed);
        let kind = json!({"significant_terms": {"source": source("k"), "size": 100, "shard_size": 100, "min_doc_count": 1,
            "shard_min_doc_count": 0, "heuristic": "percentage", "background": {"exists": {"field": "d"}}}});
        let filter = json!({"filter": {"term": {"field": "b", "value": true}}});
        let plan = json!([aggregation("f", filter, json!([aggregation("s", kind, json!([]))]))]);
        let answer = aggregate(&shards, &plan).unwrap();
        let found = &answer["f"]["s"];
        let chosen: Vec<Value> = live.iter().filter(|document| document["b"] == json!(true)).cloned().collect();
        let background: Vec<Value> = live.iter().filter(|document| document.get("d").is_some()).cloned().collect();
        assert_eq!((&found["doc_count"], &found["bg_count"]), (&json!(chosen.len()), &json!(background.len())));
        let (subset, superset) = (group(&chosen, words), group(&background, words));
        for bucket in found["buckets"].as_array().unwrap() {
            let key = bucket["key"].as_str().unwrap();
            let (inside, outside) = (subset[key].len(), superset[key].len());
            assert_eq!((&bucket["doc_count"], &bucket["bg_count"]), (&json!(inside), &json!(outside)), "seed {seed}");
            assert!((bucket["score"].as_f64().unwrap() - inside as f64 / outside as f64).abs() < 1e-12);
        }
    }
}

#[test]
fn scripts_score_terms_as_the_heuristic_that_they_write_out() {
    for seed in 660..664 {
        let (shards, _) = random_case(seed);
        let answer = |heuristic: Value| {
            let kind = json!({"significant_terms": {"source": source("k"), "size": 100, "shard_size": 100,
                "min_doc_count": 1, "shard_min_doc_count": 0, "heuristic": heuristic}});
            let filter = json!({"filter": {"term": {"field": "b", "value": true}}});
            aggregate(&shards, &json!([aggregation("f", filter, json!([aggregation("s", kind, json!([]))]))]))
        };
        let jlh = "double share = (double)params._subset_freq / params._subset_size; \
                   double outside = (double)params._superset_freq / params._superset_size; \
                   share <= outside ? 0 : (share - outside) * share / outside * params.times";
        let script = json!({"script": {"source": jlh, "params": {"times": 1}}});
        assert_eq!(answer(script).unwrap(), answer(json!("jlh")).unwrap(), "seed {seed}");
        let failing = answer(json!({"script": {"source": "params._subset_freq / 0"}})).unwrap_err();
        assert_eq!(failing.code, quarry_base::error::ErrorCode::Script);
    }
}

#[test]
fn significant_words_of_sources_are_those_of_columns() {
    for seed in 646..650 {
        let (shards, _) = random_case(seed);
        for background in [json!(null), json!({"exists": {"field": "d"}})] {
            let of = json!({"source": source("k"), "size": 100, "shard_size": 100, "min_doc_count": 1,
                "shard_min_doc_count": 0, "heuristic": "jlh", "background": background});
            let text =
                json!({"significant_text": {"terms": of, "source_fields": null, "filter_duplicate_text": false}});
            let below =
                |kind: Value| json!([aggregation("p", terms("b", 2), json!([aggregation("s", kind, json!([]))]))]);
            let terms = aggregate(&shards, &below(json!({"significant_terms": of}))).unwrap();
            assert_eq!(aggregate(&shards, &below(text)).unwrap(), terms, "seed {seed}");
        }
    }
}

#[test]
fn filters_meet() {
    let (shards, live) = random_case(650);
    let term = |field: &str, value: Value| json!({"term": {"field": field, "value": value}});
    let kind = json!({"adjacency_matrix": {"names": ["a", "b"], "separator": "&", "only_intersections": false,
        "filters": [term("k", json!("w1")), term("b", json!(true))]}});
    let answer = aggregate(&shards, &json!([aggregation("m", kind, json!([]))])).unwrap();
    let a = |document: &&Value| words(document).contains(&"w1".to_owned());
    let b = |document: &&Value| document["b"] == json!(true);
    let expected = json!([
        {"key": "a", "doc_count": live.iter().filter(a).count()},
        {"key": "a&b", "doc_count": live.iter().filter(a).filter(b).count()},
        {"key": "b", "doc_count": live.iter().filter(b).count()},
    ]);
    assert_eq!(answer["m"]["buckets"], expected);
}

#[test]
fn units_of_time_are_chosen() {
    for seed in 660..666 {
        let (shards, live) = random_case(seed);
        for buckets in [1, 3, 10, 100] {
            let kind = json!({"auto_date_histogram": {"source": source("t"), "buckets": buckets, "minimum_unit": 0}});
            let below = json!([aggregation("s", json!({"sum": {"source": source("d")}}), json!([]))]);
            let answer = aggregate(&shards, &json!([aggregation("h", kind, below)])).unwrap();
            let found = answer["h"]["buckets"].as_array().unwrap();
            assert!(found.len() <= buckets, "seed {seed}: {} of {buckets}", answer["h"]["interval"]);
            let with_date: Vec<Value> = live.iter().filter(|document| document.get("t").is_some()).cloned().collect();
            let count: u64 = found.iter().map(|bucket| bucket["doc_count"].as_u64().unwrap()).sum();
            assert_eq!(count, with_date.len() as u64);
            for (place, bucket) in found.iter().enumerate() {
                let from = bucket["key"].as_i64().unwrap();
                let to = found.get(place + 1).map_or(i64::MAX, |next| next["key"].as_i64().unwrap());
                let inside = with_date.iter().filter(|document| (from..to).contains(&document["t"].as_i64().unwrap()));
                let inside: Vec<Value> = inside.cloned().collect();
                assert_eq!(bucket["doc_count"], json!(inside.len()), "seed {seed}");
                assert!((bucket["s"]["value"].as_f64().unwrap() - sum(&inside, "d")).abs() < 1e-6);
            }
        }
    }
    let days = (0..9).map(|day| json!({"t": day * DAY_MS})).collect();
    let shard = [TestShard::new(mapping(vec![field("t", "date", json!({}))]), &[days], &[])];
    let kind = json!({"auto_date_histogram": {"source": source("t"), "buckets": 2, "minimum_unit": 0}});
    let answer = aggregate(&shard, &json!([aggregation("h", kind, json!([]))])).unwrap();
    assert_eq!(answer["h"]["interval"], json!("7d"));
}

#[test]
fn addresses_lie_in_ranges_and_networks() {
    let documents = [
        json!({"a": "::1"}),
        json!({"a": ["192.168.0.1", "192.168.9.7"]}),
        json!({"a": "192.169.0.0"}),
        json!({"x": 1}),
    ];
    let fields = vec![field("a", "ip", json!({}))];
    let shards = [TestShard::new(mapping(fields), &[documents[..2].to_vec(), documents[2..].to_vec()], &[])];
    let ranges = json!([{"to": "192.168.0.0"}, {"mask": "192.168.0.0/16"}, {"from": "192.169.0.0"}]);
    let kind = json!({"ip_range": {"source": source("a"), "ranges": ranges, "keyed": false}});
    let answer = aggregate(&shards, &json!([aggregation("r", kind, json!([]))])).unwrap();
    let expected = json!([
        {"key": "*-192.168.0.0", "to": "192.168.0.0", "doc_count": 1},
        {"key": "192.168.0.0/16", "from": "192.168.0.0", "to": "192.169.0.0", "doc_count": 1},
        {"key": "192.169.0.0-*", "from": "192.169.0.0", "doc_count": 1},
    ]);
    assert_eq!(answer["r"]["buckets"], expected);
    let kind = json!({"ip_prefix": {"source": source("a"), "prefix_length": 16, "is_ipv6": false, "keyed": false,
        "append_prefix_length": true, "min_doc_count": 1}});
    let answer = aggregate(&shards, &json!([aggregation("p", kind, json!([]))])).unwrap();
    let bucket = |key: &str| json!({"key": key, "is_ipv6": false, "prefix_length": 16, "netmask": "255.255.0.0", "doc_count": 1});
    assert_eq!(answer["p"]["buckets"], json!([bucket("::/16"), bucket("192.168.0.0/16"), bucket("192.169.0.0/16")]));
}

#[test]
fn clusters_hold_all_numbers() {
    for seed in 680..686 {
        let (shards, live) = random_case(seed);
        let kind = json!({"variable_width_histogram": {"source": source("d"), "buckets": 4, "shard_size": 40,
            "initial_buffer": 30}});
        let below = json!([aggregation("v", json!({"stats": {"source": source("d")}}), json!([]))]);
        let answer = aggregate(&shards, &json!([aggregation("h", kind, below)])).unwrap();
        let found = answer["h"]["buckets"].as_array().unwrap();
        assert!(found.len() <= 4 && !found.is_empty());
        let count: u64 = found.iter().map(|bucket| bucket["doc_count"].as_u64().unwrap()).sum();
        assert_eq!(count as usize, live.iter().filter(|document| document.get("d").is_some()).count(), "seed {seed}");
        for bucket in found {
            assert_eq!(bucket["doc_count"], bucket["v"]["count"]);
            assert!((bucket["key"].as_f64().unwrap() - bucket["v"]["avg"].as_f64().unwrap()).abs() < 1e-6);
        }
    }
    let documents = [1.0, 2.0, 30.0, 31.0].map(|number| json!({"d": number})).to_vec();
    let shard = [TestShard::new(mapping(vec![field("d", "double", json!({}))]), &[documents], &[])];
    let kind = json!({"variable_width_histogram": {"source": source("d"), "buckets": 2, "shard_size": 100,
        "initial_buffer": 1_000}});
    let answer = aggregate(&shard, &json!([aggregation("h", kind, json!([]))])).unwrap();
    let expected = json!([
        {"min": 1.0, "key": 1.5, "max": 2.0, "doc_count": 2},
        {"min": 30.0, "key": 30.5, "max": 31.0, "doc_count": 2},
    ]);
    assert_eq!(answer["h"]["buckets"], expected);
}

#[test]
fn samples_are_bounded_by_shard_and_value() {
    let (shards, live) = random_case(690);
    let below = json!([aggregation("b", json!({"value_count": {"source": source("b")}}), json!([]))]);
    let sampler = |diversity: Value| {
        let kind = json!({"sampler": {"shard_size": 5, "diversity": diversity}});
        aggregate(&shards, &json!([aggregation("s", kind, below.clone())])).unwrap()["s"].clone()
    };
    let all = sampler(Value::Null);
    assert_eq!(all["doc_count"], json!(shards.len() * 5));
    assert_eq!(all["doc_count"], all["b"]["value"]);
    let diverse = sampler(json!({"source": source("b"), "max_docs_per_value": 1}));
    assert!(diverse["doc_count"].as_u64().unwrap() <= 2 * shards.len() as u64);
    assert!(!live.is_empty());
}
