//! Aggregations over real segments against a slow, obvious computation on the JSON documents.

mod buckets;
mod composite;
mod keys;
mod memory;
mod metrics;
mod pipelines;
mod places;
mod profiles;
mod terms;
mod top_hits;
mod whole_segments;

use crate::ABOVE;
use quarry_aggregations::plan::Aggregation;
use quarry_aggregations::{PartialAggregations, Prepared, Run, Shape, read_plan, reduce, render};
use quarry_base::control::{Control, NEVER};
use quarry_base::error::Result;
use quarry_codec::window::{WINDOW, WINDOW_WORDS};
use quarry_plan::request::{SearchLimits, SearchPlan};
use quarry_query::weight::QueryEnv;
use quarry_shards::{TestShard, mapping};
use quarry_testing::Dice;
use quarry_testing::mapping::field;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const DAY_MS: i64 = 86_400_000;

fn env() -> QueryEnv<'static> {
    QueryEnv { now_ms: 0, limits: SearchLimits::default(), is_cancelled: NEVER, above: ABOVE }
}

/// A search of all documents, with these members.
fn search_plan(members: &Value) -> SearchPlan {
    let mut plan = json!({"query": {"match_all": {}}, "size": 0, "track_total_hits": "exact", "now_ms": 0,
        "fetch": {"source": {"enabled": true}}});
    for (name, member) in members.as_object().unwrap() {
        plan[name] = member.clone();
    }
    serde_json::from_value(plan).unwrap()
}

fn shard(segments: &[Vec<Value>], deleted: &[u32]) -> TestShard {
    let fields = vec![
        field("k", "keyword", json!({})),
        field("n", "long", json!({})),
        field("d", "double", json!({})),
        field("t", "date", json!({})),
        field("b", "boolean", json!({})),
    ];
    TestShard::new(mapping(fields), segments, deleted)
}

/// Documents with missing, single and several values.
fn documents(dice: &mut Dice, count: usize) -> Vec<Value> {
    let one = |dice: &mut Dice| {
        let mut document = serde_json::Map::new();
        let words: Vec<String> = (0..dice.below(4)).map(|_| format!("w{}", dice.below(12))).collect();
        if !words.is_empty() {
            document.insert("k".into(), json!(words));
        }
        let numbers: Vec<i64> = (0..dice.below(3)).map(|_| dice.below(60) as i64 - 30).collect();
        if !numbers.is_empty() {
            document.insert("n".into(), json!(numbers));
        }
        if dice.below(5) > 0 {
            document.insert("d".into(), json!(dice.below(1_000) as f64 / 8.0));
            document.insert("t".into(), json!(dice.below(400) as i64 * DAY_MS / 3));
        }
        document.insert("b".into(), json!(dice.below(2) == 1));
        Value::Object(document)
    };
    (0..count).map(|_| one(dice)).collect()
}

fn collect(shard: &TestShard, plan: &[Aggregation]) -> Result<PartialAggregations> {
    let env = env();
    let search = search_plan(&json!({}));
    let prepared = Prepared::new(&shard.view, &env, plan, &search)?;
    run_over(shard, prepared.start()?)
}

fn run_over<'a>(shard: &'a TestShard, mut run: Run<'a>) -> Result<PartialAggregations> {
    for segment in shard.view.segments.iter() {
        run.start_segment(segment)?;
        if segment.live.is_none() && run.takes_whole() {
            run.collect_whole()?;
            continue;
        }
        for window in 0..segment.window_count() {
            let mut bits = [u64::MAX; WINDOW_WORDS];
            segment.retain_live(window, &mut bits);
            let first = window * WINDOW as u32;
            let docs: Vec<u16> = (0..WINDOW as u16)
                .filter(|&doc| first + u32::from(doc) < segment.max_doc())
                .filter(|&doc| bits[usize::from(doc) / 64] >> (doc % 64) & 1 == 1)
                .collect();
            run.collect(window, &docs, None)?;
        }
    }
    run.finish(&mut Control::new(&|| false, None))
}

