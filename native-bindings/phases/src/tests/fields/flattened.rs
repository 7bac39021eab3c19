//! Flattened objects against a slow reference that walks the JSON: keys are fields for queries, sorts and aggregations.

use crate::search::execute;
use crate::tests::fixture::{Shard, field, ids, plan_of, shard_with};
use quarry_base::error::Result;
use quarry_query::derived::view_of;
use quarry_testing::Dice;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

fn open(segments: &[(Vec<Value>, Vec<u32>)]) -> Shard {
    let hidden = |of: &str| field(&format!("{of}\0keyed"), "keyword", json!({"hidden_of": of}));
    let fields = vec![
        field("f", "keyword", json!({"declared_type": "flattened", "depth_limit": 20})),
        hidden("f"),
        field("r", "keyword", json!({"declared_type": "rank_features", "index": false, "doc_values": false})),
        hidden("r"),
    ];
    shard_with(fields, Vec::new(), segments)
}

fn run(shard: &Shard, request: &Value) -> Result<(Value, Value)> {
    let view = view_of(&shard.view, request.to_string().as_bytes(), &|| false)?;
    let result = execute(&view, &plan_of(request), &|| false)?;
    let aggregations = result.aggregations.map(|json| serde_json::from_slice(&json).unwrap());
    Ok((serde_json::from_slice(&result.hits).unwrap(), aggregations.unwrap_or_default()))
}

fn found(shard: &Shard, query: Value) -> Vec<u32> {
    let (hits, _) =
        run(shard, &json!({"query": query, "size": 1_000})).unwrap_or_else(|error| panic!("{query}: {error}"));
    let mut found = ids(&hits);
    found.sort_unstable();
    found
}

/// Leaves with their paths, as texts.
fn leaves(value: &Value, path: &str, out: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                leaves(member, &path, out);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| leaves(item, path, out)),
        Value::Null => {}
        Value::String(text) => out.push((path.to_owned(), text.clone())),
        other => out.push((path.to_owned(), other.to_string())),
    }
}

fn random_value(dice: &mut Dice, depth: u64) -> Value {
    match dice.below(if depth == 0 { 4 } else { 7 }) {
        0 => json!(format!("w{}", dice.below(6))),
        1 => json!(dice.below(5)),
        2 => json!(dice.below(2) == 1),
        3 => Value::Null,
        4 => (0..dice.below(3)).map(|_| random_value(dice, depth - 1)).collect(),
        _ => random_object(dice, depth - 1),
    }
}

fn random_object(dice: &mut Dice, depth: u64) -> Value {
    let count = dice.below(4);
    let members: Map<String, Value> = (0..count)
        .map(|_| (["a", "b", "b.c", "ab"][dice.below(4) as usize].to_owned(), random_value(dice, depth)))
        .collect();
    Value::Object(members)
}

/// Documents by id, with the leaves of each.
type Leaves = Vec<(u32, Vec<(String, String)>)>;

fn scene(seed: u64) -> (Shard, Leaves) {
    let mut dice = Dice::new(seed);
    let mut segments = Vec::new();
    let mut documents = Leaves::new();
    let mut id = 0;
    for size in [40, 1, 25] {
        let mut own = Vec::new();
        let mut deleted = Vec::new();
        for place in 0..size {
            let object = random_object(&mut dice, 3);
            let mut found = Vec::new();
            leaves(&object, "", &mut found);
            if dice.below(7) == 0 {
                deleted.push(place);
            } else {
                documents.push((id, found));
            }
            own.push(json!({"f": object}));
            id += 1;
        }
        segments.push((own, deleted));
    }
    (open(&segments), documents)
}

fn expected(documents: &Leaves, matches: impl Fn(&str, &str) -> bool) -> Vec<u32> {
    let matching = documents.iter().filter(|(_, leaves)| leaves.iter().any(|(path, text)| matches(path, text)));
    matching.map(|(id, _)| *id).collect()
}

