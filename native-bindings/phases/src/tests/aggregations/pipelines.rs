//! Pipelines over real histograms against computations on the documents.

use super::{aggregate, aggregation, group, random_case, source, sum, values};
use serde_json::{Value, json};

fn input(path: &[&str]) -> Value {
    json!({"path": path, "gaps": "skip"})
}

fn pipeline(name: &str, kind: Value) -> Value {
    aggregation(name, json!({"pipeline": kind}), json!([]))
}

fn histogram(below: Vec<Value>) -> Value {
    let kind = json!({"histogram": {"source": source("n"), "interval": 5.0, "offset": 0.0, "min_doc_count": 0,
        "order": [{"by": "key", "ascending": true}], "keyed": false}});
    aggregation("h", kind, json!(below))
}

fn total() -> Value {
    aggregation("s", json!({"sum": {"source": source("d")}}), json!([]))
}

fn numbers(buckets: &[Value], name: &str) -> Vec<Option<f64>> {
    buckets.iter().map(|bucket| bucket[name]["value"].as_f64()).collect()
}

#[test]
fn series_follow_the_buckets_before() {
    for seed in 500..506 {
        let (shards, live) = random_case(seed);
        let plan = json!([histogram(vec![
            total(),
            pipeline("sum", json!({"cumulative_sum": input(&["s"])})),
            pipeline("step", json!({"derivative": {"input": input(&["sum"]), "unit": 2.0}})),
            pipeline("lag", json!({"serial_diff": {"input": input(&["_count"]), "lag": 2}})),
            pipeline(
                "move",
                json!({"moving_fn": {"input": input(&["_count"]), "window": 3, "shift": 1,
                "script": {"source": "MovingFunctions.unweightedAvg(values)"}}})
            ),
            pipeline("part", json!({"normalize": {"input": input(&["_count"]), "method": "percent_of_sum"}})),
        ])]);
        let answer = aggregate(&shards, &plan).unwrap();
        let buckets = answer["h"]["buckets"].as_array().unwrap();
        let interval = |value: &Value| value.as_i64().unwrap().div_euclid(5);
        let groups = group(&live, |document| values(document, "n").into_iter().map(interval).collect());
        let first = *groups.keys().next().unwrap();
        let of = |place: usize| groups.get(&(first + place as i64)).cloned().unwrap_or_default();
        let counts: Vec<f64> = (0..buckets.len()).map(|place| of(place).len() as f64).collect();
        let mut running = 0.0;
        for place in 0..buckets.len() {
            running += sum(&of(place), "d");
            assert!((numbers(buckets, "sum")[place].unwrap() - running).abs() < 1e-6, "seed {seed}");
            let step = &buckets[place]["step"];
            assert_eq!(step.is_null(), place == 0);
            if counts[place] > 0.0 && place > 0 && counts[place - 1] > 0.0 {
                assert!((step["value"].as_f64().unwrap() - sum(&of(place), "d")).abs() < 1e-6);
                assert!((step["normalized_value"].as_f64().unwrap() - sum(&of(place), "d") * 2.0 / 5.0).abs() < 1e-6);
            }
            let lag = place.checked_sub(2).map(|before| counts[place] - counts[before]);
            assert_eq!(numbers(buckets, "lag")[place], lag);
            let window = &counts[(place + 1).saturating_sub(3)..=place];
            let average = window.iter().sum::<f64>() / window.len() as f64;
            assert!((numbers(buckets, "move")[place].unwrap() - average).abs() < 1e-9);
            let part = counts[place] / counts.iter().sum::<f64>();
            assert!((numbers(buckets, "part")[place].unwrap() - part).abs() < 1e-9);
        }
    }
}

