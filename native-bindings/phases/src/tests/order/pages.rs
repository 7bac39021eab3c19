//! Pages of scrolls, slices, collapsed and rescored hits, against what a plain search of everything finds.

use crate::cursor::Cursor;
use crate::reduce::reduce;
use crate::search::{ShardResult, continue_query, fetch_phase, query_phase};
use crate::tests::fixture::{Shard, field, ids, plan_of, search, shard, try_search};
use proptest::prelude::*;
use serde_json::{Value, json};

fn fields() -> Vec<Value> {
    vec![
        field("title", "text", json!({"analyzer": "standard"})),
        field("tag", "keyword", json!({})),
        field("n", "integer", json!({})),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    let words = prop::collection::vec(prop::sample::select(vec!["red", "blue", "green"]), 1..6);
    (words, prop::option::of(0..4i64), prop::option::of(prop::sample::select(vec!["x", "y", "z"]))).prop_map(
        |(words, n, tag)| {
            let mut document = json!({"title": words.join(" ")});
            if let Some(n) = n {
                document["n"] = json!(n);
            }
            if let Some(tag) = tag {
                document["tag"] = json!(tag);
            }
            document
        },
    )
}

fn documents() -> impl Strategy<Value = Vec<Vec<Value>>> {
    prop::collection::vec(prop::collection::vec(document(), 1..30), 1..4)
}

fn opened(segments: Vec<Vec<Value>>) -> Shard {
    let segments: Vec<(Vec<Value>, Vec<u32>)> = segments.into_iter().map(|documents| (documents, vec![0])).collect();
    shard(fields(), &segments)
}

/// Every page of a scroll, as lists of ids.
fn scroll(shard: &Shard, request: &Value) -> Vec<Vec<u32>> {
    let plan = plan_of(request);
    let mut pages = Vec::new();
    let mut cursor: Option<Cursor> = None;
    loop {
        let result = match &cursor {
            Some(cursor) => continue_query(&shard.view, &plan, cursor, &|| false).unwrap(),
            None => query_phase(&shard.view, &plan, &|| false).unwrap(),
        };
        let mut encoded = Vec::new();
        result.encode(&mut encoded).unwrap();
        let reduced = reduce(&plan, vec![ShardResult::decode(&encoded).unwrap()]).unwrap();
        let list = reduced.fetch_list(0).unwrap();
        let fetched =
            if list.is_empty() { Vec::new() } else { fetch_phase(&shard.view, &plan, &list, &|| false).unwrap() };
        let rendered = reduced.render(&plan, &[fetched], &[] as &[Vec<u8>]).unwrap();
        let page = ids(&serde_json::from_slice(&rendered.hits).unwrap());
        let next = Cursor::advance(&result, cursor, &list).unwrap();
        cursor = Some(Cursor::decode(&next.encode().unwrap()).unwrap());
        if page.is_empty() {
            return pages;
        }
        pages.push(page);
    }
}

fn by_field(name: &str, order: &str) -> Value {
    json!({"field": {"field": name, "order": order, "missing": "last"}})
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn pages_of_a_scroll_are_the_whole_search(segments in documents(), size in 1..7u32, order in 0..4usize) {
        let shard = opened(segments);
        let doc = json!({"doc": {"order": "asc"}});
        let (sort, hidden) = match order {
            0 => (json!([{"score": {"order": "desc"}}, doc]), 2),
            1 => (json!([doc]), 0),
            2 => (json!([by_field("n", "desc"), doc]), 1),
            _ => (json!([by_field("tag", "asc"), doc]), 1),
        };
        let request = |size: u32| json!({
            "query": {"match": {"field": "title", "query": "red blue"}}, "sort": sort, "hidden_keys": hidden, "size": size,
        });
        let whole = ids(&search(&shard, &request(1000)));
        let pages = scroll(&shard, &request(size));
        prop_assert!(pages.iter().rev().skip(1).all(|page| page.len() == size as usize));
        prop_assert_eq!(pages.concat(), whole);
    }

    #[test]
    fn slices_are_disjoint_and_complete(segments in documents(), max in 2..5u32, by in prop::sample::select(vec![
        json!("id"), json!("doc"), json!({"field": "n"}),
    ])) {
        let shard = opened(segments);
        let mut found: Vec<u32> = (0..max)
            .flat_map(|id| ids(&search(&shard, &json!({"slice": {"id": id, "max": max, "by": by}, "size": 1000}))))
            .collect();
        found.sort_unstable();
        let mut whole = ids(&search(&shard, &json!({"size": 1000})));
        whole.sort_unstable();
        prop_assert_eq!(found, whole);
    }

    #[test]
    fn collapsed_hits_are_the_first_of_each_value(segments in documents(), size in 1..4u32, name in prop::sample::select(vec!["tag", "n"])) {
        let shard = opened(segments);
        let sort = json!([by_field("n", "desc"), {"doc": {"order": "asc"}}]);
        let shown = json!([{"field": name}]);
        let fetch = json!({"source": {"enabled": false}, "docvalue_fields": shown});
        let whole = search(&shard, &json!({"sort": sort, "size": 1000, "fetch": fetch}));
        let collapsed = search(&shard, &json!({"sort": sort, "size": size, "collapse": name}));
        let mut seen = Vec::new();
        let mut expected: Vec<u32> = Vec::new();
        for hit in whole["hits"].as_array().unwrap() {
            let value = hit["fields"][name].clone();
            if !seen.contains(&value) {
                seen.push(value);
                expected.push(hit["_id"].as_str().unwrap().parse().unwrap());
            }
        }
        expected.truncate(size as usize);
        prop_assert_eq!(ids(&collapsed), expected);
        prop_assert_eq!(&collapsed["total"], &whole["total"]);
    }
}

#[test]
fn rescoring_changes_the_best_hits_only() {
    let documents =
        vec![json!({"title": "red", "n": 1}), json!({"title": "red blue", "n": 2}), json!({"title": "red", "n": 3})];
    let shard = shard(fields(), &[(documents, vec![])]);
    let all = json!({"constant_score": {"filter": {"match_all": {}}, "boost": 2.0}});
    let rescore = |mode: &str| {
        let second = json!({"constant_score": {"filter": {"term": {"field": "n", "value": 2}}, "boost": 3.0}});
        let hits = search(
            &shard,
            &json!({"query": all, "rescore": [{
                "window": 2, "query": second, "query_weight": 5.0, "rescore_weight": 10.0, "mode": mode,
            }]}),
        );
        let scores: Vec<f64> =
            hits["hits"].as_array().unwrap().iter().map(|hit| hit["_score"].as_f64().unwrap()).collect();
        (ids(&hits)[0], scores, hits["max_score"].as_f64().unwrap())
    };
    assert_eq!(rescore("total"), (1, vec![40.0, 10.0, 10.0], 40.0));
    assert_eq!(rescore("multiply"), (1, vec![300.0, 10.0, 10.0], 300.0));
    assert_eq!(rescore("avg"), (1, vec![20.0, 10.0, 10.0], 20.0));
    assert_eq!(rescore("max"), (1, vec![30.0, 10.0, 10.0], 30.0));
    assert_eq!(rescore("min"), (0, vec![10.0, 10.0, 10.0], 10.0));
}

#[test]
fn what_cannot_be_collapsed_or_sliced_is_refused() {
    let shard = shard(fields(), &[(vec![json!({"tag": ["x", "y"], "title": "a"})], vec![])]);
    let sort = json!([{"score": {"order": "desc"}}]);
    let refusal = |request: Value| try_search(&shard, &request).expect_err("a refusal").reason;
    assert_eq!(
        refusal(json!({"sort": sort, "collapse": "absent"})),
        "no mapping found for `absent` in order to collapse on"
    );
    assert_eq!(
        refusal(json!({"sort": sort, "collapse": "title"})),
        "collapse is not supported for the field [title] of the type [text]"
    );
    assert!(refusal(json!({"sort": sort, "collapse": "tag"})).contains("more than one value"));
    assert_eq!(
        refusal(json!({"slice": {"id": 0, "max": 2, "by": {"field": "tag"}}})),
        "cannot load numeric doc values on tag"
    );
}