#[test]
fn queries_on_keys_and_on_the_whole_object() {
    for seed in 0..15 {
        let (shard, documents) = scene(seed);
        for path in ["a", "b", "a.b", "b.c", "a.ab.b", "nowhere"] {
            let name = format!("f.{path}");
            let at = |found: &str| found == path;
            assert_eq!(
                found(&shard, json!({"exists": {"field": name}})),
                expected(&documents, |path, _| at(path)),
                "{name}"
            );
            for value in ["w1", "3", "true"] {
                let term = json!({"term": {"field": name, "value": value}});
                assert_eq!(found(&shard, term), expected(&documents, |path, text| at(path) && text == value));
            }
            let prefix = json!({"prefix": {"field": name, "value": "w"}});
            assert_eq!(found(&shard, prefix), expected(&documents, |path, text| at(path) && text.starts_with('w')));
            let range = json!({"range": {"field": name, "from": {"value": "2", "inclusive": true},
                "to": {"value": "w3", "inclusive": false}}});
            assert_eq!(
                found(&shard, range),
                expected(&documents, |path, text| at(path) && ("2".."w3").contains(&text))
            );
            let pattern = json!({"wildcard": {"field": name, "value": "?3"}});
            assert_eq!(found(&shard, pattern), expected(&documents, |path, text| at(path) && text == "w3"));
        }
        let term = json!({"term": {"field": "f", "value": "w2"}});
        assert_eq!(found(&shard, term), expected(&documents, |_, text| text == "w2"));
        assert_eq!(found(&shard, json!({"exists": {"field": "f"}})), expected(&documents, |_, _| true));
    }
}

#[test]
fn terms_of_keys_are_counted_by_document() {
    for seed in 20..30 {
        let (shard, documents) = scene(seed);
        for path in ["a", "b.c", "a.b"] {
            let kind = json!({"terms": {"source": {"field": format!("f.{path}")}, "size": 100, "shard_size": 100,
                "min_doc_count": 1, "shard_min_doc_count": 0, "show_term_doc_count_error": false,
                "order": [{"by": "key", "ascending": true}]}});
            let aggregations = json!([{"name": "t", "kind": kind, "aggs": []}]);
            let (_, answer) =
                run(&shard, &json!({"query": {"match_all": {}}, "size": 0, "aggregations": aggregations})).unwrap();
            let buckets = answer["t"]["buckets"].as_array().unwrap().iter();
            let counts: Vec<(String, u64)> = buckets
                .map(|bucket| (bucket["key"].as_str().unwrap().to_owned(), bucket["doc_count"].as_u64().unwrap()))
                .collect();
            let mut reference: BTreeMap<String, u64> = BTreeMap::new();
            for (_, leaves) in &documents {
                let mut own: Vec<&String> = leaves.iter().filter(|(at, _)| at == path).map(|(_, text)| text).collect();
                own.sort();
                own.dedup();
                own.into_iter().for_each(|text| *reference.entry(text.clone()).or_default() += 1);
            }
            assert_eq!(counts, reference.into_iter().collect::<Vec<_>>(), "seed {seed}: {path}");
        }
    }
}

#[test]
fn features_score_by_their_numbers() {
    let documents =
        vec![json!({"r": {"x": 3, "y": 1.5}}), json!({"r": {"x": 9}}), json!({"r": {"y": 4}}), json!({"r": null})];
    let shard = open(&[(documents, Vec::new())]);
    let query = json!({"rank_feature": {"field": "r.x", "function": {"linear": {}}}});
    let (hits, _) = run(&shard, &json!({"query": query, "size": 10})).unwrap();
    let scores: Vec<f64> = hits["hits"].as_array().unwrap().iter().map(|hit| hit["_score"].as_f64().unwrap()).collect();
    assert_eq!(scores, [9.0, 3.0]);
}

#[test]
fn a_request_names_no_more_keys_than_allowed() {
    let shard = open(&[(vec![json!({"f": {"a": 1}})], Vec::new())]);
    let terms: Vec<Value> = (0..1_025).map(|key| json!({"exists": {"field": format!("f.k{key}")}})).collect();
    let error = run(&shard, &json!({"query": {"bool": {"should": terms}}, "size": 0})).unwrap_err();
    assert!(error.reason.contains("at most [1024] keys"), "{error}");
}
