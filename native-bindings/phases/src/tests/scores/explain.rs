//! Explanations, descriptions and profiles of whole searches.

use crate::tests::fixture::{Shard, field, search, shard, try_search};
use serde_json::{Value, json};

fn films() -> Shard {
    let fields = vec![
        field("title", "text", json!({})),
        field("tag", "keyword", json!({})),
        field("n", "long", json!({})),
        field("at", "date", json!({})),
    ];
    let documents = |from: i64| -> Vec<Value> {
        (from..from + 4)
            .map(|n| {
                let title = ["red fox", "quick red fox jumps", "lazy dog", "the fox and the dog"][(n % 4) as usize];
                let tag = ["a", "b"][(n % 2) as usize];
                let at = 1_577_934_245_000i64 - n * 3_600_000;
                json!({"title": title, "tag": tag, "n": n, "at": at})
            })
            .collect()
    };
    shard(fields, &[(documents(0), vec![1]), (documents(4), vec![])])
}

#[test]
fn every_explanation_says_what_the_hit_scores() {
    let shard = films();
    let term = |value: &str| json!({"term": {"field": "title", "value": value}});
    let function = json!({"kind": {"field_value_factor": {"field": "n", "modifier": "ln1p"}}, "weight": 2.0});
    for query in [
        json!({"match_all": {"boost": 2.0}}),
        term("fox"),
        json!({"bool": {"must": [term("fox")], "should": [term("dog")], "filter": [{"term": {"field": "tag", "value": "b"}}]}}),
        json!({"dis_max": {"queries": [term("fox"), term("dog")], "tie_breaker": 0.5}}),
        json!({"function_score": {"query": term("fox"), "functions": [function], "boost_mode": "sum"}}),
        json!({"match_phrase": {"field": "title", "query": "red fox", "boost": 3.0}}),
        json!({"constant_score": {"filter": term("dog"), "boost": 1.5}}),
        json!({"boosting": {"positive": term("fox"), "negative": term("dog"), "negative_boost": 0.2}}),
        json!({"distance_feature": {"field": "at", "origin": "now", "pivot": "2h"}}),
        json!({"span": {"query": {"term": {"field": "title", "value": "fox"}}}}),
        json!({"pinned": {"organic": term("fox"), "documents": [{"id": "6"}]}}),
    ] {
        let request = json!({"query": query, "fetch": {"source": {"enabled": false}, "explain": true}});
        let hits = search(&shard, &request);
        let shown = hits["hits"].as_array().unwrap();
        assert!(!shown.is_empty(), "{query}");
        for hit in shown {
            let (score, told) = (hit["_score"].as_f64().unwrap(), hit["_explanation"]["value"].as_f64().unwrap());
            assert!((score - told).abs() <= 1e-6 * score.abs(), "{query}: {hit}");
            assert_eq!(hit["_shard"], "[test][0]");
        }
    }
}

#[test]
fn a_term_is_explained_as_lucene_does() {
    let shard = films();
    let request = json!({
        "query": {"term": {"field": "title", "value": "dog", "boost": 2.0}},
        "fetch": {"source": {"enabled": false}, "explain": true},
    });
    let explanation = &search(&shard, &request)["hits"][0]["_explanation"];
    assert!(explanation["description"].as_str().unwrap().starts_with("weight(title:dog in "), "{explanation}");
    let parts = &explanation["details"][0];
    assert_eq!(parts["description"], "score(freq=1.0), computed as boost * idf * tf from:");
    assert_eq!(parts["details"][0], json!({"value": 2.0, "description": "boost", "details": []}));
    assert_eq!(parts["details"][1]["details"][0]["value"], 4.0);
    assert_eq!(parts["details"][1]["details"][1]["value"], 8.0);
    let product: f64 = (0..3).map(|place| parts["details"][place]["value"].as_f64().unwrap()).product();
    assert!((product - parts["value"].as_f64().unwrap()).abs() < 1e-5);
}

#[test]
fn pinned_documents_come_first_in_their_order() {
    let shard = films();
    let query = json!({"pinned": {
        "organic": {"match_all": {}}, "documents": [{"id": "6"}, {"id": "2"}, {"id": "9", "index": "other"}],
    }});
    let hits = search(&shard, &json!({"query": query, "size": 3}));
    let ids: Vec<&str> = hits["hits"].as_array().unwrap().iter().map(|hit| hit["_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["6", "2", "0"]);
}

#[test]
fn a_profile_has_the_tree_of_the_query() {
    let shard = films();
    let clause = json!({"term": {"field": "title", "value": "fox"}});
    let query = json!({"bool": {"must": [clause, {"range": {"field": "n", "from": {"value": 1, "inclusive": true}}}]}});
    let result = try_search(&shard, &json!({"query": query, "profile": true})).unwrap();
    let profile: Value = serde_json::from_slice(&result.profile.unwrap()).unwrap();
    let root = &profile["shards"][0]["searches"][0]["query"][0];
    assert_eq!(root["type"], "BooleanQuery");
    assert_eq!(root["children"][0]["type"], "TermQuery");
    assert_eq!(root["children"][0]["description"], "title:fox");
    assert!(root["breakdown"]["build_scorer_count"].as_u64().unwrap() >= 1);
}
