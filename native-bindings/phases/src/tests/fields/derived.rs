//! Computed copies of fields answer as the fields themselves do; what scripts fail on fails the searches that match it.

use crate::search::execute;
use crate::tests::fixture::{Shard, field, ids, plan_of, shard};
use proptest::prelude::*;
use quarry_base::error::{ErrorCode, Result};
use quarry_base::threads::{Job, SEARCH_THREADS};
use quarry_query::crew::{set_threads_max, with_help};
use quarry_query::derived::view_of;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;

/// Documents of each segment, and which are deleted.
fn segments() -> impl Strategy<Value = Vec<(Vec<Value>, Vec<u32>)>> {
    let numbers = prop::collection::vec(-5i64..5, 0..3);
    let terms = prop::collection::vec(prop_oneof![Just("ant"), Just("bee"), Just("cat"), Just("dog")], 0..3);
    let document = (numbers, terms, prop::bool::weighted(0.2));
    let segment = prop::collection::vec(document, 1..60).prop_map(|documents| {
        let deleted = (0..documents.len() as u32).filter(|&doc| documents[doc as usize].2).collect();
        (documents.into_iter().map(|(numbers, terms, _)| json!({"n": numbers, "k": terms})).collect(), deleted)
    });
    prop::collection::vec(segment, 1..4)
}

/// The hits of a search that may compute fields.
fn search(shard: &Shard, request: &Value) -> Result<Value> {
    let request_bytes = request.to_string();
    let view = view_of(&shard.view, request_bytes.as_bytes(), &|| false)?;
    let result = execute(&view, &plan_of(request), &|| false)?;
    Ok(serde_json::from_slice(&result.hits).unwrap())
}

/// Segments of tests have the same ids: what is computed for one must not be found by another.
fn runtime(number: u64) -> Value {
    let copy = |name: &str, kind: &str| {
        let source = format!("for (v in doc['{name}']) {{ emit(v) }} /* {number} */");
        json!({"name": format!("{name}_copy"), "type": kind, "context": format!("{kind}_field"), "script": {"source": source}})
    };
    json!([copy("n", "long"), copy("k", "keyword")])
}

/// Tells the scripts of one shard from those of the next.
static SHARDS: AtomicU64 = AtomicU64::new(0);

