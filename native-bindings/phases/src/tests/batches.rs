//! Results of shards that are merged batch after batch, against the same results merged at once.

use super::fixture::{Shard, field, plan_of, shard};
use crate::reduce::{Reduced, Reducer, reduce};
use crate::search::{SearchResult, ShardResult, fetch_phase, query_phase};
use proptest::prelude::*;
use quarry_base::error::ErrorCode;
use quarry_plan::request::SearchPlan;
use serde_json::{Value, json};

fn opened(documents: Vec<Value>) -> Shard {
    let fields = vec![
        field("title", "text", json!({"analyzer": "standard"})),
        field("tag", "keyword", json!({})),
        field("n", "double", json!({})),
    ];
    shard(fields, &[(documents, vec![])])
}

fn document() -> impl Strategy<Value = Value> {
    let words = prop::collection::vec(prop::sample::select(vec!["red", "blue", "green"]), 1..6);
    (words, -3.0..3.0f64, prop::sample::select(vec!["x", "y", "z", "w"]))
        .prop_map(|(words, n, tag)| json!({"title": words.join(" "), "n": n, "tag": tag}))
}

fn requests() -> impl Strategy<Value = Value> {
    let sort = prop::sample::select(vec![
        json!([{"score": {"order": "desc"}}]),
        json!([{"field": {"field": "n", "order": "desc", "missing": "last"}}]),
        json!([{"field": {"field": "tag", "order": "asc", "missing": "last"}}]),
    ]);
    let collapse = prop::option::of(Just(json!("tag")));
    let track = prop::sample::select(vec![json!("exact"), json!("disabled"), json!({"up_to": 7})]);
    (sort, collapse, track, 0..4u32, 0..9u32).prop_map(|(sort, collapse, track, from, size)| {
        let mut request = json!({
            "query": {"match": {"field": "title", "query": "red blue"}},
            "sort": sort, "from": from, "size": size, "track_total_hits": track,
            "aggregations": [
                {"name": "sum", "kind": {"sum": {"source": {"field": "n"}}}},
                {"name": "tags", "kind": {"terms": {
                    "source": {"field": "tag"}, "size": 2, "shard_size": 3, "min_doc_count": 1,
                    "shard_min_doc_count": 0, "show_term_doc_count_error": true,
                    "order": [{"by": "count", "ascending": false}, {"by": "key", "ascending": true}],
                }}, "aggs": [{"name": "mean", "kind": {"avg": {"source": {"field": "n"}}}}]},
            ],
        });
        if let Some(collapse) = collapse {
            request["collapse"] = collapse;
        }
        request
    })
}

fn answer(reduced: Reduced, plan: &SearchPlan, shards: &[Shard]) -> SearchResult {
    let fetched: Vec<Vec<u8>> = (0..shards.len())
        .map(|place| {
            let list = reduced.fetch_list(place).unwrap();
            if list.is_empty() { list } else { fetch_phase(&shards[place].view, plan, &list, &|| false).unwrap() }
        })
        .collect();
    reduced.render(plan, &fetched, &[] as &[Vec<u8>]).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn batches_of_any_size_come_to_the_same(
        contents in prop::collection::vec(prop::collection::vec(document(), 1..20), 1..7),
        request in requests(),
        batches in prop::collection::vec(1..4usize, 7),
    ) {
        let plan = plan_of(&request);
        let shards: Vec<Shard> = contents.into_iter().map(opened).collect();
        let results: Vec<ShardResult> =
            shards.iter().map(|shard| query_phase(&shard.view, &plan, &|| false).unwrap()).collect();
        let whole = answer(reduce(&plan, results.clone()).unwrap(), &plan, &shards);
        let mut reducer = Reducer::default();
        let mut rest = results.into_iter();
        for batch in batches {
            reducer.add(&plan, rest.by_ref().take(batch).collect()).unwrap();
        }
        prop_assert_eq!(rest.len(), 0);
        prop_assert_eq!(answer(reducer.finish(&plan), &plan, &shards), whole);
    }
}

/// Also where the hits of the first type are no longer among those that are kept.
#[test]
fn keys_that_do_not_compare_are_found_across_batches() {
    let texts = shard(vec![field("n", "keyword", json!({}))], &[(vec![json!({"n": "a"})], vec![])]);
    let numbers = shard(vec![field("n", "double", json!({}))], &[(vec![json!({"n": 1.0})], vec![])]);
    let sort = json!([{"field": {"field": "n", "order": "asc", "missing": "last"}}]);
    let plan = plan_of(&json!({"query": {"match_all": {}}, "sort": sort, "size": 1}));
    let of = |shard: &Shard| query_phase(&shard.view, &plan, &|| false).unwrap();
    let mut reducer = Reducer::default();
    reducer.add(&plan, vec![of(&texts)]).unwrap();
    let error = reducer.add(&plan, vec![of(&numbers)]).unwrap_err();
    assert_eq!(error.code, ErrorCode::IllegalArgument);
}