fn aggregate(shards: &[TestShard], plan: &Value) -> Result<Value> {
    // Some of these searches are held against such in parts.
    for shard in shards {
        let search = search_plan(&json!({"aggregations": plan}));
        drop(crate::collect::run(&shard.view, &search, &[], None, &mut Control::new(NEVER, None)));
    }
    let plan = read_plan(plan)?;
    let partials = shards.iter().map(|shard| collect(shard, &plan)).collect::<Result<Vec<_>>>()?;
    let mut out = Vec::new();
    render(&plan, reduce(&plan, partials)?, &env(), Shape::default(), &mut out)?;
    Ok(serde_json::from_slice(&out).unwrap())
}

fn values<'d>(document: &'d Value, field: &str) -> Vec<&'d Value> {
    match &document[field] {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().collect(),
        value => vec![value],
    }
}

fn source(field: &str) -> Value {
    json!({"field": field})
}

fn terms(field: &str, size: u32) -> Value {
    json!({"terms": {
        "source": source(field), "size": size, "shard_size": 1_000, "min_doc_count": 1, "shard_min_doc_count": 0,
        "order": [{"by": "count", "ascending": false}, {"by": "key", "ascending": true}], "show_term_doc_count_error": false,
    }})
}

fn aggregation(name: &str, kind: Value, aggs: Value) -> Value {
    json!({"name": name, "kind": kind, "aggs": aggs})
}

/// Documents of several shards with and without deletions, and those of them that live.
fn random_case(seed: u64) -> (Vec<TestShard>, Vec<Value>) {
    let mut dice = Dice::new(seed);
    let mut shards = Vec::new();
    let mut live = Vec::new();
    for _ in 0..1 + dice.below(3) {
        let segments: Vec<Vec<Value>> = (0..1 + dice.below(3))
            .map(|_| {
                let count = 1 + dice.below(300) as usize;
                documents(&mut dice, count)
            })
            .collect();
        let all: Vec<Value> = segments.concat();
        let deleted: Vec<u32> = (0..all.len() as u32).filter(|_| dice.below(6) == 0).collect();
        live.extend(
            all.iter().enumerate().filter(|(id, _)| !deleted.contains(&(*id as u32))).map(|(_, doc)| doc.clone()),
        );
        shards.push(shard(&segments, &deleted));
    }
    (shards, live)
}

/// Documents by each distinct key that `keys` gives them.
fn group<K: Ord>(documents: &[Value], keys: impl Fn(&Value) -> Vec<K>) -> BTreeMap<K, Vec<Value>> {
    let mut groups: BTreeMap<K, Vec<Value>> = BTreeMap::new();
    for document in documents {
        let mut own = keys(document);
        own.sort();
        own.dedup();
        for key in own {
            groups.entry(key).or_default().push(document.clone());
        }
    }
    groups
}

fn sum(documents: &[Value], field: &str) -> f64 {
    documents.iter().flat_map(|document| values(document, field)).filter_map(Value::as_f64).sum()
}

