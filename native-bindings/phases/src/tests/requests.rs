//! Scenes with known answers: each query type, limits, and what hits show.

use super::fixture::{Shard, error_of, field, found, ids, plan_of, search, shard, try_search};
use crate::reduce::reduce;
use crate::search::{ShardResult, execute, fetch_phase, query_phase};
use quarry_base::error::ErrorCode;
use serde_json::{Value, json};

fn fields() -> Vec<Value> {
    vec![
        field("title", "text", json!({"analyzer": "standard"})),
        field("title.raw", "keyword", json!({"parent": "title", "ignore_above": 30})),
        field("tag", "keyword", json!({"normalizer": "lower"})),
        field("n", "integer", json!({"store": true})),
        field("price", "scaled_float", json!({"scaling_factor": 100.0})),
        field("half", "half_float", json!({})),
        field("big", "unsigned_long", json!({})),
        field("when", "date", json!({})),
        field("ip", "ip", json!({})),
        field("hidden", "keyword", json!({"index": false, "doc_values": false})),
        field("author.name", "keyword", json!({})),
    ]
}

fn library() -> Shard {
    let first = vec![
        json!({"title": "The quick brown fox", "tag": ["Red", "blue"], "n": 1, "price": 1.1, "when": "2020-01-01", "ip": "10.0.0.1"}),
        json!({"title": "Quick foxes jump", "tag": "RED", "n": 2, "price": 2.55, "when": "2020-01-15T12:00:00Z", "ip": "10.0.1.7", "author": {"name": "ann"}}),
        json!({"title": "A brown dog and a quick cat", "n": 3, "half": 0.1, "big": 18446744073709551615u64, "when": "2019-06-01"}),
    ];
    let second = vec![
        json!({"title": "quick brown dogs", "tag": "green", "n": 4, "ip": "2001:db8::1", "author": {"name": "bob"}}),
    ];
    shard(fields(), &[(first, vec![]), (second, vec![])])
}

#[test]
fn full_text_queries() {
    let shard = library();
    for (query, expected) in [
        (json!({"match": {"field": "title", "query": "FOX dog"}}), vec![0, 2]),
        (json!({"match": {"field": "title", "query": "quick brown", "operator": "and"}}), vec![0, 2, 3]),
        (json!({"match": {"field": "title", "query": "quick brown dog", "minimum_should_match": "-1"}}), vec![0, 2, 3]),
        (
            json!({"match": {"field": "title", "query": "foxs", "fuzzy": {"fuzziness": {"auto": {"low": 3, "high": 6}}}}}),
            vec![0, 1],
        ),
        (json!({"match": {"field": "title", "query": "!!", "zero_terms": "all"}}), vec![0, 1, 2, 3]),
        (json!({"match": {"field": "title", "query": "!!"}}), vec![]),
        (json!({"match": {"field": "n", "query": "2"}}), vec![1]),
        (json!({"match": {"field": "n", "query": "x", "lenient": true}}), vec![]),
        (json!({"match": {"field": "tag", "query": "Red"}}), vec![0, 1]),
        (json!({"match": {"field": "absent", "query": "x"}}), vec![]),
        (json!({"match_phrase": {"field": "title", "query": "quick brown"}}), vec![0, 3]),
        (json!({"match_phrase": {"field": "title", "query": "brown quick", "slop": 4}}), vec![0, 2, 3]),
        (json!({"match_phrase_prefix": {"field": "title", "query": "quick fo"}}), vec![1]),
        (json!({"match_phrase_prefix": {"field": "title", "query": "do"}}), vec![2, 3]),
        (json!({"match_bool_prefix": {"field": "title", "query": "cat fo"}}), vec![0, 1, 2]),
        (json!({"multi_match": {"query": "fox ann", "fields": [{"field": "title"}, {"field": "author.*"}]}}), vec![0]),
        (
            json!({"multi_match": {"query": "quick fox", "type": "phrase", "fields": [{"field": "*"}], "lenient": true}}),
            vec![],
        ),
        (
            json!({"multi_match": {"query": "jump cat", "type": "cross_fields", "fields": [{"field": "title"}]}}),
            vec![1, 2],
        ),
    ] {
        assert_eq!(found(&shard, query.clone()), expected, "{query}");
    }
}

