//! Metrics of two fields, and of the order of values.

use super::{aggregate, aggregation, random_case, source, terms, values};
use quarry_shards::{TestShard, mapping};
use quarry_testing::mapping::field;
use serde_json::{Value, json};

fn weighted(weight: Value) -> Value {
    json!([aggregation("w", json!({"weighted_avg": {"value": source("n"), "weight": weight}}), json!([]))])
}

#[test]
fn weights_say_how_much_values_count() {
    for seed in 200..210 {
        let (shards, live) = random_case(seed);
        for missing in [None, Some(2.5)] {
            let mut weight = source("d");
            weight["missing"] = json!(missing);
            let (mut sum, mut weights) = (0.0, 0.0);
            for document in &live {
                let Some(weight) = document["d"].as_f64().or(missing) else { continue };
                for value in values(document, "n") {
                    sum += value.as_f64().unwrap() * weight;
                    weights += weight;
                }
            }
            let answer = aggregate(&shards, &weighted(weight)).unwrap();
            let found = answer["w"]["value"].as_f64().unwrap();
            assert!((found - sum / weights).abs() < 1e-9, "seed {seed}: {found} {}", sum / weights);
        }
    }
}

#[test]
fn one_document_has_one_weight() {
    let shard = |document: Value| {
        let fields = vec![field("n", "long", json!({})), field("m", "long", json!({"format": null}))];
        [TestShard::new(mapping(fields), &[vec![document]], &[])]
    };
    let error = aggregate(&shard(json!({"n": 1, "m": [1, 2]})), &weighted(source("m"))).unwrap_err();
    assert!(error.reason.starts_with("Encountered more than one weight for a single document."), "{error}");
    for nothing in [json!({"n": 1}), json!({"m": 1}), json!({"n": 1, "m": 0})] {
        assert_eq!(aggregate(&shard(nothing), &weighted(source("m"))).unwrap()["w"]["value"], Value::Null);
    }
}

/// All values of a field, ascending.
fn sorted(documents: &[Value], field: &str) -> Vec<f64> {
    let mut all: Vec<f64> =
        documents.iter().flat_map(|document| values(document, field)).filter_map(Value::as_f64).collect();
    all.sort_by(f64::total_cmp);
    all
}

#[test]
fn percentiles_and_ranks_are_those_of_the_sorted_values() {
    for seed in 300..310 {
        let (shards, live) = random_case(seed);
        let digest = |keys: Value, keyed: bool| json!({"source": source("d"), "keys": keys, "keyed": keyed, "compression": 400.0});
        let plan = json!([
            aggregation("p", json!({"percentiles": digest(json!([0.0, 5.0, 50.0, 99.5]), true)}), json!([])),
            aggregation("r", json!({"percentile_ranks": digest(json!([-1.0, 20.0, 1e9]), false)}), json!([])),
        ]);
        let answer = aggregate(&shards, &plan).unwrap();
        let all = sorted(&live, "d");
        for (key, part) in [("0.0", 0.0), ("5.0", 0.05), ("50.0", 0.5), ("99.5", 0.995)] {
            let place = ((part * all.len() as f64) as usize).min(all.len() - 1);
            assert_eq!(answer["p"]["values"][key], json!(all[place]), "seed {seed}");
        }
        let below = all.iter().filter(|&&value| value < 20.0).count() as f64;
        let equal = all.iter().filter(|&&value| value == 20.0).count() as f64;
        let ranks = &answer["r"]["values"];
        assert_eq!((&ranks[0], &ranks[2]), (&json!({"key": -1.0, "value": 0.0}), &json!({"key": 1e9, "value": 100.0})));
        let expected = (below + equal / 2.0) / all.len() as f64 * 100.0;
        assert!((ranks[1]["value"].as_f64().unwrap() - expected).abs() < 1e-9, "seed {seed}");
    }
}

#[test]
fn buckets_order_by_a_percentile_and_are_empty_without_values() {
    let documents = vec![json!({"k": "a", "n": [1, 2, 9]}), json!({"k": "b", "n": [3, 4]}), json!({"k": "c"})];
    let fields = vec![field("k", "keyword", json!({})), field("n", "long", json!({}))];
    let shards = [TestShard::new(mapping(fields), &[documents], &[])];
    let percentiles =
        json!({"percentiles": {"source": source("n"), "keys": [50.0], "keyed": true, "compression": 100.0}});
    let deviation = json!({"median_absolute_deviation": {"source": source("n"), "compression": 100.0}});
    let below = json!([aggregation("p", percentiles, json!([])), aggregation("m", deviation, json!([]))]);
    let mut kind = terms("k", 10);
    let path = json!({"path": {"aggregations": ["p"], "value": "50"}});
    kind["terms"]["order"] = json!([{"by": path, "ascending": false}]);
    let answer = aggregate(&shards, &json!([aggregation("t", kind.clone(), below.clone())])).unwrap();
    let shown: Vec<(&Value, &Value, &Value)> = answer["t"]["buckets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bucket| (&bucket["key"], &bucket["p"]["values"]["50.0"], &bucket["m"]["value"]))
        .collect();
    let expected = [
        (&json!("b"), &json!(4.0), &json!(1.0)),
        (&json!("a"), &json!(2.0), &json!(1.0)),
        (&json!("c"), &Value::Null, &Value::Null),
    ];
    assert_eq!(shown, expected);

    kind["terms"]["order"][0]["by"]["path"]["value"] = json!("51");
    let error = aggregate(&shards, &json!([aggregation("t", kind, below)])).unwrap_err();
    assert!(error.reason.ends_with("Unknown metric name [51]"), "{error}");
}

#[test]
fn no_document_lacks_a_value_that_has_a_substitute() {
    let shards = [TestShard::new(mapping(vec![field("n", "long", json!({}))]), &[vec![json!({"m": 1})]], &[])];
    let missing = |has_substitute: bool| {
        let kind = json!({"missing": {"field": "n", "has_substitute": has_substitute}});
        aggregate(&shards, &json!([aggregation("m", kind, json!([]))])).unwrap()["m"]["doc_count"].clone()
    };
    assert_eq!((missing(false), missing(true)), (json!(1), json!(0)));
}
