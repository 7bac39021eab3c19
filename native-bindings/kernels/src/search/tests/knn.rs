//! The nearest vectors: exact searches against the definition, walks of graphs against exact ones.

use super::fixture::{Shard, error_of, field, ids, merged, search, shard};
use crate::segment::vectors::data::GRAPH_VECTORS_MIN;
use crate::testing::Dice;
use crate::vectors::similarity::Similarity;
use serde_json::{Value, json};

const DIMS: usize = 8;

fn vector_field(similarity: &str) -> Value {
    let vector = json!({"dims": DIMS, "similarity": similarity, "hnsw": {"m": 16, "ef_construction": 100}});
    field("v", "dense_vector", json!({"doc_values": false, "vector": vector}))
}

fn random_vector(dice: &mut Dice) -> Vec<f32> {
    (0..DIMS).map(|_| dice.below(2_000) as f32 / 1_000.0 - 0.999).collect()
}

/// Some documents without a vector; `n` tells them apart for filters.
fn documents(count: usize, dice: &mut Dice) -> Vec<Value> {
    let document = |n| {
        let has_vector = dice.below(8) > 0;
        let vector = random_vector(dice);
        if has_vector { json!({"v": vector, "n": n}) } else { json!({"n": n}) }
    };
    (0..count).map(document).collect()
}

/// Score of each document, the best first, by the definition.
fn expected(documents: &[(u32, &Value)], similarity: Similarity, query: &[f32], k: usize) -> Vec<(u32, f64)> {
    let score = |vector: &Value| {
        let vector: Vec<f64> = vector.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
        let pairs = || vector.iter().zip(query.iter().map(|&value| f64::from(value)));
        let dot: f64 = pairs().map(|(left, right)| left * right).sum();
        let length = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
        let lengths = length(&mut vector.iter().copied()) * length(&mut query.iter().map(|&value| f64::from(value)));
        match similarity {
            Similarity::Cosine => (1.0 + dot / lengths) / 2.0,
            Similarity::DotProduct => (1.0 + dot) / 2.0,
            Similarity::L2Norm => {
                1.0 / (1.0 + pairs().map(|(left, right)| (left - right) * (left - right)).sum::<f64>())
            }
            Similarity::MaxInnerProduct if dot < 0.0 => 1.0 / (1.0 - dot),
            Similarity::MaxInnerProduct => dot + 1.0,
        }
    };
    let scored = documents.iter().filter(|(_, document)| document["v"].is_array());
    let mut scored: Vec<(u32, f64)> = scored.map(|(id, document)| (*id, score(&document["v"]))).collect();
    scored.sort_by(|left, right| right.1.total_cmp(&left.1));
    scored.truncate(k);
    scored
}

fn live(parts: &[(Vec<Value>, Vec<u32>)]) -> Vec<(u32, &Value)> {
    let mut all = Vec::new();
    let mut id = 0;
    for (documents, deleted) in parts {
        for (document, place) in documents.iter().zip(0..) {
            if !deleted.contains(&place) {
                all.push((id, document));
            }
            id += 1;
        }
    }
    all
}

fn hits(shard: &Shard, knn: &Value) -> Vec<(u32, f64)> {
    let found = search(shard, &json!({"query": {"knn": knn}, "size": 1000}));
    let scores = found["hits"].as_array().unwrap().iter().map(|hit| hit["_score"].as_f64().unwrap());
    ids(&found).into_iter().zip(scores).collect()
}

fn assert_same(found: &[(u32, f64)], expected: &[(u32, f64)]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found.1 - expected.1).abs() < 1e-5, "{found:?} {expected:?}");
    }
}

#[test]
fn small_segments_are_searched_exactly() {
    let mut dice = Dice::new(11);
    for similarity in [Similarity::Cosine, Similarity::L2Norm, Similarity::MaxInnerProduct] {
        let parts: Vec<(Vec<Value>, Vec<u32>)> =
            [(200, vec![0, 7, 9]), (1, vec![]), (90, vec![])].map(|(n, gone)| (documents(n, &mut dice), gone)).into();
        let shard = shard(vec![vector_field(similarity.name()), field("n", "long", json!({}))], &parts);
        let live = live(&parts);
        for k in [1, 10, 500] {
            let query = random_vector(&mut dice);
            let knn = json!({"field": "v", "query_vector": query, "k": k, "num_candidates": k});
            assert_same(&hits(&shard, &knn), &expected(&live, similarity, &query, k));
            let low: Vec<(u32, &Value)> =
                live.iter().filter(|(_, document)| document["n"].as_u64() < Some(40)).copied().collect();
            let filter = json!([{"range": {"field": "n", "to": {"value": 40, "inclusive": false}}}]);
            let mut filtered = knn.clone();
            filtered["filter"] = filter;
            assert_same(&hits(&shard, &filtered), &expected(&low, similarity, &query, k));
        }
    }
}

