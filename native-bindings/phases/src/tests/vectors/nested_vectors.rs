//! The nearest vectors of nested documents, against a slow reference that walks the JSON.

use crate::tests::fixture::{Shard, error_of, field, ids, merged, search, shard_with};
use quarry_segment::vectors::data::GRAPH_VECTORS_MIN;
use quarry_testing::Dice;
use serde_json::{Value, json};

const DIMS: usize = 4;

fn open(segments: &[(Vec<Value>, Vec<u32>)]) -> Shard {
    let nested = json!({"include_in_parent": false, "include_in_root": false});
    let object = |path: &str| json!({"path": path, "dynamic": "false", "enabled": true, "nested": nested});
    let vector = json!({"dims": DIMS, "similarity": "l2_norm", "hnsw": {"m": 16, "ef_construction": 100}});
    let fields = vec![
        field("n", "integer", json!({})),
        field("a.at", "integer", json!({})),
        field("a.v", "dense_vector", json!({"doc_values": false, "vector": vector})),
    ];
    shard_with(fields, vec![object("a")], segments)
}

fn random_vector(dice: &mut Dice) -> Vec<f64> {
    (0..DIMS).map(|_| dice.below(2_000) as f64 / 1_000.0 - 0.999).collect()
}

/// `most`: nested objects of each, some of which have no vector.
fn documents(count: usize, most: u64, dice: &mut Dice) -> Vec<Value> {
    let object = |dice: &mut Dice, at: u64| {
        let vector = random_vector(dice);
        if dice.below(6) == 0 { json!({"at": at}) } else { json!({"v": vector, "at": at}) }
    };
    let mut document = |_| {
        let objects = (0..dice.below(most + 1)).map(|at| object(dice, at)).collect::<Vec<Value>>();
        json!({"n": dice.below(10), "a": objects})
    };
    (0..count).map(&mut document).collect()
}

/// Live documents by id, in order.
fn live(parts: &[(Vec<Value>, Vec<u32>)]) -> Vec<(u32, &Value)> {
    let all = parts.iter().flat_map(|(documents, deleted)| {
        documents.iter().zip(0..).map(|(document, place)| (document, deleted.contains(&place)))
    });
    (0..).zip(all).filter(|(_, (_, is_deleted))| !is_deleted).map(|(id, (document, _))| (id, document)).collect()
}

/// Scores of the nested objects of a document, the best first.
fn scores(document: &Value, query: &[f64]) -> Vec<f64> {
    let score = |object: &Value| {
        let pairs = object["v"].as_array()?.iter().zip(query);
        let square: f64 = pairs.map(|(left, right)| (left.as_f64().unwrap() - right).powi(2)).sum();
        Some(1.0 / (1.0 + square))
    };
    let mut scores: Vec<f64> = document["a"].as_array().unwrap().iter().filter_map(score).collect();
    scores.sort_by(|left, right| right.total_cmp(left));
    scores
}

/// The best documents by the best of their objects.
fn expected(live: &[(u32, &Value)], query: &[f64], k: usize) -> Vec<(u32, f64)> {
    let best = |(id, document): &(u32, &Value)| Some((*id, *scores(document, query).first()?));
    let mut all: Vec<(u32, f64)> = live.iter().filter_map(best).collect();
    all.sort_by(|left, right| right.1.total_cmp(&left.1));
    all.truncate(k);
    all
}

fn hits(found: &Value) -> Vec<(u32, f64)> {
    let scores = found["hits"].as_array().unwrap().iter().map(|hit| hit["_score"].as_f64().unwrap());
    ids(found).into_iter().zip(scores).collect()
}

fn assert_same(found: &[(u32, f64)], expected: &[(u32, f64)]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found.1 - expected.1).abs() < 1e-5, "{found:?} {expected:?}");
    }
}

/// The document with those of its nested objects alone whose `at` is below two.
fn first_two(document: &Value) -> Value {
    let mut document = document.clone();
    let objects = document["a"].as_array_mut().unwrap();
    objects.retain(|object| object["at"].as_u64().unwrap() < 2);
    document
}

fn check(shard: &Shard, live: &[(u32, &Value)], dice: &mut Dice) {
    for k in [1, 7, 40] {
        let query = random_vector(dice);
        let knn = json!({"knn": {"field": "a.v", "query_vector": query, "k": k, "num_candidates": k.max(20)}});
        let whole = search(shard, &json!({"query": knn, "size": 1000}));
        assert_same(&hits(&whole), &expected(live, &query, k));
        let within = json!({"nested": {"path": "a", "query": knn, "score_mode": "max"}});
        let within = search(shard, &json!({"query": within, "size": 1000}));
        assert_same(&hits(&within), &expected(live, &query, k));
        let mut filtered = knn.clone();
        filtered["knn"]["filter"] = json!([{"range": {"field": "n", "to": {"value": 3, "inclusive": false}}}]);
        let low: Vec<(u32, &Value)> =
            live.iter().filter(|(_, document)| document["n"].as_u64() < Some(3)).copied().collect();
        let found = search(shard, &json!({"query": filtered, "size": 1000}));
        assert_same(&hits(&found), &expected(&low, &query, k));
        // Of nested documents, alone and beside whole ones.
        let at = json!({"range": {"field": "a.at", "to": {"value": 2, "inclusive": false}}});
        let both = json!({"bool": {"should": [at, {"term": {"field": "a.at", "value": 0}}]}});
        let low_number = filtered["knn"]["filter"][0].clone();
        for (filter, live) in [(json!([at]), live), (json!([both]), live), (json!([low_number, at]), &low)] {
            filtered["knn"]["filter"] = filter;
            let first: Vec<(u32, Value)> = live.iter().map(|(id, document)| (*id, first_two(document))).collect();
            let first: Vec<(u32, &Value)> = first.iter().map(|(id, document)| (*id, document)).collect();
            for query_plan in
                [filtered.clone(), json!({"nested": {"path": "a", "query": filtered, "score_mode": "max"}})]
            {
                let found = search(shard, &json!({"query": query_plan, "size": 1000}));
                assert_same(&hits(&found), &expected(&first, &query, k));
            }
        }
    }
}

