//! Random documents and queries: the same matches and scores as the reference, in an order that the scores allow.

use super::reference::Reference;
use crate::tests::fixture::{Shard, field, search, shard};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn fields() -> Vec<Value> {
    vec![
        field("title", "text", json!({"analyzer": "whitespace"})),
        field("body", "text", json!({"analyzer": "whitespace"})),
        field("tag", "keyword", json!({})),
        field("n", "long", json!({})),
        field("flag", "boolean", json!({})),
    ]
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![5 => "[ab]", 3 => "[c-e]", 1 => "a[b-d]{1,2}"]
}

fn words(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..=most).prop_map(|words| words.join(" "))
}

pub fn document() -> impl Strategy<Value = Value> {
    (
        prop::option::of(words(6)),
        prop::option::weighted(0.3, words(12)),
        prop::collection::vec(word(), 0..3),
        prop::collection::vec(-5i64..20, 0..3),
        prop::option::of(any::<bool>()),
    )
        .prop_map(|(title, body, tags, numbers, flag)| {
            json!({"title": title, "body": body, "tag": tags, "n": numbers, "flag": flag})
        })
}

fn boost() -> impl Strategy<Value = f32> {
    prop_oneof![3 => Just(1.0f32), 1 => Just(2.5f32), 1 => Just(0.0f32)]
}

fn leaf() -> impl Strategy<Value = Value> {
    let text_field = prop_oneof![Just("title"), Just("body")];
    let term_field = prop_oneof![Just("title"), Just("body"), Just("tag")];
    prop_oneof![
        boost().prop_map(|boost| json!({"match_all": {"boost": boost}})),
        Just(json!({"match_none": {}})),
        (term_field.clone(), word(), boost())
            .prop_map(|(field, value, boost)| json!({"term": {"field": field, "value": value, "boost": boost}})),
        (-6i64..21, boost()).prop_map(|(value, boost)| json!({"term": {"field": "n", "value": value, "boost": boost}})),
        any::<bool>().prop_map(|value| json!({"term": {"field": "flag", "value": value}})),
        (term_field.clone(), prop::collection::vec(word(), 1..4))
            .prop_map(|(field, values)| json!({"terms": {"field": field, "values": values}})),
        prop::collection::vec(-6i64..21, 1..12)
            .prop_map(|values| json!({"terms": {"field": "n", "values": values}})),
        (text_field.clone(), words(3), prop::option::of("[1-4]"), any::<bool>(), boost()).prop_map(
            |(field, query, minimum, and, boost)| {
                let operator = if and { "and" } else { "or" };
                let minimum = minimum.filter(|_| !and);
                json!({"match": {
                    "field": field, "query": query, "operator": operator, "minimum_should_match": minimum, "boost": boost,
                }})
            }
        ),
        (text_field, words(3)).prop_map(|(field, query)| json!({"match_phrase": {"field": field, "query": query}})),
        (-8i64..22, 0i64..12).prop_map(|(low, length)| json!({"range": {
            "field": "n", "from": {"value": low, "inclusive": true}, "to": {"value": low + length, "inclusive": true},
        }})),
        prop_oneof![Just("title"), Just("body"), Just("tag"), Just("n"), Just("flag")]
            .prop_map(|field| json!({"exists": {"field": field}})),
        (word(), word(), 0i64..4, boost()).prop_map(|(first, second, slop, boost)| json!({"span": {
            "query": {"near": {"clauses": [
                {"term": {"field": "title", "value": first}}, {"term": {"field": "title", "value": second}},
            ], "slop": slop, "in_order": true}},
            "boost": boost,
        }})),
        (word(), word(), boost()).prop_map(|(first, second, boost)| json!({"intervals": {"field": "title", "rule": {
            "kind": {"match": {"query": format!("{first} {second}"), "max_gaps": -1, "mode": "unordered"}},
        }, "boost": boost}})),
        prop::collection::vec(word(), 1..4).prop_map(|terms| json!({"terms_set": {
            "field": "title", "terms": terms.into_iter().collect::<std::collections::BTreeSet<_>>(),
            "minimum_should_match_field": "n",
        }})),
        (term_field, "a[b-d]?").prop_map(|(field, value)| json!({"prefix": {"field": field, "value": value}})),
    ]
}

pub fn query() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 16, 4, |inner| {
        let clauses = |most: usize| prop::collection::vec(inner.clone(), 0..=most);
        prop_oneof![
            4 => (clauses(2), clauses(1), clauses(3), clauses(1), prop::option::weighted(0.2, "[0-3]"), boost()).prop_map(
                |(must, filter, should, must_not, minimum, boost)| json!({"bool": {
                    "must": must, "filter": filter, "should": should, "must_not": must_not,
                    "minimum_should_match": minimum, "boost": boost,
                }})
            ),
            1 => (inner.clone(), boost())
                .prop_map(|(filter, boost)| json!({"constant_score": {"filter": filter, "boost": boost}})),
            1 => (prop::collection::vec(inner.clone(), 1..4), prop_oneof![Just(0.0), Just(0.3), Just(1.0)])
                .prop_map(|(queries, tie_breaker)| json!({"dis_max": {"queries": queries, "tie_breaker": tie_breaker}})),
            1 => function_score(inner.clone().boxed()),
            1 => (inner.clone(), inner).prop_map(|(positive, negative)| json!({"boosting": {
                "positive": positive, "negative": negative, "negative_boost": 0.5,
            }})),
        ]
    })
}

