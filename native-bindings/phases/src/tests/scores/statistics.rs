//! Scores by the counts of all shards, against those of one shard that has all documents.

use super::differential::{corpus, fields, query};
use crate::tests::fixture::{Shard, plan_of, search, shard};
use proptest::prelude::*;
use quarry_base::control::NEVER;
use quarry_query::statistics::{merge, record};
use serde_json::{Value, json};

type Segments = Vec<(Vec<Value>, Vec<u32>)>;

/// Scores and titles of all hits, best first.
fn scores(hits: &Value) -> Vec<f64> {
    hits["hits"].as_array().unwrap().iter().map(|hit| hit["_score"].as_f64().unwrap()).collect()
}

fn searched(shards: &[Shard], request: &Value) -> Vec<f64> {
    let plan = plan_of(request);
    let counted: Vec<Vec<u8>> = shards.iter().map(|shard| record(&shard.view, &plan, NEVER).unwrap()).collect();
    let mut request = request.clone();
    request["statistics"] = json!(merge(&counted).unwrap());
    let mut all: Vec<f64> = shards.iter().flat_map(|shard| scores(&search(shard, &request))).collect();
    all.sort_by(|left, right| right.total_cmp(left));
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn several_shards_score_as_one(parts in prop::collection::vec(corpus(12), 2..4), queries in prop::collection::vec(query(), 8)) {
        let whole: Segments = parts.concat();
        let one = shard(fields(), &whole);
        let shards: Vec<Shard> = parts.iter().map(|part| shard(fields(), part)).collect();
        for query in &queries {
            let request = json!({"query": query, "size": 1_000});
            let expected = scores(&search(&one, &request));
            let found = searched(&shards, &request);
            prop_assert_eq!(found.len(), expected.len(), "{}", query);
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{}: {} {}", query, found, expected);
            }
        }
    }
}

/// A term that only other shards have is rare in none; and the best of many windows stay the best.
#[test]
fn skipping_windows_goes_by_the_scores_of_all() {
    let document = |doc: u32, every: u32| {
        let rare = if doc.is_multiple_of(every) { " rare" } else { "" };
        json!({"title": format!("{} b{rare}", ["a", "a b c", "b c d e a"][(doc % 3) as usize])})
    };
    let parts: Vec<Segments> = vec![
        vec![((0..9_000).map(|doc| document(doc, 997)).collect(), vec![])],
        vec![((0..5_000).map(|doc| document(doc, 3)).collect(), vec![7])],
    ];
    let one = shard(fields(), &parts.concat());
    let shards: Vec<Shard> = parts.iter().map(|part| shard(fields(), part)).collect();
    for query in [
        json!({"match": {"field": "title", "query": "rare a"}}),
        json!({"match": {"field": "title", "query": "rare c", "operator": "and"}}),
        json!({"match_phrase": {"field": "title", "query": "b rare"}}),
    ] {
        let request = json!({"query": query, "size": 20, "track_total_hits": "disabled"});
        let expected = scores(&search(&one, &request));
        let mut found = searched(&shards, &request);
        found.truncate(20);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-5 * expected.abs(), "{query}: {found} {expected}");
        }
    }
}

#[test]
fn a_rescored_document_explains_both_queries() {
    let shard =
        shard(fields(), &[(vec![json!({"title": "a"}), json!({"title": "a b"}), json!({"title": "c"})], vec![])]);
    let rescore = json!([{"window": 2, "query": {"constant_score": {"filter": {"term": {"field": "title", "value": "b"}}, "boost": 3.0}},
        "query_weight": 5.0, "rescore_weight": 10.0, "mode": "total"}]);
    let fetch = json!({"source": {"enabled": false}, "explain": true});
    let hits = search(&shard, &json!({"query": {"match_all": {}}, "rescore": rescore, "fetch": fetch}));
    let of = |place: usize| &hits["hits"][place];
    for hit in hits["hits"].as_array().unwrap() {
        assert_eq!(hit["_score"], hit["_explanation"]["value"]);
    }
    assert_eq!(of(0)["_score"], json!(35.0));
    assert_eq!(of(0)["_explanation"]["description"], json!("sum of:"));
    assert_eq!(of(0)["_explanation"]["details"][1]["value"], json!(30.0));
    assert_eq!(of(1)["_explanation"]["description"], json!("product of:"));
}
