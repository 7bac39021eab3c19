//! `top_hits` and `global` through whole searches of several shards, against sorting the JSON documents.

use super::{aggregation, source, terms};
use crate::reduce::reduce;
use crate::search::{execute, query_phase};
use quarry_base::error::Result;
use quarry_plan as plan;
use quarry_plan::request::SearchPlan;
use quarry_shards::{TestShard, mapping};
use quarry_testing::Dice;
use quarry_testing::mapping::field;
use serde_json::{Value, json};
use std::cmp::Ordering;

/// A document where it lies, with the score that the query gives it.
#[derive(Debug, Clone)]
struct Found {
    shard: usize,
    id: usize,
    score: f64,
    document: Value,
}

fn plan_of(members: &Value) -> SearchPlan {
    let mut request = json!({"query": {"match_all": {}}, "size": 0, "track_total_hits": "exact", "now_ms": 0,
        "fetch": {"source": {"enabled": true}}});
    for (name, member) in members.as_object().unwrap() {
        request[name] = member.clone();
    }
    plan::from_json(request.to_string().as_bytes()).unwrap()
}

fn aggregations(shards: &[TestShard], request: &Value) -> Result<Value> {
    let plan = plan_of(request);
    let results = shards.iter().map(|shard| query_phase(&shard.view, &plan, &|| false)).collect::<Result<Vec<_>>>()?;
    let none: Vec<Vec<u8>> = shards.iter().map(|_| Vec::new()).collect();
    let rendered = reduce(&plan, results)?.render(&plan, &none, &[] as &[Vec<u8>])?;
    Ok(serde_json::from_slice(&rendered.aggregations.unwrap()).unwrap())
}

fn shard(segments: &[Vec<Value>], deleted: &[u32]) -> TestShard {
    let fields = vec![
        field("k", "keyword", json!({})),
        field("n", "long", json!({})),
        field("w", "text", json!({})),
        field("b", "boolean", json!({})),
    ];
    TestShard::new(mapping(fields), segments, deleted)
}

fn random_document(dice: &mut Dice, nth: usize) -> Value {
    let words: Vec<&str> = (0..1 + dice.below(6)).map(|_| ["red", "green", "blue"][dice.below(3) as usize]).collect();
    let mut document = json!({"u": nth, "w": words.join(" "), "b": dice.below(2) == 1});
    if dice.below(5) > 0 {
        document["k"] = json!(format!("k{}", dice.below(4)));
    }
    if dice.below(3) > 0 {
        document["n"] = json!(dice.below(9));
    }
    document
}

/// Shards and the live documents of each that the query finds.
fn random_case(seed: u64, query: &Value) -> (Vec<TestShard>, Vec<Found>) {
    let mut dice = Dice::new(seed);
    let mut shards = Vec::new();
    let mut found = Vec::new();
    for place in 0..1 + dice.below(3) as usize {
        let segments: Vec<Vec<Value>> = (0..1 + dice.below(3))
            .map(|_| (0..1 + dice.below(60) as usize).map(|nth| random_document(&mut dice, nth)).collect())
            .collect();
        let mut segments = segments;
        segments.iter_mut().flatten().enumerate().for_each(|(id, document)| document["u"] = json!(place * 1_000 + id));
        let all: Vec<Value> = segments.concat();
        let deleted: Vec<u32> = (0..all.len() as u32).filter(|_| dice.below(7) == 0).collect();
        let shard = shard(&segments, &deleted);
        let plan = plan_of(&json!({"query": query, "size": 1_000}));
        let hits = execute(&shard.view, &plan, &|| false).unwrap().hits;
        let hits: Value = serde_json::from_slice(&hits).unwrap();
        for hit in hits["hits"].as_array().unwrap() {
            let id: usize = hit["_id"].as_str().unwrap().parse().unwrap();
            let score = hit["_score"].as_f64().unwrap();
            found.push(Found { shard: place, id, score, document: all[id].clone() });
        }
        shards.push(shard);
    }
    found.sort_by_key(|one| (one.shard, one.id));
    (shards, found)
}