fn function_score(inner: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    let score_mode = prop_oneof![Just("multiply"), Just("sum"), Just("max"), Just("first")];
    let boost_mode = prop_oneof![Just("multiply"), Just("sum"), Just("replace")];
    (inner, word(), score_mode, boost_mode, prop::option::weighted(0.3, Just(1.5))).prop_map(
        |(query, tag, score_mode, boost_mode, min_score)| {
            let value = json!({"field": "n", "factor": 0.5, "modifier": "square", "missing": 2.0});
            json!({"function_score": {
                "query": query, "score_mode": score_mode, "boost_mode": boost_mode, "min_score": min_score,
                "functions": [
                    {"filter": {"term": {"field": "tag", "value": tag}}, "weight": 3.0},
                    {"kind": {"field_value_factor": value}},
                ],
            }})
        },
    )
}

/// Documents of up to three segments, and which of them are deleted.
pub fn corpus(most: usize) -> impl Strategy<Value = Vec<(Vec<Value>, Vec<u32>)>> {
    let segment =
        (prop::collection::vec(document(), 1..most), prop::collection::vec(any::<prop::sample::Index>(), 0..3))
            .prop_map(|(documents, deleted)| {
                let deleted = deleted.iter().map(|index| index.index(documents.len()) as u32).collect();
                (documents, deleted)
            });
    prop::collection::vec(segment, 1..=3)
}

fn reference_of(segments: &[(Vec<Value>, Vec<u32>)]) -> Reference {
    let mut reference = Reference::default();
    for (documents, deleted) in segments {
        let base = reference.documents.len();
        reference.deleted.extend(deleted.iter().map(|&doc| base + doc as usize));
        reference.documents.extend_from_slice(documents);
    }
    reference
}

fn is_close(left: f32, right: f32) -> bool {
    (left - right).abs() <= 1e-5 * right.abs().max(1.0)
}

/// All matches first, then a page of the best in which equal scores may change places only within rounding.
fn compare(shard: &Shard, reference: &Reference, query: &Value) -> std::result::Result<(), TestCaseError> {
    let expected = reference.search(query);
    let scores: BTreeMap<usize, f32> = expected.iter().copied().collect();
    for size in [3, reference.documents.len().max(1)] {
        let hits = search(shard, &json!({"query": query, "size": size}));
        prop_assert_eq!(hits["total"]["value"].as_u64().unwrap() as usize, expected.len(), "{}", query);
        let shown = hits["hits"].as_array().unwrap();
        prop_assert_eq!(shown.len(), expected.len().min(size), "{}", query);
        for (hit, (_, best)) in shown.iter().zip(&expected) {
            let doc: usize = hit["_id"].as_str().unwrap().parse().unwrap();
            let score = hit["_score"].as_f64().unwrap() as f32;
            prop_assert!(is_close(score, *best), "{}: {} instead of {}", query, score, best);
            let own = scores.get(&doc).copied();
            prop_assert!(
                own.is_some_and(|own| is_close(score, own)),
                "{}: document {} scores {}, not {:?}",
                query,
                doc,
                score,
                own
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn searches_agree_with_the_reference(segments in corpus(20), queries in prop::collection::vec(query(), 12)) {
        let reference = reference_of(&segments);
        let shard = shard(fields(), &segments);
        for query in &queries {
            compare(&shard, &reference, query)?;
        }
    }
}

/// Several windows, so that skipping between them is exercised: the documents repeat with a period that is no divisor.
#[test]
fn several_windows_agree_with_the_reference() {
    let documents: Vec<Value> = (0..9_000u32)
        .map(|doc| {
            let title = ["a", "a b", "b c", "c a b"][(doc % 4) as usize];
            let rare = if doc % 701 == 5 { " e" } else { "" };
            let tag = if doc / 4096 == 1 { "late" } else { "early" };
            let body = if doc % 97 < 90 { "b d" } else { "e" };
            json!({"title": format!("{title}{rare}"), "body": body, "tag": tag, "n": doc / 10, "flag": doc % 3 == 0})
        })
        .collect();
    let segments = vec![(documents, vec![5, 4100, 8999])];
    let reference = reference_of(&segments);
    let shard = shard(fields(), &segments);
    for query in [
        json!({"match": {"field": "title", "query": "e b"}}),
        json!({"match": {"field": "title", "query": "e c", "operator": "and"}}),
        json!({"match_phrase": {"field": "title", "query": "b e"}}),
        json!({"dis_max": {"queries": [
            {"match": {"field": "title", "query": "e b", "boost": 2}}, {"match": {"field": "body", "query": "b e"}},
        ]}}),
        json!({"dis_max": {"queries": [
            {"match": {"field": "title", "query": "e"}}, {"match": {"field": "body", "query": "b a"}},
        ], "tie_breaker": 0.5}}),
        json!({"wildcard": {"field": "tag", "value": "*te"}}),
        json!({"bool": {"must": [{"term": {"field": "title", "value": "e"}}], "filter": [{"term": {"field": "tag", "value": "late"}}]}}),
        json!({"range": {"field": "n", "from": {"value": 600, "inclusive": true}, "to": {"value": 620, "inclusive": true}}}),
        json!({"bool": {"should": [{"term": {"field": "n", "value": 3}}, {"term": {"field": "title", "value": "e"}}], "must_not": [{"term": {"field": "flag", "value": true}}]}}),
    ] {
        compare(&shard, &reference, &query).unwrap();
    }
}