fn words(document: &Value) -> Vec<String> {
    values(document, "k").into_iter().filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

#[test]
fn terms_with_metrics_below_are_exact() {
    for seed in 0..12 {
        let (shards, live) = random_case(seed);
        let below = json!([
            aggregation("s", json!({"sum": {"source": source("n")}}), json!([])),
            aggregation("c", json!({"cardinality": {"source": source("n"), "precision_threshold": 3000}}), json!([])),
            aggregation("v", json!({"value_count": {"source": source("k")}}), json!([])),
        ]);
        let answer = aggregate(&shards, &json!([aggregation("words", terms("k", 5), below)])).unwrap();
        let mut expected: Vec<(String, Vec<Value>)> = group(&live, words).into_iter().collect();
        expected.sort_by_key(|(_, documents)| std::cmp::Reverse(documents.len()));
        let others: usize = expected.iter().skip(5).map(|(_, documents)| documents.len()).sum();
        assert_eq!(answer["words"]["sum_other_doc_count"], json!(others), "seed {seed}");
        let buckets = answer["words"]["buckets"].as_array().unwrap();
        assert_eq!(buckets.len(), expected.len().min(5));
        for (bucket, (key, documents)) in buckets.iter().zip(&expected) {
            let distinct =
                group(documents, |document| values(document, "n").into_iter().filter_map(Value::as_i64).collect());
            assert_eq!(bucket["key"], json!(key), "seed {seed}");
            assert_eq!(bucket["doc_count"], json!(documents.len()));
            assert_eq!(bucket["s"]["value"].as_f64().unwrap(), sum(documents, "n"));
            assert_eq!(bucket["c"]["value"], json!(distinct.len()));
            // Doc values of terms are sets: a word that a document repeats is one value.
            let values: usize =
                documents.iter().map(|document| group(std::slice::from_ref(document), words).len()).sum();
            assert_eq!(bucket["v"]["value"], json!(values));
        }
    }
}

#[test]
fn histograms_nest_in_each_other_and_fill_gaps() {
    for seed in 20..30 {
        let (shards, live) = random_case(seed);
        let date = json!({"date_histogram": {
            "source": source("t"), "interval": {"fixed_ms": 7 * DAY_MS}, "offset_ms": 0, "min_doc_count": 1,
            "order": [{"by": "key", "ascending": true}], "keyed": false,
        }});
        let numbers = json!({"histogram": {
            "source": source("n"), "interval": 7.0, "offset": 2.0, "min_doc_count": 0,
            "order": [{"by": "key", "ascending": true}], "keyed": false,
        }});
        let plan = json!([aggregation("n", numbers, json!([aggregation("t", date, json!([]))]))]);
        let answer = aggregate(&shards, &plan).unwrap();
        let interval = |value: i64| (value - 2).div_euclid(7);
        let groups = group(&live, |document| {
            values(document, "n").into_iter().filter_map(Value::as_i64).map(interval).collect()
        });
        let (first, last) = (*groups.keys().next().unwrap(), *groups.keys().last().unwrap());
        let buckets = answer["n"]["buckets"].as_array().unwrap();
        assert_eq!(buckets.len() as i64, last - first + 1, "seed {seed}");
        for (bucket, key) in buckets.iter().zip(first..) {
            let documents = groups.get(&key).cloned().unwrap_or_default();
            assert_eq!(bucket["key"].as_f64().unwrap(), (key * 7 + 2) as f64);
            assert_eq!(bucket["doc_count"], json!(documents.len()));
            let weeks = group(&documents, |document| {
                values(document, "t")
                    .into_iter()
                    .filter_map(Value::as_i64)
                    .map(|t| t.div_euclid(7 * DAY_MS) * 7 * DAY_MS)
                    .collect()
            });
            let found: Vec<(i64, u64)> = bucket["t"]["buckets"]
                .as_array()
                .unwrap()
                .iter()
                .map(|week| (week["key"].as_i64().unwrap(), week["doc_count"].as_u64().unwrap()))
                .collect();
            let expected: Vec<(i64, u64)> =
                weeks.into_iter().map(|(week, documents)| (week, documents.len() as u64)).collect();
            assert_eq!(found, expected, "seed {seed}");
        }
    }
}

#[test]
fn ranges_filters_and_missing_count_what_they_say() {
    for seed in 40..50 {
        let (shards, live) = random_case(seed);
        let plan = json!([
            aggregation(
                "r",
                json!({"range": {"source": source("n"), "keyed": true, "ranges": [
                {"to": -10}, {"key": "middle", "from": -10, "to": 10}, {"from": 5}]}}),
                json!([])
            ),
            aggregation(
                "f",
                json!({"filters": {"filters": [{"term": {"field": "k", "value": "w1"}}, {"term": {"field": "b", "value": true}}],
                "names": ["w1", "b"], "other_bucket": "rest"}}),
                json!([aggregation("m", json!({"missing": {"field": "n"}}), json!([]))])
            ),
        ]);
        let answer = aggregate(&shards, &plan).unwrap();
        let within = |low: i64, high: i64| {
            live.iter()
                .filter(|document| values(document, "n").iter().any(|n| (low..high).contains(&n.as_i64().unwrap())))
                .count()
        };
        assert_eq!(answer["r"]["buckets"]["*--10.0"]["doc_count"], json!(within(i64::MIN, -10)), "seed {seed}");
        assert_eq!(answer["r"]["buckets"]["middle"]["doc_count"], json!(within(-10, 10)));
        assert_eq!(answer["r"]["buckets"]["5.0-*"]["doc_count"], json!(within(5, i64::MAX)));
        let has_word = |document: &&Value| words(document).contains(&"w1".to_owned());
        let is_true = |document: &&Value| document["b"] == json!(true);
        let lacks = |document: &&Value| document["n"].is_null();
        let filters = &answer["f"]["buckets"];
        assert_eq!(filters["w1"]["doc_count"], json!(live.iter().filter(has_word).count()));
        assert_eq!(filters["w1"]["m"]["doc_count"], json!(live.iter().filter(has_word).filter(lacks).count()));
        assert_eq!(filters["b"]["doc_count"], json!(live.iter().filter(is_true).count()));
        let rest = live.iter().filter(|document| !has_word(document) && !is_true(document)).count();
        assert_eq!(filters["rest"]["doc_count"], json!(rest));
    }
}

#[test]
fn selections_and_missing_values_choose_buckets() {
    let shard = [shard(&[vec![json!({"k": "a"}), json!({"k": ["b", "c"]}), json!({"n": 1})]], &[])];
    let mut kind = terms("k", 10);
    kind["terms"]["source"]["missing"] = json!("none");
    kind["terms"]["include"] = json!({"regexp": "[ab]|none"});
    kind["terms"]["exclude"] = json!({"values": ["b"]});
    let answer = aggregate(&shard, &json!([aggregation("t", kind, json!([]))])).unwrap();
    let keys: Vec<&Value> = answer["t"]["buckets"].as_array().unwrap().iter().map(|bucket| &bucket["key"]).collect();
    assert_eq!(keys, [&json!("a"), &json!("none")]);
}

#[test]
fn min_doc_count_zero_shows_what_nothing_matched() {
    let shard = [shard(&[vec![json!({"k": "a", "b": true}), json!({"k": "b", "b": false})]], &[])];
    let mut kind = terms("k", 10);
    kind["terms"]["min_doc_count"] = json!(0);
    let plan = json!([aggregation(
        "f",
        json!({"filter": {"term": {"field": "b", "value": true}}}),
        json!([aggregation("t", kind, json!([]))])
    )]);
    let answer = aggregate(&shard, &plan).unwrap();
    assert_eq!(answer["f"]["t"]["buckets"], json!([{"key": "a", "doc_count": 1}, {"key": "b", "doc_count": 0}]));
}

#[test]
fn orders_by_metrics_below() {
    let documents = vec![json!({"k": "a", "n": 5}), json!({"k": "b", "n": 9}), json!({"k": "c"})];
    let shard = [shard(&[documents], &[])];
    let mut kind = terms("k", 10);
    kind["terms"]["order"] = json!([{"by": {"path": {"aggregations": ["m"], "value": "max"}}, "ascending": false}]);
    let below = json!([aggregation("m", json!({"stats": {"source": source("n")}}), json!([]))]);
    let answer = aggregate(&shard, &json!([aggregation("t", kind, below)])).unwrap();
    let keys: Vec<&str> =
        answer["t"]["buckets"].as_array().unwrap().iter().map(|bucket| bucket["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["b", "a", "c"]);
}

#[test]
fn what_cannot_be_aggregated_is_named() {
    let shard = [shard(&[vec![json!({"k": "a", "n": 1})]], &[])];
    let wrong = json!([aggregation("x", json!({"sum": {"source": source("k")}}), json!([]))]);
    let error = aggregate(&shard, &wrong).unwrap_err();
    assert_eq!(error.reason, "Field [k] of type [keyword] is not supported for aggregation [sum]");
    let many = json!([aggregation(
        "h",
        json!({"histogram": {"source": source("n"), "interval": 1.0, "offset": 0.0,
        "min_doc_count": 0, "extended_bounds": {"min": 0, "max": 1e9}, "order": [{"by": "key", "ascending": true}],
        "keyed": false}}),
        json!([])
    )]);
    assert_eq!(aggregate(&shard, &many).unwrap_err().code, quarry_base::error::ErrorCode::TooManyBuckets);
}
