//! Graphs against looking at everything.

use super::Parameters;
use super::build::{Base, build};
use super::layout::{Graph, Layout};
use super::samples::{clustered, normalised, uniform};
use super::walk::{Sought, Walked, nearest};
use crate::similarity::Similarity;
use crate::{Interrupt, Rows, Vectors, exact};
use quarry_base::error::{Error, ErrorCode};
use quarry_testing::Dice;

const DIMS: usize = 24;
const USUAL: Parameters = Parameters { m: 16, ef_construction: 100 };
const NEVER: Interrupt<'static> = &|| Ok(());

fn graph_of(rows: Rows<'_>, similarity: Similarity, parameters: Parameters) -> Vec<u32> {
    let words = build(&rows, similarity, parameters, None, NEVER).unwrap();
    let layout = Layout::read(&words, rows.count()).unwrap();
    Graph { layout: &layout, words: &words }.verify().unwrap();
    words
}

/// The share of the ten nearest that walks find, over some queries.
fn recall(
    rows: Rows<'_>,
    words: &[u32],
    similarity: Similarity,
    queries: &[f32],
    breadth: usize,
    accepts: Option<&dyn Fn(u32) -> bool>,
) -> f64 {
    let layout = Layout::read(words, rows.count()).unwrap();
    let graph = Graph { layout: &layout, words };
    let (mut found, mut wanted) = (0, 0);
    for query in queries.chunks(DIMS) {
        let closeness = |ordinal| similarity.closeness(query, rows.get(ordinal));
        let sought = Sought { closeness: &closeness, breadth, accepts, looks_max: usize::MAX };
        let Walked::Found(walked) = nearest(graph, &sought, NEVER).unwrap() else { panic!("there is no limit") };
        assert!(walked.is_sorted_by(|left, right| left > right), "each once, the nearest first");
        let mut counted = (0..rows.count()).filter(|&ordinal| accepts.is_none_or(|accepts| accepts(ordinal)));
        let truth = exact::nearest(&rows, similarity, query, &mut counted, 10, NEVER).unwrap();
        wanted += truth.len();
        found += truth.iter().filter(|near| walked.iter().take(10).any(|other| other == *near)).count();
    }
    found as f64 / wanted as f64
}

