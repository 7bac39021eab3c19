//! The nearest vectors: exact searches against the definition, walks of graphs against exact ones.

use crate::tests::fixture::{Shard, error_of, field, ids, merged, search, shard};
use quarry_segment::vectors::data::GRAPH_VECTORS_MIN;
use quarry_testing::Dice;
use quarry_vectors::similarity::Similarity;
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
    assert!(refused("v", json!([1, 2])).contains("different number of dimensions [2] than the document vectors [8]"));
    assert!(refused("v", json!(vec![0; 8])).contains("does not support vectors with zero magnitude"));
    let unmapped = json!({"query": {"knn": {"field": "w", "query_vector": [1]}}});
    assert_eq!(search(&shard, &unmapped)["total"]["value"], 0);
}

fn coded_field(bits: u32, graph: bool) -> Value {
    let quantised = json!({"bits": bits, "confidence_interval": null, "oversample": null});
    let hnsw = if graph { json!({"m": 16, "ef_construction": 100}) } else { Value::Null };
    let vector = json!({"dims": DIMS, "similarity": "l2_norm", "hnsw": hnsw, "quantised": quantised});
    field("v", "dense_vector", json!({"doc_values": false, "vector": vector}))
}

/// Vectors found by their codes have the scores of the vectors themselves.
#[test]
fn quantised_vectors_are_found_and_scored_by_themselves() {
    let mut dice = Dice::new(21);
    let parts = vec![(documents(GRAPH_VECTORS_MIN + 800, &mut dice), vec![5]), (documents(300, &mut dice), vec![])];
    let live = live(&parts);
    for (bits, graph, oversample, least) in
        [(8, true, 1.0, 0.95), (8, false, 1.0, 0.97), (4, true, 3.0, 0.9), (4, false, 5.0, 0.95)]
    {
        let shard = shard(vec![coded_field(bits, graph), field("n", "long", json!({}))], &parts);
        let has_graph = shard.view.segments[0].field("v").unwrap().vectors().unwrap().graph().is_some();
        assert_eq!(has_graph, graph);
        let (mut found, mut wanted) = (0, 0);
        for _ in 0..30 {
            let query = random_vector(&mut dice);
            let all: Vec<(u32, f64)> = expected(&live, Similarity::L2Norm, &query, usize::MAX);
            let knn =
                json!({"field": "v", "query_vector": query, "k": 10, "num_candidates": 100, "oversample": oversample});
            let hits = hits(&shard, &knn);
            assert_eq!(hits.len(), 10);
            for (id, score) in &hits {
                let own = all.iter().find(|(other, _)| other == id).unwrap().1;
                assert!((own - score).abs() < 1e-5, "{own} {score}");
            }
            wanted += 10;
            found += all[..10].iter().filter(|(id, _)| hits.iter().any(|(other, _)| other == id)).count();
        }
        let recall = found as f64 / f64::from(wanted);
        assert!(recall >= least, "{bits} bits, graph {graph}: {recall}");
    }
}

/// Bytes and bits are searched as their definition says, with graphs and without.
#[test]
fn bytes_and_bits_are_searched() {
    let mut dice = Dice::new(22);
    for (element, similarity, count) in [
        ("byte", "cosine", 300),
        ("byte", "dot_product", 300),
        ("byte", "l2_norm", GRAPH_VECTORS_MIN),
        ("bit", "l2_norm", 300),
    ] {
        let dims = if element == "bit" { DIMS * 8 } else { DIMS };
        let vector = json!({"dims": dims, "element": element, "similarity": similarity, "hnsw": {"m": 16, "ef_construction": 100}});
        let mut draw = || (0..DIMS).map(|_| dice.below(255) as i64 - 127).collect::<Vec<i64>>();
        let vectors: Vec<Vec<i64>> = (0..count).map(|_| draw()).collect();
        let documents = vectors.iter().map(|vector| json!({"v": vector})).collect();
        let shard = shard(
            vec![field("v", "dense_vector", json!({"doc_values": false, "vector": vector}))],
            &[(documents, vec![])],
        );
        for _ in 0..10 {
            let query = draw();
            let sum = |of: &dyn Fn(i64, i64) -> i64, other: &[i64]| -> f64 {
                query.iter().zip(other).map(|(&left, &right)| of(left, right)).sum::<i64>() as f64
            };
            let dot = |other: &[i64]| sum(&|left, right| left * right, other);
            let square = |vector: &[i64]| vector.iter().map(|value| value * value).sum::<i64>() as f64;
            let score = |other: &[i64]| match (element, similarity) {
                ("bit", _) => {
                    let differing = sum(&|left, right| i64::from(((left ^ right) as u8).count_ones()), other);
                    (dims as f64 - differing) / dims as f64
                }
                (_, "cosine") => (1.0 + dot(other) / (square(&query) * square(other)).sqrt()) / 2.0,
                (_, "dot_product") => 0.5 + dot(other) / (dims as f64 * 32_768.0),
                _ => 1.0 / (1.0 + sum(&|left, right| (left - right) * (left - right), other)),
            };
            let mut all: Vec<f64> = vectors.iter().map(|vector| score(vector)).collect();
            all.sort_by(|left, right| right.total_cmp(left));
            let knn = json!({"field": "v", "query_vector": query, "k": 5, "num_candidates": 200});
            let found = hits(&shard, &knn);
            for ((_, found), expected) in found.iter().zip(&all) {
                assert!((found - expected).abs() < 1e-5, "{element} {similarity}: {found} {expected}");
            }
        }
    }
}

#[test]
fn queries_that_elements_cannot_hold_are_refused() {
    let vector = json!({"dims": 2, "element": "byte", "similarity": "cosine", "hnsw": null});
    let fields = vec![field("v", "dense_vector", json!({"doc_values": false, "vector": vector}))];
    let shard = shard(fields, &[(vec![json!({"v": [1, 2]})], vec![])]);
    let refused = |vector: Value| error_of(&shard, &json!({"query": {"knn": {"field": "v", "query_vector": vector}}}));
    assert!(refused(json!([1.5, 1])).contains("found decimal value [1.5] at dim [0];"));
    assert!(refused(json!([1, 128])).contains("between [-128, 127] but found [128] at dim [1];"));
    assert!(refused(json!([0, 0])).contains("does not support vectors with zero magnitude"));
    assert!(refused(json!([1])).contains("dimensions [1] than the document vectors [2]"));
}

#[test]
fn a_search_holds_no_more_memory_than_it_may() {
    let shard = shard(vec![vector_field("l2_norm")], &[(documents(50, &mut Dice::new(3)), vec![1])]);
    let limits = |bytes: u64| json!({"max_clauses": 10, "max_buckets": 10, "request_breaker_bytes": bytes, "allow_expensive_queries": true});
    let knn = json!({"field": "v", "query_vector": vec![0.5; DIMS], "k": 3, "num_candidates": 10});
    let error = error_of(&shard, &json!({"query": {"knn": knn}, "limits": limits(0)}));
    assert!(error.contains("[<knn>]"), "{error}");
    assert_eq!(ids(&search(&shard, &json!({"query": {"knn": knn}, "limits": limits(u64::MAX)}))).len(), 3);
}
