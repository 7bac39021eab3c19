//! What searches made of segments is gone when the last view of them is.

use crate::search::execute;
use crate::tests::fixture::{Shard, field, ids, plan_of, shard};
use quarry_aggregations::kept_terms::term_counts::TERM_COUNTS;
use quarry_aggregations::kept_terms::term_hashes::TERM_HASHES;
use quarry_query::derived::cache::COLUMNS;
use quarry_query::derived::view_of;
use quarry_query::ordinals::ORDINALS;
use serde_json::{Value, json};

fn search(shard: &Shard, request: &Value) -> Vec<u32> {
    let view = view_of(&shard.view, request.to_string().as_bytes(), &|| false).unwrap();
    let result = execute(&view, &plan_of(request), &|| false).unwrap();
    ids(&serde_json::from_slice(&result.hits).unwrap())
}

/// What columns, numbers, counts and hashes of a segment take.
fn kept_of(segment: &[u8; 16]) -> [usize; 4] {
    [
        COLUMNS.bytes_of_segment(segment),
        ORDINALS.bytes_of_segment(segment),
        TERM_COUNTS.bytes_of_segment(segment),
        TERM_HASHES.bytes_of_segment(segment),
    ]
}

#[test]
fn what_is_kept_of_segments_goes_with_the_last_view_of_them() {
    let documents = |from: u64| (from..from + 40).map(|n| json!({"n": n, "k": format!("w{}", n % 7)})).collect();
    let fields = vec![field("n", "long", json!({})), field("k", "keyword", json!({}))];
    let shard = shard(fields, &[(documents(0), Vec::new()), (documents(40), Vec::new())]);
    let segments: Vec<_> = shard.view.segments.iter().map(|segment| segment.reader.id().uuid).collect();
    let source = json!({"field": "k"});
    let terms = json!({"terms": {
        "source": source, "size": 10, "shard_size": 10, "min_doc_count": 1, "shard_min_doc_count": 0,
        "order": [{"by": "key", "ascending": true}], "show_term_doc_count_error": false,
    }});
    let cardinality = json!({"cardinality": {"source": source, "precision_threshold": 3000}});
    let aggregations = json!([
        {"name": "words", "kind": terms, "aggs": []},
        {"name": "count", "kind": cardinality, "aggs": []},
    ]);
    let runtime = json!([{
        "name": "twice", "type": "long", "context": "long_field", "script": {"source": "emit(doc['n'].value * 2)"},
    }]);
    let twice = json!({"query": {"term": {"field": "twice", "value": 158}}, "runtime": runtime});
    assert_eq!(search(&shard, &twice), [79]);
    // Other searches of this process may have what aggregations keep given up.
    let is_kept = |_: &u32| {
        search(&shard, &json!({"size": 0, "aggregations": aggregations}));
        segments.iter().flat_map(kept_of).all(|bytes| bytes > 0)
    };
    assert!((0..1_000).any(|turn| is_kept(&turn)), "{:?}", kept_of(&segments[0]));

    let other = shard.view.clone();
    drop(shard);
    assert!(COLUMNS.bytes_of_segment(&segments[0]) > 0 && ORDINALS.bytes_of_segment(&segments[1]) > 0);
    let before = COLUMNS.statistics().evictions_by_close;
    drop(other);
    assert_eq!(segments.iter().map(kept_of).collect::<Vec<_>>(), [[0; 4]; 2]);
    assert!(COLUMNS.statistics().evictions_by_close >= before + 2);
}