#[test]
fn queries_on_terms_and_values() {
    let shard = library();
    let range = |field: &str, from: Value, to: Value| {
        let end = |value: Value| if value.is_null() { value } else { json!({"value": value, "inclusive": true}) };
        json!({"range": {"field": field, "from": end(from), "to": end(to)}})
    };
    for (query, expected) in [
        (json!({"term": {"field": "tag", "value": "RED"}}), vec![0, 1]),
        (json!({"term": {"field": "title", "value": "Quick"}}), vec![]),
        (json!({"term": {"field": "title", "value": "QUICK", "case_insensitive": true}}), vec![0, 1, 2, 3]),
        (json!({"term": {"field": "title.raw", "value": "Quick foxes jump"}}), vec![1]),
        (json!({"term": {"field": "n", "value": 2.5}}), vec![]),
        (json!({"term": {"field": "n", "value": 99999999999i64}}), vec![]),
        (json!({"term": {"field": "price", "value": "2.55"}}), vec![1]),
        (json!({"term": {"field": "half", "value": 0.1}}), vec![2]),
        (json!({"term": {"field": "big", "value": "18446744073709551615"}}), vec![2]),
        (json!({"term": {"field": "when", "value": "2020-01-15"}}), vec![1]),
        (json!({"term": {"field": "when", "value": "2020-01-15T12"}}), vec![1]),
        (json!({"term": {"field": "when", "value": "2020-01-15T11"}}), vec![]),
        (json!({"term": {"field": "when", "value": "2020-01-15||/d"}}), vec![1]),
        (json!({"term": {"field": "ip", "value": "10.0.0.0/16"}}), vec![0, 1]),
        (json!({"terms": {"field": "ip", "values": ["10.0.0.1", "2001:db8::/32"]}}), vec![0, 3]),
        (json!({"terms": {"field": "n", "values": [1, "4", 7]}}), vec![0, 3]),
        (json!({"terms": {"field": "_id", "values": ["1", "x"]}}), vec![1]),
        (json!({"term": {"field": "_index", "value": "test"}}), vec![0, 1, 2, 3]),
        (json!({"ids": {"values": ["3", "0"]}}), vec![0, 3]),
        (range("n", json!(1.5), json!(3.5)), vec![1, 2]),
        (range("price", json!(1.1), json!(2.54)), vec![0]),
        (range("tag", json!("blue"), json!("green")), vec![0, 3]),
        (range("ip", json!("10.0.0.2"), json!("10.255.0.0")), vec![1]),
        (range("when", json!("2020-01"), Value::Null), vec![0, 1]),
        (range("when", json!("now-2d/d"), json!("now")), vec![0]),
        (json!({"range": {"field": "when", "from": {"value": "2020-01-01||/M", "inclusive": false}}}), vec![]),
        (json!({"exists": {"field": "tag"}}), vec![0, 1, 3]),
        (json!({"exists": {"field": "author"}}), vec![1, 3]),
        (json!({"prefix": {"field": "tag", "value": "GR"}}), vec![3]),
        (json!({"prefix": {"field": "title", "value": "fox"}}), vec![0, 1]),
        (json!({"wildcard": {"field": "title", "value": "*O?"}}), vec![0, 2]),
        (json!({"wildcard": {"field": "tag", "value": "*e*"}}), vec![0, 1, 3]),
        (json!({"regexp": {"field": "title", "value": "d[aeo]gs?"}}), vec![2, 3]),
        (json!({"fuzzy": {"field": "title", "value": "dgo", "fuzzy": {"fuzziness": {"edits": 1}}}}), vec![2]),
    ] {
        assert_eq!(found(&shard, query.clone()), expected, "{query}");
    }
}

#[test]
fn fields_with_only_doc_values_match_with_the_boost_as_score() {
    let columns = json!({"index": false});
    let fields = vec![
        field("k", "keyword", columns.clone()),
        field("ip", "ip", columns.clone()),
        field("b", "boolean", columns.clone()),
        field("none", "keyword", json!({"index": false, "doc_values": false})),
    ];
    let documents = vec![
        json!({"k": ["Red", "blue"], "ip": "10.0.0.1", "b": true}),
        json!({"k": "red", "ip": "10.0.0.9", "b": false}),
        json!({"k": "green"}),
    ];
    let shard = shard(fields, &[(documents, vec![])]);
    for (query, expected) in [
        (json!({"term": {"field": "k", "value": "Red", "boost": 3.0}}), vec![0]),
        (json!({"term": {"field": "k", "value": "RED", "case_insensitive": true, "boost": 3.0}}), vec![0, 1]),
        (json!({"terms": {"field": "k", "values": ["green", "blue"], "boost": 3.0}}), vec![0, 2]),
        (json!({"prefix": {"field": "k", "value": "gr", "boost": 3.0}}), vec![2]),
        (json!({"term": {"field": "ip", "value": "10.0.0.0/29", "boost": 3.0}}), vec![0]),
        (json!({"term": {"field": "b", "value": false, "boost": 3.0}}), vec![1]),
    ] {
        let hits = search(&shard, &json!({"query": query}));
        assert_eq!(ids(&hits), expected, "{query}");
        assert_eq!(hits["hits"][0]["_score"], json!(3.0), "{query}");
    }
    let reason = error_of(&shard, &json!({"query": {"term": {"field": "none", "value": "x"}}}));
    assert!(reason.contains("it is both not indexed, and does not have doc_values enabled"), "{reason}");
}