#[test]
fn documents_are_found_by_the_nearest_of_their_nested_vectors() {
    let mut dice = Dice::new(31);
    let parts = vec![(documents(150, 5, &mut dice), vec![0, 3, 9]), (documents(40, 3, &mut dice), vec![])];
    let live = live(&parts);
    let shard = open(&parts);
    check(&shard, &live, &mut dice);
    check(&merged(shard), &live, &mut dice);
}

#[test]
fn graphs_lead_to_different_documents() {
    let mut dice = Dice::new(32);
    let parts = vec![(documents(GRAPH_VECTORS_MIN / 2, 8, &mut dice), vec![4])];
    let shard = open(&parts);
    assert!(shard.view.segments[0].field("a.v").unwrap().vectors().unwrap().graph().is_some());
    let live = live(&parts);
    let (mut found, mut wanted) = (0, 0);
    for _ in 0..30 {
        let query = random_vector(&mut dice);
        let knn = json!({"knn": {"field": "a.v", "query_vector": query, "k": 10, "num_candidates": 100}});
        let hits = hits(&search(&shard, &json!({"query": knn, "size": 1000})));
        assert_eq!(hits.len(), 10);
        let nearest = expected(&live, &query, 10);
        wanted += nearest.len();
        found += nearest.iter().filter(|(id, _)| hits.iter().any(|(other, _)| other == id)).count();
    }
    assert!(found as f64 / wanted as f64 >= 0.95, "{found} of {wanted}");
}

/// Hits show all of their nested vectors, by how near they are.
#[test]
fn hits_show_their_nearest_nested_documents() {
    let mut dice = Dice::new(33);
    let parts = vec![(documents(60, 5, &mut dice), vec![2])];
    let live = live(&parts);
    let shard = open(&parts);
    let query = random_vector(&mut dice);
    let inner = json!({"size": 3, "fetch": {"source": {"enabled": true}}});
    let knn = json!({"knn": {"field": "a.v", "query_vector": query, "k": 8, "num_candidates": 20, "boost": 2.0}});
    let nested = json!({"nested": {"path": "a", "query": knn, "score_mode": "max", "inner_hits": inner}});
    let earlier = hits(&search(&shard, &json!({"query": knn, "size": 8})));
    let seq_no = |id: u32| i64::from(id);
    let documents: Vec<Value> = earlier
        .iter()
        .map(|(id, score)| json!({"id": id.to_string(), "seq_no": seq_no(*id), "score": score}))
        .collect();
    let found = json!({"found": {"documents": documents, "shown": {"query": knn, "inner_hits": inner}}});
    for query_plan in [nested, found] {
        let answer = search(&shard, &json!({"query": query_plan, "size": 8}));
        assert_eq!(answer["hits"].as_array().map(Vec::len), Some(8));
        for hit in answer["hits"].as_array().unwrap() {
            let id: u32 = hit["_id"].as_str().unwrap().parse().unwrap();
            let document = live.iter().find(|(other, _)| *other == id).unwrap().1;
            let own = scores(document, &query);
            let shown = &hit["inner_hits"]["a"]["hits"];
            assert_eq!(shown["total"]["value"].as_u64(), Some(own.len() as u64));
            let expected: Vec<(u32, f64)> = own.iter().take(3).map(|score| (id, score * 2.0)).collect();
            let scores = shown["hits"].as_array().unwrap().iter().map(|hit| (id, hit["_score"].as_f64().unwrap()));
            assert_same(&scores.collect::<Vec<_>>(), &expected);
        }
    }
}

#[test]
fn vectors_beside_a_nested_path_are_refused_within_it() {
    let vector = json!({"dims": 2, "similarity": "l2_norm", "hnsw": null});
    let nested = json!({"include_in_parent": false, "include_in_root": false});
    let object = json!({"path": "a", "dynamic": "false", "enabled": true, "nested": nested});
    let fields = vec![
        field("v", "dense_vector", json!({"doc_values": false, "vector": vector})),
        field("a.n", "integer", json!({})),
    ];
    let shard = shard_with(fields, vec![object], &[(vec![json!({"v": [1, 2], "a": {"n": 1}})], vec![])]);
    let knn = json!({"knn": {"field": "v", "query_vector": [1, 2], "k": 3, "num_candidates": 3}});
    let reason = error_of(&shard, &json!({"query": {"nested": {"path": "a", "query": knn}}}));
    assert!(reason.contains("[knn] of field [v] cannot be within a [nested] query of path [a]"), "{reason}");
    let found = search(&shard, &json!({"query": knn}));
    assert_eq!(ids(&found), [0]);
}
