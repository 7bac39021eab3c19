//! What a search holds is refused before it is more than all searches may hold together, whatever of it takes the memory.

use crate::reduce::Reducer;
use crate::search::{SearchResult, execute, query_phase};
use quarry_base::allocation::Counting;
use quarry_base::control::NEVER;
use quarry_base::error::{ErrorCode, Result};
use quarry_plan::request::{SearchLimits, SearchPlan};
use quarry_shards::{TestShard, mapping};
use quarry_testing::mapping::field;
use serde_json::{Value, json};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: Counting<System> = Counting(System);

const DOCUMENTS: usize = 3_000;

fn shard() -> TestShard {
    let document = |number: usize| json!({"k": format!("k{number}"), "n": number});
    let documents: Vec<Value> = (0..DOCUMENTS).map(document).collect();
    TestShard::new(mapping(vec![field("k", "keyword", json!({})), field("n", "long", json!({}))]), &[documents], &[])
}

/// `limit`: bytes for all searches together.
fn search(shard: &TestShard, members: &Value, limit: u64) -> Result<SearchResult> {
    execute(&shard.view, &plan(members, limit), NEVER)
}

fn plan(members: &Value, limit: u64) -> SearchPlan {
    let mut plan = json!({"query": {"match_all": {}}, "size": 0, "track_total_hits": "exact", "now_ms": 0, "fetch": {"source": {"enabled": true}}});
    for (name, member) in members.as_object().unwrap() {
        plan[name] = member.clone();
    }
    let mut plan: SearchPlan = serde_json::from_value(plan).unwrap();
    plan.limits.request_breaker_bytes = limit;
    plan
}

fn named(name: &str, kind: Value, aggs: Value) -> Value {
    json!({"name": name, "kind": kind, "aggs": aggs})
}

fn terms(size: usize, aggs: Vec<Value>) -> Value {
    let kind = json!({"terms": {
        "source": {"field": "k"}, "size": size, "shard_size": size, "min_doc_count": 1, "shard_min_doc_count": 1,
        "order": [{"by": "count", "ascending": false}, {"by": "key", "ascending": true}], "show_term_doc_count_error": false,
    }});
    json!({"aggregations": [named("k", kind, json!(aggs))]})
}

fn metrics(count: usize, kind: &Value) -> Vec<Value> {
    (0..count).map(|number| named(&format!("m{number}"), kind.clone(), json!([]))).collect()
}

#[test]
fn a_search_that_would_hold_too_much_is_refused_whatever_takes_it() {
    let shard = shard();
    let sum = json!({"sum": {"source": {"field": "n"}}});
    let stats = json!({"extended_stats": {"source": {"field": "n"}, "sigma": 2.0}});
    let key = json!({"field": {"field": "n", "order": "asc", "missing": "last"}});
    let searches = [
        // Windows of values, one for each of them.
        (terms(1, metrics(200, &sum)), 8 << 20),
        // A metric of each bucket.
        (terms(DOCUMENTS, metrics(20, &stats)), 4 << 20),
        // Text of the answer.
        (terms(DOCUMENTS, metrics(1, &stats)), 1 << 20),
        // Windows of values, and those of the hits.
        (json!({"size": 10, "sort": vec![key; 200]}), 4 << 20),
    ];
    for (members, limit) in searches {
        assert!(search(&shard, &members, u64::MAX).is_ok());
        let refused = search(&shard, &members, limit).unwrap_err();
        assert_eq!(refused.code, ErrorCode::CircuitBreaking, "{}", refused.reason);
        assert!(refused.reason.starts_with("[request] Data too large, data for [<"), "{}", refused.reason);
    }
}

#[test]
fn what_a_reduce_keeps_between_its_calls_is_reserved() {
    let shard = shard();
    let stats = json!({"extended_stats": {"source": {"field": "n"}, "sigma": 2.0}});
    let plan = plan(&terms(DOCUMENTS, metrics(10, &stats)), u64::MAX);
    let mut result = Vec::new();
    query_phase(&shard.view, &plan, NEVER).unwrap().encode(&mut result).unwrap();
    let mut reducer = Reducer::default();
    reducer.add_encoded(&plan, &[&result, &result]).unwrap();
    let kept = reducer.kept_bytes();
    assert!(kept > 4 << 20, "{kept}");
    reducer.add_encoded(&plan, &[&result]).unwrap();
    assert!(reducer.kept_bytes() < 2 * kept);
    let tight = SearchPlan { limits: SearchLimits { request_breaker_bytes: kept, ..plan.limits.clone() }, ..plan };
    let refused = Reducer::default().add_encoded(&tight, &[&result, &result]).unwrap_err();
    assert_eq!(refused.code, ErrorCode::CircuitBreaking, "{}", refused.reason);
}

#[test]
fn a_small_search_reserves_nothing() {
    let members = json!({"size": 10, "query": {"term": {"field": "k", "value": "k7"}}});
    assert!(search(&shard(), &members, 0).is_ok());
}