#[test]
fn fuzzy_terms_share_a_document_frequency_and_lose_by_edits() {
    let documents = ["lucene", "lucent", "lucene lucene", "other"].map(|title| json!({"title": title})).to_vec();
    let shard = shard(fields(), &[(documents, vec![])]);
    let query = json!({"fuzzy": {"field": "title", "value": "lucene", "fuzzy": {"fuzziness": {"edits": 1}}}});
    let hits = search(&shard, &json!({"query": query}));
    assert_eq!(ids(&hits), [2, 0, 1]);
    let score = |hit: usize| hits["hits"][hit]["_score"].as_f64().unwrap();
    assert!((score(2) / score(1) - (1.0 - 1.0 / 6.0)).abs() < 1e-5);
}

#[test]
fn queries_that_do_not_fit_their_field_are_refused() {
    let shard = library();
    for (query, code, part) in [
        (
            json!({"term": {"field": "n", "value": "x"}}),
            ErrorCode::QueryShard,
            "failed to create query: For input string: \"x\"",
        ),
        (
            json!({"prefix": {"field": "n", "value": "1"}}),
            ErrorCode::QueryShard,
            "Can only use prefix queries on keyword, text and wildcard fields - not on [n] which is of type [integer]",
        ),
        (json!({"regexp": {"field": "tag", "value": "["}}), ErrorCode::QueryShard, "expected ']' at position"),
        (
            json!({"term": {"field": "hidden", "value": "x"}}),
            ErrorCode::QueryShard,
            "Cannot search on field [hidden] since it is both not indexed, and does not have doc_values enabled.",
        ),
        (json!({"term": {"field": "ip", "value": "x"}}), ErrorCode::QueryShard, "'x' is not an IP string literal."),
        (
            json!({"range": {"field": "when", "from": {"value": "yesterday", "inclusive": true}}}),
            ErrorCode::Parse,
            "failed to parse date field [yesterday]",
        ),
    ] {
        let error = try_search(&shard, &json!({"query": query})).expect_err("a refusal");
        assert_eq!(error.code, code, "{query}: {error}");
        assert!(error.to_string().contains(part), "{query}: {error}");
    }
    let limits = json!({"max_clauses": 2, "max_buckets": 10, "allow_expensive_queries": false});
    let many = json!({"query": {"match": {"field": "title", "query": "a b c"}}, "limits": limits});
    assert!(error_of(&shard, &many).contains("too many nested clauses"));
    let expensive = json!({"query": {"wildcard": {"field": "title", "value": "*"}}, "limits": limits});
    assert!(error_of(&shard, &expensive).contains("search.allow_expensive_queries"));
}

#[test]
fn totals_limits_and_filters_of_a_request() {
    let shard = library();
    let all = |more: Value| {
        let mut request = json!({"query": {"match": {"field": "title", "query": "quick"}}});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        search(&shard, &request)
    };
    assert_eq!(all(json!({}))["total"], json!({"value": 4, "relation": "eq"}));
    assert_eq!(all(json!({"track_total_hits": {"up_to": 2}}))["total"], json!({"value": 2, "relation": "gte"}));
    assert_eq!(all(json!({"track_total_hits": {"up_to": 4}}))["total"], json!({"value": 4, "relation": "eq"}));
    assert_eq!(all(json!({"track_total_hits": "disabled"}))["total"], Value::Null);
    let as_int = json!({"fetch": {"source": {"enabled": false}, "total_hits_as_int": true}});
    assert_eq!(all(as_int)["total"], json!(4));
    let page = all(json!({"from": 1, "size": 2}));
    assert_eq!(ids(&page), ids(&all(json!({})))[1..3]);
    let post = json!({"post_filter": {"term": {"field": "n", "value": 3}}});
    assert_eq!((ids(&all(post.clone())), &all(post)["total"]["value"]), (vec![2], &json!(1)));
    let best = all(json!({}))["hits"][0]["_score"].as_f64().unwrap();
    // Two titles have three words, and score alike.
    assert_eq!(all(json!({"min_score": best}))["total"]["value"], 2);
    let terminated = try_search(&shard, &json!({"terminate_after": 2})).unwrap();
    assert_eq!(terminated.terminated_early, Some(true));
    let cancelled = crate::search::execute(&shard.view, &plan_of(&json!({})), &|| true);
    assert_eq!(cancelled.expect_err("cancelled").code, ErrorCode::TaskCancelled);
    let timed_out = try_search(&shard, &json!({"timeout_ms": 0})).unwrap();
    assert!(timed_out.timed_out);
}