fn top_hits(members: &Value) -> Value {
    let mut hits =
        json!({"from": 0, "size": 3, "sort": [], "track_scores": false, "fetch": {"source": {"enabled": true}}});
    for (name, member) in members.as_object().unwrap() {
        hits[name] = member.clone();
    }
    json!({"top_hits": hits})
}

fn field_key(name: &str, order: &str, missing: Value) -> Value {
    json!({"field": {"field": name, "order": order, "missing": missing}})
}

/// Compares a member that not every document has.
fn by_member(left: &Found, right: &Found, name: &str, descending: bool, missing_first: bool) -> Ordering {
    let number = |one: &Found| one.document[name].as_i64();
    let text = |one: &Found| one.document[name].as_str().map(str::to_owned);
    let absent = if missing_first { Ordering::Less } else { Ordering::Greater };
    match (left.document[name].is_null(), right.document[name].is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => absent,
        (false, true) => absent.reverse(),
        (false, false) => {
            let ascending = number(left).cmp(&number(right)).then(text(left).cmp(&text(right)));
            if descending { ascending.reverse() } else { ascending }
        }
    }
}

type Compare = fn(&Found, &Found) -> Ordering;

fn sorts() -> Vec<(Value, Compare)> {
    fn by_score(left: &Found, right: &Found) -> Ordering {
        right.score.total_cmp(&left.score)
    }
    vec![
        (json!([]), by_score),
        (json!([field_key("n", "desc", json!("last")), {"score": {"order": "desc"}}]), |left, right| {
            by_member(left, right, "n", true, false).then(by_score(left, right))
        }),
        (json!([field_key("k", "asc", json!("first")), field_key("n", "asc", json!("first"))]), |left, right| {
            by_member(left, right, "k", false, true).then(by_member(left, right, "n", false, true))
        }),
        (json!([{"score": {"order": "asc"}}, {"doc": {"order": "desc"}}]), |left, right| {
            left.score.total_cmp(&right.score).then(right.id.cmp(&left.id))
        }),
    ]
}

/// Checks one bucket's hits against its documents.
fn check(hits: &Value, mut expected: Vec<Found>, compare: Compare, window: (usize, usize), scored: bool) {
    let hits = &hits["hits"];
    assert_eq!(hits["total"], json!({"value": expected.len(), "relation": "eq"}));
    expected.sort_by(|left, right| compare(left, right).then((left.shard, left.id).cmp(&(right.shard, right.id))));
    let best = expected.iter().map(|one| one.score).fold(f64::NEG_INFINITY, f64::max);
    let max_score = if scored && !expected.is_empty() { json!(best) } else { Value::Null };
    assert_eq!(hits["max_score"], max_score);
    let shown = hits["hits"].as_array().unwrap();
    let found: Vec<&Value> = shown.iter().map(|hit| &hit["_source"]["u"]).collect();
    let page: Vec<&Found> = expected.iter().skip(window.0).take(window.1).collect();
    assert_eq!(found, page.iter().map(|one| &one.document["u"]).collect::<Vec<_>>());
    for (hit, one) in shown.iter().zip(page) {
        assert_eq!(hit["_score"], if scored { json!(one.score) } else { Value::Null });
    }
}

#[test]
fn every_bucket_has_its_best_documents() {
    let query = json!({"match": {"field": "w", "query": "red blue"}});
    for seed in 0..16 {
        let (shards, found) = random_case(seed, &query);
        let (sort, compare) = sorts().swap_remove(seed as usize % 4);
        let track_scores = seed % 3 == 0;
        let scored = track_scores || sort == json!([]);
        let (from, size) = (seed as usize % 3, 1 + seed as usize % 5);
        let kind = top_hits(&json!({"from": from, "size": size, "sort": sort, "track_scores": track_scores}));
        let hits = json!([aggregation("hits", kind, json!([]))]);
        let filters =
            json!({"filters": {"filters": [{"term": {"field": "b", "value": true}}], "other_bucket": "_other_"}});
        let nested = json!([aggregation("b", filters, hits.clone())]);
        let request = json!({"query": query, "aggregations": [
            aggregation("k", terms("k", 10), nested), aggregation("all", kind_of(&hits), json!([])),
        ]});
        let answer = aggregations(&shards, &request).unwrap();
        check(&answer["all"], found.clone(), compare, (from, size), scored);
        for bucket in answer["k"]["buckets"].as_array().unwrap() {
            let of_key: Vec<Found> = found.iter().filter(|one| one.document["k"] == bucket["key"]).cloned().collect();
            for (below, flag) in bucket["b"]["buckets"].as_array().unwrap().iter().zip([true, false]) {
                let expected = of_key.iter().filter(|one| one.document["b"] == json!(flag)).cloned().collect();
                check(&below["hits"], expected, compare, (from, size), scored);
            }
        }
    }
}