fn samples() -> [(&'static str, Similarity, Vec<f32>, Vec<f32>); 4] {
    let (spread, queries) = (uniform(4_000, DIMS, 1), uniform(50, DIMS, 2));
    let (dense, near) = (clustered(4_000, DIMS, 40, 3), clustered(50, DIMS, 40, 3));
    [
        ("cosine", Similarity::Cosine, normalised(spread.clone(), DIMS), normalised(queries.clone(), DIMS)),
        ("uniform", Similarity::L2Norm, spread, queries.clone()),
        ("clustered", Similarity::L2Norm, dense.clone(), near.clone()),
        ("products", Similarity::MaxInnerProduct, dense, near),
    ]
}

#[test]
fn walks_find_what_is_near() {
    for (name, similarity, values, queries) in samples() {
        let rows = Rows { values: &values, dims: DIMS };
        let words = graph_of(rows, similarity, USUAL);
        let all = recall(rows, &words, similarity, &queries, 100, None);
        assert!(all >= 0.95, "{name}: {all}");
        let third = |ordinal: u32| ordinal.is_multiple_of(3);
        let filtered = recall(rows, &words, similarity, &queries, 100, Some(&third));
        assert!(filtered >= 0.95, "{name}, filtered: {filtered}");
        assert_eq!(words, build(&rows, similarity, USUAL, None, NEVER).unwrap(), "{name}: the same again");
    }
}

#[test]
fn vectors_are_put_into_a_graph_that_is_there() {
    for (name, similarity, values, queries) in samples() {
        let rows = Rows { values: &values, dims: DIMS };
        // The graph of two thirds, whose vectors have their places among the others.
        let (taken, ordinals): (Vec<f32>, Vec<u32>) = {
            let kept = (0..rows.count()).filter(|ordinal| ordinal % 3 != 1);
            let ordinals: Vec<u32> = kept.collect();
            (ordinals.iter().flat_map(|&ordinal| rows.get(ordinal).to_vec()).collect(), ordinals)
        };
        let part = graph_of(Rows { values: &taken, dims: DIMS }, similarity, USUAL);
        let layout = Layout::read(&part, ordinals.len() as u32).unwrap();
        let base = Base { graph: Graph { layout: &layout, words: &part }, ordinals: &ordinals };
        let words = build(&rows, similarity, USUAL, Some(base), NEVER).unwrap();
        let layout = Layout::read(&words, rows.count()).unwrap();
        Graph { layout: &layout, words: &words }.verify().unwrap();
        let all = recall(rows, &words, similarity, &queries, 100, None);
        assert!(all >= 0.95, "{name}: {all}");
    }
}

#[test]
fn equal_vectors_do_not_hide_others() {
    let mut values = vec![0.5; 2_000 * DIMS];
    values.extend(uniform(500, DIMS, 9));
    let rows = Rows { values: &values, dims: DIMS };
    let words = graph_of(rows, Similarity::L2Norm, USUAL);
    let queries = uniform(30, DIMS, 10);
    let found = recall(rows, &words, Similarity::L2Norm, &queries, 100, None);
    assert!(found >= 0.95, "{found}");
}

#[test]
fn small_graphs_of_any_parameters_find_everything() {
    let values = uniform(60, DIMS, 4);
    for count in [1, 2, 3, 17, 60] {
        let rows = Rows { values: &values[..count * DIMS], dims: DIMS };
        for m in [2, 5, 16] {
            let words = graph_of(rows, Similarity::L2Norm, Parameters { m, ef_construction: 50 });
            let found = recall(rows, &words, Similarity::L2Norm, &values[..10 * DIMS], 60, None);
            assert!(found >= 0.9, "{count} vectors, m {m}: {found}");
        }
    }
}

#[test]
fn a_walk_that_would_look_at_too_much_gives_up() {
    let values = uniform(3_000, DIMS, 5);
    let rows = Rows { values: &values, dims: DIMS };
    let words = graph_of(rows, Similarity::L2Norm, USUAL);
    let layout = Layout::read(&words, rows.count()).unwrap();
    let closeness = |ordinal| Similarity::L2Norm.closeness(&values[..DIMS], rows.get(ordinal));
    let few = |ordinal: u32| ordinal < 20;
    let sought = Sought { closeness: &closeness, breadth: 10, accepts: Some(&few), looks_max: 20 };
    let walked = nearest(Graph { layout: &layout, words: &words }, &sought, NEVER).unwrap();
    assert!(matches!(walked, Walked::GaveUp));
}

#[test]
fn building_and_walking_can_be_interrupted() {
    let values = uniform(3_000, DIMS, 6);
    let rows = Rows { values: &values, dims: DIMS };
    let stop: Interrupt<'_> = &|| Err(Error::new(ErrorCode::TaskCancelled, "enough"));
    let error = build(&rows, Similarity::L2Norm, USUAL, None, stop).unwrap_err();
    assert_eq!(error.code, ErrorCode::TaskCancelled);
    let words = graph_of(rows, Similarity::L2Norm, USUAL);
    let layout = Layout::read(&words, rows.count()).unwrap();
    let closeness = |ordinal| Similarity::L2Norm.closeness(&values[..DIMS], rows.get(ordinal));
    let sought = Sought { closeness: &closeness, breadth: 1_000, accepts: None, looks_max: usize::MAX };
    assert!(nearest(Graph { layout: &layout, words: &words }, &sought, stop).is_err());
    let all = exact::nearest(&rows, Similarity::L2Norm, &values[..DIMS], &mut (0..rows.count()), 3, stop);
    assert!(all.is_err());
}

/// Whatever stands in the words of a graph: it is refused, found by `verify`, or walked without harm.
#[test]
fn damage_never_panics() {
    let values = uniform(400, DIMS, 7);
    let rows = Rows { values: &values, dims: DIMS };
    let words = graph_of(rows, Similarity::L2Norm, Parameters { m: 3, ef_construction: 20 });
    let mut dice = Dice::new(8);
    let closeness = |ordinal| Similarity::L2Norm.closeness(&values[..DIMS], rows.get(ordinal));
    let sought = Sought { closeness: &closeness, breadth: 10, accepts: None, looks_max: usize::MAX };
    for round in 0..2_000 {
        let mut damaged = words.clone();
        let place = if round % 4 == 0 { dice.below(12) } else { dice.below(words.len() as u64) };
        damaged[place as usize] = [0, 1, 399, 400, 1 << 20, u32::MAX][dice.below(6) as usize];
        if round % 7 == 0 {
            damaged.truncate(dice.below(words.len() as u64) as usize);
        }
        let Ok(layout) = Layout::read(&damaged, rows.count()) else { continue };
        let graph = Graph { layout: &layout, words: &damaged };
        let _ = graph.verify();
        nearest(graph, &sought, NEVER).unwrap();
    }
}
