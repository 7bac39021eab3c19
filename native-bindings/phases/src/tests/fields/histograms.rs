//! Aggregations of histogram fields against a slow reference that counts value by value.

use crate::search::execute;
use crate::tests::fixture::{Shard, field, plan_of, shard_with};
use quarry_testing::Dice;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Numbers and counts of one document.
type Counts = Vec<(f64, u64)>;

fn random_counts(dice: &mut Dice) -> Counts {
    let mut numbers: Vec<f64> = (0..dice.below(5)).map(|_| dice.below(40) as f64 / 4.0 - 3.0).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.into_iter().map(|number| (number, dice.below(6))).collect()
}

fn scene(seed: u64) -> (Shard, Vec<Counts>) {
    let mut dice = Dice::new(seed);
    let (mut segments, mut live) = (Vec::new(), Vec::new());
    for size in [1, 4_200, 300] {
        let (mut documents, mut deleted) = (Vec::new(), Vec::new());
        for place in 0..size {
            if dice.below(4) == 0 {
                documents.push(json!({}));
                continue;
            }
            let counts = random_counts(&mut dice);
            let (values, own): (Vec<f64>, Vec<u64>) = counts.iter().copied().unzip();
            documents.push(json!({"h": {"values": values, "counts": own}}));
            if dice.below(7) == 0 { deleted.push(place) } else { live.push(counts) }
        }
        segments.push((documents, deleted));
    }
    let of_h = |name: &str, kind: &str| field(name, kind, json!({"index": false, "hidden_of": "h"}));
    let own = json!({"declared_type": "histogram", "index": false, "doc_values": false});
    let fields = vec![field("h", "double", own), of_h("h\0values", "double"), of_h("h\0totals", "long")];
    (shard_with(fields, Vec::new(), &segments), live)
}

fn aggregate(shard: &Shard, kind: Value) -> Value {
    let aggregations = json!([{"name": "a", "kind": kind, "aggs": []}]);
    let request = json!({"query": {"match_all": {}}, "size": 0, "aggregations": aggregations});
    let result = execute(&shard.view, &plan_of(&request), &|| false).unwrap_or_else(|error| panic!("{kind}: {error}"));
    serde_json::from_slice::<Value>(&result.aggregations.unwrap()).unwrap()["a"].take()
}

#[test]
fn counts_weigh_numbers() {
    for seed in 0..4 {
        let (shard, documents) = scene(seed);
        let counted = || documents.iter().flatten().filter(|(_, count)| *count > 0);
        let value =
            |kind: &str| aggregate(&shard, json!({kind: {"source": {"field": "h"}}}))["value"].as_f64().unwrap();
        let count: u64 = counted().map(|(_, count)| count).sum();
        let sum: f64 = counted().map(|&(number, count)| number * count as f64).sum();
        assert_eq!((value("value_count"), value("sum")), (count as f64, sum), "seed {seed}");
        assert_eq!(value("max"), counted().map(|(number, _)| *number).fold(f64::MIN, f64::max), "seed {seed}");

        let mut expected: BTreeMap<i64, u64> = BTreeMap::new();
        counted().for_each(|&(number, count)| *expected.entry(number.div_euclid(2.0) as i64 * 2).or_default() += count);
        let plan = json!({"source": {"field": "h"}, "min_doc_count": 1, "keyed": false, "interval": 2.0, "offset": 0.0,
            "order": [{"by": "key", "ascending": true}]});
        let answer = aggregate(&shard, json!({"histogram": plan}));
        let found = answer["buckets"].as_array().unwrap().iter();
        let found = found.map(|it| (it["key"].as_f64().unwrap() as i64, it["doc_count"].as_u64().unwrap()));
        assert_eq!(found.collect::<BTreeMap<_, _>>(), expected, "seed {seed}");

        let exists = json!({"query": {"exists": {"field": "h"}}, "size": 0});
        let result = execute(&shard.view, &plan_of(&exists), &|| false).unwrap();
        let hits: Value = serde_json::from_slice(&result.hits).unwrap();
        assert_eq!(hits["total"]["value"].as_u64().unwrap(), documents.len() as u64, "seed {seed}");
    }
}
