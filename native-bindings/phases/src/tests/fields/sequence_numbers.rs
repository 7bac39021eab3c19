//! Sequence numbers as a field, against what the documents were given.

use crate::search::execute;
use crate::tests::fixture::{Shard, field, ids, plan_of, shard};
use quarry_testing::Dice;
use serde_json::{Value, json};

fn run(shard: &Shard, request: &Value) -> (Vec<u32>, Value) {
    let result = execute(&shard.view, &plan_of(request), &|| false).unwrap();
    let mut found = ids(&serde_json::from_slice(&result.hits).unwrap());
    found.sort_unstable();
    (found, serde_json::from_slice(&result.aggregations.unwrap()).unwrap())
}

/// Number and `_id` of every live document.
fn numbered(shard: &Shard) -> Vec<(i64, u32)> {
    let mut all = Vec::new();
    for segment in shard.view.segments.iter() {
        let is_live = |doc: &u32| segment.live.as_ref().is_none_or(|live| live.is_live(*doc));
        all.extend((0..segment.max_doc()).filter(is_live).map(|doc| {
            let id = std::str::from_utf8(segment.reader.ids().get(doc)).unwrap().parse().unwrap();
            (segment.reader.seq_nos().first(doc).unwrap(), id)
        }));
    }
    all
}

#[test]
fn are_searched_and_added_up_by_their_column() {
    let mut dice = Dice::new(0x5e9);
    let segments: Vec<_> = (0..3)
        .map(|_| {
            let count = 1 + dice.below(6_000);
            let deleted = (0..count as u32).filter(|_| dice.below(9) == 0).collect();
            (vec![json!({"n": 1}); count as usize], deleted)
        })
        .collect();
    let shard = shard(vec![field("n", "long", json!({}))], &segments);
    let all = numbered(&shard);
    for _ in 0..40 {
        let (low, high) = (dice.below(7_000) as i64, dice.below(7_000) as i64);
        let query = json!({"range": {
            "field": "_seq_no", "from": {"value": low, "inclusive": true}, "to": {"value": high, "inclusive": false},
        }});
        let sum = json!([{"name": "sum", "kind": {"sum": {"source": {"field": "_seq_no"}}}, "aggs": []}]);
        let (found, aggregations) = run(&shard, &json!({"query": query, "size": 20_000, "aggregations": sum}));
        let (numbers, mut expected): (Vec<i64>, Vec<u32>) =
            all.iter().filter(|(number, _)| (low..high).contains(number)).copied().unzip();
        expected.sort_unstable();
        assert_eq!(found, expected, "{low}..{high}");
        let total: i64 = numbers.iter().sum();
        assert_eq!(aggregations["sum"]["value"].as_f64(), Some(total as f64), "{low}..{high}");
    }
}
