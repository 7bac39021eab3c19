//! What `profile` tells, and that `breadth_first` answers as `depth_first` does.

use super::*;

fn profiled(shard: &TestShard, plan: &Value) -> Vec<quarry_aggregations::profile::AggregationProfile> {
    let plan = read_plan(plan).unwrap();
    let (env, search) = (env(), search_plan(&json!({"profile": true})));
    let prepared = Prepared::new(&shard.view, &env, &plan, &search).unwrap();
    let run = prepared.start().unwrap();
    let watch = run.watch();
    run_over(shard, run).unwrap();
    watch.read()
}

/// Four windows: two of one day each, one in which some lack a date, one in which dates jump.
fn windows_of_days() -> Vec<Value> {
    let first = 1_000 * DAY_MS;
    (0..4 * WINDOW as i64)
        .map(|doc| match doc / WINDOW as i64 {
            0 => json!({"t": first + doc, "k": format!("w{}", doc % 3)}),
            1 if doc % 7 == 0 => json!({"k": "w9"}),
            3 => json!({"t": first + (doc % 50) * DAY_MS, "k": "w2"}),
            _ => json!({"t": first + DAY_MS + doc, "k": "w0"}),
        })
        .collect()
}

#[test]
fn windows_that_say_it_all_are_told_from_those_that_are_read() {
    let kind = json!({"date_histogram": {
        "source": source("t"), "interval": {"fixed_ms": DAY_MS}, "offset_ms": 0, "min_doc_count": 1,
        "order": [{"by": "key", "ascending": true}], "keyed": false,
    }});
    let shard = shard(&[windows_of_days(), vec![json!({"k": "a"})]], &[3]);
    let [days] = profiled(&shard, &json!([aggregation("days", kind, json!([]))])).try_into().unwrap();
    assert_eq!(days.kind, "DateHistogramAggregator");
    assert_eq!(
        Value::Object(days.debug),
        json!({"total_buckets": 50, "optimized_segments": 1, "unoptimized_segments": 1, "leaf_visited": 2, "inner_visited": 2})
    );
}

#[test]
fn terms_breadth_first_are_those_depth_first() {
    for seed in 60..70 {
        let (shards, _) = random_case(seed);
        for (field, missing) in [("k", json!("none")), ("k", json!(null)), ("n", json!(7)), ("n", json!(null))] {
            let below = json!([
                aggregation("s", json!({"sum": {"source": source("n")}}), json!([])),
                aggregation("inner", terms("k", 3), json!([])),
            ]);
            let mut kind = terms(field, 4);
            kind["terms"]["shard_size"] = json!(5);
            kind["terms"]["min_doc_count"] = json!(seed % 2);
            kind["terms"]["source"]["missing"] = missing.clone();
            let depth_first = aggregate(&shards, &json!([aggregation("t", kind.clone(), below.clone())])).unwrap();
            kind["terms"]["breadth_first"] = json!(true);
            let plan = json!([aggregation("t", kind.clone(), below.clone())]);
            assert_eq!(aggregate(&shards, &plan).unwrap(), depth_first, "seed {seed}");
            // Below several buckets of a parent.
            let within = |kind: Value| json!([aggregation("p", terms("b", 2), json!([aggregation("t", kind, below)]))]);
            let breadth_first = aggregate(&shards, &within.clone()(kind.clone())).unwrap();
            kind["terms"]["breadth_first"] = json!(false);
            assert_eq!(breadth_first, aggregate(&shards, &within(kind)).unwrap(), "seed {seed}");
        }
    }
}

#[test]
fn a_profile_names_what_ran() {
    let shard = shard(&[vec![json!({"k": "a", "n": 1}), json!({"k": ["a", "b"], "n": 3}), json!({})]], &[]);
    let mut kind = terms("k", 4);
    kind["terms"]["breadth_first"] = json!(true);
    let below = json!([aggregation("m", json!({"max": {"source": source("n")}}), json!([]))]);
    let profile = profiled(&shard, &json!([aggregation("t", kind, below), aggregation("n", terms("n", 4), json!([]))]));
    let [terms, numbers] = profile.as_slice() else { panic!("{profile:?}") };
    assert_eq!((terms.kind.as_str(), terms.name.as_str()), ("GlobalOrdinalsStringTermsAggregator", "t"));
    assert_eq!(terms.breakdown.collect.1, 3);
    assert_eq!(
        Value::Object(terms.debug.clone()),
        json!({"result_strategy": "terms", "deferred_aggregators": ["m"], "collection_strategy": "dense",
            "segments_with_single_valued_ords": 0, "segments_with_multi_valued_ords": 1, "has_filter": false})
    );
    let max = &terms.children[0];
    // The document with two terms falls in two buckets.
    assert_eq!((max.kind.as_str(), max.name.as_str(), max.breakdown.collect.1), ("MaxAggregator", "m", 3));
    assert_eq!(numbers.kind, "NumericTermsAggregator");
    assert_eq!(Value::Object(numbers.debug.clone()), json!({"result_strategy": "long_terms", "total_buckets": 2}));
}