/// How many of the ten nearest are found.
fn recall(shard: &Shard, live: &[(u32, &Value)], dice: &mut Dice, filter: Option<&Value>) -> f64 {
    let (mut found, mut wanted) = (0, 0);
    for _ in 0..30 {
        let query = random_vector(dice);
        let mut knn = json!({"field": "v", "query_vector": query, "k": 10, "num_candidates": 100});
        if let Some(filter) = filter {
            knn["filter"] = json!([filter]);
        }
        let walked: Vec<u32> = hits(shard, &knn).into_iter().map(|(id, _)| id).collect();
        let nearest = expected(live, Similarity::L2Norm, &query, 10);
        wanted += nearest.len();
        found += nearest.iter().filter(|(id, _)| walked.contains(id)).count();
    }
    found as f64 / wanted as f64
}

#[test]
fn graphs_find_nearly_all_with_and_without_filters() {
    let mut dice = Dice::new(12);
    let gone = (0..GRAPH_VECTORS_MIN as u32).filter(|place| place % 40 == 1).collect();
    let parts = vec![(documents(GRAPH_VECTORS_MIN + 1_500, &mut dice), gone), (documents(400, &mut dice), vec![2])];
    let one = shard(vec![vector_field("l2_norm"), field("n", "long", json!({}))], &parts);
    assert!(one.view.segments[0].field("v").unwrap().vectors().unwrap().graph().is_some());
    let all = live(&parts);
    let check = |shard: &Shard, dice: &mut Dice| {
        let found = recall(shard, &all, dice, None);
        assert!(found >= 0.95, "{found}");
        for upper in [2_500, 60] {
            let low: Vec<(u32, &Value)> =
                all.iter().filter(|(_, document)| document["n"].as_u64() < Some(upper)).copied().collect();
            let filter = json!({"range": {"field": "n", "to": {"value": upper, "inclusive": false}}});
            let found = recall(shard, &low, dice, Some(&filter));
            assert!(found >= if upper == 60 { 1.0 } else { 0.95 }, "below {upper}: {found}");
        }
    };
    check(&one, &mut dice);
    check(&merged(one), &mut dice);
}

#[test]
fn what_was_found_before_is_found_again_unless_it_changed() {
    let documents: Vec<Value> = (0..5).map(|n| json!({"n": n})).collect();
    let shard = shard(vec![field("n", "long", json!({}))], &[(documents, vec![3])]);
    let listed = json!([
        {"id": "1", "seq_no": 1, "score": 0.25}, {"id": "3", "seq_no": 3, "score": 1.0},
        {"id": "4", "seq_no": 9, "score": 1.0}, {"id": "2", "seq_no": 2, "score": 0.5}, {"id": "77", "seq_no": 2, "score": 0.5},
    ]);
    let found = search(&shard, &json!({"query": {"found": {"documents": listed}}}));
    assert_eq!(ids(&found), [2, 1]);
    assert_eq!(found["hits"][0]["_score"], 0.5);
}

#[test]
fn what_cannot_be_searched_for_is_refused() {
    let shard = shard(vec![vector_field("cosine"), field("n", "long", json!({}))], &[(vec![json!({"n": 1})], vec![])]);
    let refused = |field: &str, vector: Value| {
        error_of(&shard, &json!({"query": {"knn": {"field": field, "query_vector": vector}}}))
    };
    assert!(refused("n", json!([1])).contains("only supported on [dense_vector] fields"));
    assert!(refused("v", json!([1, 2])).contains("different dimension [2] than the index vectors [8]"));
    assert!(refused("v", json!(vec![0; 8])).contains("does not support vectors with zero magnitude"));
    let unmapped = json!({"query": {"knn": {"field": "w", "query_vector": [1]}}});
    assert_eq!(search(&shard, &unmapped)["total"]["value"], 0);
}
