//! Queries that are stored: each finds exactly the documents that it would find in an index of them.

use super::fixture::{Shard, error_of, field, found, merged, search, shard, shard_with};
use super::scores::differential::{document, fields, query};
use proptest::prelude::*;
use quarry_percolate::compiled::{RESOLVED_QUERIES, ResolvedQuery};
use quarry_percolate::query_cache::Key;
use quarry_percolate::query_table::QUERY_TABLES;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn percolator(name: &str) -> Value {
    field(name, "keyword", json!({"declared_type": "percolator", "doc_values": false}))
}

/// A shard with these queries in two segments; some are deleted.
fn stored(fields: Vec<Value>, objects: Vec<Value>, queries: &[Value], deleted: &[u32]) -> Shard {
    let documents: Vec<Value> = queries.iter().map(|query| json!({"query": query})).collect();
    let (first, second) = documents.split_at(documents.len() / 2);
    let of = |range: std::ops::Range<usize>| -> Vec<u32> {
        let inside = deleted.iter().filter(|&&doc| range.contains(&(doc as usize)));
        inside.map(|doc| doc - range.start as u32).collect()
    };
    let parts = [(first.to_vec(), of(0..first.len())), (second.to_vec(), of(first.len()..documents.len()))];
    let parts: Vec<_> = parts.into_iter().filter(|(documents, _)| !documents.is_empty()).collect();
    let mut fields = fields;
    fields.push(percolator("query"));
    shard_with(fields, objects, &parts)
}

fn percolate(documents: &[Value]) -> Value {
    let documents: Vec<String> = documents.iter().map(Value::to_string).collect();
    json!({"percolate": {"field": "query", "documents": documents}})
}

/// Slots and score by the number of the query.
fn percolated(shard: &Shard, documents: &[Value]) -> BTreeMap<u32, (Vec<u32>, f64)> {
    let hits = search(shard, &json!({"query": percolate(documents), "size": 1000}));
    let read = |hit: &Value| {
        let slots: Vec<u32> = serde_json::from_value(hit["fields"]["_percolator_document_slot"].clone()).unwrap();
        (hit["_id"].as_str().unwrap().parse().unwrap(), (slots, hit["_score"].as_f64().unwrap()))
    };
    hits["hits"].as_array().unwrap().iter().map(read).collect()
}

/// The same by asking an index of the documents.
fn searched(
    fields: Vec<Value>,
    queries: &[Value],
    deleted: &[u32],
    documents: &[Value],
) -> BTreeMap<u32, (Vec<u32>, f64)> {
    let shard = shard(fields, &[(documents.to_vec(), Vec::new())]);
    let mut expected = BTreeMap::new();
    for (number, query) in queries.iter().enumerate().filter(|(number, _)| !deleted.contains(&(*number as u32))) {
        let hits = search(&shard, &json!({"query": query, "size": 1000}));
        let slots = found(&shard, query.clone());
        if !slots.is_empty() {
            expected.insert(number as u32, (slots, hits["max_score"].as_f64().unwrap()));
        }
    }
    expected
}