#[test]
fn what_hits_show() {
    let shard = library();
    let first =
        |fetch: Value| search(&shard, &json!({"query": {"ids": {"values": ["1"]}}, "fetch": fetch}))["hits"][0].clone();
    let hit = first(
        json!({"source": {"enabled": true, "includes": ["author"]}, "version": true, "seq_no_primary_term": true}),
    );
    assert_eq!(
        hit,
        json!({
            "_index": "test", "_id": "1", "_version": 1, "_seq_no": 1, "_primary_term": 1, "_score": 1.0,
            "_source": {"author": {"name": "ann"}},
        })
    );
    let fields =
        [("tag", None), ("n", None), ("price", Some("#.0")), ("when", Some("yyyy")), ("ip", None), ("absent", None)]
            .map(|(field, format)| json!({"field": field, "format": format}));
    let off = json!({"enabled": false});
    let hit = first(json!({"source": off, "docvalue_fields": fields}));
    assert_eq!(
        hit["fields"],
        json!({"tag": ["red"], "n": [2], "price": ["2.5"], "when": ["2020"], "ip": ["10.0.1.7"]})
    );
    let hit = first(json!({"source": off, "stored_fields": ["n"]}));
    assert_eq!(hit["fields"], json!({"n": [2]}));
    let wanted = [("title*", None), ("when", Some("yyyy/MM/dd")), ("tag", None)]
        .map(|(field, format)| json!({"field": field, "format": format}));
    let hit = first(json!({"source": off, "fields": wanted}));
    assert_eq!(
        hit["fields"],
        json!({
            "title": ["Quick foxes jump"], "title.raw": ["Quick foxes jump"], "when": ["2020/01/15"], "tag": ["red"],
        })
    );
    let hit = first(json!({"source": off, "no_stored_fields": true}));
    assert_eq!(hit, json!({"_index": "test", "_score": 1.0}));
    let refused = json!({"fetch": {"source": off, "docvalue_fields": [{"field": "title", "format": null}]}});
    assert!(error_of(&shard, &refused).contains("Text fields are not optimised"));
}

#[test]
fn named_queries_report_what_matched() {
    let shard = library();
    let named = |name: &str, query: Value| json!({"named": {"name": name, "query": query}});
    let query = json!({"bool": {"should": [
        named("fox", json!({"match": {"field": "title", "query": "fox"}})),
        named("low", json!({"range": {"field": "n", "to": {"value": 2, "inclusive": true}, "boost": 3.0}})),
    ]}});
    let hits = search(&shard, &json!({"query": query, "sort": [{"doc": {"order": "asc"}}]}));
    assert_eq!(hits["hits"][0]["matched_queries"], json!(["fox", "low"]));
    assert_eq!(hits["hits"][1]["matched_queries"], json!(["low"]));
    let with_scores = json!({"query": query, "sort": [{"doc": {"order": "asc"}}], "fetch": {"source": {"enabled": false}, "named_queries_score": true}});
    assert_eq!(search(&shard, &with_scores)["hits"][1]["matched_queries"], json!({"low": 3.0}));
}

