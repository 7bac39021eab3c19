//! Searches in parts find what one thread finds. One in twelve searches of all the kernels' tests is held to that ([`look_in`]), and here some of larger
//! segments.

use super::super::{Collected, Part};
use super::{Shared, can_be_divided, merge, run_with, windows_of};
use crate::ABOVE;
use quarry_aggregations as aggs;
use quarry_aggregations::parts::plan_of_parts;
use quarry_aggregations::{PartialAggregations, Shape};
use quarry_base::control::{Control, NEVER};
use quarry_base::error::Result;
use quarry_plan::request::{SearchPlan, TrackTotalHits};
use quarry_query::weight::QueryEnv;
use quarry_shards::{TestShard, mapping};
use quarry_testing::Dice;
use quarry_testing::mapping::field;
use serde_json::{Value, json};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the answer tells of the number of matches.
fn total(plan: &SearchPlan, collected: &Collected) -> Option<(u64, bool)> {
    match plan.track_total_hits {
        TrackTotalHits::Disabled => None,
        TrackTotalHits::UpTo(limit) if collected.total > limit => Some((limit, true)),
        _ => Some((collected.total, collected.is_lower_bound)),
    }
}

/// As the answer has them; `None` where they are too many for one.
fn rendered(plan: &SearchPlan, found: &Option<PartialAggregations>) -> Option<Vec<u8>> {
    let requested = aggs::read_plan(plan.aggregations.as_ref()?).unwrap();
    let reduced = aggs::reduce(&requested, vec![found.clone()?]).unwrap();
    let env = QueryEnv { now_ms: plan.now_ms, limits: plan.limits.clone(), is_cancelled: NEVER, above: ABOVE };
    let mut out = Vec::new();
    aggs::render(&requested, reduced, &env, Shape::default(), &mut out).ok().map(|()| out)
}

thread_local! {
    /// Segments contradict themselves: which of two statements a search meets depends on what it knows by then.
    static IS_DAMAGED: Cell<bool> = const { Cell::new(false) };
}

/// Searches of segments that [`quarry_segment::check`] finds to be damaged are not held to what parts of them find.
pub fn in_damaged<T>(search: impl FnOnce() -> T) -> T {
    IS_DAMAGED.set(true);
    let found = search();
    IS_DAMAGED.set(false);
    found
}

/// Called with what a search has found.
pub(in crate::collect) fn look_in(alone: &Part<'_>, whole: &Collected) {
    static SEARCHES: AtomicUsize = AtomicUsize::new(0);
    if !IS_DAMAGED.get() && SEARCHES.fetch_add(1, Ordering::Relaxed).is_multiple_of(12) {
        assert_parts_agree(alone, whole);
    }
}

/// Carries a search out once more, by three threads that take as few windows at a time as they may.
fn assert_parts_agree(alone: &Part<'_>, whole: &Collected) {
    if whole.timed_out || !can_be_divided(alone) || windows_of(alone.view) < 2 {
        return;
    }
    let Some(parts) = plan_of_parts(alone.view, alone.aggregations) else { return };
    let shared = Shared::new(alone, parts.aggregations, parts.windows_in_a_row, &Control::new(NEVER, None));
    let parts: Vec<Result<Collected>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| shared.part(NEVER).0)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    // Then one thread would be asked.
    let Ok(parts) = parts.into_iter().collect::<Result<Vec<_>>>() else { return };
    let merged = merge::merge(alone, parts).unwrap();
    let plan = alone.plan;
    assert_eq!(total(plan, &merged), total(plan, whole), "{plan:?}");
    assert_eq!(merged.max_score, whole.max_score, "{plan:?}");
    // By their text: what is no number, as damaged columns may have it, equals itself there.
    assert_eq!(format!("{:?}", merged.hits), format!("{:?}", whole.hits), "{plan:?}");
    let text = |found: &Collected| rendered(plan, &found.aggregations).map(|json| String::from_utf8(json).unwrap());
    assert_eq!(text(&merged), text(whole), "{plan:?}");
}

fn documents(dice: &mut Dice, count: usize) -> Vec<Value> {
    let one = |dice: &mut Dice| {
        let price = dice.below(1_000_000) as f64 / 1_000.0 * 0.1 - 40.0;
        let mut document = json!({
            "k": format!("w{}", dice.below(40)), "n": dice.below(1 << 40) as i64 - (1 << 39), "t": dice.below(400) * 86_400_000,
            "x": (0..1 + dice.below(6)).map(|_| format!("v{}", dice.below(300))).collect::<Vec<_>>().join(" "),
        });
        if dice.below(9) > 0 {
            document["d"] = json!(price);
        }
        document
    };
    (0..count).map(|_| one(dice)).collect()
}

fn shard(dice: &mut Dice) -> TestShard {
    let fields = vec![
        field("k", "keyword", json!({})),
        field("n", "long", json!({})),
        field("d", "double", json!({})),
        field("t", "date", json!({})),
        field("x", "text", json!({})),
    ];
    let sizes = [30_000, 1, 9_000, 4_096];
    let segments: Vec<Vec<Value>> = sizes.iter().map(|&size| documents(dice, size)).collect();
    let all: u32 = sizes.iter().sum::<usize>() as u32;
    let deleted: Vec<u32> = (0..all).filter(|_| dice.below(7) == 0).collect();
    TestShard::new(mapping(fields), &segments, &deleted)
}

