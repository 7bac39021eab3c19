//! Metrics of two fields.

use super::{aggregate, aggregation, random_case, source, values};
use crate::testing::{TestShard, field, mapping};
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
