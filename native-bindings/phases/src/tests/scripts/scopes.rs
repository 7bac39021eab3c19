//! Scripts run on the documents that a query or an aggregation is about: not on deleted ones, nor on parts of others.

use crate::search::execute;
use crate::tests::fixture::{Shard, field, ids, plan_of, shard, shard_with};
use quarry_base::error::Result;
use quarry_query::derived::view_of;
use serde_json::{Value, json};

/// The second document is deleted, and so are its nested ones: none of them has the value that scripts read.
fn nested() -> Shard {
    let nested = json!({"include_in_parent": false, "include_in_root": false});
    let object = json!({"path": "a", "dynamic": "false", "enabled": true, "nested": nested});
    let fields =
        vec![field("a.k", "keyword", json!({})), field("a.x", "integer", json!({})), field("n", "integer", json!({}))];
    let of = |k: &str, x: i64| json!({"k": k, "x": x});
    let documents = vec![
        json!({"n": 1, "a": [of("p", 1), of("q", 3)]}),
        json!({"a": [{"k": "p"}]}),
        json!({"n": 2, "a": [of("p", 5)]}),
        json!({"n": 3}),
    ];
    shard_with(fields, vec![object], &[(documents, vec![1])])
}

fn run(shard: &Shard, request: &Value) -> Result<(Value, Value)> {
    let view = view_of(&shard.view, request.to_string().as_bytes(), &|| false)?;
    let result = execute(&view, &plan_of(request), &|| false)?;
    let aggregations = result.aggregations.map(|json| serde_json::from_slice(&json).unwrap());
    Ok((serde_json::from_slice(&result.hits).unwrap(), aggregations.unwrap_or_default()))
}

fn found(shard: &Shard, query: &Value) -> Vec<u32> {
    let (hits, _) = run(shard, &json!({"query": query, "size": 10})).unwrap_or_else(|error| panic!("{query}: {error}"));
    let mut found = ids(&hits);
    found.sort_unstable();
    found
}

fn below_nested(query: Value) -> Value {
    json!({"nested": {"path": "a", "query": query}})
}

#[test]
fn scripts_decide_on_nested_documents() {
    let shard = nested();
    let script = json!({"script": {"script": {"source": "doc['a.x'].value > 2"}}});
    assert_eq!(found(&shard, &below_nested(script)), [0, 2]);
    let score = json!({"script_score": {"query": {"match_all": {}}, "min_score": 4.0,
        "script": {"source": "doc['a.x'].value"}}});
    assert_eq!(found(&shard, &below_nested(score)), [2]);
    assert_eq!(found(&shard, &json!({"script": {"script": {"source": "doc['n'].value > 1"}}})), [2, 3]);
}

#[test]
fn deleted_documents_are_not_asked() {
    let nested = nested();
    let functions = |field: &str| {
        let script = json!({"source": format!("doc['{field}'].value")});
        json!({"function_score": {"query": {"match_all": {}}, "functions": [{"kind": {"script_score": script}}],
            "boost_mode": "replace", "min_score": 2.0}})
    };
    assert_eq!(found(&nested, &functions("n")), [2, 3]);
    assert_eq!(found(&nested, &below_nested(functions("a.x"))), [0, 2]);
    let flat = shard(
        vec![field("k", "keyword", json!({})), field("n", "integer", json!({}))],
        &[(vec![json!({"k": ["p", "q"], "n": 2}), json!({"k": "p"}), json!({"k": "q", "n": 1})], vec![1])],
    );
    let covering = json!({"terms_set": {"field": "k", "terms": ["p", "q"],
        "minimum_should_match_script": {"source": "doc['n'].value"}}});
    assert_eq!(found(&flat, &covering), [0, 2]);
}

#[test]
fn scripts_of_aggregations_see_nested_documents() {
    let shard = nested();
    let computed = |field: &str| {
        let script = json!({"source": format!("doc['{field}'].value * 2 /* scopes */")});
        json!({"name": format!("script:{field}"), "type": "double", "context": "aggs", "script": script})
    };
    let sum = |field: &str| {
        let source = json!({"field": format!("script:{field}"), "computed": computed(field)});
        json!([{"name": "s", "kind": {"sum": {"source": source}}}])
    };
    let back = json!({"name": "back", "kind": {"reverse_nested": {}}, "aggs": sum("n")});
    let mut below = sum("a.x");
    below.as_array_mut().unwrap().push(back);
    let plan = json!([{"name": "a", "kind": {"nested": {"path": "a"}}, "aggs": below}]);
    let (_, answer) = run(&shard, &json!({"size": 0, "aggregations": plan})).unwrap();
    assert_eq!(answer["a"]["s"]["value"].as_f64(), Some(18.0));
    assert_eq!(answer["a"]["back"]["s"]["value"].as_f64(), Some(6.0));
    // The same script about the roots fails on them, and not without a word.
    let roots = run(&shard, &json!({"size": 0, "aggregations": sum("a.x")}));
    assert!(roots.is_err());
}
