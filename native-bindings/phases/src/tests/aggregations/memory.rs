//! What aggregations hold, against the request breaker.

use super::{Dice, aggregation, documents, env, run_over, search_plan, shard, source};
use quarry_aggregations::{Prepared, read_plan};
use quarry_base::error::ErrorCode;
use serde_json::{Value, json};

/// The code of the error of an aggregation over a shard, where all searches together may hold so much.
fn refused(kind: Value, breaker_bytes: u64, deleted: &[u32]) -> Option<ErrorCode> {
    let shard = shard(&[documents(&mut Dice::new(5), 300)], deleted);
    let plan = read_plan(&json!([aggregation("a", kind, json!([]))])).unwrap();
    let mut env = env();
    env.limits.request_breaker_bytes = breaker_bytes;
    let search = search_plan(&json!({}));
    let prepared = Prepared::new(&shard.view, &env, &plan, &search).unwrap();
    let found = prepared.start().and_then(|run| run_over(&shard, run));
    found.err().map(|error| error.code)
}

#[test]
fn counts_sketches_and_marks_are_charged() {
    let ranges = json!([{"key": "low", "to": 0}, {"key": "high", "from": 0}]);
    let cardinality = |field: &str| json!({"cardinality": {"source": source(field), "precision_threshold": 3000}});
    let kinds = [
        json!({"range": {"source": source("n"), "keyed": false, "ranges": ranges}}),
        cardinality("k"),
        cardinality("n"),
    ];
    for kind in kinds {
        // Whole segments are counted at once, others window by window.
        for deleted in [&[][..], &[7]] {
            assert_eq!(refused(kind.clone(), 0, deleted), Some(ErrorCode::CircuitBreaking), "{kind}");
            assert_eq!(refused(kind.clone(), u64::MAX, deleted), None, "{kind}");
        }
    }
}