fn kind_of(aggregations: &Value) -> Value {
    aggregations[0]["kind"].clone()
}

#[test]
fn global_sees_what_the_query_and_its_filters_leave_out() {
    for seed in 100..106 {
        let (shards, found) = random_case(seed, &json!({"match_all": {}}));
        let hits = json!([aggregation("hits", top_hits(&json!({"size": 2})), json!([]))]);
        let request = json!({"query": {"term": {"field": "k", "value": "nowhere"}}, "aggregations": [
            aggregation("first", json!({"value_count": {"source": source("k")}}), json!([])),
            aggregation("all", json!({"global": {}}), hits),
            aggregation("last", json!({"value_count": {"source": source("k")}}), json!([])),
        ]});
        let answer = aggregations(&shards, &request).unwrap();
        assert_eq!(answer["first"]["value"], json!(0));
        assert_eq!(answer["last"]["value"], json!(0));
        assert_eq!(answer["all"]["doc_count"], json!(found.len()));
        check(&answer["all"]["hits"], found.clone(), |_, _| Ordering::Equal, (0, 2), true);

        let mut filtered = request;
        filtered["alias_filter"] = json!({"term": {"field": "k", "value": "k1"}});
        let answer = aggregations(&shards, &filtered).unwrap();
        let let_through = found.iter().filter(|one| one.document["k"] == json!("k1")).count();
        assert_eq!(answer["all"]["doc_count"], json!(let_through));
    }
}

#[test]
fn hits_show_what_they_are_asked_for() {
    let shards = [shard(&[vec![json!({"k": "a", "n": 5, "w": "red"})]], &[])];
    let fetch = json!({"source": {"enabled": true, "includes": ["w"]}, "docvalue_fields": [{"field": "n"}],
        "version": true, "seq_no_primary_term": true});
    let kind = top_hits(&json!({"fetch": fetch, "sort": [field_key("n", "asc", json!("last"))]}));
    let query = json!({"named": {"name": "colour", "query": {"match": {"field": "w", "query": "red"}}}});
    let request = json!({"query": query, "aggregations": [aggregation("hits", kind, json!([]))]});
    let answer = aggregations(&shards, &request).unwrap();
    let expected = json!({"_index": "test", "_id": "0", "_version": 1, "_seq_no": 0, "_primary_term": 1, "_score": null,
        "_source": {"w": "red"}, "fields": {"n": [5]}, "sort": [5], "matched_queries": ["colour"]});
    assert_eq!(answer["hits"]["hits"]["hits"], json!([expected]));

    let mut as_int = request;
    as_int["fetch"] = json!({"source": {"enabled": true}, "total_hits_as_int": true});
    assert_eq!(aggregations(&shards, &as_int).unwrap()["hits"]["hits"]["total"], json!(1));
}

#[test]
fn sorts_that_cannot_be_are_refused() {
    let shards = [shard(&[vec![json!({"n": 5})]], &[])];
    let sorted = |sort: Value| {
        let kind = top_hits(&json!({"sort": sort}));
        json!({"aggregations": [aggregation("hits", kind, json!([]))]})
    };
    let error = aggregations(&shards, &sorted(json!([field_key("none", "asc", json!("last"))]))).unwrap_err();
    assert_eq!(error.reason, "No mapping found for [none] in order to sort on");

    let fields = vec![field("n", "keyword", json!({}))];
    let other = TestShard::new(mapping(fields), &[vec![json!({"n": "five"})]], &[]);
    let [shard] = shards;
    let mixed = aggregations(&[shard, other], &sorted(json!([field_key("n", "asc", json!("last"))]))).unwrap_err();
    assert!(mixed.reason.starts_with("Can't do sort across indices"), "{mixed}");
}