#[test]
fn siblings_sum_up_the_buckets_of_a_neighbour() {
    for seed in 520..526 {
        let (shards, _) = random_case(seed);
        let plan = json!([
            histogram(vec![total()]),
            pipeline("avg", json!({"avg_bucket": input(&["h", "s"])})),
            pipeline("max", json!({"max_bucket": input(&["h", "_count"])})),
            pipeline(
                "min",
                json!({"min_bucket": {"path": ["h", "s", "value"], "gaps": "insert_zeros", "format": "0.0"}})
            ),
            pipeline("stats", json!({"stats_bucket": input(&["h", "s"])})),
            pipeline(
                "parts",
                json!({"percentiles_bucket": {"input": input(&["h", "_count"]), "percents": [0.0, 100.0],
                "keyed": true}})
            ),
        ]);
        let answer = aggregate(&shards, &plan).unwrap();
        let buckets = answer["h"]["buckets"].as_array().unwrap();
        let filled = buckets.iter().filter(|bucket| bucket["doc_count"] != json!(0));
        let sums: Vec<f64> = filled.map(|bucket| bucket["s"]["value"].as_f64().unwrap()).collect();
        let counts: Vec<f64> = buckets.iter().map(|bucket| bucket["doc_count"].as_f64().unwrap()).collect();
        let average = sums.iter().sum::<f64>() / sums.len() as f64;
        assert!((answer["avg"]["value"].as_f64().unwrap() - average).abs() < 1e-9, "seed {seed}");
        assert_eq!(answer["stats"]["count"], json!(sums.len()));
        let most = counts.iter().copied().fold(0.0, f64::max);
        assert_eq!(answer["max"]["value"], json!(most));
        let keys: Vec<String> = buckets
            .iter()
            .filter(|bucket| bucket["doc_count"].as_f64() == Some(most))
            .map(|bucket| format!("{:.1}", bucket["key"].as_f64().unwrap()))
            .collect();
        assert_eq!(answer["max"]["keys"], json!(keys));
        let least = counts.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(answer["parts"]["values"], json!({"0.0": least, "100.0": most}));
        assert!(answer["min"]["value_as_string"].is_string());
    }
}

#[test]
fn buckets_are_sorted_and_paged() {
    let (shards, _) = random_case(3);
    let sort =
        json!({"bucket_sort": {"sort": [{"path": ["s"], "ascending": false}], "from": 1, "size": 3, "gaps": "skip"}});
    let all = aggregate(&shards, &json!([histogram(vec![total()])])).unwrap();
    let page = aggregate(&shards, &json!([histogram(vec![total(), pipeline("p", sort)])])).unwrap();
    let mut filled: Vec<Value> = all["h"]["buckets"].as_array().unwrap().clone();
    filled.retain(|bucket| bucket["doc_count"] != json!(0));
    filled.sort_by(|a, b| b["s"]["value"].as_f64().unwrap().total_cmp(&a["s"]["value"].as_f64().unwrap()));
    assert_eq!(page["h"]["buckets"], json!(filled[1..4]));
}

#[test]
fn what_is_no_number_is_named() {
    let (shards, _) = random_case(4);
    let below = vec![histogram(vec![total()])];
    let outer = histogram(below);
    let refusal = |path: &[&str]| {
        let plan = json!([outer, pipeline("m", json!({"max_bucket": input(path)}))]);
        aggregate(&shards, &plan).unwrap_err().reason
    };
    let rule = "buckets_path must reference either a number value or a single value numeric metric aggregation";
    assert_eq!(refusal(&["h", "h", "s"]), format!("{rule}, got: [Object[]] at aggregation [h]"));
    assert_eq!(refusal(&["h", "h"]), format!("{rule}, got: [InternalHistogram] at aggregation [h]"));
    let several = histogram(vec![aggregation("x", json!({"stats": {"source": source("d")}}), json!([]))]);
    let plan = json!([several, pipeline("m", json!({"max_bucket": input(&["h", "x"])}))]);
    let reason = aggregate(&shards, &plan).unwrap_err().reason;
    assert_eq!(reason, format!("{rule}, but [x] contains multiple values. Please specify which to use."));
}