fn source(field: &str) -> Value {
    json!({"source": {"field": field}})
}

fn named(name: &str, kind: Value, aggs: Value) -> Value {
    json!({"name": name, "kind": kind, "aggs": aggs})
}

fn aggregations(dice: &mut Dice) -> Value {
    let metrics = json!([
        named("sum", json!({"sum": source("d")}), json!([])),
        named("all", json!({"extended_stats": {"source": {"field": "d"}, "sigma": 2.0}}), json!([])),
        named("large", json!({"stats": source("n")}), json!([])),
        named(
            "parts",
            json!({"percentiles": {
                "source": {"field": "d"}, "keys": [1.0, 50.0, 99.0], "keyed": true, "compression": 100.0, "hdr_digits": null,
            }}),
            json!([])
        ),
        named("distinct", json!({"cardinality": {"source": {"field": "k"}, "precision_threshold": 20}}), json!([])),
    ]);
    let orders = [
        json!([{"by": "count", "ascending": false}, {"by": "key", "ascending": true}]),
        json!([{"by": {"path": {"aggregations": ["sum"], "value": null}}, "ascending": false}]),
    ];
    let breadth_first = dice.below(2) == 0;
    let terms = |order: usize| {
        json!({"terms": {
            "source": {"field": "k"}, "size": 5, "shard_size": 8, "min_doc_count": 1, "shard_min_doc_count": 2,
            "order": orders[order], "show_term_doc_count_error": true, "breadth_first": breadth_first,
        }})
    };
    let days = json!({"date_histogram": {
        "source": {"field": "t"}, "interval": {"calendar": "month"}, "offset_ms": 0, "min_doc_count": 0, "extended_bounds": null,
        "hard_bounds": null, "order": [{"by": "key", "ascending": true}], "keyed": false,
    }});
    match dice.below(4) {
        0 => metrics,
        1 => json!([named("k", terms(1), metrics)]),
        2 => json!([named("t", days, json!([named("k", terms(dice.below(2) as usize), metrics)]))]),
        _ => json!([
            named("k", terms(0), json!([named("t", days, metrics)])),
            named("n", json!({"value_count": source("d")}), json!([]))
        ]),
    }
}

fn request(dice: &mut Dice) -> SearchPlan {
    let word = format!("v{}", dice.below(300));
    let query = match dice.below(4) {
        0 => json!({"match_all": {}}),
        1 => json!({"range": {"field": "n", "from": {"value": 0, "inclusive": true}}}),
        _ => json!({"term": {"field": "x", "value": word}}),
    };
    let mut plan = json!({
        "query": query, "size": dice.below(3) * 10, "from": dice.below(5), "now_ms": 0, "fetch": {"source": {"enabled": false}},
        "track_total_hits": if dice.below(2) == 0 { "exact" } else { "disabled" },
    });
    if dice.below(3) == 0 {
        plan["track_total_hits"] = json!({"up_to": 100});
    }
    if dice.below(3) > 0 {
        plan["aggregations"] = aggregations(dice);
    }
    serde_json::from_value(plan).unwrap()
}

#[test]
fn parts_of_large_segments_are_the_whole() {
    let mut dice = Dice::new(17);
    let shard = shard(&mut dice);
    let mut found = 0;
    for _ in 0..60 {
        let plan = request(&mut dice);
        let aggregations = plan.aggregations.as_ref().map_or_else(Vec::new, |plan| aggs::read_plan(plan).unwrap());
        let alone =
            Part { view: &shard.view, plan: &plan, keys: &[], after: None, aggregations: &aggregations, windows: None };
        let collected = alone.run(&mut Control::new(NEVER, None), || {}).unwrap();
        assert_parts_agree(&alone, &collected);
        found += usize::from(collected.total > 0 || !collected.hits.is_empty());
    }
    assert!(found > 40);
}

#[test]
fn helpers_are_waited_for_and_end_when_nobody_wants_the_answer() {
    let mut dice = Dice::new(3);
    let shard = shard(&mut dice);
    let plan = SearchPlan { size: 10, ..request(&mut dice) };
    let alone = Part { view: &shard.view, plan: &plan, keys: &[], after: None, aggregations: &[], windows: None };
    let whole = alone.run(&mut Control::new(NEVER, None), || {}).unwrap();
    let mut control = Control::new(NEVER, None);
    let shared = || Arc::new(Shared::new(&alone, Vec::new(), 1, &Control::new(NEVER, None)));
    let found = run_with(&shared(), &alone, 2, &mut control).unwrap().unwrap();
    assert_eq!(found.hits, whole.hits);
    let mut cancelled = Control::new(&|| true, None);
    assert!(run_with(&shared(), &alone, 2, &mut cancelled).is_err());
}