fn check_copies(segments: &[(Vec<Value>, Vec<u32>)]) {
    let number = SHARDS.fetch_add(1, Ordering::Relaxed);
    let shard = shard(vec![field("n", "long", json!({})), field("k", "keyword", json!({}))], segments);
    let queries = [
        json!({"term": {"field": "n", "value": 2}}),
        json!({"range": {"field": "n", "from": {"value": -2, "inclusive": true}, "to": {"value": 3, "inclusive": true}}}),
        json!({"prefix": {"field": "k", "value": "c"}}),
        json!({"exists": {"field": "n"}}),
        json!({"term": {"field": "k", "value": "bee"}}),
        json!({"exists": {"field": "k"}}),
    ];
    for (query, key) in queries.iter().flat_map(|query| [(query, "n"), (query, "k")]) {
        let sort = json!([{"field": {"field": key, "order": "desc", "missing": "first"}}, {"doc": {"order": "asc"}}]);
        let request = json!({"query": query, "sort": sort, "size": 500});
        let expected = search(&shard, &request).unwrap();
        let renamed = request.to_string().replace("\"n\"", "\"n_copy\"").replace("\"k\"", "\"k_copy\"");
        let mut copied: Value = serde_json::from_str(&renamed).unwrap();
        copied["runtime"] = runtime(number);
        let found = search(&shard, &copied).unwrap();
        assert_eq!(ids(&found), ids(&expected), "{request}");
        let sorts = |hits: &Value| -> Vec<Value> {
            hits["hits"].as_array().unwrap().iter().map(|hit| hit["sort"].clone()).collect()
        };
        assert_eq!(sorts(&found), sorts(&expected), "{request}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn copies_answer_as_fields_do(segments in segments()) {
        check_copies(&segments);
    }
}

#[test]
fn failures_are_those_of_the_documents_that_match() {
    let shard = shard(vec![field("n", "long", json!({}))], &[(vec![json!({"n": 1}), json!({})], vec![])]);
    let fields = json!([{"name": "same", "type": "long", "context": "long_field",
        "script": {"source": "emit(doc['n'].value) /* failures */"}}]);
    let with = |query: Value| json!({"runtime": fields, "query": query, "sort": [{"field": {"field": "same", "order": "asc", "missing": "last"}}]});
    assert_eq!(search(&shard, &with(json!({"match_all": {}}))).unwrap_err().code, ErrorCode::Script);
    assert_eq!(ids(&search(&shard, &with(json!({"exists": {"field": "n"}}))).unwrap()), [0]);
    let queried = search(&shard, &with(json!({"term": {"field": "same", "value": 1}})));
    assert_eq!(queried.unwrap_err().code, ErrorCode::Script);
}

#[test]
fn fields_see_those_that_they_read_and_no_circles() {
    let shard = shard(vec![field("n", "long", json!({}))], &[(vec![json!({"n": 3}), json!({"n": 4})], vec![])]);
    let field = |name: &str, source: &str| json!({"name": name, "type": "long", "context": "long_field", "script": {"source": format!("{source} /* order */")}});
    let request = |fields: Vec<Value>| {
        json!({"runtime": fields, "query": {"match_all": {}},
            "sort": [{"field": {"field": "last", "order": "desc", "missing": "last"}}]})
    };
    let last = field("last", "emit(doc['first'].value * 10)");
    let found = search(&shard, &request(vec![last.clone(), field("first", "emit(doc['n'].value + 1)")])).unwrap();
    assert_eq!(found["hits"][0]["sort"], json!([50]));
    let circle = search(&shard, &request(vec![last, field("first", "emit(doc['last'].value)")])).unwrap_err();
    assert!(circle.reason.contains("last -> first -> last"), "{circle}");
}

/// Each reads the two after it.
fn ladder(length: usize) -> Value {
    let rung = |place: usize| {
        let reads = (place + 1..length.min(place + 3)).map(|next| format!("emit(doc['r{next}'].value);"));
        let source = format!("{} emit(1) /* ladder */", reads.collect::<String>());
        json!({"name": format!("r{place}"), "type": "long", "context": "long_field", "script": {"source": source}})
    };
    let fields: Vec<Value> = (0..length).map(rung).collect();
    json!({"runtime": fields, "query": {"exists": {"field": "r0"}}})
}

#[test]
fn fields_that_read_each_other_many_times_cost_no_more_than_their_number() {
    let shard = shard(vec![field("n", "long", json!({}))], &[(vec![json!({"n": 1})], vec![])]);
    assert_eq!(ids(&search(&shard, &ladder(46)).unwrap()), [0]);
    let error = search(&shard, &ladder(3_000)).unwrap_err();
    assert_eq!(error.code, ErrorCode::IllegalArgument, "{error}");
}

#[test]
fn lists_that_hold_themselves_end() {
    let shard = shard(vec![field("n", "long", json!({}))], &[(vec![json!({"n": 1})], vec![])]);
    let sources =
        ["def l = []; l.add(l); l.add(l); return l", "def l = []; for (int i = 0; i < 101; i++) { l.add(i) } return l"];
    for source in sources {
        let computed = json!({"name": "script:l", "type": "keyword", "context": "aggs", "script": {"source": source}});
        let sum = json!({"value_count": {"source": {"field": "script:l", "computed": computed}}});
        let request = json!({"query": {"match_all": {}}, "aggregations": [{"name": "c", "kind": sum}]});
        assert_eq!(search(&shard, &request).unwrap_err().code, ErrorCode::IllegalArgument, "{source}");
    }
}

#[test]
fn only_whole_names_are_computed() {
    let shard = shard(vec![field("n", "long", json!({}))], &[(vec![json!({"n": 1})], vec![])]);
    let fails = |name: &str| {
        json!({"name": name, "type": "long", "context": "long_field",
        "script": {"source": format!("emit(doc['none_{name}'].value) /* words */")}})
    };
    let request = json!({"runtime": [fails("value"), fails("size"), fails("am")],
        "query": {"term": {"field": "n", "value": 1}}, "sort": [{"field": {"field": "n", "order": "asc", "missing": "last"}}],
        "size": 1, "fetch": {"source": {"enabled": true, "includes": ["name"]}}});
    assert_eq!(ids(&search(&shard, &request).unwrap()), [0]);
}

#[test]
fn a_field_that_is_mapped_later_is_read() {
    let documents = [(vec![json!({"n": 1})], vec![])];
    let computed = json!({"name": "script:later", "type": "double", "context": "aggs",
        "script": {"source": "doc['n'].value /* mapped later */"}});
    let sum = json!({"sum": {"source": {"field": "script:later", "computed": computed}}});
    let request = json!({"query": {"match_all": {}}, "aggregations": [{"name": "s", "kind": sum}]});
    let before = shard(vec![field("other", "long", json!({}))], &documents);
    assert!(search(&before, &request).is_err());
    // The same segment, as its id says.
    let after = shard(vec![field("n", "long", json!({}))], &documents);
    assert_eq!(ids(&search(&after, &request).unwrap()), [0]);
}

/// Names of fields that scripts make up still decide what their values depend on.
#[test]
fn computed_fields_that_are_asked_for_by_parameters_are_computed_first() {
    let shard = shard(vec![field("n", "long", json!({}))], &[(vec![json!({"n": 3}), json!({"n": 4})], vec![])]);
    for factor in [2, 5] {
        let base = json!({"name": "base", "type": "long", "context": "long_field",
            "script": {"source": "emit(doc['n'].value * params.by)", "params": {"by": factor}}});
        let by_name = json!({"name": "by_name", "type": "long", "context": "long_field",
            "script": {"source": "emit(doc[params.f].value + 1)", "params": {"f": "base"}}});
        let request =
            json!({"query": {"term": {"field": "by_name", "value": 3 * factor + 1}}, "runtime": [by_name, base]});
        assert_eq!(ids(&search(&shard, &request).unwrap()), [0], "{factor}");
    }
}

#[test]
fn a_script_that_goes_on_for_ever_ends_the_computation_and_one_that_is_cancelled_at_once() {
    let shard = shard(vec![field("n", "long", json!({}))], &[((0..50).map(|n| json!({"n": n})).collect(), vec![])]);
    let endless =
        |body: &str| json!([{"name": "x", "type": "long", "context": "long_field", "script": {"source": body}}]);
    let request =
        json!({"query": {"exists": {"field": "x"}}, "runtime": endless("int i = 0; while (i < 1) { i = 0 } emit(1)")});
    let error = search(&shard, &request).unwrap_err();
    assert_eq!(error.caused_by.map(|cause| cause.code), Some(ErrorCode::Painless));
    let request =
        json!({"query": {"exists": {"field": "x"}}, "runtime": endless("for (int i = 0; i < 900000; i++) {} emit(2)")});
    let looks = std::cell::Cell::new(0);
    let is_cancelled = || {
        looks.set(looks.get() + 1);
        looks.get() > 3
    };
    let cancelled = view_of(&shard.view, request.to_string().as_bytes(), &is_cancelled).unwrap_err();
    assert_eq!(cancelled.code, ErrorCode::TaskCancelled);
}

#[test]
fn parts_of_a_composite_are_emitted_one_by_one_or_as_a_map() {
    let shard = shard(vec![field("n", "long", json!({}))], &[(vec![json!({"n": 3}), json!({"n": 4})], vec![])]);
    for body in ["emit('low', doc['n'].value - 1); emit('high', 9)", "emit(['low': doc['n'].value - 1, 'high': 9])"] {
        let part = |part: &str| json!({"name": format!("range.{part}"), "type": "long", "part": part, "context": "composite_field", "script": {"source": body}});
        let request =
            json!({"query": {"term": {"field": "range.low", "value": 3}}, "runtime": [part("low"), part("high")]});
        assert_eq!(ids(&search(&shard, &request).unwrap()), [1], "{body}");
    }
}

#[test]
fn texts_with_fielddata_have_values_however_scripts_ask_for_them() {
    let title = || field("title", "text", json!({"fielddata": true}));
    let shard = || shard(vec![title()], &[(vec![json!({"title": "ant bee"}), json!({"title": "cat"})], vec![])]);
    let by_script = |source: &str| {
        let script = json!({"source": source, "params": {"name": "title"}});
        ids(&search(&shard(), &json!({"query": {"script": {"script": script}}})).unwrap())
    };
    let computed = |source: &str| {
        let read = json!({"name": "read", "type": "keyword", "context": "keyword_field",
            "script": {"source": format!("{source} /* fielddata */"), "params": {"name": "title"}}});
        let request = json!({"runtime": [read], "query": {"term": {"field": "read", "value": "cat"}}});
        ids(&search(&shard(), &request).unwrap())
    };
    // What else asks for them is in the tests of what a plan names; a process compiles few scripts.
    assert_eq!(by_script("return field ('title').get('') == 'cat'"), [1]);
    for value in ["doc['title'].value", "field(params.name).get('')"] {
        assert_eq!(computed(&format!("emit({value})")), [1], "{value}");
    }
}

/// Fields of a search on a thread for long ones, which others help.
#[test]
fn helpers_compute_what_one_thread_does() {
    let documents: Vec<Value> =
        (0..150_000).map(|n| if n % 1_000 == 7 { json!({}) } else { json!({"n": n}) }).collect();
    let shard = Arc::new(shard(vec![field("n", "long", json!({}))], &[(documents, vec![5, 70_000])]));
    let request = |who: &str| {
        let source = format!("for (int i = 0; i < 40; ++i) {{ emit(doc['n'].value * i % 1009) }} /* {who} */");
        let fields = json!([{"name": "many", "type": "long", "context": "long_field", "script": {"source": source}}]);
        json!({"runtime": fields, "query": {"exists": {"field": "n"}}, "size": 50, "track_total_hits": "exact",
            "sort": [{"field": {"field": "many", "order": "desc", "missing": "last", "mode": "sum"}}, {"doc": {"order": "asc"}}]})
    };
    let alone = search(&shard, &request("alone")).unwrap();
    set_threads_max(3);
    let (sender, receiver) = channel();
    let job = move || {
        let (helped, help) = with_help(|| search(&shard, &request("helped")));
        drop(shard);
        sender.send(helped.map(|found| (found, help))).unwrap();
    };
    SEARCH_THREADS.start(|| Ok::<Job, ()>(Box::new(job))).unwrap();
    let (helped, help) = receiver.recv().unwrap().unwrap();
    assert_eq!(helped, alone);
    // On a machine with one processor nobody is idle.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    assert!(processors == 1 || !help.is_zero());
}