#[test]
fn several_shards_answer_as_one_would() {
    let documents = |range: std::ops::Range<i64>| {
        range.map(|n| json!({"n": n % 7, "tag": format!("t{}", n % 3)})).collect::<Vec<_>>()
    };
    let shards = [shard(fields(), &[(documents(0..20), vec![])]), shard(fields(), &[(documents(20..45), vec![3])])];
    let key = |name: &str| json!({"field": {"field": name, "order": "desc", "missing": "last"}});
    for sort in [json!([key("n"), key("tag")]), json!([])] {
        let plan = plan_of(&json!({"sort": sort, "from": 2, "size": 9}));
        let results = shards.iter().map(|shard| {
            let mut bytes = Vec::new();
            query_phase(&shard.view, &plan, &|| false).unwrap().encode(&mut bytes).unwrap();
            ShardResult::decode(&bytes).unwrap()
        });
        let reduced = reduce(&plan, results.collect()).unwrap();
        let fetched: Vec<Vec<u8>> = shards
            .iter()
            .enumerate()
            .map(|(place, shard)| {
                let list = reduced.fetch_list(place).unwrap();
                if list.is_empty() { Vec::new() } else { fetch_phase(&shard.view, &plan, &list, &|| false).unwrap() }
            })
            .collect();
        let result = reduced.render(&plan, &fetched, &[] as &[Vec<u8>]).unwrap();
        let hits: Value = serde_json::from_slice(&result.hits).unwrap();
        assert_eq!(hits["total"], json!({"value": 44, "relation": "eq"}));
        assert_eq!(hits["hits"].as_array().unwrap().len(), 9);
        if !sort.as_array().unwrap().is_empty() {
            let values: Vec<Value> = hits["hits"].as_array().unwrap().iter().map(|hit| hit["sort"].clone()).collect();
            let mut expected: Vec<(i64, String)> =
                (0..45i64).filter(|&n| n != 23).map(|n| (n % 7, format!("t{}", n % 3))).collect();
            expected.sort_by(|left, right| right.cmp(left));
            let expected: Vec<Value> = expected[2..11].iter().map(|(n, tag)| json!([n, tag])).collect();
            assert_eq!(values, expected);
        }
    }
}

/// A search that is cancelled when it looks for the fifth time.
fn cancelled(shard: &Shard, request: &Value) -> quarry_base::error::Error {
    let looks = std::cell::Cell::new(0);
    let is_cancelled = || {
        looks.set(looks.get() + 1);
        looks.get() > 4
    };
    execute(&shard.view, &plan_of(request), &is_cancelled).unwrap_err()
}

#[test]
fn cancellations_are_seen_within_a_window() {
    let documents = (0..3_000).map(|_| json!({"title": "a b a c b a", "n": 1})).collect();
    let fields = vec![field("title", "text", json!({"analyzer": "whitespace"})), field("n", "long", json!({}))];
    let shard = shard(fields, &[(documents, vec![])]);
    let sloppy = json!({"match_phrase": {"field": "title", "query": "c a", "slop": 4}});
    let near = json!({"span": {"query": {"near": {"clauses": [
        {"term": {"field": "title", "value": "a"}}, {"term": {"field": "title", "value": "c"}},
    ], "slop": 3, "in_order": false}}, "boost": 1.0}});
    let script = json!({"script": {"script": {"source": "for (int i = 0; i < 20000; i++) {} return true"}}});
    for query in [sloppy, near, script] {
        for request in [json!({"query": query}), json!({"query": query, "sort": [{"doc": {"order": "asc"}}]})] {
            assert_eq!(cancelled(&shard, &request).code, ErrorCode::TaskCancelled, "{request}");
        }
    }
}

#[test]
fn time_that_is_up_within_a_window_leaves_what_was_found() {
    let documents = (0..2_000).map(|n| json!({"n": n})).collect();
    let shard = shard(vec![field("n", "long", json!({}))], &[(documents, vec![])]);
    let query = json!({"script": {"script": {"source": "for (int i = 0; i < 500000; i++) {} return true"}}});
    let result = execute(&shard.view, &plan_of(&json!({"query": query, "timeout_ms": 1})), &|| false).unwrap();
    assert!(result.timed_out);
    for (late, code) in [
        ("search_timeout_exception", ErrorCode::SearchTimeout),
        ("query_phase_execution_exception", ErrorCode::QueryPhaseExecution),
    ] {
        let plan = plan_of(&json!({"query": query, "timeout_ms": 1, "late_error": late}));
        let errors = [execute(&shard.view, &plan, &|| false).err(), query_phase(&shard.view, &plan, &|| false).err()];
        for error in errors {
            let error = error.unwrap();
            assert_eq!((error.code, error.reason.as_str()), (code, "Time exceeded"));
        }
        // In time.
        let plan = plan_of(&json!({"query": {"match_all": {}}, "timeout_ms": 60_000, "late_error": late}));
        assert!(execute(&shard.view, &plan, &|| false).is_ok());
    }
}