fn assert_same(actual: &BTreeMap<u32, (Vec<u32>, f64)>, expected: &BTreeMap<u32, (Vec<u32>, f64)>, queries: &[Value]) {
    let slots = |all: &BTreeMap<u32, (Vec<u32>, f64)>| -> Vec<(u32, Vec<u32>)> {
        all.iter().map(|(number, (slots, _))| (*number, slots.clone())).collect()
    };
    assert_eq!(slots(actual), slots(expected), "{queries:?}");
    for (number, (_, score)) in expected {
        let own = actual[number].1;
        assert!(
            (own - score).abs() <= 1e-5 * score.abs().max(1.0),
            "{own} for {score} of {}",
            queries[*number as usize]
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn stored_queries_find_what_they_find_in_an_index(
        queries in prop::collection::vec(query(), 1..16),
        documents in prop::collection::vec(document(), 1..5),
        // Few documents have a table of their own.
        repeats in prop_oneof![4 => Just(1usize), 1 => 13..40usize],
        deleted in prop::collection::vec(0u32..16, 0..3),
        merges in any::<bool>(),
    ) {
        let documents = vec![documents; repeats].concat();
        let deleted: Vec<u32> = deleted.into_iter().filter(|&doc| (doc as usize) < queries.len()).collect();
        let expected = searched(fields(), &queries, &deleted, &documents);
        let shard = stored(fields(), Vec::new(), &queries, &deleted);
        let shard = if merges { merged(shard) } else { shard };
        assert_same(&percolated(&shard, &documents), &expected, &queries);
        // Now they are resolved already.
        assert_same(&percolated(&shard, &documents), &expected, &queries);
        let filtered = found(&shard, json!({"bool": {"filter": [percolate(&documents)]}}));
        prop_assert_eq!(filtered, expected.into_keys().collect::<Vec<_>>());
    }
}

#[test]
fn nested_objects_are_looked_into() {
    let objects = || {
        vec![json!({
            "path": "c", "dynamic": "false", "enabled": true, "nested": {"include_in_parent": false, "include_in_root": false},
        })]
    };
    let fields =
        || vec![field("t", "text", json!({})), field("c.k", "keyword", json!({})), field("c.n", "long", json!({}))];
    let nested = |low: i64| {
        json!({"nested": {"path": "c", "query": {"bool": {"must": [
            {"term": {"field": "c.k", "value": "x"}},
            {"range": {"field": "c.n", "from": {"value": low, "inclusive": true}, "to": null}},
        ]}}}})
    };
    let root = json!({"match": {"field": "t", "query": "fox"}});
    let pure = json!({"bool": {"must_not": [{"term": {"field": "t", "value": "fox"}}]}});
    let shard = stored(fields(), objects(), &[nested(5), nested(50), root, pure], &[]);
    let slots = |documents: &[Value]| -> Vec<(u32, Vec<u32>)> {
        percolated(&shard, documents).into_iter().map(|(number, (slots, _))| (number, slots)).collect()
    };
    let both = json!({"t": "a fox", "c": [{"k": "x", "n": 7}, {"k": "y", "n": 70}]});
    assert_eq!(slots(std::slice::from_ref(&both)), [(0, vec![0]), (2, vec![0])]);
    let plain = json!({"t": "a hen", "c": {"k": "x", "n": 60}});
    assert_eq!(slots(&[plain, json!({}), both]), [(0, vec![0, 2]), (1, vec![0]), (2, vec![2]), (3, vec![0, 1])]);
}

#[test]
fn nested_objects_hold_queries_of_their_own() {
    let word = |word: &str| json!({"term": {"field": "t", "value": word}});
    let nested = json!({"include_in_parent": false, "include_in_root": false});
    let objects = vec![json!({"path": "a", "dynamic": "false", "enabled": true, "nested": nested})];
    let fields = vec![field("t", "text", json!({})), field("a.k", "keyword", json!({})), percolator("a.q")];
    let documents = [
        json!({"a": [{"k": "x", "q": word("fox")}, {"k": "y", "q": {"bool": {"must_not": [word("fox")]}}}]}),
        json!({"a": [{"k": "x", "q": word("hen")}]}),
        json!({"a": {"k": "x"}}),
        json!({"a": [{"q": {"match_all": {}}}, {"q": word("fox")}]}),
    ];
    let shard =
        merged(shard_with(fields, objects, &[(documents[..2].to_vec(), vec![1]), (documents[2..].to_vec(), vec![])]));
    let percolate = |text: &str| json!({"percolate": {"field": "a.q", "documents": [json!({"t": text}).to_string()]}});
    let within = |query: Value| json!({"nested": {"path": "a", "query": query}});
    assert_eq!(found(&shard, within(percolate("fox"))), [0, 3]);
    assert_eq!(found(&shard, within(percolate("hen"))), [0, 3]);
    let of = |kind: &str, text: &str| {
        within(json!({"bool": {"must": [percolate(text), {"term": {"field": "a.k", "value": kind}}]}}))
    };
    assert_eq!(found(&shard, of("x", "fox")), [0]);
    assert_eq!(found(&shard, of("y", "fox")), Vec::<u32>::new());
    assert_eq!(found(&shard, of("y", "hen")), [0]);
    // The roots hold none.
    assert_eq!(found(&shard, percolate("fox")), Vec::<u32>::new());
}

#[test]
fn documents_of_many_windows_and_of_one_are_matched_alike() {
    let fields =
        || vec![field("t", "text", json!({})), field("k", "keyword", json!({})), field("n", "long", json!({}))];
    let word = |word: &str| json!({"term": {"field": "t", "value": word}});
    let phrase = |text: &str| json!({"match_phrase": {"field": "t", "query": text}});
    let queries = [
        json!({"bool": {"must": [word("fox")], "filter": [phrase("old fox")], "must_not": [word("hen")]}}),
        json!({"bool": {"should": [phrase("fox old"), {"terms": {"field": "k", "values": ["x", "y"]}}, word("none")]}}),
        json!({"bool": {"should": [word("old"), word("fox"), word("hen")], "minimum_should_match": "2"}}),
        json!({"dis_max": {"queries": [word("hen"), {"exists": {"field": "n"}}]}}),
        json!({"bool": {"must_not": [word("fox")]}}),
    ];
    let shard = stored(fields(), Vec::new(), &queries, &[]);
    let documents: Vec<Value> = ["old fox", "fox old", "old fox hen", "hen", "cow"]
        .iter()
        .enumerate()
        .map(|(n, text)| if n == 3 { json!({"t": text, "k": "y"}) } else { json!({"t": text, "n": n}) })
        .collect();
    let few = searched(fields(), &queries, &[], &documents);
    assert_same(&percolated(&shard, &documents), &few, &queries);
    let many: Vec<Value> = documents.iter().cycle().take(5_000).cloned().collect();
    let slots = |found: &BTreeMap<u32, (Vec<u32>, f64)>| -> Vec<(u32, Vec<u32>)> {
        found
            .iter()
            .map(|(number, (slots, _))| (*number, slots.iter().filter(|&&slot| slot < 5).copied().collect()))
            .collect()
    };
    assert_eq!(slots(&percolated(&shard, &many)), slots(&few));
}

#[test]
fn a_query_is_resolved_anew_under_another_mapping() {
    let negated = json!({"bool": {"must_not": [{"match": {"field": "t", "query": "Fox"}}]}});
    let mut shard = stored(vec![field("t", "text", json!({}))], Vec::new(), &[negated], &[]);
    let documents = [json!({"t": "fox"})];
    assert_eq!(found(&shard, percolate(&documents)), Vec::<u32>::new());
    let first = kept(&shard).unwrap();
    assert_eq!(found(&shard, percolate(&documents)), Vec::<u32>::new());
    assert!(Arc::ptr_eq(&kept(&shard).unwrap(), &first));
    let mut spec = shard.view.mapping.spec().clone();
    spec.fields[0].analyzer = Some("keyword".into());
    shard.view.mapping = Arc::new(shard.view.mapping.update(spec, &shard.view.analysis).unwrap());
    assert_eq!(found(&shard, percolate(&documents)), [0]);
    assert!(!Arc::ptr_eq(&kept(&shard).unwrap(), &first));
}

/// What is kept of the query of the shard's only document.
fn kept(shard: &Shard) -> Option<Arc<ResolvedQuery>> {
    let segment = shard.view.segments[0].reader.id().uuid;
    RESOLVED_QUERIES.find(&Key { segment, doc: 0, field: "query".into() })
}

#[test]
fn what_words_are_there_is_that_of_each_search() {
    let across = json!({"multi_match": {
        "query": "fox", "type": "cross_fields", "fields": [{"field": "a"}, {"field": "b"}],
    }});
    let either = json!({"bool": {"should": [across, {"term": {"field": "a", "value": "hen"}}]}});
    for query in [across, either] {
        let shard =
            stored(vec![field("a", "text", json!({})), field("b", "text", json!({}))], Vec::new(), &[query], &[]);
        let finds = |document: Value| !found(&shard, percolate(&[document])).is_empty();
        for _ in 0..2 {
            assert!(!finds(json!({"a": "cat"})));
            assert!(finds(json!({"a": "fox"})));
            assert!(finds(json!({"b": "fox", "a": "cat"})));
        }
        assert!(kept(&shard).is_none());
    }
}

#[test]
fn the_moment_is_that_of_the_search() {
    let recent = json!({"range": {"field": "d", "from": {"value": "now-1d", "inclusive": true}, "to": null}});
    let shard = stored(vec![field("d", "date", json!({}))], Vec::new(), &[recent], &[]);
    assert_eq!(found(&shard, percolate(&[json!({"d": "2020-01-02"})])), [0]);
    assert_eq!(found(&shard, percolate(&[json!({"d": "2019-12-31"})])), Vec::<u32>::new());
}

#[test]
fn several_percolations_are_told_apart_and_texts_are_highlighted() {
    let fox = json!({"match": {"field": "t", "query": "fox"}});
    let shard = stored(vec![field("t", "text", json!({}))], Vec::new(), &[fox], &[]);
    let one = |text: &str, name: Value| {
        json!({"percolate": {
            "field": "query", "documents": [json!({"t": text}).to_string()], "name": name,
        }})
    };
    let highlight = json!({"fields": [{
        "field": "t", "kind": "unified", "pre_tags": ["<"], "post_tags": [">"], "fragment_size": 100,
        "number_of_fragments": 5, "by_score": false, "html": false, "require_field_match": true, "no_match_size": 0,
        "boundary": "sentence", "boundary_chars": ".", "boundary_max_scan": 20, "fragmenter": "span",
    }], "max_analyzed_offset": 1000});
    let fetch = json!({"source": {"enabled": false}, "highlight": highlight});
    let hits = search(
        &shard,
        &json!({"fetch": fetch, "query": {"bool": {"should": [
            one("a fox", json!("first")), one("a hen", json!("second")), one("old fox", json!(null)),
        ]}}}),
    );
    let hit = &hits["hits"][0];
    assert_eq!(hit["fields"], json!({"_percolator_document_slot_first": [0], "_percolator_document_slot_query": [0]}));
    assert_eq!(hit["highlight"], json!({"first_t": ["a <fox>"], "query_t": ["old <fox>"]}));
    let two = percolate(&[json!({"t": "hen"}), json!({"t": "fox"})]);
    let hits = search(&shard, &json!({"fetch": fetch, "query": two}));
    assert_eq!(hits["hits"][0]["highlight"], json!({"1_t": ["<fox>"]}));
    let hits = search(
        &shard,
        &json!({"fetch": {"source": {"enabled": false}, "stored_fields": ["*"]}, "query": {"match_all": {}}}),
    );
    assert_eq!(hits["hits"][0]["fields"], Value::Null);
}

#[test]
fn what_cannot_be_percolated_is_refused() {
    let shard = stored(vec![field("n", "long", json!({}))], Vec::new(), &[json!({"match_all": {}})], &[]);
    let of = |field: &str, document: &str| {
        error_of(&shard, &json!({"query": {"percolate": {"field": field, "documents": [document]}}}))
    };
    assert!(of("gone", "{}").contains("field [gone] does not exist"));
    assert!(of("n", "{}").contains("expected field [n] to be of type [percolator], but is of type [long]"));
    assert!(
        of("query", "{\"n\":\"x\"}")
            .contains("failed to parse field [n] of type [long] in document with id '_temp_id'")
    );
    let term = error_of(&shard, &json!({"query": {"term": {"field": "query", "value": "x"}}}));
    assert!(term.contains("Percolator fields are not searchable directly, use a percolate query instead"));
    assert_eq!(found(&shard, json!({"exists": {"field": "query"}})), [0]);
}

#[test]
fn queries_that_were_met_are_kept_in_short() {
    let word = |word: &str| json!({"term": {"field": "t", "value": word}});
    let queries: Vec<Value> = (0..40).map(|n| word(if n % 2 == 0 { "fox" } else { "hen" })).collect();
    let fields = || vec![field("t", "text", json!({}))];
    let shard = merged(stored(fields(), Vec::new(), &queries, &[]));
    let segment = shard.view.segments[0].reader.id().uuid;
    let built = || QUERY_TABLES.bytes_of(&(segment, "query".into()));
    let fox = [json!({"t": "fox"})];
    let even: Vec<u32> = (0..40).filter(|n| n % 2 == 0).collect();
    assert_eq!(built(), 0);
    assert_eq!(found(&shard, percolate(&fox)), even);
    let foxes = built();
    assert!(foxes > 0);
    assert_eq!(found(&shard, percolate(&fox)), even);
    assert_eq!(built(), foxes);
    assert_eq!(found(&shard, percolate(&[json!({"t": "fox hen"})])), (0..40).collect::<Vec<_>>());
    assert!(built() > foxes);
    assert_eq!(found(&shard, percolate(&[json!({"t": "hen"})])), (0..40).filter(|n| n % 2 == 1).collect::<Vec<_>>());
    assert_eq!(found(&shard, percolate(&[json!({"t": "cow"})])), Vec::<u32>::new());
    let key = Key { segment, doc: 0, field: "query".into() };
    assert!(RESOLVED_QUERIES.find(&key).is_some());
    drop(shard);
    assert!(RESOLVED_QUERIES.find(&key).is_none());
    assert_eq!(built(), 0);
}
